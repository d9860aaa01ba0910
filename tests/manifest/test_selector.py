"""Label selectors, as Kubernetes reads them."""

from __future__ import annotations

import pytest

from headrace.documents import Document, parts
from headrace.manifest.selector import selects

LABELS = {"app": "llama", "tier": "gold"}


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("{app: llama}", True),
        ("{app: qwen}", False),
        ("{matchLabels: {app: llama, tier: gold}}", True),
        ("{matchLabels: {app: llama, tier: x}}", False),
        ("{matchExpressions: [{key: app, operator: In, values: [llama, x]}]}", True),
        ("{matchExpressions: [{key: app, operator: NotIn, values: [llama]}]}", False),
        ("{matchExpressions: [{key: app, operator: Exists}]}", True),
        ("{matchExpressions: [{key: app, operator: DoesNotExist}]}", False),
        ("{matchExpressions: [{key: app, operator: Gt, values: ['1']}]}", None),
        ("{matchLabels: {app: x}, matchExpressions: [{key: app, operator: Gt}]}", False),
        ("{}", False),
        ("{matchLabels: {}}", False),
        ("[a]", False),
        ("text", False),
    ],
)
def test_selects(selector: str, expected: bool | None) -> None:
    (document,) = parts(f"a: {selector}", "x")
    assert isinstance(document, Document)
    assert selects(document.root.entry("a").value, LABELS) is expected  # type: ignore[union-attr]
