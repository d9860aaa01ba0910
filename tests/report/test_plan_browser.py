"""Holds that a real browser shows the page of a plan from disk: no error, no request, nothing cut off, legible.

Looked at at 1,280 and 400 pixels, light and dark, and on paper.
"""

from importlib import resources
from itertools import product
from pathlib import Path
from typing import Literal

import pytest
from tests.report import plans
from tests.report.browser import Browser

from headrace.report.write import write_plan_page

Scheme = Literal["light", "dark"]

DRAWN = "[...document.querySelectorAll('.plot')].every(plot => plot.querySelector('canvas'))"
# Letters of the page against the ground that they really stand on.
CONTRASTS = """(() => {
  const rgb = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.getClientRects().length || element.closest('script, style, desc, title')) continue;
    const style = getComputedStyle(element);
    const letters = rgb(element.closest('svg') ? style.fill : style.color);
    const [a, b] = [light(letters), light(ground(element))].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), element.tagName + '.' + element.getAttribute('class')]);
  }
  return found;
})()"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plan") / "plan.html"
    long = "a-name-of-a-model-without-any-place-to-break-it-" * 3
    write_plan_page(path, plans.page(plans.model("chat <70b> & co"), plans.bare(), plans.model(long)))
    return path


@pytest.mark.parametrize(("width", "scheme"), list(product((1280, 400), ("light", "dark"))))
def test_no_error_no_request_nothing_cut_off_and_legible(
    browser: Browser, page: Path, width: int, scheme: Scheme
) -> None:
    look = browser.look(page, width, scheme, height=30_000)
    look.wait_for(DRAWN)
    assert look.value("document.documentElement.dataset.charts") == "6"
    assert look.complaints == []
    assert look.requests == [page.as_uri()]
    assert look.value("document.documentElement.scrollWidth") == width
    assert look.value("matchMedia('(prefers-color-scheme: dark)').matches") == (scheme == "dark")
    contrasts = look.value(CONTRASTS)
    assert len(contrasts) > 200
    assert min(contrasts)[0] >= 4.5, min(contrasts)


def test_the_words_of_the_still_charts_stay_within_their_cards(browser: Browser, page: Path) -> None:
    for width in (1280, 400):
        look = browser.look(page, width, "light")
        outside = look.value(
            """[...document.querySelectorAll('.still text')].filter(text => {
                const [words, card] = [text, text.closest('figure')].map(e => e.getBoundingClientRect());
                return words.left < card.left || words.right > card.right || words.top < card.top;
            }).map(text => text.textContent)"""
        )
        assert outside == []


def test_charts_are_drawn_as_they_come_near_and_all_of_one_model_move_together(
    browser: Browser, page: Path
) -> None:
    look = browser.look(page, 1280, "light", height=400)
    assert not look.value(DRAWN), "the last model is far below"
    look.value("document.querySelector('#model-2-time').scrollIntoView()")
    look.wait_for("document.querySelectorAll('#model-2 canvas').length === 3")
    look.value("document.querySelector('#model-2 [data-do=in]').click()")
    shown = "document.querySelector('{} .shown').textContent"
    # The forecast goes on for an hour after the day; half of 25 hours is left.
    assert look.value(shown.format("#model-2")) == "1 Mar 06:15 – 1 Mar 18:45 UTC"
    look.value("document.querySelector('#model-0-time').scrollIntoView()")
    look.wait_for("document.querySelectorAll('#model-0 canvas').length === 3")
    assert look.value(shown.format("#model-0")) == "1 Mar 00:00 – 2 Mar 01:00 UTC"
    look.value("document.querySelector('#model-0-policy-1 .jump').click()")
    assert look.value(shown.format("#model-0")) != "1 Mar 00:00 – 2 Mar 01:00 UTC"
    assert look.complaints == []


def test_the_overview_sorts_by_its_columns(browser: Browser, page: Path) -> None:
    look = browser.look(page, 1280, "light")
    names = "[...document.querySelectorAll('#models-table bdi')].map(name => name.textContent[0]).join('')"
    assert look.value(names) == "cea"
    click = "document.querySelector('#models-table [data-column=\"0\"]').click()"
    look.value(click)
    assert look.value(names) == "ace"
    look.value(click)
    assert look.value(names) == "eca"


def test_on_paper_every_chart_is_drawn_and_no_table_is_cut(browser: Browser, page: Path) -> None:
    look = browser.look(page, 1280, "dark", height=400)
    printed = look.pdf()
    assert printed.startswith(b"%PDF")
    assert look.value(DRAWN)
    assert look.complaints == []
    # An upright A4 page within its margins, in CSS pixels.
    size = {"width": 718, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", size, look.session)
    browser.call("Emulation.setEmulatedMedia", {"media": "print"}, look.session)
    wide = look.value(
        """[...document.querySelectorAll('table')].filter(table => table.getClientRects().length)
            .map(table => table.getBoundingClientRect().right)"""
    )
    assert len(wide) > 10
    assert max(wide) <= 718
    assert look.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_pages_of_plans_and_of_policies_are_drawn_by_the_same_scripts() -> None:
    assets = resources.files("headrace.report") / "assets"
    for own in ("page.js", "plan.js"):
        text = (assets / own).read_text("utf-8")
        assert "timeCharts(" in text
        assert "new uPlot" not in text
