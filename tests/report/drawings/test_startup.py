"""Holds that the waterfall's bars follow on each other, and the probe's clock starts with the container."""

import re
from itertools import pairwise

import pytest
from tests.report import plans

from headrace.report.drawings import startup
from headrace.report.figures import PhaseTimes, StartupChart


def bars(drawn: str, kind: str) -> list[tuple[float, float]]:
    """From and until, in per cent of the axis."""
    found = re.findall(rf'<rect class="{kind}" x="([0-9.]+)%" width="([0-9.]+)%"', drawn)
    return [(float(x), float(x) + float(width)) for x, width in found]


@pytest.mark.parametrize("kind", ["usual", "slow"])
def test_each_phase_begins_where_the_one_before_ends(kind: str) -> None:
    drawn = startup.table(plans.startup(), "k")
    phases, whole = bars(drawn, kind), bars(drawn, f"{kind} whole")
    assert len(phases) == 3
    assert phases[0][0] == 0
    assert all(before[1] == pytest.approx(after[0], abs=0.02) for before, after in pairwise(phases))
    assert whole == [pytest.approx((0, phases[-1][1]), abs=0.02)]


def test_the_probe_begins_with_the_container_of_a_slow_start() -> None:
    chart = plans.startup()
    assert startup.container_from_s(chart) == 30
    assert startup.in_container_s(chart) == 150
    drawn = startup.table(chart, "k")
    # 30 s for the image, then 300 s of the probe: the axis ends with it.
    assert bars(drawn, "probe") == [pytest.approx((100 * 30 / 330, 100), abs=0.02)]
    assert bars(drawn, "probe today") == [pytest.approx((100 * 30 / 330, 100 * 150 / 330), abs=0.02)]


def test_without_a_probe_or_without_time_there_is_still_a_table() -> None:
    drawn = startup.table(StartupChart((PhaseTimes("wake", 0.0, 0.0, True),), None), "k")
    assert bars(drawn, "probe") == []
    assert bars(drawn, "usual") == [(0, 0)]
    assert drawn.count("<tr") == 3


def test_figures_stand_beside_the_bars() -> None:
    drawn = startup.table(plans.startup(), "k")
    assert re.findall(r"<td>([^<]*)</td>", drawn) == (
        [
            "10 s",
            "30 s",
            "1 min 20 s",
            "1 min 40 s",
            "30 s",
            "50 s",
            "2 min",
            "3 min",
            "",
            "2 min",
            "",
            "5 min",
        ]
    )
