"""What every threshold of a score would count: the points of ROC and precision-recall curves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
import polars as pl

from reportgen.statistics.parallel import BLOCK_LENGTH, map_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from reportgen.aggregates.scored_cases import ScoredCases
    from reportgen.statistics import FloatArray


# Scores in order with the side of each case, by one sort of whole numbers.

if TYPE_CHECKING:
    SortKeys = npt.NDArray[np.uint64]
    PositiveMask = npt.NDArray[np.bool_]

_SIGNLESS_BITS = np.uint64((1 << 63) - 1)


def sort_scores(scores: FloatArray, is_positive: PositiveMask) -> tuple[FloatArray, PositiveMask]:
    """Return the scores from the lowest up, and which of them belong to positive cases.

    The bits of a number that is not negative are in the order of the numbers, and their first
    is 0: moved by one place, they leave room for the side. Whole numbers are sorted several times
    faster than an order of cases is found.
    """
    if not len(scores) or scores.min() >= 0:
        return _sort_bits(scores.view(np.uint64), is_positive)
    below = scores < 0
    # Of negative numbers the bits without the sign are in the opposite order.
    mirrored = (-scores[below]).view(np.uint64) ^ _SIGNLESS_BITS
    lower, sides = _sort_bits(mirrored, is_positive[below])
    lower = (lower.view(np.uint64) ^ _SIGNLESS_BITS).view(np.float64)
    upper, upper_sides = sort_scores(scores[~below], is_positive[~below])
    return np.concatenate((-lower, upper)), np.concatenate((sides, upper_sides))


def _sort_bits(bits: SortKeys, is_positive: PositiveMask) -> tuple[FloatArray, PositiveMask]:
    """Sort the bits of scores together with the side, and part them again."""
    keys = np.empty(len(bits), np.uint64)

    def pack(block: slice) -> None:
        # The sign is lost: −0 becomes the 0 that it equals.
        np.left_shift(bits[block], np.uint64(1), out=keys[block])
        np.bitwise_or(keys[block], is_positive[block], out=keys[block], casting="unsafe")

    map_blocks(pack, len(bits))
    # NumPy's own sort takes twice as long where the processor is slow at AVX-512's compression.
    ascending = pl.Series(keys).sort().to_numpy()
    # The last bit is read out of the one byte that has it.
    last_bytes = ascending.astype("<u8", copy=False).view(np.uint8)[::8]
    sides = np.empty(len(keys), np.bool_)

    def unpack(block: slice) -> None:
        np.bitwise_and(last_bytes[block], np.uint8(1), out=sides[block].view(np.uint8))
        # In the memory of the keys, which are not needed any more.
        np.right_shift(ascending[block], np.uint64(1), out=keys[block])

    map_blocks(unpack, len(keys))
    return keys.view(np.float64), sides


if TYPE_CHECKING:
    CountArray: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.int32]

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
_MAX_INT32 = 2**31 - 1


# Without slots, so that pairs are counted only once.
@dataclass(frozen=True)
class CumulativeCounts:
    """True and false positives at every distinct score, from the highest score down.

    Counts have 32 bits where they fit: there may be as many steps as cases.
    """

    threshold: FloatArray
    tp: CountArray
    fp: CountArray

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
            found, false = self.increments(block)
            return int(found @ (negatives - self.fp[block])), int(found @ false)

        counted = map_blocks(of_block, len(self.tp))
        return sum(concordant for concordant, _ in counted), sum(tied for _, tied in counted)

    def increments(self, block: slice) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return how many positive and negative cases have each of some scores."""
        return _increments(self.tp, block), _increments(self.fp, block)

    def take(self, indices: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> CumulativeCounts:
        """Keep some of the steps."""
        return CumulativeCounts(self.threshold[indices], self.tp[indices], self.fp[indices])

    def drop_collinear(self) -> CumulativeCounts:
        """Leave out the points on a straight line between their neighbours."""
        found, false = self.increments(slice(0, len(self.tp)))
        # Equal slopes by whole numbers: a rise over a run compared crosswise.
        turns = false[1:] * found[:-1] != found[1:] * false[:-1]
        return self.take(np.append(turns, True) if self.tp.size else turns)


def _increments(cumulative: CountArray, block: slice) -> npt.NDArray[np.int64]:
    before = 0 if block.start == 0 else int(cumulative[block.start - 1])
    rise = cumulative[block].astype(np.int64)
    rise[1:] -= cumulative[block][:-1]
    rise[:1] -= before
    return rise


@dataclass(frozen=True)
class ScoreCurves:
    """Cumulated counts by classifier and class, a step per distinct score, the highest first.

    A case counts as found from its own score on. For several classes only the corners of the ROC
    curve are kept: between two corners both counts grow in proportion.
    """

    curves: Mapping[tuple[str, str], CumulativeCounts]

    def cumulative_counts(self, classifier: str, class_: str) -> CumulativeCounts | None:
        """Return the steps of a classifier for a class, if its scores rank cases for it."""
        return self.curves.get((classifier, class_))

    def by_class(self, classifier: str) -> Iterator[tuple[str, CumulativeCounts]]:
        """Yield the curves of a classifier, by class."""
        for (name, class_), steps in self.curves.items():
            if name == classifier:
                yield class_, steps

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All steps of all curves as one table."""
        frames = [curve_frame(*key, steps) for key, steps in self.curves.items()]
        return pl.concat([pl.DataFrame(schema=CURVE_SCHEMA), *frames])


def curve_frame(classifier: str, class_: str, cumulative: CumulativeCounts) -> pl.DataFrame:
    """Return the steps of a curve as a table."""
    counted = pl.DataFrame(
        {"threshold": cumulative.threshold, "tp": cumulative.tp, "fp": cumulative.fp}
    )
    return counted.with_columns(
        pl.lit(classifier).alias("classifier"),
        pl.lit(class_).alias("class"),
        positives=pl.lit(cumulative.positives, pl.Int64),
        negatives=pl.lit(cumulative.negatives, pl.Int64),
    ).select(pl.col(name).cast(dtype) for name, dtype in CURVE_SCHEMA.items())


def cumulate_counts(
    scores: FloatArray, is_positive: npt.NDArray[np.bool_], counts: FloatArray | None = None
) -> CumulativeCounts:
    """Count, for every distinct score, the cases at or above it on both sides.

    `counts` says how many cases each score stands for, if not one.
    """
    if counts is not None:
        return _cumulate_weighted(scores, is_positive, counts)
    rising, sides = sort_scores(scores, is_positive)
    ranked, positive, size = rising[::-1], sides[::-1], len(sides)
    number: type[np.int32 | np.int64] = np.int32 if size <= _MAX_INT32 else np.int64
    tp, fp = (cast("CountArray", np.empty(size, number)) for _ in range(2))
    found = map_blocks(lambda block: int(np.count_nonzero(positive[block])), size)
    before = np.cumsum([0, *found])

    def count(block: slice) -> None:
        own = tp[block]
        np.cumsum(positive[block], dtype=number, out=own)
        own += number(before[block.start // BLOCK_LENGTH])
        np.subtract(np.arange(block.start + 1, block.stop + 1, dtype=number), own, out=fp[block])

    map_blocks(count, size)
    every = CumulativeCounts(ranked, tp, fp)
    # The last case of each score closes its step.
    closes = np.ones(size, np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=closes[:-1])
    return every if closes.all() else every.take(closes)


def _cumulate_weighted(
    scores: FloatArray, is_positive: npt.NDArray[np.bool_], counts: FloatArray
) -> CumulativeCounts:
    distinct, places = np.unique(scores + 0.0, return_inverse=True)
    sides = (
        np.bincount(places, np.where(side, counts, 0), len(distinct)).astype(np.int64)
        for side in (is_positive, ~is_positive)
    )
    tp, fp = (np.cumsum(side[::-1]) for side in sides)
    return CumulativeCounts(distinct[::-1], tp, fp)


def count_curves(cases: ScoredCases) -> ScoreCurves:
    """Count every curve: of the positive class, or of each class against the rest."""
    several = len(cases.ranked_classes) > 1
    curves = {}
    for name, class_, scores, is_positive in cases.rankings():
        steps = cumulate_counts(scores, is_positive, cases.counts)
        curves[name, class_] = steps.drop_collinear() if several else steps
    return ScoreCurves(curves)
