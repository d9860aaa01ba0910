"""A server on loopback that answers as a test says; unless told otherwise as a Prometheus with one model."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

MONDAY_S = 1_704_067_200
"""2024-01-01T00:00:00Z."""


class Asked(NamedTuple):
    """One request that the server got."""

    method: str
    path: str
    parameters: dict[str, str]
    headers: dict[str, str]

    @property
    def is_range(self) -> bool:
        return self.path.endswith("/query_range")


class Reply(NamedTuple):
    """One answer."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    length: int | None = None
    """What Content-Length says; None: the truth."""
    wait_s: float = 0.0
    is_reset: bool = False
    """The connection is closed without a word."""


Answering = Callable[[Asked], Reply]


class Server:
    """Answers on loopback until the test ends.

    Attributes:
        asked: All requests, in order.
        answering: Makes the answers; may be exchanged.
        url: Its address.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answering: Answering = steady
        self.closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer(urlsplit(self.path).query)

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

            def _answer(self, form: str) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.command, urlsplit(self.path).path, dict(parse_qsl(form)), headers)
                outer.asked.append(asked)
                reply = outer.answering(asked)
                outer.closing.wait(reply.wait_s)
                if reply.is_reset:
                    self.close_connection = True
                    return
                self.send_response(reply.status)
                for name, value in reply.headers:
                    self.send_header(name, value)
                self.send_header(
                    "Content-Length", str(len(reply.body) if reply.length is None else reply.length)
                )
                self.end_headers()
                self.wfile.write(reply.body)
                if reply.length is not None:
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                """A client that has gone is what some tests are about."""

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def use_tls(self, certificate: Path, key: Path) -> None:
        """Speaks TLS from now on."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = self.url.replace("http:", "https:")

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def ranges(self) -> list[tuple[str, str, str]]:
        """(query, start, end) of each range query."""
        return [
            (asked.parameters["query"], asked.parameters["start"], asked.parameters["end"])
            for asked in self.asked
            if asked.is_range
        ]


def matrix(series: list[dict[str, Any]], **more: object) -> Reply:
    """A `query_range` answer."""
    found = {"status": "success", "data": {"resultType": "matrix", "result": series}, **more}
    return Reply(json.dumps(found).encode())


def vector(value: float | None) -> Reply:
    """A `query` answer with one value, or none."""
    result = [] if value is None else [{"metric": {}, "value": [0, str(value)]}]
    return Reply(
        json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}}).encode()
    )


def kind(query: str) -> str:
    """What one of our queries is about, told from its words."""
    if "_bucket" in query:
        return "buckets"
    if "_sum" in query:
        return "total"
    if "unless" in query:
        return "silent"
    for word, about in (
        ("num_requests_waiting", "waiting"),
        ("kv_cache", "kv_usage"),
        ("success", "finished"),
    ):
        if word in query:
            return about
    return "answered" if query.startswith("count") else "running"


def level(about: str, at_s: float) -> float:
    """What the steady server has at a step that ends at `at_s`."""
    minute = round(at_s / 60)
    return {"running": minute % 50 + 1.0, "waiting": 0.0, "answered": 2.0, "kv_usage": 0.5, "finished": 1.5}[
        about
    ]


def steady(asked: Asked) -> Reply:
    """A Prometheus with one model, one scrape a minute, no gaps."""
    if not asked.is_range:
        return vector(60.0)
    about = kind(asked.parameters["query"])
    start, end, step = (int(asked.parameters[name]) for name in ("start", "end", "step"))
    labels = {"namespace": "prod", "model_name": "llama"}
    times = range(start, end + 1, step)
    if about == "silent":
        return matrix([])
    if about == "buckets":
        bounds = {"1": 10, "10": 30, "+Inf": 40}
        return matrix(
            [
                {"metric": {**labels, "le": bound}, "values": [[at, str(count)] for at in times]}
                for bound, count in bounds.items()
            ]
        )
    if about == "total":
        return matrix([{"metric": labels, "values": [[at, "200"] for at in times]}])
    return matrix([{"metric": labels, "values": [[at, str(level(about, at))] for at in times]}])
