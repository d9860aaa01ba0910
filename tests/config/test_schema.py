"""The JSON Schema and the reference page: what the schema refuses config refuses too, and docs are fresh."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headrace.config import fleets, reference, schema
from headrace.documents import data, documents
from headrace.errors import ConfigError

ROOT = Path(__file__).parents[2]

KNOWN = {"$schema", "title", "description", "default", "type", "enum", "pattern", "minimum", "maximum"} | {
    *("properties", "required", "additionalProperties", "items", "minItems", "maxItems", "anyOf", "oneOf")
}


def valid(value: object, rule: dict[str, Any]) -> bool:
    """The part of JSON Schema 2020-12 that our schema uses; a keyword beyond it fails the test."""
    assert set(rule) <= KNOWN, f"this check does not know {set(rule) - KNOWN}"
    if any(key in rule for key in ("anyOf", "oneOf")):
        hits = sum(valid(value, part) for part in rule.get("anyOf") or rule["oneOf"])
        return hits == 1 if "oneOf" in rule else hits > 0
    match rule["type"]:
        case "object":
            return isinstance(value, dict) and _valid_object(value, rule)
        case "array":
            fits = isinstance(value, list) and rule["minItems"] <= len(value) <= rule["maxItems"]
            return fits and all(valid(item, rule["items"]) for item in value)  # type: ignore[attr-defined]
        case "string":
            fits = isinstance(value, str) and value in rule.get("enum", [value])
            return fits and re.search(rule.get("pattern", ""), str(value)) is not None
        case "integer" | "number" as kind:
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            if (
                isinstance(value, bool)
                or not isinstance(value, int | float)
                or (kind == "integer" and not whole)
            ):
                return False
            return bool(rule["minimum"] <= value <= rule["maximum"])
        case kind:
            raise AssertionError(kind)


def _valid_object(value: dict[str, object], rule: dict[str, Any]) -> bool:
    if "properties" not in rule:  # any keys, all their values of one kind
        return all(valid(part, rule["additionalProperties"]) for part in value.values())
    properties = rule["properties"]
    assert rule["additionalProperties"] is False
    known = set(value) <= set(properties) and set(rule.get("required", ())) <= set(value)
    return known and all(valid(part, properties[key]) for key, part in value.items())


def parts(rule: object) -> Iterator[dict[str, Any]]:
    """All rules inside a rule."""
    if isinstance(rule, dict):
        yield rule
        for part in rule.values():
            yield from parts(part)
    elif isinstance(rule, list):
        for part in rule:
            yield from parts(part)


def right() -> dict[str, Any]:
    """A document with every key."""
    return {
        "apiVersion": "headrace.dev/v1alpha1",
        "kind": "ModelFleet",
        "metadata": {"name": "llama"},
        "spec": {
            "engine": "vllm",
            "slo": {"over": "0.1%"},
            "capacity": {
                "slots": 256,
                "dataParallel": 1,
                "accelerators": 1,
                "kvTokens": 900_000,
                "requestsPerSecond": 7.5,
            },
            "scale": {
                "min": 1,
                "max": 8,
                "target": 0.9,
                "headroom": 0.5,
                "priority": 1,
                "downWindow": "5m",
                "downInterval": "0s",
                "drain": "90s",
                "surge": {"rise": "35%", "within": "5m"},
            },
            "start": [{"name": "node", "median": "1m", "p90": "2m"}],
            "server": {
                "image": "registry.example/vllm:2026-10",
                "release": "0.18.0",
                "model": "meta-llama/Llama-3.3-70B-Instruct",
                "name": "llama",
                "namespace": "serving",
                "container": "server",
                "port": 8000,
                "apiServers": 1,
                "tensorParallel": 1,
                "pipelineParallel": 1,
                "args": ["--enable-prefix-caching"],
                "loader": "runai_streamer",
                "cache": {"claim": "model-cache"},
                "accelerator": "nvidia.com/gpu",
                "cpu": 8,
                "memory": "64GiB",
                "sharedMemory": "8GiB",
                "environment": {"VLLM_LOGGING_LEVEL": "INFO"},
                "secrets": ["hub-token"],
                "labels": {"team": "search"},
                "nodeSelector": {"gpu": "h100"},
                "tolerations": ["nvidia.com/gpu"],
                "serviceAccount": "reader",
            },
            "autoscaler": {
                "kind": "keda",
                "target": "60%",
                "metric": "running",
                "prometheus": "http://p:9090",
            },
            "drain": {"mode": "idle", "nodeWait": "10m"},
            "rollout": {"strategy": "auto", "spareAccelerators": 8, "deadline": "20m"},
            "alerts": {
                "queueTime": "5s",
                "queueFor": "5m",
                "waitingFor": "10m",
                "pinnedFor": "15m",
                "full": "95%",
                "fullFor": "15m",
                "turns": 3,
                "changes": 36,
                "cut": "1%",
                "labels": {"team": "search"},
                "ruleLabels": {"release": "prometheus"},
                "series": 'job="llama"',
                "resets": "sum(rate(resets[5m]))",
            },
        },
    }


MAPS = ("environment", "labels", "nodeSelector", "ruleLabels")
"""Whose keys are the user's."""


def is_free(path: tuple[str | int, ...]) -> bool:
    """Whether the last key is one of the user's own."""
    return len(path) > 1 and path[-2] in MAPS


ONE_OF_TWO = ("spec", "server", "cache", "claim")
"""What the schema can't say: the other is missing then."""


def places(tree: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Paths of all values inside a tree."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, part in items:
        yield (*path, key)
        yield from places(part, (*path, key))


def changed(path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """`right` with another value at one place."""
    tree: Any = right()
    at = tree
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return tree  # type: ignore[no-any-return]


VALUES: list[object] = [
    *(None, True, False, 0, 1, -1, 8, 3.5, -0.25, 99_999_999, 10**15, "", "8", "0.5", "abc", "ABC", "no"),
    *(
        "3m",
        "3 m",
        "1h30m",
        "m3",
        "75%",
        "75 %",
        "-5%",
        "%",
        "7.5/s",
        "7.5/x",
        "3m\n",
        [],
        {},
        ["3m"],
        {"a": 1},
    ),
    *([{}], [{"name": "a", "median": "1m"}], {"rise": 1, "within": "1m"}, "vllm", "sglang"),
]


@pytest.mark.parametrize("path", list(places(right())), ids=lambda path: ".".join(map(str, path)))
def test_what_the_schema_refuses_config_refuses(path: tuple[str | int, ...]) -> None:
    rule = schema()
    refused = 0
    for value in VALUES:
        tree = changed(path, value)
        if not valid(tree, rule):
            refused += 1
            with pytest.raises(ConfigError):
                fleets(json.dumps(tree), "f.yaml")
    assert refused > len(VALUES) / 3


@pytest.mark.parametrize(
    "path",
    [path for path in places(right()) if not isinstance(path[-1], int) and not is_free(path)],
)
def test_keys_missing_and_unknown(path: tuple[str, ...]) -> None:
    tree: Any = right()
    at = tree
    for step in path[:-1]:
        at = at[step]
    value = at.pop(path[-1])
    absent_is_right = valid(tree, schema())
    if absent_is_right and path == ONE_OF_TWO:
        with pytest.raises(ConfigError, match="neither is given"):
            fleets(json.dumps(tree), "f.yaml")
    elif absent_is_right:
        fleets(json.dumps(tree), "f.yaml")
    else:
        with pytest.raises(ConfigError, match="is missing"):
            fleets(json.dumps(tree), "f.yaml")
    at[path[-1] + "X"] = value
    assert not valid(tree, schema())
    with pytest.raises(ConfigError, match="is not a key here"):
        fleets(json.dumps(tree), "f.yaml")


def test_the_schema_takes_what_is_right() -> None:
    assert valid(right(), schema())
    for path in sorted((ROOT / "examples").glob("*.yaml")):
        for document in documents(path.read_bytes(), path.name):
            assert valid(data(document.root), schema()), path.name


def test_the_schema_is_of_use_to_editors() -> None:
    rule = schema()
    assert rule["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "$ref" not in json.dumps(rule)
    assert "null" not in json.dumps(rule)
    for part in parts(rule):
        for key, inner in part.get("properties", {}).items():
            if isinstance(inner, dict) and key != "properties":
                assert inner.get("description"), f"{key} has no description"
    spec = rule["properties"]["spec"]["properties"]
    assert spec["start"]["default"] == "3m"
    assert spec["slo"]["properties"]["over"]["default"] == "0.1%"
    assert spec["scale"]["properties"]["min"]["default"] == 1


def test_defaults_in_the_schema_are_those_that_are_read() -> None:
    tree: Any = right()
    server = {"image": "vllm/vllm-openai:v0.18.0", "model": "llama"}
    tree["spec"] = {"capacity": {"slots": 256}, "scale": {"max": 8}, "server": server}
    plain = fleets(json.dumps(tree), "f.yaml")
    told = 0
    for section, rule in schema()["properties"]["spec"]["properties"].items():
        if "default" in rule:
            tree["spec"][section] = rule["default"]
            told += 1
        for key, inner in rule.get("properties", {}).items():
            if "default" in inner:
                tree["spec"].setdefault(section, {})[key] = inner["default"]
                told += 1
    assert told == 26
    assert fleets(json.dumps(tree), "f.yaml") == plain


def test_the_reference_page_is_fresh() -> None:
    page = (ROOT / "docs" / "config.md").read_text(encoding="utf-8")
    assert page == reference(), (
        "docs/config.md is stale; write it anew: "
        "python -c 'from headrace.config import reference; print(reference(), end=\"\")' > docs/config.md"
    )


def test_the_reference_page_has_every_key() -> None:
    for path in places(right()):
        if not isinstance(path[-1], int) and not is_free(path):
            name = "".join("[]" if isinstance(step, int) else f".{step}" for step in path)[1:]
            assert f"\n### `{name}`\n" in reference()
