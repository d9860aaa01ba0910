"""The rules' own pages: one in full for a terminal, all of them as ``docs/rules.md``.

::

    python -c 'from headrace.lint.pages import reference; print(reference(), end="")' > docs/rules.md
"""

from __future__ import annotations

from collections.abc import Mapping

from headrace.lint.rule import SECTIONS, Rule
from headrace.lint.run import rules

_HEADINGS = {
    "Why": "Why",
    "Bad": "Bad",
    "Good": "Good",
    "Fix": "What to do",
    "Others": "What others say",
    "Source": "Source",
}
_HEAD = """\
# The rules of `headrace lint`

<!-- Made by headrace.lint.pages.reference() from the docstrings in src/headrace/lint/rules: edit those. -->

How to run them, ignore them and keep a baseline: [lint.md](lint.md). Severity: an **error** cuts streams or ends in an
outage, a **warning** costs start-ups, accelerators or a bad day, **info** is for you to know. Confidence: **high**
follows from the file, **medium** follows unless something stands elsewhere.
"""


def page(name: str, rule: Rule) -> str:
    """One rule for a terminal, in plain text."""
    parts = [
        f"{name}: {rule.title}\n{rule.severity}, confidence {rule.confidence}\n\n{rule.sections['Finds']}\n"
    ]
    for heading in SECTIONS:
        if body := rule.sections.get(heading):
            indented = "\n".join(f"  {line}".rstrip() for line in body.split("\n"))
            parts.append(f"{_HEADINGS[heading]}:\n{indented}\n")
    return "\n".join(parts)


def listing(found: Mapping[str, Rule]) -> str:
    """One line a rule."""
    width = max(map(len, found), default=0)
    return "".join(f"{name:<{width}}  {rule.severity:<7}  {rule.title}\n" for name, rule in found.items())


def reference() -> str:
    """All rules in Markdown, a table of them in front."""
    found = rules()
    rows = [f"| [{n}](#{_anchor(n)}) | {r.severity} | {r.title} |" for n, r in found.items()]
    table = "\n".join(["| rule | severity | |", "|---|---|---|", *rows])
    return "\n".join([_HEAD, table, "", *(_section(name, rule) for name, rule in found.items())])


def _anchor(name: str) -> str:
    return name.replace(".", "")


def _section(name: str, rule: Rule) -> str:
    parts = [
        f"## {name}\n\n*{rule.severity}, confidence {rule.confidence}*: {rule.title}\n\n{rule.sections['Finds']}\n"
    ]
    for heading in SECTIONS:
        body = rule.sections.get(heading)
        if not body:
            continue
        if heading in ("Bad", "Good"):
            parts.append(f"{_HEADINGS[heading]}:\n\n```yaml\n{body}\n```\n")
        else:
            parts.append(f"**{_HEADINGS[heading]}.** {' '.join(body.split())}\n")
    return "\n".join(parts)
