"""Markers of points, operating points and crossings, and the legends of charts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from reportgen.render.number_format import format_number
from reportgen.render.plain_text import escape_invisible
from reportgen.render.svg.elements import (
    MARKER_CORNERS,
    MARKER_SHAPE_COUNT,
    MUTED_MARKER_SCALE,
    SVG_FONT_SIZE,
    SVG_WIDTH,
    format_coordinate,
    merge_styles,
    svg_box,
    svg_element,
    svg_line,
    svg_marker,
    svg_rect,
    svg_text,
)
from reportgen.render.svg.labels import (
    svg_truncated_label,
    text_width,
    truncate_labels_distinctly,
)
from reportgen.report.charts import MUTED_COLOR_INDEX

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from markupsafe import Markup

    from reportgen.render.svg.axes import AxisScale
    from reportgen.render.svg.elements import SvgStyle
    from reportgen.report.charts import AxisRange, LineChart, MarkerKind, Point, Series


MARKER_SIZES = {"plain": 4.2, "operating": 5.2, "best": 4.6, "crossing": 3.6, "failing": 7.5}
_BACKGROUND, _OUTLINE = "#fff", "#1b2732"
_WHISKER_CAP, _CROSSING_LABEL_GAP = 2.5, 8.0


def draw_marker(
    center: Point, kind: MarkerKind, order: int, style: SvgStyle, series_name: str = ""
) -> Markup:
    """Draw a marker of a series; an operating point has an outline and can be dragged."""
    attributes = style.area(order)
    if kind == "failing":
        return svg_marker(center, 0, style.attributes("failing"), MARKER_SIZES[kind])
    if kind == "operating":
        outline = {"stroke": _OUTLINE, "stroke-width": "1.4", **style.css_class("operating")}
        corners = (
            {"data-series": escape_invisible(series_name)}
            if series_name and not style.for_pdf
            else {}
        )
        return svg_marker(
            center, order, merge_styles(attributes, outline, corners), MARKER_SIZES[kind]
        )
    if kind == "best":
        ring = {"fill": _BACKGROUND, "stroke": attributes["fill"], "stroke-width": "1.6"}
        hollow = merge_styles(attributes, ring, style.css_class("hollow"))
        return svg_marker(center, order, hollow, MARKER_SIZES[kind])
    return svg_marker(center, order, {**attributes, "stroke": _BACKGROUND}, MARKER_SIZES[kind])


def draw_neutral_marker(center: Point, kind: MarkerKind, style: SvgStyle) -> Markup:
    """Draw a marker that belongs to no classifier, such as a crossing or a legend entry."""
    attributes = style.attributes("failing" if kind == "failing" else "neutral-marker")
    if kind == "operating":
        attributes = {**attributes, **style.attributes("muted")}
    return svg_marker(center, 0, attributes, MARKER_SIZES[kind])


def draw_markers(
    series: Series, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    """Draw the markers of a series within the axes, over their intervals."""
    inside = [
        marker for marker in series.markers if _is_inside_axes(marker.point, x_scale, y_scale)
    ]
    whiskers = "".join(
        _whisker_path(
            x_scale.position(marker.point[0]),
            y_scale.position(marker.low),
            y_scale.position(marker.high),
        )
        for marker in inside
        if marker.low is not None and marker.high is not None
    )
    if whiskers:
        whisker_style = {
            **style.solid_line(series.color_index),
            "stroke-width": "1",
            "stroke-opacity": "0.75",
        }
        yield svg_element("path", {"d": whiskers, **whisker_style})
    for marker in inside:
        position = x_scale.position(marker.point[0]), y_scale.position(marker.point[1])
        yield draw_marker(position, marker.kind, series.color_index, style, series.name)


def draw_crossings(
    chart: LineChart, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    """Draw the crossings, each with its label where it overlaps no other label or marker."""
    positions = [
        (x_scale.position(marker.point[0]), y_scale.position(marker.point[1]))
        for marker in chart.markers
    ]
    half_width = MARKER_SIZES["crossing"] + 2
    boxes = [(x - half_width, y + SVG_FONT_SIZE / 2, 2 * half_width) for x, y in positions]
    for marker, position in zip(chart.markers, positions, strict=True):
        label = "" if marker.label_value is None else format_three_digits(marker.label_value)
        placement = (
            _place_crossing_label(label, position, x_scale, y_scale, boxes) if label else None
        )
        if placement is not None:
            left, y, width = placement
            boxes.append(placement)
            background = {**style.attributes("background"), "fill-opacity": "0.8"}
            yield svg_rect(
                (left - 1, y - SVG_FONT_SIZE + 1), (width + 2, SVG_FONT_SIZE + 1), background
            )
            yield svg_text((left, y), label, style.attributes("text"))
    yield from (draw_neutral_marker(position, "crossing", style) for position in positions)


def format_three_digits(number: float) -> str:
    """Return a number with three significant digits."""
    return format_number(float(f"{number:.3g}"))


def _place_crossing_label(
    text: str,
    point: Point,
    x_scale: AxisScale,
    y_scale: AxisScale,
    boxes: Sequence[tuple[float, float, float]],
) -> tuple[float, float, float] | None:
    """Return the left end, baseline and width of a label where it overlaps nothing, or None."""
    x, y = point
    width = text_width(text) * SVG_FONT_SIZE
    bottom, top = y_scale.range
    for left in (x + _CROSSING_LABEL_GAP, x - _CROSSING_LABEL_GAP - width):
        for height in (y + 1.6 * SVG_FONT_SIZE, y - 0.8 * SVG_FONT_SIZE, y + 2.8 * SVG_FONT_SIZE):
            fits = x_scale.range[0] < left and left + width < x_scale.range[1]
            is_free = all(
                left > other_left + other_width
                or left + width < other_left
                or abs(height - other_y) > SVG_FONT_SIZE
                for other_left, other_y, other_width in boxes
            )
            if fits and is_free and top + SVG_FONT_SIZE < height < bottom - 2:
                return left, height, width
    return None


def _whisker_path(x: float, low: float, high: float) -> str:
    caps = "".join(
        f"M{format_coordinate(x - _WHISKER_CAP)} {format_coordinate(end)}h{2 * _WHISKER_CAP:g}"
        for end in (low, high)
    )
    return f"M{format_coordinate(x)} {format_coordinate(low)}V{format_coordinate(high)}{caps}"


def _is_inside_axes(point: Point, x_scale: AxisScale, y_scale: AxisScale) -> bool:
    (left, right), (low, high) = x_scale.domain, y_scale.domain
    return left <= point[0] <= right and low <= point[1] <= high


# Many markers or lines as one path each, so that the SVG stays small.


def markers_path(points: Iterable[Point], order: int, size: float) -> str:
    """Return the path of markers of one shape: discs, squares, triangles or diamonds."""
    return "".join(_marker_path(point, order, size) for point in points)


def intervals_path(spans: Iterable[tuple[AxisRange, float]]) -> str:
    """Return the path of horizontal lines, each given by its ends and its height."""
    return "".join(
        f"M{format_coordinate(start)} {format_coordinate(y)}H{format_coordinate(end)}"
        for (start, end), y in spans
    )


def arrow_path(tip: Point, size: float, *, right: bool) -> str:
    """Return the path of a horizontal arrow head."""
    x, y = tip
    offset = -size if right else size
    return (
        f"M{format_coordinate(x)} {format_coordinate(y)}"
        f"L{format_coordinate(x + offset)} {format_coordinate(y - size * 0.75)}"
        f"V{format_coordinate(y + size * 0.75)}Z"
    )


def _marker_path(point: Point, order: int, size: float) -> str:
    x, y = point
    size = size if order >= 0 else MUTED_MARKER_SCALE * size
    if order < 0 or order % MARKER_SHAPE_COUNT == 0:
        radius, width = format_coordinate(size), format_coordinate(2 * size)
        return (
            f"M{format_coordinate(x - size)} {format_coordinate(y)}"
            f"a{radius} {radius} 0 1 0 {width} 0"
            f"a{radius} {radius} 0 1 0 -{width} 0Z"
        )
    corners = [
        f"{format_coordinate(x + size * dx)} {format_coordinate(y + size * dy)}"
        for dx, dy in MARKER_CORNERS[order % MARKER_SHAPE_COUNT]
    ]
    return f"M{'L'.join(corners)}Z"


# Legends: at the side of a plot, below several panels, or at the top.

LEGEND_SAMPLE_WIDTH, LEGEND_ROW_HEIGHT, _LEGEND_ENTRY_GAP, _MAX_LEGEND_LABEL = (
    28.0,
    19.0,
    14.0,
    230.0,
)
_KEY_ROW_HEIGHT, _KEY_MARKER_WIDTH, _KEY_GAP, _MAX_KEY_LABEL = 17.0, 13.0, 20.0, 190.0


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A legend entry: a series with its marker, a reference line, or a kind of marker.

    A negative `order` is that of all grey series together.
    """

    label: str
    order: int | None = None
    marker: MarkerKind | None = None
    line_style: Literal["reference", "study-value", "limit"] | None = None

    @property
    def width(self) -> float:
        """The width of the entry."""
        return (
            LEGEND_SAMPLE_WIDTH
            + 8
            + min(_MAX_LEGEND_LABEL, text_width(escape_invisible(self.label)) * SVG_FONT_SIZE)
            + _LEGEND_ENTRY_GAP
        )


def legend_entries(charts: Sequence[LineChart], *, labelled: bool = False) -> list[LegendEntry]:
    """Return the legend entries of the charts, without duplicates and grey series as one.

    `labelled`: series in colour have labels in the chart, and no entry.
    """
    entries: dict[LegendEntry, None] = {}
    muted = {series.name for chart in charts for series in chart.series if series.color_index < 0}
    for chart in charts:
        for series in chart.series:
            if labelled or series.color_index < 0:
                continue
            kinds = {item.kind for item in series.markers}
            kind: MarkerKind | None = "plain" if kinds else None
            entries[LegendEntry(series.name, series.color_index, kind)] = None
    with_markers = {(entry.label, entry.order) for entry in entries if entry.marker}
    # A series with markers in only one panel has one entry, with the marker.
    distinct = [
        item for item in entries if item.marker or (item.label, item.order) not in with_markers
    ]
    marks = dict.fromkeys(
        LegendEntry(label, marker=kind) for chart in charts for kind, label in chart.marker_legend
    )
    reference_entries = dict.fromkeys(
        LegendEntry(item.label, line_style=item.style)
        for chart in charts
        for item in chart.references
    )
    others = [LegendEntry(_others_label(muted), MUTED_COLOR_INDEX)] if muted else []
    return [*distinct, *others, *marks, *(entry for entry in reference_entries if entry.label)]


def _others_label(names: Collection[str]) -> str:
    """Return the label of grey series: the name of a single one, or their number."""
    return next(iter(names)) if len(names) == 1 else f"{len(names)} others"


def draw_side_legend(
    entries: Sequence[LegendEntry], left: float, top: float, style: SvgStyle
) -> Iterator[Markup]:
    """Draw a legend as a column."""
    labels = _legend_labels(entries, SVG_WIDTH - left - LEGEND_SAMPLE_WIDTH - 8)
    for index, entry in enumerate(entries):
        y = top + SVG_FONT_SIZE / 2 + index * LEGEND_ROW_HEIGHT
        yield from _draw_legend_entry(entry, labels, left, y, style)


def legend_rows(entries: Sequence[LegendEntry], left: float) -> list[list[LegendEntry]]:
    """Return the entries in rows that fit the width."""
    rows: list[list[LegendEntry]] = [[]]
    for entry in entries:
        used = sum(entry.width for entry in rows[-1])
        if rows[-1] and left + used + entry.width - _LEGEND_ENTRY_GAP > SVG_WIDTH:
            rows.append([])
        rows[-1].append(entry)
    return rows


def draw_bottom_legend(
    rows: Sequence[Sequence[LegendEntry]], left: float, top: float, style: SvgStyle
) -> Iterator[Markup]:
    """Draw a legend as rows below the panels."""
    labels = _legend_labels([entry for row in rows for entry in row], _MAX_LEGEND_LABEL)
    for index, row in enumerate(rows):
        x = left
        for entry in row:
            y = top + index * LEGEND_ROW_HEIGHT
            yield svg_box(
                (x, y - LEGEND_ROW_HEIGHT / 2),
                (entry.width, LEGEND_ROW_HEIGHT),
                style,
                *_draw_legend_entry(entry, labels, x, y, style),
            )
            x += entry.width


def draw_classifier_key(
    classifiers: Sequence[tuple[str, int]], style: SvgStyle
) -> tuple[tuple[Markup, ...], float]:
    """Draw the markers of the classifiers at the top; return the elements and their height."""
    rows = _key_rows([name for name, _ in classifiers], style)
    return tuple(_draw_key(rows, dict(classifiers), style)), _KEY_ROW_HEIGHT * len(rows)


def _legend_labels(entries: Sequence[LegendEntry], max_width: float) -> dict[str, str]:
    """Return the labels truncated to a width, each different from the others."""
    names = [escape_invisible(entry.label) for entry in entries]
    return truncate_labels_distinctly(names, max_width / SVG_FONT_SIZE)


def _draw_legend_entry(
    entry: LegendEntry, labels: Mapping[str, str], left: float, y: float, style: SvgStyle
) -> Iterator[Markup]:
    middle = (left + LEGEND_SAMPLE_WIDTH / 2, y)
    if entry.order is not None:
        yield svg_line((left, y), (left + LEGEND_SAMPLE_WIDTH, y), style.line(entry.order))
        if entry.marker:
            yield draw_marker(middle, entry.marker, entry.order, style)
    elif entry.line_style is not None:
        yield svg_line(
            (left, y), (left + LEGEND_SAMPLE_WIDTH, y), style.attributes(entry.line_style)
        )
    elif entry.marker is not None:
        yield draw_neutral_marker(middle, entry.marker, style)
    tone = style.attributes("text" if entry.order is not None else "muted")
    name = escape_invisible(entry.label)
    position = (left + LEGEND_SAMPLE_WIDTH + 8, y + SVG_FONT_SIZE * 0.35)
    yield svg_truncated_label(position, name, labels[name], tone)


def _key_rows(names: Sequence[str], style: SvgStyle) -> list[list[tuple[float, str]]]:
    """Return the x position of each name, line by line, in as few lines as fit."""
    rows: list[list[tuple[float, str]]] = [[]]
    x = 0.0
    for name in names:
        width = _KEY_MARKER_WIDTH + min(
            _MAX_KEY_LABEL, text_width(escape_invisible(name)) * SVG_FONT_SIZE
        )
        if rows[-1] and x + width > style.width:
            rows.append([])
            x = 0.0
        rows[-1].append((x, name))
        x += width + _KEY_GAP
    return rows


def _draw_key(
    rows: Sequence[Sequence[tuple[float, str]]], orders: dict[str, int], style: SvgStyle
) -> Iterator[Markup]:
    labels = truncate_labels_distinctly(
        map(escape_invisible, orders), _MAX_KEY_LABEL / SVG_FONT_SIZE
    )
    for index, row in enumerate(rows):
        y = _KEY_ROW_HEIGHT * (index + 0.5)
        for x, name in row:
            yield svg_marker((x + 5, y), orders[name], style.area(orders[name]))
            position = (x + _KEY_MARKER_WIDTH, y + SVG_FONT_SIZE * 0.35)
            full_name = escape_invisible(name)
            yield svg_truncated_label(
                position, full_name, labels[full_name], style.attributes("text")
            )
