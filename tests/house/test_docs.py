"""The documentation holds together: links lead somewhere, and each library has a page that says why."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")


def required(*groups: str) -> set[NormalizedName]:
    """Names of the libraries that pyproject.toml asks for at run time and in the groups named."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = pyproject["project"]
    lines = project["dependencies"] + [
        line for lines in project["optional-dependencies"].values() for line in lines
    ]
    lines += [line for group in groups for line in pyproject["dependency-groups"][group]]
    return {canonicalize_name(Requirement(line).name) for line in lines} - {canonicalize_name("headrace")}


def vendored() -> set[NormalizedName]:
    """Names of the libraries whose files stand in the tree, each beside its licence."""
    return {canonicalize_name(licence.stem) for licence in (ROOT / "src").rglob("assets/*.LICENSE")}


def described(page: Path) -> list[NormalizedName]:
    """Libraries that a decision page is about: its file name, joined by +."""
    return [canonicalize_name(name) for name in page.stem.split("+")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    missing = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_is_about_a_library_in_use(page: Path) -> None:
    assert set(described(page)) <= required("build", "develop", "lock") | vendored()


def test_each_library_that_users_get_has_its_decision() -> None:
    about = {name for page in DECISIONS for name in described(page)}
    assert (required() | vendored()) - about == set()


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_says_why_what_else_and_at_what_cost(page: Path) -> None:
    headings = re.findall(r"^## (.+)$", page.read_text(), flags=re.MULTILINE)
    assert headings == ["Why", "What else was looked at", "What it costs"]
    assert re.search(r"\d MB|\d kB", page.read_text().partition("## What it costs")[2])
