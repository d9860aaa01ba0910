"""A file's content as text that both of YAML's parsers read alike."""

from __future__ import annotations

import re
from typing import Final

from headrace.errors import ConfigError

MOST_BYTES: Final = 4 * 2**20
"""Largest file: three times what a cluster stores as one object, and seconds of parsing."""
UNPRINTABLE: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def checked(content: bytes | str, source: str, most_bytes: int = MOST_BYTES) -> str:
    """The text of a file, checked so that both of YAML's parsers see only what they agree on.

    Raises:
        ConfigError: Too big, not UTF-8, or with characters that are no text.
    """
    if len(content) > most_bytes:
        raise ConfigError(source, 0, "", f"larger than {most_bytes // 2**20} MiB, the most that is read")
    text = _decoded(content, source) if isinstance(content, bytes) else content
    text = text.removeprefix("\ufeff")
    if bad := UNPRINTABLE.search(text):
        line = text.count("\n", 0, bad.start()) + 1
        raise ConfigError(source, line, "", f"character U+{ord(bad[0]):04X} is not text; is it a text file?")
    return text


def _decoded(content: bytes, source: str) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConfigError(source, 0, "", "encoded as UTF-16; save it as UTF-8")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"byte 0x{content[error.start]:02x} is not UTF-8 text; is it a text file?"
        raise ConfigError(source, line, "", problem) from error
