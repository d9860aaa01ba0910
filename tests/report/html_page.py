"""A page as its elements, and names that try to be more than names."""

from __future__ import annotations

import re
from html.parser import HTMLParser

HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!--<script>",
    "' onmouseover='alert(1)",
    "&lt;b&gt; & co",
    "]]>{{7*7}}${7*7}",
    "\u202egnirts\u0000\x0b\x9b\udcff\u2028",
]


class Page(HTMLParser):
    """Elements, their attributes and texts, and complaints about tags that don't pair."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs)
        if tag not in {"meta", "input"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.append((self.open[-1], data))

    def text_of(self, tag: str) -> list[str]:
        return [text for where, text in self.texts if where == tag]

    def count(self, tag: str) -> int:
        return sum(1 for found, _ in self.tags if found == tag)

    def policy(self) -> str:
        found = [a for _, a in self.tags if a.get("http-equiv") == "Content-Security-Policy"]
        assert len(found) == 1
        return found[0]["content"] or ""


def shown(hostile: str) -> str:
    """A name as a page shows it: what has no glyph is replaced."""
    return re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\udcff]", "\ufffd", hostile)
