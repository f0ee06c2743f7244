"""Diagnostics of an evaluation: operating points, calibration, folds, residuals, confusions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from reportgen.evaluation.values import compute_count_values
from reportgen.measures import get_measure
from reportgen.pipeline import load_and_evaluate
from tests.report.report_text import confusion, evaluated

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation

SPECS = Path(__file__).parents[2] / "specs"


@pytest.fixture(scope="module")
def cancer() -> Evaluation:
    """Return the evaluation of classifiers with probabilities."""
    return load_and_evaluate(SPECS / "breast_cancer.toml")


@pytest.fixture(scope="module")
def diabetes() -> Evaluation:
    """Return the evaluation of regression models over folds."""
    return load_and_evaluate(SPECS / "diabetes.toml")


def test_a_reliability_bin_has_the_limits_of_wilson(cancer: Evaluation) -> None:
    """The bins of a classifier hold all its cases; limits are statsmodels'."""
    assert [entry.classifier for entry in cancer.calibration] == list(cancer.measured_classifiers)
    for calibration in cancer.calibration:
        assert sum(entry.cases for entry in calibration.bins) == cancer.aggregates.case_count
        for item in calibration.bins:
            limits = proportion_confint(item.hits, item.cases, 0.05, "wilson")
            assert (item.low, item.high) == pytest.approx(limits, abs=1e-12)
            assert item.lower <= item.mean_probability <= item.upper
        assert 0 <= calibration.debiased_rms_error <= calibration.rms_error


def test_an_operating_point_has_the_counts_of_the_predictions(cancer: Evaluation) -> None:
    """Its rates are the reported measures, and at its threshold the curve counts the same."""
    predicted = [point for point in cancer.operating_points if point.kind == "as_predicted"]
    assert [point.classifier for point in predicted] == list(cancer.measured_classifiers)
    for point in predicted:
        assert (point.tp, point.fn, point.fp, point.tn) == cancer.counts(
            point.classifier, point.class_
        )
        sensitivity = cancer.by_key[point.classifier, None, None, "sensitivity"]
        assert point.sensitivity == sensitivity.value
        assert point.roc == (point.fp / (point.fp + point.tn), point.sensitivity)


def test_the_best_operating_point_is_the_optimal_threshold(cancer: Evaluation) -> None:
    """There is one by Youden's index for each classifier."""
    best = {point.classifier: point for point in cancer.operating_points if point.kind == "youden"}
    optima = [threshold for threshold in cancer.thresholds if threshold.rule.value == "youden"]

    assert len(best) == len(optima)
    for optimum in optima:
        point = best[optimum.classifier]
        assert (point.threshold, point.tp, point.fp) == (optimum.threshold, optimum.tp, optimum.fp)


def test_t_tests_over_folds_have_their_standard_error(diabetes: Evaluation) -> None:
    """The difference is t standard errors, also where a test on cases has the same name."""
    folds = {
        (row.first, row.second, row.measure, row.test): row
        for row in diabetes.comparisons
        if row.data == "folds"
    }
    assert diabetes.fold_test_details
    for detail in diabetes.fold_test_details:
        row = folds[detail.first, detail.second, detail.measure, detail.test]
        assert detail.standard_error is not None
        assert row.difference == pytest.approx(detail.standard_error * (row.statistic or 0.0))
        assert detail.critical_value == pytest.approx(stats.t.ppf(0.975, row.df))


def test_residuals_are_tested_by_sign(diabetes: Evaluation) -> None:
    """The p-value is SciPy's binomial one, times the number of groups."""
    groups = diabetes.residual_groups
    assert {item.classifier for item in groups} == set(diabetes.measured_classifiers)
    for group in groups:
        signs = group.n_underestimated, group.n_underestimated + group.n_overestimated
        p = stats.binomtest(*signs).pvalue
        assert group.p == pytest.approx(p)
        assert group.p_adjusted == pytest.approx(min(1.0, p * len(groups)))
        assert group.is_biased == (group.p_adjusted <= 0.05)


def test_confusions_of_few_classes_are_all_cells(tmp_path: Path) -> None:
    """Three classes: nine cells, of which the confusions are ranked by their counts."""
    matrix = confusion((10, 10, 0), (30, 35, 5), (5, 0, 5))
    task = 'kind = "multiclass"\nclasses = ["a", "b", "c"]'
    cells = evaluated(tmp_path, {"A": matrix}, task).confusions

    assert len(cells) == 9
    ranks = {(cell.truth, cell.prediction): cell.rank for cell in cells}
    assert ranks["b", "a"] == 1
    assert ranks["a", "b"] == 2
    # Of the two confusions with five cases that of the smaller class comes first.
    assert (ranks["c", "a"], ranks["b", "c"]) == (3, 4)
    assert ranks["a", "a"] is None
    assert ranks["a", "c"] is None
    worst = next(cell for cell in cells if cell.rank == 1)
    assert worst.proportion == 30 / 70
    limits = proportion_confint(30, 70, 0.05, "wilson")
    assert (worst.low, worst.high) == pytest.approx(limits, abs=1e-12)


def test_likelihood_points_lie_at_the_rates(tmp_path: Path) -> None:
    """A and B in ROC space, with the limits of each rate by itself."""
    evaluation = evaluated(
        tmp_path, {"A": confusion((40, 10), (5, 45)), "B": confusion((30, 20), (10, 40))}
    )
    points = {point.classifier: point for point in evaluation.likelihood_points}

    assert (points["A"].fpr, points["A"].tpr) == (0.1, 0.8)
    limits = proportion_confint(40, 50, 0.05, "wilson")
    assert (points["A"].tpr_low, points["A"].tpr_high) == pytest.approx(limits, abs=1e-12)
    assert not points["B"].swapped


def test_the_majority_baseline_is_compared_by_intervals(tmp_path: Path) -> None:
    """70 of 100 cases are negative: 95 right are above, 50 right below, 72 right around that."""
    evaluation = evaluated(
        tmp_path,
        {
            "High": confusion((27, 3), (2, 68)),
            "Low": confusion((15, 15), (35, 35)),
            "Near": confusion((15, 15), (13, 57)),
        },
    )
    baseline = evaluation.majority_baseline

    assert baseline is not None
    assert baseline.proportion == 0.7
    assert [comparison.position for comparison in baseline.comparisons] == [
        "above",
        "below",
        "containing",
    ]


def test_a_table_has_the_numbers_that_caret_prints(tmp_path: Path) -> None:
    """The example of confusionMatrix in the documentation of caret (Kuhn 2008)."""
    evaluation = evaluated(tmp_path, {"A": confusion((231, 27), (32, 54))})
    baseline = evaluation.majority_baseline
    counts = evaluation.aggregates.confusion
    assert baseline is not None
    assert counts is not None
    names = ("detection_rate", "detection_prevalence", "kappa", "balanced_accuracy")
    values = compute_count_values(counts, [get_measure(name) for name in names], "yes").by_key()
    result = [values["A", None, None, name].value for name in names]
    (row,) = baseline.comparisons

    assert result == pytest.approx([0.6715, 0.7645, 0.5336, 0.7616], abs=5e-5)
    assert baseline.proportion == 0.75
    assert row.p == pytest.approx(0.0003097, abs=5e-8)
    assert row.kappa is not None
    assert row.kappa.kappa == pytest.approx(0.5336, abs=5e-5)
