"""What all mappings of the file share, and how two values that don't go together are told."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic_core import core_schema


class Contradiction(ValueError):
    """Two values that are right alone and wrong together; `keys` lead to the one to point at."""

    def __init__(self, problem: str, *keys: str | int) -> None:
        self.keys = keys
        super().__init__(problem)


class MayBeAbsent:
    """May be left out, but not be written as null, which pydantic's ``| None`` would allow."""

    def __init__(self, form: type[BaseModel]) -> None:
        self.form = form

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return handler.generate_schema(self.form)


class Form(BaseModel):
    """What all mappings of the file share: camelCase keys, none but the known ones, docstrings as text."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=to_camel, use_attribute_docstrings=True
    )
