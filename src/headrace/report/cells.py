"""Cells of tables of figures: aligned by CSS, sorted by the script through ``data-value``."""

from __future__ import annotations

import math

from headrace.report import captions


def figure_cell(value: float, *, over: bool = False, most: float = 0.0, shown: str = "") -> str:
    """One figure.

    Args:
        value: NaN = does not apply.
        over: Whether anything above 0 is bad; 0 then is said calmly.
        most: If above 0, a bar shows the value against it.
        shown: In place of the figure's own words; HTML.
    """
    known = math.isfinite(value)
    sort = f' data-value="{value!r}"' if known else ""
    kind = f' class="{"none" if value == 0 else "some"}"' if over and known else ""
    bar = _bar(value / most) if known and most > 0 else ""
    return f"<td{sort}{kind}>{shown or captions.count(value)}{bar}</td>"


def _bar(share: float) -> str:
    width = f"{100 * min(1.0, max(0.0, share)):.1f}%"
    return f'<svg class="bar" aria-hidden="true"><rect width="{width}" height="100%"></rect></svg>'
