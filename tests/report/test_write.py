"""Holds that a page is on disk whole or not at all, and a path that can't be written to is one sentence."""

import os
import stat
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.report import plans

from headrace.errors import InputError
from headrace.report.chart import Chart
from headrace.report.write import write_page, write_plan_page

TIMES: NDArray[np.float64] = np.arange(3, dtype=np.float64) * 10.0
CHART = Chart(TIMES, 10.0, "day", np.ones(3), "slots", (), "t", (), ())


def test_a_page_replaces_the_old_one_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    target.write_text("old")
    write_page(target, CHART)
    assert target.read_text("utf-8").startswith("<!doctype html>")
    assert os.listdir(tmp_path) == ["out.html"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("at", ["fsync", "replace"])
def test_ctrl_c_leaves_the_old_page_and_no_half_written_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    target = tmp_path / "out.html"
    target.write_text("old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, at, interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_page(target, CHART)
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.html"]


def test_a_link_is_followed_and_a_pipe_written_to(tmp_path: Path) -> None:
    real, link = tmp_path / "real.html", tmp_path / "link.html"
    real.write_text("old")
    link.symlink_to(real)
    write_page(link, CHART)
    assert link.is_symlink()
    assert real.read_text("utf-8").startswith("<!doctype html>")
    write_page(os.devnull, CHART)
    assert not Path(os.devnull).is_file()


def test_the_page_of_a_plan_is_written_the_same_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "plan.html"
    write_plan_page(target, plans.page())
    written = target.read_text("utf-8")
    assert "Numbers to run with" in written

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_plan_page(target, plans.page(plans.bare()))
    assert target.read_text("utf-8") == written
    assert os.listdir(tmp_path) == ["plan.html"]
    with pytest.raises(InputError, match="this is a directory"):
        write_plan_page(tmp_path, plans.page())


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^\S+: this is a directory; give the name of a file in it"):
        write_page(tmp_path, CHART)
    with pytest.raises(InputError, match=r"there is no directory \S*missing to write the page to"):
        write_page(tmp_path / "missing" / "out.html", CHART)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="there is no directory"):
        write_page(tmp_path / "file" / "out.html", CHART)
    with pytest.raises(InputError, match="File name too long"):
        write_page(tmp_path / ("x" * 300), CHART)
    with pytest.raises(InputError, match="NUL"):
        write_page("a\0b", CHART)
    assert os.listdir(tmp_path) == ["file"]


def test_a_write_protected_page_or_directory_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out.html"
    target.write_text("old")
    # Said by the system, not by file modes: root, as which tests may run, is allowed everything.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="can't be written there: the file there is write-protected"):
        write_page(target, CHART)
    monkeypatch.undo()

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refused)
    with pytest.raises(InputError, match=r"out\.html: the page can't be written there: Permission denied"):
        write_page(target, CHART)
    monkeypatch.undo()
    assert target.read_text() == "old"
