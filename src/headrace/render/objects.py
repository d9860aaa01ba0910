"""The objects of a fleet, in the order in which they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from headrace.render import gitops
from headrace.render.asked import Asked
from headrace.render.autoscaler import autoscaler
from headrace.render.dashboard import dashboard
from headrace.render.deployment import deployment, patch
from headrace.render.noted import Tree, plain
from headrace.render.rules import prometheus_rule
from headrace.render.service import budget, service
from headrace.render.setting import Setting
from headrace.spec import ModelFleet


class Object(NamedTuple):
    """One object, or a piece of one."""

    part: str
    """Of `asked.PARTS`."""
    tree: Mapping[str, Tree]
    file: str
    """Its file's name without the fleet's: ``deployment``."""
    is_whole: bool = True
    """False: a piece of an object that somebody else has; never sent to a cluster as it is."""

    @property
    def kind(self) -> str:
        """As its document says."""
        return str(plain(self.tree["kind"]))

    @property
    def name(self) -> str:
        """As its document says; empty where the object is the user's."""
        metadata = plain(self.tree.get("metadata"))
        return str(metadata["name"]) if isinstance(metadata, dict) else ""


def setting(fleet: ModelFleet, asked: Asked) -> Setting:
    """The fleet with its server; nothing may be `missing`."""
    assert fleet.server is not None
    return Setting(fleet=fleet, server=fleet.server, asked=asked)


def objects(fleet: ModelFleet, asked: Asked) -> tuple[Object, ...]:
    """Those that are asked for; nothing may be `missing`."""
    return tuple(made for made in _all(setting(fleet, asked)) if asked.wants(made.part))


def _all(of: Setting) -> Iterator[Object]:
    if of.asked.patch:
        yield Object("deployment", patch(of), "deployment-patch", is_whole=False)
    else:
        yield Object("deployment", deployment(of), "deployment")
    yield Object("service", service(of), "service")
    yield Object("pdb", budget(of), "pdb")
    if of.is_scaled:
        yield Object("autoscaler", autoscaler(of), of.fleet.autoscaler.kind)
    yield Object("rules", prometheus_rule(of), "rules")
    yield Object("dashboard", dashboard(of), "dashboard")
    if of.is_scaled:
        yield Object("gitops", gitops.argo_application(of), "argocd-application", is_whole=False)
        yield Object("gitops", gitops.flux_kustomization(of), "flux-kustomization", is_whole=False)
        yield Object("gitops", gitops.flux_helm_release(of), "flux-helmrelease", is_whole=False)
