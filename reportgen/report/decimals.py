"""How many decimals the value of a measure is written with, and when it takes more."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.comparisons.ranking import is_tie

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.measures import Measure

MOST_DECIMALS = 6
TEN = 10
# What is nearer than this to 0 or 1 differs from it by rounding alone.
ROUNDING = 1e-12
# Beyond these powers of ten a number is written with one.
LEAST_POWER, MOST_POWER = -4, 9


def is_whole(number: float) -> bool:
    """Tell whether a number is whole but for rounding."""
    return abs(number - round(number)) < ROUNDING


def power_of_ten(number: float) -> int:
    """Return the power of ten of a number rounded to three digits; that of 0 is 0."""
    size = abs(number)
    return 0 if size < ROUNDING else math.floor(math.log10(float(f"{size:.2e}")))


def decimals_of_any_size(number: float) -> int:
    """Return the decimals of three digits that count, and a second decimal below 100."""
    power = power_of_ten(number)
    return max(2 - power, 2 if power < 2 else 0)  # noqa: PLR2004  # 100 is the second power of ten


def decimals_of(number: float, measure: Measure, extra: int = 0) -> int:
    """Return how many decimals a value has: three if its measure is bounded."""
    if measure.range.high == 1:
        usual = 3 if abs(number) < TEN else 2
    else:
        usual = decimals_of_any_size(number)
    return max(usual, min(usual + extra, MOST_DECIMALS))


def decimals_to_tell_apart(numbers: Iterable[float], measure: Measure) -> int:
    """Return the fewest extra decimals that tell as many values apart as six decimals do."""
    different: list[float] = []
    for number in sorted(filter(math.isfinite, numbers)):
        if not different or not is_tie(different[-1], number):
            different.append(number)
    kinds = [
        len({_seen(number, measure, extra) for number in different})
        for extra in range(MOST_DECIMALS + 1)
    ]
    return kinds.index(max(kinds))


def _seen(number: float, measure: Measure, extra: int) -> tuple[float, bool, bool]:
    """Return what a reader sees: the digits, whether it is merely close to 0 or 1, from where."""
    bounded = measure.range.high == 1
    if not bounded and not LEAST_POWER <= power_of_ten(number) < MOST_POWER:
        return float(f"{number:.2e}"), False, False
    rounded = round(number, decimals_of(number, measure, extra))
    close = bounded and rounded in {0, 1} and not is_whole(number)
    return rounded, close, close and number < 0
