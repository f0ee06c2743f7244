"""How well scores rank cases: pairs in the right order, and areas under precision-recall curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.curves import cumulate_counts
from reportgen.statistics.parallel import map_blocks

if TYPE_CHECKING:
    from reportgen.aggregates.curves import CumulativeCounts, ScoreCurves
    from reportgen.aggregates.scored_cases import ClassCodes, ScoredCases
    from reportgen.statistics import FloatArray

RANKING_COLUMNS = (
    "positives",
    "negatives",
    "pairs",
    "concordant",
    "tied",
    "precision_steps",
    "pr_area",
)
RANKING_SCHEMA = pl.Schema(
    {
        "classifier": pl.String,
        "fold": pl.String,
        "class": pl.String,
        **dict.fromkeys(RANKING_COLUMNS, pl.Float64),
    }
)
# Of fewer cases DeLong's variance is itself too uncertain: benchmarks/few_cases.py, docs/statistical-methods.md.
MIN_CASES_DELONG = 10
MULTICLASS_RANKING_SCHEMA = pl.Schema(
    {
        "classifier": pl.String,
        "fold": pl.String,
        "pairs": pl.Float64,
        "hand_till": pl.Float64,
    }
)


@dataclass(frozen=True, slots=True)
class RankingStatistics:
    """Pairs and areas by classifier, fold and class; `whole` has those over all classes at once."""

    frame: pl.DataFrame
    multiclass: pl.DataFrame

    def __post_init__(self) -> None:
        """Refuse frames of another shape."""
        if (
            self.frame.schema != RANKING_SCHEMA
            or self.multiclass.schema != MULTICLASS_RANKING_SCHEMA
        ):
            message = f"a ranking tally needs {RANKING_SCHEMA} and {MULTICLASS_RANKING_SCHEMA}"
            raise TypeError(message)

    def minority_size(self, classifier: str, class_: str | None) -> int:
        """Return the cases of a class or of the others, whichever are fewer; null: of any class."""
        ranked = pl.col("fold").is_null() & (pl.col("pairs") > 0)
        rows = self.frame.filter(ranked, pl.col("classifier") == classifier)
        if class_ is not None:
            rows = rows.filter(pl.col("class") == class_)
        found = rows.select(pl.min_horizontal("positives", "negatives").min()).item()
        return int(found or 0)


def compute_ranking_statistics(
    cases: ScoredCases, curves: ScoreCurves | None = None
) -> RankingStatistics:
    """Count every classifier's pairs, over all folds and in each.

    Curves that were counted of the same cases spare ranking the positive class once more.
    """
    rows: list[tuple[str | float | None, ...]] = []
    whole: list[tuple[str | float | None, ...]] = []
    several = len(cases.ranked_classes) > 1
    for each in cases.classifiers:
        for fold, chosen in each.fold_masks():
            scores, truth = each.ranking_scores[chosen], cases.truth[chosen]
            for column, class_ in enumerate(cases.ranked_classes):
                known = (
                    None
                    if several or fold or not curves
                    else curves.cumulative_counts(each.classifier, class_)
                )
                steps = known or cumulate_counts(
                    scores[:, column],
                    np.asarray(truth == cases.classes.index(class_)),
                    cases.counts_for(chosen),
                )
                rows.append((each.classifier, fold, class_, *_ranking_row(steps)))
            if several:
                whole.append((each.classifier, fold, *_hand_till(scores, truth)))
    return RankingStatistics(
        pl.DataFrame(rows, RANKING_SCHEMA, orient="row"),
        pl.DataFrame(whole, MULTICLASS_RANKING_SCHEMA, orient="row"),
    )


def _ranking_row(cumulative: CumulativeCounts) -> tuple[float, ...]:
    positives, negatives = cumulative.positives, cumulative.negatives
    counts = (positives, negatives, positives * negatives, *cumulative.concordant_and_tied)
    areas = map_blocks(lambda block: _precision_recall_areas(cumulative, block), len(cumulative.tp))
    return (*map(float, counts), sum(area for area, _ in areas), sum(area for _, area in areas))


def _precision_recall_areas(cumulative: CumulativeCounts, block: slice) -> tuple[float, float]:
    """Return precision summed over found cases: as steps, and as interpolated between counts."""
    rises, false_rises = cumulative.increments(block)
    found_at = np.flatnonzero(rises)
    found, false = (counts[found_at].astype(np.float64) for counts in (rises, false_rises))
    tp = cumulative.tp[block][found_at].astype(np.float64)
    predicted = tp + cumulative.fp[block][found_at]
    by_steps = float((found * tp / predicted).sum())
    before = predicted - found - false
    # Between two thresholds false positives grow in proportion to true ones, so precision is
    # x / (grown·x + start) for x true positives, and its integral has a logarithm.
    grown = (predicted - before) / found
    start = predicted - grown * tp
    # From no predictions at all precision is the same all the way, and so without a start.
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.where(before > 0, start / grown**2 * np.log(predicted / before), 0.0)
    return by_steps, float((found / grown - spread).sum())


def _hand_till(scores: FloatArray, truth: ClassCodes) -> tuple[float, float]:
    """Return the pairs of cases of different classes, and the mean area over pairs of classes."""
    sizes = np.bincount(truth, minlength=scores.shape[1])
    present = np.flatnonzero(sizes)
    # A class that no case belongs to is in no pair.
    areas = pairwise_auc(scores, truth)[np.ix_(present, present)]
    ordered_pairs = len(present) * (len(present) - 1)
    pairs = float(len(truth) ** 2 - (sizes**2).sum())
    return pairs, float(areas[~np.eye(len(present), dtype=bool)].sum()) / max(ordered_pairs, 1)


def pairwise_auc(scores: FloatArray, truth: ClassCodes) -> FloatArray:
    """Return the area of each class (row) against each other (column), by the row's score."""
    classes = scores.shape[1]
    sizes = np.bincount(truth, minlength=classes)
    areas = np.zeros((classes, classes))
    for class_ in np.flatnonzero(sizes):
        own = np.sort(scores[truth == class_, class_])
        everyone = scores[:, class_]
        # Cases of the class below each case, twice, so that a tie counts one.
        below = np.searchsorted(own, everyone, "left") + np.searchsorted(own, everyone, "right")
        summed = np.bincount(truth, weights=below, minlength=classes)
        most = np.maximum(2.0 * sizes[class_] * sizes, 1.0)
        areas[class_] = (most - summed) / most
    return areas
