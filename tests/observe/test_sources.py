"""Which files a history consists of: literal names first, then patterns; each file and each content once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from headrace.errors import InputError
from headrace.observe.source_file import source_file
from headrace.observe.sources import shares, sources

FileOf = Callable[[str, "str | bytes"], str]


def shown(paths: str | Path | list[str | Path]) -> list[str]:
    return [file.shown for file in sources(paths).files]


def test_a_literal_name_wins_over_its_pattern(file_of: FileOf) -> None:
    for name in ("a*.csv", "ab.csv", "ac.csv"):
        file_of(name, name)
    assert shown("a*.csv") == ["a*.csv"]
    os.remove("a*.csv")
    assert shown("a*.csv") == ["ab.csv", "ac.csv"]


def test_patterns_are_sorted_and_leave_folders_out(file_of: FileOf) -> None:
    for name in ("b/2.csv", "b/1.csv", "b/c.csv/3.csv", "a.csv"):
        file_of(name, name)
    assert shown("b/*.csv") == ["b/1.csv", "b/2.csv"]
    assert shown("**/*.csv") == ["a.csv", "b/1.csv", "b/2.csv", "b/c.csv/3.csv"]
    assert shown(["b/2.csv", "a.csv"]) == ["b/2.csv", "a.csv"], "in the order given"


def test_a_file_named_twice_is_read_once_and_said(file_of: FileOf) -> None:
    file_of("a.csv", "1")
    os.symlink("a.csv", "link.csv")
    found = sources(["a.csv", "a*.csv", "link.csv"])
    assert [file.shown for file in found.files] == ["a.csv"]
    assert found.notes == ("a.csv is named twice, and read once (and 1 more such files).",)


def test_a_copy_is_left_out_and_said(file_of: FileOf) -> None:
    middle = os.urandom(300_000)
    file_of("a.csv", b"x" + middle)
    file_of("b.csv", b"x" + middle)
    file_of(
        "c.csv", b"x" + middle[:150_000] + b"other" + middle[150_005:]
    )  # the same beginning, end and size
    found = sources("*.csv")
    assert [file.shown for file in found.files] == ["a.csv", "c.csv"]
    assert found.notes == ("b.csv has the same content as a.csv, and is left out.",)


def test_a_pattern_without_files_is_refused(file_of: FileOf) -> None:
    with pytest.raises(InputError, match=r"^logs/\*\.csv: no file matches this pattern$"):
        sources("logs/*.csv")
    with pytest.raises(InputError, match="no file is named"):
        sources([])
    assert shown("none.csv") == ["none.csv"], "opening it says what is wrong"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("day[1].csv", "day[1].csv: there is no such file, and none that matches it as a pattern"),
        ("day[1]*.csv", "day[1]*.csv: no file matches this pattern"),
        ("day-?.csv", "day-?.csv: no file matches this pattern"),
        ("day[1.csv", "day[1.csv: there is no such file"),
        ("day].csv", "day].csv: there is no such file"),
        ("day[].csv", "day[].csv: there is no such file"),
        ("day\x1b[31m]*.csv", "day\x1b[31m]*.csv: there is no such file"),
        ("a\n*.csv", "a\n*.csv: there is no such file"),
    ],
)
def test_a_missing_name_is_told_as_what_it_is(file_of: FileOf, name: str, sentence: str) -> None:
    file_of("x.csv", "x")
    with pytest.raises(InputError) as refused:
        source_file(sources(name).files[0].shown)
    assert str(refused.value) == sentence


def test_shares_follow_the_sizes(file_of: FileOf) -> None:
    file_of("a.csv", "x" * 30)
    file_of("b.csv", "y" * 10)
    spans = [(begin, end) for _, begin, end in shares(sources("*.csv").files, 0.0, 0.8)]
    assert [at for span in spans for at in span] == pytest.approx([0.0, 0.6, 0.6, 0.8])
