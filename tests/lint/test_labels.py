"""What two readers found by eye in 62 public manifests is what the rules find, within 3 % and 5 %.

Each reader labelled alone and without sight of what the rules find; how their few differences were settled stands in
the label file, with a reason each. On the first run precision was 0.962 and recall 0.987; what that showed has been
mended in the code (a gRPC server taken for an HTTP one, releases in tags of derived images, Ray's head, a comment
behind the last command of bash, a loop that only seems to look): today's figures are not those of an unseen set.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.lint.manifests import RULES, found

from headrace.lint.run import NOTICES

LABELS = Path(__file__).parents[1] / "data" / "lint_labels.json"
PRECISION, RECALL = 0.97, 0.95

Key = tuple[str, str, str, str]


def test_the_rules_find_what_readers_found(shared_data: Path) -> None:
    labelled = json.loads(LABELS.read_text(encoding="utf-8"))["labels"]
    wanted = {
        (f, row["rule"], row["resource"], row["container"]) for f, rows in labelled.items() for row in rows
    }
    had: set[Key] = set()
    for name in labelled:
        text = (shared_data / "manifests" / name).read_bytes().decode()
        had |= {(name, each.rule, each.resource, each.container) for each in found(text)}
    right = wanted & had
    wrong = [f"missed {key}" for key in sorted(wanted - had)] + [
        f"false {key}" for key in sorted(had - wanted)
    ]
    assert len(labelled) == 62
    assert len(right) / len(had) >= PRECISION, "\n".join(wrong)
    assert len(right) / len(wanted) >= RECALL, "\n".join(wrong)


def test_every_label_names_a_rule_and_says_why() -> None:
    file = json.loads(LABELS.read_text(encoding="utf-8"))
    for rows in file["labels"].values():
        for row in rows:
            assert row["rule"] in RULES or row["rule"] in NOTICES
            assert row["why"]
    assert all(each["reason"] for each in file["settled"])
