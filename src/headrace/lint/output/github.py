"""Annotations of GitHub Actions: workflow commands on standard output."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.lint.finding import Finding
from headrace.units import printable

LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def github(findings: Sequence[Finding]) -> str:
    """One ``::error file=…::`` a finding; what a command ends with or is parted by is escaped."""
    return "".join(_one(each) for each in findings)


def _one(each: Finding) -> str:
    message = _escaped(printable(each.message + (f" ({each.help})" if each.help else "")))
    options = {
        "file": each.source,
        "line": str(max(each.mark.line, 1)),
        "col": str(each.mark.column),
        "title": each.rule,
    }
    told = ",".join(f"{name}={_property(printable(value))}" for name, value in options.items())
    return f"::{LEVELS[each.severity]} {told}::{message}\n"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
