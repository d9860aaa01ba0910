"""The outline of shell scripts: which commands run, under what, parted by which operators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.manifest.shell import commands


def words(script: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in commands(script)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("", []),
        ("a b", [["a", "b"]]),
        ("a; b && c || d | e & f\ng", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]),
        ("a \\\n  --x=1 \\\n  y", [["a", "--x=1", "y"]]),
        ("a 'b c' \"d $E\" f\\ g", [["a", "b c", "d $E", "f g"]]),
        ("# all\na # b\n#c", [["a"]]),
        ("a#b c", [["a#b", "c"]]),
        ("A=1 B=2 a", [["a"]]),
        ("a > x 2>&1 < y b", [["a", "b"]]),
        ("cat <<EOF\nvllm serve\nEOF\na", [["cat"], ["a"]]),
        ("cat <<-'E'\n\tvllm\n\tE\na", [["cat"], ["a"]]),
        ("a $(b c; d) `e f`", [["a", "$(b c; d)", "`e f`"]]),
        ("a ${B:-c d}", [["a", "${B:-c d}"]]),
        ("if a; then b; else c; fi", [["a"], ["b"], ["c"]]),
        ("for i in 1 2; do a; done", [["i", "in", "1", "2"], ["a"]]),
        ("serve <model-id> --port 1", [["serve", "<model-id>", "--port", "1"]]),
        ("a 'unclosed", [["a", "unclosed"]]),
        ('a "unclosed', [["a", "unclosed"]]),
        ("a\r\nb\r\n", [["a"], ["b"]]),
    ],
)
def test_commands(script: str, expected: list[list[str]]) -> None:
    assert words(script) == expected


def test_what_stands_around_a_command() -> None:
    a, b, _, c, d = commands("a\nif b; then\n  case $x in p) c ;; esac\nfi\nd > log")
    assert (a.depth, a.before, a.after) == (0, "", "\n")
    assert b.depth == 1
    assert c.depth == 2
    assert (d.depth, d.after, d.redirected) == (0, "", True)


def test_a_word_knows_where_it_stands() -> None:
    script = "a; exec 'b c' --d=\"$E\""
    for command in commands(script):
        for word in command.words:
            assert script[word.at : word.end].strip("'") in (word.text, '--d="$E"')
    assert [word.literal for word in commands(script)[1].words] == [True, True, False]


@given(st.text(alphabet="ab \n;|&<>(){}'\"\\$`#=-1", max_size=60))
def test_no_script_is_too_odd(script: str) -> None:
    for command in commands(script):
        for word in command.words:
            assert 0 <= word.at <= word.end <= len(script)
