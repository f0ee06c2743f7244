"""Confusion heat maps: blue for correct cells, orange for errors, darker for larger proportions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.render.number_format import format_frequency, format_percent
from reportgen.render.svg.elements import (
    SVG_FONT_SIZE,
    SVG_WIDTH,
    SvgDrawing,
    format_coordinate,
    svg_element,
    svg_line,
    svg_rect,
    svg_text,
)
from reportgen.render.svg.labels import max_text_width, svg_label, text_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt
    from markupsafe import Markup

    from reportgen.render.svg.elements import SvgStyle
    from reportgen.report.charts import ConfusionHeatMap, ConfusionPanel

# Unequal steps resolve rare confusions and high sensitivities.
_TINT_LABELS = {"correct": "correct (% of row, up to)", "error": "errors (% of row, up to)"}
_TINT_LIMITS = {
    "correct": (0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0),
    "error": (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0),
}
# Light enough for the counts to be readable.
_LIGHT_TINTS = ("0.08", "0.13", "0.19", "0.25", "0.32", "0.4", "0.48")
_STRONG_TINTS = ("0.14", "0.24", "0.36", "0.5", "0.64", "0.8", "1")
_TOLERANCE = 1e-12
# 8 pt on paper, where these charts have the full width.
_SMALL_FONT, _MAX_COUNTED_CLASSES, _GRID_INTERVAL = 10.4, 15, 5
_DIGIT_WIDTH, _COUNT_GAP, _MAX_CELL_WIDTH, _MIN_CELL_HEIGHT = 6.4, 2.0, 44.0, 11.0
_MIN_COUNTED_CELL_HEIGHT, _MAX_CELL_HEIGHT = 17.0, 22.0
_MIN_LEFT, _MAX_LEFT_TWO_COLUMNS, _MAX_LEFT_ONE_COLUMN, _MAX_COLUMN_LABEL = 42.0, 116.0, 190.0, 84.0
_PANEL_GAP, _ROW_GAP, _TITLE_HEIGHT, _AXIS_LABEL_HEIGHT = 22.0, 24.0, 16.0, 15.0
_SWATCH_WIDTH, _SWATCH_HEIGHT, _LEGEND_HEIGHT, _LEGEND_ROW, _LEGEND_LABEL_WIDTH = (
    44.0,
    11.0,
    60.0,
    28.0,
    146.0,
)


@dataclass(frozen=True, slots=True)
class _HeatmapLayout:
    """The layout: margins for labels, and the size of a cell."""

    left: float
    column_label_height: float
    cell_width: float
    cell_height: float
    panel_columns: int
    shows_counts: bool
    has_numbered_classes: bool
    has_vertical_labels: bool

    @property
    def header_height(self) -> float:
        """The height above a matrix."""
        return _TITLE_HEIGHT + _AXIS_LABEL_HEIGHT + self.column_label_height + 4

    @property
    def tint_opacities(self) -> tuple[str, ...]:
        """The opacity of each step of the tint."""
        return _LIGHT_TINTS if self.shows_counts else _STRONG_TINTS


def draw_confusion_heatmap(chart: ConfusionHeatMap, style: SvgStyle) -> SvgDrawing:
    """Draw the matrices side by side if they fit, otherwise in a column."""
    layout = _heatmap_layout(chart, style.height_scale)
    number = len(chart.classes)
    panel_width, panel_height = (
        number * layout.cell_width + _PANEL_GAP,
        layout.header_height + chart.row_count * layout.cell_height + _ROW_GAP,
    )
    rows = math.ceil(len(chart.panels) / layout.panel_columns)
    parts: list[Markup] = []
    for index, panel in enumerate(chart.panels):
        row, column = divmod(index, layout.panel_columns)
        x, y = layout.left + column * panel_width, row * panel_height + layout.header_height
        parts += _draw_row_labels(chart, layout, y, style) if column == 0 else ()
        parts += _draw_panel(chart, panel, layout, (x, y), style)
    bottom = rows * panel_height
    return SvgDrawing((*parts, *_draw_legend(layout, bottom, style)), bottom + _LEGEND_HEIGHT)


def _heatmap_layout(chart: ConfusionHeatMap, height_scale: float) -> _HeatmapLayout:
    number = len(chart.classes)
    longest = max_text_width(chart.classes, _SMALL_FONT)
    has_numbers = longest > _MAX_COLUMN_LABEL
    label_width = longest + (text_width(f"{number}. ") * _SMALL_FONT if has_numbers else 0.0) + 10
    figures = max(len(format_frequency(max(map(max, panel.counts)))) for panel in chart.panels)
    needed = max(figures * _DIGIT_WIDTH + _COUNT_GAP, _MIN_COUNTED_CELL_HEIGHT)
    shows_counts = number <= _MAX_COUNTED_CLASSES
    min_width = needed if shows_counts else _SMALL_FONT
    n_columns, left = 2, max(_MIN_LEFT, min(label_width, _MAX_LEFT_TWO_COLUMNS))
    if left + 2 * number * min_width + _PANEL_GAP > SVG_WIDTH:
        n_columns, left = (
            1,
            max(
                _MIN_LEFT, min(label_width, _MAX_LEFT_ONE_COLUMN, SVG_WIDTH - number * _SMALL_FONT)
            ),
        )
    cell_width = (SVG_WIDTH - left - _PANEL_GAP * (n_columns - 1)) / (number * n_columns)
    shows_counts = shows_counts and cell_width >= needed
    width = min(
        _MAX_CELL_WIDTH, max(math.floor(2 * cell_width) / 2, needed if shows_counts else 0.0)
    )
    lowest = _MIN_COUNTED_CELL_HEIGHT if shows_counts else _MIN_CELL_HEIGHT
    head_width = text_width(str(number)) * _SMALL_FONT if has_numbers else longest
    is_vertical = head_width > width - 3
    return _HeatmapLayout(
        left=left,
        column_label_height=head_width if is_vertical else _SMALL_FONT,
        cell_width=width,
        cell_height=max(lowest, height_scale * min(width, _MAX_CELL_HEIGHT)),
        panel_columns=n_columns,
        shows_counts=shows_counts,
        has_numbered_classes=has_numbers,
        has_vertical_labels=is_vertical,
    )


def _draw_row_labels(
    chart: ConfusionHeatMap, layout: _HeatmapLayout, top: float, style: SvgStyle
) -> Iterator[Markup]:
    edge, muted = layout.left - 6, _with_small_font(style.attributes("muted"))
    yield svg_text((edge, top - 5), "true ↓", muted, "end")
    for index, name in enumerate(chart.classes[: chart.row_count]):
        label = f"{index + 1}. {name}" if layout.has_numbered_classes else name
        middle = top + (index + 0.5) * layout.cell_height + _SMALL_FONT * 0.35
        # The width is in characters of the usual size.
        max_width = edge * SVG_FONT_SIZE / _SMALL_FONT
        yield svg_label(
            (edge, middle), label, max_width, _with_small_font(style.attributes("text")), "end"
        )


def _draw_panel(
    chart: ConfusionHeatMap,
    panel: ConfusionPanel,
    layout: _HeatmapLayout,
    origin: tuple[float, float],
    style: SvgStyle,
) -> Iterator[Markup]:
    (x, y), number = origin, len(chart.classes)
    width, height = number * layout.cell_width, chart.row_count * layout.cell_height
    bold = {**style.attributes("text"), "font-weight": "600"}
    yield svg_label((x, y - layout.header_height + SVG_FONT_SIZE), panel.name, width, bold)
    yield svg_text(
        (x, y - layout.column_label_height - 9),
        "predicted →",
        _with_small_font(style.attributes("muted")),
    )
    names = (
        [str(index + 1) for index in range(number)]
        if layout.has_numbered_classes
        else chart.classes
    )
    shared = {
        **_with_small_font(style.attributes("text")),
        **({} if layout.has_vertical_labels else {"text-anchor": "middle"}),
    }
    column_labels = (
        _draw_column_label(name, column, layout, origin) for column, name in enumerate(names)
    )
    yield svg_element("g", shared, *column_labels)
    yield svg_rect((x, y), (width, height), style.attributes("plot-area"))
    counts = np.array(panel.counts, dtype=np.int64)
    yield from _draw_tints(counts, layout, origin, style)
    if layout.shows_counts:
        yield _draw_counts(counts, layout, origin, style)
    else:
        for step in range(_GRID_INTERVAL, number, _GRID_INTERVAL):
            right = x + step * layout.cell_width
            yield svg_line((right, y), (right, y + height), style.attributes("grid"))
        for step in range(_GRID_INTERVAL, chart.row_count, _GRID_INTERVAL):
            bottom = y + step * layout.cell_height
            yield svg_line((x, bottom), (x + width, bottom), style.attributes("grid"))


def _draw_column_label(
    name: str, column: int, layout: _HeatmapLayout, origin: tuple[float, float]
) -> Markup:
    x, y = origin[0] + (column + 0.5) * layout.cell_width, origin[1] - 5
    if not layout.has_vertical_labels:
        return svg_text((x, y), name, {})
    x += _SMALL_FONT * 0.35
    return svg_text(
        (x, y), name, {"transform": f"rotate(-90 {format_coordinate(x)} {format_coordinate(y)})"}
    )


def _draw_tints(
    counts: npt.NDArray[np.int64],
    layout: _HeatmapLayout,
    origin: tuple[float, float],
    style: SvgStyle,
) -> Iterator[Markup]:
    """Draw all cells of a tint as one path: a stroke as wide as a cell is high."""
    sizes = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    diagonal = np.eye(*counts.shape, dtype=np.bool_)
    gap = 1.0 if layout.shows_counts else 0.0
    for kind, largest in _TINT_LIMITS.items():
        selected = (diagonal if kind == "correct" else ~diagonal) & (counts > 0)
        levels = np.searchsorted(np.array(largest) + _TOLERANCE, counts / sizes)
        for step, strength in enumerate(layout.tint_opacities):
            cells = np.argwhere(selected & (levels == step))
            if not cells.size:
                continue
            rectangles = (
                f"M{format_coordinate(origin[0] + column * layout.cell_width + gap / 2)}"
                f" {format_coordinate(origin[1] + (row + 0.5) * layout.cell_height)}"
                f"h{format_coordinate(layout.cell_width - gap)}"
                for row, column in cells
            )
            width = format_coordinate(layout.cell_height - gap)
            yield svg_element(
                "path",
                {"d": "".join(rectangles), **style.tint(kind, strength), "stroke-width": width},
            )


def _draw_counts(
    counts: npt.NDArray[np.int64],
    layout: _HeatmapLayout,
    origin: tuple[float, float],
    style: SvgStyle,
) -> Markup:
    """Draw the counts of all cells in one group."""
    shared = {**_with_small_font(style.attributes("text")), "text-anchor": "middle"}
    x, y = (
        origin[0] + 0.5 * layout.cell_width,
        origin[1] + 0.5 * layout.cell_height + _SMALL_FONT * 0.36,
    )
    return svg_element(
        "g",
        shared,
        *(
            svg_text(
                (x + column * layout.cell_width, y + row * layout.cell_height),
                format_frequency(counts[row, column].item()),
                {},
            )
            for row, column in np.argwhere(counts > 0)
        ),
    )


def _draw_legend(layout: _HeatmapLayout, top: float, style: SvgStyle) -> Iterator[Markup]:
    """Draw the tints with the largest percentage of the row for each of them."""
    muted = _with_small_font(style.attributes("muted"))
    start, width = _LEGEND_LABEL_WIDTH, format_coordinate(_SWATCH_HEIGHT)
    for row, kind in enumerate(_TINT_LIMITS):
        y = top + _SWATCH_HEIGHT / 2 + row * _LEGEND_ROW
        yield svg_text((0.0, y + _SMALL_FONT * 0.35), _TINT_LABELS[kind], muted)
        for index, strength in enumerate(layout.tint_opacities):
            x = start + index * _SWATCH_WIDTH
            length = format_coordinate(_SWATCH_WIDTH - 1)
            move = f"M{format_coordinate(x)} {format_coordinate(y)}h{length}"
            yield svg_element(
                "path", {"d": move, **style.tint(kind, strength), "stroke-width": width}
            )
            position = (x + _SWATCH_WIDTH / 2, y + _SWATCH_HEIGHT / 2 + _SMALL_FONT)
            yield svg_text(position, format_percent(_TINT_LIMITS[kind][index]), muted, "middle")


def _with_small_font(attributes: Mapping[str, str]) -> dict[str, str]:
    return {**attributes, "font-size": format_coordinate(_SMALL_FONT)}
