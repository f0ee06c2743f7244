"""Labels of charts: estimated widths, and truncation that keeps labels distinct."""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.render.plain_text import ELLIPSIS, escape_invisible
from reportgen.render.svg.elements import SVG_FONT_SIZE, svg_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt
    from markupsafe import Markup

    from reportgen.report.charts import Point

# Widths of letters in ems, as in the widest font a page may be shown in (DejaVu Sans).
_WIDE_EM, _BROAD_EM, _CAPITAL_EM, _LETTER_EM, _NARROW_EM = 1.0, 0.9, 0.71, 0.61, 0.4
_BROAD_LETTERS, _NARROW_LETTERS = "mwMWGOQ@%&+=<>~#", " .,:;!|'/\\()[]{}-ijlftrIJ"
BOLD_FACTOR = 1.12
_TOLERANCE = 1e-9


def svg_label(
    position: Point,
    name: str,
    max_width: float,
    attributes: Mapping[str, str],
    anchor: str = "start",
) -> Markup:
    """Return a label truncated to a width; the full text is its tooltip."""
    font_size = SVG_FONT_SIZE * (BOLD_FACTOR if "font-weight" in attributes else 1.0)
    text = truncate_label(escape_invisible(name), max_width / font_size)
    return svg_truncated_label(position, escape_invisible(name), text, attributes, anchor)


def svg_truncated_label(
    position: Point, name: str, truncated: str, attributes: Mapping[str, str], anchor: str = "start"
) -> Markup:
    """Return a truncated label with the full text as tooltip."""
    # Only on the page, where there are classes: WeasyPrint would print it as a part of the text.
    hidden = truncated != name and "class" in attributes
    return svg_text(position, truncated, attributes, anchor, title=name if hidden else "")


def max_text_width(texts: Iterable[str], font_size: float = SVG_FONT_SIZE) -> float:
    """Return the estimated width of the widest text in SVG units; 0 without texts."""
    return max((text_width(escape_invisible(name)) for name in texts), default=0.0) * font_size


def text_width(text: str) -> float:
    """Return the estimated width of a text in ems."""
    return sum(map(_character_width, text))


def break_label(label: str, max_width: float) -> tuple[str, ...]:
    """Return a label on one line if it fits a width in SVG units, else on two of similar length."""
    words = label.split()
    if max_text_width([label]) <= max_width or len(words) <= 1:
        return (label,)
    halves = ((" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words)))
    return min(halves, key=max_text_width)


def truncate_label(name: str, max_width: float) -> str:
    """Truncate a label to a width in ems."""
    if _fits(name, max_width):
        return name
    return _fitting_prefix(name, max_width - text_width(ELLIPSIS)).rstrip() + ELLIPSIS


def truncate_labels_distinctly(names: Iterable[str], max_width: float) -> dict[str, str]:
    """Truncate labels to a width in ems; those that would be equal, at another place."""
    labels = {name: truncate_label(name, max_width) for name in names}
    for truncate in (_truncate_middle, _truncate_start):
        counts = Counter(labels.values())
        labels = {
            name: truncate(name, max_width) if counts[label] > 1 else label
            for name, label in labels.items()
        }
    return labels


# Labels of lines, next to them.

_LABEL_HEIGHT, _LABEL_STEP, _SAMPLE_STEP = 1.15 * SVG_FONT_SIZE, 7.0, 5.0
_LINE_CLEARANCE, _OVERLAP_COST, _FAINT_LINE_COST = 3.0, 400.0, 12.0
# A label is unclear if another line is less than this farther away than its own.
_RIVAL_DISTANCE, _RIVAL_COST = 10.0, 2.0


@dataclass(frozen=True, slots=True)
class LabelBox:
    """A rectangle that contains a label, or that labels must avoid."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class LineLabel:
    """The place of a label: its box, and the nearest point of its line."""

    box: LabelBox
    anchor: Point


def place_line_labels(
    widths: Sequence[float],
    lines: Sequence[Sequence[Point]],
    faint_lines: Sequence[Sequence[Point]],
    plot: LabelBox,
    obstacles: Sequence[LabelBox] = (),
) -> list[LineLabel]:
    """Return a place for the label of each line: close to it, clear of other lines and labels.

    All coordinates are those of the drawing. Labels may cover faint lines if they must.
    """
    samples = [_sample_polyline(line) for line in lines]
    faint = [_sample_polyline(line) for line in faint_lines]
    faint_points = np.concatenate(faint) if faint else np.empty((0, 2))
    labels: list[LineLabel] = []
    for index, width in enumerate(widths):
        lefts = np.arange(plot.left + 2, max(plot.right - width, plot.left + 3), _LABEL_STEP)
        tops = np.arange(plot.top + 2, plot.bottom - _LABEL_HEIGHT, _LABEL_STEP)
        corners = np.stack(np.meshgrid(lefts, tops), axis=-1).reshape(-1, 2)
        own, nearest = _box_distances(corners, width, samples[index])
        others = [sample for number, sample in enumerate(samples) if number != index]
        rival = (
            _box_distances(corners, width, np.concatenate(others))[0]
            if others
            else np.full(len(corners), np.inf)
        )
        cost = own + _OVERLAP_COST * ((own < _LINE_CLEARANCE) | (rival < _LINE_CLEARANCE))
        cost += _RIVAL_COST * np.maximum(0.0, _RIVAL_DISTANCE + own - rival)
        if len(faint_points):
            covered = _box_distances(corners, width, faint_points)[0] < _LINE_CLEARANCE
            cost += _FAINT_LINE_COST * covered
        for box in (*obstacles, *(label.box for label in labels)):
            overlap = (
                (corners[:, 0] < box.right + 3)
                & (corners[:, 0] + width > box.left - 3)
                & (corners[:, 1] < box.bottom + 2)
                & (corners[:, 1] + _LABEL_HEIGHT > box.top - 2)
            )
            cost += 2 * _OVERLAP_COST * overlap
        best = int(np.argmin(cost))
        left, top = map(float, corners[best])
        x, y = map(float, samples[index][nearest[best]])
        labels.append(LineLabel(LabelBox(left, top, left + width, top + _LABEL_HEIGHT), (x, y)))
    return labels


def _sample_polyline(points: Sequence[Point]) -> npt.NDArray[np.float64]:
    """Return points along a line, at most a few units apart."""
    corners = np.array(points, dtype=np.float64)
    parts = [corners[:1]]
    for start, end in itertools.pairwise(corners):
        count = max(1, math.ceil(float(np.hypot(*(end - start))) / _SAMPLE_STEP))
        parts.append(start + (end - start) * (np.arange(1, count + 1) / count)[:, None])
    return np.concatenate(parts)


def _box_distances(
    corners: npt.NDArray[np.float64], width: float, points: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the distance of each box from the nearest point, and the index of the point."""
    dx = np.maximum(
        corners[:, None, 0] - points[None, :, 0], points[None, :, 0] - corners[:, None, 0] - width
    )
    dy = np.maximum(
        corners[:, None, 1] - points[None, :, 1],
        points[None, :, 1] - corners[:, None, 1] - _LABEL_HEIGHT,
    )
    distances = np.hypot(np.maximum(dx, 0.0), np.maximum(dy, 0.0))
    nearest = np.argmin(distances, axis=1)
    return distances[np.arange(len(corners)), nearest], nearest


def _truncate_middle(name: str, max_width: float) -> str:
    available = max_width - text_width(ELLIPSIS)
    end = _fitting_prefix(name[::-1], available / 2)[::-1]
    return _fitting_prefix(name, available - text_width(end)).rstrip() + ELLIPSIS + end.lstrip()


def _truncate_start(name: str, max_width: float) -> str:
    return ELLIPSIS + _fitting_prefix(name[::-1], max_width - text_width(ELLIPSIS))[::-1].lstrip()


def _fitting_prefix(name: str, max_width: float) -> str:
    """Return the longest prefix that fits."""
    widths = itertools.accumulate(map(_character_width, name))
    return name[: sum(width <= max_width for width in widths)]


def _fits(name: str, max_width: float) -> bool:
    # A tolerance, so that a label fits the width measured for it.
    return text_width(name) <= max_width + _TOLERANCE


def _character_width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE_EM
    if character in _BROAD_LETTERS or character == ELLIPSIS:
        return _BROAD_EM
    if character in _NARROW_LETTERS:
        return _NARROW_EM
    return _CAPITAL_EM if character.isupper() else _LETTER_EM
