"""Scores in order with the side of each case, by one sort of whole numbers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from reportgen.formulas.as_numpy import Numbers

    Keys = npt.NDArray[np.uint64]
    Sides = npt.NDArray[np.bool_]

_FEW = 100_000
_ALL_BUT_SIGN = np.uint64((1 << 63) - 1)


def sorted_scores(scores: Numbers, is_positive: Sides) -> tuple[Numbers, Sides]:
    """Return the scores from the lowest up, and which of them belong to positive cases.

    The bits of a number that is not negative are in the order of the numbers, and their first
    is 0: moved by one place, they leave room for the side. Whole numbers are sorted several times
    faster than an order of cases is found.
    """
    below = scores < 0
    if not below.any():
        return _unpacked(_sorted(_bits(scores), is_positive))
    # Of negative numbers the bits without the sign are in the opposite order.
    mirrored = _bits(-scores[below]) ^ _ALL_BUT_SIGN
    lower, sides = _unpacked(_sorted(mirrored, is_positive[below]))
    lower = (lower.view(np.uint64) ^ _ALL_BUT_SIGN).view(np.float64)
    upper, upper_sides = sorted_scores(scores[~below], is_positive[~below])
    return np.concatenate((-lower, upper)), np.concatenate((sides, upper_sides))


def _bits(scores: Numbers) -> Keys:
    # Adding 0 makes a copy, and −0 the 0 that it equals.
    return (scores + 0.0).view(np.uint64)


def _sorted(keys: Keys, is_positive: Sides) -> Keys:
    """Sort the bits of scores together with the side, in the memory they have."""
    keys <<= np.uint64(1)
    np.bitwise_or(keys, is_positive, out=keys, casting="unsafe")
    if len(keys) < _FEW:
        keys.sort()
        return keys
    middle = len(keys) // 2
    keys.partition(middle)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(np.ndarray.sort, (keys[:middle], keys[middle:])))
    return keys


def _unpacked(keys: Keys) -> tuple[Numbers, Sides]:
    # The last bit is read out of the one byte that has it: no array as large as the keys is made.
    last_bytes = keys.astype("<u8", copy=False).view(np.uint8)[::8]
    sides = (last_bytes & np.uint8(1)).view(np.bool_)
    keys >>= np.uint64(1)
    return keys.view(np.float64), sides
