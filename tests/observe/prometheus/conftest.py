"""A server on loopback that answers as a test says, and a real Prometheus over samples that a test writes."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from tests.observe.prometheus.fake_server import Server

from headrace.observe.prometheus import connection

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that answers as a Prometheus with one model, until told otherwise."""
    found = Server()
    yield found
    found.close()


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries again at once."""
    monkeypatch.setattr(connection, "PAUSES_S", (0.0, 0.0))


@pytest.fixture(scope="session")
def weeks() -> ModuleType:
    """The benchmark as a module: it makes fleets, blocks, and starts a Prometheus."""
    spec = importlib.util.spec_from_file_location(
        "prometheus_weeks", ROOT / "benchmarks" / "prometheus_weeks.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["prometheus_weeks"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


Serving = Callable[[str], AbstractContextManager[str]]


@pytest.fixture
def real_prometheus(weeks: ModuleType, prometheus_programs: Path, tmp_path: Path) -> Serving:
    """Given OpenMetrics text, a real Prometheus that holds it; its address."""

    @contextmanager
    def serving(text: str) -> Iterator[str]:
        path = tmp_path / "samples.txt"
        path.write_text(text + "# EOF\n")
        promtool, data = str(prometheus_programs / "promtool"), str(tmp_path / "data")
        making = [promtool, "tsdb", "create-blocks-from", "openmetrics", str(path), data]
        subprocess.run(making, check=True, capture_output=True)
        with weeks.serving(tmp_path, prometheus_programs) as url:
            yield url

    return serving
