"""A figure of the report as one SVG element."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from reportgen.render.plain_text import sentence_text
from reportgen.render.svg.confusion_heatmap import draw_confusion_heatmap
from reportgen.render.svg.dot_plot import draw_dot_plot, draw_dot_rows, draw_fold_dots
from reportgen.render.svg.elements import (
    SVG_FONT_SIZE,
    SVG_WIDTH,
    SvgStyle,
    format_coordinate,
    svg_element,
)
from reportgen.render.svg.forest_plot import draw_forest_plot
from reportgen.render.svg.likelihood_graph import draw_likelihood_graph
from reportgen.render.svg.line_chart import draw_line_chart, draw_line_panels
from reportgen.render.svg.ranks import draw_critical_difference_diagram, draw_rank_heatmap
from reportgen.render.svg.scatter import draw_scatter_plot
from reportgen.report.charts import (
    Chart,
    ConfusionHeatMap,
    CriticalDifferenceDiagram,
    DotPlot,
    FoldPlot,
    ForestPlot,
    GroupedDotPlot,
    LikelihoodRatioGraph,
    LineChart,
    LinePanels,
    RankHeatMap,
    ScatterPlot,
)

if TYPE_CHECKING:
    from markupsafe import Markup

    from reportgen.render.svg.elements import SvgDrawing
    from reportgen.report.document import Figure


def render_figure(figure: Figure, *, for_pdf: bool = False) -> Markup:
    """Draw a figure: with classes that follow the page's colours, or all by itself for the PDF."""
    drawn = _draw_chart(figure.chart, SvgStyle(for_pdf=for_pdf))
    name, words = f"drawing-{figure.name}", sentence_text(figure.description.parts)
    described = () if for_pdf else (("aria-labelledby", f"{name}-title {name}-text"),)
    return svg_element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {format_coordinate(SVG_WIDTH)} {format_coordinate(drawn.height)}",
            # WeasyPrint takes the size from here; the page's stylesheet has its own.
            **({"width": _print_width(figure.chart)} if for_pdf else {}),
            **({"font-family": "Text, Inter"} if for_pdf else {}),
            "font-size": format_coordinate(SVG_FONT_SIZE),
            "role": "img",
            **dict(described),
        },
        # WeasyPrint makes the title, and nothing else, the alternative text of the PDF.
        svg_element("title", {"id": f"{name}-title"}, f"{figure.title}. {words}")
        if for_pdf
        else svg_element("title", {"id": f"{name}-title"}, figure.title)
        + svg_element("desc", {"id": f"{name}-text"}, words),
        *drawn.elements,
    )


def _print_width(chart: Chart) -> str:
    """Return a width at which no letter of a drawing is smaller than 7 pt."""
    return "16cm" if isinstance(chart, ConfusionHeatMap | ScatterPlot) else "14cm"


def _draw_chart(chart: Chart, style: SvgStyle) -> SvgDrawing:
    match chart:
        case LineChart():
            return draw_line_chart(chart, style)
        case LinePanels():
            return draw_line_panels(chart, style)
        case LikelihoodRatioGraph():
            return draw_likelihood_graph(chart, style)
        case CriticalDifferenceDiagram():
            return draw_critical_difference_diagram(chart, style)
        case DotPlot():
            return draw_dot_plot(chart, style)
        case RankHeatMap():
            return draw_rank_heatmap(chart, style)
        case ForestPlot():
            return draw_forest_plot(chart, style)
        case GroupedDotPlot():
            return draw_dot_rows(chart, style)
        case FoldPlot():
            return draw_fold_dots(chart, style)
        case ConfusionHeatMap():
            return draw_confusion_heatmap(chart, style)
        case ScatterPlot():
            return draw_scatter_plot(chart, style)
        case _:
            assert_never(chart)
