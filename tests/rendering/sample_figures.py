"""Figures of every kind, with hostile names, many classifiers, and values without a number."""

from __future__ import annotations

import math

from reportgen.report.charts.lines import (
    Band,
    Chart,
    Dot,
    DotPlot,
    LineChart,
    Marker,
    RankDiagram,
    Reference,
    Series,
)
from reportgen.report.document import Figure, Paragraph
from reportgen.report.parts import Strong
from tests.rendering.sample_tables import CLASSIFIERS, SCRIPT

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
                order=at,
                markers=(Marker((0.2, 0.2 ** (0.1 + 0.05 * at))),),
            )
            for at, name in enumerate(CLASSIFIERS)
        ),
        references=(Reference((0.0, 0.0), (1.0, 1.0), "chance"),),
        square=True,
    )


def steps() -> LineChart:
    """Return a step with a band and a labelled mark, on axes that are not shares."""
    points = tuple((float(x), x * x / 100) for x in range(-10, 21))
    band = Band(
        tuple((x, y - 0.4) for x, y in points),
        tuple((x, y + 0.4) for x, y in points),
    )
    series = Series(LONG, points, 0, step=True, band=band, markers=(Marker((5.0, 0.25), "here"),))
    return LineChart("threshold", "share", (series,), (-10.0, 20.0), (-1.0, 4.0))


def ranks() -> RankDiagram:
    """Return six names in two groups."""
    names = ("SVM", "NB", "tree", SCRIPT, LONG, "forest")
    values = (1.4, 2.25, 3.1, 3.65, 4.8, 5.8)
    groups = (("SVM", "NB"), ("NB", "tree", SCRIPT), (SCRIPT, LONG))
    return RankDiagram(tuple(zip(names, values, strict=True)), 1.72, groups)


def dots() -> DotPlot:
    """Return differences with intervals, one undefined, one infinite and one half open."""
    rows = [
        Dot(f"fold {at + 1}", math.sin(at) / 20, math.sin(at) / 20 - 0.03, math.sin(at) / 20 + 0.02)
        for at in range(6)
    ]
    odd = (
        Dot("never", None),
        Dot(SCRIPT, math.inf, 0.01, None, order=1),
        Dot(LONG, 0.03, None, 0.05, order=2),
    )
    return DotPlot("difference of accuracy", (*rows, *odd), 0.0, "no difference")


def figure(name: str, chart: Chart) -> Figure:
    """Return a figure that says what it shows."""
    reading = Paragraph((Strong(SCRIPT), f" says what {name} shows."))
    return Figure(name, f"Figure of {name} & more", chart, reading, Paragraph(("A note.",)))


def figures() -> tuple[Figure, ...]:
    """Return a figure of every kind."""
    charts: dict[str, Chart] = {"roc": roc(), "steps": steps(), "ranks": ranks(), "dots": dots()}
    return tuple(figure(name, chart) for name, chart in charts.items())
