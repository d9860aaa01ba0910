"""Finished answers on disk, so that a reading that was interrupted goes on where it was, and the next one is quick.

One file for each query and stretch of steps, written whole under another name and then renamed. Its name is a hash
of the address (without credentials), who asked (user and tenant), the query, the step and the stretch: no secret
is in it, nor in the file. Two tokens of the same address and user that see different data need two folders.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import time
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np

from headrace.errors import InputError
from headrace.observe.prometheus.answer import Piece

KEPT_DAYS = 100
"""Longer than any history that is planned from by habit."""
FORM = "1"
"""Raised when the same query's answer comes to mean something else."""


def user_cache() -> Path:
    """The folder in which finished answers are usually kept."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "headrace" / "prometheus"
    named = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "headrace" / "prometheus"


class Store:
    """A folder of finished answers.

    Args:
        folder: None: nothing is kept.
        origin: Address and identity; part of each name.
    """

    def __init__(self, folder: Path | None, origin: str) -> None:
        self._folder = folder
        self._origin = origin
        if folder is not None:
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                raise InputError(os.fspath(folder), f"it can't keep what was read ({reason})") from None
            _clear(folder)

    def path(self, query: str, step_s: int, first: int, steps: int) -> Path | None:
        """File of an answer, whether it is there or not; None where nothing is kept."""
        if self._folder is None:
            return None
        text = "\0".join((FORM, self._origin, query, str(step_s), str(first), str(steps)))
        return self._folder / f"{hashlib.sha256(text.encode()).hexdigest()[:40]}.npz"

    def has(self, query: str, step_s: int, first: int, steps: int) -> bool:
        """Whether an answer is there, whole or in the halves in which it was asked for."""
        path = self.path(query, step_s, first, steps)
        if path is None:
            return False
        half = (steps + 1) // 2
        return path.exists() or (
            steps > 1
            and self.has(query, step_s, first, half)
            and self.has(query, step_s, first + half, steps - half)
        )

    def load(self, query: str, step_s: int, first: int, steps: int) -> Piece | None:
        """An answer; None where it is not there whole, or the file is no longer what was written."""
        path = self.path(query, step_s, first, steps)
        if path is None or not path.exists():
            return None
        try:
            # Opened here: numpy leaves a file open that it can't read.
            with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
                values = held["values"]
                labels = json.loads(held["labels"].tobytes())
            if values.shape != (len(labels), steps) or values.dtype != np.float64:
                raise ValueError
            return Piece(tuple(tuple((name, value) for name, value in each) for each in labels), values)
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            EOFError,
            RuntimeError,
            zipfile.BadZipFile,
            zlib.error,
        ):
            with suppress(OSError):
                path.unlink()
            return None

    def keep(self, query: str, step_s: int, first: int, piece: Piece) -> None:
        """Writes an answer, whole or not at all. A full disk only means that it is not kept."""
        path = self.path(query, step_s, first, piece.values.shape[1])
        if path is None:
            return
        labels = np.frombuffer(json.dumps(piece.labels).encode(), dtype=np.uint8)
        with suppress(OSError):
            descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    np.savez_compressed(file, values=piece.values, labels=labels)
                os.replace(name, path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(name)
                raise


def _clear(folder: Path) -> None:
    """Removes what nothing will be taken from any more: old answers, and what a killed process left."""
    now_s = time.time()
    for pattern, days in (("*.npz", KEPT_DAYS), ("*.part", 1)):
        for path in folder.glob(pattern):
            with suppress(OSError):
                if now_s - path.stat().st_mtime > days * 86_400:
                    path.unlink()
