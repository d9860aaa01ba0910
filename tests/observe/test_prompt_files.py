"""Lengths of prompts: one row a request in any format, several files as one, thinned without losing the longest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from headrace.errors import InputError
from headrace.observe import prompt_files
from headrace.observe.prompt_files import read_prompts

FileOf = Callable[[str, str | bytes], str]


def test_lengths_come_back_in_order_and_it_says_how_many(file_of: FileOf) -> None:
    lengths, notes = read_prompts(
        file_of("prompts.csv", "id,prompt_tokens\na,300\nb,100\nc,\nd,200\ne,100\n")
    )
    assert lengths.tolist() == [100.0, 100.0, 200.0, 300.0]
    assert any("'prompt_tokens'" in note for note in notes)
    assert notes[-1] == "4 prompt lengths, the longest 300 tokens."


def test_a_lone_column_needs_no_name(file_of: FileOf) -> None:
    assert read_prompts(file_of("p.csv", "p50\n602\n"))[0].tolist() == [602.0]


def test_json_lines_and_several_files_are_one(file_of: FileOf) -> None:
    file_of("p-1.jsonl", '{"input_tokens": 5}\n{"input_tokens": 7}\n')
    file_of("p-2.jsonl", '{"input_tokens": 6}\n')
    assert read_prompts("p-*.jsonl")[0].tolist() == [5.0, 6.0, 7.0]


def test_a_file_without_a_row_is_left_out_where_there_are_others(file_of: FileOf) -> None:
    file_of("p-1.csv", "prompt_tokens\n")
    file_of("p-2.csv", "prompt_tokens\n6\n")
    lengths, notes = read_prompts("p-*.csv")
    assert lengths.tolist() == [6.0]
    assert "One file is read; p-1.csv has no row, and is left out." in notes
    assert notes[-1] == "1 prompt length, the longest 6 tokens."


def test_a_column_can_be_named(file_of: FileOf) -> None:
    name = file_of("p.csv", "a,b\n1,2\n3,4\n")
    assert read_prompts(name, column="b")[0].tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("content", "column", "words"),
    [
        ("", None, "p.csv: the file is empty"),
        ("prompt_tokens\n", None, "p.csv: "),
        ("prompt_tokens\n5\n-3\n", None, "p.csv, row 3: .*-3"),
        ("prompt_tokens\n5\nlong\n", None, "p.csv, row 3: .*long"),
        ("prompt_tokens\n1e9\n", None, "p.csv, row 2: .*1e8 tokens|p.csv, row 2: .*too large"),
        ("prompt_tokens,n\n,1\n,2\n", None, "there is no prompt length; at least 1 is needed|none of the"),
        ("a,b\n1,2\n", None, "--prompt-column"),
        ("a,b\n1,2\n", "c", "there is no column 'c'"),
    ],
)
def test_whatever_is_wrong_is_one_sentence(
    file_of: FileOf, content: str, column: str | None, words: str
) -> None:
    name = file_of("p.csv", content)
    with pytest.raises(InputError, match=words) as caught:
        read_prompts(name, column=column)
    assert "\n" not in str(caught.value)


def test_a_missing_file(file_of: FileOf) -> None:
    with pytest.raises(InputError, match=r"nowhere\.csv: there is no such file"):
        read_prompts("nowhere.csv")


def test_more_than_is_handed_on_is_thinned_and_the_longest_kept(
    file_of: FileOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_files, "MOST", 100)
    rows = "\n".join(str(at % 1_000) for at in range(20_000))
    lengths, notes = read_prompts(file_of("p.csv", f"prompt_tokens\n{rows}\n900000\n"))
    assert len(lengths) == 100
    assert lengths[-1] == 900_000.0
    assert (np.diff(lengths) >= 0).all()
    assert np.quantile(lengths, 0.5) == pytest.approx(500.0, abs=15.0)
    assert notes[-1] == "20,001 prompt lengths, the longest 900,000 tokens."
