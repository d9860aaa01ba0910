"""How every test runs: hypothesis the same way each time in CI, and real parts where they are.

The real demand histories are not part of the repository. `HEADRACE_DATA` names their folder, by default
``../shared/data`` beside the checkout. Where it is missing, tests marked `real_data` are left out and the
closing summary names them in one line. In CI a missing folder fails the run, unless `HEADRACE_DATA=none` says
that it is meant.

So it is with a real Prometheus, which `requirements/prometheus` finds or unpacks (`make test` calls it): tests that
ask for the fixture `prometheus_programs` are left out and named where there is none, and fail in CI, unless
``HEADRACE_PROMETHEUS=none`` says that it is meant. And with Kubernetes' own validation: `requirements/kubernetes`,
`kubernetes_programs`, ``HEADRACE_KUBERNETES=none``.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
IN_CI = os.environ.get("CI") == "true"

# No deadline: a shared core is slow at odd moments. No example database: two runs of one tree would differ.
settings.register_profile("headrace", deadline=None, database=None, derandomize=IN_CI, print_blob=not IN_CI)
settings.load_profile("headrace")


def data_folder() -> Path | None:
    """Folder of the real data; None where it is not.

    Raises:
        pytest.UsageError: The folder that `HEADRACE_DATA` names is missing, or CI lacks the data unasked.
    """
    named = os.environ.get("HEADRACE_DATA", "")
    if named == "none":
        return None
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if folder.is_dir():
        return folder
    if named:
        raise pytest.UsageError(f"HEADRACE_DATA={named} is not a folder; name one, or 'none' to go without")
    if IN_CI:
        raise pytest.UsageError(
            f"CI needs the real data, and {folder} is missing; "
            "set HEADRACE_DATA to its folder, or to 'none' to go without"
        )
    return None


def programs_folder(name: str) -> Path | None:
    """Folder that ``requirements/<name> where`` finds; None where there is none, or none is to be used."""
    script = ROOT / "requirements" / name
    if os.environ.get(f"HEADRACE_{name.upper()}") == "none" or not script.exists():
        return None
    found = subprocess.run([script, "where"], capture_output=True, text=True, check=False)
    return Path(found.stdout.strip()) if found.returncode == 0 else None


class RealPart:
    """Leaves tests out that need a real part which is not here, and says which.

    Attributes:
        folder: Where the part is; None: it is not here.
        left_out: Names of the tests left out, in the order collected.
    """

    def __init__(self, name: str, folder: Path | None, needs: Callable[[pytest.Item], bool]) -> None:
        self.folder = folder
        self.left_out: list[str] = []
        self._name = name
        self._needs = needs

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Takes the tests that need the absent part out of the run."""
        if self.folder is not None:
            return
        needing = [item for item in items if self._needs(item)]
        items[:] = [item for item in items if not self._needs(item)]
        config.hook.pytest_deselected(items=needing)
        self._add(dict.fromkeys(item.nodeid.partition("[")[0] for item in needing))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """In a worker of pytest-xdist: hands the names to the process that prints the summary."""
        output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[self._name] = self.left_out

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """Takes the names over from a worker; every worker has collected the same ones."""
        self._add(getattr(node, "workeroutput", {}).get(self._name, []))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Writes the one line."""
        if self.left_out:
            terminalreporter.write_line(f"{self._name} not here, left out: {', '.join(self.left_out)}")

    def _add(self, names: list[str] | dict[str, None]) -> None:
        self.left_out += [name for name in names if name not in self.left_out]


def _reads_real_data(item: pytest.Item) -> bool:
    return item.get_closest_marker("real_data") is not None or "shared_data" in getattr(
        item, "fixturenames", ()
    )


def _absent_in_ci(name: str) -> Callable[[pytest.Item], bool]:
    """In CI a test that needs the programs stays, and fails, unless it is said that there are none."""
    stays = IN_CI and os.environ.get(f"HEADRACE_{name.upper()}") != "none"
    return lambda item: f"{name}_programs" in getattr(item, "fixturenames", ()) and not stays


def pytest_configure(config: pytest.Config) -> None:
    """Finds the data before anything is collected, so that a missing folder ends the run in one sentence."""
    config.pluginmanager.register(
        RealPart("real data (HEADRACE_DATA)", data_folder(), _reads_real_data), "real_data"
    )
    for name, called in (("prometheus", "real Prometheus"), ("kubernetes", "Kubernetes' own validation")):
        part = RealPart(f"{called} (requirements/{name})", programs_folder(name), _absent_in_ci(name))
        config.pluginmanager.register(part, f"real_{name}")


@pytest.fixture(scope="session")
def shared_data(pytestconfig: pytest.Config) -> Path:
    """Folder of the real data (read only); a test that asks for it is a real-data test, marked or not."""
    real_data: RealPart = pytestconfig.pluginmanager.get_plugin("real_data")  # type: ignore[assignment]
    assert real_data.folder is not None, (
        "a fixture asked for shared_data in a test not known to read real data"
    )
    return real_data.folder


def _programs(config: pytest.Config, name: str, called: str) -> Path:
    part: RealPart = config.pluginmanager.get_plugin(f"real_{name}")  # type: ignore[assignment]
    assert part.folder is not None, (
        f"CI needs {called}: requirements/{name} says why there is none; HEADRACE_{name.upper()}=none goes without"
    )
    return part.folder


@pytest.fixture(scope="session")
def prometheus_programs(pytestconfig: pytest.Config) -> Path:
    """Folder of the programs `prometheus` and `promtool`; a test that asks for it is left out where they are not."""
    return _programs(pytestconfig, "prometheus", "a real Prometheus")


@pytest.fixture(scope="session")
def kubernetes_programs(pytestconfig: pytest.Config) -> Path:
    """Folder of Kubernetes' own validation; a test that asks for it is left out where it is not."""
    return _programs(pytestconfig, "kubernetes", "Kubernetes' own validation")
