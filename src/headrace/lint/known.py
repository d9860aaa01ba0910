"""What the user has told beside the manifests: measured start-ups, capacities, accelerators."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from headrace.manifest.server import Server
from headrace.spec import P90_OF_MEDIAN, ModelFleet, Start

TYPICAL_START_S: Final = sum(phase.median_s for phase in Start().phases) * P90_OF_MEDIAN
"""Start-up that nine of ten typical starts keep to, where none has been measured: 240 s."""
BUDGET_OF_START: Final = 2.5
"""How many times a start-up a probe lets it take: the middle of two to three."""
ELSEWHERE_S: Final = 300.0
"""For a node and an image, before a container's probes begin: what a rollout's deadline gives beside the start-up."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """Facts that no manifest holds; nothing of it need be known."""

    start_s: float | None = None
    """Measured start-up, seconds, of every server that no fleet is named after."""
    accelerators: int | None = None
    """Accelerators that can be scheduled."""
    tokens_per_request: float | None = None
    """Tokens that a running request holds in the KV cache, in the mean."""
    fleets: dict[str, ModelFleet] = field(default_factory=dict)
    """Fleets by name: a workload, container, or served model of that name is meant."""

    def fleet(self, server: Server) -> ModelFleet | None:
        """The fleet that a server belongs to."""
        launch = server.engine.launch
        served = server.flag(launch.served_name) if launch else None
        for name in (server.pod.resource.name, served.text if served else None, server.model_name):
            if name and name in self.fleets:
                return self.fleets[name]
        return None

    def start_up_s(self, server: Server) -> float:
        """How long it takes to start: measured (the p90 of its phases), else what is typical."""
        fleet = self.fleet(server)
        if fleet is not None:
            return sum(phase.p90_s for phase in fleet.start.phases)
        return self.start_s if self.start_s is not None else TYPICAL_START_S

    def is_measured(self, server: Server) -> bool:
        """Whether `start_up_s` is more than what is typical."""
        return self.start_s is not None or self.fleet(server) is not None

    def budget_s(self, server: Server) -> float:
        """What a start-up probe should allow: 600 s where nothing has been measured.

        Of a fleet whose phases are known what a rendered probe allows, node and image left out.
        """
        fleet = self.fleet(server)
        if fleet is None:
            return BUDGET_OF_START * self.start_up_s(server)
        from headrace.decide.startup import (
            probe_budget,
        )  # with it comes numpy, which a file alone does not need

        return float(probe_budget(fleet.start.phases).budget_s)

    def deadline_s(self, server: Server) -> float:
        """How long a start may take before a rollout is surely stuck; 0 where nothing has been measured."""
        fleet = self.fleet(server)
        if fleet is None:
            return 0.0 if self.start_s is None else BUDGET_OF_START * self.start_s
        from headrace.decide.rollout import start_deadline_s

        return float(start_deadline_s(fleet.start.phases))
