"""Where kernels are kept: ours alone, a few of them, and nowhere rather than in an unsafe place."""

from __future__ import annotations

import os
import pickle
import stat
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest

from headrace.cli import kernels
from headrace.cli.runners import runner
from headrace.simulate import compiled, fluid


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_it_is_made_for_us_alone(home: Path) -> None:
    folder = kernels.kernel_cache()
    assert folder == home / "headrace" / "kernels"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert kernels.kernel_cache() == folder


def test_a_relative_cache_home_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert kernels.kernel_cache() == tmp_path / ".cache" / "headrace" / "kernels"


def test_a_mac_keeps_caches_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "darwin")
    assert kernels.kernel_cache() == tmp_path / "Library" / "Caches" / "headrace" / "kernels"


def test_a_folder_that_others_may_write_to_is_not_used(home: Path) -> None:
    folder = kernels.kernel_cache()
    assert folder is not None
    folder.chmod(0o777)
    assert kernels.kernel_cache() is None


def test_a_file_in_the_way_means_none(home: Path) -> None:
    (home / "headrace").write_text("")
    assert kernels.kernel_cache() is None


def test_old_kernels_are_removed_and_nothing_else(home: Path) -> None:
    folder = kernels.kernel_cache()
    assert folder is not None
    for age, name in enumerate(("a" * 16, "b" * 16, "c" * 16, "d" * 16, "e" * 16)):
        (folder / name).mkdir()
        (folder / name / "kernel.nbc").write_text("")
        os.utime(folder / name, (1e9 - age, 1e9 - age))
    (folder / "notes").mkdir()
    os.utime(folder / "notes", (0, 0))
    kernels.kernel_cache()
    assert sorted(path.name for path in folder.iterdir()) == ["a" * 16, "b" * 16, "c" * 16, "notes"]


@pytest.mark.parametrize("damage", [EOFError("Ran out of input"), pickle.UnpicklingError("invalid load key")])
def test_damaged_kernels_are_removed_and_compiled_again(
    home: Path, monkeypatch: pytest.MonkeyPatch, damage: Exception
) -> None:
    cache = kernels.kernel_cache()
    assert cache is not None
    compiled.folder(cache).mkdir()

    def damaged(*_: object) -> None:
        raise damage

    @lru_cache
    def run(_: Path) -> Callable[..., None]:
        return damaged

    monkeypatch.setattr(compiled, "available", lambda: True)
    monkeypatch.setattr(compiled, "run", run)
    made, notes = runner(interpret=False)
    assert made.is_compiled
    assert notes == ()
    assert not compiled.folder(cache).exists()
    assert run.cache_info().currsize == 0, "what was loaded of it is not used again"


def test_kernels_that_load_are_kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = kernels.kernel_cache()
    assert cache is not None
    compiled.folder(cache).mkdir()

    @lru_cache
    def run(_: Path) -> Callable[..., fluid.Tally]:
        return lambda *_: fluid.Tally(0.0, 0.0, 0.0, 0.0)

    monkeypatch.setattr(compiled, "available", lambda: True)
    monkeypatch.setattr(compiled, "run", run)
    runner(interpret=False)
    assert compiled.folder(cache).is_dir()
    assert run.cache_info().currsize == 1
