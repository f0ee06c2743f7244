"""How many decimals the value of a measure is written with, and when it takes more."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from reportgen.comparisons.verdicts.ranking import is_tie

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.measures import Measure
    from reportgen.scores import Score

MOST_DECIMALS = 6
TEN = 10
# What is nearer than this to 0 or 1 differs from it by rounding alone.
ROUNDING = 1e-12
# Beyond these powers of ten a number is written with one.
LEAST_POWER, MOST_POWER = -4, 9
# Beyond so many decimals a difference and its interval are all written with powers of ten.
MOST_SHARED, AS_POWERS = 8, 99
# More than so many are not spent on an end of an interval that is close to 0.
MOST_MORE = 2


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


def decimals_of_difference(
    number: float | None, low: float | None, high: float | None, measure: Measure
) -> int:
    """Return the decimals that a difference and its interval share.

    Where the interval is too narrow for the usual ones, it and the difference have two digits that
    count; what is not 0 is not written as 0.
    """
    ends = [end for end in (low, high) if end is not None and math.isfinite(end)]
    known = ends if number is None or not math.isfinite(number) else [number, *ends]
    largest = max(map(abs, known), default=0.0)
    size = 0.0 if number is None or not math.isfinite(number) else abs(number)
    # What is left of the difference of two equal numbers is rounding.
    size = 0.0 if is_tie(size, 0.0) else size
    places = decimals_of(largest, measure)
    width = max(ends) - min(ends) if ends else 0.0
    if width > ROUNDING * largest and _two_digits(width) > places:
        places = max(_two_digits(width), min(_two_digits(size), _two_digits(width) + MOST_MORE))
    places = enough = max(places, _first_seen(size, places))
    for end in ends:
        seen = _first_seen(end, places)
        places = seen if seen <= enough + MOST_MORE else places
    written_as_powers = places > MOST_SHARED or power_of_ten(largest) >= MOST_POWER
    return AS_POWERS if written_as_powers else places


def _two_digits(number: float) -> int:
    """Return the decimals of two digits that count; nothing has none."""
    return 1 - math.floor(math.log10(number)) if number > 0 else 0


def _first_seen(number: float, places: int) -> int:
    """Return the decimals from so many on that show that a number is not 0."""
    if number == 0 or round(number, places):
        return places
    return next(at for at in itertools.count(places) if round(number, at))


def decimals_to_show(scores: Iterable[Score], measure: Measure) -> int:
    """Return the extra decimals that tell values, and both ends of each interval, apart."""
    found = [score for score in scores if score.number is not None]
    ends = [
        (score.low, score.high)
        for score in found
        if score.interval is not None and score.low is not None and score.high is not None
    ]
    return _fewest([[score.number or 0.0 for score in found], *ends], measure)


def decimals_to_tell_apart(numbers: Iterable[float], measure: Measure) -> int:
    """Return the fewest extra decimals that tell as many values apart as six decimals do."""
    return _fewest([numbers], measure)


def _fewest(groups: Iterable[Iterable[float]], measure: Measure) -> int:
    """Return the fewest extra decimals that do so within every group."""
    different = [_different(numbers) for numbers in groups]
    kinds = [
        [len({_seen(number, measure, extra) for number in group}) for group in different]
        for extra in range(MOST_DECIMALS + 1)
    ]
    most = [max(seen) for seen in zip(*kinds, strict=True)]
    enough = (extra for extra, seen in enumerate(kinds) if seen == most)
    return next(enough, MOST_DECIMALS)


def _different(numbers: Iterable[float]) -> list[float]:
    different: list[float] = []
    for number in sorted(filter(math.isfinite, numbers)):
        if not different or not is_tie(different[-1], number):
            different.append(number)
    return different


def _seen(number: float, measure: Measure, extra: int) -> tuple[float, bool, bool]:
    """Return what a reader sees: the digits, whether it is merely close to 0 or 1, from where."""
    bounded = measure.range.high == 1
    if not bounded and not LEAST_POWER <= power_of_ten(number) < MOST_POWER:
        return float(f"{number:.2e}"), False, False
    rounded = round(number, decimals_of(number, measure, extra))
    close = bounded and rounded in {0, 1} and not is_whole(number)
    return rounded, close, close and number < 0
