"""An axis with names instead of numbers: as many as there is room for."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from reportgen.render.svg.elements import SVG_FONT_SIZE, SvgStyle
from reportgen.render.svg.labels import text_width
from reportgen.render.svg.line_chart import draw_line_chart
from reportgen.report.charts import LineChart, Series


def drawn(number: int) -> str:
    """Draw a line over so many days, then now."""
    names = (*(f"2026-03-{day + 1:02}" for day in range(number)), "now")
    chart = LineChart(
        "",
        "Accuracy",
        (Series("A", tuple((float(at), 0.5) for at in range(number + 1)), 0),),
        x_range=(-0.5, number + 0.5),
        x_tick_labels=tuple(enumerate(names)),
    )
    return "".join(draw_line_chart(chart, SvgStyle()).elements)


def labels(drawing: str) -> list[tuple[float, str]]:
    """Return where the middle of every name is."""
    found = re.findall(r'<text x="([\d.]+)"[^>]*>(2026[^<]*|now)</text>', drawing)
    return [(float(x), name) for x, name in found]


@pytest.mark.parametrize("number", [1, 3, 30])
def test_names_do_not_touch_and_the_last_is_always_there(number: int) -> None:
    """Of 30 days in 400 units only some can be written."""
    found = labels(drawn(number))

    assert found[-1][1] == "now"
    assert len(found) == number + 1 if number < 4 else 3 <= len(found) < number
    for (x, name), (next_x, next_name) in pairwise(found):
        room = (text_width(name) + text_width(next_name)) / 2 * SVG_FONT_SIZE
        assert next_x - x > room


def test_days_are_not_read_as_numbers_by_the_page() -> None:
    """The page reads numbers off plots that say where they stand; days are none."""
    assert "data-plot" not in drawn(3)
