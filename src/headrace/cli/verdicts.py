"""One or two sentences of conclusion below a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from headrace.cli.figures import listed, target_text
from headrace.simulate.score import Score
from headrace.simulate.sweep import Cell
from headrace.units import duration_text


def at_equal_service(scores: Sequence[Score], over_ratio: float) -> list[str]:
    """Which policy is cheapest where all keep the same target, by how much, and how far from the bound."""
    bounds = [score for score in scores if score.is_bound]
    kept = sorted(
        (score for score in scores if not score.is_bound and score.over_ratio <= over_ratio),
        key=lambda score: score.gpu_hours,
    )
    failed = [score.policy for score in scores if score.gpu_hours != score.gpu_hours]
    at = f"At most {target_text(over_ratio)} of requests over" if over_ratio > 0 else "No request over"
    sentences = []
    if kept:
        best = kept[0]
        words = f"{at}: {best.policy} is cheapest, {best.gpu_hours:,.0f} GPU-hours"
        if len(kept) > 1:
            fixed = [
                score for score in kept[2:] if score.policy == "fixed"
            ]  # a fleet that is sized once, by hand
            rivals = [f"{less(best, other)} than {other.policy}" for other in (kept[1], *fixed)]
            words += f", {' and '.join(rivals)}"
        if bounds and bounds[0].gpu_hours > 0:
            words += f"; knowing the future would cost {bounds[0].gpu_hours:,.0f} (never over)"
        sentences.append(words + ".")
    if failed:
        sentences.append(f"{at}: no headroom is enough for {listed(failed)}.")
    return sentences


def less(best: Score, other: Score) -> str:
    """By how much `best` is cheaper: ``4.1 % less``; or dearer, where it had to do better: ``3.0 % more``."""
    if not other.gpu_hours > 0:
        return "no less"
    saved = 100 * (1 - best.gpu_hours / other.gpu_hours)
    return f"{abs(saved):,.1f} % {'less' if saved >= 0 else 'more'}"


def of_seed_day(scores: Sequence[Score]) -> list[str]:
    """The known-curve rule against the seed's rules and the bound, at three minutes of start-up."""
    warm = [score for score in scores if "warm" in score.policy and not score.is_bound]
    known = next((score for score in warm if score.policy.startswith("known curve")), None)
    if known is None:
        return []
    equal = [
        score
        for score in warm
        if score is not known
        and score.minutes_over <= known.minutes_over
        and score.requests_over <= known.requests_over
    ]
    minutes = f"{known.minutes_over:,.1f} minutes over" if known.minutes_over else "nobody over capacity"
    words = (
        f"With 3 minutes of start-up, the known-curve rule has {minutes} for {known.gpu_hours:,.1f} GPU-hours"
    )
    if equal:
        rival = min(equal, key=lambda score: score.gpu_hours)
        words += (
            f", {less(known, rival)} than the cheapest of the seed's rules that does as well ({rival.policy})"
        )
    else:
        words += "; none of the seed's rules with that start-up does as well"
    return [words + "."]


def of_sweep(cells: Sequence[Cell]) -> list[str]:
    """The default against an HPA at each start-up time: the largest fleet, the target in the middle."""
    swept = _compared(cells)
    costs = {(cell.policy, cell.startup_s): cell.cost_ratio for cell in swept}
    changes, saved = [], []
    for startup_s in dict.fromkeys(cell.startup_s for cell in swept):
        ours, hpa = (costs.get((policy, startup_s), math.nan) for policy in ("default", "hpa"))
        at = duration_text(startup_s)
        if math.isfinite(ours) and math.isfinite(hpa):
            change = 100 * (ours / hpa - 1)
            changes.append(f"{abs(change):.1f} % {'less' if change < 0 else 'more'} at {at} of start-up")
        elif math.isfinite(ours) and math.isinf(hpa):
            saved.append(at)
    sentences = []
    if changes:
        sentences.append(f"default costs, against hpa, {listed(changes)}")
    if saved:
        sentences.append(
            f"hpa fails at any headroom where start-up takes {listed(saved)}, and default does not"
        )
    if not sentences:
        return []
    where = (
        f"With {swept[0].replicas:g} replicas and at most {target_text(swept[0].over_ratio)} of requests over"
    )
    return [f"{where}, {'; '.join(sentences)}."]


def _compared(cells: Sequence[Cell]) -> list[Cell]:
    swept = [cell for cell in cells if not (cell.score and cell.score.is_bound)]
    replicas = max((cell.replicas for cell in swept), default=0.0)
    targets = sorted({cell.over_ratio for cell in swept})
    return [
        cell for cell in swept if cell.replicas == replicas and cell.over_ratio == targets[len(targets) // 2]
    ]
