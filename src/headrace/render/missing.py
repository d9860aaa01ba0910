"""Which key of the file is missing for what is asked for: one sentence, or nothing."""

from __future__ import annotations

from typing import NamedTuple

from headrace.decide.cures import phase_kind
from headrace.decide.rollout import start_deadline_s
from headrace.decide.startup import BEFORE_CONTAINER
from headrace.documents import Steps
from headrace.render.asked import Asked
from headrace.render.setting import Setting
from headrace.spec import ModelFleet, Server
from headrace.units import duration_text


class Missing(NamedTuple):
    """What must be written, and where."""

    path: Steps
    problem: str


def missing(fleet: ModelFleet, asked: Asked) -> Missing | None:
    """The first thing that a rendering lacks; None where nothing is."""
    server = fleet.server
    if server is None:
        problem = "is missing; write what runs in a replica, at least image, model and cache (docs/config.md)"
        return Missing(("spec", "server"), problem)
    return _of_server(fleet, server, asked) or _of_fleet(fleet)


def _of_server(fleet: ModelFleet, server: Server, asked: Asked) -> Missing | None:
    if asked.wants("deployment") and not (server.cache_claim or server.cache_path):
        problem = "is missing; write claim (a PersistentVolumeClaim) or hostPath (a folder of the node)"
        return Missing(("spec", "server", "cache"), problem)
    setting = Setting(fleet=fleet, server=server, asked=asked)
    if fleet.drain.mode == "native" and setting.not_native and asked.wants("deployment"):
        return Missing(
            ("spec", "drain", "mode"), f"native is not possible: {setting.not_native}; write idle or auto"
        )
    return None


def _of_fleet(fleet: ModelFleet) -> Missing | None:
    if fleet.autoscaler.kind == "keda" and not fleet.autoscaler.prometheus:
        problem = "is missing; write the address of the Prometheus that KEDA asks"
        return Missing(("spec", "autoscaler", "prometheus"), problem)
    inside = sum(p.median_s for p in fleet.start.phases if phase_kind(p.name) not in BEFORE_CONTAINER)
    if inside <= 0.0:
        problem = "holds no phase inside the container (such as boot, weights, compile), by which its probe is sized"
        return Missing(("spec", "start"), problem)
    least_s, given_s = start_deadline_s(fleet.start.phases), fleet.rollout.deadline_s
    if given_s is not None and given_s < least_s:
        problem = f"{duration_text(given_s)} is below the {duration_text(least_s)} that a start may take (spec.start)"
        return Missing(
            ("spec", "rollout", "deadline"), f"{problem}, so that good rollouts would be reported as stuck"
        )
    return None
