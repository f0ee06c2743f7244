"""Figures of the report as SVG elements, and the drawing function of each chart type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.render.plain_text import sentence_text
from reportgen.render.svg.confusion_heatmap import draw_confusion_heatmap
from reportgen.render.svg.dot_plot import draw_dot_plot, draw_dot_rows, draw_fold_dots
from reportgen.render.svg.elements import (
    NARROW_SVG_WIDTH,
    SVG_FONT_SIZE,
    SvgStyle,
    format_coordinate,
    svg_element,
)
from reportgen.render.svg.forest_plot import draw_forest_plot
from reportgen.render.svg.likelihood_graph import draw_likelihood_graph
from reportgen.render.svg.line_chart import draw_line_chart, draw_line_panels
from reportgen.render.svg.ranks import draw_critical_difference_diagram, draw_rank_heatmap
from reportgen.render.svg.reliability import draw_reliability_diagram
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
    ReliabilityDiagram,
    ScatterPlot,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.render.svg.elements import SvgDrawing
    from reportgen.report.document import Figure


# The drawing function of each class of chart. A new chart is a class in report/charts.py, a module
# of this folder, and a line here.
CHART_RENDERERS: dict[type[Chart], Callable[..., SvgDrawing]] = {
    LineChart: draw_line_chart,
    LinePanels: draw_line_panels,
    ReliabilityDiagram: draw_reliability_diagram,
    LikelihoodRatioGraph: draw_likelihood_graph,
    CriticalDifferenceDiagram: draw_critical_difference_diagram,
    DotPlot: draw_dot_plot,
    RankHeatMap: draw_rank_heatmap,
    ForestPlot: draw_forest_plot,
    GroupedDotPlot: draw_dot_rows,
    FoldPlot: draw_fold_dots,
    ConfusionHeatMap: draw_confusion_heatmap,
    ScatterPlot: draw_scatter_plot,
}
# Charts in one piece, which are drawn a second time for phones; others have boxes that move.
NARROW_CHARTS = (
    DotPlot,
    GroupedDotPlot,
    FoldPlot,
    LikelihoodRatioGraph,
    CriticalDifferenceDiagram,
)
MAX_NARROW_COLUMNS = 5
# Width on paper: no text is smaller than 8 pt. Charts with smaller text have the full width.
PRINT_WIDTH, FULL_PRINT_WIDTH = 16.0, 17.4
WIDE_CHARTS = (ConfusionHeatMap, ScatterPlot)
CSS_PIXELS_PER_CENTIMETRE = 96 / 2.54


def draw_chart(chart: Chart, style: SvgStyle) -> SvgDrawing:
    """Return the SVG elements of a chart."""
    return CHART_RENDERERS[type(chart)](chart, style)


def _has_narrow_drawing(chart: Chart) -> bool:
    if isinstance(chart, RankHeatMap):
        return len(chart.classifiers) <= MAX_NARROW_COLUMNS
    return isinstance(chart, NARROW_CHARTS)


def render_figure(figure: Figure, *, for_pdf: bool = False) -> Markup:
    """Return a figure as SVG, styled by CSS classes or, for the PDF, by attributes."""
    scale = figure.height_scale if for_pdf else 1.0
    return _render_drawing(figure, SvgStyle(for_pdf=for_pdf, height_scale=scale))


def print_height(figure: Figure) -> float:
    """Return the height of a figure's drawing in the PDF, in CSS pixels."""
    style = SvgStyle(for_pdf=True, height_scale=figure.height_scale)
    height = draw_chart(figure.chart, style).height
    return height / style.width * _print_width(figure.chart) * CSS_PIXELS_PER_CENTIMETRE


def _print_width(chart: Chart) -> float:
    return FULL_PRINT_WIDTH if isinstance(chart, WIDE_CHARTS) else PRINT_WIDTH


def render_narrow_figure(figure: Figure) -> Markup:
    """Return the drawing that the page has on phones instead, if the chart needs one."""
    if not _has_narrow_drawing(figure.chart):
        return Markup("")
    return _render_drawing(figure, SvgStyle(width=NARROW_SVG_WIDTH))


def _render_drawing(figure: Figure, style: SvgStyle) -> Markup:
    drawing, for_pdf = draw_chart(figure.chart, style), style.for_pdf
    name, description = f"drawing-{figure.name}", sentence_text(figure.description.parts)
    aria_attributes = () if for_pdf else (("aria-labelledby", f"{name}-title {name}-text"),)
    return svg_element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {format_coordinate(style.width)} {format_coordinate(drawing.height)}",
            **({"class": "narrow"} if style.is_narrow else {}),
            # WeasyPrint takes the size from here; the page's stylesheet has its own.
            **({"width": f"{_print_width(figure.chart):g}cm"} if for_pdf else {}),
            **({"font-family": "Text, Inter"} if for_pdf else {}),
            "font-size": format_coordinate(SVG_FONT_SIZE),
            "role": "img",
            **dict(aria_attributes),
        },
        # WeasyPrint makes the title, and nothing else, the alternative text of the PDF.
        *(
            # Title and description of the wide drawing are those of both.
            ()
            if style.is_narrow
            else (svg_element("title", {"id": f"{name}-title"}, f"{figure.title}. {description}"),)
            if for_pdf
            else (
                svg_element("title", {"id": f"{name}-title"}, figure.title),
                svg_element("desc", {"id": f"{name}-text"}, description),
            )
        ),
        *drawing.elements,
    )
