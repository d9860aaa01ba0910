"""Start-up arithmetic on published starts: totals, probe, and what a cure saves in seconds and GPU-hours."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.decide.cures import CURES, Cure
from headrace.decide.startup import (
    ProbeBudget,
    Usage,
    first_attack,
    phases_after,
    probe_budget,
    saving,
    savings,
    total,
    transfer_s,
    weights_bytes,
)
from headrace.spec import Phase, Surge

SURGE = Surge(0.35, 300.0)
LLAMA_70B = (
    Phase("node", 284.0, 400.0),
    Phase("image-pull", 101.0, 200.0),
    Phase("boot", 66.0, 80.0),
    Phase("download", 196.5, 300.0),
    Phase("weights", 16.2, 20.0),
    Phase("compile", 60.8, 70.0),
    Phase("graphs", 16.0, 18.0),
)
"""A published start of 70B (anyscale/ray-serve-llm-perf-examples), with the node and image of another."""
SEED_DAY = Usage(starts_per_day=0.0, mean_replicas=11.583, accelerators=8, surge=SURGE)
"""The seed day: 72 + 40 × 9/24 requests/s in the mean, 7.5 per replica of 8 GPUs."""


def cure(name: str) -> Cure:
    return next(each for each in CURES if each.name == name)


class TestWeights:
    def test_141_gb_at_1_gb_a_second_is_about_two_and_a_half_minutes(self) -> None:
        assert weights_bytes(70.5e9) == 141e9
        assert transfer_s(weights_bytes(70.5e9), 1e9) / 60.0 == pytest.approx(2.35)

    def test_fp8_halves_it(self) -> None:
        assert transfer_s(weights_bytes(70.5e9, bits=8), 1e9) == 70.5

    def test_local_disk_of_several_gb_a_second_is_well_under_a_minute(self) -> None:
        assert transfer_s(141e9, 5e9) == pytest.approx(28.2)


class TestTotal:
    def test_sums(self) -> None:
        whole = total((Phase("a", 100.0, 130.0), Phase("b", 50.0, 90.0)))
        assert whole == (150.0, 220.0, 200.0)  # 30 and 40 as squares: 50

    def test_one_phase_is_itself(self) -> None:
        assert total((Phase("start-up", 180.0, 240.0),)) == (180.0, 240.0, 240.0)

    def test_nothing(self) -> None:
        assert total(()) == (0.0, 0.0, 0.0)

    def test_a_percentile_below_the_median_is_the_median(self) -> None:
        assert total((Phase("a", 100.0, 90.0),)) == (100.0, 100.0, 100.0)

    def test_independent_figure_is_exact_for_normal_phases(self) -> None:
        draws = np.random.default_rng(7).normal([100.0, 50.0], [20.0, 10.0], (200_000, 2))
        z = 1.2815515655
        phases = (Phase("a", 100.0, 100.0 + z * 20.0), Phase("b", 50.0, 50.0 + z * 10.0))
        whole = total(phases)
        assert whole.p90_independent_s == pytest.approx(float(np.quantile(draws.sum(axis=1), 0.9)), rel=0.002)

    def test_independent_figure_is_some_percent_low_for_skewed_phases(self) -> None:
        z = 1.2815515655
        draws = np.exp(np.random.default_rng(7).normal(0.0, 0.5, (200_000, 5)))
        whole = total([Phase(str(i), 1.0, float(np.exp(z * 0.5))) for i in range(5)])
        true_p90 = float(np.quantile(draws.sum(axis=1), 0.9))
        assert 0.90 * true_p90 < whole.p90_independent_s < true_p90 < whole.p90_s

    def test_sum_is_exact_where_all_are_slow_together(self) -> None:
        slow = np.exp(np.random.default_rng(7).normal(0.0, 0.5, 200_000))
        z = 1.2815515655
        p90 = float(np.exp(z * 0.5))
        whole = total((Phase("a", 100.0, 100.0 * p90), Phase("b", 50.0, 50.0 * p90)))
        assert whole.p90_s == pytest.approx(float(np.quantile(150.0 * slow, 0.9)), rel=0.01)


class TestProbeBudget:
    def test_twice_the_90th_percentile_between_two_and_three_medians(self) -> None:
        assert probe_budget((Phase("start-up", 180.0, 240.0),)) == ProbeBudget(480, 3, 160)

    @pytest.mark.parametrize(
        ("p90_s", "budget_s"),
        [(100.0, 200), (120.0, 240), (150.0, 300), (180.0, 300), (200.0, 300), (300.0, 450)],
    )
    def test_limits(self, p90_s: float, budget_s: int) -> None:
        assert probe_budget((Phase("start-up", 100.0, p90_s),)).budget_s == budget_s

    def test_what_ends_before_the_container_starts_is_not_in_it(self) -> None:
        inside = tuple(phase for phase in LLAMA_70B if phase.name not in ("node", "image-pull"))
        assert probe_budget(LLAMA_70B) == probe_budget(inside)
        assert probe_budget(LLAMA_70B).period_s == 7

    def test_a_fast_start_is_noticed_fast_and_a_slow_one_by_kubernetes_default(self) -> None:
        assert probe_budget((Phase("wake", 20.0, 25.0),)).period_s == 1
        assert probe_budget((Phase("start-up", 720.0, 900.0),)).period_s == 10

    def test_a_published_loop_of_death_would_not_have_happened(self) -> None:
        # 159 s to ready, killed by a startup probe of 150 s
        # (https://github.com/vllm-project/vllm/issues/17386)
        assert probe_budget((Phase("start-up", 159.0, 170.0),)).budget_s >= 2 * 159

    def test_nothing_known(self) -> None:
        assert probe_budget(()) == ProbeBudget(1, 1, 1)


class TestSaving:
    @pytest.mark.parametrize(
        ("before_s", "after_s", "simulated"), [(180.0, 20.0, 3_043 - 2_629), (720.0, 180.0, 3_178 - 3_043)]
    )
    def test_headroom_formula_agrees_with_the_simulated_seed_day(
        self, before_s: float, after_s: float, simulated: float
    ) -> None:
        faster = Cure("faster", "be faster", (("start up", after_s / before_s),), "")
        saved = saving((Phase("start-up", before_s, before_s),), faster, SEED_DAY)
        assert saved.saved_s == pytest.approx(before_s - after_s)
        assert saved.headroom_gpu_hours_per_day == pytest.approx(simulated, rel=0.05)

    def test_starts_pay_for_each_second(self) -> None:
        usage = Usage(starts_per_day=90.0, mean_replicas=10.0, accelerators=8)
        saved = saving(LLAMA_70B, cure("a kept compile cache"), usage)
        assert saved.saved_s == pytest.approx(60.8 * (1 - 0.265))
        assert saved.start_gpu_hours_per_day == pytest.approx(90 * 8 * saved.saved_s / 3600)
        assert saved.headroom_gpu_hours_per_day == 0.0
        assert saved.gpu_hours_per_day == saved.start_gpu_hours_per_day

    def test_reason(self) -> None:
        usage = Usage(starts_per_day=36.0, mean_replicas=10.0, accelerators=1)
        halved = Cure("half", "halve it", (("start up", 0.5),), "")
        assert saving((Phase("start-up", 200.0, 200.0),), halved, usage).reason == (
            "half would take start-up from 200 s to 100 s and save 1.0 GPU-hours a day: 1.0 of starting,"
            " 0.0 of headroom"
        )

    def test_a_start_longer_than_the_ramp_saves_no_headroom_until_it_is_shorter(self) -> None:
        halved = Cure("half", "halve it", (("start up", 0.5),), "")
        assert saving((Phase("start-up", 720.0, 720.0),), halved, SEED_DAY).headroom_gpu_hours_per_day == 0.0


class TestCuresOnAPublishedStart:
    @pytest.mark.parametrize(
        ("name", "seconds"),
        [
            ("a streaming loader", 212.7 - 92.1),
            ("a streaming loader with sharded weights", 212.7 - 27.2),
            ("weights on a local disk", 196.5),
            ("FP8 weights", 212.7 / 2),
            ("a kept compile cache", 60.8 - 16.1),
            ("the image pulled beforehand", 101.0),
            ("a node kept warm", 284.0),
        ],
    )
    def test_seconds(self, name: str, seconds: float) -> None:
        saved = saving(LLAMA_70B, cure(name), SEED_DAY)
        assert saved.saved_s == pytest.approx(seconds, rel=0.005)

    def test_most_seconds_first(self) -> None:
        names = [each.cure.name for each in savings(LLAMA_70B, SEED_DAY)]
        assert names == [
            "a node kept warm",
            "weights on a local disk",
            "a streaming loader with sharded weights",
            "a streaming loader",
            "FP8 weights",
            "the image pulled beforehand",
            "a kept compile cache",
        ]

    def test_percentiles_shrink_too(self) -> None:
        after = phases_after(LLAMA_70B, cure("weights on a local disk"))
        assert Phase("download", 0.0, 0.0) in after
        assert Phase("weights", 16.2, 20.0) in after

    def test_a_cure_that_is_in_place_is_not_proposed_again(self) -> None:
        after = phases_after(LLAMA_70B, cure("a node kept warm"))
        assert "a node kept warm" not in [each.cure.name for each in savings(after, SEED_DAY)]


class TestFirstAttack:
    def test_where_a_cure_saves_most(self) -> None:
        attack = first_attack(LLAMA_70B[2:], SEED_DAY)
        assert attack is not None
        assert attack.phase == "download"
        assert attack.saving is not None
        assert attack.saving.cure.name == "weights on a local disk"
        assert attack.reason.startswith(
            "download takes 196 of 356 s; keep the weights on a disk of the node:"
        )

    def test_not_simply_the_longest(self) -> None:
        attack = first_attack((Phase("boot", 300.0, 300.0), Phase("compile", 60.0, 60.0)), SEED_DAY)
        assert attack is not None
        assert attack.phase == "compile"

    def test_one_figure_has_to_be_measured_first(self) -> None:
        attack = first_attack((Phase("start-up", 180.0, 240.0),), SEED_DAY)
        assert attack is not None
        assert attack.saving is None
        assert (
            attack.reason == "start-up takes 180 s; measured by phases, it would show what can be shortened"
        )

    def test_no_cure_known(self) -> None:
        attack = first_attack((Phase("boot", 60.0, 70.0), Phase("graphs", 16.0, 18.0)), SEED_DAY)
        assert attack is not None
        assert (attack.phase, attack.saving) == ("boot", None)
        assert attack.reason == "boot takes 60 s; no cure is known for it"

    def test_nothing(self) -> None:
        assert first_attack((), SEED_DAY) is None
