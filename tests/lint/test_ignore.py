"""Comments that ask for something to be left alone: where they reach, that they need a reason, that they are used."""

from __future__ import annotations

import pytest
from tests.lint.manifests import deployment, found

from headrace.documents import Mark
from headrace.lint.ignore import ignores, is_named, kept

GRACE = "terminationGracePeriodSeconds: 30"


def left(text: str) -> list[tuple[str, int]]:
    """Rule and line of what is left of all findings on grace, and of notices on ignores."""
    everything = kept(found(text), {"x.yaml": text})
    return [
        (e.rule, e.mark.line)
        for e in everything
        if e.rule.startswith("ignore") or e.rule == "drain-grace-too-short"
    ]


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (GRACE, ["drain-grace-too-short"]),
        (f"{GRACE}  # headrace: ignore[drain-grace-too-short] batch only", []),
        (f"{GRACE}  # headrace: ignore[drain] batch only", []),
        (f"{GRACE}  # headrace: ignore[pdb-none, drain-grace-too-short] batch only", []),
        (f"# headrace: ignore[drain-grace-too-short] batch only\n{GRACE}", []),
        (f"# headrace: ignore[drain-grace-too-short] batch only\n# and more words\n\n{GRACE}", []),
        (
            f"{GRACE}  # headrace: ignore[drain-grace-too-short]",
            ["drain-grace-too-short", "ignore-without-reason"],
        ),
        (f"{GRACE}  # headrace: ignore[pdb] elsewhere", ["drain-grace-too-short", "ignore-unused"]),
        (
            f"{GRACE}\n# headrace: ignore[drain-grace-too-short] too late",
            ["drain-grace-too-short", "ignore-unused"],
        ),
        (f"{GRACE}  # ignore[drain-grace-too-short] not ours", ["drain-grace-too-short"]),
        (f"# headrace: ignore-file[drain-grace-too-short] batch only\nhostIPC: true\n{GRACE}", []),
        (f"{GRACE}  # headrace: ignore[] nothing", ["drain-grace-too-short", "ignore-unused"]),
    ],
)
def test_what_is_left(pod: str, expected: list[str]) -> None:
    assert sorted(rule for rule, _ in left(deployment(pod=pod))) == sorted(expected)


def test_a_comment_on_its_own_speaks_for_the_next_line_that_is_none() -> None:
    (one,) = ignores("a: 1\n# headrace: ignore[x] y\n# z\n\nb: 2\n", "f")
    assert one.line == 5
    assert one.mark == Mark(2, 1)
    assert one.rules == ("x",)
    assert one.reason == "y"


def test_families() -> None:
    assert is_named("start-shm-small", ("start",))
    assert is_named("start-shm-small", ("all",))
    assert not is_named("start-shm-small", ("sta", "start-shm-smaller", ""))
