"""The dashboard: a document that Grafana imports, its names by the engine's release, nothing twice."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.render.given import fleet, part

from headrace.render import Asked, files


def document(**keys: str) -> Any:
    (text,) = part("dashboard", fleet(**keys))["data"].values()
    return json.loads(text)


def queries(**keys: str) -> list[str]:
    return [target["expr"] for panel in document(**keys)["panels"] for target in panel["targets"]]


def test_what_is_shown() -> None:
    titles = [panel["title"] for panel in document()["panels"]]
    assert titles == [
        *("Slots: what is asked for and what there is", "Occupancy", "Waiting", "Queue time", "Replicas"),
        *(
            "Start-up: age of pods that are not ready",
            "Requests by how they ended",
            "Cut streams",
            "KV cache in use",
        ),
    ]


def test_panels_neither_overlap_nor_share_an_id() -> None:
    panels = document()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (panel["gridPos"]["x"] + x, panel["gridPos"]["y"] + y)
        for panel in panels
        for x in range(panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("v0.9.1", "vllm:gpu_cache_usage_perc"),
        ("v0.10.0", "vllm:kv_cache_usage_perc"),
        ("v0.32.0", "vllm:kv_cache_usage_perc"),
    ],
)
def test_names_are_those_of_the_release(image: str, name: str) -> None:
    found = [query for query in queries(image=f"vllm/vllm-openai:{image}") if "cache_usage" in query]
    assert found
    assert all(name in query for query in found)


def test_a_data_source_is_chosen_where_it_is_imported() -> None:
    tree = document()
    (variable,) = tree["templating"]["list"]
    assert variable["type"] == "datasource"
    for panel in tree["panels"]:
        for source in [panel["datasource"], *(target["datasource"] for target in panel["targets"])]:
            assert source == {"type": "prometheus", "uid": "${datasource}"}


def test_the_file_is_what_the_map_holds() -> None:
    of = fleet()
    (text,) = part("dashboard", of)["data"].values()
    assert files([of], Asked())["dashboard.json"] == text
    assert part("dashboard", of)["metadata"]["labels"]["grafana_dashboard"] == "1"
