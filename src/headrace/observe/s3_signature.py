"""The signature that S3 asks for with each request (AWS Signature Version 4), for requests without a body."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()


class Credentials(NamedTuple):
    """Who asks."""

    access_key_id: str
    secret_access_key: str
    session_token: str = ""
    """Of temporary credentials; "": none."""


def quoted_path(path: str) -> str:
    """A path as S3 signs it: every byte but letters, digits and ``-._~/`` as %XX."""
    return quote(path, safe="-._~/")


def quoted_query(query: Mapping[str, str]) -> str:
    """A query string in the order in which it is signed."""
    return "&".join(
        f"{quote(name, safe='-._~')}={quote(value, safe='-._~')}" for name, value in sorted(query.items())
    )


def signed_headers(
    who: Credentials,
    region: str,
    host: str,
    path: str,
    query: Mapping[str, str],
    at: str,
    extra: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The headers of a GET, signature included.

    Args:
        who: Whose signature.
        region: The bucket's region ("eu-central-1").
        host: Host, with the port where it is not the usual one.
        path: Path, not quoted.
        query: Query parameters, not quoted.
        at: The time of the request, UTC ("20130524T000000Z").
        extra: More headers to sign, names in lower case.
    """
    headers = {"host": host, "x-amz-content-sha256": EMPTY_SHA256, "x-amz-date": at, **(extra or {})}
    if who.session_token:
        headers["x-amz-security-token"] = who.session_token
    names = ";".join(sorted(headers))
    canonical = "\n".join(
        [
            "GET",
            quoted_path(path),
            quoted_query(query),
            *(f"{name}:{headers[name].strip()}" for name in sorted(headers)),
            "",
            names,
            EMPTY_SHA256,
        ]
    )
    scope = f"{at[:8]}/{region}/s3/aws4_request"
    to_sign = "\n".join(
        ["AWS4-HMAC-SHA256", at, scope, hashlib.sha256(canonical.encode()).hexdigest()]
    ).encode()
    key = f"AWS4{who.secret_access_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, to_sign, "sha256").hex()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={who.access_key_id}/{scope},SignedHeaders={names},Signature={signature}"
    )
    return headers
