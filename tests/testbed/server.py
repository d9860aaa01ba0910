"""A stand-in for a model server: starts late, streams, counts, and obeys SIGTERM with or without a drain.

Run as a program inside a rehearsed pod, from arguments alone: PORT START_S HOST DRAIN_S BUSY_S. It is busy (one request
running) for BUSY_S after it listens; with DRAIN_S above 0 SIGTERM lets that end, else it exits at once. It writes
``finished`` or ``cut`` to the file in STORY when it ends.
"""

import http.server
import os
import signal
import socket
import sys
import threading
import time

port, start_s, host, drain_s, busy_s = (
    int(sys.argv[1]),
    float(sys.argv[2]),
    sys.argv[3],
    float(sys.argv[4]),
    float(sys.argv[5]),
)
STORY = os.environ["STORY"]
ended = threading.Event()


def told(word: str) -> None:
    with open(STORY, "a", encoding="utf-8") as file:
        file.write(f"{word}\n")


if start_s > 0:
    time.sleep(start_s)
listening_s = time.monotonic()


def running() -> int:
    return 1 if time.monotonic() - listening_s < busy_s else 0


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6 if ":" in host else socket.AF_INET


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        label = '{engine="0",model_name="a b"}'
        page = (
            f"# HELP vllm:num_requests_running x\nvllm:num_requests_running{label} {float(running())}\n"
            f"vllm:num_requests_waiting{label} 0.0\n"
            f'vllm:num_requests_waiting_by_reason{{engine="0",model_name="a b",reason="capacity"}} 3.0\n'
        )
        body = page.encode() if self.path == "/metrics" else b"ok"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


server = Server((host, port), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()


def stop(*_: object) -> None:
    ended.set()


signal.signal(signal.SIGTERM, stop)
told("listening")
ended.wait()
until = time.monotonic() + drain_s
while running() and time.monotonic() < until:
    time.sleep(0.05)
told("cut" if running() else "finished")
