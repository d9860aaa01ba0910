"""What a rule has found, where, and how certain it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from headrace.documents import Mark
from headrace.lint.change import Change

Severity = Literal["error", "warning", "info"]
Confidence = Literal["high", "medium", "low"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")
"""Worst first: what cuts streams or ends in an outage; what costs start-ups, money or a bad day; what to know."""
CONFIDENCES: Final[tuple[Confidence, ...]] = ("high", "medium", "low")
"""Surest first: it follows from the file; it follows unless something stands elsewhere; a guess worth a look."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One finding."""

    rule: str
    """The rule's id, ``drain-no-prestop``."""
    severity: Severity
    confidence: Confidence
    message: str
    """One or two sentences: what is there, with its value, and what it leads to."""
    source: str
    """The file."""
    mark: Mark
    end: Mark
    """Just behind what is meant; the same as `mark` where only the place is known."""
    resource: str
    """``Deployment/llama``."""
    container: str = "-"
    """The container, as ``vllm`` or ``leaderTemplate/vllm``; ``-`` where the pod, workload or bundle is meant."""
    help: str = ""
    """What to do, in a line."""
    changes: tuple[Change, ...] = ()
    """Certain changes that mend it; none: it is for a person to decide."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What tells findings apart wherever their lines move: file, rule, resource, container."""
        return (self.source, self.rule, self.resource, self.container)
