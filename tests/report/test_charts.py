"""No number that is none reaches a drawing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import ReportgenError
from reportgen.report.charts import (
    BinHistogram,
    ConfidenceBand,
    LineChart,
    Marker,
    ReferenceLine,
    Series,
)

if TYPE_CHECKING:
    from collections.abc import Callable

FINE = (0.25, 0.5)
FACTORIES: dict[str, Callable[[float], object]] = {
    "a point across": lambda odd: Series("A", (FINE, (odd, 0.5)), 0),
    "a point up": lambda odd: Series("A", ((0.5, odd), FINE), 0),
    "a mark": lambda odd: Marker((odd, 0.5)),
    "the end of an interval": lambda odd: Marker(FINE, low=0.1, high=odd),
    "the lower edge of a band": lambda odd: ConfidenceBand(((0.0, odd),), (FINE,)),
    "the upper edge of a band": lambda odd: ConfidenceBand((FINE,), ((odd, 1.0),)),
    "a thin line": lambda odd: ReferenceLine((0.0, 0.0), (odd, 1.0), "chance"),
    "a bar": lambda odd: BinHistogram("A", 0, ((0.0, 0.1, odd),)),
    "an axis": lambda odd: LineChart("x", "y", (), x_range=(0.0, odd)),
}


@pytest.mark.parametrize("what", FACTORIES)
@given(number=st.floats())
def test_a_number_is_drawn_if_and_only_if_it_is_finite(what: str, number: float) -> None:
    """Whatever part of a chart it would be: anything else is an error with a code."""
    if math.isfinite(number):
        assert FACTORIES[what](number) is not None
        return
    with pytest.raises(ReportgenError, match="a figure cannot be drawn") as error:
        FACTORIES[what](number)
    assert error.value.diagnostics[0].error_code.code == "E401"
