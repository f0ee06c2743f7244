"""Values and differences as people say them: shares in per cent, their differences in points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.measures.interval import Proportion
from reportgen.report.parts import DifferenceOf, Interval, Plain
from reportgen.report.words.decimals import (
    AS_POWERS,
    decimals_of,
    decimals_of_difference,
    decimals_to_show,
    decimals_to_tell_apart,
    is_whole,
)
from reportgen.report.words.differences import (
    difference_cells,
    values_told_apart,
    with_its_interval,
)
from reportgen.report.words.level import PERCENT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.measures import Measure
    from reportgen.report.parts import Part, Value
    from reportgen.scores import Score

PERCENT_DECIMALS, FEWEST_DECIMALS, MOST_DECIMALS = 2, 1, 6


def is_share(measure: Measure) -> bool:
    """Tell whether a measure is a share of cases, which people say in per cent."""
    return isinstance(measure.interval, Proportion)


def spoken_values(measure: Measure, *scores: Score) -> tuple[Part, ...]:
    """Return values with enough decimals to see that they differ, if they do."""
    numbers = [score.number for score in scores if score.number is not None]
    if not is_share(measure) or len(numbers) < len(scores):
        return tuple(_without_reason(value) for value in values_told_apart(measure, *scores))
    extra = decimals_to_tell_apart(numbers, measure)
    decimals = _decimals(numbers, measure, extra)
    return tuple(Plain(PERCENT * number, decimals, "%") for number in numbers)


def spoken_number(measure: Measure, number: float) -> Part:
    """Return a number of a measure that has no interval, as the share of the largest class."""
    if not is_share(measure):
        return Plain(number)
    return Plain(PERCENT * number, _decimals([number], measure, 0), "%")


def spoken_with_interval(measure: Measure, score: Score) -> tuple[Part, ...]:
    """Return a value with its interval, if it has one, in brackets."""
    if not is_share(measure) or score.number is None:
        return (with_its_interval(score, measure),)
    extra = decimals_to_show([score], measure)
    ends = [end for end in (score.low, score.high) if end is not None]
    decimals = _decimals([score.number, *ends], measure, extra)
    value = Plain(PERCENT * score.number, decimals, "%")
    if score.low is None or score.high is None:
        return (value,)
    return (
        value,
        " (",
        Interval(PERCENT * score.low, PERCENT * score.high, None, decimals),
        ")",
    )


def spoken_difference(
    measure: Measure, number: float | None, low: float | None, high: float | None
) -> tuple[Part, ...]:
    """Return a difference and its interval, that of shares in points; nothing if there is none."""
    decimals = decimals_of_difference(number, low, high, measure)
    if not is_share(measure) or decimals == AS_POWERS:
        return tuple(_of_cells(*difference_cells(measure, number, low, high)))
    parts: list[Part] = []
    places = max(FEWEST_DECIMALS, decimals - PERCENT_DECIMALS)
    if number is not None:
        parts.append(Plain(PERCENT * number, places, "points"))
    if low is not None and high is not None:
        between = Interval(PERCENT * low, PERCENT * high, None, places)
        parts += [", ", between] if parts else [between]
    return tuple(parts)


def spoken_lead(
    measure: Measure, number: float | None, low: float | None, high: float | None
) -> tuple[Part, ...]:
    """Return by how much one is ahead, without a sign, and its interval."""
    first, *rest = spoken_difference(measure, number, low, high) or ("",)
    if isinstance(first, DifferenceOf) and first.number is not None and first.decimals != AS_POWERS:
        usual = decimals_of(first.number, measure)
        first = Plain(first.number, usual if first.decimals is None else first.decimals)
    return (first, *rest) if first else ()


def _without_reason(value: Value) -> Part:
    """Return an infinite value as such; why it is infinite stands under the tables."""
    number = value.score.number
    return Plain(number) if number is not None and math.isinf(number) else value


def _of_cells(*cells: Part | None) -> Iterable[Part]:
    for number, cell in enumerate(cell for cell in cells if cell is not None):
        yield from (", ", cell) if number else (cell,)


def _decimals(numbers: Iterable[float], measure: Measure, extra: int) -> int:
    """Return so many decimals of per cent that nothing looks like 0 or 100 that is not."""
    shares = list(numbers)
    usual = max(decimals_of(share, measure, extra) for share in shares) - PERCENT_DECIMALS
    enough = (
        places
        for places in range(max(FEWEST_DECIMALS, usual), MOST_DECIMALS)
        if all(
            is_whole(share) or round(PERCENT * share, places) not in {0.0, float(PERCENT)}
            for share in shares
        )
    )
    return next(enough, MOST_DECIMALS)
