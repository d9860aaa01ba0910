"""Models fitted apart and put together are in the order they were given; what one fit frees the next one finds."""

from __future__ import annotations

import platform
import subprocess
import sys

import numpy as np
import pytest

from headrace.decide import forecast
from headrace.decide.forecast.batches import joined

SLOTS = 24


def test_fits_are_joined_model_by_model() -> None:
    history = 10.0 + np.random.default_rng(0).uniform(size=(5, 9 * SLOTS))
    parts = [forecast.fit(history[rows], SLOTS, (1, 2)) for rows in (slice(0, 2), slice(2, 5))]
    whole = joined(parts)
    assert whole.horizons == (1, 2)
    assert whole.windows_per_day == SLOTS
    assert (whole.offset == np.concatenate([part.offset for part in parts])).all()
    assert (whole.steps[1].upper.weights[2:] == parts[1].steps[1].upper.weights).all()
    assert (whole.start.logs[:2] == parts[0].start.logs).all()
    assert whole.start.at == -1


FITS = """
import resource
import numpy as np
from headrace.decide import forecast

demand = np.random.default_rng(1).uniform(50.0, 100.0, (16, 14 * 288))
for models in (1, 16):
    for _ in range(3):
        forecast.fit(demand[:models], 288)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    forecast.fit(demand, 288)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="other C libraries keep freed memory by other rules"
)
def test_freed_memory_is_kept_for_the_next_fit() -> None:
    done = subprocess.run([sys.executable, "-c", FITS], capture_output=True, text=True, check=True)
    # some 2,300 pages a fit, a third of its CPU, where they were given back and fetched again
    assert int(done.stdout) < 10 * 100
