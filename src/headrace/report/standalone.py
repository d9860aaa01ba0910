"""One HTML file that opens from disk and asks the network for nothing: what every page of headrace shares.

The policy in its head (CSP) allows exactly the style sheet and the scripts that stand in it, by their hashes,
so that no name in a demand history can become code even if an escape were missed.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

# Control characters have no glyph; some of them (NUL, form feed) are not even allowed in HTML text.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_UNITS = re.compile(r"(?<=[0-9]) (?=(?:%|s|min|h|days?|GPUs?|slots)(?![A-Za-z0-9]))")


def page_of(title: str, body: str, numbers: str, *, styles: Iterable[str], scripts: Iterable[str]) -> str:
    """The whole page as text, to be encoded as UTF-8.

    Args:
        title: Of the window; escaped here.
        body: HTML of the body, its names already escaped (`text`, `name`).
        numbers: What the scripts draw from, as `script_safe` returns it.
        styles: Names of style sheets among the assets, in order, after uPlot's.
        scripts: Names of scripts among the assets, in order, after uPlot; they share one scope.
    """
    style = "\n".join(asset(name) for name in ("uPlot.min.css", *styles))
    sources = [_uplot_script(), "\n".join(asset(name) for name in scripts)]
    parts = [
        _head(title, style, sources),
        "<body>",
        body,
        f'<script type="application/json" id="chart-data">{numbers}</script>',
        *(f"<script>{source}</script>" for source in sources),
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(parts)


def header(title: str, subtitle: Iterable[str]) -> str:
    """The heading of the page and the lines below it."""
    return f'<header><h1 dir="auto">{text(title)}</h1>{subtitle_lines(subtitle)}</header>'


def subtitle_lines(lines: Iterable[str]) -> str:
    """Lines below a heading, each in its own writing direction."""
    return "".join(f'<p class="subtitle" dir="auto">{text(line)}</p>' for line in lines)


def footer(program: str, notes: Sequence[str] = ()) -> str:
    """The foot of the page: what the charts leave out, who wrote it, and the licence of what stands in it."""
    said = "".join(f'<p class="thinned">{text(note)}</p>' for note in notes if note)
    return (
        f"<footer>{said}<p>Written by {text(program)}. This page is one file and loads nothing.</p>"
        "<details><summary>Licence of the chart library in this page (uPlot)</summary>"
        f"<pre>{text(asset('uPlot.LICENSE'))}</pre></details></footer>"
    )


def name(given: str) -> str:
    """A name of the user's; isolated, so that a right-to-left override in it ends with it."""
    return f"<bdi>{text(given)}</bdi>" if given.strip() else "<bdi>(no name)</bdi>"


def text(given: str) -> str:
    """Anything as HTML text or as the value of an attribute in quotes."""
    return html.escape(_CONTROLS.sub("\ufffd", given), quote=True)


def sentence(given: str) -> str:
    """A sentence as HTML text in which no line ends between a figure and its unit."""
    return _UNITS.sub("\u00a0", text(given))


def script_safe(content: object) -> str:
    """JSON that can't end the ``<script>`` element it stands in, nor open a comment there."""
    dumped = json.dumps(content, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return dumped.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


@cache
def asset(file_name: str) -> str:
    """The text of a file in ``assets/``."""
    return (resources.files("headrace.report") / "assets" / file_name).read_text("utf-8")


def _head(title: str, style: str, scripts: list[str]) -> str:
    allowed = " ".join(_source_hash(script) for script in scripts)
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src {_source_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="generator" content="headrace">',
            f"<title>{text(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
        )
    )


def _uplot_script() -> str:
    """The vendored library, its banner put in our words: the address there would be the only one in the page.

    The licence, which the banner of the original does not carry either, stands whole at the foot of the page.
    """
    banner, library = asset("uPlot.iife.min.js").split("\n", 1)
    version = re.search(r"v[0-9.]+", banner)
    assert version is not None
    return f"/*! uPlot {version[0]}, MIT licence: see the foot of this page */\n{library}"


def _source_hash(source: str) -> str:
    digest = hashlib.sha256(source.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
