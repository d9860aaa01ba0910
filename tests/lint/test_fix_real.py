"""`--fix` on 62 public manifests: the patch applies, is made once, keeps all comments, and mends what it says."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
import yaml
from tests.lint.manifests import found

from headrace.cli import main
from headrace.documents import Document, parts
from headrace.lint.fix import Fixed, fixed
from headrace.manifest.tree import walk

COMMENT = re.compile(r"(?:^|\s)#.*$", re.MULTILINE)


def judged(texts: object) -> tuple[object, ...]:
    assert isinstance(texts, dict)
    return tuple(each for text in texts.values() for each in found(text))


def mended(text: str) -> Fixed:
    return fixed({"x.yaml": text}, judged)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def manifests(shared_data: Path) -> dict[str, str]:
    files = sorted((shared_data / "manifests").glob("*.yaml"))
    return {path.name: path.read_bytes().decode() for path in files}


def test_each_is_mended_once_and_nothing_else_changes(manifests: dict[str, str]) -> None:
    assert len(manifests) == 62
    rules: Counter[str] = Counter()
    for name, text in manifests.items():
        done = mended(text)
        now = done.texts["x.yaml"]
        rules.update(each.rule for each in done.mended)
        assert mended(now).texts["x.yaml"] == now, f"{name}: a second time changes more"
        before, after = ({each.key for each in found(which)} for which in (text, now))
        assert not after - before, f"{name}: new findings"
        assert not {each.key for each in done.mended} & after, f"{name}: said to be mended, and still there"
        had, has = Counter(COMMENT.findall(text)), Counter(COMMENT.findall(now))
        assert not had - has, f"{name}: lost comments"
        assert list(yaml.safe_load_all(now)), f"{name}: no YAML"
        assert kept(text) <= kept(now), f"{name}: something that is written has gone"
    assert len(rules) >= 10, rules
    assert sum(rules.values()) >= 150, rules


def kept(text: str) -> set[tuple[int, tuple[str | int, ...]]]:
    """All paths of all documents: a fix adds and replaces, and these manifests give none a reason to delete."""
    read = [part for part in parts(text, "x") if isinstance(part, Document)]
    return {(i, path) for i, document in enumerate(read) for path, _ in walk(document.root)}


@pytest.mark.skipif(shutil.which("git") is None, reason="the patch is tried with git, which is not here")
def test_the_patch_applies_with_git_and_says_what_write_does(
    manifests: dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patched, written = tmp_path / "patched", tmp_path / "written"
    for folder in (patched, written):
        for i, text in enumerate(manifests.values()):
            (folder / str(i)).mkdir(parents=True)
            (folder / str(i) / "a.yaml").write_bytes(text.encode())
    monkeypatch.chdir(patched)
    subprocess.run(["git", "init", "-q"], check=True)
    assert main(["lint", "--fix", "."]) == 0
    patch = capsys.readouterr().out
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], input=patch.encode(), check=True)
    monkeypatch.chdir(written)
    assert main(["lint", "--fix", "--write", "."]) == 0
    for i, text in enumerate(manifests.values()):
        now = (patched / str(i) / "a.yaml").read_bytes()
        assert now == (written / str(i) / "a.yaml").read_bytes()
        assert now.decode() == mended(text).texts["x.yaml"]
