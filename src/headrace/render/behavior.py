"""How an HPA may act (KEDA passes the same on to the HPA that it makes)."""

from __future__ import annotations

from headrace.decide.owner import SYNC_S, behavior
from headrace.render.asked import TOLERANCE_SINCE
from headrace.render.ignored import TOLERANT_REPLICAS, ignored
from headrace.render.noted import Noted, Tree
from headrace.render.setting import Setting
from headrace.units import number_text


def scaling_behavior(setting: Setting) -> dict[str, Tree]:
    """What stands under ``scaleUp`` and ``scaleDown``."""
    scale = setting.fleet.scale
    found = behavior(scale, scale.max_replicas)
    up: dict[str, Tree] = {
        "stabilizationWindowSeconds": Noted(0, "Up at once: a replica ordered late is there late."),
        "selectPolicy": "Max",
        "policies": [
            {
                "type": "Pods",
                "value": Noted(found.up_pods, "As many as are missing: spec.scale.max."),
                "periodSeconds": SYNC_S,
            }
        ],
    }
    down: dict[str, Tree] = {
        "stabilizationWindowSeconds": Noted(
            found.down_window_s,
            "Down to the highest want of this long: a replica kept too long costs little, one removed too "
            "early a cold start under load. Ten minutes, longer by spec.scale.downWindow.",
        ),
        "selectPolicy": "Max",
        "policies": [
            {
                "type": "Pods",
                "value": found.down_pods,
                "periodSeconds": Noted(
                    found.down_period_s,
                    "One replica per two minutes, so that each can drain; slower by spec.scale.downInterval.",
                ),
            }
        ],
    }
    if found.tolerance is not None and _takes_tolerance(setting):
        note = (
            f"Half of one replica's share of {scale.max_replicas} (spec.scale.max): the usual 10 % would "
            "swallow one replica more or less from ten up."
        )
        for rules in (up, down):
            rules["tolerance"] = Noted(number_text(found.tolerance), note)
    return {"scaleUp": up, "scaleDown": down}


def tolerance_note(setting: Setting) -> str:
    """Why no tolerance stands in the behavior; empty where it does, or isn't needed."""
    most = setting.fleet.scale.max_replicas
    if most <= TOLERANT_REPLICAS or _takes_tolerance(setting):
        return ""
    release = ".".join(map(str, setting.asked.kubernetes))
    since = ".".join(map(str, TOLERANCE_SINCE))
    note = f"Kubernetes {release} drops behavior.*.tolerance (from {since} on: --kubernetes {since}), "
    note += "so its 10 % swallow one replica more or less from ten up."
    return f"{note}\n{ignored('scale-tolerance', f'Kubernetes {release} has no tolerance')}"


def _takes_tolerance(setting: Setting) -> bool:
    return setting.asked.kubernetes >= TOLERANCE_SINCE
