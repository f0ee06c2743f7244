"""Charts as data: numbers and names, without colours or page coordinates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from reportgen.errors import Diagnostic, RenderingError
from reportgen.errors.run import RENDERING_FAILED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.evaluation.comparison import Decision
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.report.inline import Inline, MeasureEstimate, PValue


# Ranks, differences, values by class and by fold.


@dataclass(frozen=True, slots=True)
class RankCell:
    """The rank of a classifier on one measure; None: no value, for the reason in `value`.

    `significant`: whether a first rank is significant; None: not tested.
    """

    value: MeasureValue | None
    rank: int | None = None
    tied: bool = False
    significant: bool | None = None


@dataclass(frozen=True, slots=True)
class RankRow:
    """The ranks of all classifiers on one measure."""

    measure: Measure
    cells: tuple[RankCell, ...]


@dataclass(frozen=True, slots=True)
class RankGroup:
    """Measures of the same group."""

    head: str
    rows: tuple[RankRow, ...]


@dataclass(frozen=True, slots=True)
class RankHeatMap:
    """Measures against classifiers (a name and the order that decides its colour)."""

    classifiers: tuple[tuple[str, int], ...]
    groups: tuple[RankGroup, ...]


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A difference, first minus second, with its interval, and what a test makes of it.

    A difference of None has no finite value; `estimate` is its text. A decision of None: not
    tested. `margin` is the equivalence margin, if there is one. The label may be two names, one
    minus the other; `pair` is who is compared, where pairs are rows.
    """

    label: str
    difference: float | None
    low: float | None
    high: float | None
    decision: Decision | None
    estimate: tuple[Inline, ...]
    p: PValue
    margin: float | None = None
    second_label: str = ""
    pair: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ForestGroup:
    """Differences under a common head (empty: no head)."""

    head: str
    rows: tuple[ForestRow, ...]


@dataclass(frozen=True, slots=True)
class ForestPlot:
    """Differences below each other; whoever is named at a side is better where a row lies there."""

    favours_left: str
    favours_right: str
    groups: tuple[ForestGroup, ...]
    difference_head: tuple[Inline, ...] = ("difference",)
    p_head: str = "adjusted p"


@dataclass(frozen=True, slots=True)
class DotPanel:
    """A column of drawings with an axis of its own; a row has a dot for each classifier."""

    x_label: str
    rows: tuple[tuple[Dot, ...], ...]


@dataclass(frozen=True, slots=True)
class GroupedDotPlot:
    """Rows with several dots each, one per classifier, in panels side by side."""

    labels: tuple[str, ...]
    classifiers: tuple[tuple[str, int], ...]
    panels: tuple[DotPanel, ...]


@dataclass(frozen=True, slots=True)
class FoldRow:
    """The values of a classifier by fold (None: no finite one), their mean and its interval."""

    label: str
    color_index: int
    values: tuple[float | None, ...]
    mean: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class FoldPlot:
    """Values of folds as dots; `joined` joins the same fold from row to row."""

    x_label: str
    rows: tuple[FoldRow, ...]
    connect_folds: bool = False


def check_finite(label: str, numbers: Iterable[float]) -> None:
    """Raise RenderingError if a number is infinite or not a number."""
    invalid = next((number for number in numbers if not math.isfinite(number)), None)
    if invalid is not None:
        message = f"a figure cannot be drawn: {label} would stand at {invalid}"
        raise RenderingError(Diagnostic(RENDERING_FAILED, message))


# Confusion matrices and scatter plots.


@dataclass(frozen=True, slots=True)
class ConfusionPanel:
    """The confusion matrix of one classifier: rows true, columns predicted."""

    name: str
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class ConfusionHeatMap:
    """Confusion matrices over the same classes, each cell as dark as its share of its row."""

    classes: tuple[str, ...]
    panels: tuple[ConfusionPanel, ...]

    def __post_init__(self) -> None:
        """Raise ValueError if a matrix has other classes."""
        number = len(self.classes)
        for panel in self.panels:
            if {number} != {len(panel.counts), *map(len, panel.counts)}:
                raise ValueError(f"the matrix of {panel.name} has not {number} rows and columns")


@dataclass(frozen=True, slots=True)
class ScatterBin:
    """A bin of cases: its centre and their number."""

    point: Point
    cases: int


@dataclass(frozen=True, slots=True)
class ScatterPanel:
    """The points of one model, in the colour of `color_index`, with its trend."""

    name: str
    color_index: int
    bins: tuple[ScatterBin, ...]
    trend: tuple[Point, ...] = ()

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        points = (*(dots.point for dots in self.bins), *self.trend)
        check_finite(self.name, (coordinate for point in points for coordinate in point))


@dataclass(frozen=True, slots=True)
class ScatterPlot:
    """Clouds beside each other on the same axes, with a line from corner to corner or at 0.

    A square has axes of equal length, for values against values.
    """

    x_label: str
    y_label: str
    panels: tuple[ScatterPanel, ...]
    x_range: AxisRange
    y_range: AxisRange
    reference: tuple[Point, Point]
    reference_label: str
    trend_label: str = ""
    square: bool = False

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        check_finite("an axis", (*self.x_range, *self.y_range))
        check_finite(
            "a reference", (coordinate for point in self.reference for coordinate in point)
        )


Point: TypeAlias = tuple[float, float]
AxisRange: TypeAlias = tuple[float, float]
# What a mark stands for: any point, the predictions as they were made, a threshold to prefer, or
# where two lines cross.
MarkerKind: TypeAlias = Literal["plain", "operating", "best", "crossing"]


@dataclass(frozen=True, slots=True)
class Marker:
    """A point that stands out, what it is, and how far up and down it may as well be.

    `number` is written beside a crossing.
    """

    point: Point
    label_value: float | None = None
    kind: MarkerKind = "plain"
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        limits = (end for end in (self.low, self.high) if end is not None)
        check_finite("a mark", (*self.point, *limits))


@dataclass(frozen=True, slots=True)
class ConfidenceBand:
    """The confidence band of a line: its lower and upper edge."""

    lower: tuple[Point, ...]
    upper: tuple[Point, ...]

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        check_finite("a band", (coordinate for point in self.lower for coordinate in point))
        check_finite("a band", (coordinate for point in self.upper for coordinate in point))


@dataclass(frozen=True, slots=True)
class Series:
    """A named line; `order` decides its colour, so that a classifier looks the same everywhere.

    A step keeps its height until the next point.
    """

    name: str
    points: tuple[Point, ...]
    color_index: int
    step: bool = False
    band: ConfidenceBand | None = None
    markers: tuple[Marker, ...] = ()

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        check_finite(self.name, (coordinate for point in self.points for coordinate in point))


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A thin line to compare with: chance, a prevalence; `number` is written at its upper end."""

    start: Point
    end: Point
    label: str
    label_value: float | None = None
    style: Literal["reference", "study-value"] = "reference"

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        check_finite(self.label, (*self.start, *self.end))


@dataclass(frozen=True, slots=True)
class BinHistogram:
    """How many there are between two numbers each, of one series: from, to, how many."""

    name: str
    color_index: int
    bars: tuple[tuple[float, float, float], ...]

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        check_finite(self.name, (coordinate for bar in self.bars for coordinate in bar))


@dataclass(frozen=True, slots=True)
class LineChart:
    """Lines over an x-axis; a square has axes of equal length, for shares against shares.

    `marks` says what kinds of marks mean, `marked` are points of no line, `window` is the part
    that another panel enlarges, and `bars` stand in a strip below. Where the x-axis has `x_names`
    they stand at their places instead of numbers, as many as there is room for, the last for sure.
    """

    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_range: AxisRange = (0.0, 1.0)
    y_range: AxisRange = (0.0, 1.0)
    references: tuple[ReferenceLine, ...] = ()
    square: bool = False
    x_log: bool = False
    marker_legend: tuple[tuple[MarkerKind, str], ...] = ()
    markers: tuple[Marker, ...] = ()
    zoom_window: tuple[AxisRange, AxisRange] | None = None
    histograms: tuple[BinHistogram, ...] = ()
    histogram_label: str = ""
    x_tick_labels: tuple[tuple[float, str], ...] = ()

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        check_finite("an axis", (*self.x_range, *self.y_range))


@dataclass(frozen=True, slots=True)
class LinePanels:
    """Line charts side by side that share one legend."""

    panels: tuple[LineChart, ...]
    columns: int


@dataclass(frozen=True, slots=True)
class RocPoint:
    """A classifier in ROC space, with the ends of both its rates."""

    name: str
    color_index: int
    point: Point
    fpr_interval: AxisRange
    tpr_interval: AxisRange

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        check_finite(self.name, (*self.point, *self.fpr_interval, *self.tpr_interval))


@dataclass(frozen=True, slots=True)
class LikelihoodRatioGraph:
    """ROC space divided by the lines of equal likelihood ratios through one classifier's point.

    After Biggerstaff (2000): `words` names the regions above both lines, left of them, right of
    them and below both. The axes may be cut to the part all classifiers lie in.
    """

    x_label: str
    y_label: str
    reference: RocPoint
    others: tuple[RocPoint, ...]
    region_labels: tuple[str, str, str, str]
    x_range: AxisRange = (0.0, 1.0)
    y_range: AxisRange = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class CriticalDifferenceDiagram:
    """Average ranks on a line, 1 is best; groups of names differ by less than is certain.

    After Demsar (2006): `critical_difference` is the distance of ranks that is certain. `orders`
    decide the colours, as in series; without them names have no marks.
    """

    ranks: tuple[tuple[str, float], ...]
    critical_difference: float
    cliques: tuple[tuple[str, ...], ...]
    color_indices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with the ends of its interval (None: there is none); `order` as in series.

    A hollow dot is one that is open; `written` is shown at the right, with its interval.
    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    color_index: int | None = None
    hollow: bool = False
    estimate: MeasureEstimate | None = None


@dataclass(frozen=True, slots=True)
class DotPlot:
    """Values below each other on one axis, with a line to compare with."""

    x_label: str
    dots: tuple[Dot, ...]
    reference: float | None = None
    reference_label: str = ""


Chart: TypeAlias = (
    LineChart
    | LinePanels
    | LikelihoodRatioGraph
    | CriticalDifferenceDiagram
    | DotPlot
    | RankHeatMap
    | ForestPlot
    | GroupedDotPlot
    | FoldPlot
    | ConfusionHeatMap
    | ScatterPlot
)
