"""Holds that a page is one file that needs nothing else, carries the numbers given, and trusts no name."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from importlib import resources
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.report.html_page import HOSTILE, Page

from headrace.report.chart import Chart, TableRow, Trace, moments_over
from headrace.report.page import page_html
from headrace.report.payload import payload

Line = NDArray[np.float64]


def chart(
    n: int = 200, policies: int = 2, *, seed: int = 1, step_s: float = 10.0, names: list[str] | None = None
) -> Chart:
    rng = np.random.default_rng(seed)
    times: Line = 1_709_251_200.0 + np.arange(n, dtype=np.float64) * step_s
    demand: Line = np.round(100 + 40 * np.sin(np.arange(n) / 2000) + rng.normal(0, 8, n), 3)
    rows, traces = [], []
    for place in range(policies):
        name = names[place] if names else f"policy {place}"
        ready: Line = 7.5 * np.round((demand + rng.normal(8, 5, n)) / 7.5)
        traces.append(
            Trace(
                name,
                ready,
                7.5 * rng.integers(0, 3, n).astype(np.float64),
                7.5 * rng.integers(0, 2, n).astype(np.float64),
                moments_over(times, step_s, demand, ready),
            )
        )
        rows.append(TableRow(name, 12.5, 3456.7, 5568.0 - place, 1.25))
    return Chart(
        title="A day",
        subtitle=("of demand",),
        rows=rows,
        times_s=times,
        step_s=step_s,
        clock="utc",
        demand=demand,
        unit="requests/s",
        traces=traces,
    )


def numbers(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="chart-data">(.*?)</script>', text, re.DOTALL)
    assert found
    content: dict[str, Any] = json.loads(found[1])
    return content


def times_of(content: dict[str, Any], distances: list[int]) -> Line:
    offsets = np.cumsum(np.array(distances, dtype=np.float64))
    return offsets * float(content["tick"]) + float(content["t0"])


def moments_of(content: dict[str, Any], policy: dict[str, Any]) -> Line:
    start = times_of(content, policy["from"])
    return np.stack((start, start + np.array(policy["for"], dtype=np.int64) * content["tick"]), axis=1)


def test_the_page_needs_no_network_and_its_own_policy_lets_nothing_else_in() -> None:
    text = page_html(chart())
    assert re.findall(r"https?:|//[a-z0-9.-]+\.[a-z]{2,}", text) == []
    page = Page(text)
    policy = dict(part.strip().split(" ", 1) for part in page.policy().split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert set(policy) == {"default-src", "base-uri", "form-action", "script-src", "style-src"}
    assert "unsafe" not in page.policy()
    for tag, attributes in page.tags:
        assert not {"src", "style", "srcset", "action", "data", "poster", "background"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")], tag
        assert (attributes.get("href") or "#").startswith("#")
    assert not {"link", "img", "iframe", "object", "base", "form", "embed"} & {tag for tag, _ in page.tags}


def test_every_script_and_style_in_the_page_has_its_hash_in_the_policy() -> None:
    text = page_html(chart())
    inline = [part for _, part in re.findall(r"<(script|style)>(.*?)</\1>", text, re.DOTALL)]
    assert len(inline) == 3
    hashes = {base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in inline}
    assert set(re.findall(r"sha256-([^']+)", Page(text).policy())) == hashes
    assert "\r" not in text, "a browser would hash the page without its carriage returns"


def test_the_vendored_library_is_the_one_from_npm_and_its_licence_is_in_the_page() -> None:
    assets = resources.files("headrace.report") / "assets"
    digest = hashlib.sha256((assets / "uPlot.iife.min.js").read_bytes()).hexdigest()
    assert digest == "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f"
    text = page_html(chart())
    assert "Copyright (c) 2022 Leon Sorokin" in text
    assert "The above copyright notice and this permission notice shall be included" in text
    library = (assets / "uPlot.iife.min.js").read_text("utf-8").split("\n", 1)[1]
    assert library in text


def test_structure_for_readers_and_screen_readers() -> None:
    page = Page(page_html(chart(policies=3)))
    assert dict(page.tags)["html"] == {"lang": "en"}
    assert (page.count("h1"), page.count("h2"), page.count("h3"), page.count("figure")) == (1, 2, 3, 3)
    scopes = [a.get("scope") for t, a in page.tags if t == "th"]
    assert scopes == ["col"] * 5 + ["row"] * 3
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes in page.tags:
        for name in ("aria-labelledby", "aria-describedby"):
            assert attributes.get(name) is None or attributes[name] in ids
        target = attributes.get("href")
        assert target is None or target[1:] in ids
    assert "3,457" in page.text_of("td")
    assert any("time in UTC" in text for text in page.text_of("p"))


def test_the_numbers_in_the_page_are_those_that_went_in() -> None:
    given_chart = chart(n=500)
    given_chart.demand[40:60] = np.nan
    content = numbers(page_html(given_chart))
    np.testing.assert_array_equal(times_of(content, content["demand"]["dt"]), given_chart.times_s)
    got = np.array([np.nan if y is None else y for y in content["demand"]["y"]])
    np.testing.assert_allclose(got, given_chart.demand, rtol=1e-5)
    assert content["end"] * content["tick"] == 5000
    for policy, trace in zip(content["policies"], given_chart.traces, strict=True):
        held = np.searchsorted(times_of(content, policy["dt"]), given_chart.times_s, side="right") - 1
        for name in ("ready", "starting", "draining"):
            np.testing.assert_allclose(np.array(policy[name])[held], getattr(trace, name), rtol=1e-5)
        np.testing.assert_array_equal(moments_of(content, policy), trace.over_s)
    assert payload(given_chart).whole


def test_a_hole_between_ticks_is_a_gap_and_fractions_of_a_second_are_kept() -> None:
    base = chart(n=6, step_s=0.25)
    times = base.times_s.copy()
    times[3:] += 100.0
    content = numbers(page_html(replace(base, times_s=times, traces=())))
    assert content["demand"]["y"][3] is None
    assert content["tick"] == 0.001
    expected = np.insert(times, 3, times[2] + 0.25)
    np.testing.assert_allclose(times_of(content, content["demand"]["dt"]), expected, rtol=0, atol=5e-4)


@settings(max_examples=10)
@given(st.integers(13_000, 30_000), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_thinning_loses_no_moment_over_capacity_and_no_peak(n: int, policies: int, seed: int) -> None:
    given_chart = chart(n=n, policies=policies, seed=seed)
    made = payload(given_chart)
    content = json.loads(made.text)
    assert max(content["demand"]["y"]) == pytest.approx(given_chart.demand.max(), rel=1e-5)
    assert min(content["demand"]["y"]) == pytest.approx(given_chart.demand.min(), rel=1e-5)
    for policy, trace in zip(content["policies"], given_chart.traces, strict=True):
        shown = moments_of(content, policy)
        place = np.searchsorted(shown[:, 0], trace.over_s[:, 0], side="right") - 1
        assert (place >= 0).all()
        assert (shown[place, 1] >= trace.over_s[:, 1]).all()
        assert max(policy["ready"]) == trace.ready.max()
        assert min(policy["ready"]) == trace.ready.min()


def test_a_year_of_ticks_stays_under_two_megabytes_and_says_what_is_left_out() -> None:
    year = chart(n=3_153_600, policies=8)
    text = page_html(year)
    assert len(text.encode()) < 2_000_000
    note = next(text for text in Page(text).text_of("p") if "small" in text)
    assert "of 3,153,600 points" in note
    assert "8 of 8 policies" in note
    assert "joined" in note
    assert "To keep this page small" not in page_html(chart())


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name: str) -> None:
    plain = Page(page_html(chart(names=["a", "b"])))
    hostile = replace(chart(names=[name, "b"]), title=name, subtitle=(name,), unit=name)
    text = page_html(hostile)
    text.encode("utf-8")
    page = Page(text)
    shape = [(tag, sorted(attributes)) for tag, attributes in page.tags]
    assert shape == [(tag, sorted(attributes)) for tag, attributes in plain.tags]
    shown = re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\udcff]", "\ufffd", name)
    assert page.text_of("h1") == [shown]
    assert page.text_of("title") == [shown]
    assert shown in page.text_of("bdi")
    assert numbers(text)["unit"] == name


def test_rows_that_do_not_apply_and_pages_without_charts() -> None:
    nan = float("nan")
    bound = TableRow("optimum", 0.0, 0.0, 2213.0, nan, bound=True)
    page = Page(page_html(replace(chart(), rows=(bound,), traces=())))
    assert page.text_of("td") == ["0", "0", "2,213", "–"]
    assert page.count("figure") == 0
    empty = Page(page_html(replace(chart(), rows=(), traces=())))
    assert empty.count("tr") == 1
