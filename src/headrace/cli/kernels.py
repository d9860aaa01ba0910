"""Where compiled kernels are kept from one command to the next."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from pathlib import Path

KEPT_FOLDERS = 3
"""One for each state of the sources that was compiled last: an upgrade, or a checkout that is worked on."""
_KEY = re.compile(r"[0-9a-f]{16}")


def kernel_cache() -> Path | None:
    """The folder, made if need be and rid of old kernels; None where nothing can, or should, be kept.

    What lies in it is run, so it must be ours and nobody else's to write to.
    """
    folder = _cache_home()
    if folder is None:
        return None
    folder = folder / "headrace" / "kernels"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError:
        return None
    others_write = stat.S_IMODE(found.st_mode) & 0o022
    if found.st_uid != os.geteuid() or others_write or not os.access(folder, os.W_OK | os.X_OK):
        return None
    _remove_old(folder)
    return folder


def _cache_home() -> Path | None:
    named = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(named):  # the XDG standard: a relative path is to be ignored
        return Path(named)
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"


def _remove_old(folder: Path) -> None:
    """All but the newest kernels; only folders that are named as ours are."""
    aged = []
    for entry in folder.iterdir():
        if _KEY.fullmatch(entry.name) and not entry.is_symlink():
            try:
                aged.append((entry.stat().st_mtime, entry))
            except OSError:
                continue  # another command has just removed it
    for _, entry in sorted(aged, reverse=True)[KEPT_FOLDERS:]:
        shutil.rmtree(entry, ignore_errors=True)
