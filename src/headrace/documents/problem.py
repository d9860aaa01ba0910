"""A YAML parser's problem in one sentence for a person."""

from __future__ import annotations

from typing import Final

import yaml

from headrace.errors import ConfigError

_PROBLEMS: Final = (
    ("'\\t' that cannot start", "a tab can't indent or separate here; use spaces"),
    ("mapping values are not allowed", 'a second ":" on the line, or indentation that does not fit'),
    ("could not find expected ':'", 'a key without ": " behind it'),
    ("unexpected end of stream", "a quote is opened and not closed"),
    ("found undefined tag handle", "a tag that is not known"),
    (
        "<block end>, but found '<scalar>'",
        "something behind the end of a value, such as a quote inside quotes",
    ),
    ("<block end>, but found ']'", 'a "]" that closes nothing'),
    ("<block end>, but found '}'", 'a "}" that closes nothing'),
    ("<block end>, but found ','", "a comma outside of brackets"),
    ("sequence entries are not allowed", 'a "- " that does not fit; list items stand on lines of their own'),
    ("escape", "an escape in quotes that is no character"),
    ("expected <block end>", "indentation that does not fit the lines above"),
    ("expected ',' or '}'", 'a "{" that is not closed, or a comma missing'),
    ("expected ',' or ']'", 'a "[" that is not closed, or a comma missing'),
    ("that cannot start any token", "a value that begins with a character that needs quotes, such as @ or %"),
    ("expected the node content", "a value is missing"),
    ("expected '<document start>'", 'something behind the end of the document; "---" starts another one'),
)


def syntax_error(error: Exception, source: str, first_line: int = 1) -> ConfigError:
    """One sentence for a problem of a parser whose text begins at a line of the file."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return ConfigError(source, 0, "", "not valid YAML: an escape or number beyond its range")
    problem = error.problem or error.context or "no reason given"
    worded = next((words for part, words in _PROBLEMS if part in problem), problem)
    mark = error.problem_mark or error.context_mark
    if error.context_mark and ("unexpected end of stream" in problem or "expected ','" in problem):
        mark = error.context_mark  # where the quote or bracket opens, not where the file ends
    return ConfigError(source, mark.line + first_line if mark else 0, "", f"not valid YAML: {worded}")
