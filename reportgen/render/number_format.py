"""Number formatting: measure values, intervals, p-values, percentages, separators by locale."""

from __future__ import annotations

import functools
import math
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING, ParamSpec

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures.formula import ChiSquareSurvival
from reportgen.report.formatting import (
    MAX_FIXED_EXPONENT,
    MIN_FIXED_EXPONENT,
    PERCENTAGE_POINTS,
    SCIENTIFIC_NOTATION,
    TO_PERCENT,
    decimal_exponent,
    is_integer_valued,
    measure_decimals,
    percent_decimals,
    significant_decimals,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reportgen.measures import Measure, ValueRange
    from reportgen.spec.output import NumberLocale


# Separators by locale.

NARROW_SPACE = "\u202f"
# The thousands separator and the decimal separator.
NUMBER_SEPARATORS: dict[NumberLocale, tuple[str, str]] = {
    "si": (NARROW_SPACE, "."),
    "en": (",", "."),
    "de": (".", ","),
    "fr": (NARROW_SPACE, ","),
    "ch": ("\u2019", "."),
}

FormatterParams = ParamSpec("FormatterParams")
# A context variable: all numbers of a document have the same locale.
_current_locale: ContextVar[NumberLocale] = ContextVar("number_style", default="si")


@contextmanager
def number_locale(locale: NumberLocale) -> Iterator[None]:
    """Format numbers in this locale within the context."""
    token = _current_locale.set(locale)
    try:
        yield
    finally:
        _current_locale.reset(token)


def number_separators() -> tuple[str, str]:
    """Return the thousands and decimal separators of the current locale."""
    return NUMBER_SEPARATORS[_current_locale.get()]


def localized(formatter: Callable[FormatterParams, str]) -> Callable[FormatterParams, str]:
    """Decorate a function that formats numbers as 1,234.5 to use the current locale."""

    @functools.wraps(formatter)
    def format_localized(*args: FormatterParams.args, **kwargs: FormatterParams.kwargs) -> str:
        return localize_number(formatter(*args, **kwargs))

    return format_localized


def localize_number(text: str) -> str:
    """Return text formatted as 1,234.5 with the separators of the current locale."""
    thousands, decimal = number_separators()
    return text.translate({ord(","): thousands, ord("."): decimal})


MINUS, PERCENT, EN_DASH = "\u2212", "%", "\u2013"
UNDEFINED_TEXT = "undefined"
HEAT_LEVELS = 10
MAX_DIGITS = 6
MAX_TEXT_DECIMALS = 10
MIN_PRINTED_P, USUAL_ALPHA = 0.001, 0.05
# From here on two decimals are two significant digits.
MIN_TWO_DECIMAL_P = 0.0995
NOT_AVAILABLE = "–"
# The decimal digits a double represents exactly; differences beyond are rounding errors.
EXACT_FLOAT_DIGITS = 15
# Farther from a tie all rounding rules agree, and the fastest is used.
HALF_TOLERANCE = 1e-3
# Precise enough for every double: quantize raises for more digits.
HALF_UP = Context(prec=400, rounding=ROUND_HALF_UP)
SUPERSCRIPT_DIGITS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@localized
def format_measure_value(
    value: MeasureValue, measure: Measure, extra_decimals: int = 0, decimals: int | None = None
) -> str:
    """Return the value of a measure as text, without the reason why it is undefined.

    Proportions are in percent. Without `decimals` the value has those of its magnitude.
    """
    number = value.number
    if value.state is ValueState.UNDEFINED or number is None:
        return UNDEFINED_TEXT
    if math.isinf(number):
        return _format_infinity(number)
    if decimals is None:
        decimals = measure_decimals(number, measure, extra_decimals)
    if measure.is_proportion:
        return _format_proportion(number, decimals) + PERCENT
    if measure.range.high != 1:
        return _format_any_magnitude(number, decimals)
    # A p-value may underflow, but is never 0.
    if isinstance(measure.formula, ChiSquareSurvival) and number < 10**-decimals / 2:
        return f"<{10**-decimals:.{decimals}f}"
    return _format_between_0_and_1(number, decimals)


def format_value_interval(
    value: MeasureValue, measure: Measure, extra_decimals: int = 0, decimals: int | None = None
) -> tuple[str, str]:
    """Return both confidence limits with the decimals of the value, of proportions in percent."""
    limits = (_limit_or_infinity(value.low, -math.inf), _limit_or_infinity(value.high, math.inf))
    if decimals is None:
        finite = [
            number
            for number in (value.number, *limits)
            if number is not None and math.isfinite(number)
        ]
        # The value determines the decimals; without one, the limit farther from 0.
        reference = (
            value.number if finite[:1] == [value.number] else max(finite, key=abs, default=0.0)
        )
        decimals = measure_decimals(reference or 0.0, measure, extra_decimals)
    low, high = (_format_confidence_limit(limit, measure, decimals) for limit in limits)
    return localize_number(low), localize_number(high)


def join_limits(limits: Sequence[str]) -> str:
    """Return an interval as text: 95.7–98.4, and −1.7 to 2.0 where a dash would be confusing.

    Fonts draw a dash before ">" as an arrow.
    """
    has_sign = any(mark in limit for limit in limits for mark in (MINUS, "×", "<", ">"))
    return (" to " if has_sign else EN_DASH).join(limits)


def format_interval(
    low: float | None, high: float | None, measure: Measure | None, decimals: int | None
) -> tuple[str, str]:
    """Return both limits with the decimals given or those of a measure; None is infinite.

    Limits on the scale of a proportion are in percent.
    """
    limits = (_limit_or_infinity(low, -math.inf), _limit_or_infinity(high, math.inf))
    if decimals is None:
        finite = [limit for limit in limits if math.isfinite(limit)]
        reference = max(finite, key=abs, default=0.0)
        decimals = 3 if measure is None else measure_decimals(reference, measure)
    is_percent = measure is not None and measure.is_proportion and decimals != SCIENTIFIC_NOTATION
    if is_percent:
        limits = (TO_PERCENT * limits[0], TO_PERCENT * limits[1])
        decimals = percent_decimals(decimals)
    first, second = (
        localize_number(_format_with_shared_decimals(limit, decimals)) for limit in limits
    )
    return first, second


@localized
def format_p_value(p_value: float | None, *, with_symbol: bool = False) -> str:
    """Return a p-value with two significant digits and at most three decimals, never as 0.

    A value just below 0.05 has four decimals, because 0.050 would not look significant.
    """
    if p_value is None or math.isnan(p_value):
        return f"p {NOT_AVAILABLE}" if with_symbol else NOT_AVAILABLE
    if p_value < MIN_PRINTED_P:
        return f"p < {MIN_PRINTED_P}" if with_symbol else f"<{MIN_PRINTED_P}"
    decimals = 3 if p_value < MIN_TWO_DECIMAL_P else 2
    text = _round_half_up(p_value, decimals)
    if p_value < USUAL_ALPHA <= float(text):
        text = _round_half_up(p_value, decimals + 1)
    text = "1" if p_value == 1 else text.replace("1.00", ">0.99")
    if not with_symbol:
        return text
    return f"p > {text[1:]}" if text.startswith(">") else f"p = {text}"


def format_estimate(
    number: float | None, low: float | None, high: float | None, decimals: int | None
) -> tuple[str, ...]:
    """Return a number and, if it has an interval, both limits, with the same decimals."""
    if number is None or math.isnan(number):
        return (UNDEFINED_TEXT,)
    finite = [end for end in (number, low, high) if end is not None and math.isfinite(end)]
    digits = _significant_decimals(finite[0] if finite else 0.0) if decimals is None else decimals
    limits = () if low is None or high is None else (low, high)
    return tuple(format_number(value, digits) for value in (number, *limits))


@localized
def format_difference(number: float | None, measure: Measure, decimals: int | None = None) -> str:
    """Return a difference with its sign; a nonzero difference is never formatted as 0.

    Differences of proportions are in percentage points.
    """
    if number is None or math.isnan(number):
        return UNDEFINED_TEXT
    unit = ""
    if math.isinf(number):
        text = _format_infinity(number)
    else:
        if decimals is None:
            decimals = _sufficient_decimals(number, measure)
        if measure.is_proportion and decimals != SCIENTIFIC_NOTATION:
            unit = f"{NARROW_SPACE}{PERCENTAGE_POINTS}"
            text = _format_fixed(TO_PERCENT * number, percent_decimals(decimals))
        else:
            text = _format_with_shared_decimals(number, decimals)
    return (f"+{text}" if number > 0 and text.strip("0.") else text) + unit


def _sufficient_decimals(number: float, measure: Measure) -> int:
    """Return the decimals of a measure, or more where the difference would be rounded to 0."""
    default_decimals = measure_decimals(number, measure)
    if is_integer_valued(number):
        return default_decimals
    sufficient = (
        decimals for decimals in range(default_decimals, MAX_DIGITS + 1) if round(number, decimals)
    )
    return next(sufficient, SCIENTIFIC_NOTATION)


def format_number(number: float, decimals: int | None = None, unit: str = "") -> str:
    """Return a number with the decimals given, or else exactly if short and rounded if not."""
    if math.isnan(number):
        return UNDEFINED_TEXT
    if math.isinf(number):
        return _format_infinity(number)
    text = localize_number(
        _format_fixed(number, decimals) if decimals is not None else _format_shortest(number)
    )
    unit = unit.strip()
    return f"{text}{NARROW_SPACE if unit and unit != PERCENT else ''}{unit}"


@localized
def format_frequency(number: float) -> str:
    """Return a count with thousands separators; a sum of sampling weights has one decimal."""
    is_integer = isinstance(number, int) or number.is_integer()
    return _replace_hyphen_minus(f"{int(number):,}" if is_integer else f"{number:,.1f}")


@localized
def format_percent(proportion: float | None) -> str:
    """Return a proportion as a percentage, or a dash for None (a row without cases)."""
    if proportion is None:
        return "–"
    percent = 100 * proportion
    text = _round_half_up(percent, 0)
    # 99.97% is not 100%, and 0.02% is not 0%.
    if text in {"0", "100"} and not is_integer_valued(proportion):
        one_decimal = _round_half_up(percent, 1)
        text = {"0.0": "<0.1", "100.0": ">99.9"}.get(one_decimal, one_decimal)
    return f"{text}%"


def heat_level(proportion: float | None) -> int:
    """Return the heat level of a matrix cell, from 0 (none of its row) to 10 (all)."""
    return math.ceil(round(HEAT_LEVELS * (proportion or 0), 9))


def format_range(value_range: ValueRange) -> str:
    """Return the range of a measure as text."""
    low = _format_infinity(-math.inf) if value_range.low is None else format_number(value_range.low)
    high = (
        _format_infinity(math.inf) if value_range.high is None else format_number(value_range.high)
    )
    return f"{low} to {high}"


def _limit_or_infinity(limit: float | None, infinity: float) -> float:
    return infinity if limit is None else limit


def _format_confidence_limit(limit: float, measure: Measure, decimals: int) -> str:
    if math.isinf(limit):
        return _format_infinity(limit)
    if measure.is_proportion:
        return _format_proportion(limit, decimals)
    if measure.range.high == 1:
        return _format_bounded_limit(limit, decimals)
    rounds_to_zero = limit and not round(limit, decimals)
    return _format_any_magnitude(
        limit, max(decimals, significant_decimals(limit)) if rounds_to_zero else decimals
    )


def _format_bounded_limit(limit: float, decimals: int) -> str:
    """Return a limit of a measure of at most 1; a negative one has the decimals that show it."""
    if limit > 0:
        return _format_between_0_and_1(limit, decimals)
    sufficient = (digits for digits in range(decimals, MAX_DIGITS + 1) if round(limit, digits))
    return _format_fixed(limit, next(sufficient, decimals))


def _significant_decimals(number: float) -> int:
    """Return the decimals of three significant digits, more for numbers close to an integer."""
    default_decimals = significant_decimals(number)
    if is_integer_valued(number):
        return default_decimals
    closer = (
        decimals
        for decimals in range(default_decimals, MAX_TEXT_DECIMALS)
        if not is_integer_valued(round(number, decimals))
    )
    return next(closer, default_decimals)


def _format_between_0_and_1(number: float, decimals: int) -> str:
    """Return the number, or "<" or ">" and a bound if it would round to 0 or 1."""
    smallest = 10**-decimals
    if not is_integer_valued(number):
        if abs(number) < smallest / 2:
            text = f"{smallest:.{decimals}f}"
            return f"<{text}" if number > 0 else f">{MINUS}{text}"
        if 1 - smallest / 2 <= number < 1:
            return f">{1 - smallest:.{decimals}f}"
    return _format_fixed(number, decimals)


def _format_proportion(number: float, decimals: int) -> str:
    """Return a proportion in percent, without the sign; `decimals` are those of the proportion."""
    digits = percent_decimals(decimals)
    smallest, percent = 10**-digits, TO_PERCENT * number
    if not is_integer_valued(number):
        if 0 < percent < smallest / 2:
            return f"<{smallest:.{digits}f}"
        if TO_PERCENT - smallest / 2 <= percent < TO_PERCENT:
            return f">{TO_PERCENT - smallest:.{digits}f}"
    return _format_fixed(percent, digits)


def _format_any_magnitude(number: float, decimals: int) -> str:
    if MIN_FIXED_EXPONENT <= decimal_exponent(number) < MAX_FIXED_EXPONENT:
        return _format_fixed(number, decimals)
    return _format_scientific(number)


def _format_with_shared_decimals(number: float, decimals: int) -> str:
    """Return a number with the decimals shared by a column, or in scientific notation."""
    if math.isinf(number):
        return _format_infinity(number)
    if decimals == SCIENTIFIC_NOTATION:
        return _format_scientific(number) if number else "0"
    return _format_fixed(number, decimals)


def _format_scientific(number: float) -> str:
    return _format_powers(*f"{number:.2e}".split("e"))


def _format_powers(mantissa: str, exponent: str) -> str:
    """Return a mantissa times a power of ten."""
    power = str(int(exponent)).translate(SUPERSCRIPT_DIGITS)
    return NARROW_SPACE.join((_replace_hyphen_minus(mantissa), "×", f"10{power}"))


def _format_infinity(number: float) -> str:
    return "∞" if number > 0 else f"{MINUS}∞"


def _format_fixed(number: float, decimals: int) -> str:
    text = _round_half_up(number, decimals)
    # Zero after rounding has no sign.
    return _replace_hyphen_minus(text.removeprefix("-") if not text.strip("-0.,") else text)


def _round_half_up(number: float, decimals: int) -> str:
    """Return the number rounded half up on its decimal digits: 0.9625 is 0.963, 96.25% is 96.3%."""
    if abs(abs(number) * 10.0**decimals % 1 - 0.5) > HALF_TOLERANCE:
        return f"{number:,.{decimals}f}"
    digits = HALF_UP.create_decimal(f"{number:.{EXACT_FLOAT_DIGITS}g}")
    return f"{digits.quantize(HALF_UP.create_decimal((0, (1,), -decimals)), context=HALF_UP):,f}"


def _format_shortest(number: float) -> str:
    exact = Decimal(repr(float(number)))
    if len(exact.as_tuple().digits) > MAX_DIGITS:
        return _format_any_magnitude(number, significant_decimals(number))
    if number and exact.adjusted() < MIN_FIXED_EXPONENT:
        return _format_powers(*f"{exact.normalize():e}".split("e"))
    return _replace_hyphen_minus(f"{exact:,f}".removesuffix(".0"))


def _replace_hyphen_minus(text: str) -> str:
    return text.replace("-", MINUS)
