"""The form as JSON Schema (for editors, later for a custom resource) and as a reference page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from headrace.config.fault import child, phase_form
from headrace.config.form import API_VERSION, KIND, FleetForm
from headrace.config.leaf import Choice, Label, Leaf, Quantity
from headrace.config.text import Text
from headrace.units import duration_text, ratio_text

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


class _Texts(GenerateJsonSchema):
    """Defaults in the spelling of the file: ``5m``, ``0.1%``; one that depends on other keys is left out."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        made = super().default_schema(schema)
        default = made.pop("default", None)
        if isinstance(default, int | float):
            made["default"] = _default(made, default)
        elif default and isinstance(default, str):
            made["default"] = default
        return made


def schema() -> dict[str, Any]:
    """JSON Schema, draft 2020-12, of one document of a ModelFleet file, without references.

    What it refuses, `load.fleets` refuses. What it can't say: values against each other (``max`` below
    ``min``), ranges of texts (``30h``), names used twice.
    """
    made = FleetForm.model_json_schema(schema_generator=_Texts)
    forms = made.pop("$defs", {})
    inlined = _inlined(made, forms)
    assert isinstance(inlined, dict)
    return {"$schema": DIALECT, **inlined, "title": KIND}


def reference() -> str:
    """The reference page of the file, in Markdown."""
    return "\n".join([*_HEAD, *_sections(FleetForm, "")])


def _default(made: JsonSchemaValue, default: float) -> str | float:
    if made.get("type") == "string" or "oneOf" in made:
        return duration_text(default)
    return ratio_text(default) if "anyOf" in made else default


def _inlined(part: Any, forms: dict[str, Any]) -> Any:
    """References resolved, titles that only repeat the key dropped, line breaks in descriptions undone."""
    if isinstance(part, list):
        return [_inlined(item, forms) for item in part]
    if not isinstance(part, dict):
        return part
    if name := part.get("$ref"):
        own = {key: value for key, value in part.items() if key != "$ref"}
        return _inlined({**forms[name.removeprefix("#/$defs/")], **own}, forms)
    return {
        key: " ".join(value.split()) if key == "description" else _inlined(value, forms)
        for key, value in part.items()
        if not (key == "title" and isinstance(value, str))
    }


_HEAD: Final = (
    "# The ModelFleet file",
    "",
    "<!-- Made by headrace.config.reference() from src/headrace/config/form.py: edit its docstrings. -->",
    "",
    f"One document of a file says how one model is served (`apiVersion: {API_VERSION}`, `kind: {KIND}`);",
    "a file may hold several, parted by `---`. A key that is not listed here is refused, and so is a value",
    "that readers of YAML read in different ways (`no`, `010`, `1e3`, `3:00`). See [examples/](../examples).",
    "",
    "| kind of value | written as |",
    "|---|---|",
    "| whole number, number | plain digits, without quotes: `8`, `0.5`, `-0.2` |",
    "| share | `75%` or `0.75` |",
    "| duration | `250ms`, `90s`, `3m`, `1h30m`, `1.5h`; never a bare number |",
    "| rate | `7.5` (per second), `7.5/s`, `450/m`, `27000/h` |",
    "| size | `64GiB`, `141GB`; never a bare number |",
    "",
)


def _sections(form: type[BaseModel], path: str) -> Iterator[str]:
    for name, field in form.model_fields.items():
        key = field.alias or name
        at = f"{path}.{key}" if path else key
        below, leaf = child(form, key)
        if below is not None:
            yield from _section(at, field, "a mapping")
            yield from _sections(below, at)
        elif leaf is not None:
            words = leaf.allowed
            if isinstance(leaf, Choice):
                words = " or ".join(f"`{option}`" for option in leaf.options)
            yield from _section(at, field, words, _spelled(leaf, field.default))
        else:
            yield from _section(at, field, "a duration from 100ms to 24h, or a list of 1 to 32 phases", "3m")
            yield from _sections(phase_form(form), at + "[]")


def _section(at: str, field: FieldInfo, allowed: str, default: str = "") -> Iterator[str]:
    need = "required" if field.is_required() else f"default `{default}`" if default else "may be left out"
    yield f"### `{at}`"
    yield ""
    yield f"*{allowed}; {need}*"
    yield ""
    yield " ".join((field.description or "").split())
    yield ""


def _spelled(leaf: Leaf, default: object) -> str:
    if isinstance(leaf, Quantity) and isinstance(default, int | float):
        return leaf.text(default)
    return default if isinstance(leaf, Choice | Label | Text) and isinstance(default, str) else ""
