"""Lengths of prompts from files: one row a request, or the quantiles of many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headrace.errors import InputError
from headrace.observe import history_notes
from headrace.observe.cells import NumberCell, first_fault, judged_sql
from headrace.observe.column_names import Role
from headrace.observe.database import LinkedFile, Progress, opened
from headrace.observe.duration_files import use_all_threads
from headrace.observe.roles import columns_of, guesses_note
from headrace.observe.source_file import NoRows
from headrace.observe.sources import Paths, shares, sources
from headrace.observe.table import NUMBER_KINDS, required_kind, table

TOKENS = Role(
    "prompt length",
    "--prompt-column",
    (
        (
            "prompt_tokens input_tokens context_tokens prompt_length input_length num_prompt_tokens "
            "prompt_token_count input_token_count"
        ),
        "tokens length prompt",
    ),
)
LARGEST_TOKENS = 1e8
MOST = 100_000
"""Lengths that are handed on; more are thinned to as many quantiles, the longest kept."""


def read_prompts(
    paths: Paths, *, column: str | None = None, progress: Progress | None = None
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Lengths of prompts in tokens, ascending, shape [n], and sentences for the user on how they were read.

    Args:
        paths: CSV, TSV, JSON lines (each also .gz, .zst) or Parquet: names, patterns, addresses (s3://…).
        column: Name of the column; guessed if None.
        progress: Called with the finished share, 0 to 1.

    Raises:
        InputError: Anything wrong with a file, in one sentence with file, row and value.
        MissingExtra: DuckDB is not installed.
    """
    found = sources(paths)
    parts: list[tuple[NDArray[np.float64], NDArray[np.int64]]] = []
    notes: list[str] = []
    empty: list[str] = []
    with opened("prompt lengths", found.shown, progress) as database:
        for source, begin, end in shares(found.files, 0.0, 1.0):
            try:
                with database.reading(source, begin, end) as linked:
                    lengths, counts, note = _counted(linked, column)
            except NoRows as none:
                if len(found.files) == 1:
                    raise
                empty.append(none.source)
                continue
            parts.append((lengths, counts))
            notes.append(note)
    total = sum(int(counts.sum()) for _, counts in parts)
    if not total:
        raise InputError(found.shown, "there is no prompt length; at least 1 is needed")
    notes += [history_notes.files_note(len(parts), empty), *found.notes]
    tokens = _thinned(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    notes.append(
        f"{total:,} prompt {'length' if total == 1 else 'lengths'}, the longest {tokens[-1]:,.0f} tokens."
    )
    return tokens, tuple(note for note in dict.fromkeys(notes) if note)


def _counted(linked: LinkedFile, column: str | None) -> tuple[NDArray[np.float64], NDArray[np.int64], str]:
    """Lengths in one file, how often each occurs, and what was guessed."""
    rows = table(linked.file, linked.fetch, fewest=1)
    if len(rows.names) == 1 and column is None:
        chosen = {TOKENS: 0}
    else:
        chosen = columns_of(linked.file.shown, rows.names, {TOKENS: column}, (TOKENS,))
    at = chosen[TOKENS]
    is_text = required_kind(linked.file, rows, at, NUMBER_KINDS) == "VARCHAR"
    cells = (NumberCell(TOKENS.noun, rows.column_sqls[at], is_text, LARGEST_TOKENS, "1e8 tokens"),)
    use_all_threads(linked)
    groups = linked.database.arrays(
        f"SELECT v0, count(*) AS n, max(fault) AS fault FROM ({judged_sql(rows, cells)}) GROUP BY v0",
        [linked.link],
        linked.begin,
        linked.end,
    )
    if np.ma.filled(groups["fault"], 0).any():
        wrong = first_fault(linked, rows, cells)
        assert wrong is not None
        raise wrong
    lengths = np.ma.filled(groups["v0"], np.nan)
    known = ~np.isnan(lengths)
    return (
        lengths[known],
        groups["n"][known].astype(np.int64),
        guesses_note(rows.names, chosen, {TOKENS: column}),
    )


def _thinned(lengths: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """All lengths, ascending, or as many quantiles of them as are handed on at most."""
    order = np.argsort(lengths)
    ends = np.cumsum(counts[order])
    total = int(ends[-1])
    if total <= MOST:
        return np.asarray(np.repeat(lengths[order], counts[order]), dtype=np.float64)
    at = np.linspace(1, total, MOST)
    return np.asarray(lengths[order][np.searchsorted(ends, at)], dtype=np.float64)
