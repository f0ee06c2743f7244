"""What figures of single cases draw: what was taken for what, and clouds of predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.report.charts.finite import refuse_not_finite

if TYPE_CHECKING:
    from reportgen.report.charts.lines import Point, Span


@frozen
class HeatPanel:
    """The confusion matrix of one classifier: rows true, columns predicted."""

    name: str
    counts: tuple[tuple[int, ...], ...]


@frozen
class HeatMap:
    """Confusion matrices over the same classes, each cell as dark as its share of its row."""

    classes: tuple[str, ...]
    panels: tuple[HeatPanel, ...]

    def __post_init__(self) -> None:
        """Refuse a matrix of other classes."""
        number = len(self.classes)
        for panel in self.panels:
            if {number} != {len(panel.counts), *map(len, panel.counts)}:
                raise ValueError(f"the matrix of {panel.name} has not {number} rows and columns")


@frozen
class Dots:
    """Cases that lie close together: the middle of them, and how many they are."""

    point: Point
    cases: int


@frozen
class ScatterPanel:
    """The cloud of one model, in the colour that `order` decides, with its trend."""

    name: str
    order: int
    dots: tuple[Dots, ...]
    trend: tuple[Point, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be placed."""
        points = (*(dots.point for dots in self.dots), *self.trend)
        refuse_not_finite(self.name, (each for point in points for each in point))


@frozen
class Scatter:
    """Clouds beside each other on the same axes, with a line from corner to corner or at 0.

    A square has axes of equal length, for values against values.
    """

    x_label: str
    y_label: str
    panels: tuple[ScatterPanel, ...]
    x_range: Span
    y_range: Span
    reference: tuple[Point, Point]
    reference_label: str
    trend_label: str = ""
    square: bool = False

    def __post_init__(self) -> None:
        """Refuse what has no place on a drawing."""
        refuse_not_finite("an axis", (*self.x_range, *self.y_range))
        refuse_not_finite("a reference", (each for point in self.reference for each in point))
