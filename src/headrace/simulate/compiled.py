"""The fluid simulation compiled by numba: the very functions of `fluid` and of `decide.scale`, nothing else.

numba's own cache does not notice an edit in a function that the kernel calls, so the cache folder carries a hash of
every source that is compiled: an edit is never answered by a stale kernel.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from headrace import spec
from headrace.decide import scale
from headrace.errors import MissingExtra
from headrace.simulate import fluid, lanes

SOURCES = (spec, scale, fluid, lanes)
"""Modules whose text a kernel is made of, besides this one."""


@lru_cache(maxsize=1)
def source_key() -> str:
    """A hash of the sources, this module's too, and of the versions that compile them; 16 hex digits."""
    digest = hashlib.sha256(f"{sys.version} {np.__version__} {version('numba')}".encode())
    for name in [module.__file__ for module in SOURCES] + [__file__]:
        digest.update(Path(str(name)).read_bytes())
    return digest.hexdigest()[:16]


def available() -> bool:
    """Whether numba can be imported; it is an extra, and the simulation runs interpreted without it."""
    return importlib.util.find_spec("numba") is not None


def folder(cache: Path) -> Path:
    """Where kernels of today's sources are kept."""
    return cache / source_key()


def is_kept(cache: Path | None) -> bool:
    """Whether a compiled kernel is at hand: in this process, or kept by an earlier one."""
    if run.cache_info().currsize:
        return True
    return cache is not None and folder(cache).is_dir()


@lru_cache(maxsize=1)
def _numba(cache: Path | None) -> Any:
    """The library with the sources' functions registered, and its cache in a folder of their hash."""
    try:
        import numba
        from numba.extending import register_jitable
    except ImportError as absent:
        raise MissingExtra("the compiled simulation", "numba", "simulate") from absent
    if cache is not None:
        vars(numba.config)["CACHE_DIR"] = str(folder(cache))
    for module in (scale, fluid):
        for name, function in vars(module).items():
            if (
                callable(function)
                and getattr(function, "__module__", "") == module.__name__
                and name.islower()
            ):
                register_jitable(error_model="numpy")(function)
    return numba


@lru_cache(maxsize=4)
def run(cache: Path | None) -> Callable[..., tuple[float, float, float, float]]:
    """`fluid.run`, compiled.

    Args:
        cache: Folder that keeps compiled kernels from one process to the next; None: they are not kept.

    Raises:
        MissingExtra: numba is not installed.
    """
    kernel: Callable[..., tuple[float, float, float, float]] = _numba(cache).njit(
        fluid.run, error_model="numpy", cache=cache is not None
    )
    return kernel


@lru_cache(maxsize=4)
def run_lanes(cache: Path | None) -> Callable[..., None]:
    """`lanes.run_lanes`, compiled; arguments and errors as for `run`."""
    kernel: Callable[..., None] = _numba(cache).njit(
        lanes.run_lanes, error_model="numpy", cache=cache is not None
    )
    return kernel
