"""The command line of the server: one argument an item, so that each can carry the reason for its number."""

from __future__ import annotations

from typing import Final

from headrace.decide.cures import CURES
from headrace.decide.startup import phases_after, total
from headrace.render.noted import Noted, Tree
from headrace.render.setting import Setting

_STORES: Final = ("s3://", "gs://")
STREAMER: Final = "runai_streamer"
"""Streams safetensors from an object store into the accelerator; the one loader that all our engines have."""
LEAST_SAVING: Final = 0.1
"""Share of a start that a change must save to be spoken of."""
_STREAMING: Final = next(cure for cure in CURES if cure.name == "a streaming loader")
_ALWAYS: Final = {
    # listens on the pod's own address only when told to, and shows metrics only when told to
    "sglang": ("--host=0.0.0.0", "--enable-metrics"),
}


def command(setting: Setting) -> list[Tree]:
    """The words before the arguments: no shell, so that SIGTERM reaches the server itself."""
    words = setting.launch.commands[0]
    return list(words) if "." not in words[0] else ["python3", "-m", *words]


def arguments(setting: Setting) -> list[Tree]:
    """Model, names, sizes, drain, then what the file adds."""
    launch, server, capacity = setting.launch, setting.server, setting.fleet.capacity
    model = server.model if launch.model_is_bare else f"{launch.model_flags[0]}={server.model}"
    advice = _advice(setting)
    made: list[Tree] = [
        Noted(model, advice) if advice else model,
        f"{launch.served_name[0]}={setting.served_name}",
        f"{launch.port_flags[0]}={setting.port}",
        *_ALWAYS.get(setting.engine.name, ()),
        Noted(
            f"{launch.slots[0]}={capacity.slots}",
            "Requests that one engine runs at once: spec.capacity.slots. The autoscaler's target, the "
            "alerts and the dashboard follow it; change it there and render again.",
        ),
    ]
    made += _sizes(setting)
    made += _loader(setting)
    if setting.is_native:
        made.append(
            Noted(
                f"{launch.shutdown_timeout[0]}={setting.drain_s}",
                "N: after SIGTERM requests in flight go on for so long; without it they are aborted at "
                "once. From spec.scale.drain.",
            )
        )
    return [*made, *server.args]


def tensor_parallel(setting: Setting) -> int:
    """Accelerators that share each layer."""
    capacity, server = setting.fleet.capacity, setting.server
    left = capacity.accelerators // (capacity.data_parallel * server.pipeline_parallel)
    return left if server.tensor_parallel is None else server.tensor_parallel


def _advice(setting: Setting) -> str:
    """What a streaming loader would save of the measured start-up; empty where one is used, or little is saved."""
    phases = setting.fleet.start.phases
    if _loader(setting) or not setting.launch.streaming_formats:
        return ""
    before_s = total(phases).median_s
    after_s = total(phases_after(phases, _STREAMING)).median_s
    if before_s - after_s < LEAST_SAVING * before_s:
        return ""
    return (
        f"A streaming loader (spec.server.loader: {STREAMER}) would take a start from {before_s:.0f} s to "
        f"{after_s:.0f} s, by published figures (those of decide.cures; measure yours)."
    )


def _sizes(setting: Setting) -> list[Tree]:
    launch, capacity = setting.launch, setting.fleet.capacity
    sizes = (
        (
            launch.tensor,
            tensor_parallel(setting),
            "accelerators that share each layer: spec.server.tensorParallel",
        ),
        (launch.pipeline, setting.server.pipeline_parallel, "stages of layers: spec.server.pipelineParallel"),
        (launch.data_parallel, capacity.data_parallel, "engines in one replica: spec.capacity.dataParallel"),
        (launch.api_servers, setting.server.api_servers, "API processes: spec.server.apiServers"),
    )
    return [
        Noted(f"{flags[0]}={value}", why[0].upper() + why[1:] + ".")
        for flags, value, why in sizes
        if flags and value > 1
    ]


def _loader(setting: Setting) -> list[Tree]:
    launch, server = setting.launch, setting.server
    if not launch.load_format:
        return []
    if server.loader:
        return [f"{launch.load_format[0]}={server.loader}"]
    if server.model.startswith(_STORES):
        why = "The model stands in an object store: stream it instead of downloading it first (spec.server.loader)."
        return [Noted(f"{launch.load_format[0]}={STREAMER}", why)]
    return []
