"""Stands in for the world, for tests and rehearsals: a pod run as a kubelet runs it.

Belongs here: programs and harnesses that behave like something real, and say what they saw.

Does not belong here: decisions (that is `decide`), anything that a production path imports.
"""
