"""Liveness never acts before readiness has had its say."""

from __future__ import annotations

from headrace.decide.probes import LIVENESS, READINESS


def test_liveness_is_far_more_patient() -> None:
    assert READINESS.patience_s == 10
    assert LIVENESS.patience_s == 120


def test_a_probe_is_answered_before_the_next() -> None:
    for probe in (READINESS, LIVENESS):
        assert probe.timeout_s < probe.period_s
