"""A figure of the report as one SVG element."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from reportgen.rendering.figures.dot_plot import draw_dots
from reportgen.rendering.figures.dot_rows import draw_dot_rows
from reportgen.rendering.figures.fold_dots import draw_fold_dots
from reportgen.rendering.figures.forest_plot import draw_forest
from reportgen.rendering.figures.heat_map import draw_heat_map
from reportgen.rendering.figures.likelihood_graph import draw_likelihoods
from reportgen.rendering.figures.line_chart import draw_lines, draw_panels
from reportgen.rendering.figures.rank_diagram import draw_ranks
from reportgen.rendering.figures.rank_grid import draw_rank_grid
from reportgen.rendering.figures.scatter import draw_scatter
from reportgen.rendering.figures.svg import FONT_SIZE, WIDTH, Ink, coordinate, element
from reportgen.rendering.texts import sentence_text
from reportgen.report.charts.cases import HeatMap, Scatter
from reportgen.report.charts.evidence import DotRows, FoldDots, ForestPlot, RankGrid
from reportgen.report.charts.lines import (
    Chart,
    DotPlot,
    LikelihoodGraph,
    LineChart,
    Panels,
    RankDiagram,
)

if TYPE_CHECKING:
    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Drawn
    from reportgen.report.document import Figure


def drawing(figure: Figure, *, for_pdf: bool = False) -> Markup:
    """Draw a figure: with classes that follow the page's colours, or all by itself for the PDF."""
    drawn = _drawn(figure.chart, Ink(for_pdf=for_pdf))
    name, words = f"drawing-{figure.name}", sentence_text(figure.reading.parts)
    described = () if for_pdf else (("aria-labelledby", f"{name}-title {name}-text"),)
    return element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {coordinate(WIDTH)} {coordinate(drawn.height)}",
            # WeasyPrint takes the size from here; the page's stylesheet has its own.
            **({"width": _width_on_paper(figure.chart)} if for_pdf else {}),
            **({"font-family": "Text, Inter"} if for_pdf else {}),
            "font-size": coordinate(FONT_SIZE),
            "role": "img",
            **dict(described),
        },
        # WeasyPrint makes the title, and nothing else, the alternative text of the PDF.
        element("title", {"id": f"{name}-title"}, f"{figure.title}. {words}")
        if for_pdf
        else element("title", {"id": f"{name}-title"}, figure.title)
        + element("desc", {"id": f"{name}-text"}, words),
        *drawn.parts,
    )


def _width_on_paper(chart: Chart) -> str:
    """Return a width at which no letter of a drawing is smaller than 7 pt."""
    return "16cm" if isinstance(chart, HeatMap | Scatter) else "14cm"


def _drawn(chart: Chart, ink: Ink) -> Drawn:
    match chart:
        case LineChart():
            return draw_lines(chart, ink)
        case Panels():
            return draw_panels(chart, ink)
        case LikelihoodGraph():
            return draw_likelihoods(chart, ink)
        case RankDiagram():
            return draw_ranks(chart, ink)
        case DotPlot():
            return draw_dots(chart, ink)
        case RankGrid():
            return draw_rank_grid(chart, ink)
        case ForestPlot():
            return draw_forest(chart, ink)
        case DotRows():
            return draw_dot_rows(chart, ink)
        case FoldDots():
            return draw_fold_dots(chart, ink)
        case HeatMap():
            return draw_heat_map(chart, ink)
        case Scatter():
            return draw_scatter(chart, ink)
        case _:
            assert_never(chart)
