"""What a figure draws: numbers and names, never colours or places on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from reportgen.frozen import frozen
from reportgen.report.charts.cases import HeatMap, Scatter
from reportgen.report.charts.evidence import DotRows, FoldDots, ForestPlot, RankGrid
from reportgen.report.charts.finite import refuse_not_finite

if TYPE_CHECKING:
    from reportgen.report.parts import Value

Point: TypeAlias = tuple[float, float]
Span: TypeAlias = tuple[float, float]
# What a mark stands for: any point, the predictions as they were made, a threshold to prefer, or
# where two lines cross.
MarkKind: TypeAlias = Literal["plain", "operating", "best", "crossing"]


@frozen
class Marker:
    """A point that stands out, what it is, and how far up and down it may as well be.

    `number` is written beside a crossing.
    """

    point: Point
    number: float | None = None
    kind: MarkKind = "plain"
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be placed."""
        ends = (end for end in (self.low, self.high) if end is not None)
        refuse_not_finite("a mark", (*self.point, *ends))


@frozen
class Band:
    """How sure a line is: the edge below it and the edge above it."""

    lower: tuple[Point, ...]
    upper: tuple[Point, ...]

    def __post_init__(self) -> None:
        """Refuse what cannot be placed."""
        refuse_not_finite("a band", (each for point in self.lower for each in point))
        refuse_not_finite("a band", (each for point in self.upper for each in point))


@frozen
class Series:
    """A named line; `order` decides its colour, so that a classifier looks the same everywhere.

    A step keeps its height until the next point.
    """

    name: str
    points: tuple[Point, ...]
    order: int
    step: bool = False
    band: Band | None = None
    markers: tuple[Marker, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be placed."""
        refuse_not_finite(self.name, (each for point in self.points for each in point))


@frozen
class Reference:
    """A thin line to compare with: chance, a prevalence; `number` is written at its upper end."""

    start: Point
    end: Point
    label: str
    number: float | None = None
    look: Literal["reference", "present"] = "reference"

    def __post_init__(self) -> None:
        """Refuse what cannot be placed."""
        refuse_not_finite(self.label, (*self.start, *self.end))


@frozen
class Bars:
    """How many there are between two numbers each, of one series: from, to, how many."""

    name: str
    order: int
    bars: tuple[tuple[float, float, float], ...]

    def __post_init__(self) -> None:
        """Refuse what cannot be placed."""
        refuse_not_finite(self.name, (each for bar in self.bars for each in bar))


@frozen
class LineChart:
    """Lines over an x-axis; a square has axes of equal length, for shares against shares.

    `marks` says what kinds of marks mean, `marked` are points of no line, `window` is the part
    that another panel enlarges, and `bars` stand in a strip below. Where the x-axis has `x_names`
    they stand at their places instead of numbers, as many as there is room for, the last for sure.
    """

    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_range: Span = (0.0, 1.0)
    y_range: Span = (0.0, 1.0)
    references: tuple[Reference, ...] = ()
    square: bool = False
    x_log: bool = False
    marks: tuple[tuple[MarkKind, str], ...] = ()
    marked: tuple[Marker, ...] = ()
    window: tuple[Span, Span] | None = None
    bars: tuple[Bars, ...] = ()
    bars_label: str = ""
    x_names: tuple[tuple[float, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be placed."""
        refuse_not_finite("an axis", (*self.x_range, *self.y_range))


@frozen
class Panels:
    """Line charts side by side that share one legend."""

    panels: tuple[LineChart, ...]
    columns: int


@frozen
class RatePoint:
    """A classifier in ROC space, with the ends of both its rates."""

    name: str
    order: int
    at: Point
    across: Span
    up: Span

    def __post_init__(self) -> None:
        """Refuse what cannot be placed."""
        refuse_not_finite(self.name, (*self.at, *self.across, *self.up))


@frozen
class LikelihoodGraph:
    """ROC space divided by the lines of equal likelihood ratios through one classifier's point.

    After Biggerstaff (2000): `words` names the regions above both lines, left of them, right of
    them and below both. The axes may be cut to the part all classifiers lie in.
    """

    x_label: str
    y_label: str
    reference: RatePoint
    others: tuple[RatePoint, ...]
    words: tuple[str, str, str, str]
    x_range: Span = (0.0, 1.0)
    y_range: Span = (0.0, 1.0)


@frozen
class RankDiagram:
    """Average ranks on a line, 1 is best; groups of names differ by less than is certain.

    After Demsar (2006): `critical_difference` is the distance of ranks that is certain. `orders`
    decide the colours, as in series; without them names have no marks.
    """

    ranks: tuple[tuple[str, float], ...]
    critical_difference: float
    groups: tuple[tuple[str, ...], ...]
    orders: tuple[int, ...] = ()


@frozen
class Dot:
    """A value with the ends of its interval (None: there is none); `order` as in series.

    A hollow dot is one that is open; `written` is shown at the right, with its interval.
    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    order: int | None = None
    hollow: bool = False
    written: Value | None = None


@frozen
class DotPlot:
    """Values below each other on one axis, with a line to compare with."""

    x_label: str
    dots: tuple[Dot, ...]
    reference: float | None = None
    reference_label: str = ""


Chart: TypeAlias = (
    LineChart
    | Panels
    | LikelihoodGraph
    | RankDiagram
    | DotPlot
    | RankGrid
    | ForestPlot
    | DotRows
    | FoldDots
    | HeatMap
    | Scatter
)
