"""Reads the world and hands over nouns: a series, a snapshot, a start-up measured by phase.

Belongs here: one module for each thing that can be read (histories in files, a metrics page, a log, a
process), its translation of that library's errors into ObserveError or InputError, and telling a hole from a
zero.

Does not belong here: a judgement on what was read (that is `decide`), a change to the world (that is `act`),
filling holes with guesses, wording for a terminal (that is `cli`).
"""
