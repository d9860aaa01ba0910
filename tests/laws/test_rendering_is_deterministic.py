"""Law: the same file gives the same bytes, in every form, and what is read back from the file renders the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.serving import served_fleets

from headrace.config import document, fleets
from headrace.render import Asked, files, missing, stream
from headrace.spec import ModelFleet

EXAMPLE = Path(__file__).parents[2] / "examples" / "serve.yaml"

asks = st.builds(
    Asked,
    kubernetes=st.sampled_from([(1, 34), (1, 37)]),
    form=st.sampled_from(["plain", "kustomize", "helm"]),
    only=st.just(()),
    patch=st.booleans(),
).filter(lambda asked: not (asked.patch and asked.form == "helm"))


@given(served_fleets(), asks)
def test_the_file_written_back_renders_the_same(fleet: ModelFleet, asked: Asked) -> None:
    assert missing(fleet, asked) is None
    (again,) = fleets(document(fleet), "f.yaml")
    assert files([fleet], asked) == files([again], asked)
    assert stream([fleet], asked) == stream([again], asked)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_no_order_depends_on_the_process(seed: str) -> None:
    """Sets of text come in another order with another seed of their hashes."""
    script = (
        "import sys; from headrace.config import load_fleets; from headrace.render import Asked, files; "
        "sys.stdout.write(repr(files(load_fleets(sys.argv[1]), Asked(form=sys.argv[2]))))"
    )
    for form in ("plain", "kustomize"):
        done = subprocess.run(
            [sys.executable, "-c", script, str(EXAMPLE), form],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(path for path in sys.path if path)},
            capture_output=True,
            check=True,
            text=True,
        )
        from headrace.config import load_fleets

        assert done.stdout == repr(files(load_fleets(EXAMPLE), Asked(form=form)))
