"""Number formats of measures: decimals, percentages, differences and required sample sizes."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from reportgen.measures import find_measure, get_measure
from reportgen.measures.ordering import is_close
from reportgen.report.inline import Count, Interval, MeasureDifference, MeasureEstimate, PlainNumber

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.report.inline import Inline


_MAX_DECIMALS = 6
_TEN = 10
# Numbers closer than this to 0 or 1 differ by rounding only.
_ROUNDING_ERROR = 1e-12
# Beyond these powers of ten numbers are in scientific notation.
MIN_FIXED_EXPONENT, MAX_FIXED_EXPONENT = -4, 9
# Beyond so many decimals a difference and its interval are in scientific notation.
_MAX_SHARED_DECIMALS, SCIENTIFIC_NOTATION = 8, 99
# Maximum number of decimals added for a confidence limit close to 0.
_MAX_ADDED_DECIMALS = 2
# Values of a column that differ by more powers of ten have no decimals in common.
_MAX_MAGNITUDES = 3
# With more values some are always close, and all would get too many digits.
_MAX_DISTINGUISHED = 6
_MIN_THRESHOLD_DECIMALS, _MAX_THRESHOLD_DECIMALS = 2, 5


def averaged_title(measure: Measure, average: str | None) -> str:
    """Return the title of a measure, or of its average over the classes: Macro-averaged recall."""
    if average is None:
        return measure.title
    title = measure.title
    if not (title[1:2].isupper() or title[1:2].isdigit() or "'" in title.split()[0]):
        title = title[0].lower() + title[1:]
    return f"{average.capitalize()}-averaged {title}"


def comparison_title(comparison: Comparison) -> str:
    """Return the title of the measure of a comparison, with the average over the classes."""
    return averaged_title(get_measure(comparison.measure), comparison.average)


def is_integer_valued(number: float) -> bool:
    """Return whether a number is an integer up to rounding errors."""
    return abs(number - round(number)) < _ROUNDING_ERROR


def decimal_exponent(number: float) -> int:
    """Return the power of ten of a number rounded to three digits; that of 0 is 0."""
    size = abs(number)
    return 0 if size < _ROUNDING_ERROR else math.floor(math.log10(float(f"{size:.2e}")))


def significant_decimals(number: float) -> int:
    """Return the decimals of three significant digits, at least two below 100."""
    power = decimal_exponent(number)
    return max(2 - power, 2 if power < 2 else 0)  # noqa: PLR2004  # 100 is the second power of ten


def measure_decimals(number: float, measure: Measure, extra: int = 0) -> int:
    """Return how many decimals a value has: three if its measure is bounded."""
    if measure.range.high == 1:
        decimals = 3 if abs(number) < _TEN else 2
    else:
        decimals = significant_decimals(number)
    return max(decimals, min(decimals + extra, _MAX_DECIMALS))


def difference_decimals(
    number: float | None, low: float | None, high: float | None, measure: Measure
) -> int:
    """Return the decimals that a difference and its interval share.

    Narrow intervals have two significant digits; nonzero numbers are not rounded to 0.
    """
    limits = [end for end in (low, high) if end is not None and math.isfinite(end)]
    numbers = limits if number is None or not math.isfinite(number) else [number, *limits]
    largest = max(map(abs, numbers), default=0.0)
    size = 0.0 if number is None or not math.isfinite(number) else abs(number)
    # Differences of equal numbers are rounding errors.
    size = 0.0 if is_close(size, 0.0) else size
    decimals = measure_decimals(largest, measure)
    width = max(limits) - min(limits) if limits else 0.0
    if width > _ROUNDING_ERROR * largest and _two_significant_digits(width) > decimals:
        decimals = max(
            _two_significant_digits(width),
            min(
                _two_significant_digits(size), _two_significant_digits(width) + _MAX_ADDED_DECIMALS
            ),
        )
    decimals = sufficient = max(decimals, _decimals_until_nonzero(size, decimals))
    for end in limits:
        needed = _decimals_until_nonzero(end, decimals)
        decimals = needed if needed <= sufficient + _MAX_ADDED_DECIMALS else decimals
    use_powers = decimals > _MAX_SHARED_DECIMALS or decimal_exponent(largest) >= MAX_FIXED_EXPONENT
    return SCIENTIFIC_NOTATION if use_powers else decimals


def _two_significant_digits(number: float) -> int:
    """Return the decimals of two significant digits; 0 for the number 0."""
    return 1 - math.floor(math.log10(number)) if number > 0 else 0


def _decimals_until_nonzero(number: float, decimals: int) -> int:
    """Return the fewest decimals, at least these, that show that a number is not 0."""
    if number == 0 or round(number, decimals):
        return decimals
    return next(digits for digits in itertools.count(decimals) if round(number, digits))


def threshold_decimals(threshold: float) -> int | None:
    """Return the decimals of a threshold with few digits; None: more than are printed in full."""
    if math.isinf(threshold):
        return None
    digits = len(f"{Decimal(repr(threshold)):f}".partition(".")[2])
    return None if digits > _MAX_THRESHOLD_DECIMALS else max(digits, _MIN_THRESHOLD_DECIMALS)


def extra_interval_decimals(values: Iterable[MeasureValue], measure: Measure) -> int:
    """Return the extra decimals that distinguish values and both limits of each interval."""
    defined = [score for score in values if score.number is not None]
    limits = [
        (score.low, score.high)
        for score in defined
        if score.method is not None and score.low is not None and score.high is not None
    ]
    if len(defined) > _MAX_DISTINGUISHED:
        return 0
    return _fewest_extra_decimals([[score.number or 0.0 for score in defined], *limits], measure)


def shared_decimals(values: Iterable[MeasureValue], measure: Measure) -> int | None:
    """Return the decimals that the values of a measure without upper limit share in a table.

    The largest has three significant digits and the smallest at least two. None: measures with an
    upper limit have decimals of their own, and values of too different magnitude share none.
    """
    numbers = [
        abs(value.number) for value in values if value.number and math.isfinite(value.number)
    ]
    if measure.range.high == 1 or not numbers:
        return None
    exponents = [decimal_exponent(number) for number in numbers]
    if max(exponents) >= MAX_FIXED_EXPONENT or max(exponents) - min(exponents) > _MAX_MAGNITUDES:
        return None
    return max(significant_decimals(max(numbers)), 1 - min(exponents), 0)


def extra_value_decimals(numbers: Iterable[float], measure: Measure) -> int:
    """Return the fewest extra decimals that distinguish as many values as six decimals do."""
    return _fewest_extra_decimals([numbers], measure)


def _fewest_extra_decimals(groups: Iterable[Iterable[float]], measure: Measure) -> int:
    """Return the fewest extra decimals that distinguish the numbers within every group."""
    different = [_distinct_numbers(numbers) for numbers in groups]
    kinds = [
        [
            len({_displayed_number(number, measure, extra) for number in group})
            for group in different
        ]
        for extra in range(_MAX_DECIMALS + 1)
    ]
    distinct_counts = [max(counts) for counts in zip(*kinds, strict=True)]
    sufficient = (extra for extra, counts in enumerate(kinds) if counts == distinct_counts)
    return next(sufficient, _MAX_DECIMALS)


def _distinct_numbers(numbers: Iterable[float]) -> list[float]:
    different: list[float] = []
    for number in sorted(filter(math.isfinite, numbers)):
        if not different or not is_close(different[-1], number):
            different.append(number)
    return different


def _displayed_number(number: float, measure: Measure, extra: int) -> tuple[float, bool, bool]:
    """Return the displayed number, whether it is close to 0 or 1, and from which side."""
    bounded = measure.range.high == 1
    if not bounded and not MIN_FIXED_EXPONENT <= decimal_exponent(number) < MAX_FIXED_EXPONENT:
        return float(f"{number:.2e}"), False, False
    rounded = round(number, measure_decimals(number, measure, extra))
    close = bounded and rounded in {0, 1} and not is_integer_valued(number)
    return rounded, close, close and number < 0


# Differences, values and sample sizes, in sentences and tables.

_MAX_REQUIRED_CASES = 10_000_000


def difference_cells(
    measure: Measure, number: float | None, low: float | None, high: float | None
) -> tuple[MeasureDifference | None, Interval | None]:
    """Return the cells of a difference and its interval; None where there is none."""
    if low is None or high is None:
        return None if number is None else MeasureDifference(measure, number), None
    decimals = difference_decimals(number, low, high, measure)
    difference = None if number is None else MeasureDifference(measure, number, decimals)
    return difference, Interval(low, high, measure, decimals)


def distinguishable_values(measure: Measure, *values: MeasureValue) -> tuple[MeasureEstimate, ...]:
    """Return values with enough decimals to distinguish them."""
    numbers = [score.number for score in values if score.number is not None]
    extra = extra_value_decimals(numbers, measure)
    return tuple(MeasureEstimate(score, measure, extra_decimals=extra) for score in values)


def value_among_classifiers(
    evaluation: Evaluation,
    classifier: str,
    measure: Measure,
    class_: str | None,
    average: str | None = None,
) -> MeasureEstimate | None:
    """Return a value with decimals that distinguish it from those of the other classifiers."""
    score = evaluation.value(classifier, measure, class_, average)
    others = (
        evaluation.value(name, measure, class_, average) for name in evaluation.measured_classifiers
    )
    values = [value for value in others if value and value.number is not None]
    numbers = [value.number for value in values if value.number is not None]
    too_many = len(numbers) > _MAX_DISTINGUISHED
    extra = 0 if too_many else extra_value_decimals(numbers, measure)
    if score is None:
        return None
    decimals = None if extra else shared_decimals(values, measure)
    return MeasureEstimate(score, measure, extra_decimals=extra, decimals=decimals)


def value_with_interval(value: MeasureValue, measure: Measure) -> MeasureEstimate:
    """Return a value with interval, with decimals that distinguish both confidence limits."""
    return MeasureEstimate(
        value, measure, extra_decimals=extra_interval_decimals([value], measure), with_interval=True
    )


def inline_margin(measure: Measure, margin: float) -> PlainNumber:
    """Return a margin of differences, of proportions in percentage points, with its own digits."""
    if not measure.is_proportion:
        return PlainNumber(margin)
    return PlainNumber(round(TO_PERCENT * margin, 9), unit=PERCENTAGE_POINTS)


def inline_limit(measure: Measure, limit: float) -> PlainNumber:
    """Return a limit of the values of a measure, of proportions in percent, with its own digits."""
    return inline_percentage(limit) if measure.is_proportion else PlainNumber(limit)


def equivalence_margin(evaluation: Evaluation, name: str) -> float | None:
    """Return the equivalence margin of a measure, if the spec has one."""
    margins = evaluation.spec.comparison.margin or {}
    by_measure = {find_measure(key): margin for key, margin in margins.items()}
    return by_measure.get(find_measure(name))


def inline_required_cases(cases: int) -> Count | str:
    """Return a sample size rounded up to one digit, or "over 10 million".

    More digits would be false precision: the estimate varies by a factor of several.
    """
    if cases > _MAX_REQUIRED_CASES:
        return "over 10 million"
    unit = int(10 ** (len(str(cases)) - 1))
    return Count(-(-cases // unit) * unit)


# The confidence level.

TO_PERCENT = 100


def confidence_level(evaluation: Evaluation) -> PlainNumber:
    """Return the confidence level in percent."""
    return inline_percentage(evaluation.spec.intervals.level)


def inline_percentage(level: float) -> PlainNumber:
    """Return a level in percent, with the digits it has in the spec."""
    # Rounded, because 0.999 times 100 is not quite 99.9.
    return PlainNumber(round(TO_PERCENT * level, 9), unit="%")


# Proportions in percent, their differences in percentage points.

PERCENTAGE_POINTS, EN_DASH = "pp", "\u2013"
_PERCENT_SHIFT, _MIN_PERCENT_DECIMALS, _MAX_PERCENT_DECIMALS = 2, 1, 6


def value_unit(measure: Measure) -> str:
    """Return the unit of values of a measure: % for proportions."""
    return "%" if measure.is_proportion else ""


def difference_unit(measure: Measure) -> str:
    """Return the unit of differences in a measure: percentage points for proportions."""
    return PERCENTAGE_POINTS if measure.is_proportion else ""


def percentage_points_note(measures: Iterable[Measure]) -> str:
    """Return what the unit of the differences means; empty without proportions."""
    is_needed = any(measure.is_proportion for measure in measures)
    return f"{PERCENTAGE_POINTS}: percentage points." if is_needed else ""


def percent_decimals(decimals: int) -> int:
    """Return the decimals in percent of a proportion with these decimals, at least one."""
    return max(_MIN_PERCENT_DECIMALS, decimals - _PERCENT_SHIFT)


def inline_values(measure: Measure, *values: MeasureValue) -> tuple[Inline, ...]:
    """Return values with enough decimals to distinguish them."""
    numbers = [score.number for score in values if score.number is not None]
    if not measure.is_proportion or len(numbers) < len(values):
        return tuple(
            _infinite_as_number(value) for value in distinguishable_values(measure, *values)
        )
    extra = extra_value_decimals(numbers, measure)
    decimals = _percent_decimals(numbers, measure, extra)
    return tuple(PlainNumber(TO_PERCENT * number, decimals, "%") for number in numbers)


def inline_range(low: Inline, high: Inline) -> tuple[Inline, ...]:
    """Return two values with an en dash between them, the unit of percentages only once."""
    if isinstance(low, PlainNumber) and isinstance(high, PlainNumber) and low.unit == high.unit:
        low = replace(low, unit="")
        if low.number < 0 or high.number < 0:
            return low, " to ", high
    return low, EN_DASH, high


def inline_number(measure: Measure, number: float) -> Inline:
    """Return a number on the scale of a measure, without an interval."""
    if not measure.is_proportion:
        return PlainNumber(number)
    return PlainNumber(TO_PERCENT * number, _percent_decimals([number], measure, 0), "%")


def inline_value_with_interval(
    measure: Measure,
    measure_value: MeasureValue,
    level: float | None = None,
    extra_decimals: int = 0,
) -> tuple[Inline, ...]:
    """Return a value with its interval in parentheses, and the confidence level if given.

    It has `extra_decimals` more than usual, or as many as the interval needs.
    """
    if not measure.is_proportion or measure_value.number is None:
        estimate = value_with_interval(measure_value, measure)
        return (replace(estimate, extra_decimals=max(estimate.extra_decimals, extra_decimals)),)
    extra = max(extra_interval_decimals([measure_value], measure), extra_decimals)
    limits = [end for end in (measure_value.low, measure_value.high) if end is not None]
    decimals = _percent_decimals([measure_value.number, *limits], measure, extra)
    value = PlainNumber(TO_PERCENT * measure_value.number, decimals, "%")
    if measure_value.low is None or measure_value.high is None:
        return (value,)
    label: tuple[Inline, ...] = () if level is None else (inline_percentage(level), " CI ")
    return (
        value,
        " (",
        *label,
        Interval(TO_PERCENT * measure_value.low, TO_PERCENT * measure_value.high, None, decimals),
        ")",
    )


def inline_difference(
    measure: Measure, number: float | None, low: float | None, high: float | None
) -> tuple[Inline, ...]:
    """Return a difference and its interval, of proportions in percentage points; () if none."""
    decimals = difference_decimals(number, low, high, measure)
    if not measure.is_proportion or decimals == SCIENTIFIC_NOTATION:
        return tuple(_join_cells(*difference_cells(measure, number, low, high)))
    parts: list[Inline] = []
    if number is not None:
        parts.append(
            PlainNumber(TO_PERCENT * number, percent_decimals(decimals), "percentage points")
        )
    if low is not None and high is not None:
        interval = Interval(low, high, measure, decimals)
        parts += [", ", interval] if parts else [interval]
    return tuple(parts)


def inline_absolute_difference(
    measure: Measure, number: float | None, low: float | None, high: float | None
) -> tuple[Inline, ...]:
    """Return the absolute difference and its interval."""
    first, *rest = inline_difference(measure, number, low, high) or ("",)
    if (
        isinstance(first, MeasureDifference)
        and first.number is not None
        and first.decimals != SCIENTIFIC_NOTATION
    ):
        default_decimals = measure_decimals(first.number, measure)
        first = PlainNumber(
            first.number, default_decimals if first.decimals is None else first.decimals
        )
    return (first, *rest) if first else ()


def _infinite_as_number(value: MeasureEstimate) -> Inline:
    """Return an infinite value as a plain number; footnotes of tables give the reason."""
    number = value.value.number
    return PlainNumber(number) if number is not None and math.isinf(number) else value


def _join_cells(*cells: Inline | None) -> Iterable[Inline]:
    for number, cell in enumerate(cell for cell in cells if cell is not None):
        yield from (", ", cell) if number else (cell,)


def _percent_decimals(numbers: Iterable[float], measure: Measure, extra: int) -> int:
    """Return the decimals of percentages that distinguish them from 0 and 100."""
    shares = list(numbers)
    default_decimals = (
        max(measure_decimals(share, measure, extra) for share in shares) - _PERCENT_SHIFT
    )
    sufficient = (
        decimals
        for decimals in range(max(_MIN_PERCENT_DECIMALS, default_decimals), _MAX_PERCENT_DECIMALS)
        if all(
            is_integer_valued(share)
            or round(TO_PERCENT * share, decimals) not in {0.0, float(TO_PERCENT)}
            for share in shares
        )
    )
    return next(sufficient, _MAX_PERCENT_DECIMALS)
