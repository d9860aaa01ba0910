"""Clock changes in files whose rows are in any order: looked for by day, and only where a first reading met one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from headrace.observe.cells import ZONES_MIXED, Cell, TimeCell, cell_fault, fault_error, judged_sql
from headrace.observe.clocks import Clocks
from headrace.observe.database import LinkedFile
from headrace.observe.table import Table


class ClockChanges(NamedTuple):
    """What the times of a file say of their zone."""

    zone: str
    """That of the last time of the first column of times."""
    notes: tuple[str, ...]


def changed_sql(cells: Sequence[Cell]) -> str:
    """SQL over what `judged_sql` gives: true where a time is not in the offset of the first one."""
    times = [at for at, cell in enumerate(cells) if isinstance(cell, TimeCell)]
    return " OR ".join(f"z{at} <> 0" for at in times) or "false"


def clock_changes(linked: LinkedFile, rows: Table, cells: Sequence[Cell]) -> ClockChanges:
    """Zone and notes of a file in which some offset is not the first one's.

    Args:
        linked: The file.
        rows: Its columns.
        cells: What is read of them; no row has a fault.

    Raises:
        InputError: Offsets change as no zone's clocks do.
    """
    zone, notes = "", []
    for at, cell in enumerate(cells):
        if isinstance(cell, TimeCell):
            clocks, first = _clocks(linked, rows, cells, at), cell.column.form.zone
            zone = zone or clocks.zone(first)
            notes.append(clocks.note(first))
    return ClockChanges(zone, tuple(dict.fromkeys(note for note in notes if note)))


def _clocks(linked: LinkedFile, rows: Table, cells: Sequence[Cell], at: int) -> Clocks:
    """The clocks of one column: in each day of each offset the first and the last time, in their order.

    Days of two offsets interleave exactly where one begins before the other has ended.
    """
    days = linked.database.arrays(
        f"""SELECT z{at} AS ahead, min(v{at}) AS first_s, max(v{at}) AS last_s FROM ({judged_sql(rows, cells)})
            WHERE isfinite(v{at}) GROUP BY z{at}, floor(v{at} / 86400) ORDER BY first_s, last_s""",
        [linked.link],
    )
    times_s = np.column_stack([np.ma.getdata(days["first_s"]), np.ma.getdata(days["last_s"])]).ravel()
    ahead_min = np.repeat(np.ma.getdata(days["ahead"]), 2)
    clocks = Clocks()
    mixed = clocks.add(times_s, ahead_min)
    if mixed is None:
        return clocks
    linked.database.use_threads(1)
    ((index,),) = linked.fetch(
        f"""SELECT number FROM (SELECT v{at}, z{at}, row_number() OVER () - 1 AS number
                FROM ({judged_sql(rows, cells)}))
            WHERE v{at} = {float(times_s[mixed])!r}::DOUBLE AND z{at} = {int(ahead_min[mixed])} LIMIT 1"""
    )
    raise fault_error(linked, rows, cells, cell_fault(at, ZONES_MIXED), index)
