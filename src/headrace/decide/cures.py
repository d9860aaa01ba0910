"""What is known to shorten which phase of start-up: a table of published measurements.

Only figures are taken from the sources. A ratio is the share of a phase's time that is left; where several
were published, the least favourable one stands here.
"""

from __future__ import annotations

from typing import NamedTuple

_RAY_SERVE = "https://github.com/anyscale/ray-serve-llm-perf-examples"
_STREAMER = "https://github.com/run-ai/runai-model-streamer"

_KINDS: dict[str, tuple[str, ...]] = {
    "decision": ("decision", "lag", "scheduling"),
    "node": ("node", "node provision", "node init", "provision", "provisioning"),
    "image": ("image", "image pull", "pull"),
    "boot": ("boot", "container", "container boot", "framework boot", "import", "imports"),
    "download": ("download", "weights download", "downloading"),
    "weights": ("weights", "weights load", "weight loading", "load", "loading", "model load"),
    "compile": ("compile", "compilation", "torch compile", "torch.compile"),
    "engine": ("engine", "engine init", "init engine"),
    "profile": ("profile", "profiling", "kv", "kv cache"),
    "graphs": ("graphs", "cuda graphs", "graph capture", "cudagraph"),
    "warm up": ("warm up", "warmup", "first request"),
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}


class Cure(NamedTuple):
    """One way to shorten a start."""

    name: str
    what: str
    """What to do, as an order."""
    remaining: tuple[tuple[str, float], ...]
    """Pairs of a kind of phase and the share of its time that is left (0 to 1)."""
    source: str
    """Where the figures are from, and which they are."""


CURES: tuple[Cure, ...] = (
    Cure(
        "a node kept warm",
        "keep a node free by placeholder pods that give way (its accelerators are paid all day)",
        (("node", 0.0),),
        "by construction: nothing is provisioned; it cost 284 s and 126 s of initialisation for 27B on one"
        " A100 (https://github.com/kaito-project/kaito/issues/2325)",
    ),
    Cure(
        "the image pulled beforehand",
        "pull the image on every node before it is needed",
        (("image", 0.0),),
        "by construction: nothing is pulled; 5.6 GB took 101 s from a registry of the same cloud"
        " (https://github.com/kaito-project/kaito/issues/2325)",
    ),
    Cure(
        "weights on a local disk",
        "keep the weights on a disk of the node",
        (("download", 0.0),),
        f"70B on four GPUs: of 212.7 s, 196.5 were download and 16 loading from disk ({_RAY_SERVE})",
    ),
    Cure(
        "a streaming loader",
        "stream safetensors from object storage into GPU memory",
        # 92.1 / 212.7; from a disk 14.34 / 47.99 = 0.30 for 8B
        (("download", 0.433), ("weights", 0.433)),
        f"70B on four GPUs: download and loading 212.7 s, streamed 92.1 s ({_RAY_SERVE}); 8B from a cloud"
        f" disk: 48.0 s, streamed 14.3 s ({_STREAMER}, docs/src/benchmarks.md)",
    ),
    Cure(
        "a streaming loader with sharded weights",
        "save the checkpoint sharded for the tensor-parallel size and stream it",
        # 27.2 / 212.7; 235B on eight GPUs: 77.5 / 758.2 = 0.10
        (("download", 0.128), ("weights", 0.128)),
        f"70B on four GPUs: 212.7 s, streamed by shard 27.2 s; 235B on eight: 758.2 s, 77.5 s ({_RAY_SERVE})",
    ),
    Cure(
        "FP8 weights",
        "serve an FP8 checkpoint where its quality is good enough",
        (("download", 0.5), ("weights", 0.5)),
        "arithmetic: half the bytes of 16-bit weights",
    ),
    Cure(
        "a kept compile cache",
        "mount a volume for the engine's compile cache (~/.cache/vllm)",
        # 16.1 / 60.8; 235B: 22.7 / 113.0 = 0.20; a 3.35 GiB model: 8.69 / 45.81 = 0.19. Engine: 44.6 / 91.8,
        # 88.2 / 170.5 = 0.52 and 47.64 / 90.84 = 0.52
        (("compile", 0.265), ("engine", 0.525)),
        f"70B: compile 60.8 s, from the cache 16.1 s; 235B: engine 170.5 s, 88.2 s ({_RAY_SERVE}); 3.35 GiB:"
        f" compile 45.8 s, 8.7 s; engine 90.8 s, 47.6 s ({_STREAMER}/issues/67)",
    ),
)
"""Sleep mode is not among them: it wakes in 0.3 to 3 s what was loaded once on the same accelerators, so it
swaps models and adds no replica. Nor is running without CUDA graphs, which starts sooner and decodes slower
for good."""


def phase_kind(name: str) -> str:
    """The kind of a phase, from the name that it was given; a name that is not known is its own kind."""
    plain = " ".join(name.lower().replace("-", " ").replace("_", " ").split())
    return _KIND_OF.get(plain, plain)
