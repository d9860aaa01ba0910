"""Probes for a server that takes minutes to start, as rules judge and mend them."""

from __future__ import annotations

import math

from headrace.lint.change import AddKey, Change
from headrace.lint.known import Known
from headrace.manifest.probe import PERIOD_S, Probe
from headrace.manifest.server import Server
from headrace.manifest.tree import has, raw


def kills_loading(server: Server, known: Known) -> Probe | None:
    """The liveness probe that kills the server while it loads; None: there is none, or it is not known."""
    live = server.probe("livenessProbe")
    if live is None or has(server.node, "startupProbe") or live.budget_s is None:
        return None
    return live if live.budget_s < known.budget_s(server) else None


def startup_changes(server: Server, known: Known) -> tuple[Change, ...]:
    """A startup probe with the check of readiness or liveness; nothing where neither asks by HTTP."""
    check = _http_get(server)
    failures = math.ceil(known.budget_s(server) / PERIOD_S)
    if check is None:
        return ()
    value = f"httpGet:\n{check}\nperiodSeconds: {PERIOD_S}\nfailureThreshold: {failures}"
    return (AddKey(server.node, "startupProbe", value),)


def readiness_changes(server: Server) -> tuple[Change, ...]:
    """A readiness probe with the check of another probe; nothing where none asks by HTTP."""
    check = _http_get(server)
    return () if check is None else (AddKey(server.node, "readinessProbe", f"httpGet:\n{check}"),)


def _http_get(server: Server) -> str | None:
    for name in ("readinessProbe", "startupProbe", "livenessProbe"):
        probe = server.probe(name)
        if probe is not None and probe.check[:1] == ("httpGet",):
            scheme = raw(probe.node, "httpGet", "scheme")
            lines = [f"  path: {probe.check[1]}", f"  port: {probe.check[2]}"]
            return "\n".join([*lines, *([f"  scheme: {scheme}"] if scheme else [])])
    return None
