"""What a user should know of how a history was read: one sentence each."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.observe.timestamps import duration_text, time_text


def extent_note(rows: int, step_s: float, start_s: float, end_s: float, zone: str) -> str:
    """How many rows, at which step, over which time.

    Args:
        rows: Rows of data.
        step_s: Step of the file.
        start_s: Time of the first row.
        end_s: Time of the last row, its step included.
        zone: Zone of the times; "" if they are relative.
    """
    return (
        f"{rows:,} rows, one every {duration_text(step_s)}, over {duration_text(end_s - start_s)} "
        f"from {time_text(start_s, zone)}."
    )


def means_note(step_s: float, file_step_s: float) -> str:
    """Values were averaged to a coarser step."""
    return (
        f"Read as means over {duration_text(step_s)}; the file has a row every {duration_text(file_step_s)}."
    )


def moved_note(moved_rows: int, moved_most_s: float, step_s: float) -> str:
    """Rows were moved onto the grid."""
    rows = "1 row was" if moved_rows == 1 else f"{moved_rows:,} rows were"
    return f"{rows} moved onto the grid of {duration_text(step_s)}, by at most {duration_text(moved_most_s)}."


def gaps_note(gaps: tuple[tuple[float, float], ...], zone: str) -> str:
    """Stretches without a value: the one, or how many and the longest."""
    first, after = max(gaps, key=lambda gap: gap[1] - gap[0])
    longest = f"{duration_text(after - first)} from {time_text(first, zone)}"
    if len(gaps) == 1:
        return f"Gap of {longest}: simulated around, not taken as zero demand."
    total_s = sum(end_s - start_s for start_s, end_s in gaps)
    return (
        f"{len(gaps):,} gaps, {duration_text(total_s)} in all, the longest {longest}: "
        "simulated around, not taken as zero demand."
    )


def files_note(count: int, empty: Sequence[str]) -> str:
    """How many files are one history, and which hold nothing; "" for one file."""
    if count + len(empty) == 1:
        return ""
    read = f"{count:,} files are read as one history." if count > 1 else "One file is read."
    if not empty:
        return read
    if len(empty) == 1:
        return f"{read[:-1]}; {empty[0]} has no row, and is left out."
    return f"{read[:-1]}; {len(empty):,} more have no row, and are left out, {empty[0]} the first of them."
