"""The name of a fold when every fold has its own file."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Whole runs of digits or letters, so that fold10 and fold11 differ by 10 and 11, not by 0 and 1.
_TOKEN = re.compile(r"\d+|[^\W\d_]+|[\W_]")
_SUFFIXES = re.compile(
    r"\.(csv|tsv|txt|parquet|pq|arrow|feather|ipc|jsonl|ndjson|json)(\.gz)?$", re.IGNORECASE
)


def fold_names(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the part of each path that differs from the others."""
    tokens = [_TOKEN.findall(_SUFFIXES.sub("", path)) for path in paths]
    front = _shared(tokens)
    rest = [each[front:] for each in tokens]
    back = _shared([each[::-1] for each in rest])
    names = ["".join(each[: len(each) - back]) for each in rest]
    whole = any(not name for name in names) or len(set(names)) < len(names)
    return tuple(paths) if whole else tuple(names)


def _shared(sequences: Sequence[Sequence[str]]) -> int:
    """Return how many leading tokens all sequences share."""
    columns = zip(*sequences, strict=False)
    return len(list(takewhile(lambda column: len(set(column)) == 1, columns)))
