"""YAML as it is written: a tree of nodes that know their line and column. Safe against hostile files.

A scalar keeps its text; what it means is for the reader of the field to say. That is how YAML's old traps
end: ``no`` is not false here, ``010`` is not 8, ``3:00`` is not 180. `data` turns a tree into plain values
and leaves every text on which readers of YAML disagree as `Ambiguous`, for the typed reader to refuse.

Belongs here: text to tree (`documents` refuses a file with one mistake in it, `parts` reads every document of a file
by itself), and questions about a tree.

Does not belong here: what any key means; Python objects: any tag but ``!!str``, ``!!map`` and ``!!seq`` is refused.
"""

from headrace.documents.build import DEEPEST, MOST_ALIASED
from headrace.documents.node import (
    Ambiguous,
    Document,
    Entry,
    Mapping,
    Mark,
    Node,
    Scalar,
    Sequence,
    Steps,
    Unread,
    data,
    dotted,
    mark_at,
    quoted,
)
from headrace.documents.parts import MOST_STREAM_BYTES, parts
from headrace.documents.read import documents, load_documents
from headrace.documents.text import MOST_BYTES

__all__ = [
    "DEEPEST",
    "MOST_ALIASED",
    "MOST_BYTES",
    "MOST_STREAM_BYTES",
    "Ambiguous",
    "Document",
    "Entry",
    "Mapping",
    "Mark",
    "Node",
    "Scalar",
    "Sequence",
    "Steps",
    "Unread",
    "data",
    "documents",
    "dotted",
    "load_documents",
    "mark_at",
    "parts",
    "quoted",
]
