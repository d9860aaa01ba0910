"""Reading whole: values on their steps, what is kept and not asked again, an interrupt that loses nothing."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.observe.prometheus.fake_server import (
    MONDAY_S,
    Asked,
    Reply,
    Server,
    kind,
    level,
    matrix,
    steady,
    vector,
)

from headrace.durations import Buckets
from headrace.errors import InputError
from headrace.observe.prometheus.answer import Piece
from headrace.observe.prometheus.read import read_past
from headrace.observe.prometheus.source import Selection, Source
from headrace.observe.prometheus.store import Store

DAY_S = 86_400
LATER_S = MONDAY_S + 30.0 * DAY_S
TWO_DAYS = Selection(start_s=MONDAY_S, end_s=MONDAY_S + 2 * DAY_S)


def without(about: str, *minutes: int) -> object:
    """The steady server with steps that have no value."""

    def answering(asked: Asked) -> Reply:
        if not asked.is_range or kind(asked.parameters["query"]) != about:
            return steady(asked)
        start, end = int(asked.parameters["start"]), int(asked.parameters["end"])
        dropped = {MONDAY_S + 60 * (minute + 1) for minute in minutes}
        values = [[at, str(level(about, at))] for at in range(start, end + 1, 60) if at not in dropped]
        return matrix([{"metric": {"namespace": "prod", "model_name": "llama"}, "values": values}])

    return answering


def test_a_value_belongs_to_the_step_at_whose_end_it_was_evaluated(server: Server) -> None:
    (past,) = read_past(Source(url=server.url), TWO_DAYS, now_s=LATER_S).values()
    assert past.name == "prod/llama"
    assert (past.demand.start_s, past.demand.step_s, len(past.demand)) == (MONDAY_S, 60.0, 2_880)
    assert past.demand.values.tolist() == [
        level("running", MONDAY_S + 60 * (step + 1)) for step in range(2_880)
    ]
    assert past.demand.unit == "slots"
    assert past.replicas is not None
    assert set(past.replicas.values.tolist()) == {2.0}
    assert past.occupancy is not None
    assert past.occupancy.running[:2].tolist() == [past.demand.values[0] / 2, past.demand.values[1] / 2]
    assert past.occupancy.at_s[:2].tolist() == [MONDAY_S, MONDAY_S + 60]
    assert past.lower_bound is not None
    assert not past.lower_bound.any()
    assert past.zone == "UTC"


def test_buckets_are_summed_over_all_spans_and_not_cumulative(server: Server) -> None:
    (past,) = read_past(Source(url=server.url), TWO_DAYS, now_s=LATER_S).values()
    assert past.durations == Buckets((1.0, 10.0), (8 * 10.0, 8 * 20.0, 8 * 10.0), 8 * 200.0)


def test_requests_per_second_are_demand_where_asked_for(server: Server) -> None:
    selection = Selection(start_s=MONDAY_S, end_s=MONDAY_S + DAY_S, unit="requests")
    (past,) = read_past(Source(url=server.url), selection, now_s=LATER_S).values()
    assert past.demand.unit == "requests/s"
    assert set(past.demand.values.tolist()) == {1.5}


def test_a_gap_stays_a_gap_and_is_told(server: Server) -> None:
    server.answering = without("running", 100, 101, 102, 2_000)  # type: ignore[assignment]
    (past,) = read_past(Source(url=server.url), TWO_DAYS, now_s=LATER_S).values()
    assert np.flatnonzero(np.isnan(past.demand.values)).tolist() == [100, 101, 102, 2_000]
    assert past.occupancy is not None
    assert len(past.occupancy) == 2_876
    assert any("2 gaps" in note for note in past.notes)


def test_a_step_below_the_scrape_interval_is_raised_to_it(server: Server) -> None:
    server.answering = lambda asked: steady(asked) if asked.is_range else vector(12.0)
    selection = Selection(start_s=MONDAY_S, end_s=MONDAY_S + DAY_S, step_s=60)
    (past,) = read_past(Source(url=server.url), selection, now_s=LATER_S).values()
    assert past.demand.step_s == 300.0
    assert any("scraped every 5 min" in note for note in past.notes)


def test_models_are_asked_for_together_and_sorted(server: Server) -> None:
    def twenty(asked: Asked) -> Reply:
        if not asked.is_range or kind(asked.parameters["query"]) not in ("running", "waiting", "answered"):
            return steady(asked)
        about = kind(asked.parameters["query"])
        times = range(int(asked.parameters["start"]), int(asked.parameters["end"]) + 1, 60)
        return matrix(
            [
                {
                    "metric": {"namespace": "prod", "model_name": f"m{number:02d}"},
                    "values": [[at, str(level(about, at) * (number + 1))] for at in times],
                }
                for number in reversed(range(20))
            ]
        )

    server.answering = twenty
    pasts = read_past(
        Source(url=server.url), Selection(start_s=MONDAY_S, end_s=MONDAY_S + DAY_S), now_s=LATER_S
    )
    assert list(pasts) == [f"prod/m{number:02d}" for number in range(20)]
    assert pasts["prod/m03"].demand.values[0] == 4 * pasts["prod/m00"].demand.values[0]
    assert len(server.ranges) == 7


def test_the_second_reading_asks_only_for_what_still_grows(server: Server, tmp_path: Path) -> None:
    now_s = MONDAY_S + 2 * DAY_S + 7_200.0
    selection = Selection(start_s=MONDAY_S)
    once = read_past(Source(url=server.url), selection, kept_in=tmp_path, now_s=now_s)
    first = len(server.ranges)
    again = read_past(Source(url=server.url), selection, kept_in=tmp_path, now_s=now_s)
    newest = server.ranges[first:]
    assert first == 7 * 3 - 2  # of durations there is no whole span on the third day
    assert {start for _, start, _ in newest} == {str(MONDAY_S + 2 * DAY_S + 60)}
    assert len(newest) == 5
    assert np.array_equal(once["prod/llama"].demand.values, again["prod/llama"].demand.values)
    assert once["prod/llama"].durations == again["prod/llama"].durations


def test_tomorrow_asks_only_for_the_new_day(server: Server, tmp_path: Path) -> None:
    read_past(Source(url=server.url), TWO_DAYS, kept_in=tmp_path, now_s=LATER_S)
    first = len(server.ranges)
    three = Selection(start_s=MONDAY_S + 1_200, end_s=MONDAY_S + 3 * DAY_S)
    (past,) = read_past(Source(url=server.url), three, kept_in=tmp_path, now_s=LATER_S).values()
    assert len(server.ranges) - first == 7
    assert past.demand.start_s == MONDAY_S + 1_200
    assert len(past.demand) == 3 * 1_440 - 20


def test_what_has_just_ended_is_not_kept(server: Server, tmp_path: Path) -> None:
    selection = Selection(start_s=MONDAY_S, end_s=MONDAY_S + DAY_S)
    for _ in range(2):
        read_past(Source(url=server.url), selection, kept_in=tmp_path, now_s=MONDAY_S + DAY_S + 300.0)
    assert set(Counter(server.ranges).values()) == {2}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_an_interrupted_reading_goes_on_without_a_second_download(
    server: Server, tmp_path: Path, share: float
) -> None:
    def tell(done: float) -> None:
        if done >= share:
            raise KeyboardInterrupt

    week = Selection(start_s=MONDAY_S, end_s=MONDAY_S + 7 * DAY_S)
    with pytest.raises(KeyboardInterrupt):
        read_past(Source(url=server.url), week, kept_in=tmp_path, progress=tell, now_s=LATER_S)
    first = len(server.ranges)
    shares: list[float] = []
    read_past(Source(url=server.url), week, kept_in=tmp_path, progress=shares.append, now_s=LATER_S)
    assert first < 7 * 7
    assert len(server.ranges) == 7 * 7
    assert set(Counter(server.ranges).values()) == {1}
    assert not list(tmp_path.glob("*.part"))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_ctrl_c_ends_it_and_leaves_only_whole_files(server: Server, tmp_path: Path) -> None:
    asked = threading.Event()

    def slowly(request: Asked) -> Reply:
        if request.is_range and len(server.ranges) > 6:
            asked.set()
            return steady(request)._replace(wait_s=30.0)
        return steady(request)

    server.answering = slowly

    def press() -> None:
        asked.wait(20)
        os.kill(os.getpid(), signal.SIGINT)

    killer = threading.Thread(target=press)
    killer.start()
    with pytest.raises(KeyboardInterrupt):
        read_past(Source(url=server.url), TWO_DAYS, kept_in=tmp_path, now_s=LATER_S)
    killer.join()
    # as many as had arrived here when the interrupt did, of the six that the server had sent
    kept = list(tmp_path.iterdir())
    assert 0 < len(kept) <= 6
    assert not list(tmp_path.glob("*.part"))
    for file in kept:
        with np.load(file) as held:
            assert held.files


def test_slots_are_those_of_the_model(server: Server) -> None:
    day = {"start_s": MONDAY_S, "end_s": MONDAY_S + DAY_S}
    every, own, none = (
        next(iter(read_past(Source(url=server.url), Selection(**day, **more), now_s=LATER_S).values()))  # type: ignore[arg-type]
        for more in ({"slots": 25}, {"slots": 25, "slots_of": (("prod/llama", 10),)}, {})
    )
    assert every.lower_bound is not None
    assert own.lower_bound is not None
    assert none.lower_bound is not None
    # running is 1 to 50 on two replicas
    assert every.lower_bound.tolist() == [value >= 49 for value in every.demand.values.tolist()]
    assert own.lower_bound.tolist() == [value >= 19 for value in own.demand.values.tolist()]
    assert not none.lower_bound.any()
    unknown = Selection(**day, slots_of=(("prod/lama", 10),))  # type: ignore[arg-type]
    with pytest.raises(InputError, match='there is no model "prod/lama" there; found are prod/llama'):
        read_past(Source(url=server.url), unknown, now_s=LATER_S)


def test_old_and_unfinished_files_are_cleared_away(server: Server, tmp_path: Path) -> None:
    read_past(Source(url=server.url), TWO_DAYS, kept_in=tmp_path, now_s=LATER_S)
    old, *others = sorted(tmp_path.iterdir())
    part = tmp_path / "x.part"
    part.touch()
    strange = tmp_path / "notes.txt"
    strange.touch()
    for path in (old, part, strange):
        os.utime(path, (0, 0))
    first = len(server.ranges)
    read_past(Source(url=server.url), TWO_DAYS, kept_in=tmp_path, now_s=LATER_S)
    assert not part.exists()
    assert strange.exists()
    assert all(path.exists() for path in others)
    assert len(server.ranges) - first == 1


def test_an_answer_with_a_warning_is_used_told_and_not_kept(server: Server, tmp_path: Path) -> None:
    def warning(asked: Asked) -> Reply:
        reply = steady(asked)
        if asked.is_range and kind(asked.parameters["query"]) == "running":
            return reply._replace(body=reply.body[:-1] + b', "warnings": ["one store did not answer"]}')
        return reply

    server.answering = warning
    (past,) = read_past(Source(url=server.url), TWO_DAYS, kept_in=tmp_path, now_s=LATER_S).values()
    assert "Prometheus warns: one store did not answer" in past.notes
    first = len(server.ranges)
    read_past(Source(url=server.url), TWO_DAYS, kept_in=tmp_path, now_s=LATER_S)
    assert [kind(query) for query, _, _ in server.ranges[first:]] == ["running", "running"]


def test_a_cut_off_file_is_asked_for_again(server: Server, tmp_path: Path) -> None:
    read_past(Source(url=server.url), TWO_DAYS, kept_in=tmp_path, now_s=LATER_S)
    first = len(server.ranges)
    spoilt = sorted(tmp_path.iterdir())[0]
    spoilt.write_bytes(spoilt.read_bytes()[:100])
    read_past(Source(url=server.url), TWO_DAYS, kept_in=tmp_path, now_s=LATER_S)
    assert len(server.ranges) - first == 1


def refused(status: int, kind: str, words: str) -> Reply:
    return Reply(f'{{"status":"error","errorType":"{kind}","error":"{words}"}}'.encode(), status)


TOO_MUCH = [
    refused(400, "bad_data", "exceeded maximum resolution of 11,000 points per timeseries"),
    refused(422, "execution", "query processing would load too many samples into memory in query execution"),
    refused(503, "timeout", "query timed out in expression evaluation"),
    refused(
        422, "execution", "the query exceeded the maximum number of chunks (err-mimir-max-chunks-per-query)"
    ),
    Reply(b"upstream request timeout", 504),
]


@pytest.mark.parametrize("too_much", TOO_MUCH, ids=lambda reply: f"{reply.status} {len(reply.body)}")
def test_what_is_too_much_is_asked_for_in_halves(server: Server, tmp_path: Path, too_much: Reply) -> None:
    def small(asked: Asked) -> Reply:
        if not asked.is_range:
            return steady(asked)
        steps = (int(asked.parameters["end"]) - int(asked.parameters["start"])) / int(
            asked.parameters["step"]
        )
        return too_much if steps >= 400 else steady(asked)

    server.answering = small
    (past,) = read_past(Source(url=server.url), TWO_DAYS, kept_in=tmp_path, now_s=LATER_S).values()
    assert past.demand.values.tolist() == [
        level("running", MONDAY_S + 60 * (step + 1)) for step in range(2_880)
    ]
    first = len(server.ranges)
    # 1,440 and 720 are refused once for each of five queries; what follows is asked for in quarters at once
    assert first <= 5 * (2 + 4 + 4 + 3) + 4
    read_past(Source(url=server.url), TWO_DAYS, kept_in=tmp_path, now_s=LATER_S)
    assert len(server.ranges) == first


def test_an_answer_that_is_too_large_is_asked_for_in_halves(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from headrace.observe.prometheus import connection

    monkeypatch.setattr(connection, "MOST_BYTES", 10_000)
    (past,) = read_past(Source(url=server.url), TWO_DAYS, now_s=LATER_S).values()
    assert len(past.demand) == 2_880
    assert not np.isnan(past.demand.values).any()


def test_a_query_of_ones_own_is_the_demand(server: Server) -> None:
    def own(asked: Asked) -> Reply:
        if asked.parameters["query"] != "my_load":
            return vector(None) if not asked.is_range else matrix([])
        times = range(int(asked.parameters["start"]), int(asked.parameters["end"]) + 1, 60)
        return matrix(
            [{"metric": {"model_name": "llama"}, "values": [[at, str(at // 60 % 7)] for at in times]}]
        )

    server.answering = own
    selection = Selection(start_s=MONDAY_S, end_s=MONDAY_S + DAY_S, query="my_load")
    (past,) = read_past(Source(url=server.url), selection, now_s=LATER_S).values()
    assert past.name == "llama"
    assert past.demand.values[:3].tolist() == [(MONDAY_S // 60 + 1 + step) % 7 for step in range(3)]
    assert past.durations is None
    assert past.occupancy is None


@pytest.mark.parametrize(
    ("selection", "sentence"),
    [
        (Selection(start_s=MONDAY_S, end_s=MONDAY_S + 90), "fewer than two steps of 60 s"),
        (Selection(start_s=MONDAY_S + 10, end_s=MONDAY_S), "is not before the end"),
        (Selection(step_s=0.5), "allowed are whole seconds"),
        (Selection(step_s=90_000), "allowed are whole seconds"),
        (Selection(engines=("tgi",)), "allowed are sglang, vllm"),
        (Selection(names=(("speed", "x"),)), "allowed are running, waiting"),
        (Selection(names=(("running", "a b"),)), "not a metric's name"),
        (Selection(selector="namespace=prod"), "list of label matchers"),
        (Selection(selector='a="b"} or vector(1) or x{c="d"'), "list of label matchers"),
        (Selection(by=()), "no label"),
        (Selection(by=("a-b",)), "not a label's name"),
        (Selection(slots=0), "at least 1"),
        (Selection(query=" "), "is empty"),
    ],
)
def test_what_can_not_be_asked_for_is_refused(server: Server, selection: Selection, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read_past(Source(url=server.url), selection, now_s=LATER_S)
    assert server.ranges == []


def test_a_kept_answer_that_is_damaged_anywhere_is_asked_for_again(tmp_path: Path) -> None:
    """Whatever bit of it a disk has turned: never an error, never another number."""
    kept = Piece(((("model_name", "m"),),), np.random.default_rng(3).random((1, 100)))
    store = Store(tmp_path, "origin")
    store.keep("q", 60, 0, kept)
    path = store.path("q", 60, 0, 100)
    assert path is not None
    whole = path.read_bytes()
    for bit in range(0, 8 * len(whole), 5):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        read = store.load("q", 60, 0, 100)
        assert read is None or (read.labels == kept.labels and np.array_equal(read.values, kept.values))
