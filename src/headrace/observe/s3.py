"""Objects in S3, or in what speaks its language: found by pattern and brought here, with nothing but the library.

DuckDB reads S3 only with an extension that is not in its wheel and that it fetches itself from the network. Here
an object is brought into the temporary folder when its turn comes, read as a file, and removed.
"""

from __future__ import annotations

import os
import re
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from http.client import HTTPException, HTTPResponse
from typing import BinaryIO, NamedTuple, cast
from urllib.parse import unquote_plus, urlsplit
from xml.etree import ElementTree

from headrace.errors import InputError
from headrace.observe.s3_signature import Credentials, quoted_path, quoted_query, signed_headers

_TRIES = 4
_WAIT_S = 0.5
"""Before the second try; doubled before each further one."""
_TIMEOUT_S = 60.0
_BLOCK_BYTES = 1 << 20
_PASSING = frozenset({429, 500, 502, 503, 504})
_LONGEST_REPLY_BYTES = 16 << 20
_SHOWN_LETTERS = 300
"""A store's own words are cut here."""
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
_REGION = re.compile(r"[a-z0-9-]+", re.ASCII)
"""Both become part of a host's name: with a slash in it another host would get the session token."""


class Bucket(NamedTuple):
    """Where a bucket is asked, and by whom."""

    name: str
    endpoint: str
    """``https://host[:port]``; "": Amazon's own."""
    region: str
    who: Credentials

    def place(self, key: str) -> tuple[str, str, str]:
        """Scheme, host and path of an object (key "": of the bucket)."""
        if self.endpoint:
            parts = urlsplit(self.endpoint)
            return parts.scheme, parts.netloc, f"{parts.path.rstrip('/')}/{self.name}/{key}"
        if "." in self.name:  # no certificate covers a dot in front of the host
            return "https", f"s3.{self.region}.amazonaws.com", f"/{self.name}/{key}"
        return "https", f"{self.name}.s3.{self.region}.amazonaws.com", f"/{key}"


class Object(NamedTuple):
    """An object that a pattern found."""

    shown: str
    size_bytes: int
    """0: not known."""
    digest: str
    """Its ETag; "": not known."""
    fetch: Callable[[str, Callable[[float], None]], None]
    """Brings it to a path, telling the share that has arrived."""


def objects(address: str) -> list[Object]:
    """The objects that an address (``s3://bucket/key``, with ``*``, ``**``, ``?``, ``[…]``) stands for, by name.

    Credentials come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, the region from
    AWS_REGION, another server from AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL.

    Raises:
        InputError: No such address, no credentials, nothing found, or an answer that says no.
    """
    name, _, pattern = address.removeprefix("s3://").partition("/")
    if not _BUCKET.fullmatch(name) or not pattern:
        raise InputError(
            address, "this is no address of an object; allowed are s3://bucket/key and patterns of it"
        )
    bucket = _bucket(address, name)
    wild = re.search(r"[*?\[]", pattern)
    if pattern.endswith("/") and wild is None:
        raise InputError(address, f"this is a folder; give its files, such as {address}*.parquet")
    if wild is None:
        return [_object(bucket, pattern, 0, "")]
    listed = list(_listed(address, bucket, pattern[: wild.start()]))
    exact = [entry for entry in listed if entry[0] == pattern]
    try:
        regex = re.compile(_pattern_regex(pattern), re.DOTALL)
    except re.error:
        raise InputError(
            address, "this pattern can't be read; is a range in [ ] the wrong way round?"
        ) from None
    found = exact or sorted(
        entry for entry in listed if regex.fullmatch(entry[0]) and not entry[0].endswith("/")
    )
    if not found:
        raise InputError(address, "no object matches this pattern")
    return [_object(bucket, *entry) for entry in found]


def _object(bucket: Bucket, key: str, size_bytes: int, digest: str) -> Object:
    shown = f"s3://{bucket.name}/{key}"

    def fetch(path: str, tell: Callable[[float], None]) -> None:
        _bring(shown, bucket, key, path, tell)

    return Object(shown, size_bytes, digest, fetch)


def _bucket(address: str, name: str) -> Bucket:
    seen = os.environ
    region = seen.get("AWS_REGION") or seen.get("AWS_DEFAULT_REGION") or "us-east-1"
    return Bucket(name, _endpoint(address), region, _credentials(address))


def _credentials(address: str) -> Credentials:
    names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
    values = [os.environ.get(name, "").strip() for name in names]
    missing = [name for name, value in zip(names[:2], values, strict=False) if not value]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise InputError(address, f"S3 asks for credentials, and {' and '.join(missing)} {verb} not set")
    for name, value in zip(names, values, strict=True):
        if not (value.isascii() and value.isprintable()):
            raise InputError(address, f"{name} has a line's end or a letter that no header can hold")
    return Credentials(*values)


def _endpoint(address: str) -> str:
    given = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    try:
        parts = urlsplit(given)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if given and (not is_one or "@" in given):
        safe = given if "@" not in given else "…" + given[given.rindex("@") :]  # a password stands before it
        raise InputError(
            address, f"AWS_ENDPOINT_URL is {safe!r}; allowed are http://host:port and https://host"
        )
    return given


def _pattern_regex(pattern: str) -> str:
    """A pattern of keys as a regular expression: ``*`` ends at a slash, ``**`` does not."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[!?[^\]]+\])", pattern)
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(
        wild[part]
        if part in wild
        else part.replace("\\", r"\\").replace("[!", "[^")
        if odd
        else re.escape(part)
        for odd, part in ((at % 2, part) for at, part in enumerate(parts))
    )


def _listed(address: str, bucket: Bucket, prefix: str) -> Iterator[tuple[str, int, str]]:
    """Key, size and ETag of each object whose key begins with `prefix`."""
    query = {"list-type": "2", "prefix": prefix, "encoding-type": "url"}
    while True:
        try:
            root = ElementTree.fromstring(_reply(address, bucket, query))
        except ElementTree.ParseError:
            root = ElementTree.Element("")
        if not root.tag.endswith("ListBucketResult"):
            raise InputError(address, "what answers is not S3: its list of objects can't be read")
        space = root.tag.removesuffix("ListBucketResult")
        for entry in root.iter(f"{space}Contents"):
            key, size, digest = (entry.findtext(f"{space}{tag}") or "" for tag in ("Key", "Size", "ETag"))
            yield unquote_plus(key), int(size) if size.isascii() and size.isdecimal() else 0, digest
        token = root.findtext(f"{space}NextContinuationToken")
        if not token:
            return
        query["continuation-token"] = token


def _reply(address: str, bucket: Bucket, query: Mapping[str, str]) -> bytes:
    """The body of a list; asked for again where it is cut off."""
    for attempt in range(_TRIES):
        with _answer(address, bucket, "", query) as answer:
            try:
                return answer.read(_LONGEST_REPLY_BYTES)
            except (HTTPException, OSError):
                time.sleep(_WAIT_S * 2**attempt)
    raise InputError(address, f"S3 stops answering: its list of objects was cut off {_TRIES} times")


def _bring(shown: str, bucket: Bucket, key: str, path: str, tell: Callable[[float], None]) -> None:
    """Write an object to a path; what is cut off is asked for again from there on."""
    arrived = whole = 0
    digest = ""
    for attempt in range(_TRIES):
        extra = {"range": f"bytes={arrived}-", "if-match": digest} if arrived and digest else {}
        is_broken = False
        with (
            _answer(shown, bucket, key, {}, extra) as answer,
            _opened(shown, path, "ab" if extra else "wb") as out,
        ):
            if answer.status != 206:
                arrived = 0
                out.truncate(0)
            digest = answer.headers.get("ETag", "")
            whole = arrived + _length_bytes(answer)
            _require_room(shown, os.path.dirname(path), whole - arrived)
            try:
                while block := answer.read(_BLOCK_BYTES):
                    out.write(block)
                    arrived += len(block)
                    tell(arrived / max(whole, arrived))
            except (HTTPException, TimeoutError, ConnectionError):
                is_broken = True  # in chunks no length says so
                time.sleep(_WAIT_S * 2**attempt)
        if arrived >= whole and not is_broken:
            return
    of = f" of {whole:,}" if whole > arrived else ""
    raise InputError(shown, f"S3 stops answering: {arrived:,}{of} bytes came in {_TRIES} tries")


@contextmanager
def _opened(shown: str, path: str, mode: str) -> Iterator[BinaryIO]:
    """A file of ours, whose errors (a full disk) are said of the object."""
    try:
        with open(path, mode) as out:
            yield cast(BinaryIO, out)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(shown, f"it can't be brought into the temporary folder ({reason})") from None


def _length_bytes(answer: HTTPResponse) -> int:
    """What the header says; 0 where it says nothing."""
    text = answer.headers.get("Content-Length") or ""
    return int(text) if text.isascii() and text.isdecimal() else 0


def _require_room(shown: str, folder: str, size_bytes: int) -> None:
    free = shutil.disk_usage(folder).free
    if size_bytes > free:
        raise InputError(
            shown,
            f"the object has {size_bytes / 1e9:,.1f} GB, and the temporary folder has room for {free / 1e9:,.1f} GB "
            "(TMPDIR names another)",
        )


def _answer(
    shown: str, bucket: Bucket, key: str, query: Mapping[str, str], extra: Mapping[str, str] | None = None
) -> HTTPResponse:
    """What a GET gives; asked again where the server says that it is busy, and in the region that it names."""
    problem = ""
    for attempt in range(_TRIES):
        try:
            return _asked(bucket, key, query, extra or {})
        except urllib.error.HTTPError as error:
            with error:
                told = error.read(65_536).decode(errors="replace")
                region = error.headers.get("x-amz-bucket-region", "")
            if _REGION.fullmatch(region) and region != bucket.region:
                bucket = bucket._replace(region=region)
                continue
            problem = _refusal(error.code, told, bucket.who)
            if error.code not in _PASSING:
                break
        except (urllib.error.URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", error)
            host = bucket.place(key)[1]
            words = _one_line(str(getattr(reason, "strerror", None) or reason), bucket.who)
            problem = f"{host} does not answer ({words})".lower()
        if attempt + 1 < _TRIES:
            time.sleep(_WAIT_S * 2**attempt)
    raise InputError(shown, problem or "S3 names one region after another")


class _Unfollowed(urllib.request.HTTPRedirectHandler):
    """A signature holds for one host: an answer that names another is an error to be read."""

    def redirect_request(self, *_args: object, **_named: object) -> None:
        return None


def _asked(bucket: Bucket, key: str, query: Mapping[str, str], extra: Mapping[str, str]) -> HTTPResponse:
    scheme, host, path = bucket.place(key)
    at = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    headers = signed_headers(bucket.who, bucket.region, host, path, query, at, extra)
    url = f"{scheme}://{host}{quoted_path(path)}" + (f"?{quoted_query(query)}" if query else "")
    request = urllib.request.Request(url, headers=headers)
    answer: HTTPResponse = urllib.request.build_opener(_Unfollowed).open(request, timeout=_TIMEOUT_S)
    return answer


def _refusal(status: int, told: str, who: Credentials) -> str:
    """A sentence for an answer that is an error: the status, and what S3 says in its XML."""
    code, words = (
        found[1].strip() if (found := re.search(rf"<{tag}>(.*?)</{tag}>", told, re.DOTALL)) else ""
        for tag in ("Code", "Message")
    )
    known = {
        "NoSuchKey": "there is no such object",
        "NoSuchBucket": "there is no such bucket",
        "SignatureDoesNotMatch": "S3 refuses the signature (403): AWS_SECRET_ACCESS_KEY does not belong to the key id",
        "InvalidAccessKeyId": "S3 does not know the AWS_ACCESS_KEY_ID that is set (403)",
        "ExpiredToken": "the AWS_SESSION_TOKEN that is set has expired",
        "AccessDenied": "S3 denies access (403): these credentials may not read or list it",
    }
    if code in known:
        return known[code]
    if status == 404:
        return "there is no such object"
    said = _one_line(f"{code}: {words}".strip(": "), who)
    return f"S3 answers {status}" + (f" ({said.rstrip('.')})" if said else "")


def _one_line(words: str, who: Credentials) -> str:
    """A store's words as part of a sentence, without what it was sent and says back."""
    for secret in (who.secret_access_key, who.session_token):
        words = words.replace(secret, "…") if secret else words
    line = " ".join("".join(c if c.isprintable() or c.isspace() else "�" for c in words).split())
    return line if len(line) <= _SHOWN_LETTERS else line[: _SHOWN_LETTERS - 1] + "…"
