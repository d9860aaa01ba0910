"""What the objects of one fleet share: names, labels, the engine's facts, the numbers that several objects hold."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from headrace.decide import owner
from headrace.decide.capacity import replica_slots
from headrace.decide.rollout import Strategy, strategy
from headrace.engine import Engine, Launch, Metric, Release, names_in
from headrace.manifest.image import image
from headrace.registry import registered
from headrace.render.asked import Asked
from headrace.render.noted import Noted, Tree
from headrace.spec import ModelFleet, Server

FLEET_LABEL = "headrace.dev/fleet"
"""On every pod of a fleet; Service, PodDisruptionBudget and selectors go by it."""
NEWEST: Release = (9999, 0, 0)
"""Stands for a release that is not known: its metrics have the newest names."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A fleet that has a server, and what is asked for."""

    fleet: ModelFleet
    server: Server
    asked: Asked

    @cached_property
    def engine(self) -> Engine:
        """What the server is to us."""
        return registered("headrace.engines", "ENGINE", Engine)[self.fleet.engine]

    @cached_property
    def launch(self) -> Launch:
        """How it is started."""
        assert self.engine.launch is not None  # missing() has said it
        return self.engine.launch

    @property
    def name(self) -> str:
        """Of every object."""
        return self.fleet.name

    @property
    def served_name(self) -> str:
        """What clients ask for."""
        return self.server.served_name or self.fleet.name

    @property
    def port(self) -> int:
        """Of the server in its pod."""
        return self.launch.port if self.server.port is None else self.server.port

    @cached_property
    def release(self) -> Release | None:
        """Of the engine; None where neither the file nor the image's tag says it."""
        if self.server.release is not None:
            return self.server.release
        read = image(self.server.image)
        return read.release if _is_numbered(self.launch, read.repository) else None

    @property
    def is_native(self) -> bool:
        """Whether the server drains by itself."""
        return self.fleet.drain.mode != "idle" and not self.not_native

    @property
    def not_native(self) -> str:
        """Why it can't; empty where it can."""
        since = self.launch.shutdown_since
        if not self.launch.shutdown_timeout or since is None:
            return f"{self.engine.title} has no shutdown timeout"
        needed = ".".join(map(str, since))
        if self.release is None:
            return f"the release of {self.engine.title} is not known, and one before {needed} ends at an unknown flag"
        if self.release < since:
            return f"{self.engine.title} has it since {needed}"
        if self.server.api_servers > 1:
            return f"with {self.server.api_servers} API servers it is broken: streams freeze at SIGTERM"
        return ""

    @property
    def drain_s(self) -> int:
        """N in whole seconds, as flag and hook take it."""
        return math.ceil(self.fleet.scale.drain_s)

    @cached_property
    def slots(self) -> int:
        """Of one replica."""
        return replica_slots(self.fleet.capacity.slots, self.fleet.capacity.data_parallel)

    @cached_property
    def strategy(self) -> Strategy:
        """How pods are replaced."""
        rollout = self.fleet.rollout
        return strategy(
            self.fleet.scale.min_replicas,
            self.fleet.capacity.accelerators,
            rollout.spare_accelerators,
            rollout.strategy,
        )

    @property
    def is_scaled(self) -> bool:
        """Whether an autoscaler owns the replica count."""
        scale = self.fleet.scale
        return self.fleet.autoscaler.kind != "none" and scale.min_replicas < scale.max_replicas

    @cached_property
    def target_ratio(self) -> float:
        """Of the autoscaler."""
        return owner.target_ratio(self.fleet.scale, self.fleet.autoscaler.target_ratio)

    @cached_property
    def target_running(self) -> float:
        """Of the autoscaler, running requests per replica."""
        return owner.target_running(self.slots, self.target_ratio)

    def metric(self, metrics: tuple[Metric, ...]) -> str:
        """The name that the release's pages hold; empty where they hold none."""
        return next(iter(names_in(metrics, self.release or NEWEST)), "")

    @property
    def selector(self) -> dict[str, Tree]:
        """Labels by which its pods are found."""
        return {FLEET_LABEL: self.name}

    @property
    def labels(self) -> dict[str, Tree]:
        """Of every object."""
        return {**dict(self.server.labels), FLEET_LABEL: self.name}

    def metadata(self, more: Mapping[str, Tree] | None = None, annotations: Tree = None) -> dict[str, Tree]:
        """Name, namespace and labels of an object."""
        made: dict[str, Tree] = {"name": self.name}
        if self.server.namespace:
            made["namespace"] = self.server.namespace
        made["labels"] = {**self.labels, **(more or {})}
        if annotations:
            made["annotations"] = annotations
        return made

    def object(
        self, api_version: str, kind: str, spec: Tree, note: str = "", **metadata: Tree
    ) -> dict[str, Tree]:
        """An object with its usual head; a note stands above all of it."""
        head: Tree = Noted(api_version, note) if note else api_version
        return {"apiVersion": head, "kind": kind, "metadata": self.metadata(**metadata), "spec": spec}  # type: ignore[arg-type]


def _is_numbered(launch: Launch, repository: str) -> bool:
    return any(re.search(pattern, repository) for pattern in launch.numbered)
