"""Whatever comes back in place of an answer is one sentence, exit code 2, without a secret and without a traceback."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.observe.prometheus.fake_server import (
    MONDAY_S,
    Answering,
    Asked,
    Reply,
    Server,
    kind,
    matrix,
    steady,
    vector,
)

from headrace.durations import Buckets
from headrace.errors import HeadraceError, InputError
from headrace.observe.prometheus import connection
from headrace.observe.prometheus.read import read_past
from headrace.observe.prometheus.refusal import Unanswered
from headrace.observe.prometheus.source import Selection, Source

DAY = Selection(start_s=MONDAY_S, end_s=MONDAY_S + 86_400)
LATER_S = MONDAY_S + 30.0 * 86_400
HTML = (("Content-Type", "text/html; charset=utf-8"),)
SECRET = "s3cr3t-t0k3n-of-a-person"
SERIES = {"namespace": "prod", "model_name": "llama"}


def error(status: int, words: str, kind: str = "execution") -> Reply:
    return Reply(json.dumps({"status": "error", "errorType": kind, "error": words}).encode(), status)


def ranges(reply: Reply) -> Answering:
    """The number of scrapes is answered, all else is so."""
    return lambda asked: reply if asked.is_range else steady(asked)


def running(series: list[dict[str, object]]) -> Answering:
    """Only running requests are answered in this way."""

    def answering(asked: Asked) -> Reply:
        is_meant = asked.is_range and kind(asked.parameters["query"]) == "running"
        return matrix(series) if is_meant else steady(asked)

    return answering


def points(*values: str, every: int = 60) -> list[list[object]]:
    return [[MONDAY_S + every * (index + 1), value] for index, value in enumerate(values)]


def always(reply: Reply) -> Answering:
    return lambda _: reply


CASES: list[tuple[str, Answering, type[HeadraceError], str]] = [
    (
        "401",
        always(Reply(b"Unauthorized\n", 401)),
        InputError,
        "401: it wants a token or a password.*: Unauthorized$",
    ),
    ("403", always(Reply(b"", 403)), InputError, "403: this token or user may not read there$"),
    ("404", always(Reply(b"404 page not found", 404)), InputError, "no Prometheus API below this address"),
    (
        "422",
        ranges(error(422, "found duplicate series for the match group")),
        InputError,
        "422, so it can't work with the query: found duplicate series",
    ),
    (
        "400",
        ranges(error(400, "1:5: parse error: unexpected <by>", "bad_data")),
        InputError,
        "400, so it can't work with the query: 1:5: parse error",
    ),
    (
        "503",
        always(Reply(b"<html>no healthy upstream</html>", 503, HTML)),
        Unanswered,
        "answers 503, each time it was",
    ),
    ("502", ranges(Reply(b"bad gateway", 502)), Unanswered, "answers 502: bad gateway, each time"),
    ("418", always(Reply(b"", 418)), Unanswered, "it answers 418$"),
    (
        "422 at a single step",
        ranges(error(422, "query processing would load too many samples into memory in query execution")),
        Unanswered,
        "too many samples into memory in query execution, even for a single step$",
    ),
    (
        "nothing at all",
        lambda asked: vector(None),
        InputError,
        "it has no sglang:num_running_reqs or vllm:num",
    ),
    ("nothing in the time", ranges(matrix([])), InputError, "fewer than two points of demand"),
    (
        "HTML",
        always(Reply(b"<!DOCTYPE html><title>Login</title>", 200, HTML)),
        InputError,
        "a web page, not with JSON",
    ),
    ("HTML said to be JSON", always(Reply(b"\n <html></html>")), InputError, "a web page, not with JSON"),
    ("text", always(Reply(b"ok")), InputError, 'something other than JSON \\("ok"\\)'),
    ("an empty body", always(Reply(b"")), Unanswered, "its answer is empty, each time"),
    (
        "JSON cut off",
        ranges(Reply(b'{"status":"success","data":{"resu')),
        Unanswered,
        "cut off after 33 bytes",
    ),
    (
        "a body cut off",
        ranges(Reply(b'{"status":', length=500)),
        Unanswered,
        "its answer breaks off, each time",
    ),
    (
        "a closed connection",
        always(Reply(is_reset=True)),
        Unanswered,
        "closes the connection instead of an answer",
    ),
    ("other JSON", always(Reply(b'{"hello": 1}')), Unanswered, "JSON, but not that of Prometheus' API"),
    ("a list", always(Reply(b"[1, 2]")), Unanswered, "JSON, but not that of Prometheus' API"),
    ("deep JSON", always(Reply(b"[" * 100_000)), Unanswered, "its answer is cut off"),
    ("a vector", ranges(vector(1.0)), Unanswered, "answers with a vector, where a matrix was asked for"),
    ("a matrix", always(matrix([])), Unanswered, "answers with a matrix, where a vector was asked for"),
    ("a series without labels", running([{"values": points("1", "2")}]), Unanswered, "a series that is none"),
    (
        "a value that is none",
        running([{"metric": SERIES, "values": points("1", "x")}]),
        Unanswered,
        "a series that is none",
    ),
    ("a null", running([{"metric": SERIES, "values": [[None, "1"]]}]), Unanswered, "a series that is none"),
    (
        "the same series twice",
        running([{"metric": SERIES, "values": points("1", "2")}] * 2),
        Unanswered,
        "two series with the same labels",
    ),
    (
        "a model twice",
        running([{"metric": {**SERIES, "pod": pod}, "values": points("1", "2")} for pod in "ab"]),
        InputError,
        'several series for the model "prod/llama"; sum them',
    ),
    (
        "one point",
        running([{"metric": SERIES, "values": points("1")}]),
        InputError,
        "fewer than two points of demand",
    ),
    (
        "only NaN",
        running([{"metric": SERIES, "values": points(*["NaN"] * 9)}]),
        InputError,
        "fewer than two points",
    ),
    (
        "only Inf",
        running([{"metric": SERIES, "values": points(*["+Inf"] * 9)}]),
        InputError,
        "fewer than two points",
    ),
    (
        "ten thousand series",
        running([{"metric": {"model_name": f"m{n}"}, "values": points("1", "2")} for n in range(10_000)]),
        InputError,
        "more than 2,000 series; narrow it with a selector",
    ),
    (
        "a redirect elsewhere",
        always(Reply(b"", 302, (("Location", "https://login.example.com/sso?next=x"),))),
        InputError,
        'redirects to another place \\("https://login.example.com"\\)',
    ),
    ("a circle", always(Reply(b"", 307, (("Location", "/again"),))), Unanswered, "redirects in a circle"),
    (
        "a long pause",
        always(Reply(b"", 429, (("Retry-After", "3600"),))),
        Unanswered,
        "answers 429, and wants to be asked again after 3,600 s",
    ),
    (
        "a secret said back",
        always(error(403, f"token {SECRET} is not allowed")),
        InputError,
        "403: this token or user may not read there: token … is not allowed$",
    ),
]


@pytest.mark.parametrize(
    ("answering", "kind_", "sentence"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
@pytest.mark.usefixtures("no_pauses")
def test_one_sentence_says_what_came_back(
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answering: Answering,
    kind_: type[HeadraceError],
    sentence: str,
) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    server.answering = answering
    source = Source(url=server.url, token_variable="TOKEN")
    with pytest.raises(HeadraceError, match=sentence) as raised:
        read_past(source, DAY, kept_in=tmp_path, now_s=LATER_S)
    assert isinstance(raised.value, kind_)
    assert raised.value.exit_code == 2
    said = str(raised.value)
    assert said.startswith(server.url)
    assert "\n" not in said
    assert SECRET not in said
    assert len(server.asked) < 60
    assert server.asked[0].headers["authorization"] == f"Bearer {SECRET}"


SAID_BACK: list[tuple[str, Answering]] = [
    ("in a time-out", always(error(504, f"token {SECRET} took too long"))),
    ("where too much is asked", ranges(error(422, f"too many samples for {SECRET}"))),
    ("where words are cut", always(error(403, "x" * 290 + SECRET + "y" * 100))),
    ("as plain text", always(Reply(f"who is {SECRET}?".encode(), 403))),
    ("as plain text that is cut", always(Reply(b"." * 30 + f"{SECRET}?".encode()))),
    ("in place of a word", always(Reply(json.dumps({"status": "error", "error": [SECRET]}).encode(), 400))),
    (
        "as a kind of answer",
        always(
            Reply(json.dumps({"status": "success", "data": {"resultType": SECRET, "result": []}}).encode())
        ),
    ),
]


@pytest.mark.parametrize("answering", [case[1] for case in SAID_BACK], ids=[case[0] for case in SAID_BACK])
@pytest.mark.parametrize("given", ["token", "header", "header file"])
@pytest.mark.usefixtures("no_pauses")
def test_a_secret_said_back_is_in_no_message_and_in_no_exception_behind_it(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answering: Answering, given: str
) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    server.answering = answering
    (tmp_path / "headers").write_text(f"Authorization: Bearer {SECRET}\n")
    sources = {
        "token": Source(url=server.url, token_variable="TOKEN"),
        "header": Source(url=server.url, headers=(f"Authorization: Bearer {SECRET}",)),
        "header file": Source(url=server.url, headers_file=tmp_path / "headers"),
    }
    with pytest.raises(HeadraceError) as raised:
        read_past(sources[given], DAY, now_s=LATER_S)
    assert server.asked[0].headers["authorization"] == f"Bearer {SECRET}"
    behind: BaseException | None = raised.value
    while behind is not None:
        # half a secret is one too
        assert SECRET[:8] not in repr(behind) + str(behind)
        behind = behind.__context__
    assert str(raised.value).isprintable()


@pytest.mark.usefixtures("no_pauses")
def test_no_exception_behind_a_broken_answer_holds_what_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """What aiohttp raises shows the headers of the request."""
    monkeypatch.setenv("TOKEN", SECRET)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            for _ in range(3):
                connection_, _ = listening.accept()
                with connection_:
                    connection_.recv(65_536)
                    connection_.sendall(b"no HTTP at all\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(Unanswered, match="closes the connection instead of an answer") as raised:
            read_past(Source(url=url, token_variable="TOKEN"), DAY, now_s=LATER_S)
        thread.join()
    behind: BaseException | None = raised.value
    while behind is not None:
        assert SECRET not in repr(behind)
        behind = behind.__context__


def test_a_secret_in_a_warning_is_not_told(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", SECRET)

    def warning(asked: Asked) -> Reply:
        if not asked.is_range:
            return steady(asked)
        return matrix(
            json.loads(steady(asked).body)["data"]["result"], warnings=[f"\x1b[31m{SECRET} is slow"]
        )

    server.answering = warning
    (past,) = read_past(Source(url=server.url, token_variable="TOKEN"), DAY, now_s=LATER_S).values()
    (note,) = [note for note in past.notes if note.startswith("Prometheus warns")]
    assert note.endswith("[31m… is slow")
    assert note.isprintable()


def test_a_bucket_without_a_bound_is_left_out(server: Server) -> None:
    def odd(asked: Asked) -> Reply:
        series = json.loads(steady(asked).body)["data"]["result"]
        if asked.is_range and kind(asked.parameters["query"]) == "buckets":
            series += [{**series[0], "metric": {**SERIES, **le}} for le in ({}, {"le": "ten"})]
        return matrix(series) if asked.is_range else steady(asked)

    server.answering = odd
    (past,) = read_past(Source(url=server.url), DAY, now_s=LATER_S).values()
    assert isinstance(past.durations, Buckets)
    assert past.durations.bounds_s == (1.0, 10.0)


def test_a_redirect_to_no_address_is_one_sentence(server: Server) -> None:
    server.answering = always(Reply(b"", 302, (("Location", "http://[half"),)))
    with pytest.raises(InputError, match="redirects to another place"):
        read_past(Source(url=server.url), DAY, now_s=LATER_S)


def test_ten_thousand_series_are_not_read_to_their_end(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MOST_BYTES", 2**40)
    one = b'{"metric":{"model_name":"m"},"values":[[0,"1"]]},'
    server.answering = ranges(
        Reply(b'{"status":"success","data":{"resultType":"matrix","result":[' + one * 2_000_000)
    )
    begin_s = time.monotonic()
    with pytest.raises(InputError, match="more than 2,000 series"):
        read_past(Source(url=server.url), DAY, now_s=LATER_S)
    assert time.monotonic() - begin_s < 5.0


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://127.0.0.1:{free}", "no connection \\(.*refused"),
        ("http://no-such-host.invalid:9090", "there is no host of this name"),
        ("https://127.0.0.1:{plain}", "does not speak TLS"),
    ],
)
def test_without_a_server_it_is_one_sentence_at_once(server: Server, url: str, sentence: str) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    address = url.format(free=free, plain=server.url.rpartition(":")[2])
    with pytest.raises(Unanswered, match=sentence):
        read_past(Source(url=address), DAY, now_s=LATER_S)


def test_a_server_that_says_nothing_is_left_after_the_time_allowed(server: Server) -> None:
    server.answering = always(Reply(wait_s=30.0))
    begin_s = time.monotonic()
    with pytest.raises(Unanswered, match=r"no answer within 0\.2 s"):
        read_past(Source(url=server.url, timeout_s=0.2), DAY, now_s=LATER_S)
    assert time.monotonic() - begin_s < 10.0


FAULTS = [
    Reply(b"", 503),
    Reply(b"", 503, (("Retry-After", "0"),)),
    Reply(b"", 429, (("Retry-After", "Mon, 01 Jan 2024 00:00:00 GMT"),)),
    Reply(b'{"status":"succ', length=900),
    Reply(b'{"status":"succ'),
    Reply(is_reset=True),
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.usefixtures("no_pauses")
def test_what_passes_is_asked_again_and_told(server: Server, fault: Reply) -> None:
    met: set[str] = set()

    def at_first(asked: Asked) -> Reply:
        query = asked.parameters["query"]
        is_new = query not in met
        met.add(query)
        return fault if is_new else steady(asked)

    server.answering = at_first
    (past,) = read_past(Source(url=server.url), DAY, now_s=LATER_S).values()
    assert len(past.demand) == 1_440
    assert "Prometheus was asked again 8 times, after it was busy or a connection broke." in past.notes


@pytest.mark.usefixtures("no_pauses")
def test_what_was_finished_before_an_error_is_kept(server: Server, tmp_path: Path) -> None:
    server.answering = lambda asked: steady(asked) if len(server.ranges) < 9 else Reply(b"", 503)
    week = Selection(start_s=MONDAY_S, end_s=MONDAY_S + 7 * 86_400)
    with pytest.raises(Unanswered):
        read_past(Source(url=server.url), week, kept_in=tmp_path, now_s=LATER_S)
    done = [asked for asked in server.asked if asked.is_range][:8]
    server.asked.clear()
    server.answering = steady
    read_past(Source(url=server.url), week, kept_in=tmp_path, now_s=LATER_S)
    assert len(server.ranges) == 7 * 7 - len(done)


def values(rule: Callable[[int], float]) -> list[list[object]]:
    return [[MONDAY_S + 60 * (minute + 1), str(rule(minute))] for minute in range(1_440)]


def test_a_query_that_answers_with_a_counter_is_refused(server: Server) -> None:
    counter = matrix([{"metric": SERIES, "values": values(lambda minute: (minute * 3) % 2_500)}])
    server.answering = lambda asked: counter if asked.is_range else vector(None)
    with pytest.raises(InputError, match="only go up, as a counter's do; take rate"):
        read_past(
            Source(url=server.url), Selection(start_s=DAY.start_s, end_s=DAY.end_s, query="c"), now_s=LATER_S
        )


@pytest.mark.parametrize(
    ("role", "falls", "sentence"),
    [
        ("running", 0.001, "only goes up, as a counter does, and running is read from a gauge"),
        ("finished", 0.48, "48% of its changes in the last day go down: it is a gauge, and finished"),
        ("latency", 0.48, "it is a gauge, and latency is read from a counter"),
    ],
)
def test_a_metric_of_the_other_kind_is_refused(
    server: Server, role: str, falls: float, sentence: str
) -> None:
    server.answering = lambda asked: vector(falls)
    selection = Selection(start_s=DAY.start_s, end_s=DAY.end_s, names=((role, "my:metric"),))
    with pytest.raises(InputError, match=sentence):
        read_past(Source(url=server.url), selection, now_s=LATER_S)


@pytest.mark.parametrize(("role", "falls"), [("running", 0.5), ("finished", 0.001), ("kv_usage", None)])
def test_a_metric_of_the_right_kind_is_asked_for(server: Server, role: str, falls: float | None) -> None:
    server.answering = lambda asked: vector(falls) if "resets" in asked.parameters["query"] else steady(asked)
    selection = Selection(start_s=DAY.start_s, end_s=DAY.end_s, unit="requests", names=((role, "my:metric"),))
    read_past(Source(url=server.url), selection, now_s=LATER_S)
    assert any("my:metric" in query for query, _, _ in server.ranges)


def test_a_folder_that_can_not_be_written_is_named(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't keep what was read"):
        read_past(Source(url=server.url), DAY, kept_in=tmp_path / "file" / "folder", now_s=LATER_S)


def test_a_long_false_answer_is_shortened(server: Server) -> None:
    server.answering = always(error(422, "x" * 5_000 + "\n" + "\x1b[31m"))
    with pytest.raises(InputError) as raised:
        read_past(Source(url=server.url), DAY, now_s=LATER_S)
    assert len(str(raised.value)) < 500
    assert str(raised.value).isprintable()


def test_a_proxy_of_the_environment_is_not_used_for_loopback(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(os.environ):
        if name.lower() == "no_proxy":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert read_past(Source(url=server.url), DAY, now_s=LATER_S)
