"""What stands in a package is found by its place; a module that defines nothing is a mistake that is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from headrace.engine import Engine
from headrace.registry import registered


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty package named `found_here`."""
    folder = tmp_path / "found_here"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "found_here"]:
        monkeypatch.delitem(sys.modules, name)
    return folder


def test_modules_are_found_by_their_names_in_order(package: Path) -> None:
    (package / "two.py").write_text("THING = 2")
    (package / "one.py").write_text("THING = 1")
    assert list(registered("found_here", "THING", int).items()) == [("one", 1), ("two", 2)]


@pytest.mark.parametrize("source", ["", "THING = 'text'"])
def test_a_module_without_it_is_named(package: Path, source: str) -> None:
    (package / "empty.py").write_text(source)
    with pytest.raises(TypeError, match=r"found_here\.empty must define THING, a int"):
        registered("found_here", "THING", int)


def test_engines_go_by_the_names_of_their_modules() -> None:
    engines = registered("headrace.engines", "ENGINE", Engine)
    assert {"vllm", "sglang"} <= set(engines)
    assert [engine.name for engine in engines.values()] == list(engines)
