"""An axis with names instead of numbers: as many as there is room for."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from reportgen.render.svg.axes import AxisScale, draw_x_axis
from reportgen.render.svg.elements import SVG_FONT_SIZE, SVG_WIDTH, SvgStyle, svg_element
from reportgen.render.svg.labels import text_width
from reportgen.render.svg.line_chart import draw_line_chart
from reportgen.report.charts import BinHistogram, LineChart, Series
from tests.render.sample_figures import SVG, parse_figure


def draw_line(number: int) -> str:
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
    matches = re.findall(r'<text x="([\d.]+)"[^>]*>(2026[^<]*|now)</text>', drawing)
    return [(float(x), name) for x, name in matches]


@pytest.mark.parametrize("number", [1, 3, 30])
def test_names_do_not_touch_and_the_last_is_always_there(number: int) -> None:
    """Of 30 days in 400 units only some can be written."""
    result = labels(draw_line(number))

    assert result[-1][1] == "now"
    assert len(result) == number + 1 if number < 4 else 3 <= len(result) < number
    for (x, name), (next_x, next_name) in pairwise(result):
        room = (text_width(name) + text_width(next_name)) / 2 * SVG_FONT_SIZE
        assert next_x - x > room


def test_days_are_not_read_as_numbers_by_the_page() -> None:
    """The page reads numbers off plots that say where they stand; days are none."""
    assert "data-plot" not in draw_line(3)


def test_long_numbers_are_not_cut_off_at_the_edge() -> None:
    """1 000 000 at the right end of an axis that ends at the edge of the drawing moves left."""
    scale = AxisScale((0.0, 1_000_000.0), (40.0, SVG_WIDTH - 4))
    markup = svg_element("svg", {}, *draw_x_axis(scale, (0.0, 100.0), "x", SvgStyle()))
    texts = [text for text in ET.fromstring(str(markup)).iter("text") if text.text != "x"]  # noqa: S314

    ends = [
        float(text.attrib["x"]) + text_width(text.text or "") * SVG_FONT_SIZE / 2 for text in texts
    ]
    assert texts[-1].text == "1\u202f000\u202f000"
    assert max(ends) <= SVG_WIDTH + 0.1


def test_six_digits_of_a_histogram_have_room() -> None:
    """The largest count is left of the axis, and not cut off at the edge of the drawing."""
    bars = BinHistogram("A", 0, ((0.0, 1.0, 123456.0),))
    chart = LineChart("x", "y", (Series("A", ((0.0, 0.0), (1.0, 1.0)), 0),), histograms=(bars,))
    (count,) = (
        text for text in parse_figure(chart).iter(f"{SVG}text") if text.text == "123\u202f456"
    )

    assert count.attrib["text-anchor"] == "end"
    assert float(count.attrib["x"]) >= text_width("123 456") * SVG_FONT_SIZE
