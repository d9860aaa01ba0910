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
from datetime import UTC, datetime
from http.client import HTTPException, HTTPResponse
from typing import NamedTuple
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
    if not name or not pattern:
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
    regex = re.compile(_pattern_regex(pattern), re.DOTALL)
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
    missing = [key for key in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY") if not seen.get(key)]
    if missing:
        raise InputError(address, f"S3 asks for credentials, and {' and '.join(missing)} is not set")
    who = Credentials(
        seen["AWS_ACCESS_KEY_ID"], seen["AWS_SECRET_ACCESS_KEY"], seen.get("AWS_SESSION_TOKEN", "")
    )
    endpoint = seen.get("AWS_ENDPOINT_URL_S3") or seen.get("AWS_ENDPOINT_URL") or ""
    if endpoint and (urlsplit(endpoint).scheme not in ("http", "https") or not urlsplit(endpoint).netloc):
        raise InputError(
            address, f"AWS_ENDPOINT_URL is {endpoint!r}; allowed are http://host:port and https://host"
        )
    region = seen.get("AWS_REGION") or seen.get("AWS_DEFAULT_REGION") or "us-east-1"
    return Bucket(name, endpoint, region, who)


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
        with _answer(address, bucket, "", query) as answer:
            text = answer.read(_LONGEST_REPLY_BYTES)
        try:
            root = ElementTree.fromstring(text)
        except ElementTree.ParseError:
            root = ElementTree.Element("")
        if not root.tag.endswith("ListBucketResult"):
            raise InputError(address, "what answers is not S3: its list of objects can't be read")
        space = root.tag.removesuffix("ListBucketResult")
        for entry in root.iter(f"{space}Contents"):
            key, size, digest = (entry.findtext(f"{space}{tag}") or "" for tag in ("Key", "Size", "ETag"))
            yield unquote_plus(key), int(size or 0), digest
        token = root.findtext(f"{space}NextContinuationToken")
        if not token:
            return
        query["continuation-token"] = token


def _bring(shown: str, bucket: Bucket, key: str, path: str, tell: Callable[[float], None]) -> None:
    """Write an object to a path; what is cut off is asked for again from there on."""
    arrived, digest = 0, ""
    for attempt in range(_TRIES):
        extra = {"range": f"bytes={arrived}-", "if-match": digest} if arrived and digest else {}
        with _answer(shown, bucket, key, {}, extra) as answer, open(path, "ab" if extra else "wb") as out:
            if answer.status != 206:
                arrived = 0
                out.truncate(0)
            digest = answer.headers.get("ETag", "")
            whole = arrived + int(answer.headers.get("Content-Length") or 0)
            _require_room(shown, os.path.dirname(path), whole - arrived)
            try:
                while block := answer.read(_BLOCK_BYTES):
                    out.write(block)
                    arrived += len(block)
                    tell(arrived / max(whole, arrived))
            except (HTTPException, TimeoutError, ConnectionError):
                time.sleep(_WAIT_S * 2**attempt)
        if arrived >= whole:
            return
    raise InputError(shown, f"S3 stops answering: {arrived:,} of {whole:,} bytes came in {_TRIES} tries")


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
            if region and region != bucket.region:
                bucket = bucket._replace(region=region)
                continue
            problem = _refusal(error.code, told)
            if error.code not in _PASSING:
                break
        except (urllib.error.URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", error)
            host = bucket.place(key)[1]
            problem = f"{host} does not answer ({getattr(reason, 'strerror', None) or reason})".lower()
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


def _refusal(status: int, told: str) -> str:
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
    said = " ".join(f"{code}: {words}".strip(": ").split())
    return f"S3 answers {status}" + (f" ({said.rstrip('.')})" if said else "")
