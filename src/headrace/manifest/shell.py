"""Shell scripts, as far as it takes to know which commands they run: never expanded, never executed.

A reader of the language's outline: words and quotes, operators, compound commands, here-documents. What it does not
understand it passes over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

OPENING: Final = frozenset(("if", "while", "until", "for", "case", "select", "{", "("))
CLOSING: Final = frozenset(("fi", "done", "esac", "}", ")"))
_BETWEEN: Final = frozenset(("then", "do", "else", "elif", "in", "!", "time"))
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_OPERATOR: Final = re.compile(r"&&|\|\||;;|\|&|[;|&\n()]")
_REDIRECTION: Final = re.compile(r"[0-9]*(?:<<<|<<-?|<>|>>|>\||&>>|&>|[<>]&?)")
_PLACEHOLDER: Final = re.compile(r"<[A-Za-z][A-Za-z0-9_ -]{0,60}>(?=\s|$)")
"""Left by people for people, as in ``vllm serve <model-id>``."""
_MOST: Final = 200_000


class Word(NamedTuple):
    """One word, quotes taken off; a variable in it stays as it is written."""

    text: str
    at: int
    """Where it begins in the script, characters from 0, its quotes included."""
    end: int
    literal: bool
    """No part of it is expanded by the shell: no variable, no command substitution, outside of single quotes."""


class Command(NamedTuple):
    """One simple command."""

    words: tuple[Word, ...]
    """Program and arguments, leading assignments and keywords taken off."""
    assigned: tuple[Word, ...]
    """The assignments in front of it, or the whole of it: ``A=b``."""
    redirected: bool
    before: str
    """The operator in front: empty at the start of the script, else one of ``; && || | & newline``."""
    after: str
    """The operator behind; empty at the end of the script."""
    depth: int
    """Compound commands, subshells and functions around it."""


class _Token(NamedTuple):
    kind: str
    """word, operator, or redirection."""
    word: Word


def commands(script: str) -> tuple[Command, ...]:
    """The simple commands of a script in the order they are written."""
    found: list[Command] = []
    words: list[Word] = []
    redirected = False
    open_: list[str] = []
    before = ""
    skip_target = False

    def finish(operator: str) -> None:
        nonlocal words, redirected, before
        if words or redirected:
            found.append(_command(words, redirected, before, operator, len(open_)))
            before = operator
        elif operator not in ("\n", ""):
            before = operator
        words, redirected = [], False

    for kind, word in _tokens(script[:_MOST]):
        if kind == "redirection":
            redirected, skip_target = True, not word.text.endswith("&-")
        elif kind == "operator":
            finish(word.text)
            if word.text == "(":
                open_.append("(")
            elif word.text == ")" and open_[-1:] == ["("]:  # else it ends a pattern of case
                open_.pop()
            skip_target = False
        elif skip_target:
            skip_target = False
        elif not words and word.literal and script[word.at : word.end] == word.text and _keyword(word.text):
            finish("")
            if word.text in OPENING:
                open_.append(word.text)
            elif word.text in CLOSING and open_:
                open_.pop()
        else:
            words.append(word)
    finish("")
    return _closed(found, script)


def _keyword(text: str) -> bool:
    return text in OPENING or text in CLOSING or text in _BETWEEN


def _closed(found: list[Command], script: str) -> tuple[Command, ...]:
    """The last command's operator behind it is nothing if only line ends, or one ``;``, follow."""
    if found and found[-1].after in ("\n", ";"):
        found[-1] = found[-1]._replace(after="")
    return tuple(found)


def _command(words: list[Word], redirected: bool, before: str, after: str, depth: int) -> Command:
    leading = 0
    while leading < len(words) and _ASSIGNMENT.match(words[leading].text):
        leading += 1
    return Command(tuple(words[leading:]), tuple(words[:leading]), redirected, before, after, depth)


def _tokens(script: str) -> Iterator[_Token]:
    at = 0
    pending: list[tuple[str, bool]] = []  # here-documents whose text begins at the next line
    size = len(script)
    while at < size:
        char = script[at]
        if char in " \t\r" or script.startswith("\\\n", at) or script.startswith("\\\r\n", at):
            at += 1 if char != "\\" else 2 + (script[at + 1] == "\r")
        elif char == "#":
            at = _line_end(script, at)
        elif placeholder := _PLACEHOLDER.match(script, at):
            yield _Token("word", Word(placeholder[0], at, placeholder.end(), False))
            at = placeholder.end()
        elif redirection := _REDIRECTION.match(script, at):
            text = redirection[0]
            yield _Token("redirection", Word(text, at, redirection.end(), True))
            at = redirection.end()
            if text.rstrip("-").endswith("<<") and not text.endswith("<<<"):
                delimiter = _word(script, at + len(script[at:]) - len(script[at:].lstrip(" \t")))
                pending.append((delimiter.text, text.endswith("-")))
        elif operator := _OPERATOR.match(script, at):
            yield _Token("operator", Word(operator[0], at, operator.end(), True))
            at = operator.end()
            if operator[0] == "\n" and pending:
                at = _behind_documents(script, at, pending)
                pending = []
        else:
            word = _word(script, at)
            yield _Token("word", word)
            at = max(word.end, at + 1)


def _line_end(script: str, at: int) -> int:
    end = script.find("\n", at)
    return len(script) if end < 0 else end


def _behind_documents(script: str, at: int, pending: list[tuple[str, bool]]) -> int:
    for delimiter, tabs in pending:
        while at < len(script):
            end = _line_end(script, at)
            line = script[at:end]
            at = end + 1
            if (line.lstrip("\t") if tabs else line).rstrip("\r") == delimiter:
                break
    return min(at, len(script))


def _word(script: str, start: int) -> Word:
    text: list[str] = []
    literal = True
    at, size = start, len(script)
    while at < size:
        char = script[at]
        if char in " \t\r\n;|&<>()":
            break
        if char == "\\":
            if at + 1 < size and script[at + 1] != "\n":
                text.append(script[at + 1])
            at += 2
        elif char == "'":
            end = script.find("'", at + 1)
            end = size if end < 0 else end
            text.append(script[at + 1 : end])
            at = end + 1
        elif char == '"':
            part, at, plain = _double(script, at + 1)
            text.append(part)
            literal = literal and plain
        elif char in "$`":
            end = _expansion(script, at)
            text.append(script[at:end])
            literal = literal and end == at + 1 and char == "$"
            at = end
        else:
            text.append(char)
            at += 1
    return Word("".join(text), start, min(at, size), literal)


def _double(script: str, at: int) -> tuple[str, int, bool]:
    """The text within double quotes, the place behind them, and whether nothing in it is expanded."""
    text: list[str] = []
    plain = True
    while at < len(script) and script[at] != '"':
        if script[at] == "\\" and at + 1 < len(script):
            if script[at + 1] != "\n":
                text.append(script[at + 1] if script[at + 1] in '"$`\\' else script[at : at + 2])
            at += 2
        elif script[at] in "$`":
            end = _expansion(script, at)
            text.append(script[at:end])
            plain = plain and end == at + 1 and script[at] == "$"
            at = end
        else:
            text.append(script[at])
            at += 1
    return "".join(text), at + 1, plain


_CLOSES: Final = {"(": ")", "{": "}"}
_NAME: Final = re.compile(r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9?$!#@*-])")


def _expansion(script: str, at: int) -> int:
    """Behind the variable or substitution that begins here; one character on, where none does."""
    if script[at] == "`":
        end = script.find("`", at + 1)
        return len(script) if end < 0 else end + 1
    opening = script[at + 1 : at + 2]
    if opening not in _CLOSES:
        match = _NAME.match(script, at)
        return match.end() if match else at + 1
    closing, level, i = _CLOSES[opening], 0, at + 1
    while i < len(script):
        if script[i] == "\\":
            i += 1
        elif script[i] == opening:
            level += 1
        elif script[i] == closing:
            level -= 1
            if not level:
                return i + 1
        i += 1
    return len(script)
