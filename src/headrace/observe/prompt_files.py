"""Lengths of prompts from files: one row a request, or the quantiles of many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headrace.errors import InputError
from headrace.observe.cells import NumberCell, first_fault, judged_sql
from headrace.observe.column_names import Role
from headrace.observe.database import Progress, opened
from headrace.observe.duration_files import use_all_threads
from headrace.observe.roles import columns_of, guesses_note
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
    parts, notes = [], []
    with opened("prompt lengths", found.shown, progress) as database:
        for source, begin, end in shares(found.files, 0.0, 1.0):
            with database.reading(source, begin, end) as linked:
                rows = table(linked.file, linked.fetch, fewest=1)
                if len(rows.names) == 1 and column is None:
                    chosen = {TOKENS: 0}
                else:
                    chosen = columns_of(linked.file.shown, rows.names, {TOKENS: column}, (TOKENS,))
                at = chosen[TOKENS]
                is_text = required_kind(linked.file, rows, at, NUMBER_KINDS) == "VARCHAR"
                cells = (
                    NumberCell(TOKENS.noun, rows.column_sqls[at], is_text, LARGEST_TOKENS, "1e8 tokens"),
                )
                use_all_threads(linked)
                groups = database.arrays(
                    f"SELECT v0, count(*) AS n, max(fault) AS fault FROM ({judged_sql(rows, cells)}) GROUP BY v0",
                    [linked.link],
                    begin,
                    end,
                )
                if np.ma.filled(groups["fault"], 0).any():
                    wrong = first_fault(linked, rows, cells)
                    assert wrong is not None
                    raise wrong
                lengths = np.ma.filled(groups["v0"], np.nan)
                known = ~np.isnan(lengths)
                parts.append((lengths[known], groups["n"][known]))
                notes.append(guesses_note(rows.names, chosen, {TOKENS: column}))
    lengths = np.concatenate([length for length, _ in parts])
    counts = np.concatenate([count for _, count in parts]).astype(np.int64)
    if not counts.sum():
        raise InputError(found.shown, "there is no prompt length; at least 1 is needed")
    tokens = _thinned(lengths, counts)
    notes.append(f"{int(counts.sum()):,} prompt lengths, the longest {lengths.max():,.0f} tokens.")
    return tokens, tuple(note for note in dict.fromkeys((*notes, *found.notes)) if note)


def _thinned(lengths: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """All lengths, ascending, or as many quantiles of them as are handed on at most."""
    order = np.argsort(lengths)
    ends = np.cumsum(counts[order])
    total = int(ends[-1])
    if total <= MOST:
        return np.asarray(np.repeat(lengths[order], counts[order]), dtype=np.float64)
    at = np.linspace(1, total, MOST)
    return np.asarray(lengths[order][np.searchsorted(ends, at)], dtype=np.float64)
