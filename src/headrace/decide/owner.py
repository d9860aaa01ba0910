"""The numbers of somebody else's autoscaler that owns the replica count: an HPA, alone or made by KEDA.

It sees running requests per pod, which end at the slots, so its target must leave room to be passed; it can't take a
drain back, so it goes down as the slow rules do, whatever headrace itself would dare.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from headrace.decide.rules import hpa, reactive
from headrace.decide.target import DEFAULT_RATIO, reachable_ratio
from headrace.spec import Scale

TOLERANCE = hpa(1.0).tolerance
"""What an HPA ignores unless told otherwise."""
LONGEST_WINDOW_S = 3_600
LONGEST_PERIOD_S = 1_800
"""The API takes no more."""
SYNC_S = int(hpa(1.0).sync_s)


class Behavior(NamedTuple):
    """How such an autoscaler may act."""

    up_pods: int
    """Most pods added in one `SYNC_S`: all that are missing."""
    down_window_s: int
    down_pods: int
    down_period_s: int
    tolerance: float | None
    """None: the 10 % are left as they are."""


def target_ratio(scale: Scale, asked: float | None) -> float:
    """Running requests per replica to aim at, as a share of its slots.

    The fleet's own target where it has one (`headrace plan` writes where a backlog begins), else the usual 60 %: a
    fleet's default of 100 % counts waiting requests too, which an HPA on running requests can't see.
    """
    wanted = asked if asked is not None else scale.target_ratio if scale.target_ratio < 1.0 else DEFAULT_RATIO
    return min(wanted, reachable_ratio(TOLERANCE))


def target_running(slots: int, ratio: float) -> float:
    """Running requests per replica: whole ones, but for a replica of very few slots; 0.6 of 256 is 153.

    Rounded down, so that what was reachable stays so; to a thousandth, the finest that Kubernetes counts, below ten.
    """
    exact = slots * ratio + 1e-9
    return float(math.floor(exact)) if exact >= 10.0 else max(0.001, math.floor(exact * 1000.0) / 1000.0)


def tolerance(most: int) -> float | None:
    """The tolerance at which one replica more or less of `most` still counts; None where the usual 10 % does.

    From ten replicas up, ±1 is within 10 %. Half of one replica's share: 0.02 for 24.
    """
    return None if most <= 10 else max(0.001, math.floor(500.0 / most) / 1000.0)


def behavior(scale: Scale, most: int) -> Behavior:
    """Up at once; down to the highest want of ten minutes, one replica per two minutes, or slower."""
    slow = reactive(1.0)
    return Behavior(
        up_pods=most,
        down_window_s=_whole(max(slow.down_window_s, scale.rule.down_window_s), LONGEST_WINDOW_S),
        down_pods=1,
        down_period_s=_whole(max(slow.down_interval_s, scale.rule.down_interval_s), LONGEST_PERIOD_S),
        tolerance=tolerance(most),
    )


def _whole(seconds: float, most_s: int) -> int:
    return min(most_s, math.ceil(seconds))
