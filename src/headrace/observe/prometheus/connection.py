"""HTTP to one Prometheus: bounded in size, in tries and in time; the only module that knows aiohttp.

An answer is read in pieces and dropped as soon as it is too large or holds too many series, so that no query can
fill the memory. What may pass (429, 502, 503, a reset) is asked again after a pause.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from headrace.errors import InputError
from headrace.observe.prometheus import answer
from headrace.observe.prometheus.refusal import Passing, TooMuch, Unanswered, not_json, redirected, refusal
from headrace.observe.prometheus.source import Access, Source

PAUSES_S = (0.5, 1.0, 2.0, 4.0)
"""Before the second to the fifth try."""
LONGEST_PAUSE_S = 60.0
"""A server that asks for a longer one is not waited for."""
MOST_BYTES = 16 * 2**20
"""Of one answer, unpacked: 700,000 values, of which Python's JSON makes 150 MB for a moment."""
MOST_SERIES = 2_000
"""Of one answer, unless the question says otherwise."""
REDIRECTS = 3
CONNECT_S = 10.0


class Connection:
    """One server, asked by POST (a query can be longer than an address may be), by GET where that is refused.

    Attributes:
        asked: Requests sent.
        repeated: Of these, tries after a failure.
    """

    def __init__(self, source: Source, access: Access) -> None:
        self.asked = 0
        self.repeated = 0
        self.where = source.shown_url
        self._access = access
        self._timeout_s = source.timeout_s
        self._url = _bare(source)
        self._tls = _tls(source)
        self._proxy = _proxy(self._url)
        self._method = "POST"
        self._has_answered = False
        self._session: aiohttp.ClientSession | None = None

    def __repr__(self) -> str:
        return f"Connection({self.where!r})"

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            headers=self._access.headers,
            timeout=aiohttp.ClientTimeout(total=self._timeout_s + 5.0, sock_connect=CONNECT_S),
            connector=aiohttp.TCPConnector(limit=8, ssl=self._tls),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._session is not None
        await self._session.close()

    async def ask(self, path: str, parameters: Mapping[str, str], most_series: int = MOST_SERIES) -> Any:
        """The JSON of an answer.

        Args:
            path: Below ``/api/v1/``.
            parameters: Of the API.
            most_series: An answer with more is not read to its end.

        Raises:
            InputError, Unanswered: In one sentence.
            TooMuch: Less must be asked at once.
        """
        # Thanos: rather an error than an answer from half of the stores. Others don't know these words.
        asked = {
            **parameters,
            "timeout": f"{self._timeout_s:g}s",
            "dedup": "true",
            "partial_response": "false",
        }
        for pause_s in (*PAUSES_S, None):
            try:
                return await self._once(path, asked, most_series)
            except Passing as passing:
                wait_s = pause_s if passing.after_s is None else passing.after_s
                if pause_s is None or wait_s is None or wait_s > LONGEST_PAUSE_S:
                    raise Unanswered(self._given_up(passing, final=pause_s is None)) from None
                self.repeated += 1
                await asyncio.sleep(wait_s)
        raise AssertionError

    def _given_up(self, passing: Passing, *, final: bool) -> str:
        if final:
            return f"{self.where}: {passing}, each time it was asked ({len(PAUSES_S) + 1} times)"
        return f"{self.where}: {passing}, and wants to be asked again after {passing.after_s:,.0f} s"

    async def _once(self, path: str, parameters: Mapping[str, str], most_series: int) -> Any:
        try:
            found = await self._exchange(f"{self._url}/api/v1/{path}", parameters, most_series)
        except (aiohttp.ClientError, OSError) as error:  # a TimeoutError is an OSError
            problem = self._meaning(error)
        else:
            self._has_answered = True
            return found
        # not within the except: what aiohttp raises holds the headers that were sent, and would be its context
        raise problem

    def _meaning(self, error: Exception) -> Exception:
        """One sentence for what aiohttp raises, or that it may pass."""
        if isinstance(error, TimeoutError):
            problem = f"no answer within {self._timeout_s:g} s"
            return TooMuch(problem) if self._has_answered else Unanswered(f"{self.where}: {problem}")
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            return InputError(
                self.where, "its certificate is not signed by an authority that is known here: name a CA file"
            )
        if isinstance(error, aiohttp.ClientConnectorDNSError):
            return Unanswered(f"{self.where}: there is no host of this name")
        if isinstance(error, aiohttp.ClientSSLError):
            return Unanswered(f"{self.where}: it does not speak TLS as https wants it")
        if isinstance(error, aiohttp.ClientConnectorError):
            number = error.os_error.errno
            problem = f"no connection ({os.strerror(number).lower()})" if number else "no connection"
            return Passing(problem) if self._has_answered else Unanswered(f"{self.where}: {problem}")
        if isinstance(error, aiohttp.ClientPayloadError):
            return Passing("its answer breaks off")
        return Passing("it closes the connection instead of an answer")

    async def _exchange(self, url: str, parameters: Mapping[str, str], most_series: int) -> Any:
        assert self._session is not None
        for _ in range(REDIRECTS + 1):
            self.asked += 1
            is_get = self._method == "GET"
            async with self._session.request(
                self._method,
                url,
                params=parameters if is_get else None,
                data=None if is_get else parameters,
                allow_redirects=False,
                proxy=self._proxy,
            ) as response:
                if response.status in (301, 302, 303, 307, 308):
                    url = _followed(self.where, url, response.headers.get("Location", ""))
                    continue
                if response.status in (405, 501) and not is_get:
                    self._method = "GET"
                    continue
                body = await _bounded(self.where, response, most_series)
                if response.status != 200:
                    headers = {name.lower(): value for name, value in response.headers.items()}
                    raise refusal(self.where, response.status, headers, body, self._hidden)
                with suppress(ValueError, RecursionError):
                    return self._without_secrets(answer.decoded(body))
                raise not_json(self.where, response.headers.get("Content-Type", ""), body, self._hidden)
        raise Unanswered(f"{self.where}: it redirects in a circle")

    def _without_secrets(self, found: Any) -> Any:
        """An answer whose warnings, which are shown, hold no secret."""
        if isinstance(found, dict) and isinstance(found.get("warnings"), list):
            found["warnings"] = [self._hidden(str(warning)) for warning in found["warnings"]]
        return found

    def _hidden(self, words: str) -> str:
        """A server's words: it may say back what it was sent."""
        for secret in self._access.secrets:
            words = words.replace(secret, "…")
        return words


async def _bounded(where: str, response: aiohttp.ClientResponse, most_series: int) -> bytes:
    """A body, as long as it is neither too large nor of too many series."""
    body = bytearray()
    series = 0
    async for part in response.content.iter_any():
        counted_from = max(len(body) - 7, 0)
        body += part
        # A word that lies across two parts is in the overlap, which is too short to hold a whole one.
        series += body.count(b'"metric"', counted_from)
        if series > most_series:
            raise InputError(
                where,
                f"the query finds more than {most_series:,} series; narrow it with a selector, or group it by fewer "
                "labels",
            )
        if len(body) > MOST_BYTES:
            raise TooMuch(f"its answer is larger than {MOST_BYTES / 2**20:.0f} MiB")
    return bytes(body)


def _bare(source: Source) -> str:
    """The address without credentials: those go into headers."""
    return source.shown_url


def _tls(source: Source) -> ssl.SSLContext | bool:
    if source.ca_file is None:
        return True
    try:
        return ssl.create_default_context(cafile=str(source.ca_file))
    except ssl.SSLError:
        raise InputError(str(source.ca_file), "it holds no certificate in PEM form") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(str(source.ca_file), f"the CA file can't be read ({reason})") from None


def _proxy(url: str) -> str | None:
    """What HTTP_PROXY, HTTPS_PROXY and NO_PROXY say, as for curl; ~/.netrc is not read."""
    parts = urlsplit(url)
    if parts.hostname in ("localhost", "127.0.0.1", "::1") or proxy_bypass(parts.netloc):
        return None
    return getproxies().get(parts.scheme)


def _followed(where: str, url: str, location: str) -> str:
    """Where a redirect leads, if it stays on the same server."""
    here = urlsplit(url)
    try:
        target = urlsplit(urljoin(url, location))
    except ValueError:
        raise redirected(where, "no address") from None
    if (target.scheme, target.netloc) != (here.scheme, here.netloc):
        raise redirected(where, f"{target.scheme}://{target.hostname or ''}")
    return urljoin(url, location)
