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


# The colour index of the classifiers that are drawn in grey, where there are many.
MUTED_COLOR_INDEX = -1

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
    """Measures by classifiers; a classifier is its name and its colour index."""

    classifiers: tuple[tuple[str, int], ...]
    groups: tuple[RankGroup, ...]


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A difference, first minus second, with its confidence interval and the decision of its test.

    A difference of None has no finite value, and `estimate` is its text. A decision of None means
    not tested. `margin` is the equivalence margin, if there is one. With `second_label` the row
    compares two names, label minus second label; `pair` are the classifiers compared, where rows
    are pairs.
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
    """Differences under a common heading (empty: no heading)."""

    head: str
    rows: tuple[ForestRow, ...]


@dataclass(frozen=True, slots=True)
class ForestPlot:
    """Differences in rows; each side of zero is labelled with the classifier that it favours.

    With a unit, pp, the axis is in percentage points.
    """

    favours_left: str
    favours_right: str
    groups: tuple[ForestGroup, ...]
    difference_head: tuple[Inline, ...] = ("difference",)
    p_head: str = "adjusted p"
    unit: str = ""


@dataclass(frozen=True, slots=True)
class DotPanel:
    """A panel with its own axis, in percent with a unit; each row has one dot per classifier."""

    x_label: str
    rows: tuple[tuple[Dot, ...], ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class GroupedDotPlot:
    """Rows with several dots each, one per classifier, in panels side by side."""

    labels: tuple[str, ...]
    classifiers: tuple[tuple[str, int], ...]
    panels: tuple[DotPanel, ...]


@dataclass(frozen=True, slots=True)
class FoldRow:
    """The values of a classifier by fold (None: no finite value), their mean and its interval."""

    label: str
    color_index: int
    values: tuple[float | None, ...]
    mean: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class FoldPlot:
    """Values of folds as dots; `connect_folds` connects the same fold from row to row.

    Rows of differences have 0 as `reference`, with the side that favours each classifier. With a
    unit, % or pp, the axis is in percent.
    """

    x_label: str
    rows: tuple[FoldRow, ...]
    connect_folds: bool = False
    reference: float | None = None
    favours_left: str = ""
    favours_right: str = ""
    unit: str = ""


def check_finite(label: str, numbers: Iterable[float]) -> None:
    """Raise RenderingError if a number is infinite or not a number."""
    invalid = next((number for number in numbers if not math.isfinite(number)), None)
    if invalid is not None:
        message = f"a figure cannot be drawn: {label} would stand at {invalid}"
        raise RenderingError(Diagnostic(RENDERING_FAILED, message))


# Confusion matrices and scatter plots.


@dataclass(frozen=True, slots=True)
class ConfusionPanel:
    """The confusion matrix of one classifier: rows true, columns predicted.

    Classes that no case has, such as that of unanswered cases, are the last and have no row.
    """

    name: str
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class ConfusionHeatMap:
    """Confusion matrices over the same classes, cells shaded by their proportion of the row."""

    classes: tuple[str, ...]
    panels: tuple[ConfusionPanel, ...]

    def __post_init__(self) -> None:
        """Raise ValueError if a matrix has other classes."""
        rows, columns = self.row_count, len(self.classes)
        for panel in self.panels:
            is_complete = len(panel.counts) == rows and {columns} == {*map(len, panel.counts)}
            if rows > columns or not is_complete:
                message = f"the matrix of {panel.name} has not {rows} rows and {columns} columns"
                raise ValueError(message)

    @property
    def row_count(self) -> int:
        """The number of classes with a row."""
        return len(self.panels[0].counts)


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
    """Scatter plots in panels on the same axes, with a diagonal or horizontal reference line.

    A square plot has axes of equal length, for predicted against observed values.
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
# A point, the operating point of the predictions, the best threshold, a crossing of two lines, or a
# ring around a point beyond a limit.
MarkerKind: TypeAlias = Literal["plain", "operating", "best", "crossing", "failing"]


@dataclass(frozen=True, slots=True)
class Marker:
    """A highlighted point: its kind, and the vertical interval `low` to `high` if it has one.

    `label_value` is printed next to a crossing.
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
    """A named line; `color_index` gives a classifier the same colour in all charts.

    With `step`, the value is constant until the next point.
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
    """A thin line, such as chance or a prevalence; `label_value` is printed at its upper end."""

    start: Point
    end: Point
    label: str
    label_value: float | None = None
    style: Literal["reference", "study-value", "limit"] = "reference"
    via: tuple[Point, ...] = ()
    """Points between the ends, where the line is not straight."""

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        between = (coordinate for point in self.via for coordinate in point)
        check_finite(self.label, (*self.start, *between, *self.end))


@dataclass(frozen=True, slots=True)
class BinHistogram:
    """A histogram of one series; each bar is its lower edge, upper edge and count."""

    name: str
    color_index: int
    bars: tuple[tuple[float, float, float], ...]

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        check_finite(self.name, (coordinate for bar in self.bars for coordinate in bar))


@dataclass(frozen=True, slots=True)
class LineChart:
    """Lines over an x-axis; a square chart has axes of equal length, for rates against rates.

    `marker_legend` has the meaning of each kind of marker, `markers` are points that belong to no
    series, `zoom_window` is the region that an inset enlarges, and `histograms` are drawn below the
    plot. `x_tick_labels` replace the numbers of the x-axis; labels that would overlap are
    dropped, the last one never. With a unit, %, the y-axis is in percent.
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
    y_unit: str = ""

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        check_finite("an axis", (*self.x_range, *self.y_range))


@dataclass(frozen=True, slots=True)
class LinePanels:
    """Line charts side by side that share one legend.

    With `titles`, they are small multiples: a title over each, axes labelled at the outside only.
    """

    panels: tuple[LineChart, ...]
    columns: int
    titles: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError if only some panels have a title."""
        if self.titles and len(self.titles) != len(self.panels):
            raise ValueError(f"{len(self.panels)} panels have {len(self.titles)} titles")


@dataclass(frozen=True, slots=True)
class ReliabilityLine:
    """A connected part of a reliability curve, and its consistency band.

    `deviations` are the parts of the line outside the band; one of a single point is a marker.
    """

    points: tuple[Point, ...]
    band: ConfidenceBand | None = None
    deviations: tuple[tuple[Point, ...], ...] = ()

    def __post_init__(self) -> None:
        """Raise RenderingError if a coordinate is not finite."""
        check_finite("a reliability curve", (number for point in self.points for number in point))


@dataclass(frozen=True, slots=True)
class ReliabilityPanel:
    """The reliability curve of a classifier over the histogram of its probabilities."""

    name: str
    color_index: int
    miscalibration: float
    lines: tuple[ReliabilityLine, ...]
    histogram: BinHistogram


@dataclass(frozen=True, slots=True)
class ReliabilityDiagram:
    """Reliability curves, a panel for each classifier, from 0 to 1 on both axes."""

    x_label: str
    y_label: str
    panels: tuple[ReliabilityPanel, ...]


@dataclass(frozen=True, slots=True)
class RatioPoint:
    """The likelihood ratios of a classifier, which may be 0 or infinite, with their intervals."""

    name: str
    color_index: int
    lr_positive: float
    lr_negative: float
    lr_positive_interval: AxisRange | None = None
    lr_negative_interval: AxisRange | None = None


@dataclass(frozen=True, slots=True)
class LikelihoodRatioGraph:
    """Likelihood ratios on logarithmic axes, divided at those of one classifier.

    After Biggerstaff (2000), whose lines of equal ratios through a point of ROC space are parallel
    to these axes. `region_labels` name the quadrants: upper left (better in both), upper right
    (better LR+), lower left (better LR−), lower right.
    """

    x_label: str
    y_label: str
    reference: RatioPoint
    others: tuple[RatioPoint, ...]
    region_labels: tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class CriticalDifferenceDiagram:
    """Mean ranks on an axis, 1 being best; `cliques` are groups without significant differences.

    After Demšar (2006), with bars of the test that decides, as Benavoli, Corani and Mangili (2016)
    recommend. `color_indices` are those of the series; without them names have no markers.
    """

    ranks: tuple[tuple[str, float], ...]
    cliques: tuple[tuple[str, ...], ...]
    color_indices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its confidence limits (None: there are none); `color_index` as in `Series`.

    A hollow dot is not significantly different. `estimate` is printed at the right with its
    interval.
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
    """Values in rows on one axis, with an optional reference line; with a unit, in percent."""

    x_label: str
    dots: tuple[Dot, ...]
    reference: float | None = None
    reference_label: str = ""
    unit: str = ""


Chart: TypeAlias = (
    LineChart
    | LinePanels
    | ReliabilityDiagram
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
