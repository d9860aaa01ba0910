"""How findings are written out: for people, for programs, for code scanners, for a CI's annotations.

Belongs here: pure functions from findings to text, one module a format.

Does not belong here: choosing findings, exit codes, files.
"""
