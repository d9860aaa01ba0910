"""benchmarks/plan_holdout.py: promises of plans from one week of real LLM traffic, and what the next week kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Script = Callable[[str], ModuleType]


@pytest.mark.real_data
def test_promises_on_real_traffic(shared_data: Path, benchmark_script: Script) -> None:
    script = benchmark_script("plan_holdout")
    rows = list(script.rows(shared_data, ["3m"]))
    assert [row.history for row in rows] == list(script.HISTORIES)
    for row in rows:
        share, minutes, hours = row.promises
        assert (share["promised"], share["limit"]) == (0.001, pytest.approx(0.0011))
        assert row.code == (0 if all(promise["held"] for promise in row.promises) else 1)
        # accelerators and minutes are promised to within a tenth, and kept on each
        assert hours["held"]
        assert hours["kept"] > 0.9 * hours["promised"]
        assert minutes["held"]
        assert share["kept"] < 0.0015
    # a plan that sees nothing of the second week, not even how rough it is, misses one share by a hair: 0.111 %
    missed = [row.history for row in rows if row.code]
    assert missed in ([], ["servegen_m_mid_10min_diurnal_clients"])


@pytest.mark.real_data
def test_durations_come_from_tokens_by_the_rate_model(shared_data: Path, benchmark_script: Script) -> None:
    seconds = benchmark_script("plan_holdout").trace_durations_s(
        shared_data / "traces" / "azure2023_conv.csv"
    )
    assert len(seconds) == 19_366
    # 374 prompt tokens at 8,000 a second and 44 answer tokens at 30 a second
    assert seconds[0] == pytest.approx(374 / 8_000 + 44 / 30)
