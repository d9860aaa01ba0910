"""The preStop hook of the pod, and why it is the one it is."""

from __future__ import annotations

from headrace import hook
from headrace.decide.grace import GRACE_BEFORE_S
from headrace.render.noted import Noted, Tree
from headrace.render.setting import Setting


def the_hook(setting: Setting) -> hook.Hook:
    """What the hook is told: port, waits, metrics."""
    if setting.is_native:
        return hook.Hook(setting.port, GRACE_BEFORE_S)
    names = [metric.name for metric in (*setting.engine.running, *setting.engine.waiting)]
    return hook.Hook(setting.port, GRACE_BEFORE_S, setting.drain_s, tuple(names))


def pre_stop(setting: Setting) -> dict[str, Tree]:
    """``lifecycle.preStop``."""
    words: list[Tree] = list(hook.command(the_hook(setting)))
    return {"exec": {"command": Noted(words, _note(setting))}}


def _note(setting: Setting) -> str:
    starting = "A pod that is still starting has nothing to drain: it ends at once."
    before = f"A serving pod first waits {GRACE_BEFORE_S:g} s, until the routers have dropped it."
    if setting.is_native:
        return f"{before} Then SIGTERM, and the server ends what runs. {starting}"
    why = setting.not_native or "asked for by spec.drain.mode"
    programs = ", ".join(" or ".join(group) for group in hook.needs(the_hook(setting)))
    return (
        f"{before} Then it waits until nothing runs or waits, for at most N {setting.drain_s} s "
        f"(spec.scale.drain), since the server does not drain by itself here: {why}. {starting} The image "
        f"needs: {programs}."
    )
