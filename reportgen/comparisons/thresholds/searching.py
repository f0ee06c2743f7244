"""The search for a best threshold, and how it comes out when it is repeated on resamples."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.formulas.as_numpy import as_numpy
from reportgen.frozen import frozen
from reportgen.tallies.blocks import LENGTH, in_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.formulas import Formula
    from reportgen.spec.evidence import Intervals
    from reportgen.tallies.curves import Steps

    Numbers: TypeAlias = npt.NDArray[np.float64]
    Places: TypeAlias = npt.NDArray[np.int64]

# Two thresholds are equally good if they differ by no more than rounding.
ROUNDING = 1e-12
# The threshold is far less sure than to one place in so many.
MOST_SCORES = 1_000
# So many numbers at once stay in the processor.
MOST_CELLS, CELLS_AT_ONCE = 20_000_000, 100_000


@frozen
class Ladder:
    """The thresholds to choose from: above all scores, where nothing is found, and each score."""

    steps: Steps

    def __len__(self) -> int:
        """How many thresholds there are."""
        return len(self.steps.tp) + 1

    def at(self, place: int) -> tuple[float, int, int]:
        """Return a threshold, its true and its false positives."""
        if place == 0:
            return math.inf, 0, 0
        steps = self.steps
        return (
            float(steps.threshold[place - 1]),
            int(steps.tp[place - 1]),
            int(steps.fp[place - 1]),
        )

    def take(self, places: Places) -> tuple[Numbers, Places, Places]:
        """Return some thresholds, their true and their false positives."""
        few = self.steps.take(places[places > 0] - 1)
        return (
            np.append(np.inf, few.threshold),
            np.append(0, few.tp.astype(np.int64)),
            np.append(0, few.fp.astype(np.int64)),
        )

    def counts(self, block: slice) -> dict[str, Numbers]:
        """Return the four counts at the thresholds of a block."""
        steps, first = self.steps, block.start == 0
        within = slice(max(block.start - 1, 0), block.stop - 1)
        true, false = (
            np.append(0.0, counts[within]) if first else counts[within].astype(np.float64)
            for counts in (steps.tp, steps.fp)
        )
        return {
            "tp": true,
            "fp": false,
            "fn": steps.positives - true,
            "tn": steps.negatives - false,
        }


@frozen
class Search:
    """What is looked for: the highest value of a formula, or the lowest cost, under conditions.

    Costs are those of a false positive and of a false negative.
    """

    formula: Formula | None
    conditions: tuple[tuple[Formula, float], ...] = ()
    costs: tuple[float, float] = (0.0, 0.0)

    def best(self, counts: Mapping[str, Numbers]) -> tuple[Places, Numbers]:
        """Return in each row the place of the best threshold (−1: none) and what it achieves.

        Of equals it is the highest; what is achieved is the value or the cost per case.
        """
        achieved, worth = self._achieved_and_worth(counts)
        highest = worth.max(axis=-1, keepdims=True)
        # Thresholds go down, so the first of equals is the highest.
        first = (worth >= _as_good(highest)).argmax(axis=-1)
        places = np.where(np.isneginf(highest[..., 0]), -1, first)
        return places, np.take_along_axis(achieved, first[..., None], axis=-1)[..., 0]

    def best_of(self, ladder: Ladder) -> tuple[int, float]:
        """Return the same for all thresholds of a ladder, which may be as many as cases."""
        tops = in_blocks(
            lambda block: self._achieved_and_worth(ladder.counts(block))[1].max(), len(ladder)
        )
        highest = np.max(tops)
        least = _as_good(highest)
        number = next(number for number, top in enumerate(tops) if top >= least)
        block = slice(number * LENGTH, min((number + 1) * LENGTH, len(ladder)))
        achieved, worth = self._achieved_and_worth(ladder.counts(block))
        first = int((worth >= least).argmax())
        place = -1 if np.isneginf(highest) else block.start + first
        return place, float(achieved[first])

    def _achieved_and_worth(self, counts: Mapping[str, Numbers]) -> tuple[Numbers, Numbers]:
        achieved = self._achieved(counts)
        worth = achieved if self.formula is not None else -achieved
        worth = np.where(np.isnan(worth), -np.inf, worth)
        for formula, least in self.conditions:
            worth = np.where(as_numpy(formula, counts) >= least - ROUNDING, worth, -np.inf)
        return achieved, worth

    def _achieved(self, counts: Mapping[str, Numbers]) -> Numbers:
        if self.formula is not None:
            return as_numpy(self.formula, counts)
        cases = counts["tp"] + counts["fp"] + counts["fn"] + counts["tn"]
        cost: Numbers = (self.costs[0] * counts["fp"] + self.costs[1] * counts["fn"]) / cases
        return cost


def _as_good(highest: Numbers) -> Numbers:
    """Return from what on a threshold is as good as the best."""
    return np.asarray(highest - ROUNDING * np.maximum(1, np.abs(highest)))


@frozen
class Repeats:
    """Between which limits threshold and value fall when the search is repeated."""

    threshold: tuple[float | None, float | None]
    achieved: tuple[float | None, float | None]
    draws: int
    unmet: int


def repeated_searches(
    ladder: Ladder,
    searches: Sequence[Search],
    intervals: Intervals,
    weight: float = 1.0,
) -> tuple[Repeats, ...]:
    """Draw cases of both classes anew, each class as large as it is, and search again."""
    threshold, tp, fp = ladder.take(_thinned(len(ladder)))
    draws = max(1, min(intervals.draws, MOST_CELLS // len(threshold)))
    found: list[list[Numbers]] = [[] for _ in searches]
    for drawn in _ahead(_resamples(tp, fp, draws, intervals.seed, weight)):
        counts = four_counts(*(side.cumsum(axis=1) for side in drawn))
        for search, outcomes in zip(searches, found, strict=True):
            best, achieved = search.best(counts)
            outcomes.append(np.stack([threshold[best], achieved])[:, best >= 0])
    return tuple(
        _repeats(np.concatenate(outcomes, axis=1), draws, intervals.level) for outcomes in found
    )


def _resamples(
    tp: Places, fp: Places, draws: int, seed: int, weight: float
) -> Iterator[tuple[Places, ...]]:
    """Yield blocks of draws: the cases of both classes that have each score."""
    generator = np.random.default_rng(seed)
    sides = [np.diff(counts, prepend=0) for counts in (tp, fp)]
    sizes = [max(1, round(float(side.sum()) * weight)) for side in sides]
    at_once = max(1, CELLS_AT_ONCE // len(tp))
    for start in range(0, draws, at_once):
        rows = min(at_once, draws - start)
        yield tuple(
            generator.multinomial(size, side / side.sum(), size=rows)
            for size, side in zip(sizes, sides, strict=True)
        )


def _ahead(drawn: Iterator[tuple[Places, ...]]) -> Iterator[tuple[Places, ...]]:
    """Yield what is drawn while more is drawn in a thread, in the same order."""
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, drawn, None)
        while (found := coming.result()) is not None:
            coming = thread.submit(next, drawn, None)
            yield found


def _thinned(scores: int) -> Places:
    """Return the places of scores to keep: all, or as many as matter, the ends among them."""
    if scores <= MOST_SCORES:
        return np.arange(scores)
    return np.unique(np.linspace(0, scores - 1, MOST_SCORES).round().astype(np.int64))


def _repeats(outcomes: Numbers, draws: int, level: float) -> Repeats:
    met = outcomes.shape[1]
    if not met:
        return Repeats((None, None), (None, None), draws, draws)
    tails = ((1 - level) / 2, (1 + level) / 2)
    # Only values that occurred: between a threshold and infinity lies nothing.
    limits = np.quantile(outcomes, tails, axis=1, method="inverted_cdf")
    return Repeats(
        (float(limits[0, 0]), float(limits[1, 0])),
        (float(limits[0, 1]), float(limits[1, 1])),
        draws,
        draws - met,
    )


def four_counts(tp: Places, fp: Places) -> dict[str, Numbers]:
    """Return the four counts at each threshold (last axis), from the highest down."""
    true, false = tp.astype(np.float64), fp.astype(np.float64)
    return {"tp": true, "fp": false, "fn": true[..., -1:] - true, "tn": false[..., -1:] - false}
