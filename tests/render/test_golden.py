"""What is rendered of the example, to the byte.

Written anew by ``python tests/render/test_golden.py`` in the checkout; read the difference before it is committed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from headrace.config import load_fleets
from headrace.render import Asked, files, stream

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
FLEETS = load_fleets(ROOT / "examples" / "serve.yaml")


def texts() -> Iterator[tuple[str, str]]:
    """Names and texts of all golden files."""
    without_dashboard = ("deployment", "service", "pdb", "autoscaler", "rules")
    yield "plain.yaml", stream(FLEETS, Asked(only=without_dashboard))
    yield "plain-1.37.yaml", stream(FLEETS[:1], Asked((1, 37), only=("autoscaler",)))
    for path, text in files(FLEETS[:1], Asked(form="kustomize", patch=True)).items():
        yield f"component/{path}", text
    yield "base-kustomization.yaml", files(FLEETS[1:], Asked(form="kustomize"))["kustomization.yaml"]
    yield "values.yaml", stream(FLEETS[1:], Asked(form="helm"))


@pytest.mark.parametrize(
    ("name", "text"), list(texts()), ids=lambda value: value if "\n" not in value else ""
)
def test_to_the_byte(name: str, text: str) -> None:
    assert (GOLDEN / name).read_text(encoding="utf-8") == text


def test_nothing_else_lies_there() -> None:
    written = {path.relative_to(GOLDEN).as_posix() for path in GOLDEN.rglob("*") if path.is_file()}
    assert written == {name for name, _ in texts()}


if __name__ == "__main__":
    for name, text in texts():
        (GOLDEN / name).parent.mkdir(parents=True, exist_ok=True)
        (GOLDEN / name).write_text(text, encoding="utf-8")
