"""What is wrong with a file: pydantic's findings and ours as faults, each with a line and one sentence."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError

from headrace.config.form import FIGURE, PHASES, FleetForm
from headrace.config.leaf import Leaf
from headrace.config.shape import Contradiction, MayBeAbsent
from headrace.documents import Mapping, Node, Steps, data, dotted, mark_at
from headrace.errors import ConfigError
from headrace.units import shown


class Fault(NamedTuple):
    """One thing that is wrong."""

    line: int
    path: Steps
    problem: str


def config_error(source: str, faults: list[Fault]) -> ConfigError:
    """The error to raise: the first fault by its line; how many more there are is added."""
    first, *others = sorted(faults, key=lambda fault: fault.line)
    more = f" (and {len(others)} more)" if others else ""
    return ConfigError(source, first.line, dotted(first.path), first.problem + more)


def faults(error: ValidationError, root: Node) -> list[Fault]:
    """What pydantic found, in our words; a key that is missing only because it is misspelled is not told."""
    found: list[Fault] = []
    meant: set[Steps] = set()
    missing: list[Fault] = []
    for detail in error.errors(include_url=False):
        path = tuple(step for step in detail["loc"] if step not in (FIGURE, PHASES))
        inner = detail.get("ctx", {}).get("error")
        if isinstance(inner, Contradiction):
            path += inner.keys
        line = mark_at(root, path).line
        if detail["type"] == "missing":
            missing.append(Fault(line, path, f"is missing; write {allowed(path)}"))
        elif detail["type"] == "extra_forbidden":
            near, problem = _unknown(path)
            meant.add((*path[:-1], near))
            found.append(Fault(line, path, problem))
        else:
            found.append(Fault(line, path, _problem(detail["type"], inner, path, detail["input"])))
    return found + [fault for fault in missing if fault.path not in meant]


def shape_fault(root: Node) -> Fault | None:
    """What is wrong with a document that is no mapping at all."""
    if isinstance(root, Mapping):
        return None
    what = "a list" if isinstance(data(root), list) else shown(data(root))
    return Fault(root.mark.line, (), f"{what} is not a ModelFleet; write {allowed(())}")


def allowed(path: Steps) -> str:
    """What may stand at a path of the form."""
    form, leaf = _found(path)
    if leaf is not None:
        return leaf.allowed
    if form is not None:
        return "a mapping with " + ", ".join(keys(form))
    return 'a duration such as "3m", or a list of phases'


def keys(form: type[BaseModel]) -> list[str]:
    """The keys of a mapping, as written in a file."""
    return [field.alias or name for name, field in form.model_fields.items()]


def child(form: type[BaseModel], key: str) -> tuple[type[BaseModel] | None, Leaf | None]:
    """What stands under a key: another mapping, or a single value; neither for the union that `start` is."""
    for name, field in form.model_fields.items():
        if (field.alias or name) == key:
            for extra in field.metadata:
                if isinstance(extra, Leaf):
                    return None, extra
                if isinstance(extra, MayBeAbsent):
                    return extra.form, None
            kind = field.annotation
            return (kind, None) if isinstance(kind, type) and issubclass(kind, BaseModel) else (None, None)
    return None, None


def phase_form(form: type[BaseModel]) -> type[BaseModel]:
    """The form of one phase, dug out of the union that `start` is."""

    def dug(kind: Any) -> Iterator[type[BaseModel]]:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield kind
        for part in get_args(kind):
            yield from dug(part)

    return next(dug(form.model_fields["start"].annotation))


def _found(path: Steps) -> tuple[type[BaseModel] | None, Leaf | None]:
    form: type[BaseModel] | None = FleetForm
    leaf: Leaf | None = None
    for step in path:
        if form is not None and isinstance(step, str):
            parent = form
            form, leaf = child(form, step)
            start = parent if step == "start" else None
        elif isinstance(step, int) and start is not None:
            form = phase_form(start)
    return form, leaf


def _problem(kind: str, inner: object, path: Steps, given: object) -> str:
    if isinstance(inner, ValueError):
        return str(inner)
    if kind == "too_short":
        return "an empty list; write at least one phase"
    if kind == "too_long":
        return f"{len(given) if isinstance(given, list) else 'too many'} phases are more than the most, 32"
    what = "a list" if isinstance(given, list) else shown(given)
    return f"has no value; write {allowed(path)}" if given is None else f"{what} is not {allowed(path)}"


def _unknown(path: Steps) -> tuple[str, str]:
    """The key that was meant, or "", and the sentence."""
    key = str(path[-1])
    form, _ = _found(path[:-1])
    known = keys(form) if form is not None else []
    folded = {name.lower(): name for name in known}
    near = difflib.get_close_matches(key.lower().replace("_", ""), folded, 1, 0.7)
    near = near or [name for name in folded if len(name) > 2 and key.lower().startswith(name)]
    if near:
        return folded[near[0]], f'is not a key here; did you mean "{folded[near[0]]}"?'
    if home := next((home for home in _homes(key) if home != path[:-1]), None):
        return "", f"is not a key here; it belongs under {dotted(home)}"
    return "", f"is not a key here; allowed are {', '.join(known)}"


def _homes(key: str, form: type[BaseModel] = FleetForm, path: Steps = ()) -> Iterator[Steps]:
    """The mappings that have such a key."""
    for name in keys(form):
        if name == key and path:
            yield path
        inner, _ = child(form, name)
        if inner is not None:
            yield from _homes(key, inner, (*path, name))
