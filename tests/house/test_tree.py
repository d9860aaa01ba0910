"""The tree keeps its habits: short modules, charters, telling names, nothing of one person's machine."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "headrace"
MODULES = sorted(SOURCES.rglob("*.py"))
CHARTERED = [module for module in MODULES if module.name == "__init__.py" and module.parent != SOURCES]
MOST_LINES = 400
# Names that say nothing of what is inside, so that anything ends up there.
EMPTY_NAMES = re.compile(r"(utils?|common|helpers?|base|managers?|types|misc|shared|core|.*_v\d+)")
# Written so that no pattern matches itself here.
OF_ONE_MACHINE = {
    "a home folder": re.compile(r"(?<![\w.$}])/(?:home|Users)/\w+/"),
    "the superuser's home folder": re.compile(
        r"(?<![\w.$}])/[r]oot/(?!\.cache\b)"
    ),  # images of vLLM keep a cache there
    "a work folder": re.compile(r"(?<![\w.$}])/[w]ork/"),
    "a download address": re.compile(
        r"index[-]url|find[-]links|\"resolved\": *\"http|registry *= *\"http"
        r"|pypi[.]org|pythonhosted[.]org|npmjs[.]"
    ),
}


def tracked() -> list[Path]:
    """Files that are, or with the next commit could be, in the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def text_of(path: Path) -> str | None:
    """The file's text; None for a file that is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_sources_are_found() -> None:
    assert len(MODULES) > 10
    assert len(CHARTERED) >= 5
    assert ROOT / "pyproject.toml" in tracked()


@pytest.mark.parametrize("module", MODULES, ids=named)
def test_module_is_short_enough_to_read(module: Path) -> None:
    lines = len(module.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{lines} lines: split it by what changes together"


@pytest.mark.parametrize("module", MODULES, ids=named)
def test_name_says_what_is_inside(module: Path) -> None:
    for part in module.relative_to(SOURCES).with_suffix("").parts:
        assert not EMPTY_NAMES.fullmatch(part), f"{part}: name it after what it holds"


@pytest.mark.parametrize("package", CHARTERED, ids=named)
def test_package_has_a_charter(package: Path) -> None:
    charter = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) or ""
    assert "Belongs here:" in charter
    assert "Does not belong here:" in charter


def test_every_folder_with_modules_is_a_package() -> None:
    assert [
        named(folder)
        for folder in {module.parent for module in MODULES}
        if not (folder / "__init__.py").exists()
    ] == []


def test_nothing_of_one_machine_is_in_the_tree() -> None:
    found = []
    for path in tracked():
        text = text_of(path)
        if text is None:
            continue
        places = {what: match for what, pattern in OF_ONE_MACHINE.items() if (match := pattern.search(text))}
        found += [f"{named(path)}: {what}, {match.group()!r}" for what, match in places.items()]
        if str(ROOT) in text:
            found.append(f"{named(path)}: the path of this checkout")
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "see /home/" + "anna/headrace/x.py",
        "/Users/" + "anna/x",
        "'/ro" + "ot/headrace'",
        "cd /wo" + "rk/main",
        "--index" + "-url https://mirror",
        '"resolved": ' + '"https://somewhere"',
    ],
)
def test_what_is_of_one_machine_is_recognised(text: str) -> None:
    assert any(pattern.search(text) for pattern in OF_ONE_MACHINE.values())


@pytest.mark.parametrize(
    "text", ["$HOME/.cache", "docs/home/page/", "network/work/x", "the work / home balance"]
)
def test_what_only_looks_like_it_is_let_through(text: str) -> None:
    assert not any(pattern.search(text) for pattern in OF_ONE_MACHINE.values())
