"""How time and memory grow with the rows, the classifiers and the classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.speed.measured import Outcome

# Only there is something measured at several sizes.
CONTESTS = "ab"
GROWING = "h"


@dataclass(frozen=True, slots=True)
class Growth:
    """How one tool grows in one contest: exponents between sizes, and memory for each row."""

    letter: str
    name: str
    tool: str
    exponents: dict[tuple[int, int], float | None]
    bytes_per_row: float | None


def exponent(rows: tuple[int, int], seconds: tuple[float, float]) -> float:
    """Return the k of time ~ rows^k between two sizes: 1 is linear."""
    return math.log(seconds[1] / seconds[0]) / math.log(rows[1] / rows[0])


def growths(outcomes: Sequence[Outcome]) -> Iterator[Growth]:
    """Yield how every tool grows from one size of Parquet file to the next."""
    grown = [
        outcome for outcome in outcomes if outcome.letter in CONTESTS and outcome.file == "parquet"
    ]
    for (letter, name), group in groupby(grown, key=lambda outcome: (outcome.letter, outcome.name)):
        sizes = sorted(group, key=lambda outcome: outcome.rows)
        for tool in sizes[0].tools if len(sizes) > 1 else ():
            exponents = {
                (low.rows, high.rows): _exponent(low, high, tool) for low, high in pairwise(sizes)
            }
            yield Growth(letter, name, tool, exponents, _bytes_per_row(sizes, tool))


def _exponent(low: Outcome, high: Outcome, tool: str) -> float | None:
    first, second = low.seconds(tool), high.seconds(tool)
    if first is None or second is None:
        return None
    return exponent((low.rows, high.rows), (first, second))


def _bytes_per_row(sizes: Sequence[Outcome], tool: str) -> float | None:
    """Return what a row adds between the smallest size and the largest that was measured."""
    peaks = [(outcome.rows, outcome.peak(tool)) for outcome in sizes]
    known = [(rows, peak) for rows, peak in peaks if peak is not None]
    if len(known) < len(sizes[:2]):
        return None
    (fewest, least), (rows, most) = known[0], known[-1]
    return (most - least) / (rows - fewest)


@dataclass(frozen=True, slots=True)
class Series:
    """The outcomes of a growing number of classifiers or classes, by that number."""

    name: str
    outcomes: dict[int, Outcome]

    def times(self, tool: str) -> dict[int, float]:
        """Return the seconds of a tool by number."""
        times = {number: outcome.seconds(tool) for number, outcome in self.outcomes.items()}
        return {number: seconds for number, seconds in times.items() if seconds is not None}

    def fitted_exponent(self, tool: str) -> float | None:
        """Return the k of time ~ number^k by least squares of the logarithms."""
        points = [(math.log(number), math.log(time)) for number, time in self.times(tool).items()]
        if len(points) < len(("low", "high")):
            return None
        x_mean, y_mean = (sum(axis) / len(points) for axis in zip(*points, strict=True))
        spread = sum((x - x_mean) ** 2 for x, _ in points)
        return float(sum((x - x_mean) * (y - y_mean) for x, y in points) / spread)

    def last_exponent(self, tool: str) -> float | None:
        """Return the k of time ~ number^k between the two largest numbers, where start-up is least.

        None if one of them was not measured.
        """
        times, largest = self.times(tool), sorted(self.outcomes)[-2:]
        if len(largest) < len(("low", "high")) or not times.keys() >= set(largest):
            return None
        low, high = largest
        return exponent((low, high), (times[low], times[high]))


def growing_series(outcomes: Sequence[Outcome]) -> list[Series]:
    """Return the series of case (h): contests named by a number and what it counts."""
    series: dict[str, dict[int, Outcome]] = {}
    for outcome in outcomes:
        if outcome.letter == GROWING:
            number, _, name = outcome.name.partition(" ")
            series.setdefault(name, {})[int(number)] = outcome
    return [Series(name, by_number) for name, by_number in series.items()]
