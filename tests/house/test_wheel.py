"""The wheel holds the whole package, the report's assets and the type marker too, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True
    )
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built)


def test_every_file_of_the_package_is_in_it(wheel: zipfile.ZipFile) -> None:
    sources = ROOT / "src"
    files = {str(path.relative_to(sources)) for path in (sources / "headrace").rglob("*") if path.is_file()}
    files = {name for name in files if "__pycache__" not in name}
    assert "headrace/py.typed" in files
    assert {name for name in wheel.namelist() if ".dist-info/" not in name} == files


def test_it_brings_the_command_and_the_licence(wheel: zipfile.ZipFile) -> None:
    metadata = {Path(name).name: name for name in wheel.namelist() if ".dist-info/" in name}
    assert "headrace = headrace.cli:main" in wheel.read(metadata["entry_points.txt"]).decode()
    assert wheel.read(metadata["LICENSE"]) == (ROOT / "LICENSE").read_bytes()
    assert "\nLicense-Expression: Apache-2.0\n" in wheel.read(metadata["METADATA"]).decode()
