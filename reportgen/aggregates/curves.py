"""True and false positives at every threshold: the points of ROC and precision-recall curves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import polars as pl

from reportgen.aggregates.scored_cases import as_counts
from reportgen.statistics.calibration import isotonic_blocks, pool_isotonic_blocks
from reportgen.statistics.parallel import BLOCK_LENGTH, map_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from reportgen.aggregates.scored_cases import ScoredCases
    from reportgen.statistics import FloatArray
    from reportgen.statistics.calibration import IsotonicBlocks


if TYPE_CHECKING:
    SortKeys = npt.NDArray[np.uint64]
    PositiveMask = npt.NDArray[np.bool_]

_SIGNLESS_BITS = np.uint64((1 << 63) - 1)


def sort_scores(scores: FloatArray, is_positive: PositiveMask) -> tuple[FloatArray, PositiveMask]:
    """Return the scores in ascending order, and the mask of the positive cases among them.

    The bits of non-negative floats, read as integers, have the order of the floats, and their
    first bit is 0: shifted by one, they leave room for the class. Sorting integers is several
    times faster than an argsort of the scores.
    """
    if not len(scores) or scores.min() >= 0:
        return _sort_bits(scores.view(np.uint64), is_positive)
    below = scores < 0
    # The bits of negative numbers without the sign are in reverse order.
    negated_bits = (-scores[below]).view(np.uint64) ^ _SIGNLESS_BITS
    lower, sides = _sort_bits(negated_bits, is_positive[below])
    lower = (lower.view(np.uint64) ^ _SIGNLESS_BITS).view(np.float64)
    upper, upper_sides = sort_scores(scores[~below], is_positive[~below])
    return np.concatenate((-lower, upper)), np.concatenate((sides, upper_sides))


def _sort_bits(bits: SortKeys, is_positive: PositiveMask) -> tuple[FloatArray, PositiveMask]:
    """Sort the bits of scores together with the class, and separate them again."""
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
    CountArray: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.int32] | FloatArray
    # Integers, or floats for sums of sampling weights.
    Increments: TypeAlias = npt.NDArray[Any]

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


# Without slots, so that the pairs and the regression can be cached.
@dataclass(frozen=True)
class CumulativeCounts:
    """True and false positives at every distinct score, from the highest score down.

    Counts have 32 bits where they fit: there may be as many thresholds as cases.
    """

    threshold: FloatArray
    tp: CountArray
    fp: CountArray

    @property
    def positives(self) -> int:
        """The number of cases of the class."""
        return self.tp[-1].item() if self.tp.size else 0

    @property
    def negatives(self) -> int:
        """The number of cases of other classes."""
        return self.fp[-1].item() if self.fp.size else 0

    @cached_property
    def concordant_and_tied(self) -> tuple[float, float]:
        """The number of concordant pairs, and of pairs with equal scores."""
        negatives = self.negatives

        def of_block(block: slice) -> tuple[float, float]:
            positive_counts, negative_counts = self.increments(block)
            concordant = positive_counts @ (negatives - self.fp[block])
            return concordant.item(), (positive_counts @ negative_counts).item()

        block_counts = map_blocks(of_block, len(self.tp))
        return sum(concordant for concordant, _ in block_counts), sum(
            tied for _, tied in block_counts
        )

    @cached_property
    def isotonic_blocks(self) -> IsotonicBlocks:
        """The isotonic regression of the class on the score, from the lowest score up."""
        size = len(self.tp)

        def fit(block: slice) -> tuple[int, IsotonicBlocks]:
            hits, others = self.increments(block)
            return size - block.stop, isotonic_blocks(hits[::-1], (hits + others)[::-1])

        return pool_isotonic_blocks(map_blocks(fit, size)[::-1])

    def increments(self, block: slice) -> tuple[Increments, Increments]:
        """Return the numbers of positives and negatives at each score of a block."""
        return _increments(self.tp, block), _increments(self.fp, block)

    def take(self, indices: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> CumulativeCounts:
        """Return the counts at some of the thresholds."""
        return CumulativeCounts(self.threshold[indices], self.tp[indices], self.fp[indices])

    def at_places(self, places: npt.NDArray[np.int64]) -> tuple[CountArray, CountArray]:
        """Return true and false positives at some thresholds; −1 is above all of them."""
        above, existing = places < 0, np.maximum(places, 0)
        return np.where(above, 0, self.tp[existing]), np.where(above, 0, self.fp[existing])

    def at_thresholds(self, thresholds: FloatArray) -> CumulativeCounts:
        """Count the scores at or above other thresholds."""
        # Ascending, the scores need not be copied.
        below = np.searchsorted(self.threshold[::-1], thresholds)
        return CumulativeCounts(thresholds, *self.at_places(len(self.threshold) - 1 - below))

    def drop_collinear(self) -> CumulativeCounts:
        """Drop the points on a straight line between their neighbours."""
        positives, negatives = self.increments(slice(0, len(self.tp)))
        # Equal slopes by whole numbers: a rise over a run compared crosswise.
        is_vertex = negatives[1:] * positives[:-1] != positives[1:] * negatives[:-1]
        return self.take(np.append(is_vertex, True) if self.tp.size else is_vertex)


def _increments(cumulative: CountArray, block: slice) -> Increments:
    before = 0 if block.start == 0 else cumulative[block.start - 1].item()
    is_weighted = np.issubdtype(cumulative.dtype, np.floating)
    rise: Increments = cumulative[block].astype(np.float64 if is_weighted else np.int64)
    rise[1:] -= cumulative[block][:-1]
    rise[:1] -= before
    return rise


@dataclass(frozen=True)
class ScoreCurves:
    """Cumulative counts by classifier and class, at every distinct score from the highest down.

    A case is predicted positive if its score is at least the threshold. For several classes only
    the vertices of the ROC curve are kept, as points between them are collinear.
    """

    curves: Mapping[tuple[str, str], CumulativeCounts]

    def cumulative_counts(self, classifier: str, class_: str) -> CumulativeCounts | None:
        """Return the cumulative counts of a class, or None without scores for it."""
        return self.curves.get((classifier, class_))

    def by_class(self, classifier: str) -> Iterator[tuple[str, CumulativeCounts]]:
        """Yield class and cumulative counts of a classifier."""
        for (name, class_), steps in self.curves.items():
            if name == classifier:
                yield class_, steps

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The points of all curves as one table."""
        frames = [curve_frame(*key, steps) for key, steps in self.curves.items()]
        return pl.concat([pl.DataFrame(schema=CURVE_SCHEMA), *frames], how="vertical_relaxed")


def curve_frame(classifier: str, class_: str, cumulative: CumulativeCounts) -> pl.DataFrame:
    """Return the points of a curve as a table."""
    is_weighted = np.issubdtype(cumulative.tp.dtype, np.floating)
    step_counts = pl.DataFrame(
        {"threshold": cumulative.threshold, "tp": cumulative.tp, "fp": cumulative.fp}
    )
    return step_counts.with_columns(
        pl.lit(classifier).alias("classifier"),
        pl.lit(class_).alias("class"),
        positives=pl.lit(cumulative.positives),
        negatives=pl.lit(cumulative.negatives),
    ).select(
        # Sums of sampling weights are fractions.
        pl.col(name).cast(pl.Float64 if is_weighted and dtype == pl.Int64 else dtype)
        for name, dtype in CURVE_SCHEMA.items()
    )


def cumulate_counts(
    scores: FloatArray, is_positive: npt.NDArray[np.bool_], counts: FloatArray | None = None
) -> CumulativeCounts:
    """Return the numbers of positives and negatives at or above every distinct score.

    `counts` are the case weights of aggregated rows, or None if each score is one case.
    """
    if counts is not None:
        return _cumulate_weighted(scores, is_positive, counts)
    rising, sides = sort_scores(scores, is_positive)
    falling, positive, size = rising[::-1], sides[::-1], len(sides)
    number: type[np.int32 | np.int64] = np.int32 if size <= _MAX_INT32 else np.int64
    tp, fp = (cast("CountArray", np.empty(size, number)) for _ in range(2))
    positives_by_block = map_blocks(lambda block: int(np.count_nonzero(positive[block])), size)
    before = np.cumsum([0, *positives_by_block])

    def count(block: slice) -> None:
        own = tp[block]
        np.cumsum(positive[block], dtype=number, out=own)
        own += number(before[block.start // BLOCK_LENGTH])
        np.subtract(np.arange(block.start + 1, block.stop + 1, dtype=number), own, out=fp[block])

    map_blocks(count, size)
    at_all_cases = CumulativeCounts(falling, tp, fp)
    # Only the last case of each distinct score is a threshold.
    is_last = np.ones(size, np.bool_)
    np.not_equal(falling[1:], falling[:-1], out=is_last[:-1])
    return at_all_cases if is_last.all() else at_all_cases.take(is_last)


def _cumulate_weighted(
    scores: FloatArray, is_positive: npt.NDArray[np.bool_], counts: FloatArray
) -> CumulativeCounts:
    distinct, places = np.unique(scores + 0.0, return_inverse=True)
    by_score = np.array(
        [
            np.bincount(places, np.where(side, counts, 0), len(distinct))
            for side in (is_positive, ~is_positive)
        ]
    )
    tp, fp = (np.cumsum(side[::-1]) for side in as_counts(by_score))
    return CumulativeCounts(distinct[::-1], tp, fp)


def count_curves(cases: ScoredCases) -> ScoreCurves:
    """Count the curves of the positive class, or of each class against the rest."""
    is_multiclass = len(cases.ranked_classes) > 1
    curves = {}
    for name, class_, scores, is_positive in cases.rankings():
        steps = cumulate_counts(scores, is_positive, cases.counts)
        curves[name, class_] = steps.drop_collinear() if is_multiclass else steps
    return ScoreCurves(curves)
