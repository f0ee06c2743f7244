"""What a figure draws: numbers and names, never colours or places on a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Point: TypeAlias = tuple[float, float]
Span: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Marker:
    """A point that stands out on a line, and what it is."""

    point: Point
    label: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """How sure a line is: an x with the lower and the upper end there."""

    points: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Reference:
    """A thin line to compare with: chance, a prevalence."""

    start: Point
    end: Point
    label: str


@dataclass(frozen=True, slots=True)
class LineChart:
    """Lines over an x-axis; a square has axes of equal length, for shares against shares."""

    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_range: Span = (0.0, 1.0)
    y_range: Span = (0.0, 1.0)
    references: tuple[Reference, ...] = ()
    square: bool = False


@dataclass(frozen=True, slots=True)
class RankDiagram:
    """Average ranks on a line, 1 is best; groups of names differ by less than is certain.

    After Demsar (2006): `critical_difference` is the distance of ranks that is certain.
    """

    ranks: tuple[tuple[str, float], ...]
    critical_difference: float
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with the ends of its interval (None: there is none); `order` as in series."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    order: int | None = None


@dataclass(frozen=True, slots=True)
class DotPlot:
    """Values below each other on one axis, with a line to compare with."""

    x_label: str
    dots: tuple[Dot, ...]
    reference: float | None = None
    reference_label: str = ""


Chart: TypeAlias = LineChart | RankDiagram | DotPlot
