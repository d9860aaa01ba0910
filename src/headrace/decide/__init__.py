"""Decides, and does nothing else: numbers and frozen values in, numbers, verdicts and reasons out.

Belongs here: the one function for each number (capacity, demand, headroom, the scaling rule, start-up, the
victim, allotment) and `step`, which puts them together. The controller, the simulator, the renderer, the
linter and the dashboard all call these, so what is simulated is what runs.

Does not belong here: a clock (`snapshot.at_s` is the only one), a random draw (draws are arguments), a log
line (reasons are returned), a file, a socket, an exception for bad input (the edges have checked it), a
Python object in a function that `simulate.compiled` compiles.
"""
