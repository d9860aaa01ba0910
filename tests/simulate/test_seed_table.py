"""The seed's table, its three variants and the six-minute rows: every printed digit."""

from __future__ import annotations

import pytest

from headrace.decide import rules
from headrace.simulate import seed_day, seed_table
from headrace.simulate.inputs import Setting
from headrace.simulate.runner import Runner
from headrace.simulate.score import Score

NAMES = (
    "fixed at surge peak",
    "fixed at the usual peak",
    "reactive, cold 12 min",
    "reactive, warm 3 min",
    "reactive, wake 20 s",
    "predictive + cold 12 min",
    "predictive + warm 3 min",
    "predictive + warm, 75% target",
)
# minutes over / requests over / GPU-hours
SEED = (
    ("0", "0.00", "5568"),
    ("59.333", "172491.37", "4224"),
    ("29.333", "46321.37", "2675.467"),
    ("11.333", "9040.16", "2675.467"),
    ("1.5", "116.49", "2675.467"),
    ("13.833", "22599.73", "2715.467"),
    ("4.833", "3950.58", "2691.467"),
    ("0", "0.00", "3225.489"),
)
STEEP = (
    ("0", "0.00", "5568"),
    ("59.833", "179891.04", "4224"),
    ("28.5", "50027.08", "2677.8"),
    ("10.5", "12828.48", "2677.8"),
    ("2.833", "2415.38", "2677.8"),
    ("13", "26305.44", "2717.8"),
    ("4", "7738.90", "2693.8"),
    ("0", "0.00", "3228.689"),
)
LATE = (
    ("0", "0.00", "5568"),
    ("59.333", "172491.37", "4224"),
    ("33.333", "54779.21", "2675.467"),
    ("15.333", "17213.42", "2675.467"),
    ("10", "6330.07", "2675.467"),
    ("15.833", "26781.65", "2720.8"),
    ("6.833", "8069.34", "2696.8"),
    ("0", "0.00", "3231.889"),
)
SMALL = (
    ("0", "0.00", "5568"),
    ("59.667", "185876.51", "4128"),
    ("30.833", "51303.77", "2650.617"),
    ("12.333", "10758.06", "2650.617"),
    ("3.833", "410.55", "2650.617"),
    ("14.5", "24509.46", "2690.45"),
    ("5.5", "4837.10", "2666.45"),
    ("0", "0.00", "3212.767"),
)
SMALL_REPLICAS = Setting(per_replica=1.875, accelerators=2)
VARIANTS = {
    "the seed's day": (Setting(), seed_day.SEED_SURGE, SEED),
    "the surge ramps in 30 s": (Setting(), seed_day.SEED_SURGE._replace(ramp_s=30.0), STEEP),
    "the metric lags 180 s": (Setting(lag_s=180.0), seed_day.SEED_SURGE, LATE),
    "replicas of two GPUs": (SMALL_REPLICAS, seed_day.SEED_SURGE, SMALL),
}


def printed(score: Score) -> tuple[str, str, str]:
    """The figures with as many digits as the reference has."""
    minutes = f"{score.minutes_over:.3f}".rstrip("0").rstrip(".")
    hours = f"{score.gpu_hours:.3f}".rstrip("0").rstrip(".")
    return minutes, f"{score.requests_over:.2f}", hours


@pytest.mark.parametrize("interpret", [True, False], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_table_is_equal_to_all_printed_digits(variant: str, interpret: bool) -> None:
    setting, surge, expected = VARIANTS[variant]
    runner = Runner(interpret=interpret)
    runner.worth_compiling_ticks = 0
    scores = list(seed_table.seed_scores(runner, setting, surge))[: len(NAMES)]
    assert [score.policy for score in scores] == list(NAMES)
    assert [printed(score) for score in scores] == list(expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("predictive", ("6.167", "6431.52", "2854.956")),
        ("reactive", ("14.167", "14350.07", "2829.756")),
    ],
)
def test_six_minutes_of_start_up_at_85_percent(name: str, expected: tuple[str, str, str]) -> None:
    setting = Setting(startup_s=360.0)
    rule = rules.predictive(0.85, 60.0, 10.0) if name == "predictive" else rules.reactive(0.85)
    entry = seed_table.Entry(name, rule, setting)
    assert printed(seed_table.run_entry(Runner(), entry, seed_table.traffic(setting))) == expected


def test_small_replicas_removed_four_at_a_time() -> None:
    rule = rules.predictive(0.75, 60.0, 10.0)._replace(down_step=4.0)
    entry = seed_table.Entry("four at a time", rule, SMALL_REPLICAS)
    score = seed_table.run_entry(Runner(), entry, seed_table.traffic(SMALL_REPLICAS))
    assert f"{score.gpu_hours:.3f}" == "3143.189"


def test_the_known_curve_rule_stands_between_the_bounds_and_the_seed() -> None:
    scores = list(seed_table.seed_scores(Runner(), Setting()))
    rows = {score.policy: score for score in scores if not score.is_bound}
    bounds = [score for score in scores if score.is_bound]
    figures = [f"{score.gpu_hours:.1f}" for score in bounds]
    # Each start is paid until it is ready, the tick of the order not included (as in the table above)
    assert figures == ["3136.4", "2419.0", "2968.3", "2389.0", "2568.5", "2380.2"]
    known = [rows[name].gpu_hours for name in rows if name.startswith("known curve")]
    assert [f"{hours:.1f}" for hours in known] == ["3177.7", "3046.5", "2639.0"]
    seed = rows["predictive + warm, 75% target"].gpu_hours
    assert bounds[2].gpu_hours < known[1] < seed
