"""Law: whatever a tree holds, its YAML reads back as the same values, and its comments change nothing."""

from __future__ import annotations

import yaml
from hypothesis import given
from hypothesis import strategies as st

from headrace.documents import data, documents
from headrace.render import Noted, plain, yaml_text
from headrace.render.noted import Tree

texts = (
    st.text(max_size=20)
    | st.text("ab :#-\n\"'{}[]|>~&*!%@`0123456789.\t", max_size=12)
    | st.sampled_from(
        [
            "no",
            "010",
            "1e3",
            "null",
            "~",
            "---",
            "3:00",
            "- a",
            "a: b",
            "a #b",
            "--flag=1",
            "|",
            "2024-01-01",
            "y",
        ]
    )
)
numbers = st.integers(-(10**12), 10**12) | st.floats(0.001, 10**9)
leaves = texts | numbers | st.booleans() | st.none()


def noted(trees: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return trees | st.builds(Noted, trees, st.text("abc .\n", max_size=30))


trees: st.SearchStrategy[Tree] = st.recursive(
    noted(leaves),
    lambda inner: noted(st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)


@given(trees)
def test_what_is_written_is_what_is_read(tree: Tree) -> None:
    written = yaml_text(tree)
    assert yaml.safe_load(written) == plain(tree)


readable = texts.filter(lambda text: text.replace("\n", "").isprintable())


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), readable, min_size=1, max_size=4))
def test_no_reader_takes_a_text_for_more(tree: dict[str, str]) -> None:
    """Our own reader knows every value on which readers disagree, and finds none."""
    (document,) = documents(yaml_text(tree), "x.yaml")
    read = data(document.root)
    assert read == tree
    assert isinstance(read, dict)
    assert {type(value) for value in read.values()} == {str}
