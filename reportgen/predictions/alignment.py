"""Rows of several classifiers put side by side by id, where all have the same ids once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Places = npt.NDArray[np.int64]


def aligned(frames: Sequence[pl.DataFrame]) -> tuple[pl.DataFrame, ...] | None:
    """Return the frames with all rows in the order of the first; None unless all ids match.

    Ids are sorted by a hash, which is several times faster than matching texts, and then compared:
    a hash that two ids share is found out.
    """
    first, *others = frames
    if any(other.height != first.height for other in others):
        return None
    order = _order(first["id"])
    if order is None:
        return None
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    with ThreadPoolExecutor(pl.thread_pool_size()) as threads:
        turned = list(threads.map(lambda other: _turned(other, first["id"], back), others))
    found = [frame for frame in turned if frame is not None]
    return (first, *found) if len(found) == len(others) else None


def _turned(frame: pl.DataFrame, ids: pl.Series, back: Places) -> pl.DataFrame | None:
    """Return a frame in the order of ids; `back` leads from the order of their hashes to it."""
    if (frame["id"] == ids).all():
        return frame
    order = _order(frame["id"])
    if order is None:
        return None
    # Rows are picked several times faster out of one piece.
    turned = frame.rechunk()[order[back]]
    return turned if (turned["id"] == ids).all() else None


def _order(ids: pl.Series) -> Places | None:
    """Return the places of ids in the order of their hashes; None if two may be the same."""
    hashes = ids.hash().to_numpy()
    order = np.argsort(hashes)
    ranked = hashes[order]
    return None if (ranked[1:] == ranked[:-1]).any() else order
