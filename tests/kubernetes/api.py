"""The API server's own word on manifests, from programs that `requirements/kubernetes` builds."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

HERE = Path(__file__).parent


def _version(name: str) -> str:
    found = re.search(r"k8s\.io/kubernetes v(\d+\.\d+)", (HERE / "validate" / name).read_text())
    assert found, f"{name} names no version of Kubernetes"
    return found[1]


OLDEST = _version("oldest.mod")
"""Oldest Kubernetes that what we render is for, as in "1.34"."""
NEWEST = _version("go.mod")
"""Newest Kubernetes."""
VERSIONS = (OLDEST, NEWEST)


@dataclass(frozen=True)
class Answer:
    """What a create request with the documents would have been told.

    Attributes:
        objects: Kind and name of each document, in order; an empty document is none.
        problems: Why the API server would refuse, or drop a field without a word; each begins with kind and name.
        warnings: What kubectl would print behind "Warning:".
    """

    objects: tuple[str, ...]
    problems: tuple[str, ...]
    warnings: tuple[str, ...]


class Api:
    """Kubernetes' validation, one process for each version, each started when it is first asked.

    Known are Deployment, StatefulSet, Service, ConfigMap, HorizontalPodAutoscaler (autoscaling/v2) and
    PodDisruptionBudget, and what has a definition: ScaledObject and TriggerAuthentication of KEDA, PrometheusRule,
    PodMonitor and ServiceMonitor, and AIBrix's PodAutoscaler. Any other kind is a problem.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._programs: dict[str, subprocess.Popen[str]] = {}

    def answer(self, text: str, version: str = NEWEST, *, patch: str = "") -> Answer:
        """What the API says of YAML documents.

        Args:
            text: Documents, divided by lines with three dashes.
            version: One of `VERSIONS`.
            patch: Documents that are first merged into those of the same kind and name, as kubectl and kustomize do:
                lists of containers, ports, … by their keys, lists of custom resources as a whole.
        """
        program = self._program(version)
        assert program.stdin
        assert program.stdout
        program.stdin.write(json.dumps({"text": text, "patch": patch}) + "\n")
        program.stdin.flush()
        line = program.stdout.readline()
        assert line, f"validate-{version} ended with {program.wait(timeout=10)}"
        said = json.loads(line)
        return Answer(*(tuple(said[part]) for part in ("objects", "problems", "warnings")))

    def problems(self, text: str, version: str = NEWEST, *, patch: str = "") -> list[str]:
        """Why the API server would refuse the documents; empty: it takes them all."""
        return list(self.answer(text, version, patch=patch).problems)

    def _program(self, version: str) -> subprocess.Popen[str]:
        if version not in self._programs:
            command = [
                self._folder / f"validate-{version}",
                self._folder / "definitions",
                HERE / "definitions",
            ]
            self._programs[version] = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
            )
        return self._programs[version]

    def __enter__(self) -> Api:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for program in self._programs.values():
            program.communicate(timeout=30)
