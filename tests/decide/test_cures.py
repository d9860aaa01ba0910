"""The table of cures: names of phases, and ratios that can be true and name their source."""

from __future__ import annotations

import pytest

from headrace.decide.cures import CURES, Cure, phase_kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("weights", "weights"),
        ("Weights_Load", "weights"),
        ("image-pull", "image"),
        ("torch.compile", "compile"),
        ("CUDA graphs", "graphs"),
        ("warm-up", "warm up"),
        ("something of ours", "something of ours"),
        ("start-up", "start up"),
    ],
)
def test_phase_kind(name: str, kind: str) -> None:
    assert phase_kind(name) == kind


@pytest.mark.parametrize("cure", CURES, ids=lambda cure: cure.name)
def test_every_cure_leaves_a_share_of_known_phases_and_names_its_source(cure: Cure) -> None:
    for kind, ratio in cure.remaining:
        assert phase_kind(kind) == kind
        assert 0.0 <= ratio < 1.0
    assert "https://" in cure.source or cure.source.startswith("arithmetic")


def test_names_are_distinct() -> None:
    assert len({cure.name for cure in CURES}) == len(CURES)
