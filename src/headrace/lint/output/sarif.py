"""SARIF 2.1.0, which code scanners read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from headrace.lint.finding import Finding
from headrace.lint.rule import Rule

LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")


def sarif(findings: Sequence[Finding], rules: Mapping[str, Rule], version: str) -> str:
    """One run with its rules and results; a result's fingerprint stays where its lines move."""
    names = sorted({each.rule for each in findings} | rules.keys())
    index = {name: i for i, name in enumerate(names)}
    run = {
        "tool": {
            "driver": {
                "name": "headrace",
                "version": version,
                "rules": [_rule(n, rules.get(n)) for n in names],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, index[each.rule]) for each in findings],
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2) + "\n"


def _rule(name: str, rule: Rule | None) -> dict[str, Any]:
    if rule is None:
        return {"id": name, "shortDescription": {"text": name}}
    sections = rule.sections
    return {
        "id": name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": sections.get("Why", rule.title)},
        "help": {"text": sections.get("Fix", "")},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"precision": {"high": "very-high", "medium": "medium", "low": "low"}[rule.confidence]},
    }


def _result(each: Finding, index: int) -> dict[str, Any]:
    region = {"startLine": max(each.mark.line, 1), "startColumn": each.mark.column}
    if each.end > each.mark:
        region |= {"endLine": each.end.line, "endColumn": each.end.column}
    return {
        "ruleId": each.rule,
        "ruleIndex": index,
        "level": LEVELS[each.severity],
        "message": {"text": each.message + (f"\n{each.help}" if each.help else "")},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": _uri(each.source)}, "region": region},
                "logicalLocations": [{"fullyQualifiedName": f"{each.resource}/{each.container}"}],
            }
        ],
        "partialFingerprints": {"headrace/v1": ":".join(each.key[1:])},
    }


def _uri(source: str) -> str:
    path = source.replace("\\", "/")
    return "".join(c if c in _UNRESERVED else "".join(f"%{byte:02X}" for byte in c.encode()) for c in path)
