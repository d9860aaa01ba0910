# ruff: noqa: E501 - a sentence that is compared stands whole on its line
"""YAML with marks: what the tree keeps, which traps stay text, and the exact sentence for each hostile file."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from headrace.documents import (
    DEEPEST,
    MOST_ALIASED,
    MOST_BYTES,
    Ambiguous,
    Mapping,
    Mark,
    Scalar,
    Sequence,
    build,
    data,
    documents,
    dotted,
    load_documents,
    mark_at,
)
from headrace.errors import ConfigError

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.fixture(params=["libyaml", "python"])
def both_parsers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every machine must say the same, with libyaml or without."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader) if request.param == "libyaml" else yaml.SafeLoader
    monkeypatch.setattr(build, "LOADER", loader)


def read(text: str | bytes) -> object:
    (document,) = documents(text, "f.yaml")
    return data(document.root)


@pytest.mark.usefixtures("both_parsers")
def test_marks_of_keys_and_values() -> None:
    (document,) = documents(
        "# top\nspec:\n  scale: {max: 8}\n  start:\n  - name: 'a b'\n    median: 3m\n", "f"
    )
    root = document.root
    assert isinstance(root, Mapping)
    assert mark_at(root, ("spec", "scale", "max")) == Mark(3, 11)
    assert mark_at(root, ("spec", "start", 0)) == Mark(5, 5)
    assert mark_at(root, ("spec", "start", 0, "median")) == Mark(6, 5)
    assert mark_at(root, ("spec", "start", 7, "median")) == Mark(4, 3), "as deep as the path exists"
    spec = root.entry("spec")
    assert spec is not None
    assert isinstance(spec.value, Mapping)
    start = spec.value.entry("start")
    assert start is not None
    assert isinstance(start.value, Sequence)
    first = start.value.items[0]
    assert isinstance(first, Mapping)
    assert first.entries[0].value == Scalar("a b", plain=False, mark=Mark(5, 11), end=Mark(5, 16), style="'")
    assert first.entry("p90") is None


@pytest.mark.usefixtures("both_parsers")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        ("-8", -8),
        ("0.75", 0.75),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("'8'", "8"),
        ('"true"', "true"),
        ("''", ""),
        ("!!str 8", "8"),
        ("3m", "3m"),
        ("75%", "75%"),
        ("1h30m", "1h30m"),
        ("llama-70b", "llama-70b"),
        ("|\n  8\n", "8\n"),
    ],
)
def test_what_all_readers_agree_on(text: str, value: object) -> None:
    found = read(f"a: {text}")
    assert found == {"a": value}
    assert isinstance(found, dict)
    assert type(found["a"]) is type(value)


@pytest.mark.usefixtures("both_parsers")
@pytest.mark.parametrize(
    "text",
    [
        "no",
        "On",
        "y",
        "N",
        "010",
        "0x10",
        "0o10",
        "0b1",
        "1_000",
        "3:00",
        "1:30:00",
        "1e3",
        "1E-3",
        "+8",
        ".5",
        "5.",
        ".nan",
        ".inf",
        "-.INF",
        "2024-01-01",
        "=",
        "9999999999999999999",
    ],
)
def test_old_traps_stay_text(text: str) -> None:
    found = read(f"a: {text}")
    assert isinstance(found, dict)
    assert type(found["a"]) is Ambiguous
    assert found["a"] == text
    assert read(f"a: '{text}'") == {"a": text}


@pytest.mark.usefixtures("both_parsers")
@pytest.mark.parametrize(
    "content",
    [
        "a: 1\nb: [é, 2]\n",
        b"\xef\xbb\xbfa: 1\r\nb: [\xc3\xa9, 2]\r\n",
        "\ufeffa: 1\rb: [é, 2]",
        "{a: 1, b: [é, 2]}",
    ],
)
def test_byte_order_marks_and_line_ends(content: str | bytes) -> None:
    assert read(content) == {"a": 1, "b": ["é", 2]}


@pytest.mark.usefixtures("both_parsers")
def test_documents_of_a_file() -> None:
    found = documents("# nothing yet\n---\na: 1\n---\n# only a comment\n---\nb: 2\n...\n", "f")
    assert [document.empty for document in found] == [False, True, False]
    assert found[2].root.mark.line == 7
    assert documents("", "f") == ()
    assert documents("# comment\n", "f") == ()


@pytest.mark.usefixtures("both_parsers")
def test_aliases_and_merges() -> None:
    assert read("a: &x {k: 1}\nb: *x\nc: [*x, *x]") == {
        "a": {"k": 1},
        "b": {"k": 1},
        "c": [{"k": 1}, {"k": 1}],
    }
    merged = "a: &x {k: 1, l: 2}\nz: &z {l: 9, m: 3}\nb:\n  <<: [*x, *z]\n  k: 7\n"
    assert read(merged) == {"a": {"k": 1, "l": 2}, "z": {"l": 9, "m": 3}, "b": {"k": 7, "l": 2, "m": 3}}
    assert read("'<<': 1\n") == {"<<": 1}, "in quotes it is a key like others"


@pytest.mark.usefixtures("both_parsers")
def test_aliases_up_to_the_bound() -> None:
    anchored = "a: &a [" + "x, " * 98 + "x]\nb: "  # a list and its 99 items: 100 nodes
    most = MOST_ALIASED // 100
    assert read(anchored + "[" + ", ".join(["*a"] * most) + "]\n")
    with pytest.raises(ConfigError, match="aliases expand to more than 10,000 values or 50 levels"):
        read(anchored + "[" + ", ".join(["*a"] * (most + 1)) + "]\n")


@pytest.mark.usefixtures("both_parsers")
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a: 1\nb: {c: 1, c: 2}", "f.yaml, line 2: b.c: the key is given twice in one mapping, first on line 2"),
        ("a: 1\n'a': 2", "f.yaml, line 2: a: the key is given twice in one mapping, first on line 1"),
        ("a: 1\n<<: {}\n<<: {}", 'f.yaml, line 3: "<<": the key is given twice in one mapping, first on line 2'),
        ("a:\n\tb: 1", "f.yaml, line 2: not valid YAML: a tab can't indent or separate here; use spaces"),
        ("a: b: c", 'f.yaml, line 1: not valid YAML: a second ":" on the line, or indentation that does not fit'),
        ("a: 1\nb\nc: 2", 'f.yaml, line 3: not valid YAML: a key without ": " behind it'),
        ("a: 1\nb: 'x\nc: 1\n", "f.yaml, line 2: not valid YAML: a quote is opened and not closed"),
        ("a: 'it's'", "f.yaml, line 1: not valid YAML: something behind the end of a value, such as a quote inside quotes"),
        ("a: [1,\nb: 2\n", 'f.yaml, line 1: not valid YAML: a "[" that is not closed, or a comma missing'),
        ("a: {b: 1 c", 'f.yaml, line 1: not valid YAML: a "{" that is not closed, or a comma missing'),
        ("a: [1]]", 'f.yaml, line 1: not valid YAML: a "]" that closes nothing'),
        ("a: {}}", 'f.yaml, line 1: not valid YAML: a "}" that closes nothing'),
        ("a:\n  b: 1\n c: 2", "f.yaml, line 3: not valid YAML: indentation that does not fit the lines above"),
        ("- a\nb: 1", "f.yaml, line 2: not valid YAML: indentation that does not fit the lines above"),
        ("a: - b", 'f.yaml, line 1: not valid YAML: a "- " that does not fit; list items stand on lines of their own'),
        ("a: @b", "f.yaml, line 1: not valid YAML: a value that begins with a character that needs quotes, such as @ or %"),
        (r'a: "\q"', "f.yaml, line 1: not valid YAML: an escape in quotes that is no character"),
        (r'a: "\ud800"', "f.yaml, line 1: a: character U+D800 is not allowed"),
        (r'a: "\UFFFFFFFF"', "f.yaml: not valid YAML: an escape or number beyond its range"),
        ("%YAML " + "9" * 5000 + ".1\n--- a", "f.yaml: not valid YAML: an escape or number beyond its range"),
        ("a: 1\n? [b]\n: c", "f.yaml, line 2: a key must be plain text, not a list or a mapping"),
        ("a: !!python/object:os.system x", 'f.yaml, line 1: a: the tag "!!python/object:os.system" is not allowed; write the value without it'),
        ("a: !secret x", 'f.yaml, line 1: a: the tag "!secret" is not allowed; write the value without it'),
        ("a: !!int 8", 'f.yaml, line 1: a: the tag "!!int" is not allowed; write the value without it'),
        ("a: *x", 'f.yaml, line 1: a: the alias "*x" has no anchor before it'),
        ("a: &x 1\n---\nb: *x", 'f.yaml, line 3: b: the alias "*x" has no anchor before it'),
        ("a: &x\n  b: *x", 'f.yaml, line 2: a.b: the alias "*x" stands inside what it repeats'),
        ("a: 1\n<<: 3", 'f.yaml, line 2: "<<": << merges mappings only, as in <<: *name'),
        (BOMB, "f.yaml, line 5: e: aliases expand to more than 10,000 values or 50 levels"),
        ("a: 1\nb: " + "[" * 100_000, "f.yaml, line 2: b: nested more than 50 levels deep"),
        ("- " * 51 + "x", "f.yaml, line 1: [0]: nested more than 50 levels deep"),
        ("x" * (MOST_BYTES + 1), "f.yaml: larger than 4 MiB, the most that is read"),
        (b"a: 1\nb: \xff\n", "f.yaml, line 2: byte 0xff is not UTF-8 text; is it a text file?"),
        (b"\x89PNG\r\n\x1a\n", "f.yaml, line 1: byte 0x89 is not UTF-8 text; is it a text file?"),
        (b"\xff\xfea\x00", "f.yaml: encoded as UTF-16; save it as UTF-8"),
        ("a: 1\nb: \x00", "f.yaml, line 2: character U+0000 is not text; is it a text file?"),
        ("a: \ud800", "f.yaml, line 1: character U+D800 is not text; is it a text file?"),
    ],
)  # fmt: skip
def test_refusals(content: str | bytes, sentence: str) -> None:
    with pytest.raises(ConfigError) as error:
        documents(content, "f.yaml")
    assert str(error.value) == sentence


@pytest.mark.usefixtures("both_parsers")
def test_a_chain_of_aliases_is_bounded_in_depth() -> None:
    deep = "[" * (DEEPEST - 10) + "x" + "]" * (DEEPEST - 10)
    with pytest.raises(ConfigError, match="50 levels"):
        read(f"a: &a {deep}\nb: [[[[[[[[[[[*a]]]]]]]]]]]\n")
    assert read(f"a: &a {deep}\nb: [[[*a]]]\n")


def test_paths_as_people_write_them() -> None:
    assert dotted(("spec", "phases", 1, "median")) == "spec.phases[1].median"
    assert dotted((0, "a b", "")) == '[0]."a b".""'
    assert dotted(()) == ""


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"a: 1\n")
    (document,) = load_documents(file)
    assert document.source == str(file)
    assert data(document.root) == {"a": 1}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("absent.yaml", "{}/absent.yaml: can't be read: No such file or directory"),
        (".", "{}: can't be read: Is a directory"),
        ("a\0b", '"{}/a\\x00b": can\'t be read: embedded null byte'),
    ],
)
def test_files_that_can_not_be_read(
    name: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as error:
        load_documents(Path("d") / name if name != "." else Path())
    assert str(error.value) == sentence.format("d" if name != "." else ".")
