"""The simulator as this machine can run it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from headrace.cli.kernels import kernel_cache
from headrace.simulate import compiled
from headrace.simulate.inputs import Setting, Traffic, inputs
from headrace.simulate.policies import POLICIES
from headrace.simulate.runner import Runner


def runner(*, interpret: bool) -> tuple[Runner, tuple[str, ...]]:
    """The runner, and a note where it is slower than it could be."""
    if interpret:
        return Runner(interpret=True), ("Interpreted, as asked (--interpret).",)
    if not compiled.available():
        return Runner(interpret=True), (
            "Interpreted: numba is not installed (pip install 'headrace[simulate]' makes it hundreds of times faster).",
        )
    cache = kernel_cache()
    if cache is None:
        return Runner(None), (
            "The compiled simulator can't be kept: the cache folder is not ours to write to.",
        )
    _remove_damaged(cache)
    return Runner(cache), ()


def _remove_damaged(cache: Path) -> None:
    """Kept kernels that can't be loaded (a disk that was full, a power cut): they are compiled again."""
    if not compiled.is_kept(cache):
        return
    setting = Setting()
    rule = POLICIES[0].rule(0.0, setting)
    try:
        Runner(cache).tally(rule, setting, inputs(rule, setting, Traffic(np.ones(2), np.ones(2), np.ones(2))))
    except Exception:  # unpickling other bytes can raise anything
        compiled.run.cache_clear()
        shutil.rmtree(compiled.folder(cache), ignore_errors=True)
