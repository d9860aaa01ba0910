"""Finds in manifests what goes wrong with model servers: one rule a file, each its own page of documentation.

Belongs here: rules, findings, fixes as edits of a text, what is ignored, how findings are written out.

Does not belong here: reading files or the command line (`cli`), reading manifests (`manifest`), the arithmetic behind a
number (`decide`), what one engine is called (`engines`).
"""
