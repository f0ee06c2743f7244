"""Figures on phones: boxes that move, and second drawings."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from reportgen.render.svg import render_narrow_figure
from reportgen.report.charts import BinHistogram, ReliabilityDiagram, ReliabilityPanel
from tests.render.sample_figures import figure, figures, parse_figure, texts

PANEL = ReliabilityPanel("A", 0, 0.0004, (), BinHistogram("A", 0, ((0.0, 0.5, 3.0),)))
DIAGRAM = ReliabilityDiagram("predicted", "observed", (PANEL, PANEL))


def test_all_of_a_drawing_in_boxes_is_in_boxes_and_none_on_paper() -> None:
    """Parts outside would stay where they were while the others move."""
    parts = [item for item in parse_figure(DIAGRAM) if not item.tag.endswith(("title", "desc"))]

    assert len(parts) > 4
    assert all("data-box" in part.attrib for part in parts)
    assert not any("data-box" in item.attrib for item in parse_figure(DIAGRAM, for_pdf=True).iter())


def test_a_small_miscalibration_is_not_written_as_none() -> None:
    """With the decimals of the table."""
    assert "MCB 0.0004" in texts(parse_figure(DIAGRAM))


@pytest.mark.parametrize("name", ["dots", "ranks"])
def test_a_chart_in_one_piece_has_a_narrow_drawing(name: str) -> None:
    """It has the title of the wide one, whose id must stay the only one."""
    figure = next(item for item in figures() if item.name == name)
    root = ET.fromstring(str(render_narrow_figure(figure)))  # noqa: S314  # our own

    assert root.attrib["class"] == "narrow"
    assert root.attrib["viewBox"].startswith("0 0 340 ")
    assert not any("id" in item.attrib for item in root.iter())


def test_a_chart_in_boxes_has_no_second_drawing() -> None:
    """It would double the size of the largest figures."""
    assert not render_narrow_figure(figure("boxes", DIAGRAM))
