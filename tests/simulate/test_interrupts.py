"""An interrupt while a compiled kernel runs raises KeyboardInterrupt afterwards; it does not end the process."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import random, signal
import numpy as np
from headrace.simulate.inputs import Setting, inputs, past_curve
from headrace.simulate.policies import HPA
from headrace.simulate.runner import Runner

signal.signal(signal.SIGALRM, signal.default_int_handler)
runner, setting = Runner(), Setting()
runner.worth_compiling_ticks = 0
demand = np.abs(np.sin(np.arange(60480) / 3000)) * 100 + 5
rule = HPA.rule(0.3, setting)
read = inputs(rule, setting, past_curve(demand, setting))
runner.tally(rule, setting, read)
draw = random.Random(1)
for _ in range(200):
    try:
        signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-4, 8e-3))
        while True:
            runner.tally(rule, setting, read)
    except KeyboardInterrupt:
        pass
print("survived")
"""


def test_two_hundred_interrupts_are_survived() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "survived\n"), done.stderr[-500:]
