"""What an answer that is none means: one sentence for a person, or that less must be asked at once.

Nothing here has done I/O: status, headers and body come in, an exception goes out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from headrace.errors import InputError, ObserveError
from headrace.units import shown

Hiding = Callable[[str], str]
"""A text without the secrets that it may hold: a server may say back what it was sent."""

SHOWN_WORDS = 300
"""A server's own words are cut here."""
_LOOKED_AT_BYTES = 4_096
"""Of a body that is no JSON."""

_TOO_MUCH = re.compile(
    r"maximum resolution|too many samples|timed? ?out|deadline exceeded|exceed\w* (?:the |its |a )?(?:max|limit|memory)"
    r"|err-mimir-max|limit (?:was |is )?exceeded|too many (?:points|chunks|bytes)",
    re.IGNORECASE,
)
"""How Prometheus, Thanos, Mimir and VictoriaMetrics say that one question asks for too much."""


class Unanswered(ObserveError):
    """Prometheus can't be read: what was asked, and what came back instead."""

    exit_code = 2


class TooMuch(Exception):
    """More was asked at once than the server (or our memory) takes."""


class Passing(Exception):
    """It may go away: asked again after a pause.

    Attributes:
        after_s: What the server said (Retry-After); None: nothing.
    """

    def __init__(self, problem: str, after_s: float | None = None) -> None:
        self.after_s = after_s
        super().__init__(problem)


def refusal(where: str, status: int, headers: dict[str, str], body: bytes, hidden: Hiding = str) -> Exception:
    """What a status other than 200 means.

    Args:
        where: The address, without credentials.
        status: Of HTTP.
        headers: Of the answer, names in lower case.
        body: Its body.
        hidden: Takes secrets out of what the server says.
    """
    kind, words = server_words(body, hidden)
    said = f": {words}" if words else ""
    if status == 401:
        return InputError(
            where, f"it answers 401: it wants a token or a password, or does not know this one{said}"
        )
    if status == 403:
        return InputError(where, f"it answers 403: this token or user may not read there{said}")
    if status == 404:
        return InputError(
            where,
            "it answers 404: there is no Prometheus API below this address (Mimir's is below /prometheus)",
        )
    if (
        kind == "timeout"
        or status == 504
        or (status in (400, 413, 422, 500, 503) and _TOO_MUCH.search(words))
    ):
        return TooMuch(f"it answers {status}{said}")
    if status in (429, 500, 502, 503):
        return Passing(f"it answers {status}{said}", retry_after_s(headers.get("retry-after", "")))
    if status in (400, 422):
        return InputError(where, f"it answers {status}, so it can't work with the query{said}")
    return Unanswered(f"{where}: it answers {status}{said}")


def redirected(where: str, target: str) -> InputError:
    """A redirect that is not followed, since credentials would go with it."""
    return InputError(
        where,
        f"it redirects to another place ({shown(target)}), where credentials are not sent: give that address, or look "
        "for a login page in between",
    )


def not_json(where: str, content_type: str, body: bytes, hidden: Hiding = str) -> Exception:
    """A 200 that is no JSON; arguments as for `refusal`."""
    start = body[:200].lstrip().lower()
    if "html" in content_type.lower() or start.startswith((b"<!doctype", b"<html", b"<?xml", b"<")):
        return InputError(
            where,
            "it answers with a web page, not with JSON: give the address of Prometheus' API, not of a login page or a "
            "dashboard",
        )
    if not body.strip():
        return Passing("its answer is empty")
    if start.startswith((b"{", b"[")):
        return Passing(f"its answer is cut off after {len(body):,} bytes, or is no JSON")
    # hidden before it is cut: half a secret would not be found any more
    text = hidden(body[:_LOOKED_AT_BYTES].decode("utf-8", "replace"))
    return InputError(where, f"it answers with something other than JSON ({shown(text)})")


def server_words(body: bytes, hidden: Hiding = str) -> tuple[str, str]:
    """Kind and text of a Prometheus error; ("", "") where there is none, ("", text) for a short plain text."""
    text = body.decode("utf-8", "replace").strip()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        plain = "" if text.startswith("<") or len(text) > SHOWN_WORDS else text
        return "", one_line(hidden(plain))
    if not isinstance(found, dict):
        return "", ""
    words = found.get("error") or found.get("message")
    return str(found.get("errorType", "")), one_line(hidden(words)) if isinstance(words, str) else ""


def retry_after_s(text: str) -> float | None:
    """Seconds of a Retry-After header; None where it is absent or a date (a pause of ours is as good)."""
    return float(text) if re.fullmatch(r"[0-9]{1,6}", text.strip()) else None


def one_line(text: str) -> str:
    """A server's words as part of a sentence: printable, on one line, cut where they are long."""
    line = " ".join("".join(c if c.isprintable() or c.isspace() else "�" for c in text).split())
    return line if len(line) <= SHOWN_WORDS else line[: SHOWN_WORDS - 1] + "…"
