"""Runs `decide` on a world that is only arithmetic: seeded, synchronous, without a wall clock.

Belongs here: worlds that answer as a fleet would (fluid demand, single replicas), the compiled form of
decide's own functions, bounds on what any policy could reach, scores, and the search for a policy's numbers
by replay.

Does not belong here: a scaling rule written a second time (compile the one in `decide`), reading a history
(that is `observe`), drawing (that is `report`), progress bars, a policy's default numbers (they stand with
the rule).
"""
