"""Which labels a selector selects."""

from __future__ import annotations

from collections.abc import Mapping as Labels

from headrace.documents import Mapping, Node, Scalar
from headrace.manifest.tree import items, raw, texts


def selects(selector: Node | None, labels: Labels[str, str]) -> bool | None:
    """Whether a selector (matchLabels, matchExpressions, or plain labels as a Service's) selects labels.

    An empty or missing selector selects nothing here: what it means differs by kind. None: an expression that is not
    known to us.
    """
    if not isinstance(selector, Mapping) or not selector.entries:
        return False
    if not (selector.entry("matchLabels") or selector.entry("matchExpressions")):
        return _all_in(texts(selector), labels) if _is_plain(selector) else None
    if not _all_in(texts(selector, "matchLabels"), labels):
        return False
    found = [_expression(item, labels) for item in items(selector, "matchExpressions")]
    if not found and not texts(selector, "matchLabels"):
        return False
    return None if None in found else all(found)


def _is_plain(selector: Mapping) -> bool:
    return all(isinstance(entry.value, Scalar) for entry in selector.entries)


def _all_in(wanted: Labels[str, str], labels: Labels[str, str]) -> bool:
    return all(labels.get(key) == value for key, value in wanted.items())


def _expression(node: Node, labels: Labels[str, str]) -> bool | None:
    key, operator = raw(node, "key") or "", raw(node, "operator")
    values = {value.text for value in items(node, "values") if isinstance(value, Scalar)}
    if operator == "In":
        return labels.get(key) in values
    if operator == "NotIn":
        return labels.get(key) not in values
    if operator == "Exists":
        return key in labels
    if operator == "DoesNotExist":
        return key not in labels
    return None
