"""Critical-difference diagrams (Demšar 2006) and heat maps of ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.render.number_format import format_number
from reportgen.render.plain_text import escape_invisible, estimate_text
from reportgen.render.svg.axes import AxisScale, draw_x_axis
from reportgen.render.svg.elements import (
    SVG_FONT_SIZE,
    SvgDrawing,
    format_coordinate,
    merge_styles,
    svg_element,
    svg_line,
    svg_marker,
    svg_rect,
    svg_text,
)
from reportgen.render.svg.labels import (
    max_text_width,
    svg_label,
    svg_truncated_label,
    text_width,
    truncate_labels_distinctly,
)
from reportgen.render.svg.markers import draw_marker, markers_path
from reportgen.report.charts import RankCell
from reportgen.report.inline import MeasureEstimate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from reportgen.render.svg.elements import SvgStyle
    from reportgen.report.charts import CriticalDifferenceDiagram, RankGroup, RankHeatMap, RankRow


_CD_AXIS_Y, _CLIQUE_BAR_STEP, _CD_LABEL_STEP, _CD_TICK = 30.0, 9.0, 21.0, 5.0
_CD_LABEL_GAP, _CD_MARKER_WIDTH, _MAX_CD_TICKS = 6.0, 9.0, 12
# A bar over a rank that does not belong to its group is thin, with dots at the members.
_CLIQUE_DOT, _THIN_CLIQUE = 3.2, {"stroke-width": "1.2"}
# The margins hold marker, rank and name; more classifiers than this are drawn as a list.
_MIN_CD_MARGIN, _MAX_CD_MARGIN, _CD_NUMBER_AND_MARKER, _MAX_CD_NAMES = 110.0, 222.0, 70.0, 16
_RANK_LIST_ROW, _RANK_LIST_BOTTOM, _MAX_RANK_LIST_LABEL, _RANK_NUMBER_WIDTH = (
    17.5,
    42.0,
    190.0,
    36.0,
)
_RANK_LIST_AXIS_LABEL = "mean rank; hollow: no significant difference from the best"


def draw_critical_difference_diagram(
    diagram: CriticalDifferenceDiagram, style: SvgStyle
) -> SvgDrawing:
    """Draw the diagram, best at the left; very many classifiers become a list, best on top."""
    ordered = sorted(
        zip(diagram.ranks, diagram.color_indices or [None] * len(diagram.ranks), strict=True),
        key=lambda item: item[0][1],
    )
    entries = [RankEntry(name, rank, order) for (name, rank), order in ordered]
    if len(entries) > _MAX_CD_NAMES:
        return _draw_rank_list(diagram, entries, style)
    label_width = max_text_width(entry.name for entry in entries) + _CD_NUMBER_AND_MARKER
    margin = max(_MIN_CD_MARGIN, min(style.label_width(_MAX_CD_MARGIN), label_width))
    n_ranks = max(math.ceil(entry.rank) for entry in entries)
    scale = AxisScale((1.0, float(max(n_ranks, 2))), (margin, style.width - margin))
    half = (len(entries) + 1) // 2
    first = _CD_AXIS_Y + _CLIQUE_BAR_STEP * (len(diagram.cliques) + 1) + _CD_LABEL_STEP / 2
    return SvgDrawing(
        (
            *_draw_rank_axis(scale, style),
            *_draw_rank_labels(entries[:half], scale, first, style, on_left=True),
            *_draw_rank_labels(entries[half:][::-1], scale, first, style, on_left=False),
            *_draw_cliques(diagram, scale, style),
        ),
        first + _CD_LABEL_STEP * half,
    )


@dataclass(frozen=True, slots=True)
class RankEntry:
    """A classifier with its mean rank and its colour index (None: no marker)."""

    name: str
    rank: float
    order: int | None


def _draw_rank_list(
    diagram: CriticalDifferenceDiagram, entries: list[RankEntry], style: SvgStyle
) -> SvgDrawing:
    """Draw one row per classifier: hollow if it does not differ significantly from the first."""
    hollow = {name for group in diagram.cliques if entries[0].name in group for name in group}
    left = (
        min(
            style.label_width(_MAX_RANK_LIST_LABEL), max_text_width(entry.name for entry in entries)
        )
        + 14
    )
    ranks = [entry.rank for entry in entries]
    span = (min(1.0, *ranks), max(*ranks, float(len(entries))))
    scale = AxisScale(span, (left, style.width - _RANK_NUMBER_WIDTH - 12))
    bottom = _RANK_LIST_ROW * len(entries) + 6
    parts = list(draw_x_axis(scale, (4.0, bottom), _RANK_LIST_AXIS_LABEL, style, 8))
    for index, entry in enumerate(entries):
        y, order = 4.0 + _RANK_LIST_ROW * (index + 0.5), entry.order or 0
        position = (left - 12, y + SVG_FONT_SIZE * 0.35)
        elements = (
            svg_label(
                position,
                entry.name,
                style.label_width(_MAX_RANK_LIST_LABEL),
                style.attributes("text"),
                "end",
            ),
            draw_marker(
                (scale.position(entry.rank), y),
                "best" if index and entry.name in hollow else "plain",
                order,
                style,
            ),
            svg_text(
                (style.width, position[1]),
                format_number(entry.rank, 2),
                style.attributes("muted"),
                "end",
            ),
        )
        parts.extend(elements)
    return SvgDrawing(tuple(parts), bottom + _RANK_LIST_BOTTOM)


def _draw_rank_axis(scale: AxisScale, style: SvgStyle) -> Iterator[Markup]:
    yield svg_line(
        (scale.range[0], _CD_AXIS_Y), (scale.range[1], _CD_AXIS_Y), style.attributes("axis")
    )
    last = int(scale.domain[1])
    step = 1 if last <= _MAX_CD_TICKS else math.ceil(last / _MAX_CD_TICKS)
    for rank in range(1, last + 1, step):
        x = scale.position(rank)
        yield svg_line((x, _CD_AXIS_Y - _CD_TICK), (x, _CD_AXIS_Y), style.attributes("axis"))
        yield svg_text(
            (x, _CD_AXIS_Y - _CD_TICK - 4), str(rank), style.attributes("muted"), "middle"
        )
    position = (scale.range[0] - 12, _CD_AXIS_Y + SVG_FONT_SIZE * 0.35)
    yield svg_text(position, "Mean rank", style.attributes("muted"), "end")


def _draw_rank_labels(
    entries: list[RankEntry], scale: AxisScale, first_y: float, style: SvgStyle, *, on_left: bool
) -> Iterator[Markup]:
    side, anchor = (-1, "end") if on_left else (1, "start")
    edge = scale.range[0] - 16 if on_left else scale.range[1] + 16
    for index, entry in enumerate(entries):
        x, y = scale.position(entry.rank), first_y + _CD_LABEL_STEP * index
        start = f"M{format_coordinate(x)} {format_coordinate(_CD_AXIS_Y)}"
        path = f"{start}V{format_coordinate(y)}H{format_coordinate(edge)}"
        yield svg_element("path", {"d": path, **style.attributes("axis")})
        number_x, baseline = edge + side * _CD_LABEL_GAP, y + SVG_FONT_SIZE * 0.35
        if entry.order is not None:
            yield svg_marker(
                (edge + side * _CD_MARKER_WIDTH / 2, y), entry.order, style.area(entry.order)
            )
            number_x += side * _CD_MARKER_WIDTH
        label_x = number_x + side * _RANK_NUMBER_WIDTH
        yield svg_text(
            (number_x, baseline), format_number(entry.rank, 2), style.attributes("muted"), anchor
        )
        max_width = label_x if on_left else style.width - label_x
        yield svg_label(
            (label_x, baseline), entry.name, max_width, style.attributes("text"), anchor
        )


def _draw_cliques(
    diagram: CriticalDifferenceDiagram, scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    ranks = dict(diagram.ranks)
    for index, group in enumerate(diagram.cliques):
        positions = [scale.position(ranks[name]) for name in group]
        y = _CD_AXIS_Y + _CLIQUE_BAR_STEP * (index + 1)
        ends = (min(positions) - 3, y), (max(positions) + 3, y)
        others = (scale.position(rank) for name, rank in ranks.items() if name not in group)
        if not any(min(positions) < x < max(positions) for x in others):
            yield svg_line(*ends, style.attributes("clique"))
            continue
        yield svg_line(*ends, {**style.attributes("clique"), **_THIN_CLIQUE})
        dots = markers_path([(x, y) for x in positions], 0, _CLIQUE_DOT)
        yield svg_element("path", {"d": dots, **style.attributes("clique-dot")})


# Heat map of ranks by measure: first ranks are filled if significant, else outlined.

_HEATMAP_ROW, _HEATMAP_GROUP_HEAD, _HEATMAP_CELL_GAP, _HEATMAP_KEY_HEIGHT = 18.0, 25.0, 2.0, 30.0
_MIN_HEATMAP_ROW, _MIN_HEATMAP_GROUP_HEAD = 15.0, 19.0
_HEATMAP_LABEL, _WIDE_HEATMAP_LABEL, _MAX_WIDE_COLUMNS = 200.0, 225.0, 8
_MAX_HEATMAP_COLUMN, _MIN_HEATMAP_COLUMN, _MAX_TILTED_LABEL, _HEATMAP_MARKER = (
    136.0,
    30.0,
    130.0,
    14.0,
)
# The angle of names that are wider than their columns.
_TILT_DEGREES, _TILT_SINE, _TILT_COSINE = 50, 0.766, 0.643
_MIN_RANK_OPACITY, _MAX_RANK_OPACITY = 0.04, 0.3
_SIGNIFICANCE_DASHES = {True: "", False: "3.5 2.5", None: "1 2.5"}
_FIRST_RANK_TEXTS = {
    True: "best (significant)",
    False: "best (not significant)",
    None: "best (not tested)",
}


@dataclass(frozen=True, slots=True)
class _HeatmapFrame:
    """The layout of the heat map: left edge, size of cells, height of heads, tilted labels."""

    left: float
    column_width: float
    tilted_label_width: float | None
    row_height: float
    group_head_height: float


def draw_rank_heatmap(grid: RankHeatMap, style: SvgStyle) -> SvgDrawing:
    """Draw the grid: a column per classifier, a row per measure, in groups."""
    frame = _heatmap_frame(grid, style)
    top = (
        _HEATMAP_MARKER
        + SVG_FONT_SIZE
        + 6
        + (0.0 if frame.tilted_label_width is None else frame.tilted_label_width * _TILT_SINE)
    )
    parts = list(_draw_classifier_heads(grid, frame, top, style))
    y = top
    for group in grid.groups:
        parts.extend(_draw_measure_group(grid, group, y, frame, style))
        y += frame.group_head_height + frame.row_height * len(group.rows)
    parts.extend(_draw_heatmap_key(grid, y + _HEATMAP_KEY_HEIGHT / 2 + 4, style))
    return SvgDrawing(tuple(parts), y + _HEATMAP_KEY_HEIGHT)


def _heatmap_frame(grid: RankHeatMap, style: SvgStyle) -> _HeatmapFrame:
    """Draw the classifier names horizontally if they fit over their columns, else tilted."""
    heights = (
        max(_MIN_HEATMAP_ROW, _HEATMAP_ROW * style.height_scale),
        max(_MIN_HEATMAP_GROUP_HEAD, _HEATMAP_GROUP_HEAD * style.height_scale),
    )
    count = max(len(grid.classifiers), 1)
    left = style.label_width(_HEATMAP_LABEL if count > _MAX_WIDE_COLUMNS else _WIDE_HEATMAP_LABEL)
    longest = max_text_width(name for name, _ in grid.classifiers)
    column = min(_MAX_HEATMAP_COLUMN, (style.width - left) / count)
    if longest + 6 <= column:
        return _HeatmapFrame(left, column, None, *heights)
    label_width = min(longest, _MAX_TILTED_LABEL)
    column = max(
        _MIN_HEATMAP_COLUMN,
        min(_MAX_HEATMAP_COLUMN / 2, (style.width - left - label_width * _TILT_COSINE) / count),
    )
    available = style.width - left - column * (count - 0.5) - 4
    return _HeatmapFrame(left, column, min(label_width, available / _TILT_COSINE), *heights)


def _draw_classifier_heads(
    grid: RankHeatMap, frame: _HeatmapFrame, top: float, style: SvgStyle
) -> Iterator[Markup]:
    """Draw the classifier names with their markers."""
    max_width = frame.column_width if frame.tilted_label_width is None else frame.tilted_label_width
    labels = truncate_labels_distinctly(
        (escape_invisible(name) for name, _ in grid.classifiers), max_width / SVG_FONT_SIZE
    )
    for index, (name, order) in enumerate(grid.classifiers):
        x = frame.left + frame.column_width * (index + 0.5)
        full_name = escape_invisible(name)
        yield svg_marker((x, top), order, style.area(order))
        start = (x if frame.tilted_label_width is None else x + 3, top - _HEATMAP_MARKER + 4)
        if frame.tilted_label_width is None:
            yield svg_truncated_label(
                start, full_name, labels[full_name], style.attributes("text"), "middle"
            )
            continue
        transform = (
            f"rotate(-{_TILT_DEGREES} {format_coordinate(start[0])} {format_coordinate(start[1])})"
        )
        yield svg_truncated_label(
            start,
            full_name,
            labels[full_name],
            {**style.attributes("text"), "transform": transform},
        )


def _draw_measure_group(
    grid: RankHeatMap, group: RankGroup, top: float, frame: _HeatmapFrame, style: SvgStyle
) -> Iterator[Markup]:
    head = {**style.attributes("muted"), "font-weight": "600"}
    max_rank = _max_rank(grid)
    yield svg_text((0.0, top + frame.group_head_height - 7), group.head, head)
    for index, row in enumerate(group.rows):
        y = top + frame.group_head_height + frame.row_height * index
        baseline = y + frame.row_height / 2 + SVG_FONT_SIZE * 0.35
        title, width = row.measure.title, frame.left - 14
        # A title that does not fit is replaced by its symbol, such as MCC.
        label = title if max_text_width([title]) <= width else row.measure.symbol.text
        yield svg_label((8.0, baseline), label, width, style.attributes("text"))
        for number, cell in enumerate(row.cells):
            x = frame.left + frame.column_width * number
            tooltip = _rank_cell_tooltip(grid.classifiers[number][0], row, cell, style)
            box = (x, y, frame.column_width, frame.row_height)
            yield from _draw_rank_cell(box, cell, tooltip, max_rank, style)


def _max_rank(grid: RankHeatMap) -> int:
    """Return the number of ranked classifiers, which may exceed that of the columns."""
    cells = (cell for group in grid.groups for row in group.rows for cell in row.cells)
    return max([len(grid.classifiers), *(cell.rank or 0 for cell in cells)])


def _draw_rank_cell(
    box: tuple[float, float, float, float],
    cell: RankCell,
    tooltip: tuple[Markup, ...],
    max_rank: int,
    style: SvgStyle,
) -> Iterator[Markup]:
    x, y, column, row_height = box
    corner, size = (
        (x + _HEATMAP_CELL_GAP / 2, y + _HEATMAP_CELL_GAP / 2),
        (column - _HEATMAP_CELL_GAP, row_height - _HEATMAP_CELL_GAP),
    )
    yield svg_rect(corner, size, _rank_cell_style(cell, max_rank, style), *tooltip)
    text = "–" if cell.rank is None else f"{cell.rank}{'=' if cell.tied else ''}"
    middle = (x + column / 2, y + row_height / 2 + SVG_FONT_SIZE * 0.35)
    first = {"font-weight": "700"} if cell.rank == 1 else {}
    kind = "on-significant" if cell.rank == 1 and cell.significant else "text"
    yield svg_text(
        middle, text, {**style.attributes(kind), **first, "pointer-events": "none"}, "middle"
    )


def _rank_cell_style(cell: RankCell, max_rank: int, style: SvgStyle) -> dict[str, str]:
    """Return the style of a cell: tinted by rank; first ranks are filled or outlined."""
    if cell.rank is None:
        return {**style.attributes("tint"), "fill-opacity": "0"}
    if cell.rank == 1 and cell.significant:
        return {**style.attributes("significant"), "rx": "2"}
    share = (max_rank - cell.rank) / max(max_rank - 1, 1)
    opacity = _MIN_RANK_OPACITY + (_MAX_RANK_OPACITY - _MIN_RANK_OPACITY) * share**2
    tint = {"fill-opacity": f"{opacity:.2f}"}
    if cell.rank > 1:
        return {**style.attributes("tint"), **tint}
    outline = {
        "rx": "2",
        "stroke-width": "1.5",
        "stroke-dasharray": _SIGNIFICANCE_DASHES[cell.significant],
    }
    return merge_styles(
        style.attributes("significant-line"), style.attributes("tint"), tint, outline
    )


def _rank_cell_tooltip(
    name: str, row: RankRow, cell: RankCell, style: SvgStyle
) -> tuple[Markup, ...]:
    """Return the tooltip of a cell; the PDF has none."""
    if style.for_pdf:
        return ()
    label = f"{name}, {row.measure.title}"
    if cell.value is None:
        return (svg_element("title", {}, f"{label}: no value"),)
    value = estimate_text(MeasureEstimate(cell.value, row.measure, with_interval=True))
    if cell.rank is None:
        return (svg_element("title", {}, f"{label}: {value}, {cell.value.reason or 'no value'}"),)
    rank = f"rank {cell.rank}{' (tied)' if cell.tied else ''}"
    tested = f"; {_FIRST_RANK_TEXTS[cell.significant]}" if cell.rank == 1 else ""
    return (svg_element("title", {}, f"{label}: {value}, {rank}{tested}"),)


def _draw_heatmap_key(grid: RankHeatMap, y: float, style: SvgStyle) -> Iterator[Markup]:
    """Draw the legend of first ranks by significance, as far as they occur."""
    states = {
        cell.significant
        for group in grid.groups
        for row in group.rows
        for cell in row.cells
        if cell.rank == 1
    }
    x = 8.0
    for significant in (significant for significant in _FIRST_RANK_TEXTS if significant in states):
        attributes = _rank_cell_style(RankCell(None, rank=1, significant=significant), 2, style)
        yield svg_rect((x, y - 6), (20.0, 13.0), attributes)
        yield svg_text(
            (x + 27, y + SVG_FONT_SIZE * 0.35),
            _FIRST_RANK_TEXTS[significant],
            style.attributes("muted"),
        )
        x += 27 + text_width(_FIRST_RANK_TEXTS[significant]) * SVG_FONT_SIZE + 22
