"""For programs: one JSON object."""

from __future__ import annotations

import json as writer
from collections.abc import Sequence

from headrace.lint.finding import Finding


def json(findings: Sequence[Finding], files: int) -> str:
    """``{"version": 1, "files": n, "findings": [{…}]}``; lines and columns count from 1."""
    rows = [
        {
            "rule": each.rule,
            "severity": each.severity,
            "confidence": each.confidence,
            "message": each.message,
            "help": each.help,
            "file": each.source,
            "line": each.mark.line,
            "column": each.mark.column,
            "endLine": each.end.line,
            "endColumn": each.end.column,
            "resource": each.resource,
            "container": each.container,
            "fixable": bool(each.changes),
        }
        for each in findings
    ]
    return writer.dumps({"version": 1, "files": files, "findings": rows}, indent=2) + "\n"
