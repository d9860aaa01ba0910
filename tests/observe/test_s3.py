"""Reading from S3: requests signed as its makers say, patterns of keys, answers that say no, answers cut off.

The server here is small, on loopback, and believes nobody: it works out each signature from what arrived.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest

from headrace.errors import InputError
from headrace.observe import s3
from headrace.observe.duration_files import read_durations
from headrace.observe.history import read_demand
from headrace.observe.s3_signature import Credentials, signed_headers

FileOf = Callable[[str, "str | bytes"], str]
KEY_ID, SECRET, TOKEN = "AKIDTEST", "a secret/with+signs", "a token=="
PAGE_KEYS = 2


class Store(ThreadingHTTPServer):
    """Objects by ``bucket/key``, and what to do wrong on purpose."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.objects: dict[str, bytes] = {}
        self.refusals: list[tuple[int, str, dict[str, str]]] = []
        """Answers given first, one to each request."""
        self.cut_after = 0
        """Bytes after which a body stops, once."""
        self.seen: list[str] = []


class Answer(BaseHTTPRequestHandler):
    server: Store

    def log_message(self, format: str, *arguments: object) -> None:
        """Tests print nothing."""

    def do_GET(self) -> None:
        self.server.seen.append(self.path)
        if self.server.refusals:
            self.say(*self.server.refusals.pop(0))
        elif self.headers["Authorization"] != self.signature():
            self.say(403, "<Error><Code>SignatureDoesNotMatch</Code><Message>no</Message></Error>")
        else:
            parts = urlsplit(self.path)
            bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
            if key:
                self.give(f"{bucket}/{key}")
            else:
                self.list(bucket, dict(parse_qsl(parts.query, keep_blank_values=True)))

    def give(self, name: str) -> None:
        body = self.server.objects.get(name)
        if body is None:
            self.say(404, "<Error><Code>NoSuchKey</Code></Error>")
            return
        first = int(self.headers["Range"].removeprefix("bytes=").rstrip("-")) if self.headers["Range"] else 0
        self.send_response(206 if first else 200)
        self.send_header("ETag", hashlib.md5(body).hexdigest())
        self.send_header("Content-Length", str(len(body) - first))
        self.end_headers()
        cut, self.server.cut_after = self.server.cut_after or len(body), 0
        self.wfile.write(body[first : first + cut])
        self.close_connection = True

    def list(self, bucket: str, query: dict[str, str]) -> None:
        names = sorted(
            name.partition("/")[2] for name in self.server.objects if name.startswith(f"{bucket}/")
        )
        if not names:
            self.say(404, "<Error><Code>NoSuchBucket</Code></Error>")
            return
        found = [name for name in names if name.startswith(query["prefix"])]
        first = int(query.get("continuation-token", "0"))
        page = found[first : first + PAGE_KEYS]
        more = f"<NextContinuationToken>{first + PAGE_KEYS}</NextContinuationToken>"
        entries = "".join(
            f"<Contents><Key>{escape(quote(name, safe='/'))}</Key><Size>{len(self.server.objects[f'{bucket}/{name}'])}"
            f"</Size><ETag>{hashlib.md5(self.server.objects[f'{bucket}/{name}']).hexdigest()}</ETag></Contents>"
            for name in page
        )
        space = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
        self.say(
            200,
            f"<ListBucketResult {space}>{entries}{more * (first + PAGE_KEYS < len(found))}</ListBucketResult>",
        )

    def say(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def signature(self) -> str:
        """The header that this very request must have, for our secret."""
        given = self.headers["Authorization"] or ""
        found = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=(\w+)/(\d{8}/([\w-]+)/s3/aws4_request),"
            r"SignedHeaders=([\w;-]+),Signature=\w{64}",
            given,
        )
        if found is None or found[1] != KEY_ID or self.headers["X-Amz-Security-Token"] != TOKEN:
            return "nothing"
        signed = found[4].split(";")
        if not {"host", "x-amz-date", "x-amz-security-token"} <= set(signed):
            return "nothing"
        parts = urlsplit(self.path)
        body_digest = hashlib.sha256(b"").hexdigest()
        canonical = "\n".join(
            ["GET", parts.path, "&".join(sorted(parts.query.split("&"))) if parts.query else ""]
            + [f"{name}:{self.headers[name]}" for name in signed]
            + ["", found[4], body_digest]
        )
        key = ("AWS4" + SECRET).encode()
        for part in found[2].split("/"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{self.headers['X-Amz-Date']}\n{found[2]}\n{digest}"
        signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        return f"{given.rpartition('=')[0]}={signature}"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, file_of: FileOf) -> Iterator[Store]:
    """A store that runs, with its credentials in the environment."""
    server = Store()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setattr(s3, "_WAIT_S", 0.001)
    for name, value in (
        ("AWS_ACCESS_KEY_ID", KEY_ID),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("AWS_SESSION_TOKEN", TOKEN),
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_address[1]}"),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_ENDPOINT_URL_S3", raising=False)
    monkeypatch.setenv("no_proxy", "*")
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def durations_file(first: int) -> bytes:
    return ("duration_s\n" + "".join(f"{first + at}\n" for at in range(3))).encode()


def problem(address: str) -> str:
    with pytest.raises(InputError) as refused:
        read_durations(address)
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize(
    ("query", "path", "extra", "signature"),
    [
        (
            {},
            "/test.txt",
            {"range": "bytes=0-9"},
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
        ({"lifecycle": ""}, "/", {}, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        (
            {"prefix": "J", "max-keys": "2"},
            "/",
            {},
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        ),
    ],
)
def test_signatures_are_those_of_amazons_examples(
    query: dict[str, str], path: str, extra: dict[str, str], signature: str
) -> None:
    who = Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    headers = signed_headers(
        who, "us-east-1", "examplebucket.s3.amazonaws.com", path, query, "20130524T000000Z", extra
    )
    assert headers["authorization"].endswith(f"Signature={signature}")


def test_patterns_find_keys_and_bring_them(store: Store) -> None:
    for at, key in enumerate(["day1.csv", "day2.csv", "day3.csv", "deep/a b+c=%20é.csv", "other.txt"]):
        store.objects[f"traffic/logs/{key}"] = durations_file(at)
    read, notes = read_durations("s3://traffic/logs/day*.csv")
    assert (read.count, read.total_s) == (9, 3.0 + 6.0 + 9.0)
    assert "3 files are read as one history." in notes
    assert read_durations(Path("s3://traffic/logs/day1.csv"))[0].count == 3, "a Path has one slash less"
    assert read_durations("s3://traffic/logs/**/*.csv")[0].count == 12, "** goes into folders"
    assert read_durations("s3://traffic/logs/day[!12].csv")[0].total_s == 9.0
    assert read_durations("s3://traffic/logs/deep/a b+c=%20é.csv")[0].total_s == 12.0
    assert (
        problem("s3://traffic/logs/*.parquet")
        == "s3://traffic/logs/*.parquet: no object matches this pattern"
    )


def test_a_key_with_a_star_wins_over_the_pattern(store: Store) -> None:
    store.objects["traffic/day*.csv"] = durations_file(5)
    store.objects["traffic/day1.csv"] = durations_file(1)
    assert read_durations("s3://traffic/day*.csv")[0].count == 3


def test_copies_are_left_out(store: Store) -> None:
    store.objects["traffic/a.csv"] = store.objects["traffic/b.csv"] = durations_file(1)
    read, notes = read_durations("s3://traffic/*.csv")
    assert read.count == 3
    assert "s3://traffic/b.csv has the same content as s3://traffic/a.csv, and is left out." in notes


def test_demand_is_read_from_several_objects(store: Store) -> None:
    store.objects["traffic/2.csv"] = b"ts,rps\n120,3\n180,4\n"
    store.objects["traffic/1.csv"] = b"ts,rps\n0,1\n60,2\n"
    assert read_demand("s3://traffic/*.csv").series.values.tolist() == [1.0, 2.0, 3.0, 4.0]
    store.objects["traffic/3.csv"] = b"ts,rps\n240,x\n300,4\n"
    with pytest.raises(InputError, match=r"^s3://traffic/3\.csv, row 2: the value 'x' is not a number"):
        read_demand("s3://traffic/*.csv")


def test_what_passes_is_asked_again(store: Store) -> None:
    store.objects["traffic/a.csv"] = durations_file(1)
    store.refusals = [(503, "<Error><Code>SlowDown</Code></Error>", {})] * 3
    assert read_durations("s3://traffic/a.csv")[0].count == 3
    store.refusals = [(503, "<Error><Code>SlowDown</Code><Message>wait</Message></Error>", {})] * 9
    assert problem("s3://traffic/a.csv") == "s3://traffic/a.csv: S3 answers 503 (SlowDown: wait)"
    store.refusals = []
    store.objects["traffic/long.csv"] = b"duration_s\n" + b"1.5\n" * 50_000
    store.cut_after = 70_001
    assert read_durations("s3://traffic/long.csv")[0].total_s == 75_000.0


def test_another_region_is_gone_to(store: Store) -> None:
    store.objects["traffic/a.csv"] = durations_file(1)
    store.refusals = [
        (301, "<Error><Code>PermanentRedirect</Code></Error>", {"x-amz-bucket-region": "us-west-2"})
    ]
    assert read_durations("s3://traffic/a.csv")[0].count == 3


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            (403, "<Error><Code>AccessDenied</Code></Error>"),
            "S3 denies access (403): these credentials may not read or list it",
        ),
        (
            (403, "<Error><Code>InvalidAccessKeyId</Code></Error>"),
            "S3 does not know the AWS_ACCESS_KEY_ID that is set (403)",
        ),
        ((400, "<Error><Code>ExpiredToken</Code></Error>"), "the AWS_SESSION_TOKEN that is set has expired"),
        ((403, "<html>Forbidden</html>"), "S3 answers 403"),
        (
            (403, "<Error><Code>RequestTimeTooSkewed</Code><Message>Set your clock.</Message></Error>"),
            "S3 answers 403 (RequestTimeTooSkewed: Set your clock)",
        ),
        ((404, "<Error><Code>NoSuchBucket</Code></Error>"), "there is no such bucket"),
        ((200, "<html>hello</html>"), "what answers is not S3: its list of objects can't be read"),
    ],
)
def test_refusals_are_one_sentence(store: Store, answer: tuple[int, str], said: str) -> None:
    store.refusals = [(*answer, {})]
    assert problem("s3://traffic/*.csv") == f"s3://traffic/*.csv: {said}"


def test_what_is_no_address_or_has_no_credentials_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert problem("s3://traffic/none.csv") == "s3://traffic/none.csv: there is no such object"
    assert problem("s3://traffic/logs/") == (
        "s3://traffic/logs/: this is a folder; give its files, such as s3://traffic/logs/*.parquet"
    )
    assert problem("s3://traffic").endswith("allowed are s3://bucket/key and patterns of it")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    assert "AWS_SECRET_ACCESS_KEY does not belong to the key id" in problem("s3://traffic/a.csv")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    assert problem("s3://traffic/a.csv") == (
        "s3://traffic/a.csv: S3 asks for credentials, and AWS_SECRET_ACCESS_KEY is not set"
    )
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "localhost:9000")
    assert problem("s3://traffic/a.csv").endswith(
        "AWS_ENDPOINT_URL is 'localhost:9000'; allowed are http://host:port and https://host"
    )
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    assert (
        problem("s3://traffic/a.csv")
        == "s3://traffic/a.csv: 127.0.0.1:1 does not answer (connection refused)"
    )


def test_amazons_own_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    who = Credentials("a", "b")
    plain = s3.Bucket("traffic", "", "eu-central-1", who)
    assert plain.place("a/b.csv") == ("https", "traffic.s3.eu-central-1.amazonaws.com", "/a/b.csv")
    dotted = plain._replace(name="my.traffic")
    assert dotted.place("b.csv") == ("https", "s3.eu-central-1.amazonaws.com", "/my.traffic/b.csv")
    own = plain._replace(endpoint="https://store.example/s3/")
    assert own.place("b.csv") == ("https", "store.example", "/s3/traffic/b.csv")


def test_what_is_no_bucket_or_no_pattern_is_refused(store: Store) -> None:
    """A bucket's name becomes part of a host's."""
    store.objects["traffic/a.csv"] = durations_file(1)
    for address in ("s3://evil.example#/a.csv", "s3://a@b/a.csv", "s3://a b/a.csv"):
        assert problem(address).endswith("allowed are s3://bucket/key and patterns of it")
    assert "this pattern can't be read" in problem("s3://traffic/[z-a].csv")
    assert store.seen == [store.seen[0]], "only the pattern's bucket was asked"


def test_secrets_are_never_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    told = f"<Error><Code>Odd</Code><Message>{TOKEN}, \x1b[31m{SECRET}</Message></Error>"
    store.refusals = [(400, told, {})]
    assert problem("s3://traffic/a.csv") == "s3://traffic/a.csv: S3 answers 400 (Odd: …, �[31m…)"
    for endpoint in ("http://minio:pass-word@127.0.0.1:9", "minio:pass-word@127.0.0.1:9", "http://[a"):
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        said = problem("s3://traffic/a.csv")
        assert "pass-word" not in said
        assert "allowed are http://host:port and https://host" in said


def test_credentials_that_no_header_can_hold_are_named_and_not_shown(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.objects["traffic/a.csv"] = durations_file(1)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET + "\n")
    assert read_durations("s3://traffic/a.csv")[0].count == 3, "a file's last line end is none of it"
    for value in ("two\nlines", "snow☃man"):
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", value)
        assert problem("s3://traffic/a.csv") == (
            "s3://traffic/a.csv: AWS_ACCESS_KEY_ID has a line's end or a letter that no header can hold"
        )


def test_a_region_that_is_none_is_not_gone_to(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def place(bucket: s3.Bucket, key: str) -> tuple[str, str, str]:
        asked.append(bucket.region)
        return PLACE(bucket, key)

    monkeypatch.setattr(s3.Bucket, "place", place)
    store.refusals = [(400, "<Error><Code>Odd</Code></Error>", {"x-amz-bucket-region": "evil.example/x#"})]
    assert problem("s3://traffic/a.csv") == "s3://traffic/a.csv: S3 answers 400 (Odd)"
    assert set(asked) == {"eu-central-1"}


PLACE = s3.Bucket.place
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
ROWS = b"duration_s\n" + b"1\n" * 20


@pytest.mark.parametrize(
    ("address", "answer", "said"),
    [
        (
            "s3://b/a.csv",
            CHUNKED + b"33\r\n" + ROWS + b"\r\n99\r\nabc",
            "S3 stops answering: [0-9]+ bytes came",
        ),
        ("s3://b/*.csv", CHUNKED + b"99\r\n<List", "S3 stops answering: its list of objects was cut off"),
        ("s3://b/a.csv", b"no HTTP\x1b\r\n\r\n", "does not answer \\(no http�\\)$"),
        ("s3://b/a.csv", b"HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n" + ROWS, ""),
    ],
)
def test_answers_that_break_off_or_are_none(
    store: Store, monkeypatch: pytest.MonkeyPatch, address: str, answer: bytes, said: str
) -> None:
    """A body in chunks has no length to be held against: where it breaks off it is not whole."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{listening.getsockname()[1]}")

        def answering() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection:
                        connection.recv(65_536)
                        connection.sendall(answer)

        thread = threading.Thread(target=answering, daemon=True)
        thread.start()
        if said:
            assert re.search(said, problem(address))
        else:
            assert read_durations(address)[0].count == 20
        listening.shutdown(socket.SHUT_RDWR)
    thread.join()
