"""What is asked for beside the fleet itself."""

from __future__ import annotations

from typing import Final, NamedTuple

PARTS: Final = ("deployment", "service", "pdb", "autoscaler", "rules", "dashboard", "gitops")
"""In the order in which they are written."""
FORMS: Final = ("plain", "kustomize", "helm")
TOLERANCE_SINCE: Final = (1, 35)
"""First release of Kubernetes that takes a tolerance in an HPA's behavior unless told not to (1.33 and "
"1.34 drop it)."""


class Asked(NamedTuple):
    """What to render, and for which cluster."""

    kubernetes: tuple[int, int] = (1, 34)
    form: str = "plain"
    only: tuple[str, ...] = ()
    """Of `PARTS`; empty: all."""
    patch: bool = False
    """True: the Deployment stands already, and gets a strategic-merge patch."""

    def wants(self, part: str) -> bool:
        """Whether a part is asked for."""
        return not self.only or part in self.only
