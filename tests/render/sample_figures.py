"""Lines, ranks, dots and differences with hostile names or no number, and how drawings are read."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from reportgen.render.svg import render_figure
from reportgen.report.charts import (
    Chart,
    ConfidenceBand,
    CriticalDifferenceDiagram,
    Dot,
    DotPlot,
    ForestGroup,
    ForestPlot,
    ForestRow,
    LineChart,
    Marker,
    ReferenceLine,
    Series,
)
from reportgen.report.document import Figure, Paragraph
from reportgen.report.inline import PValue, Strong
from tests.render.sample_tables import CLASSIFIERS, SCRIPT

if TYPE_CHECKING:
    from reportgen.evaluation.comparison import Decision

SVG = "{http://www.w3.org/2000/svg}"
LONG = "a classifier whose name is far too long to stand beside any drawing whatsoever"


def roc() -> LineChart:
    """Return curves of twelve classifiers."""
    return LineChart(
        x_label="false positive rate",
        y_label="true positive rate",
        series=tuple(
            Series(
                name,
                tuple((x / 50, (x / 50) ** (0.1 + 0.05 * at)) for x in range(51)),
                color_index=at,
                markers=(Marker((0.2, 0.2 ** (0.1 + 0.05 * at))),),
            )
            for at, name in enumerate(CLASSIFIERS)
        ),
        references=(ReferenceLine((0.0, 0.0), (1.0, 1.0), "chance"),),
        square=True,
    )


def steps() -> LineChart:
    """Return a step with a band and a mark, on axes that are not shares."""
    points = tuple((float(x), x * x / 100) for x in range(-10, 21))
    band = ConfidenceBand(
        tuple((x, y - 0.4) for x, y in points),
        tuple((x, y + 0.4) for x, y in points),
    )
    series = Series(LONG, points, 0, step=True, band=band, markers=(Marker((5.0, 0.25)),))
    return LineChart("threshold", "share", (series,), (-10.0, 20.0), (-1.0, 4.0))


def ranks() -> CriticalDifferenceDiagram:
    """Return six names in two groups."""
    names = ("SVM", "NB", "tree", SCRIPT, LONG, "forest")
    values = (1.4, 2.25, 3.1, 3.65, 4.8, 5.8)
    groups = (("SVM", "NB"), ("NB", "tree", SCRIPT), (SCRIPT, LONG))
    return CriticalDifferenceDiagram(tuple(zip(names, values, strict=True)), groups)


def dots() -> DotPlot:
    """Return differences with intervals, one undefined, one infinite and one half open."""
    rows = [
        Dot(f"fold {at + 1}", math.sin(at) / 20, math.sin(at) / 20 - 0.03, math.sin(at) / 20 + 0.02)
        for at in range(6)
    ]
    odd = (
        Dot("never", None),
        Dot(SCRIPT, math.inf, 0.01, None, color_index=1),
        Dot(LONG, 0.03, None, 0.05, color_index=2),
    )
    return DotPlot("difference of accuracy", (*rows, *odd), 0.0, "no difference")


def row(difference: float | None, finding: Decision | None) -> ForestRow:
    """Return a difference of A and B with an interval of 0.04 around it."""
    low, high = (None, None) if difference is None else (difference - 0.02, difference + 0.02)
    return ForestRow("A", difference, low, high, finding, ("+0.1",), PValue(0.01), second_label="B")


def forest(*rows: ForestRow) -> ForestPlot:
    """Return rows under one head."""
    return ForestPlot("the second", "the first", (ForestGroup("Accuracy", rows),))


def figure(name: str, chart: Chart) -> Figure:
    """Return a figure that says what it shows."""
    reading = Paragraph((Strong(SCRIPT), f" says what {name} shows."))
    return Figure(name, f"Figure of {name} & more", chart, reading, Paragraph(("A note.",)))


def figures() -> tuple[Figure, ...]:
    """Return a figure of each sample: lines, steps, ranks and dots."""
    charts: dict[str, Chart] = {"roc": roc(), "steps": steps(), "ranks": ranks(), "dots": dots()}
    return tuple(figure(name, chart) for name, chart in charts.items())


def parse_figure(chart: Chart | Figure, *, for_pdf: bool = False) -> ET.Element:
    """Return the drawing of a figure, or of a chart in some figure, as XML; the text is our own."""
    drawn_figure = chart if isinstance(chart, Figure) else figure("chart", chart)
    return ET.fromstring(str(render_figure(drawn_figure, for_pdf=for_pdf)))  # noqa: S314


def texts(root: ET.Element) -> list[str]:
    """Return what is written on a drawing, with what is shown when pointed at."""
    return ["".join(item.itertext()) for item in root.iter(f"{SVG}text")]
