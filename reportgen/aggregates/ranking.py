"""Ranking statistics: concordant pairs, and areas under precision-recall curves.

The mean AUC over pairs of classes is that of Hand and Till (2001); the area under the PR curve
interpolates as by Davis and Goadrich (2006).
"""

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
# With fewer cases DeLong's variance is too uncertain (benchmarks/few_cases.py,
# docs/statistical-methods.md).
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
    """Pairs and areas by classifier, fold and class; `multiclass` has Hand and Till's mean AUC."""

    frame: pl.DataFrame
    multiclass: pl.DataFrame

    def __post_init__(self) -> None:
        """Raise a TypeError if a frame has another schema."""
        if (
            self.frame.schema != RANKING_SCHEMA
            or self.multiclass.schema != MULTICLASS_RANKING_SCHEMA
        ):
            message = f"ranking statistics need {RANKING_SCHEMA} and {MULTICLASS_RANKING_SCHEMA}"
            raise TypeError(message)

    def minority_size(self, classifier: str, class_: str | None) -> int:
        """Return the smaller number of positives or negatives of a class, or of any."""
        has_pairs = pl.col("fold").is_null() & (pl.col("pairs") > 0)
        rows = self.frame.filter(has_pairs, pl.col("classifier") == classifier)
        if class_ is not None:
            rows = rows.filter(pl.col("class") == class_)
        size = rows.select(pl.min_horizontal("positives", "negatives").min()).item()
        return int(size or 0)

    def class_sizes(self, classifier: str, class_: str | None) -> list[tuple[float, float]]:
        """Return positives and negatives of a class, or of each, where there are both."""
        rows = self.frame.filter(
            pl.col("fold").is_null(), pl.col("pairs") > 0, pl.col("classifier") == classifier
        )
        if class_ is not None:
            rows = rows.filter(pl.col("class") == class_)
        return rows.select("positives", "negatives").rows()

    def size(self, classifier: str) -> float:
        """Return the number of cases of a classifier."""
        return next((sum(sides) for sides in self.class_sizes(classifier, None)), 0.0)


# Standard errors of a score without information, below which chance is no explanation.
_INVERTED_ERRORS = 4


def inverted_score_warnings(ranking: RankingStatistics) -> list[str]:
    """Return warnings of scores that are lower for the cases of their class than for others."""
    cases = pl.col("positives") + pl.col("negatives")
    area = (pl.col("concordant") + pl.col("tied") / 2) / pl.col("pairs")
    error = ((cases + 1) / (12 * pl.col("positives") * pl.col("negatives"))).sqrt()
    rows = (
        ranking.frame.filter(pl.col("fold").is_null(), pl.col("pairs") > 0)
        .select("classifier", "class", area=area, error=error)
        .filter(pl.col("area") < 0.5 - _INVERTED_ERRORS * pl.col("error"))
    )
    return [
        f"`{classifier}`: the scores of `{class_}` are lower for its cases than for others (area"
        f" under the ROC curve {area:.2f}, below 0.5): they are probably those of another class"
        for classifier, class_, area, _ in rows.iter_rows()
    ]


def compute_ranking_statistics(
    cases: ScoredCases, curves: ScoreCurves | None = None
) -> RankingStatistics:
    """Count the concordant and tied pairs of each classifier, over all folds and in each.

    Curves of the same cases, if given, save sorting the scores of the positive class again.
    """
    rows: list[tuple[str | float | None, ...]] = []
    multiclass_rows: list[tuple[str | float | None, ...]] = []
    is_multiclass = len(cases.ranked_classes) > 1
    for own_scores in cases.classifiers:
        for fold, selection in own_scores.fold_masks():
            scores, truth = own_scores.ranking_scores[selection], cases.truth[selection]
            for column, class_ in enumerate(cases.ranked_classes):
                stored_counts = (
                    None
                    if is_multiclass or fold or not curves
                    else curves.cumulative_counts(own_scores.classifier, class_)
                )
                cumulative = stored_counts or cumulate_counts(
                    scores[:, column],
                    np.asarray(truth == cases.classes.index(class_)),
                    cases.counts_for(selection),
                )
                rows.append((own_scores.classifier, fold, class_, *_ranking_row(cumulative)))
            if is_multiclass:
                multiclass_rows.append((own_scores.classifier, fold, *_hand_till(scores, truth)))
    return RankingStatistics(
        pl.DataFrame(rows, RANKING_SCHEMA, orient="row"),
        pl.DataFrame(multiclass_rows, MULTICLASS_RANKING_SCHEMA, orient="row"),
    )


def _ranking_row(cumulative: CumulativeCounts) -> tuple[float, ...]:
    positives, negatives = cumulative.positives, cumulative.negatives
    counts = (positives, negatives, positives * negatives, *cumulative.concordant_and_tied)
    areas = map_blocks(lambda block: _precision_recall_areas(cumulative, block), len(cumulative.tp))
    return (*map(float, counts), sum(area for area, _ in areas), sum(area for _, area in areas))


def _precision_recall_areas(cumulative: CumulativeCounts, block: slice) -> tuple[float, float]:
    """Return the sum of precision over true positives: by steps (AP), and interpolated (AUPRC)."""
    rises, false_rises = cumulative.increments(block)
    steps = np.flatnonzero(rises)
    new_positives, new_negatives = (
        counts[steps].astype(np.float64) for counts in (rises, false_rises)
    )
    tp = cumulative.tp[block][steps].astype(np.float64)
    predicted = tp + cumulative.fp[block][steps]
    by_steps = float((new_positives * tp / predicted).sum())
    before = predicted - new_positives - new_negatives
    # Between two thresholds false positives grow in proportion to true ones, so precision is
    # x / (ratio·x + start) for x true positives, and its integral has a logarithm.
    ratio = (predicted - before) / new_positives
    start = predicted - ratio * tp
    # From the first threshold on precision is constant, so the logarithm vanishes.
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithm = np.where(before > 0, start / ratio**2 * np.log(predicted / before), 0.0)
    return by_steps, float((new_positives / ratio - logarithm).sum())


def _hand_till(scores: FloatArray, truth: ClassCodes) -> tuple[float, float]:
    """Return the number of pairs of cases of different classes, and Hand and Till's mean AUC."""
    sizes = np.bincount(truth, minlength=scores.shape[1])
    nonempty_classes = np.flatnonzero(sizes)
    # A class that no case belongs to is in no pair.
    areas = pairwise_auc(scores, truth)[np.ix_(nonempty_classes, nonempty_classes)]
    ordered_pairs = len(nonempty_classes) * (len(nonempty_classes) - 1)
    pairs = float(len(truth) ** 2 - (sizes**2).sum())
    return pairs, float(areas[~np.eye(len(nonempty_classes), dtype=bool)].sum()) / max(
        ordered_pairs, 1
    )


def pairwise_auc(scores: FloatArray, truth: ClassCodes) -> FloatArray:
    """Return the AUC of each class (row) against each other class (column), by the row's score."""
    classes = scores.shape[1]
    sizes = np.bincount(truth, minlength=classes)
    areas = np.zeros((classes, classes))
    for class_ in np.flatnonzero(sizes):
        own = np.sort(scores[truth == class_, class_])
        all_scores = scores[:, class_]
        # Cases of the class below each case, twice, so that a tie counts one.
        below = np.searchsorted(own, all_scores, "left") + np.searchsorted(own, all_scores, "right")
        rank_sums = np.bincount(truth, weights=below, minlength=classes)
        doubled_pairs = np.maximum(2.0 * sizes[class_] * sizes, 1.0)
        areas[class_] = (doubled_pairs - rank_sums) / doubled_pairs
    return areas
