"""Law: lint finds nothing in what render writes, but what the file knows better, and that is said at its place."""

from __future__ import annotations

from functools import lru_cache

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.serving import served_fleets

from headrace.documents import parts
from headrace.engine import Engine
from headrace.lint import run
from headrace.lint.finding import Finding
from headrace.lint.ignore import kept
from headrace.lint.known import BUDGET_OF_START, TYPICAL_START_S, Known
from headrace.lint.rules import drain_grace_above_node_drain
from headrace.registry import registered
from headrace.render import Asked, stream
from headrace.render.ignored import NODE_DRAIN_S, TYPICAL_BUDGET_S
from headrace.spec import ModelFleet

SOURCE = "rendered.yaml"
MAY_BE_IGNORED = {"probe-startup-budget", "drain-grace-above-node-drain", "scale-tolerance"}
"""A measured start-up, an N that somebody chose, a cluster without tolerances: nothing else."""


@lru_cache
def engines() -> tuple[Engine, ...]:
    return tuple(registered("headrace.engines", "ENGINE", Engine).values())


def findings(text: str) -> list[Finding]:
    """What the rules find, whatever is to be ignored."""
    found = run.lint(parts(text, SOURCE), engines(), run.rules(), Known())
    return list(found.findings)


@given(served_fleets(), st.sampled_from([(1, 34), (1, 37)]))
def test_nothing_is_found_but_what_is_known_better(of: ModelFleet, kubernetes: tuple[int, int]) -> None:
    text = stream([of], Asked(kubernetes))
    found = findings(text)
    assert {each.rule for each in found} <= MAY_BE_IGNORED
    # no reason is missing, and none is given for what is not found
    assert kept(found, {SOURCE: text}) == ()


def test_the_limits_are_lints() -> None:
    assert TYPICAL_BUDGET_S == BUDGET_OF_START * TYPICAL_START_S
    assert NODE_DRAIN_S == drain_grace_above_node_drain.NODE_DRAIN_S
