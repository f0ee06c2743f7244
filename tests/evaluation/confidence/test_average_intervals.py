"""Limits of averages and of whole matrices, against arithmetic done another way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, get_args

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score, matthews_corrcoef, precision_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from reportgen.aggregates.confusion import ConfusionCounts, count_confusion
from reportgen.evaluation.confidence.gradient import (
    SparseConfusionMatrix,
    gradient_of_average,
    gradient_overall,
)
from reportgen.measures import Average
from reportgen.measures.agreement import KAPPA, MCC
from tests.evaluation.confidence.interval_tables import (
    WITH_INTERVAL,
    intervals_of,
    matrix_intervals,
    measures_named,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.measures import Measure
    from reportgen.statistics import FloatArray

MATRIX = [[42, 6, 4], [5, 22, 3], [4, 3, 13]]
COUNTS = np.array(MATRIX, dtype=np.float64)
Z = float(stats.norm.ppf(0.975))
AVERAGED = [measure for measure in WITH_INTERVAL if measure.has_class_averages]


def numeric_slopes(value: Callable[[FloatArray], float], counts: FloatArray) -> FloatArray:
    """Return how a value moves with each cell, by moving each cell."""
    step = 1e-4
    result = np.zeros_like(counts)
    for place in np.ndindex(counts.shape):
        up, down = counts.copy(), counts.copy()
        up[place] += step
        down[place] -= step
        result[place] = (value(up) - value(down)) / (2 * step)
    return result


@pytest.mark.parametrize("measure", AVERAGED, ids=lambda measure: measure.name)
@pytest.mark.parametrize("average", get_args(Average))
def test_slopes_of_averages_are_those_of_moving_each_cell(
    measure: Measure, average: Average
) -> None:
    """A central difference in each of nine cells."""
    matrix_gradient = gradient_of_average(
        measure, SparseConfusionMatrix.from_dense(COUNTS), average
    )

    moved = numeric_slopes(
        lambda counts: (
            gradient_of_average(measure, SparseConfusionMatrix.from_dense(counts), average).value
        ),
        COUNTS,
    )
    assert matrix_gradient.dense == pytest.approx(
        moved, rel=1e-5, abs=1e-8 * max(1, abs(matrix_gradient.value))
    )


@pytest.mark.parametrize("measure", [KAPPA, MCC], ids=lambda measure: measure.name)
def test_slopes_of_the_whole_are_those_of_moving_each_cell(measure: Measure) -> None:
    """A central difference in each of nine cells."""
    matrix_gradient = gradient_overall(measure, SparseConfusionMatrix.from_dense(COUNTS))

    moved = numeric_slopes(
        lambda counts: gradient_overall(measure, SparseConfusionMatrix.from_dense(counts)).value,
        COUNTS,
    )
    assert matrix_gradient.dense == pytest.approx(moved, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("added", [0.0, 0.3])
def test_the_variance_is_the_sum_over_all_cells_written_out(added: float) -> None:
    """Σ n g² − (Σ n g)² / N, with and without a share of a case in every cell."""
    (measure,) = measures_named("f1")
    empty = COUNTS.copy()
    empty[0, 2] = 0
    sparse = SparseConfusionMatrix.from_dense(empty)
    matrix = SparseConfusionMatrix(
        sparse.truth, sparse.prediction, sparse.counts, sparse.size, added
    )

    matrix_gradient = gradient_of_average(measure, matrix, "macro")

    counts, slopes = empty + added, matrix_gradient.dense
    expected = (counts * slopes**2).sum() - (counts * slopes).sum() ** 2 / counts.sum()
    assert matrix_gradient.variance(matrix) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("name", "outside"), [("f1", f1_score), ("precision", precision_score)])
def test_macro_limits_are_the_delta_method_over_scikit_learn(
    name: str, outside: Callable[..., float]
) -> None:
    """Slopes by moving the weight of the cases in a cell; Student's t on the logit scale.

    The centre is the value with one more case of each class: 77 of 102 right, else evenly wrong.
    """
    truth, prediction = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)

    def value(counts: FloatArray) -> float:
        return float(outside(truth, prediction, average="macro", sample_weight=counts.ravel()))

    smoothed = COUNTS + np.full((3, 3), 25 / 102 / 2)
    np.fill_diagonal(smoothed, COUNTS.diagonal() + 77 / 102)
    slopes = numeric_slopes(value, COUNTS)
    variance, other = (
        (counts * at**2).sum() - (counts * at).sum() ** 2 / counts.sum()
        for counts, at in ((COUNTS, slopes), (smoothed, numeric_slopes(value, smoothed)))
    )
    centre = value(smoothed)
    influence = slopes - (COUNTS * slopes).sum() / COUNTS.sum()
    kurtosis = (COUNTS * influence**4).sum() / COUNTS.sum() / (variance / COUNTS.sum()) ** 2
    quantile = stats.t.ppf(0.975, 2 * COUNTS.sum() / (kurtosis - 1))
    half = quantile * math.sqrt(max(variance, other)) / (centre * (1 - centre))
    logit = math.log(centre / (1 - centre))

    result = matrix_intervals({"A": MATRIX}, measures_named(name))["A", None, "macro", name]

    expected = tuple(1 / (1 + math.exp(-(logit + side * half))) for side in (-1, 1))
    assert (result.low, result.high) == pytest.approx(expected, rel=1e-6)
    assert result.method == "delta, logit, t, a case per class added"


def test_classes_without_cases_change_no_limit_of_a_macro_average() -> None:
    """Declared classes that neither occur nor are predicted have no pseudo-case."""
    wider = [[*row, 0] for row in MATRIX] + [[0] * 4]
    three, four = (
        matrix_intervals({"A": matrix}, measures_named("f1"))["A", None, "macro", "f1"]
        for matrix in (MATRIX, wider)
    )

    assert (three.value, three.low, three.high) == (four.value, four.low, four.high)


def test_kappa_of_three_classes_has_the_variance_that_statsmodels_gives() -> None:
    """The variance of Fleiss, Cohen and Everitt, on the scale of Fisher's z."""
    result = matrix_intervals({"A": MATRIX}, measures_named("kappa"))["A", None, None, "kappa"]

    outside = cohens_kappa(COUNTS)
    half = Z * outside.std_kappa / (1 - outside.kappa**2)
    expected = [math.tanh(math.atanh(outside.kappa) + side * half) for side in (-1, 1)]
    assert [result.low, result.high] == pytest.approx(expected)


def test_mcc_of_three_classes_is_the_delta_method_over_scikit_learn() -> None:
    """On Fisher's scale."""
    truth, prediction = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)

    def value(counts: FloatArray) -> float:
        return float(matthews_corrcoef(truth, prediction, sample_weight=counts.ravel()))

    slopes = numeric_slopes(value, COUNTS)
    variance = (COUNTS * slopes**2).sum() - (COUNTS * slopes).sum() ** 2 / COUNTS.sum()
    centre = value(COUNTS)
    half = Z * math.sqrt(variance) / (1 - centre**2)

    result = matrix_intervals({"A": MATRIX}, measures_named("mcc"))["A", None, None, "mcc"]

    expected = math.tanh(math.atanh(centre) - half), math.tanh(math.atanh(centre) + half)
    assert (result.low, result.high) == pytest.approx(expected, rel=1e-6)


def test_macro_recall_has_the_limits_of_a_mean_of_proportions() -> None:
    """42/52, 22/30 and 13/20: half-widths squared and added, midpoints by share of variance."""
    result = matrix_intervals({"A": MATRIX}, measures_named("sensitivity"))[
        "A", None, "macro", "sensitivity"
    ]

    shares = [(42, 52), (22, 30), (13, 20)]
    recalls = np.array([cases / among for cases, among in shares])
    limits = np.array([proportion_confint(*share, method="wilson") for share in shares])
    unbiased = np.sqrt(recalls * (1 - recalls) / np.array([51, 29, 19]))
    half = np.maximum((limits[:, 1] - limits[:, 0]) / 2, Z * unbiased)
    shift = ((limits.mean(axis=1) - recalls) * half**2).sum() / (half**2).sum()
    expected = [recalls.mean() + shift / 3 + side * math.hypot(*half) / 3 for side in (-1, 1)]
    assert [result.low, result.high] == pytest.approx(expected, rel=1e-9)
    assert result.method == "mover, skewness"


def test_micro_averages_are_as_sure_as_the_share_of_right_answers() -> None:
    """77 of 102 right: recall is that share itself, specificity (K − 2 + share) / (K − 1)."""
    matrix = matrix_intervals({"A": MATRIX}, measures_named("sensitivity", "specificity"))
    low, high = proportion_confint(77, 102, method="wilson")

    recall = matrix["A", None, "micro", "sensitivity"]
    assert (recall.low, recall.high) == pytest.approx((low, high), rel=1e-12)
    assert recall.method == "wilson"
    specificity = matrix["A", None, "micro", "specificity"]
    assert (specificity.low, specificity.high) == pytest.approx(((1 + low) / 2, (1 + high) / 2))
    assert specificity.method == "wilson, transformed from accuracy"


def test_recall_weighted_by_support_is_accuracy_with_its_limits() -> None:
    """Σ (nᵢ/N)(tpᵢ/nᵢ) = Σ tpᵢ / N."""
    matrix = matrix_intervals({"A": MATRIX}, measures_named("sensitivity", "accuracy"))

    weighted, accuracy = (
        matrix["A", None, "weighted", "sensitivity"],
        matrix["A", None, None, "accuracy"],
    )
    assert (weighted.low, weighted.high) == pytest.approx((accuracy.low, accuracy.high), rel=1e-12)


def test_a_perfect_matrix_of_many_classes_leaves_little_doubt() -> None:
    """200 cases of 8 classes all right: accuracy is at least 0.98, so kappa is about that too."""
    perfect = [[25 if row == column else 0 for column in range(8)] for row in range(8)]

    matrix = matrix_intervals({"A": perfect}, measures_named("kappa", "mcc", "accuracy"))

    for name in ("kappa", "mcc"):
        score = matrix["A", None, None, name]
        assert score.high == score.value == 1
        assert score.low is not None
        assert 0.95 < score.low < 0.99
        assert score.method is not None
        assert score.method.endswith("2 pseudo-cases")


def test_a_thousand_classes_are_no_trouble() -> None:
    """Every score of 50 000 cases in 1000 classes that has a value has its limits."""
    random = np.random.default_rng(1)
    truth = random.integers(0, 1000, 50_000)
    prediction = np.where(random.random(50_000) < 0.7, truth, random.integers(0, 1000, 50_000))
    cases = pl.DataFrame({"truth": truth, "prediction": prediction}).select(
        pl.lit(None, pl.String).alias("fold"),
        pl.col("truth", "prediction").cast(pl.String),
    )
    classes = tuple(str(number) for number in range(1000))
    tally = ConfusionCounts(count_confusion({"A": cases}, classes), classes)

    scores = intervals_of(tally, positive=None)

    undefined = [key for key, score in scores.items() if score.method is None]
    assert len(scores) > 20_000
    assert all(scores[key].state == "undefined" for key in undefined)
    kappa = cohen_kappa_score(truth, prediction)
    low, high = scores["A", None, None, "kappa"].low, scores["A", None, None, "kappa"].high
    assert low is not None
    assert high is not None
    assert low < kappa < high
    # The standard error of the share of right answers is √(0.7 · 0.3 / 50 000) = 0.00205.
    assert high - low == pytest.approx(2 * Z * 0.00205, rel=0.02)
