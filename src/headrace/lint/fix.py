"""Mends what is certain, in rounds until nothing more is to be mended, and checks that nothing else has changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from headrace.documents import Document, Mark, Node, Scalar, Steps, parts
from headrace.errors import ConfigError
from headrace.lint.change import AddItems, AddKey, Change, DeleteKey, ReplaceInScript, SetScalar
from headrace.lint.edit import Edit, Text, Unfixable, edits
from headrace.lint.finding import Finding
from headrace.manifest.tree import walk

MOST_ROUNDS: Final = 10
"""A fix may make room for another (a strategy for a limit in it); none of ours needs more than three rounds."""

Judge = Callable[[Mapping[str, str]], tuple[Finding, ...]]
"""Texts by source → findings."""


class Fixed(NamedTuple):
    """What has been mended."""

    texts: dict[str, str]
    """All texts by source, the unchanged ones too."""
    mended: tuple[Finding, ...]
    left: tuple[Finding, ...]
    """Findings that had changes which could not be made surely."""


def fixed(texts: Mapping[str, str], judge: Judge) -> Fixed:
    """The texts with every certain fix made.

    Args:
        texts: The files' texts by source, without byte order marks.
        judge: Finds what is wrong in texts.
    """
    now = dict(texts)
    mended: list[Finding] = []
    left: dict[tuple[str, str, str, str], Finding] = {}
    for _ in range(MOST_ROUNDS):
        fixable = [each for each in judge(now) if each.changes and each.key not in left]
        if not fixable:
            break
        done = False
        for source in dict.fromkeys(each.source for each in fixable):
            text, made, failed = _round(
                now[source], source, [each for each in fixable if each.source == source]
            )
            now[source] = text
            mended += made
            left.update({each.key: each for each in failed})
            done = done or bool(made)
        if not done:
            break
    return Fixed(now, tuple(mended), tuple(left.values()))


def _round(text: str, source: str, found: list[Finding]) -> tuple[str, list[Finding], list[Finding]]:
    """One text with the fixes that don't get into each other's way; the others wait for the next round."""
    file = Text(text)
    taken: list[Edit] = []
    made: list[Finding] = []
    failed: list[Finding] = []
    for each in found:
        try:
            new = [edit for change in each.changes for edit in edits(file, change)]
        except Unfixable:
            failed.append(each)
            continue
        if all(edit in taken for edit in new):
            made.append(each)
        elif not any(_collide(a, b) for a in new for b in taken) and _sound(text, source, new, each.changes):
            taken += [edit for edit in new if edit not in taken]
            made.append(each)
        elif not any(_collide(a, b) for a in new for b in taken):
            failed.append(each)
    return applied(text, taken), made, failed


def _collide(a: Edit, b: Edit) -> bool:
    """Two edits of the same characters; two insertions at one place are not, unless they begin alike."""
    if a == b:
        return False
    if a.start == a.end and b.start == b.end:
        same_key = a.text.partition(":")[0] == b.text.partition(":")[0]
        return a.start == b.start and a.depth == b.depth and same_key
    return a.start < b.end and b.start < a.end


def applied(text: str, edits: list[Edit]) -> str:
    """A text with edits made; of insertions at one place, the deepest first."""
    for edit in sorted(edits, key=lambda each: (-each.start, -each.end, each.depth)):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _sound(text: str, source: str, new: list[Edit], changes: tuple[Change, ...]) -> bool:
    """Whether the edits alone change what is meant and nothing else, as a reader of YAML sees it."""
    try:
        before = [part for part in parts(text, source) if isinstance(part, Document)]
        after = [part for part in parts(applied(text, new), source) if isinstance(part, Document)]
    except ConfigError:
        return False
    if len(before) != len(after):
        return False
    meant = {
        place
        for document in range(len(before))
        for place in _places(before[document].root, changes, document)
    }
    for i, (old, changed) in enumerate(zip(before, after, strict=True)):
        was, now = _leaves(old.root), _leaves(changed.root)
        for path in was.keys() | now.keys():
            if was.get(path) != now.get(path) and not any(path[: len(m)] == m for k, m in meant if k == i):
                return False
    return applied(text, new) != text


def _leaves(root: Node) -> dict[Steps, str]:
    return {path: node.text if isinstance(node, Scalar) else type(node).__name__ for path, node in walk(root)}


def _places(root: Node, changes: tuple[Change, ...], document: int) -> list[tuple[int, Steps]]:
    """The paths below which a change may show; nothing in place of a node that stands at several."""
    wanted = {_spot(_node(change)) for change in changes}
    found: dict[tuple[str, Mark], list[Steps]] = {}
    for path, node in walk(root):
        if _spot(node) in wanted:
            found.setdefault(_spot(node), []).append(path)
    several = {key for key, paths in found.items() if len(paths) > 1}
    places: list[tuple[int, Steps]] = []
    for key, paths in found.items():
        if key in several:
            continue
        here = [change for change in changes if _spot(_node(change)) == key]
        places += [(document, _place(paths[0], change)) for change in here]
    return places


def _spot(node: Node) -> tuple[str, Mark]:
    """What tells a node from others when its file is read again."""
    return (type(node).__name__, node.mark)


def _node(change: Change) -> Node:
    if isinstance(change, SetScalar | ReplaceInScript):
        return change.node
    return change.sequence if isinstance(change, AddItems) else change.mapping


def _place(path: Steps, change: Change) -> Steps:
    return (*path, change.key) if isinstance(change, AddKey | DeleteKey) else path
