"""Edits of YAML as it is written: block and flow, any line ends, comments anywhere; refused where it can't be sure."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.documents import Document, Mapping, Scalar, Sequence, data, parts
from headrace.lint.change import AddItems, AddKey, Change, DeleteKey, ReplaceInScript, SetScalar
from headrace.lint.edit import Text, Unfixable, edits
from headrace.lint.fix import applied
from headrace.manifest.tree import child


def root(text: str) -> Mapping:
    (document,) = parts(text, "x")
    assert isinstance(document, Document)
    assert isinstance(document.root, Mapping)
    return document.root


def at(text: str, *steps: str | int) -> object:
    return child(root(text), *steps)


def changed(text: str, *changes: Change) -> str:
    file = Text(text)
    return applied(text, [edit for change in changes for edit in edits(file, change)])


def mapping(text: str, *steps: str | int) -> Mapping:
    node = at(text, *steps)
    assert isinstance(node, Mapping)
    return node


def scalar(text: str, *steps: str | int) -> Scalar:
    node = at(text, *steps)
    assert isinstance(node, Scalar)
    return node


def sequence(text: str, *steps: str | int) -> Sequence:
    node = at(text, *steps)
    assert isinstance(node, Sequence)
    return node


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("a: 1\n", (), "a: 1\nk: v\n"),
        ("a: 1", (), "a: 1\nk: v"),
        ("a:\n  b: 1\nc: 2\n", ("a",), "a:\n  b: 1\n  k: v\nc: 2\n"),
        ("a:\n    b: 1  # why\n# next\nc: 2\n", ("a",), "a:\n    b: 1  # why\n    k: v\n# next\nc: 2\n"),
        ("a: {b: 1}\n", ("a",), "a: {k: v, b: 1}\n"),
        ("a: {}\n", ("a",), "a: {k: v}\n"),
        ("a:\n- b: 1\n- c: 2\n", ("a", 0), "a:\n- b: 1\n  k: v\n- c: 2\n"),
        ("a:\n  b:\n  - x\n  - y\n\nc: 2\n", ("a",), "a:\n  b:\n  - x\n  - y\n  k: v\n\nc: 2\n"),
        (
            "a:\n  b: |\n    one\n\n    two\n\nc: 2\n",
            ("a",),
            "a:\n  b: |\n    one\n\n    two\n  k: v\n\nc: 2\n",
        ),
        (
            "a:\n  b: >-\n    one\n    two\n# c\nc: 2\n",
            ("a",),
            "a:\n  b: >-\n    one\n    two\n  k: v\n# c\nc: 2\n",
        ),
        ('a:\n  b: "one\n    two"\nc: 2\n', ("a",), 'a:\n  b: "one\n    two"\n  k: v\nc: 2\n'),
        ("a:\n  b: {x: 1,\n    y: 2}\nc: 2\n", ("a",), "a:\n  b: {x: 1,\n    y: 2}\n  k: v\nc: 2\n"),
        ("a:\n  b:\nc: 2\n", ("a",), "a:\n  b:\n  k: v\nc: 2\n"),
        ("a:\r\n  b: 1\r\nc: 2\r\n", ("a",), "a:\r\n  b: 1\r\n  k: v\r\nc: 2\r\n"),
        ("---\na:\n  b: 1\n---\nz: 1\n", ("a",), None),
        ("# c\na:\n  b: 1 # d\n  # e\n", ("a",), "# c\na:\n  b: 1 # d\n  k: v\n  # e\n"),
    ],
)
def test_a_key_is_added_behind_the_others(
    text: str, path: tuple[str | int, ...], expected: str | None
) -> None:
    if expected is None:  # in the first of two documents
        first = next(part for part in parts(text, "x") if isinstance(part, Document))
        node = child(first.root, *path)
        assert isinstance(node, Mapping)
        assert changed(text, AddKey(node, "k", "v")) == "---\na:\n  b: 1\n  k: v\n---\nz: 1\n"
        return
    now = changed(text, AddKey(mapping(text, *path), "k", "v"))
    assert now == expected
    assert child(root(now), *path, "k") is not None


def test_json_stays_json() -> None:
    text = '{"a": {"b": 1, "c": ["x"]}, "d": {}}\n'
    for path, value in ((("a",), "650"), (("d",), "v"), ((), "true")):
        now = json.loads(changed(text, AddKey(mapping(text, *path), "k", value)))
        assert "k" in (now[path[0]] if path else now)
    assert json.loads(changed(text, AddItems(sequence(text, "a", "c"), ("--n=1",))))["a"]["c"] == [
        "x",
        "--n=1",
    ]
    assert json.loads(changed(text, SetScalar(scalar(text, "a", "b"), "2")))["a"]["b"] == 2


def test_a_value_of_several_lines_is_indented() -> None:
    text = "a:\n  b: 1\n"
    now = changed(text, AddKey(mapping(text, "a"), "k", "x:\n  y: 1\nz:\n- 2"))
    assert now == "a:\n  b: 1\n  k:\n    x:\n      y: 1\n    z:\n    - 2\n"
    with pytest.raises(Unfixable):
        changed("a: {b: 1}\n", AddKey(mapping("a: {b: 1}\n", "a"), "k", "x:\n  y: 1"))


@pytest.mark.parametrize(
    ("text", "new", "expected"),
    [
        ("a: 1  # c\n", "2", "a: 2  # c\n"),
        ("a: '1'\n", "2", "a: '2'\n"),
        ('a: "1"\n', "2", 'a: "2"\n'),
        ("a: {b: 1, c: 2}\n", "3", None),
        ("a:\n", "2", "a: 2\n"),
        ("a: ~\n", "2", "a: 2\n"),
        ("a: false\n", "true", "a: true\n"),
    ],
)
def test_a_scalar_is_replaced_in_its_own_quotes(text: str, new: str, expected: str | None) -> None:
    if expected is None:
        assert changed(text, SetScalar(scalar(text, "a", "b"), new)) == "a: {b: 3, c: 2}\n"
    else:
        assert changed(text, SetScalar(scalar(text, "a"), new)) == expected


@pytest.mark.parametrize("text", ["a: |\n  x\n", "a: >\n  x\n", 'a: "x\n  y"\n'])
def test_a_scalar_of_several_lines_is_left_alone(text: str) -> None:
    with pytest.raises(Unfixable):
        changed(text, SetScalar(scalar(text, "a"), "2"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n- x\n- y\nb: 1\n", "a:\n- x\n- y\n- --n=1\nb: 1\n"),
        ("a:\n  - 'x'\nb: 1\n", "a:\n  - 'x'\n  - '--n=1'\nb: 1\n"),
        ("a: [x, y]\n", "a: [x, y, --n=1]\n"),
        ('a: ["x", "y"] # c\n', 'a: ["x", "y", "--n=1"] # c\n'),
        ("a: [\n  x,\n  y\n]\n", "a: [\n  x,\n  y, --n=1\n]\n"),
        ("a:\n- x # c\n# d\nb: 1\n", "a:\n- x # c\n- --n=1\n# d\nb: 1\n"),
    ],
)
def test_items_are_added_behind_the_last(text: str, expected: str) -> None:
    assert changed(text, AddItems(sequence(text, "a"), ("--n=1",))) == expected
    assert data(root(expected))["a"][-1] == "--n=1"  # type: ignore[index]


def test_an_empty_list_and_a_last_item_that_is_no_word_are_left_alone() -> None:
    for text in ("a: []\n", "a:\n- {x: 1}\n"):
        with pytest.raises(Unfixable):
            changed(text, AddItems(sequence(text, "a"), ("x",)))


def test_a_key_is_deleted_with_its_lines() -> None:
    text = "a:\n  b: 1\n  c:\n  - 1\n  - 2\n  d: 3\n"
    assert changed(text, DeleteKey(mapping(text, "a"), "c")) == "a:\n  b: 1\n  d: 3\n"
    for kept in ("a:\n  b: 1  # why\n  d: 3\n", "a: {b: 1, d: 3}\n", "a:\n  b: 1\n"):
        with pytest.raises(Unfixable):
            changed(kept, DeleteKey(mapping(kept, "a"), "b"))


def test_words_of_a_script_are_replaced_where_they_stand() -> None:
    text = "a:\n- |\n   one\n\n   two three\n- x\n"
    node = scalar(text, "a", 0)
    where = node.text.index("two")
    assert changed(text, ReplaceInScript(node, where, where, "exec ")) == text.replace("two", "exec two")
    plain = "a: one two  # c\n"
    assert changed(plain, ReplaceInScript(scalar(plain, "a"), 0, 3, "ten")) == "a: ten two  # c\n"
    folded = "a: >\n  one\n  two\n"
    with pytest.raises(Unfixable):
        changed(folded, ReplaceInScript(scalar(folded, "a"), 4, 7, "x"))


def test_at_one_place_the_deeper_insertion_comes_first() -> None:
    text = "a:\n  b:\n    c: 1\n"
    now = changed(text, AddKey(mapping(text, "a"), "k", "v"), AddKey(mapping(text, "a", "b"), "k", "v"))
    assert now == "a:\n  b:\n    c: 1\n    k: v\n  k: v\n"


KEYS = st.sampled_from(["a", "b", "c", "k1", "long-key"])
LEAVES = st.sampled_from(
    ["1", "x", "'q: r'", '"s # t"', "true", "null", "-3.5", "[1, 2]", "{m: 1}", "|\n@one\n@\n@two", "~"]
)


@st.composite
def trees(draw: st.DrawFn, depth: int = 0) -> list[str]:
    """Lines of a block mapping, with comments and empty lines where YAML allows them."""
    lines: list[str] = []
    for key in draw(st.lists(KEYS, min_size=1, max_size=4, unique=True)):
        if draw(st.booleans()) and lines:
            lines.append(draw(st.sampled_from(["# a comment", "", "  # deeper"])))
        if depth < 3 and draw(st.integers(0, 2)) == 0:
            inner = draw(trees(depth + 1))
            if draw(st.booleans()):
                lines += [f"{key}:", *(f"  {line}" if line else line for line in inner)]
            else:
                lines += [
                    f"{key}:",
                    *((("- " if i == 0 else "  ") + line) if line else line for i, line in enumerate(inner)),
                ]
        else:
            leaf = draw(LEAVES).split("\n")
            lines += [f"{key}: {leaf[0]}", *(line.replace("@", "  ") for line in leaf[1:])]
            if len(leaf) == 1 and draw(st.booleans()) and leaf[0] not in ("~",):
                lines[-1] += "  # why"
    return lines


@settings(max_examples=200, deadline=None)
@given(trees(), st.randoms(use_true_random=False), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_adding_a_key_changes_nothing_else(
    lines: list[str], random: object, newline: str, ends: bool
) -> None:
    text = newline.join(lines) + (newline if ends else "")
    nodes = [node for _, node in _mappings(root(text))]
    node = random.choice(nodes)  # type: ignore[attr-defined]
    try:
        now = changed(text, AddKey(node, "added", "v"))
    except Unfixable:
        assert not ends, "only a block without its last line end can't be added to"
        return
    before, after = data(root(text)), data(root(now))
    assert _without(after, "added") == before
    assert str(after).count("'added': 'v'") == 1
    if not node.flow:
        new = [line for line in now.splitlines() if "added" not in line and line]
        assert new == [line for line in text.splitlines() if line]


def _mappings(node: object, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Mapping]]:
    found = [(path, node)] if isinstance(node, Mapping) else []
    if isinstance(node, Mapping):
        for entry in node.entries:
            found += _mappings(entry.value, (*path, entry.key.text))
    elif isinstance(node, Sequence):
        for i, item in enumerate(node.items):
            found += _mappings(item, (*path, i))
    return found


def _without(value: object, key: str) -> object:
    if isinstance(value, dict):
        return {name: _without(inner, key) for name, inner in value.items() if name != key}
    return [_without(inner, key) for inner in value] if isinstance(value, list) else value
