"""Rows of several classifiers put side by side by id, where all have the same ids once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import polars as pl

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
    return_to = np.empty_like(order)
    return_to[order] = np.arange(len(order))
    found = [first]
    for other in others:
        if (other["id"] == first["id"]).all():
            found.append(other)
            continue
        places = _order(other["id"])
        if places is None:
            return None
        turned = other[places[return_to]]
        if not (turned["id"] == first["id"]).all():
            return None
        found.append(turned)
    return tuple(found)


def _order(ids: pl.Series) -> Places | None:
    """Return the places of ids in the order of their hashes; None if two may be the same."""
    hashes = ids.hash().to_numpy()
    order = np.argsort(hashes)
    ranked = hashes[order]
    return None if (ranked[1:] == ranked[:-1]).any() else order
