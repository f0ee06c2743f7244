"""A part of a spec that may be wrong elsewhere: what a failed run still has to know."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def unchecked(path: Path, key: str) -> object:
    """Return what a spec has under a key, unchecked; None if there is nothing or no reading it."""
    if not path.is_file():
        # What a pipe held was read already.
        return None
    try:
        return tomllib.loads(path.read_text("utf-8")).get(key)
    except (OSError, ValueError, RecursionError):
        return None
