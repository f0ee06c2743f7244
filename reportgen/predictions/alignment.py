"""Rows of several classifiers put side by side by id, where each has every id once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Places = npt.NDArray[np.int64]
    Hashes = npt.NDArray[np.uint64]


@frozen
class Aligned:
    """The rows of the cases that all have, in the order of the first, and the ids of the others.

    By frame: `missing` are ids that it lacks and others have, `extra` those that others lack.
    """

    frames: tuple[pl.DataFrame, ...]
    missing: tuple[pl.Series, ...]
    extra: tuple[pl.Series, ...]


@frozen
class _Ranked:
    """Ids in the order of their hashes: the hashes, and the places of the ids."""

    hashes: Hashes
    places: Places

    def places_of(self, hashes: Hashes) -> Places:
        """Return the places of ids that are among these."""
        if _are_same(hashes, self.hashes):
            return self.places
        return self.places[np.searchsorted(self.hashes, hashes)]


def aligned(frames: Sequence[pl.DataFrame]) -> Aligned | None:
    """Put rows with the same `id` side by side; None if a frame has an id twice.

    Ids are matched by a hash, which is several times faster than by their texts, and the texts
    of those that match are compared: a hash that two ids share is found out.
    """
    # Rows are picked several times faster out of one piece.
    whole = [frame.rechunk() for frame in frames]
    with ThreadPoolExecutor(pl.thread_pool_size()) as threads:
        ranked = list(threads.map(_ranked, [frame["id"] for frame in whole]))
        known = [each for each in ranked if each is not None]
        if len(known) < len(ranked):
            return None
        shared = reduce(_common, (each.hashes for each in known))
        order = _ranks(known[0].places_of(shared), whole[0].height)
        picked = list(
            threads.map(lambda frame, own: frame[own.places_of(shared)[order]], whole, known)
        )
        first = picked[0]["id"]
        if not all(threads.map(lambda frame: (frame["id"] == first).all(), picked[1:])):
            return None
    every = reduce(_either, (each.hashes for each in known))
    return Aligned(
        tuple(picked),
        tuple(_lacked(own, every, whole, known) for own in known),
        tuple(
            frame["id"][own.places_of(own.hashes[~_among(own.hashes, shared)])]
            for frame, own in zip(whole, known, strict=True)
        ),
    )


def _ranked(ids: pl.Series) -> _Ranked | None:
    hashes = ids.hash().to_numpy()
    places = np.argsort(hashes)
    ordered = hashes[places]
    return None if (ordered[1:] == ordered[:-1]).any() else _Ranked(ordered, places)


def _ranks(places: Places, size: int) -> Places:
    """Return which of the places, of so many, comes first, second and so on."""
    held = np.full(size, -1)
    held[places] = np.arange(len(places))
    return held[held >= 0]


def _common(one: Hashes, other: Hashes) -> Hashes:
    return one[_among(one, other)]


def _either(one: Hashes, other: Hashes) -> Hashes:
    new = other[~_among(other, one)]
    return np.sort(np.concatenate((one, new))) if len(new) else one


def _are_same(hashes: Hashes, others: Hashes) -> bool:
    return len(hashes) == len(others) and bool((hashes == others).all())


def _among(hashes: Hashes, others: Hashes) -> npt.NDArray[np.bool_]:
    """Tell which hashes are among others; both are in order."""
    if _are_same(hashes, others):
        return np.ones(len(hashes), np.bool_)
    if not len(others):
        return np.zeros(len(hashes), np.bool_)
    nearest = np.searchsorted(others, hashes).clip(max=len(others) - 1)
    return np.asarray(others[nearest] == hashes)


def _lacked(
    own: _Ranked, all_hashes: Hashes, frames: Sequence[pl.DataFrame], known: Sequence[_Ranked]
) -> pl.Series:
    """Return the ids that other frames have, each once."""
    left = all_hashes[~_among(all_hashes, own.hashes)]
    found = [frames[0]["id"].clear()]
    for frame, each in zip(frames, known, strict=True):
        here = _among(left, each.hashes)
        found.append(frame["id"][each.places_of(left[here])])
        left = left[~here]
    return pl.concat(found)
