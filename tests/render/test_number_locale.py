"""Numbers as people of other countries write them."""

from __future__ import annotations

import pytest

from reportgen.measures import find_measure
from reportgen.render.number_format import (
    NUMBER_SEPARATORS,
    format_difference,
    format_estimate,
    format_frequency,
    format_interval,
    format_number,
    format_p_value,
    format_percent,
    format_range,
    number_locale,
)


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("si", "1\u202f234.5"),
        ("en", "1,234.5"),
        ("de", "1.234,5"),
        ("fr", "1\u202f234,5"),
        ("ch", "1\u2019234.5"),
    ],
)
def test_every_style_has_its_marks(style: str, text: str) -> None:
    """Thousands and decimals are told apart as the country does."""
    with number_locale(style):  # type: ignore[arg-type]  # one of the styles by its name
        assert format_number(1234.5, 1) == text


def test_whatever_is_written_has_the_marks_once() -> None:
    """A text made of others is not given the marks twice, which would swap them back."""
    accuracy = find_measure("accuracy")
    lr_positive = find_measure("lr_positive")
    assert accuracy is not None
    assert lr_positive is not None
    with number_locale("de"):
        assert format_frequency(12_345) == "12.345"
        assert format_percent(0.0004) == "<0,1%"
        assert format_p_value(0.0004, with_symbol=True) == "p < 0,001"
        assert format_p_value(0.0432) == "0,043"
        assert format_difference(0.0125, accuracy, 3) == "+1,3\u202fpp"
        assert format_interval(-1234.5, 2.25, None, 2) == ("\u22121.234,50", "2,25")
        assert format_estimate(1234.5, 1000.25, 2000.75, 1) == ("1.234,5", "1.000,3", "2.000,8")
        assert format_range(accuracy.range) == "0 to 1"
        assert format_number(1234.5, 1, "mm") == "1.234,5\u202fmm"


def test_the_style_ends_with_its_block() -> None:
    """Whoever comes next writes as usual, also after a failure."""
    with pytest.raises(ZeroDivisionError), number_locale("de"):
        _ = 1 / 0
    assert format_number(0.5, 1) == "0.5"


def test_no_style_writes_thousands_and_decimals_alike() -> None:
    """A number could be read as another one."""
    assert all(thousands != decimal for thousands, decimal in NUMBER_SEPARATORS.values())
