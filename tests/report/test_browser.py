"""Holds that a real browser draws the page from disk without an error, where there is a browser.

Chromium reports every script error and every breach of the page's policy (CSP) on its console.
"""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.report.browser import CHROMIUM, QUIET

from headrace.report.chart import Chart, Clock, TableRow, Trace, moments_over
from headrace.report.write import write_page

Line = NDArray[np.float64]


def chart(clock: Clock, days: int) -> Chart:
    start_s = 1_709_251_200.0 if clock == "utc" else 0.0
    times: Line = start_s + np.arange(days * 144, dtype=np.float64) * 600.0
    demand = 100 - 60 * np.cos(np.arange(len(times)) / 144 * 2 * np.pi)
    demand[20:25] = np.nan
    ready = np.full(len(times), 150.0)
    ready[60:70] = 90.0
    starting = 150.0 - ready
    over = moments_over(times, 600.0, demand, ready)
    traces = [Trace(name, ready, starting, starting, over) for name in ("</script>", "b", "c")]
    rows = [TableRow(trace.policy, 100.0, 5.0, 8.0, 1.0) for trace in traces]
    return Chart(times, 600.0, clock, demand, "requests/s", traces, "Page", ("<b>",), rows)


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH: the page is not drawn in a real browser")
@pytest.mark.parametrize(("clock", "days"), [("day", 1), ("utc", 1), ("utc", 400), ("day", 3)])
def test_the_charts_are_drawn_and_the_console_stays_silent(tmp_path: Path, clock: Clock, days: int) -> None:
    assert CHROMIUM is not None
    page = tmp_path / "page.html"
    write_page(page, chart(clock, days))
    command = [
        CHROMIUM,
        *QUIET,
        "--enable-logging=stderr",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=3000",
        "--window-size=1200,900",
        "--dump-dom",
        page.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert re.findall(r".*CONSOLE.*", done.stderr) == []
    assert re.search(r'<html[^>]* data-charts="3"', done.stdout)
    plots = re.findall(r'<div class="plot"[^>]*>.*?</canvas>', done.stdout, re.DOTALL)
    assert len(plots) == 3
    for plot in plots:
        size = re.search(r'<canvas width="(\d+)" height="(\d+)"', plot)
        assert size
        assert int(size[1]) > 400
        assert int(size[2]) > 200
    shown = re.search(r'<output class="shown">([^<]+)</output>', done.stdout)
    assert shown
    assert (
        shown[1]
        == {
            ("day", 1): "00:00 – 24:00",
            ("utc", 1): "00:00 – 24:00 UTC",
            ("utc", 400): "1 Mar 2024 – 5 Apr 2025 UTC",
            ("day", 3): "day 1 00:00 – day 4 00:00",
        }[clock, days]
    )
