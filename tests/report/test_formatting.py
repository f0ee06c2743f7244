"""Shares are said in per cent and their differences in points, and nothing is rounded away."""

from __future__ import annotations

import math

import pytest

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import Measure, find_measure
from reportgen.report.formatting import (
    inline_absolute_difference,
    inline_difference,
    inline_value_with_interval,
    inline_values,
)
from reportgen.report.inline import Interval, PlainNumber
from tests.report.report_text import read

THIN = "\u202f"


def measure(name: str) -> Measure:
    """Return a measure that is there."""
    result = find_measure(name)
    assert result is not None
    return result


def score(value: float, low: float | None = None, high: float | None = None) -> MeasureValue:
    """Return a score, with an interval or without."""
    state = ValueState.DEFINED if math.isfinite(value) else ValueState.INFINITE
    return MeasureValue(
        value if math.isfinite(value) else None,
        state,
        None if math.isfinite(value) else "+∞: specificity = 1",
        low,
        high,
        None if low is None else "wilson",
    )


def test_values_of_shares_are_in_per_cent() -> None:
    """0.774 is 77.4 %, and 0.90048 against 0.90000 needs another digit."""
    accuracy = measure("accuracy")

    assert read(inline_values(accuracy, score(0.774))) == "77.4%"
    assert [read([part]) for part in inline_values(accuracy, score(0.90048), score(0.9))] == [
        "90.05%",
        "90.00%",
    ]


def test_values_of_other_measures_stay_as_they_are() -> None:
    """A likelihood ratio is no share, and one that is infinite says so without its reason."""
    ratio = measure("lr_positive")

    assert read(inline_values(ratio, score(3.21669))) == "3.22"
    assert read(inline_values(ratio, score(math.inf))) == "∞"


@pytest.mark.parametrize(("value", "text"), [(0.99996, "99.996"), (0.00004, "0.004"), (1, "100.0")])
def test_what_is_not_all_is_not_called_100_per_cent(value: float, text: str) -> None:
    """One wrong in 25 000 is 99.996 %."""
    assert read(inline_values(measure("accuracy"), score(value))) == f"{text}%"


def test_a_value_has_its_interval_in_brackets() -> None:
    """Both with the same decimals."""
    message = read(inline_value_with_interval(measure("accuracy"), score(0.9736, 0.9569, 0.9839)))

    assert message == "97.4% (95.7–98.4)"


def test_differences_of_shares_are_in_points() -> None:
    """The e-negotiation paper's: 0.006 is 0.6 points."""
    message = read(inline_difference(measure("accuracy"), 0.00625, -0.0168, 0.0293))

    assert message == f"0.6{THIN}percentage points, −1.7 to 2.9"


def test_a_tiny_difference_is_not_stated_to_be_nothing() -> None:
    """0.00048 is 0.048 points."""
    message = read(inline_difference(measure("accuracy"), 0.00048, 0.00042, 0.00053))

    assert message == f"0.048{THIN}percentage points, 0.042–0.053"


def test_differences_of_other_measures_keep_their_unit() -> None:
    """Youden's index goes from -1 to 1 and has no per cent."""
    message = read(inline_difference(measure("youden"), -0.0108, -0.0573, 0.0357))

    assert message == "−0.011, −0.057 to 0.036"


def test_a_lead_has_no_sign() -> None:
    """Ahead by 5.57, not by +5.57; its interval may still reach below 0."""
    rmse = find_measure("rmse")
    assert rmse is not None
    lead, _, between = inline_absolute_difference(rmse, 5.57, -0.03, 9.1)

    assert isinstance(lead, PlainNumber)
    assert lead.number == 5.57
    assert isinstance(between, Interval)
