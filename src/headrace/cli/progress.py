"""Progress bars on stderr, for whatever takes over a second; none where stderr is no terminal."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SHOWN_AFTER_S = 0.5
"""What is done by then would only flash."""


@contextmanager
def bar(words: str, *, hidden: bool = False) -> Iterator[Callable[[float], None]]:
    """A bar while the block runs, gone afterwards; call what it gives with the finished share, 0 to 1.

    Args:
        words: What is being done.
        hidden: True: none is shown.
    """
    if hidden or not sys.stderr.isatty():
        yield _unwatched
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    progress = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),  # it holds the name of a file
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = progress.add_task(words, total=1.0)
    starter = threading.Timer(SHOWN_AFTER_S, progress.start)
    starter.daemon = True
    starter.start()
    try:
        yield lambda share: progress.update(task, completed=share)
    finally:
        starter.cancel()
        starter.join()
        if progress.live.is_started:
            progress.stop()


def _unwatched(share: float) -> None:
    """Nobody follows the progress."""
