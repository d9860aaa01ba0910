"""The name of a container image, taken apart."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from headrace.engine import Release
from headrace.manifest.tree import is_known

_TAG: Final = re.compile(r"(?:^|[-_])v?([0-9]{1,4})\.([0-9]{1,4})(?:\.([0-9]{1,4}))?(?=$|[^0-9.]|\.[a-z])")


FLOATING: Final = frozenset(("", "latest", "nightly", "main", "master", "dev", "edge", "stable"))
"""Tags that move."""


class Image(NamedTuple):
    """``registry:5000/team/vllm-openai:v0.9.1@sha256:…``."""

    text: str
    """As written."""
    repository: str
    """Path without registry, lower-case: ``team/vllm-openai``."""
    tag: str
    digest: str

    @property
    def known(self) -> bool:
        """Whether nothing of it has to be filled in."""
        return is_known(self.text)

    @property
    def floats(self) -> bool:
        """Whether the same words may name another image tomorrow: no digest, and no tag or a moving one."""
        return not self.digest and self.tag.lower() in FLOATING

    @property
    def release(self) -> Release | None:
        """The first release's number in the tag: ``v0.9.1-cu128`` is 0.9.1; None where there is none."""
        match = _TAG.search(self.tag) if is_known(self.tag) else None
        return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else None


def image(reference: str) -> Image:
    """The parts of a reference; a variable in it stays in the part where it stands."""
    rest, _, digest = reference.partition("@")
    before, colon, tag = rest.rpartition(":")
    if not colon or "/" in tag or not _is_whole(before):
        before, tag = rest, ""
    first, slash, path = before.partition("/")
    is_registry = slash and ("." in first or ":" in first or first == "localhost") and _is_whole(first)
    return Image(reference, (path if is_registry else before).lower(), tag, digest)


def _is_whole(part: str) -> bool:
    """Whether no variable is cut in two: ``${A:-b}`` has a colon of its own."""
    return part.count("{") == part.count("}")
