"""Holds that cut(N) is drawn as a curve where it is exact, as a band where it is not, down to one in ten thousand."""

import re
from dataclasses import replace

import numpy as np
from tests.report import plans

from headrace.report.drawings import cut


def points(drawn: str, kind: str) -> list[tuple[float, float]]:
    found = re.search(rf'<path class="{kind}" d="([^"]+)"', drawn)
    assert found
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([0-9.]+) ([0-9.]+)", found[1])]


def test_a_curve_by_tenths_of_tenths() -> None:
    chart = plans.cut()
    drawn = cut.drawing(chart, "k", "words")
    curve = points(drawn, "curve")
    assert curve[0] == (0.0, 0.0), "everything is cut by a drain of no time"
    assert "between" not in drawn
    # A factor e for each 30 s is a straight line on this scale, down to one in ten thousand.
    (x0, y0), (x1, y1), (x2, y2) = curve[0], curve[3], curve[6]
    assert abs((y1 - y0) / (x1 - x0) - (y2 - y1) / (x2 - x1)) < 0.01
    assert curve[-1] == (1000.0, 1000.0)
    ticks = re.findall(r'class="tick up"[^>]*>([^<]+)<', drawn)
    assert ticks == ["0.01 %", "0.1 %", "1 %", "10 %", "100 %"]
    for words in ("N proposed 150 s", "N today 30 s", "1 % allowed"):
        assert f">{words}</text>" in drawn


def test_a_band_has_both_edges() -> None:
    chart = plans.cut()
    drawn = cut.drawing(replace(chart, least=chart.least / 2), "k", "words")
    band = points(drawn, "between")
    assert len(band) == 2 * len(chart.n_s)
    upper, lower = band[: len(chart.n_s)], band[: len(chart.n_s) - 1 : -1]
    assert all(y <= below for (_, y), (_, below) in zip(upper, lower, strict=True))
    assert points(drawn, "curve faint") == lower


def test_an_n_beyond_the_curve_is_still_on_the_plane() -> None:
    drawn = cut.drawing(replace(plans.cut(), today_s=3600.0), "k", "words")
    assert points(drawn, "curve")[-1][0] < 200
    x = re.search(r'<line class="mark today" x1="([0-9.]+)%"', drawn)
    assert x
    assert 90 < float(x[1]) < 100


def test_a_long_curve_is_thinned_but_keeps_its_ends() -> None:
    n_s = np.arange(3601.0)
    share = np.exp(-n_s / 500)
    curve = points(cut.drawing(replace(plans.cut(), n_s=n_s, least=share, most=share), "k", "w"), "curve")
    assert len(curve) == 240
    assert (curve[0][0], curve[-1][0]) == (0.0, 1000.0)
