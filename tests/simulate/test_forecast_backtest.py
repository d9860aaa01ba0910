"""What is said of the forecaster on real histories holds, row by row; the benchmark that says it runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from headrace.decide.forecast import outliers
from headrace.simulate.backtest import ahead_of, issued_along, quality

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
Script = Callable[[str], ModuleType]
ROWS = 16


@pytest.mark.real_data
def test_every_row_beats_what_has_to_be_beaten(shared_data: Path, benchmark_script: Script) -> None:
    script = benchmark_script("forecast_backtest")
    table = script.rows(shared_data / "demand")
    assert len(table) == ROWS
    for row in table:
        named = f"{row.name} h{row.ahead}"
        assert set(row.peers) == {"persistence", "persistence + level", "last week", "last week + level"}, (
            named
        )
        assert row.ours_percent < row.bar, named
        assert row.to_prototype <= 1.03, named
        assert 0.925 <= row.ours.coverage_ratio <= 0.97, named
        assert row.ours.worst_day_ratio <= row.ours.coverage_ratio or row.ours.windows == 144, named
        assert "is an average" in row.words, named
    main = [row.ours_percent / row.bar for row in table if row.name in script.MAIN]
    assert len(main) == 10
    # 0.73 as measured
    assert np.exp(np.mean(np.log(main))) < 0.76
    # the yardsticks are not weak ones: where the prototype's losses and ratios to its bar are known, so is its bar
    bars = {(row.name, row.ahead): row.bar for row in table}
    assert bars["nyc_taxi", 1] == pytest.approx(0.656, rel=0.02)
    assert bars["taylor", 1] == pytest.approx(0.070, rel=0.02)
    assert bars["m_large", 1] == pytest.approx(2.369, rel=0.02)
    assert bars["m_mid diurnal", 2] == pytest.approx(1.347, rel=0.02)


@pytest.mark.real_data
def test_leaving_one_off_days_out_costs_nothing_where_there_are_none(
    shared_data: Path, benchmark_script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = benchmark_script("forecast_backtest")
    for name in ("m_large", "m_mid diurnal", "crane1", "crane11"):
        demand, losses = script.history(shared_data / "demand", script.SOURCES[name]), []
        for guarded in (True, False):
            with monkeypatch.context() as patched:
                if not guarded:
                    patched.setattr(outliers, "usual", lambda logs: np.ones(logs.shape, np.bool_))
                ahead = ahead_of(issued_along(demand[None], 144, (1,), 7), 1)
            losses.append(quality(demand, ahead, 144, 7).pinball_ratio)
        assert losses[0] <= 1.005 * losses[1], name


@pytest.mark.real_data
def test_the_benchmark_runs(shared_data: Path) -> None:
    ended = subprocess.run(
        [sys.executable, str(BENCHMARKS / "forecast_backtest.py"), "--quick", "--data", str(shared_data)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert "m_large h2" in ended.stdout
    assert "is an average, 95 % asked for; the worst day was" in ended.stdout
    assert "5 min x 14 days" in ended.stdout


def test_without_data_only_speed_is_measured(tmp_path: Path) -> None:
    ended = subprocess.run(
        [
            sys.executable,
            str(BENCHMARKS / "forecast_backtest.py"),
            "--quick",
            "--data",
            str(tmp_path / "none"),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert "only speed is measured" in ended.stdout
    assert "200 models of 10 min x 28 days" in ended.stdout


def test_without_statsforecast_the_script_says_what_to_install(tmp_path: Path) -> None:
    # a folder that hides the library, should it be there
    code = (
        "import importlib.util, runpy, sys; found = importlib.util.find_spec; "
        "importlib.util.find_spec = lambda name, *more: None if name == 'statsforecast' else found(name, *more); "
        f"sys.path.insert(0, {str(BENCHMARKS)!r}); sys.argv = ['forecast_mstl.py']; "
        f"runpy.run_path({str(BENCHMARKS / 'forecast_mstl.py')!r}, run_name='__main__')"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    assert "pip install statsforecast" in ended.stdout


def test_a_batch_costs_less_a_model_than_one_alone(benchmark_script: Script) -> None:
    script = benchmark_script("forecast_backtest")
    alone, batched = (script.fit_ms(models, 14, 144, 3) for models in (1, 32))
    assert batched < alone
