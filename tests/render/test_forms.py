"""Forms hold the same numbers: plain files, a kustomize base or component, Helm values, pieces for GitOps."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from tests.laws.serving import served_fleets
from tests.render.given import fleet, part

from headrace.render import Asked, files, objects, plain, stream
from headrace.spec import ModelFleet


def trees(text: str) -> list[Any]:
    return list(yaml.load_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


@given(served_fleets())
def test_the_stream_is_the_files(of: ModelFleet) -> None:
    asked = Asked()
    made = files([of], asked)
    whole = [
        tree
        for path, text in made.items()
        if "/" not in path and path.endswith(".yaml")
        for tree in trees(text)
    ]
    assert trees(stream([of], asked)) == whole
    assert whole == [plain(each.tree) for each in objects(of, asked) if each.is_whole]


@given(served_fleets())
def test_a_base_has_all_and_names_all(of: ModelFleet) -> None:
    made = files([of], Asked(form="kustomize"))
    base = yaml.safe_load(made["kustomization.yaml"])
    loose = {path for path in made if "/" not in path} - {"kustomization.yaml", "dashboard.json"}
    assert set(base["resources"]) == loose
    (generated,) = base["configMapGenerator"]
    assert generated["files"] == [f"{of.name}.json=dashboard.json"]
    assert generated["name"] == f"{of.name}-dashboard"
    assert made["dashboard.json"] == files([of], Asked())["dashboard.json"]


@given(served_fleets())
def test_values_are_the_same_pieces(of: ModelFleet) -> None:
    (tree,) = trees(stream([of], Asked(form="helm")))
    values = tree["headrace"]
    deployment = part("deployment", of)["spec"]
    pod = deployment["template"]["spec"]
    assert {**values["pod"], "volumes": values["volumes"], "containers": pod["containers"]} == pod
    assert {**values["container"], "name": pod["containers"][0]["name"]} == pod["containers"][0]
    assert values["deployment"].items() <= deployment.items()
    assert values["podDisruptionBudget"] == part("pdb", of)["spec"]
    assert values["service"] == part("service", of)["spec"]
    assert values["prometheusRule"] == part("rules", of)["spec"]


def test_pieces_for_gitops_are_never_applied() -> None:
    of = fleet()
    assert "Application" not in stream([of], Asked())
    made = files([of], Asked())
    assert {path for path in made if path.startswith("gitops/")} == {
        *("gitops/argocd-application.yaml", "gitops/flux-helmrelease.yaml", "gitops/flux-kustomization.yaml")
    }
    argo = yaml.safe_load(made["gitops/argocd-application.yaml"])["spec"]
    assert argo["ignoreDifferences"] == [
        {
            "group": "apps",
            "kind": "Deployment",
            "name": "llama",
            "namespace": "serving",
            "jsonPointers": ["/spec/replicas"],
        }
    ]
    assert argo["syncPolicy"]["syncOptions"] == ["RespectIgnoreDifferences=true"]
    (flux,) = yaml.safe_load(made["gitops/flux-kustomization.yaml"])["spec"]["patches"]
    assert yaml.safe_load(flux["patch"])["metadata"]["annotations"] == {
        "kustomize.toolkit.fluxcd.io/ssa": "Merge"
    }


@pytest.mark.parametrize("form", ["plain", "kustomize", "helm"])
def test_only_what_is_asked_for(form: str) -> None:
    made = files([fleet()], Asked(form=form, only=("pdb",)))
    assert (
        set(made)
        == {"plain": {"pdb.yaml"}, "kustomize": {"pdb.yaml", "kustomization.yaml"}, "helm": {"values.yaml"}}[
            form
        ]
    )
    assert "maxUnavailable: 1" in "".join(made.values())
    assert "terminationGracePeriodSeconds" not in "".join(made.values())
