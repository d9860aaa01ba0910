"""The simulator as this machine can run it."""

from __future__ import annotations

from headrace.cli.kernels import kernel_cache
from headrace.cli.wanted import Wanted
from headrace.simulate import compiled
from headrace.simulate.runner import Runner


def runner(asked: Wanted) -> tuple[Runner, tuple[str, ...]]:
    """The runner, and a note where it is slower than it could be."""
    if asked.interpret:
        return Runner(interpret=True), ("Interpreted, as asked (--interpret).",)
    if not compiled.available():
        return Runner(interpret=True), (
            "Interpreted: numba is not installed (pip install 'headrace[simulate]' makes this 500 times faster).",
        )
    cache = kernel_cache()
    if cache is None:
        return Runner(None), (
            "The compiled simulator can't be kept: the cache folder is not ours to write to.",
        )
    return Runner(cache), ()
