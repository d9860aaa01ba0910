"""YAML → fleets: documents are checked by the form and become `spec` values with every default filled in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from headrace.config import serving
from headrace.config.fault import Fault, config_error, faults, shape_fault
from headrace.config.form import FleetForm, ScaleForm, SpecForm
from headrace.decide.rules import real_demand
from headrace.documents import Document, data, documents, load_documents, mark_at
from headrace.errors import ConfigError
from headrace.spec import P90_OF_MEDIAN, Capacity, Draining, ModelFleet, Phase, Rule, Scale, Slo, Start, Surge


def load_fleets(path: Path | str) -> tuple[ModelFleet, ...]:
    """The fleets of a file, in its order; at least one.

    Raises:
        ConfigError: It can't be read, or something in it is wrong; the first mistake is told.
    """
    return _fleets(load_documents(Path(path)), str(path))


def fleets(content: str | bytes, source: str) -> tuple[ModelFleet, ...]:
    """The fleets in a text, in its order; at least one.

    Args:
        content: YAML with one or more ModelFleet documents.
        source: What messages call it.

    Raises:
        ConfigError: Something in it is wrong; the first mistake is told.
    """
    return _fleets(documents(content, source), source)


def _fleets(found: Iterable[Document], source: str) -> tuple[ModelFleet, ...]:
    wrong: list[Fault] = []
    read: list[ModelFleet] = []
    lines: dict[str, int] = {}
    for document in found:
        if document.empty:
            continue
        if fault := shape_fault(document.root):
            wrong.append(fault)
            continue
        try:
            fleet = _fleet(FleetForm.model_validate(data(document.root)))
        except ValidationError as error:
            wrong.extend(faults(error, document.root))
            continue
        at = ("metadata", "name")
        line = mark_at(document.root, at).line
        if (first := lines.setdefault(fleet.name, line)) != line:
            wrong.append(Fault(line, at, f'"{fleet.name}" is already the name of the fleet on line {first}'))
        read.append(fleet)
    if wrong:
        raise config_error(source, wrong)
    if not read:
        raise ConfigError(source, 0, "", "holds no ModelFleet; it is empty or has only comments")
    return tuple(read)


def _fleet(form: FleetForm) -> ModelFleet:
    spec = form.spec
    capacity = spec.capacity
    start = Start(phases=phases(spec))
    return ModelFleet(
        name=form.metadata.name,
        engine=spec.engine,
        slo=Slo(over_ratio=spec.slo.over),
        capacity=Capacity(
            slots=capacity.slots,
            data_parallel=capacity.data_parallel,
            accelerators=capacity.accelerators or capacity.data_parallel,
            kv_tokens=capacity.kv_tokens,
            requests_per_s=capacity.requests_per_second,
        ),
        scale=_scale(spec.scale, start),
        start=start,
        server=serving.server(spec.server),
        autoscaler=serving.autoscaler(spec.autoscaler),
        drain=Draining(mode=spec.drain.mode, node_wait_s=spec.drain.node_wait),
        rollout=serving.rollout(spec.rollout),
        alerts=serving.alerts(spec.alerts),
    )


def phases(spec: SpecForm) -> tuple[Phase, ...]:
    """Start-up by phase; one figure is one phase."""
    if not isinstance(spec.start, list):
        return (Phase("start-up", spec.start, p90_s(spec.start)),)
    return tuple(
        Phase(phase.name, phase.median, p90_s(phase.median) if phase.p90 is None else phase.p90)
        for phase in spec.start
    )


def p90_s(median_s: float) -> float:
    """The p90 of a phase of which only the median is known."""
    return median_s * P90_OF_MEDIAN


def default_rule(start: Start) -> Rule:
    """The rule unless a key says otherwise: the default for real demand, by the median of start-up."""
    return real_demand(sum(phase.median_s for phase in start.phases))


def _scale(form: ScaleForm, start: Start) -> Scale:
    rule = default_rule(start)
    window_s = rule.down_window_s if form.down_window is None else form.down_window
    interval_s = rule.down_interval_s if form.down_interval is None else form.down_interval
    return Scale(
        min_replicas=form.min,
        max_replicas=form.max,
        target_ratio=form.target,
        priority=form.priority,
        surge=Surge(form.surge.rise, form.surge.within) if form.surge else None,
        drain_s=form.drain,
        rule=rule._replace(
            headroom=form.headroom,
            down_window_s=window_s,
            down_interval_s=interval_s,
            down_step=1.0 if interval_s else float("inf"),
        ),
    )
