"""The order of values by a measure's orientation: equal, better, and competition ranks."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING

from reportgen.measures.measure import Orientation

if TYPE_CHECKING:
    from collections.abc import Mapping

# Equal values may differ in their last digits when they were rounded differently.
CLOSE_TOLERANCE = 1e-12


def is_close(left: float, right: float) -> bool:
    """Return whether two values are equal but for rounding."""
    return left == right or math.isclose(
        left, right, rel_tol=CLOSE_TOLERANCE, abs_tol=CLOSE_TOLERANCE
    )


def is_better(left: float, right: float, orientation: Orientation) -> bool:
    """Return whether the left value is better, and not just equal."""
    higher = orientation is Orientation.HIGHER
    return not is_close(left, right) and ((left > right) == higher)


def competition_ranks(values: Mapping[str, float], orientation: Orientation) -> dict[str, int]:
    """Return standard competition ranks: 1 plus the number of better values."""
    sign = 1.0 if orientation is Orientation.HIGHER else -1.0
    ascending = sorted(sign * value for value in values.values())

    def count_better(value: float) -> int:
        start = bisect_right(ascending, value)
        # Values that are equal but for rounding are next to each other.
        while start < len(ascending) and is_close(ascending[start], value):
            start += 1
        return len(ascending) - start

    return {name: 1 + count_better(sign * value) for name, value in values.items()}
