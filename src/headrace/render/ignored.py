"""Where the file knows more than `headrace lint` can: the comment that tells it so, with the reason."""

from __future__ import annotations

from typing import Final

TYPICAL_BUDGET_S: Final = 600
"""What lint asks of a startup probe where no start-up has been measured; the law that renderings lint "
"clean holds it."""
NODE_DRAIN_S: Final = 600
"""Grace period up to which lint takes node drains to wait."""
TOLERANT_REPLICAS: Final = 10
"""Replicas up to which lint leaves an HPA's 10 % alone."""


_SAYS: Final = "headrace: ignore"


def ignored(rule: str, reason: str) -> str:
    """The line of a comment."""
    return f"{_SAYS}[{rule}] {reason}"


def is_ignored(line: str) -> bool:
    """Whether a line of YAML is such a comment."""
    return line.lstrip().startswith(f"# {_SAYS}[")
