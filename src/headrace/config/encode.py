"""A fleet → YAML: the keys that differ from their defaults, in the order of the form."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.config import serving
from headrace.config.form import API_VERSION, KIND
from headrace.config.load import default_rule, fleets, p90_s
from headrace.config.serving import Tree
from headrace.documents import quoted
from headrace.errors import HeadraceError
from headrace.spec import Capacity, ModelFleet, Phase, Scale, Slo, Start
from headrace.units import duration_text, number_text, ratio_text


def document(fleet: ModelFleet) -> str:
    """The file that reads as this fleet, without a leading ``---``.

    Raises:
        ValueError: No file says this fleet: a value out of its range, or a rule number that has no key.
    """
    text = "\n".join(_lines(_tree(fleet))) + "\n"
    try:
        (read,) = fleets(text, fleet.name)
    except HeadraceError as error:
        raise ValueError(f"no file can say this fleet: {error}") from error
    if read != fleet:
        raise ValueError(f"no file can say this fleet: it would be read as {read}")
    return text


def _tree(fleet: ModelFleet) -> dict[str, Tree]:
    spec: dict[str, Tree] = {}
    if fleet.engine != "vllm":
        spec["engine"] = fleet.engine
    if fleet.slo != Slo():
        spec["slo"] = {"over": ratio_text(fleet.slo.over_ratio)}
    spec["capacity"] = _capacity(fleet.capacity)
    spec["scale"] = _scale(fleet.scale, fleet.start)
    if fleet.start != Start(phases=(Phase("start-up", 180.0, p90_s(180.0)),)):
        spec["start"] = _start(fleet.start)
    spec |= serving.trees(fleet)
    return {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": quoted(fleet.name)}, "spec": spec}


def _capacity(capacity: Capacity) -> dict[str, Tree]:
    tree: dict[str, Tree] = {"slots": str(capacity.slots)}
    if capacity.data_parallel != 1:
        tree["dataParallel"] = str(capacity.data_parallel)
    if capacity.accelerators != capacity.data_parallel:
        tree["accelerators"] = str(capacity.accelerators)
    if capacity.kv_tokens is not None:
        tree["kvTokens"] = str(capacity.kv_tokens)
    if capacity.requests_per_s is not None:
        tree["requestsPerSecond"] = number_text(capacity.requests_per_s)
    return tree


def _scale(scale: Scale, start: Start) -> dict[str, Tree]:
    plain, rule, usual = Scale(), scale.rule, default_rule(start)
    tree: dict[str, Tree] = {}
    if scale.min_replicas != plain.min_replicas:
        tree["min"] = str(scale.min_replicas)
    tree["max"] = str(scale.max_replicas)
    if scale.target_ratio != plain.target_ratio:
        tree["target"] = ratio_text(scale.target_ratio)
    if rule.headroom != usual.headroom:
        tree["headroom"] = number_text(rule.headroom)
    if scale.surge is not None:
        rise, within = ratio_text(scale.surge.rise_ratio), duration_text(scale.surge.ramp_s)
        tree["surge"] = {"rise": rise, "within": within}
    if scale.priority != plain.priority:
        tree["priority"] = str(scale.priority)
    if rule.down_window_s != usual.down_window_s:
        tree["downWindow"] = duration_text(rule.down_window_s)
    if rule.down_interval_s != usual.down_interval_s:
        tree["downInterval"] = duration_text(rule.down_interval_s)
    if scale.drain_s != plain.drain_s:
        tree["drain"] = duration_text(scale.drain_s)
    return tree


def _start(start: Start) -> Tree:
    for only in start.phases[:1]:
        if start.phases == (Phase("start-up", only.median_s, p90_s(only.median_s)),):
            return duration_text(only.median_s)
    return [_phase(phase) for phase in start.phases]


def _phase(phase: Phase) -> dict[str, Tree]:
    tree: dict[str, Tree] = {"name": quoted(phase.name), "median": duration_text(phase.median_s)}
    if phase.p90_s != p90_s(phase.median_s):
        tree["p90"] = duration_text(phase.p90_s)
    return tree


def _lines(tree: Tree, indent: str = "") -> Iterator[str]:
    """Block style, two spaces; mappings of text inside a list in one line each."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if isinstance(value, str):
                yield f"{indent}{key}: {value}"
            else:
                yield f"{indent}{key}:"
                yield from _lines(value, indent + "  ")
    elif isinstance(tree, list):
        for item in tree:
            if isinstance(item, str):
                yield f"{indent}- {item}"
                continue
            first, *rest = _lines(item, indent + "  ")
            yield f"{indent}- {first.strip()}"
            yield from rest
