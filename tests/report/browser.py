"""A real browser that says what it met: a page at a given width, light or dark, through Chromium's own pipe."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)
_PATIENCE_S = 60.0


@dataclass
class Look:
    """One page, looked at."""

    browser: Browser
    session: str
    complaints: list[str] = field(default_factory=list)
    """Errors and warnings of the console, breaches of the page's policy among them."""
    requests: list[str] = field(default_factory=list)
    """Addresses that the page asked for, its own first."""
    loaded: bool = False

    def value(self, expression: str) -> Any:
        """What a JavaScript expression comes to."""
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        answer = self.browser.call("Runtime.evaluate", asked, self.session)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Until a JavaScript expression is true."""
        end = time.monotonic() + _PATIENCE_S
        while not self.value(expression):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.05)

    def screenshot(self) -> bytes:
        """The whole page as PNG."""
        asked = {"captureBeyondViewport": True}
        answer = self.browser.call("Page.captureScreenshot", asked, self.session)
        return base64.b64decode(answer["data"])

    def pdf(self) -> bytes:
        """The page as it is printed, on A4."""
        asked = {"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": True}
        return base64.b64decode(self.browser.call("Page.printToPDF", asked, self.session)["data"])


class Browser:
    """A headless Chromium that is spoken to through a pipe."""

    def __init__(self, profile: Path) -> None:
        assert CHROMIUM is not None
        # Above 4, so that putting them on 3 and 4 in the child overwrites neither.
        (read, here_out), (here_in, write) = (
            [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in os.pipe()] for _ in range(2)
        )
        self._process = subprocess.Popen(
            [CHROMIUM, *QUIET, "--remote-debugging-pipe", f"--user-data-dir={profile}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=lambda: (os.dup2(read, 3), os.dup2(write, 4)),
        )
        os.close(read)
        os.close(write)
        self._out, self._in = here_out, here_in
        self._next, self._rest = 0, b""
        self._looks: dict[str, Look] = {}

    def look(self, page: Path, width: int, scheme: Literal["light", "dark"], height: int = 900) -> Look:
        """Opens a page and waits until it is loaded."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        look = Look(self, attached["sessionId"])
        self._looks[look.session] = look
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable", {}, look.session)
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", size, look.session)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", {"features": [feature]}, look.session)
        self.call("Page.navigate", {"url": page.as_uri()}, look.session)
        end = time.monotonic() + _PATIENCE_S
        while not look.loaded:
            assert time.monotonic() < end, f"{page} did not load"
            self._hear(0.1)
        return look

    def call(self, method: str, asked: dict[str, Any], session: str = "") -> Any:
        """Asks the browser for one thing and waits for the answer."""
        self._next += 1
        message = {"id": self._next, "method": method, "params": asked}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + _PATIENCE_S
        while time.monotonic() < end:
            for answer in self._hear(1.0):
                if answer.get("id") == self._next:
                    assert "error" not in answer, answer
                    return answer["result"]
        raise AssertionError(f"no answer to {method}")

    def close(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def _hear(self, patience_s: float) -> list[dict[str, Any]]:
        if not select.select([self._in], [], [], patience_s)[0]:
            return []
        heard = os.read(self._in, 1 << 20)
        assert heard, "the browser ended"
        *whole, self._rest = (self._rest + heard).split(b"\0")
        answers = [json.loads(message) for message in whole]
        for answer in answers:
            look = self._looks.get(answer.get("sessionId", ""))
            if look is not None and "method" in answer:
                _note(look, answer["method"], answer["params"])
        return answers


def _note(look: Look, method: str, told: dict[str, Any]) -> None:
    if method == "Page.loadEventFired":
        look.loaded = True
    elif method == "Network.requestWillBeSent":
        look.requests.append(told["request"]["url"])
    elif method == "Log.entryAdded":
        look.complaints.append(told["entry"]["text"])
    elif method == "Runtime.exceptionThrown":
        look.complaints.append(json.dumps(told["exceptionDetails"]))
    elif method == "Runtime.consoleAPICalled":
        look.complaints.append(json.dumps(told["args"]))
