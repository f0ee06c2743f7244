"""What every threshold of a score would count: the points of ROC and precision-recall curves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
import polars as pl

from reportgen.tallies.blocks import LENGTH, in_blocks
from reportgen.tallies.sorting import sorted_scores

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.tallies.scored import ScoredCases

    Counts: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.int32]

CURVE_SCHEMA = pl.Schema(
    {
        "classifier": pl.String,
        "class": pl.String,
        "threshold": pl.Float64,
        "tp": pl.Int64,
        "fp": pl.Int64,
        "positives": pl.Int64,
        "negatives": pl.Int64,
    }
)
_MOST_IN_32_BITS = 2**31 - 1


# Without slots, so that pairs are counted only once.
@dataclass(frozen=True)
class Steps:
    """True and false positives at every distinct score, from the highest score down.

    Counts have 32 bits where they fit: there may be as many steps as cases.
    """

    threshold: Numbers
    tp: Counts
    fp: Counts

    @property
    def positives(self) -> int:
        """How many cases belong to the class."""
        return int(self.tp[-1]) if self.tp.size else 0

    @property
    def negatives(self) -> int:
        """How many cases do not."""
        return int(self.fp[-1]) if self.fp.size else 0

    @cached_property
    def concordant_and_tied(self) -> tuple[int, int]:
        """The pairs whose positive case has the higher score, and those with equal scores."""
        negatives = self.negatives

        def of_block(block: slice) -> tuple[int, int]:
            found, false = self.rises(block)
            return int(found @ (negatives - self.fp[block])), int(found @ false)

        counted = in_blocks(of_block, len(self.tp))
        return sum(concordant for concordant, _ in counted), sum(tied for _, tied in counted)

    def rises(self, block: slice) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return how many positive and negative cases have each of some scores."""
        return _rise(self.tp, block), _rise(self.fp, block)

    def take(self, places: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Steps:
        """Keep some of the steps."""
        return Steps(self.threshold[places], self.tp[places], self.fp[places])

    def corners(self) -> Steps:
        """Leave out the points on a straight line between their neighbours."""
        found, false = self.rises(slice(0, len(self.tp)))
        # Equal slopes by whole numbers: a rise over a run compared crosswise.
        turns = false[1:] * found[:-1] != found[1:] * false[:-1]
        return self.take(np.append(turns, True) if self.tp.size else turns)


def _rise(cumulated: Counts, block: slice) -> npt.NDArray[np.int64]:
    before = 0 if block.start == 0 else int(cumulated[block.start - 1])
    rise = cumulated[block].astype(np.int64)
    rise[1:] -= cumulated[block][:-1]
    rise[:1] -= before
    return rise


@dataclass(frozen=True)
class CurveTally:
    """Cumulated counts by classifier and class, a step per distinct score, the highest first.

    A case counts as found from its own score on. For several classes only the corners of the ROC
    curve are kept: between two corners both counts grow in proportion.
    """

    curves: Mapping[tuple[str, str], Steps]

    def steps(self, classifier: str, class_: str) -> Steps | None:
        """Return the steps of a classifier for a class, if its scores rank cases for it."""
        return self.curves.get((classifier, class_))

    def of(self, classifier: str) -> Iterator[tuple[str, Steps]]:
        """Yield the curves of a classifier, by class."""
        for (name, class_), steps in self.curves.items():
            if name == classifier:
                yield class_, steps

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All steps of all curves as one table."""
        frames = [curve_frame(*key, steps) for key, steps in self.curves.items()]
        return pl.concat([pl.DataFrame(schema=CURVE_SCHEMA), *frames])


def curve_frame(classifier: str, class_: str, steps: Steps) -> pl.DataFrame:
    """Return the steps of a curve as a table."""
    counted = pl.DataFrame({"threshold": steps.threshold, "tp": steps.tp, "fp": steps.fp})
    return counted.with_columns(
        pl.lit(classifier).alias("classifier"),
        pl.lit(class_).alias("class"),
        positives=pl.lit(steps.positives, pl.Int64),
        negatives=pl.lit(steps.negatives, pl.Int64),
    ).select(pl.col(name).cast(dtype) for name, dtype in CURVE_SCHEMA.items())


def steps_of(
    scores: Numbers, is_positive: npt.NDArray[np.bool_], counts: Numbers | None = None
) -> Steps:
    """Count, for every distinct score, the cases at or above it on both sides.

    `counts` says how many cases each score stands for, if not one.
    """
    if counts is not None:
        return _counted_steps(scores, is_positive, counts)
    rising, sides = sorted_scores(scores, is_positive)
    ranked, positive, size = rising[::-1], sides[::-1], len(sides)
    number: type[np.int32 | np.int64] = np.int32 if size <= _MOST_IN_32_BITS else np.int64
    tp, fp = (cast("Counts", np.empty(size, number)) for _ in range(2))
    found = in_blocks(lambda block: int(np.count_nonzero(positive[block])), size)
    before = np.cumsum([0, *found])

    def count(block: slice) -> None:
        own = tp[block]
        np.cumsum(positive[block], dtype=number, out=own)
        own += number(before[block.start // LENGTH])
        np.subtract(np.arange(block.start + 1, block.stop + 1, dtype=number), own, out=fp[block])

    in_blocks(count, size)
    every = Steps(ranked, tp, fp)
    # The last case of each score closes its step.
    closes = np.ones(size, np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=closes[:-1])
    return every if closes.all() else every.take(closes)


def _counted_steps(scores: Numbers, is_positive: npt.NDArray[np.bool_], counts: Numbers) -> Steps:
    distinct, places = np.unique(scores + 0.0, return_inverse=True)
    sides = (
        np.bincount(places, np.where(side, counts, 0), len(distinct)).astype(np.int64)
        for side in (is_positive, ~is_positive)
    )
    tp, fp = (np.cumsum(side[::-1]) for side in sides)
    return Steps(distinct[::-1], tp, fp)


def count_curves(cases: ScoredCases) -> CurveTally:
    """Count every curve: of the positive class, or of each class against the rest."""
    several = len(cases.ranked) > 1
    curves = {}
    for name, class_, scores, is_positive in cases.rankings():
        steps = steps_of(scores, is_positive, cases.counts)
        curves[name, class_] = steps.corners() if several else steps
    return CurveTally(curves)
