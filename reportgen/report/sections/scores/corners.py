"""Whether a corner of the plot is worth enlarging, and how much of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.report.charts.lines import Panels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.report.charts.lines import Chart, LineChart, Point, Span

# Shares of an axis that are worth enlarging, the smallest first.
CORNERS = (0.05, 0.1, 0.15, 0.2, 0.25)
ENLARGED = ", enlarged"
# The farthest point keeps so much of the corner's side away from its inner edges.
MARGIN = 0.1


def corner_side(gaps: Sequence[Point]) -> float | None:
    """Return the side of the corner that holds points so far from its edges; None: they do not."""
    if not gaps:
        return None
    farthest = max(max(gap) for gap in gaps)
    return next((side for side in CORNERS if farthest <= side * (1 - MARGIN)), None)


def with_corner(whole: LineChart, across: Span | None, up: Span | None) -> Chart:
    """Return a chart, with a second panel of the same lines where a corner is to be enlarged."""
    if across is None or up is None:
        return whole
    enlarged = replace(whole, y_label=whole.y_label + ENLARGED, x_range=across, y_range=up)
    return Panels((replace(whole, window=(across, up)), enlarged), columns=2)
