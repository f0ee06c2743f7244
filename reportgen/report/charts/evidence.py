"""What figures of evidence draw: places, differences, values by class and by fold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from reportgen.comparisons.difference import Finding
    from reportgen.measures import Measure
    from reportgen.report.charts.lines import Dot
    from reportgen.report.parts import Part, PValue
    from reportgen.scores import Score


@frozen
class Place:
    """The place of a classifier in one measure; None: it has no value, and the score says why.

    `backed` says whether the tests show a first place; None: they were not made.
    """

    score: Score | None
    rank: int | None = None
    tied: bool = False
    backed: bool | None = None


@frozen
class PlaceRow:
    """The places of all classifiers in one measure."""

    measure: Measure
    places: tuple[Place, ...]


@frozen
class PlaceGroup:
    """Measures that answer the same kind of question."""

    head: str
    rows: tuple[PlaceRow, ...]


@frozen
class RankGrid:
    """Measures against classifiers (a name and the order that decides its colour)."""

    classifiers: tuple[tuple[str, int], ...]
    groups: tuple[PlaceGroup, ...]


@frozen
class ForestRow:
    """A difference, first minus second, with its interval, and what a test makes of it.

    A difference that is None has no finite value; `written` says it all in figures. A finding that
    is None was not tested; `margin` is a difference too small to matter, if one was named. The
    label may be two names, one minus the other; `pair` is who is compared, where pairs are rows.
    """

    label: str
    difference: float | None
    low: float | None
    high: float | None
    finding: Finding | None
    written: tuple[Part, ...]
    p: PValue
    margin: float | None = None
    against: str = ""
    pair: tuple[str, str] | None = None


@frozen
class ForestGroup:
    """Differences under a common head (empty: no head)."""

    head: str
    rows: tuple[ForestRow, ...]


@frozen
class ForestPlot:
    """Differences below each other; whoever is named at a side is better where a row lies there."""

    left: str
    right: str
    groups: tuple[ForestGroup, ...]
    difference_head: tuple[Part, ...] = ("difference",)
    p_head: str = "adjusted p"


@frozen
class Panel:
    """A column of drawings with an axis of its own; a row has a dot for each classifier."""

    x_label: str
    rows: tuple[tuple[Dot, ...], ...]


@frozen
class DotRows:
    """Rows with several dots each, one per classifier, in panels side by side."""

    labels: tuple[str, ...]
    classifiers: tuple[tuple[str, int], ...]
    panels: tuple[Panel, ...]


@frozen
class FoldRow:
    """The values of a classifier by fold (None: no finite one), their mean and its interval."""

    label: str
    order: int
    values: tuple[float | None, ...]
    mean: float | None
    low: float | None = None
    high: float | None = None


@frozen
class FoldDots:
    """Values of folds as dots; `joined` joins the same fold from row to row."""

    x_label: str
    rows: tuple[FoldRow, ...]
    joined: bool = False
