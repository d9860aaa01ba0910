"""Where a past is read from and as whom, and what of it is wanted. Nothing is asked here."""

from __future__ import annotations

import base64
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from headrace.errors import InputError
from headrace.units import shown

TENANT_HEADER = "X-Scope-OrgID"
"""Mimir's and Cortex's; Thanos has its own, to be given as a header."""
DAY_S = 86_400.0
LEAST_SECRET = 8
"""A shorter word of a header is not taken for a secret."""
ROLES = ("running", "waiting", "kv_usage", "finished", "latency")
"""What a metric of another name can stand for."""

_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+): *([\x20-\x7e\x80-\xff]*)")
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_MATCHER = rf'{_LABEL.pattern}\s*(?:=~|!~|!=|=)\s*"(?:[^"\\\n]|\\.)*"'
_MATCHERS = re.compile(rf"\s*(?:{_MATCHER}\s*(?:,\s*{_MATCHER}\s*)*,?\s*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An address that answers Prometheus' API, and as whom it is asked.

    A secret is named by a file or an environment variable, read when it is needed and kept nowhere: what this
    holds may be shown (`shown_url` in place of a `url` with a password in it; `headers` are as given).
    """

    url: str
    """``http(s)://host[:port][/prefix]``, without ``/api/v1``."""
    token_file: Path | None = None
    """Bearer token."""
    token_variable: str | None = None
    """Name of an environment variable with the bearer token."""
    user: str | None = None
    """Basic auth."""
    password_file: Path | None = None
    password_variable: str | None = None
    headers: tuple[str, ...] = ()
    """``Name: value`` each; secret ones belong in `headers_file`: every process list shows an argument."""
    headers_file: Path | None = None
    """Lines ``Name: value``; empty ones and ``#`` are skipped."""
    tenant: str | None = None
    """Tenant of Mimir or Cortex (``X-Scope-OrgID``)."""
    ca_file: Path | None = None
    """PEM file of the certificate authority that the server's certificate is checked against."""
    timeout_s: float = 60.0
    """For one question; after it, less is asked at once."""

    def __repr__(self) -> str:
        return f"Source({self.shown_url!r})"

    @property
    def shown_url(self) -> str:
        """The address without user, password, and whatever follows a question mark."""
        try:
            parts = urlsplit(self.url)
            host = parts.hostname or ""
            port = f":{parts.port}" if parts.port else ""
        except ValueError:
            return "the address"
        host = f"[{host}]" if ":" in host else host
        return urlunsplit((parts.scheme, host + port, parts.path.rstrip("/"), "", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is read: which models, from when to when, at which step."""

    selector: str = ""
    """Label matchers that every series must fulfil, with braces or without: ``namespace="prod"``."""
    by: tuple[str, ...] = ("namespace", "model_name")
    """Labels that tell models apart; a series need not have all of them."""
    start_s: float | None = None
    """Epoch seconds; None: 21 days before the end."""
    end_s: float | None = None
    """Epoch seconds; None: now."""
    step_s: float = 60.0
    """Whole seconds, 1 to 86,400. Below the interval between two scrapes the interval is taken."""
    unit: Literal["slots", "requests"] = "slots"
    """Demand: running + waiting requests, or requests that finish per second."""
    slots: int | None = None
    """What one replica runs at once (max-num-seqs × data-parallel ranks), to tell when all slots were taken."""
    slots_of: tuple[tuple[str, int], ...] = ()
    """(model, slots): those of single models, by the names under which they are found."""
    engines: tuple[str, ...] = ()
    """Names of engines; (): all that are known."""
    names: tuple[tuple[str, str], ...] = ()
    """(role, metric): a metric of another name in that role, one of `ROLES`."""
    query: str | None = None
    """PromQL for the demand, one series for each model, in place of what the engines show."""


class Access:
    """What is sent to prove who asks; shown nowhere.

    Attributes:
        headers: All headers to send.
        secrets: Texts that no message may hold.
        identity: Who asks, without secrets: part of the name under which answers are kept.
    """

    __slots__ = ("headers", "identity", "secrets")

    def __init__(self, headers: dict[str, str], secrets: tuple[str, ...], identity: str) -> None:
        self.headers = headers
        self.secrets = secrets
        self.identity = identity

    def __repr__(self) -> str:
        return "Access(…)"


def access(source: Source) -> Access:
    """Reads the secrets and puts the headers together.

    Raises:
        InputError: The address, a file, a variable or a header can't be used.
    """
    parts = _checked_url(source)
    headers, secrets = _custom_headers(source)
    user = source.user if source.user is not None else unquote(parts.username or "") or None
    token = _secret("token", source.token_file, source.token_variable)
    password = _secret("password", source.password_file, source.password_variable)
    if password is None and parts.password is not None:
        password = unquote(parts.password)
    if token is not None and user is not None:
        raise InputError(source.shown_url, "a bearer token and a user were given; allowed is one of them")
    if password is not None and user is None:
        raise InputError(source.shown_url, "a password was given without a user")
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
        secrets.append(token)
    elif user is not None:
        pair = base64.b64encode(f"{user}:{password or ''}".encode()).decode()
        headers["Authorization"] = f"Basic {pair}"
        secrets += [pair, *([password] if password else [])]
    if source.tenant is not None:
        headers[TENANT_HEADER] = _header(f"{TENANT_HEADER}: {source.tenant}", "--tenant")[1]
    tenants = [f"{name}={headers[name]}" for name in sorted(headers) if _is_tenant(name)]
    # the longest first, so that none leaves a rest of another
    hidden = tuple(sorted(dict.fromkeys(secrets), key=len, reverse=True))
    return Access(headers, hidden, "\n".join([user or "", *tenants]))


def matchers(selection: Selection) -> str:
    """The label matchers without braces, checked: ``namespace="prod"``; "" for none.

    Raises:
        InputError: They are not of that form.
    """
    text = selection.selector.strip()
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    if not _MATCHERS.fullmatch(text):
        raise InputError(
            "--selector",
            f'{shown(selection.selector)} is not a list of label matchers; write one such as {{namespace="prod"}}',
        )
    return text.strip().rstrip(",").strip()


def require_usable(selection: Selection) -> None:
    """Refuses labels, names, roles, steps and slots that nothing can be asked with.

    Raises:
        InputError: In one sentence.
    """
    step_s = selection.step_s
    if not (1.0 <= step_s <= DAY_S and step_s == math.floor(step_s)):
        raise InputError("--step", f"{step_s:g} s; allowed are whole seconds from 1 to 86,400")
    if not selection.by:
        raise InputError("--by", "no label was given to tell models apart")
    for label in selection.by:
        if not _LABEL.fullmatch(label):
            raise InputError("--by", f"{shown(label)} is not a label's name")
    for role, metric in selection.names:
        if role not in ROLES:
            raise InputError("--metric", f"{shown(role)} is not a role; allowed are {', '.join(ROLES)}")
        if not _METRIC.fullmatch(metric):
            raise InputError("--metric", f"{shown(metric)} is not a metric's name")
    for slots in (1 if selection.slots is None else selection.slots, *dict(selection.slots_of).values()):
        if slots < 1:
            raise InputError("--slots", f"{slots}; a replica has at least 1")
    if selection.query is not None and not selection.query.strip():
        raise InputError("--query", "it is empty")
    matchers(selection)


def _checked_url(source: Source) -> SplitResult:
    try:
        parts = urlsplit(source.url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole:
        # the text itself may hold a password
        raise InputError("--prometheus", "it must be an address such as http://prometheus.monitoring:9090")
    if parts.query or parts.fragment:
        raise InputError(source.shown_url, "an address has no ? and no #; give what follows it as a header")
    return parts


def _custom_headers(source: Source) -> tuple[dict[str, str], list[str]]:
    """Headers as given, and the values of those from a file, which are secret."""
    headers = dict(_header(text, "--header") for text in source.headers)
    # given in clear, but no reason to say them again
    secrets = [part for name in headers if not _is_tenant(name) for part in _telling(headers[name])]
    if source.headers_file is not None:
        for line in _text(source.headers_file, "headers").splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                name, value = _header(line.strip(), os.fspath(source.headers_file))
                headers[name] = value
                secrets += [value, *_telling(value)] if value and not _is_tenant(name) else []
    return headers, secrets


def _telling(value: str) -> list[str]:
    """A header's value and its words ("Bearer abcdefgh"); short ones are no secrets, and in every sentence."""
    return [part for part in (value, *value.split()) if len(part) >= LEAST_SECRET]


def _header(text: str, where: str) -> tuple[str, str]:
    match = _HEADER.fullmatch(text)
    if match is None:
        name = text.partition(":")[0]
        raise InputError(where, f"the header {shown(name)} is not of the form 'Name: value'")
    return match[1], match[2].strip()


def _is_tenant(name: str) -> bool:
    return name.lower() in (TENANT_HEADER.lower(), "thanos-tenant")


def _secret(what: str, file: Path | None, variable: str | None) -> str | None:
    if file is not None and variable is not None:
        raise InputError(f"--{what}-file", f"the {what} is named twice, by a file and by a variable")
    if variable is not None:
        if variable not in os.environ:
            raise InputError(f"--{what}-variable", f"the environment has no {shown(variable)}")
        text, where = os.environ[variable].strip(), f"${variable}"
    elif file is not None:
        text, where = _text(file, what).strip(), os.fspath(file)
    else:
        return None
    if not text:
        raise InputError(where, f"the {what} in it is empty")
    if any(not " " <= letter <= "ÿ" or letter == "\x7f" for letter in text):
        raise InputError(where, f"the {what} in it has a line's end or a letter that no header can hold")
    return text


def _text(file: Path, what: str) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            os.fspath(file), f"the {what} can't be read ({(error.strerror or str(error)).lower()})"
        ) from None
    except UnicodeDecodeError:
        raise InputError(os.fspath(file), f"the {what} in it is not UTF-8 text") from None
