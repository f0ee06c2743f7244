"""The only place where numbers become text."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING

from reportgen.formulas import ChiSquareTail
from reportgen.rendering.number_style import NARROW_SPACE, in_style, styled
from reportgen.report.words.decimals import (
    AS_POWERS,
    LEAST_POWER,
    MOST_POWER,
    decimals_of,
    decimals_of_any_size,
    is_whole,
    power_of_ten,
)
from reportgen.scores import Score, State

if TYPE_CHECKING:
    from reportgen.measures import Measure, Range

MINUS = "\u2212"
UNDEFINED = "undefined"
HEAT_LEVELS = 10
MOST_DIGITS = 6
MOST_DECIMALS = 10
SMALLEST_P, SMALL_P = 0.001, 0.1
NOT_AVAILABLE = "–"
# A double holds so many decimal digits for sure; what differs beyond them is arithmetic.
SURE_DIGITS = 15
# Farther from half a unit every way of rounding gives the same, and the fastest is taken.
NEAR_HALF = 1e-3
# Wide enough for every double, as quantize refuses what has more digits.
HALF_UP = Context(prec=400, rounding=ROUND_HALF_UP)
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@in_style
def score_text(score: Score, measure: Measure, extra_decimals: int = 0) -> str:
    """Write the value of a measure; the reason, if there is one, is not part of it."""
    number = score.number
    if score.state is State.UNDEFINED or number is None:
        return UNDEFINED
    if math.isinf(number):
        return _infinity(number)
    decimals = decimals_of(number, measure, extra_decimals)
    if measure.range.high != 1:
        return _of_any_size(number, decimals)
    # A p-value may be too small for a computer, but it is never 0.
    if isinstance(measure.formula, ChiSquareTail) and number < 10**-decimals / 2:
        return f"<{10**-decimals:.{decimals}f}"
    return _of_unit(number, decimals)


def interval_texts(score: Score, measure: Measure, extra_decimals: int = 0) -> tuple[str, str]:
    """Write both ends of a score's interval with the decimals of its value."""
    ends = (_end(score.low, -math.inf), _end(score.high, math.inf))
    return _ends(ends, measure, score.number, extra_decimals)


def span_texts(
    low: float | None, high: float | None, measure: Measure | None, decimals: int
) -> tuple[str, str]:
    """Write both ends of an interval, of a measure or with so many decimals; None is infinite."""
    ends = (_end(low, -math.inf), _end(high, math.inf))
    if measure is not None:
        # An interval may be one of differences, which are not confined to the measure's range.
        return _ends(ends, measure, None, 0, bounded=False)
    return styled(_shared(ends[0], decimals)), styled(_shared(ends[1], decimals))


@in_style
def p_text(number: float | None, *, named: bool = False) -> str:
    """Write a p-value: four decimals where they matter, and never 0."""
    if number is None or math.isnan(number):
        return f"p {NOT_AVAILABLE}" if named else NOT_AVAILABLE
    if number < SMALLEST_P:
        return f"p < {SMALLEST_P}" if named else f"<{SMALLEST_P}"
    written = _rounded(number, 4 if number < SMALL_P else 3)
    written = "1" if number == 1 else written.replace("1.000", ">0.999")
    if not named:
        return written
    return f"p > {written[1:]}" if written.startswith(">") else f"p = {written}"


def estimate_texts(
    number: float | None, low: float | None, high: float | None, decimals: int | None
) -> tuple[str, ...]:
    """Write a number and, if it has one, both ends of its interval, with the same decimals."""
    if number is None or math.isnan(number):
        return (UNDEFINED,)
    finite = [end for end in (number, low, high) if end is not None and math.isfinite(end)]
    places = _telling_decimals(finite[0] if finite else 0.0) if decimals is None else decimals
    ends = () if low is None or high is None else (low, high)
    return tuple(plain_text(each, places) for each in (number, *ends))


@in_style
def difference_text(number: float | None, measure: Measure, decimals: int | None = None) -> str:
    """Write a difference with its sign; what is not 0 is never written as 0."""
    if number is None or math.isnan(number):
        return UNDEFINED
    if math.isinf(number):
        written = _infinity(number)
    elif decimals is None:
        written = _of_its_own(number, measure)
    else:
        written = _shared(number, decimals)
    return f"+{written}" if number > 0 and written.strip("0.") else written


def _of_its_own(number: float, measure: Measure) -> str:
    usual = decimals_of(number, measure)
    enough = (places for places in range(usual, MOST_DIGITS + 1) if round(number, places))
    decimals = next(enough, usual)
    if number and not round(number, decimals):
        return _of_any_size(number, decimals)
    return _fixed(number, decimals)


def plain_text(number: float, decimals: int | None = None, unit: str = "") -> str:
    """Write a number with so many decimals; without them as it is if short, else rounded."""
    if math.isnan(number):
        return UNDEFINED
    if math.isinf(number):
        return _infinity(number)
    written = styled(_fixed(number, decimals) if decimals is not None else _shortest(number))
    return f"{written}{NARROW_SPACE}{unit.strip()}" if unit.strip() else written


@in_style
def count_text(number: int) -> str:
    """Write a number of things, thousands set apart."""
    return _signed(f"{number:,}")


@in_style
def percent_text(share: float | None) -> str:
    """Write a share of a row as a percentage; a row without cases has none."""
    if share is None:
        return "–"
    percent = 100 * share
    written = _rounded(percent, 0)
    # 99.97 % is not all and 0.02 % is not nothing.
    if written in {"0", "100"} and not is_whole(share):
        tenths = _rounded(percent, 1)
        written = {"0.0": "<0.1", "100.0": ">99.9"}.get(tenths, tenths)
    return f"{written}{NARROW_SPACE}%"


def heat_level(share: float | None) -> int:
    """Return how dark a matrix cell is: 0 for nothing, 10 for all of its row."""
    return math.ceil(round(HEAT_LEVELS * (share or 0), 9))


def range_text(span: Range) -> str:
    """Write the values a measure can take."""
    low = _infinity(-math.inf) if span.low is None else plain_text(span.low)
    high = _infinity(math.inf) if span.high is None else plain_text(span.high)
    return f"{low} to {high}"


def _end(limit: float | None, infinite: float) -> float:
    return infinite if limit is None else limit


def _ends(
    ends: tuple[float, float],
    measure: Measure,
    value: float | None,
    extra_decimals: int,
    *,
    bounded: bool = True,
) -> tuple[str, str]:
    known = [number for number in (value, *ends) if number is not None and math.isfinite(number)]
    # The value decides; without one the end that is farther from 0.
    guide = value if known[:1] == [value] else max(known, key=abs, default=0.0)
    decimals = decimals_of(guide or 0.0, measure, extra_decimals)
    within_unit = bounded and measure.range.high == 1
    low, high = (_end_text(end, decimals, within_unit=within_unit) for end in ends)
    return styled(low), styled(high)


def _end_text(end: float, decimals: int, *, within_unit: bool) -> str:
    if math.isinf(end):
        return _infinity(end)
    if within_unit:
        return _of_unit(end, decimals)
    vanishes = end and not round(end, decimals)
    return _of_any_size(end, max(decimals, decimals_of_any_size(end)) if vanishes else decimals)


def _telling_decimals(number: float) -> int:
    """Return the decimals of three digits that count, more for what is merely close to whole."""
    usual = decimals_of_any_size(number)
    if is_whole(number):
        return usual
    closer = (at for at in range(usual, MOST_DECIMALS) if not is_whole(round(number, at)))
    return next(closer, usual)


def _of_unit(number: float, decimals: int) -> str:
    """Write neither 0 nor 1 for what is merely close to it."""
    smallest = 10**-decimals
    if not is_whole(number):
        if abs(number) < smallest / 2:
            written = f"{smallest:.{decimals}f}"
            return f"<{written}" if number > 0 else f">{MINUS}{written}"
        if 1 - smallest / 2 <= number < 1:
            return f">{1 - smallest:.{decimals}f}"
    return _fixed(number, decimals)


def _of_any_size(number: float, decimals: int) -> str:
    if LEAST_POWER <= power_of_ten(number) < MOST_POWER:
        return _fixed(number, decimals)
    return _as_power(number)


def _shared(number: float, decimals: int) -> str:
    """Write a number with the decimals it shares with others, or all of them as powers of ten."""
    if math.isinf(number):
        return _infinity(number)
    if decimals == AS_POWERS:
        return _as_power(number) if number else "0"
    return _fixed(number, decimals)


def _as_power(number: float) -> str:
    mantissa, exponent = f"{number:.2e}".split("e")
    power = str(int(exponent)).translate(RAISED)
    return NARROW_SPACE.join((_signed(mantissa), "×", f"10{power}"))


def _infinity(number: float) -> str:
    return "∞" if number > 0 else f"{MINUS}∞"


def _fixed(number: float, decimals: int) -> str:
    written = _rounded(number, decimals)
    # What rounds to nothing has no sign.
    return _signed(written.removeprefix("-") if not written.strip("-0.,") else written)


def _rounded(number: float, decimals: int) -> str:
    """Round as people do, 5 up, on the decimal digits: 0.9625 is 0.963, and 96.25 % is 96.3 %."""
    if abs(abs(number) * 10.0**decimals % 1 - 0.5) > NEAR_HALF:
        return f"{number:,.{decimals}f}"
    digits = HALF_UP.create_decimal(f"{number:.{SURE_DIGITS}g}")
    return f"{digits.quantize(HALF_UP.create_decimal((0, (1,), -decimals)), context=HALF_UP):,f}"


def _shortest(number: float) -> str:
    if len(Decimal(repr(float(number))).as_tuple().digits) > MOST_DIGITS:
        return _of_any_size(number, decimals_of_any_size(number))
    return _signed(f"{Decimal(repr(float(number))):,f}".removesuffix(".0"))


def _signed(written: str) -> str:
    return written.replace("-", MINUS)
