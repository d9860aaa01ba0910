"""Baselines: what was there before stays silent wherever its lines move, and what is new is shown."""

from __future__ import annotations

import pytest
from tests.lint.manifests import deployment, found

from headrace.errors import InputError
from headrace.lint.baseline import baseline_text, new_findings, read_baseline


def test_moved_lines_stay_silent_and_new_findings_show() -> None:
    before = found(deployment())
    known = read_baseline(baseline_text(before), "b.json")
    assert not new_findings(found("# a comment\n\n" + deployment()), known)
    worse = new_findings(found(deployment("strategy: {type: Recreate}")), known)
    assert [each.rule for each in worse] == ["strategy-recreate"]


def test_counts_matter() -> None:
    one = found(deployment())
    two = found(deployment() + "---\n" + deployment())
    fresh = new_findings(two, read_baseline(baseline_text(one), "b.json"))
    assert len(fresh) == len(two) - len(one)
    assert all(each.mark.line > 15 for each in fresh), "the later ones are the new ones"


def test_a_baseline_is_the_same_for_the_same_findings() -> None:
    everything = found(deployment())
    assert baseline_text(everything) == baseline_text(tuple(reversed(everything)))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 2, "findings": []}', '{"version": 1, "findings": [{}]}', "{"]
)
def test_what_is_no_baseline_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"b\.json"):
        read_baseline(text, "b.json")
