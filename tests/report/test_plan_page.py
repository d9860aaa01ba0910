"""Holds that the page of a plan needs nothing else, shows what it was given or says what is missing, trusts no name."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.report import plans
from tests.report.html_page import HOSTILE, Page, shown

from headrace.report.chart import Timeline
from headrace.report.figures import CutChart, GrowthChart, OccupancyChart, PhaseTimes, StartupChart
from headrace.report.plan_page import plan_html
from headrace.report.plan_parts import ModelPart, Number, Outcome, PlanPage
from headrace.report.terms import TERMS


def numbers(text: str) -> list[dict[str, Any] | None]:
    found = re.search(r'<script type="application/json" id="chart-data">(.*?)</script>', text, re.DOTALL)
    assert found
    timelines: list[dict[str, Any] | None] = json.loads(found[1])["timelines"]
    return timelines


def words(page: Page) -> str:
    """All text that a reader sees, with plain spaces."""
    seen = [text for where, text in page.texts if where not in {"script", "style"}]
    return " ".join(seen).replace("\u00a0", " ")


def test_the_page_needs_no_network_and_its_own_policy_lets_nothing_else_in() -> None:
    text = plan_html(plans.page(plans.model(), plans.bare()))
    assert re.findall(r"https?:|//[a-z0-9.-]+\.[a-z]{2,}", text) == []
    page = Page(text)
    policy = dict(part.strip().split(" ", 1) for part in page.policy().split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert "unsafe" not in page.policy()
    inline = [part for _, part in re.findall(r"<(script|style)>(.*?)</\1>", text, re.DOTALL)]
    hashes = {base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in inline}
    assert set(re.findall(r"sha256-([^']+)", page.policy())) == hashes
    for tag, attributes in page.tags:
        assert not {"src", "style", "srcset", "action", "data", "poster"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")], tag
        assert (attributes.get("href") or "#").startswith("#")
    assert "Copyright (c) 2022 Leon Sorokin" in text


@pytest.mark.parametrize("models", [(plans.model(),), (plans.model("a"), plans.bare("b"), plans.model("c"))])
def test_structure_for_readers_and_screen_readers(models: tuple[ModelPart, ...]) -> None:
    page = Page(plan_html(plans.page(*models)))
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes in page.tags:
        for name in ("aria-labelledby", "aria-describedby"):
            named = (attributes.get(name) or "").split()
            assert set(named) <= set(ids)
        target = attributes.get("href")
        assert target is None or target[1:] in ids, target
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), "none is skipped"
    drawings = [attributes for tag, attributes in page.tags if attributes.get("role") == "img"]
    assert drawings
    assert all("aria-labelledby" in a and "aria-describedby" in a for a in drawings)


def test_every_chart_says_how_it_is_read_and_what_follows() -> None:
    text = plan_html(plans.page())
    figures = re.findall(r"<figure.*?</figure>", text, re.DOTALL)
    assert len(figures) == 7
    for figure in figures:
        assert figure.count("How to read it.") == 1
        assert re.search(r'class="(?:follows|words)"[^>]*>[^<]{20,}', figure)


def test_what_was_given_is_on_the_page() -> None:
    said = words(Page(plan_html(plans.page())))
    for piece in (
        "Run chat on 4 to 54 replicas.",
        "14 days of demand.",
        "The smallest that cuts at most 1 %.",
        "4,454 GPU-hours fewer.",
        "110,871",
        "0.09 %",
        "120 to 640",
        "8,123",
        "Planned on 7 days, proved on 7.",
        "at most 0.1 %",
        "kept",
        "missed",
        "Two windows were left out.",
        "A target of 0.1 % was asked for.",
    ):
        assert piece in said, piece


def test_the_figure_of_each_still_chart_is_the_number_given() -> None:
    text = plan_html(plans.page())
    said = words(Page(text))
    assert "With N = 150 s, 0.67 % of them are cut; with today's 30 s, 37 %." in said
    assert "Up to the target of 40 requests none waited, above it 49.5 on average" in said
    assert "A usual start takes 2 min, a slow one 3 min; most of it is weights (67 %)." in said
    assert "The probe waits 5 min, 2.0 times what a slow container needs." in said
    assert "The headroom proposed, 25 requests/s, covers the rise in 99.68 % of all moments" in said


def test_what_is_missing_is_said_in_its_place() -> None:
    page = Page(plan_html(plans.page(plans.bare())))
    said = words(page)
    for piece in (
        "Give a demand history.",
        "Give --occupancy.",
        "Give --durations.",
        "Measure the phases.",
        "Demand of one hour is too short.",
    ):
        assert f"Not drawn. {piece}" in said
    assert "today" not in page.text_of("th")
    assert "Promised and kept" not in said
    assert numbers(plan_html(plans.page(plans.bare()))) == [None]
    assert page.count("svg") == 2, "only the bars of GPU-hours"


def test_where_only_the_forecast_or_today_is_missing_the_rest_is_drawn() -> None:
    whole = plans.model()
    assert isinstance(whole.over_time, Timeline)
    only = replace(whole.over_time, traces=whole.over_time.traces[1:])
    part = replace(whole, over_time=only, forecast=plans.bare().forecast, no_today="Give --today.")
    text = plan_html(plans.page(part))
    said = words(Page(text))
    assert "Not drawn. A forecast needs two days." in said
    assert "Not drawn. Give --today." in said
    content = numbers(text)[0]
    assert content is not None
    assert "forecast" not in content
    assert len(content["policies"]) == 1


def test_several_models_begin_with_an_overview_that_leads_to_each() -> None:
    text = plan_html(plans.page(plans.model("a"), plans.bare("b")))
    said = words(Page(text))
    assert said.index("All models") < said.index("Shared accelerators") < said.index("Run a on")
    row = re.search(r'<tr><th scope="row"><a href="#model-0">.*?</tr>', text, re.DOTALL)
    assert row
    cells = re.sub(r"<[^>]+>", " ", row[0]).split()
    assert cells == ["a", "4", "–", "54", "14,668", "→", "10,214", "−30", "%", "0", "%", "→", "0.09", "%"]
    assert 'href="#model-1"' in text
    assert "short 3.1 % of the time" in said
    assert "12 min" in said
    alone = words(Page(plan_html(plans.page())))
    assert "All models" not in alone
    assert alone.count("Notes") == 1


def test_terms_are_explained_once_and_only_those_that_stand_there() -> None:
    page = Page(plan_html(plans.page(plans.model("a"), plans.model("b"))))
    explained = page.text_of("dt")
    assert len(explained) == len(set(explained))
    assert {"min", "headroom", "drain N", "hold-out", "bound"} <= set(explained)
    assert "floor" not in explained
    assert set(explained) <= set(TERMS)
    assert "hold-out" not in Page(plan_html(plans.page(plans.bare()))).text_of("dt")


def test_the_forecast_in_the_page_is_the_one_given_and_ends_in_a_gap() -> None:
    content = numbers(plan_html(plans.page()))[0]
    assert content is not None
    found = content["forecast"]
    times = np.cumsum(found["dt"]) * content["tick"] + content["t0"]
    given = plans.forecast()
    np.testing.assert_array_equal(times, [*given.times_s, given.end_s])
    np.testing.assert_allclose(np.array(found["upper"][:-1]), given.upper, rtol=1e-5)
    assert found["upper"][-1] is None
    assert found["expected"][-1] is None


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name: str) -> None:
    plain = Page(plan_html(hostile("a")))
    text = plan_html(hostile(name))
    text.encode("utf-8")
    page = Page(text)
    shape = [(tag, sorted(attributes)) for tag, attributes in page.tags]
    assert shape == [(tag, sorted(attributes)) for tag, attributes in plain.tags]
    assert page.text_of("title")[0] == page.text_of("h1")[0] == shown(name)
    assert page.text_of("bdi").count(shown(name)) >= 8


def hostile(name: str) -> PlanPage:
    """A page on which everything that is a text is this one."""
    whole = plans.model(name)
    assert isinstance(whole.over_time, Timeline)
    traces = [replace(trace, policy=name) for trace in whole.over_time.traces]
    phases = (PhaseTimes(name, 10.0, 30.0, False), PhaseTimes("weights", 5.0, 9.0, True))
    part = replace(
        whole,
        verdict=name,
        subtitle=(name,),
        replicas=name,
        numbers=(Number(name, name, name, name, name),),
        outcomes=[Outcome(name, outcome.kind, 1.0, 1.0, 0.1, 1.0) for outcome in whole.outcomes],
        difference=name,
        over_time=replace(whole.over_time, unit=name, traces=traces),
        startup=StartupChart(phases, 300.0, None),
        growth=replace(plans.growth(), unit=name),
        notes=(name,),
    )
    missing = replace(plans.bare(name), cut=plans.bare().cut)
    page = plans.page(part, missing)
    return replace(
        page, title=name, subtitle=(name,), pools=[replace(page.pools[0], name=name)], notes=(name,)
    )


def test_many_models_stay_small_and_the_page_says_what_is_left_out() -> None:
    week = replace(plans.model(), over_time=plans.timeline(60_480, 10.0))
    one = len(plan_html(plans.page(week)))
    text = plan_html(plans.page(*(replace(week, name=f"model {place}") for place in range(30))))
    assert one < 1_200_000
    assert len(text) < 3_000_000
    note = next(text for text in Page(text).text_of("p") if "small" in text)
    assert "of 1,814,400 points" in note


def test_no_model_and_charts_that_could_only_be_drawn_wrongly_are_refused() -> None:
    with pytest.raises(ValueError, match="needs a model"):
        PlanPage("t", (), ())
    flat = np.ones(3)
    with pytest.raises(ValueError, match="a moment at which both are known"):
        OccupancyChart(flat * np.nan, flat, 64.0, 40.0)
    with pytest.raises(ValueError, match="must be above 0"):
        OccupancyChart(flat, flat, 0.0, 40.0)
    with pytest.raises(ValueError, match="two points and more of one shape"):
        CutChart(flat, flat, np.ones(2), 60.0)
    with pytest.raises(ValueError, match="strictly ascending"):
        CutChart(flat, flat, flat, 60.0)
    with pytest.raises(ValueError, match="needs a phase"):
        StartupChart((), 60.0)
    with pytest.raises(ValueError, match=r"x: median_s = 9, p90_s = 3, must ascend"):
        StartupChart((PhaseTimes("x", 9, 3, True),), 60.0)
    with pytest.raises(ValueError, match="ascend between 0 and 1"):
        GrowthChart(np.array([0.5, 1.0]), np.ones(2), "slots", 60.0, 1.0)
