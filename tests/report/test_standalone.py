"""Holds what every page shares: names as text, figures that keep their units, JSON that stays data."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.report.standalone import name, script_safe, sentence, text


@given(st.text())
def test_nothing_given_becomes_an_element_or_ends_an_attribute(given_text: str) -> None:
    for written in (text(given_text), sentence(given_text)):
        assert not set(written) & {"<", ">", '"', "'"}


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.lists(inner, max_size=3)))
def test_numbers_come_back_as_they_were_and_cannot_end_their_script(content: object) -> None:
    written = script_safe(content)
    assert json.loads(written) == content
    assert not set(written) & {"<", ">", "&"}
    assert written.isascii()


@pytest.mark.parametrize(
    ("given_text", "written"),
    [
        ("0.1 % of 30 s", "0.1\u00a0% of 30\u00a0s"),
        ("2 min 30 s, 8 GPUs", "2\u00a0min 30\u00a0s, 8\u00a0GPUs"),
        ("4 streams, 5 minutes", "4 streams, 5 minutes"),
    ],
)
def test_no_line_ends_between_a_figure_and_its_unit(given_text: str, written: str) -> None:
    assert sentence(given_text) == written


def test_a_name_without_letters_is_said() -> None:
    assert name(" \t") == "<bdi>(no name)</bdi>"
