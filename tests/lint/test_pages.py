"""Every rule's page: its sections, its examples linted, docs/rules.md as the pages are today."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lint.manifests import RULES, fires, mended

from headrace.lint.known import Known
from headrace.lint.pages import listing, page, reference
from headrace.lint.rule import SECTIONS, Rule
from headrace.lint.run import rule_id

DOCS = Path(__file__).parents[2] / "docs"
TOLD = Known(accelerators=8)
"""What the rules that are silent without it need."""


def test_docs_are_today_s_pages() -> None:
    written = (DOCS / "rules.md").read_text(encoding="utf-8")
    assert written == reference(), "write it again, as src/headrace/lint/pages.py says"


@pytest.mark.parametrize(("name", "rule"), RULES.items(), ids=RULES)
def test_a_page_has_all_its_sections(name: str, rule: Rule) -> None:
    assert rule.title.endswith(".")
    assert len(rule.title) < 100
    for heading in ("Finds", *SECTIONS):
        assert rule.sections.get(heading) or heading == "Others", heading
    assert name in page(name, rule)
    assert name in listing(RULES)


@pytest.mark.parametrize(("name", "rule"), RULES.items(), ids=RULES)
def test_the_bad_example_fires_and_the_good_one_does_not(name: str, rule: Rule) -> None:
    found = fires(name, rule.sections["Bad"], TOLD)
    assert found
    assert not fires(name, rule.sections["Good"], TOLD)
    for each in found:
        assert each.message
        assert each.help
        assert each.mark.line > 0


@pytest.mark.parametrize(("name", "rule"), RULES.items(), ids=RULES)
def test_a_fix_leaves_nothing_to_find_and_is_made_once(name: str, rule: Rule) -> None:
    if not any(each.changes for each in fires(name, rule.sections["Bad"], TOLD)):
        return
    done = mended(name, rule.sections["Bad"], TOLD)
    assert done.mended
    assert not done.left
    assert not fires(name, done.texts["x.yaml"], TOLD)
    assert mended(name, done.texts["x.yaml"], TOLD).texts == done.texts


def test_ids_of_releases_keep_their_dots() -> None:
    assert rule_id("drain_flag_before_0_18") == "drain-flag-before-0.18"
    assert rule_id("drain_relies_on_pid_1") == "drain-relies-on-pid-1"
