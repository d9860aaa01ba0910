"""What a history file is, found from its name and its first bytes before any reader opens it.

A reader that is handed the wrong kind of file says something about its own format ("invalid state", "footer
length error"); a FIFO makes it wait for ever, and DuckDB reads a cut-off zstd file to the cut without a word.
So this module looks first, and says it in the words of the person who named the file.
"""

from __future__ import annotations

import gzip
import os
import stat
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from headrace.errors import InputError

KINDS: dict[str, Literal["csv", "json", "parquet"]] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""Name ending to format."""
PACKINGS: dict[str, Literal["gzip", "zstd"]] = {
    ".gz": "gzip",
    ".gzip": "gzip",
    ".zst": "zstd",
    ".zstd": "zstd",
}
"""Name ending to compression; it follows the ending of the format ("day.csv.gz")."""

_FORMATS = (
    "CSV (.csv, .tsv, .txt), JSON lines (.jsonl, .ndjson, .json), each also with .gz or .zst, and .parquet"
)
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "Parquet"),
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PK\x03\x04", "a zip archive (or a spreadsheet)"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"SQLite format 3", "an SQLite database"),
    (b"ORC", "ORC"),
    (b"Obj\x01", "Avro"),
    (b"ARROW1", "Arrow"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
    (b"%PDF", "PDF"),
)
_HEAD_BYTES = 65536
_BLOCK_BYTES = 1 << 20


class NoRows(InputError):
    """The file holds nothing: an error where it is alone, a thing to mention where there are others."""


class SourceFile(NamedTuple):
    """A file that is there, can be read, and begins as its name says."""

    path: str
    """Absolute path, links not followed."""
    shown: str
    """The name as the user gave it, for messages."""
    kind: Literal["csv", "json", "parquet"]
    packing: Literal["gzip", "zstd", "uncompressed"]


def source_file(path: str | Path, shown: str | None = None) -> SourceFile:
    """The format and compression of the file at `path`.

    Args:
        path: Where it is.
        shown: The name that the user gave it, where that is another.

    Raises:
        InputError: The file is missing, not readable, not a regular file, empty, cut off, of a format that is
            not read, or not what its name says.
    """
    absolute = os.path.abspath(os.fspath(path))
    shown = os.fspath(path) if shown is None else shown
    _require_regular(shown, absolute)
    suffixes = [suffix.lower() for suffix in Path(absolute).suffixes]
    packing = PACKINGS.get(suffixes[-1]) if suffixes else None
    named = suffixes[-2:-1] if packing else suffixes[-1:]
    kind = KINDS.get(named[0]) if named else None
    if kind is None or (packing and kind == "parquet"):
        raise InputError(shown, f"the name does not say a format that is read: {_FORMATS}")
    file = SourceFile(absolute, shown, kind, packing or "uncompressed")
    head = _head(file)
    if not head:
        raise NoRows(shown, "the file is empty")
    _require_head(file, head)
    if packing == "zstd":
        _require_whole_zstd(file)
    elif packing == "gzip":
        _require_whole_gzip(file)
    return file


def _require_regular(shown: str, absolute: str) -> None:
    try:
        mode = os.stat(absolute).st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(shown, "there is no such file") from None
    except (OSError, ValueError) as error:
        raise InputError(shown, f"the file can't be read ({_reason(error)})") from None
    if stat.S_ISDIR(mode):
        raise InputError(shown, "this is a directory; give one file")
    if not stat.S_ISREG(mode):  # opening a FIFO would wait for a writer that may never come
        raise InputError(
            shown, "this is a pipe or a device, which can be read only once; write it to a file first"
        )


def _reason(error: Exception) -> str:
    """What the system said, without errno and path."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def _head(file: SourceFile) -> bytes:
    """The first bytes, unpacked where Python can (gzip); zstd's stay packed."""
    try:
        with open(file.path, "rb") as raw:
            head = raw.read(_HEAD_BYTES)
        if file.packing != "gzip" or not head:
            return head
        if not head.startswith(b"\x1f\x8b"):
            raise InputError(file.shown, f"named gzip, but {_looks_like(head)}")
        with gzip.open(file.path, "rb") as unpacked:
            return unpacked.read(_HEAD_BYTES)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(file.shown, "the gzip file is cut off or damaged") from None
    except OSError as error:
        raise InputError(file.shown, f"the file can't be read ({_reason(error)})") from None


def _looks_like(head: bytes) -> str:
    """What the bytes are, as the end of a sentence."""
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return f"its content is {name}"
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if b"\0" in head:
        return "its content is binary"
    if text[:1] in (b"{", b"["):
        return "its content looks like JSON"
    if text[:1] == b"<":
        return "its content looks like HTML or XML"
    return "its content is plain text"


def _require_head(file: SourceFile, head: bytes) -> None:
    """The first bytes are those of the format that the name says."""
    looks = _looks_like(head)
    named = {"csv": "CSV", "json": "JSON lines", "parquet": "Parquet"}[file.kind]
    if file.packing == "zstd":
        if looks != "its content is zstd":
            raise InputError(file.shown, f"named zstd, but {looks}")
    elif file.kind == "parquet":
        if looks != "its content is Parquet":
            raise InputError(file.shown, f"named {named}, but {looks}")
        with open(file.path, "rb") as raw:
            size = raw.seek(0, os.SEEK_END)
            raw.seek(max(0, size - 4))
            if size < 12 or raw.read(4) != b"PAR1":
                raise InputError(file.shown, "the Parquet file is cut off: its last bytes are missing")
    elif looks != ("its content looks like JSON" if file.kind == "json" else "its content is plain text"):
        raise InputError(file.shown, f"named {named}, but {looks}")


def _require_whole_gzip(file: SourceFile) -> None:
    """The whole file unpacks and its checksums agree: DuckDB checks none, and 1.4 reads to the cut."""
    try:
        with gzip.open(file.path, "rb") as unpacked:
            while unpacked.read(_BLOCK_BYTES):
                pass
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(file.shown, "the gzip file is cut off or damaged") from None


def _require_whole_zstd(file: SourceFile) -> None:
    """Every zstd frame ends with its last block: DuckDB reads a cut-off file as a shorter one."""
    try:
        with open(file.path, "rb") as raw:
            size = os.fstat(raw.fileno()).st_size
            while raw.tell() < size:
                _skip_zstd_frame(raw.read, lambda count: raw.seek(count, os.SEEK_CUR))
            whole = raw.tell() == size
    except (struct.error, IndexError, ValueError):
        whole = False
    if not whole:
        raise InputError(file.shown, "the zstd file is cut off or damaged")


def _skip_zstd_frame(read: Callable[[int], bytes], skip: Callable[[int], object]) -> None:
    """Walk one frame by its block headers (RFC 8878, section 3.1); raises where it does not hold together."""
    (magic,) = struct.unpack("<I", read(4))
    if magic & 0xFFFFFFF0 == 0x184D2A50:  # a skippable frame: its size, then anything
        skip(struct.unpack("<I", read(4))[0])
        return
    if magic != 0xFD2FB528:
        raise ValueError("not a zstd frame")
    descriptor = read(1)[0]
    single_segment, checksum = descriptor >> 5 & 1, descriptor >> 2 & 1
    content_size_bytes = (single_segment, 2, 4, 8)[descriptor >> 6]
    skip((0 if single_segment else 1) + (0, 1, 2, 4)[descriptor & 3] + content_size_bytes)
    while True:
        header = int.from_bytes(struct.unpack("3s", read(3))[0], "little")
        last, block_kind, block_bytes = header & 1, header >> 1 & 3, header >> 3
        if block_kind == 3:
            raise ValueError("reserved block type")
        skip(1 if block_kind == 1 else block_bytes)  # 1: one byte, repeated
        if last:
            break
    skip(4 * checksum)
