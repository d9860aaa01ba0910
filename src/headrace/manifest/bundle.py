"""All objects of one run of the linter, and which of them refer to which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from headrace.documents import Document
from headrace.engine import Engine
from headrace.manifest.autoscaler import Autoscaler, autoscaler
from headrace.manifest.pod import Pod, pods
from headrace.manifest.resource import Resource, resources
from headrace.manifest.selector import selects
from headrace.manifest.server import Server, servers
from headrace.manifest.tree import number


@dataclass(frozen=True, eq=False)
class Bundle:
    """What one run reads."""

    resources: tuple[Resource, ...]
    engines: tuple[Engine, ...]

    @cached_property
    def pods(self) -> tuple[Pod, ...]:
        """All pod templates, those of jobs too."""
        return tuple(pod for resource in self.resources for pod in pods(resource))

    @cached_property
    def servers(self) -> tuple[Server, ...]:
        """All model servers, known and unknown."""
        return tuple(server for pod in self.pods for server in servers(pod, self.engines))

    @cached_property
    def served_pods(self) -> tuple[Pod, ...]:
        """The pod templates that hold a model server, each once."""
        return tuple(dict.fromkeys(server.pod for server in self.servers))

    @cached_property
    def workloads(self) -> tuple[Resource, ...]:
        """The objects that hold a model server, each once."""
        return tuple(dict.fromkeys(pod.resource for pod in self.served_pods))

    @cached_property
    def autoscalers(self) -> tuple[Autoscaler, ...]:
        """All autoscalers, whatever they scale."""
        return tuple(found for resource in self.resources if (found := autoscaler(resource)))

    def of_kind(self, *kinds: str) -> tuple[Resource, ...]:
        """The objects of some kinds."""
        return tuple(resource for resource in self.resources if resource.kind in kinds)

    def servers_of(self, holder: Resource | Pod) -> tuple[Server, ...]:
        """The servers in a workload or a pod template."""
        if isinstance(holder, Pod):
            return tuple(server for server in self.servers if server.pod is holder)
        return tuple(server for server in self.servers if server.pod.resource is holder)

    def autoscalers_of(self, workload: Resource) -> tuple[Autoscaler, ...]:
        """The autoscalers that target a workload."""
        return tuple(found for found in self.autoscalers if _targets(found, workload))

    def target_of(self, scaler: Autoscaler) -> Resource | None:
        """The object that an autoscaler targets, if it is in the bundle."""
        return next((resource for resource in self.resources if _targets(scaler, resource)), None)

    def selecting(self, pod: Pod, *kinds: str) -> tuple[Resource, ...]:
        """The objects of some kinds (Service, PodDisruptionBudget, …) whose ``spec.selector`` selects a pod."""
        return tuple(
            resource
            for resource in self.of_kind(*kinds)
            if resource.near(pod.resource) and selects(resource.at("spec", "selector"), pod.labels)
        )

    def selecting_policies(self, pod: Pod) -> tuple[Resource, ...]:
        """The NetworkPolicies that limit who reaches a pod."""
        return tuple(
            resource
            for resource in self.of_kind("NetworkPolicy")
            if resource.near(pod.resource) and selects(resource.at("spec", "podSelector"), pod.labels)
        )

    def selected_by(self, resource: Resource) -> tuple[Pod, ...]:
        """The pod templates that an object's ``spec.selector`` selects."""
        selector = resource.at("spec", "selector")
        return tuple(
            pod for pod in self.pods if resource.near(pod.resource) and selects(selector, pod.labels)
        )

    def replicas(self, workload: Resource) -> int | None:
        """Replicas of a workload: what is written, 1 without, an autoscaler's minimum where one targets it."""
        lowest = [scaler.lowest for scaler in self.autoscalers_of(workload)]
        if lowest:
            return max((low for low in lowest if low is not None), default=None)
        written = workload.at("spec", "replicas")
        return 1 if written is None else number(written)


def _targets(scaler: Autoscaler, workload: Resource) -> bool:
    return (
        scaler.target_name == workload.name
        and scaler.target_kind == workload.kind
        and scaler.resource.near(workload)
        and scaler.resource is not workload
    )


def bundle(documents: Iterable[Document], engines: Sequence[Engine]) -> Bundle:
    """The objects in documents, with the engines that servers are told by."""
    return Bundle(tuple(resources(documents)), tuple(engines))
