"""Addresses, secrets and headers: what is sent, and that nothing of it is shown or kept."""

from __future__ import annotations

import base64
import logging
import pickle
import subprocess
from pathlib import Path

import pytest
from tests.observe.prometheus.fake_server import MONDAY_S, Reply, Server, steady

from headrace.errors import InputError
from headrace.observe.prometheus.connection import Connection
from headrace.observe.prometheus.read import read_past
from headrace.observe.prometheus.source import Selection, Source, access, matchers
from headrace.observe.prometheus.store import user_cache

SECRET = "hunter2-of-a-person"
DAY = Selection(start_s=MONDAY_S, end_s=MONDAY_S + 86_400)
LATER_S = MONDAY_S + 30.0 * 86_400


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def test_each_way_of_saying_who_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    (tmp_path / "headers").write_text(f"# ours\nX-Api-Key: {SECRET}\n\nTHANOS-TENANT: a\n")
    monkeypatch.setenv("SECRET", SECRET)
    url, file = "http://prometheus:9090/", tmp_path / "secret"
    bearer = {"Authorization": f"Bearer {SECRET}"}
    assert access(Source(url=url)).headers == {}
    assert access(Source(url=url, token_file=file)).headers == bearer
    assert access(Source(url=url, token_variable="SECRET")).headers == bearer
    asked = {"Authorization": basic("anna", SECRET)}
    assert access(Source(url=url, user="anna", password_file=file)).headers == asked
    assert access(Source(url=url, user="anna", password_variable="SECRET")).headers == asked
    assert access(Source(url=f"http://anna:{SECRET}@prometheus:9090")).headers == asked
    assert access(Source(url="http://a%40b:p%3Aw@prometheus")).headers == {
        "Authorization": basic("a@b", "p:w")
    }
    assert access(Source(url=url, tenant="team-a")).headers == {"X-Scope-OrgID": "team-a"}
    assert access(Source(url=url, headers=("X-A: b: c", "X-B:d"))).headers == {"X-A": "b: c", "X-B": "d"}
    found = access(Source(url=url, headers_file=tmp_path / "headers"))
    assert found.headers == {"X-Api-Key": SECRET, "THANOS-TENANT": "a"}
    assert found.secrets == (SECRET,)


def test_the_server_gets_it_with_each_question(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", SECRET)
    source = Source(
        url=f"{server.url}/mimir/", token_variable="SECRET", tenant="team-a", headers=("X-From: us",)
    )
    read_past(source, DAY, now_s=LATER_S)
    for asked in server.asked:
        assert asked.path.startswith("/mimir/api/v1/query")
        assert asked.headers["authorization"] == f"Bearer {SECRET}"
        assert asked.headers["x-scope-orgid"] == "team-a"
        assert asked.headers["x-from"] == "us"
        assert asked.parameters["partial_response"] == "false"
        assert asked.parameters["dedup"] == "true"


def test_no_secret_is_shown_logged_or_kept(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SECRET", SECRET)
    (tmp_path / "headers").write_text(f"X-Api-Key: {SECRET}\n")
    kept = tmp_path / "kept"
    host = server.url.removeprefix("http://")
    sources = [
        Source(url=f"http://anna:{SECRET}@{host}"),
        Source(url=server.url, token_variable="SECRET"),
        Source(url=server.url, headers_file=tmp_path / "headers"),
    ]
    for source in sources:
        read_past(source, DAY, kept_in=kept, now_s=LATER_S)
        who = access(source)
        for shown in (repr(source), str(source), repr(who), repr(Connection(source, who)), caplog.text):
            assert SECRET not in shown
            assert basic("anna", SECRET).removeprefix("Basic ") not in shown
    files = list(kept.rglob("*"))
    assert files
    assert [file for file in files if SECRET.encode() in file.read_bytes() or SECRET in file.name] == []
    assert pickle.dumps(sources[1]).find(SECRET.encode()) == -1


def test_answers_of_one_tenant_or_user_are_not_those_of_another(server: Server, tmp_path: Path) -> None:
    host = server.url.removeprefix("http://")
    for source in (
        Source(url=server.url),
        Source(url=server.url, tenant="a"),
        Source(url=server.url, tenant="b"),
        Source(url=server.url, headers=("x-scope-orgid: c",)),
        Source(url=f"http://anna:one@{host}"),
        Source(url=f"{server.url}/other"),
    ):
        server.asked.clear()
        read_past(source, DAY, kept_in=tmp_path, now_s=LATER_S)
        assert len(server.ranges) == 7
    # a new password is still the same user
    server.asked.clear()
    read_past(Source(url=f"http://anna:two@{host}"), DAY, kept_in=tmp_path, now_s=LATER_S)
    assert len(server.ranges) == 0


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_to_another_server_gets_no_credentials(
    server: Server, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("SECRET", SECRET)
    other = Server()
    try:
        server.answering = lambda asked: Reply(b"", status, (("Location", other.url + asked.path),))
        with pytest.raises(InputError, match="redirects to another place"):
            read_past(Source(url=server.url, token_variable="SECRET"), DAY, now_s=LATER_S)
        assert other.asked == []
    finally:
        other.close()


def test_a_redirect_on_the_same_server_is_followed(server: Server) -> None:
    def moved(asked: object) -> Reply:
        path = server.asked[-1].path
        if not path.startswith("/new"):
            return Reply(b"", 307, (("Location", "/new" + path),))
        return steady(server.asked[-1])

    server.answering = moved
    source = Source(url=server.url)
    one_at_a_time = Selection(start_s=MONDAY_S, end_s=MONDAY_S + 86_400)
    pasts = read_past(source, one_at_a_time, now_s=LATER_S)
    assert list(pasts) == ["prod/llama"]


def test_a_server_that_takes_no_post_is_asked_by_get(server: Server) -> None:
    server.answering = lambda asked: Reply(b"", 405) if asked.method == "POST" else steady(asked)
    assert list(read_past(Source(url=server.url), DAY, now_s=LATER_S)) == ["prod/llama"]
    assert server.asked[0].method == "POST"
    assert {asked.method for asked in server.asked[1:]} == {"GET"}


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (Source(url="prometheus:9090"), "must be an address such as"),
        (Source(url="ftp://prometheus"), "must be an address such as"),
        (Source(url="http://"), "must be an address such as"),
        (Source(url="http://h:port"), "must be an address such as"),
        (Source(url="http://anna:pw@h?x=1"), "http://h: an address has no"),
        (Source(url="http://h", token_file=Path("nowhere")), "nowhere: the token can't be read"),
        (Source(url="http://h", token_variable="NOT_SET_HERE"), "the environment has no"),
        (Source(url="http://h", token_variable="EMPTY"), "the token in it is empty"),
        (Source(url="http://h", token_variable="LINES"), "has a line's end"),
        (Source(url="http://h", token_file=Path("x"), token_variable="EMPTY"), "named twice"),
        (Source(url="http://h", password_variable="FULL"), "without a user"),
        (Source(url="http://h", user="a", token_variable="FULL"), "allowed is one of them"),
        (Source(url="http://h", headers=("no colon",)), "not of the form"),
        (Source(url="http://h", headers=("A b: c",)), "not of the form"),
        (Source(url="http://h", headers=("A: b\r\nX: y",)), "not of the form"),
        (Source(url="http://h", tenant="a\nb"), "not of the form"),
    ],
    ids=lambda value: "" if isinstance(value, Source) else value,
)
def test_what_can_not_be_used_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, source: Source, sentence: str
) -> None:
    monkeypatch.setenv("EMPTY", " \n")
    monkeypatch.setenv("LINES", "a\nb")
    monkeypatch.setenv("FULL", SECRET)
    with pytest.raises(InputError, match=sentence) as raised:
        access(source)
    assert SECRET not in str(raised.value)
    assert "pw" not in str(raised.value)


@pytest.mark.parametrize(
    ("given", "inner"),
    [
        ("", ""),
        ("{}", ""),
        ('{namespace="prod"}', 'namespace="prod"'),
        (' namespace = "prod" , pod=~"a|b.*",', 'namespace = "prod" , pod=~"a|b.*"'),
        (r'a!="say \"hi\"",b!~"}"', r'a!="say \"hi\"",b!~"}"'),
    ],
)
def test_matchers_come_with_braces_and_without(given: str, inner: str) -> None:
    assert matchers(Selection(selector=given)) == inner


def test_the_usual_folder_is_in_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache() == tmp_path / "headrace" / "prometheus"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert user_cache() == Path.home() / ".cache" / "headrace" / "prometheus"
    monkeypatch.setattr("sys.platform", "darwin")
    assert user_cache().parts[-4:] == ("Library", "Caches", "headrace", "prometheus")


def test_what_is_kept_is_for_its_user_alone(server: Server, tmp_path: Path) -> None:
    kept = tmp_path / "a" / "kept"
    read_past(Source(url=server.url), DAY, kept_in=kept, now_s=LATER_S)
    assert kept.stat().st_mode & 0o077 == 0
    assert all(file.stat().st_mode & 0o077 == 0 for file in kept.iterdir())


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that no authority has signed."""
    making = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=127.0.0.1",
    ]
    made = {"-keyout": "key.pem", "-out": "ca.pem"}
    files = [word for option, name in made.items() for word in (option, str(tmp_path / name))]
    alternative = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*making, *alternative, *files], check=True, capture_output=True)
    return tmp_path / "ca.pem"


def test_a_certificate_is_checked_against_the_ca_that_is_named(server: Server, certificate: Path) -> None:
    server.use_tls(certificate, certificate.with_name("key.pem"))
    with pytest.raises(InputError, match="not signed by an authority that is known here: name a CA file"):
        read_past(Source(url=server.url), DAY, now_s=LATER_S)
    pasts = read_past(Source(url=server.url, ca_file=certificate), DAY, now_s=LATER_S)
    assert list(pasts) == ["prod/llama"]


@pytest.mark.parametrize(
    ("text", "sentence"), [(None, "CA file can't be read"), ("no pem", "no certificate in PEM")]
)
def test_a_ca_file_that_is_none_is_named(tmp_path: Path, text: str | None, sentence: str) -> None:
    file = tmp_path / "ca.pem"
    if text is not None:
        file.write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_past(Source(url="https://127.0.0.1:1", ca_file=file), DAY, now_s=LATER_S)
