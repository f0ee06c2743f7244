"""Sums over cases of what their probabilities are worth."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, log_loss

from reportgen.aggregates.probabilities import (
    CALIBRATION_BINS,
    CalibrationBins,
    ProbabilityLossSums,
    calibration_bin,
    count_calibration_bins,
    information_score,
    sum_probability_losses,
)
from tests.scored_cases import binary_cases, drawn_probabilities, several_classes


def test_sums_of_two_classes_are_of_the_positive_one() -> None:
    """Brier (1 − 0.8)² + 0.4², log-loss −ln 0.8 − ln 0.6, and the squares of each."""
    row = sum_probability_losses(binary_cases([1, 0], {"A": [0.8, 0.4]})).frame.row(0, named=True)

    assert row["cases"] == 2
    assert row["probability_errors"] == pytest.approx(0.2**2 + 0.4**2)
    assert row["probability_errors_squared"] == pytest.approx(0.2**4 + 0.4**4)
    assert row["log_losses"] == pytest.approx(-math.log(0.8) - math.log(0.6))
    assert row["log_losses_squared"] == pytest.approx(math.log(0.8) ** 2 + math.log(0.6) ** 2)
    # Both classes have half of the cases, so an answer of p is worth log2 p + 1 bit.
    assert row["information"] == pytest.approx(math.log2(0.8) + math.log2(0.6) + 2)
    assert row["prior_entropy"] == 1


def test_sums_of_several_classes_agree_with_scikit_learn() -> None:
    """The Brier score is on the scale from 0 to 2."""
    truth, rows = drawn_probabilities(5, cases=200, classes=4)
    rows /= rows.sum(axis=1, keepdims=True)
    row = sum_probability_losses(several_classes(truth.tolist(), {"A": rows})).frame.row(
        0, named=True
    )

    brier = brier_score_loss(truth, rows, scale_by_half=False)
    assert row["probability_errors"] / 200 == pytest.approx(brier, rel=1e-12)
    assert row["log_losses"] / 200 == pytest.approx(log_loss(truth, rows), rel=1e-12)


@pytest.mark.parametrize(("positives", "cases", "bits"), [(5, 10, 1.0), (2, 10, 0.7219)])
def test_a_perfect_classifier_gives_the_entropy_of_the_classes(
    positives: int, cases: int, bits: float
) -> None:
    """1.0 bit at a share of 0.5 and 0.7219 at 0.2, as El Emam prints them (section 6.7.5)."""
    truth = [1] * positives + [0] * (cases - positives)
    sums = sum_probability_losses(binary_cases(truth, {"A": [float(label) for label in truth]}))
    row = sums.frame.row(0, named=True)

    assert row["information"] / cases == pytest.approx(bits, abs=5e-5)
    assert row["information"] / cases == pytest.approx(row["prior_entropy"], rel=1e-12)


def test_a_misleading_answer_counts_negatively() -> None:
    """Prior 0.2, given 0.1: log2 0.8 − log2 0.9; the prior itself as an answer is worth 0."""
    shares, truth = np.array([0.2, 0.8]), np.array([0, 0, 0])
    values = information_score(shares, truth, np.array([0.1, 0.2, 0.4]))

    assert values.tolist() == pytest.approx([math.log2(0.8) - math.log2(0.9), 0, 1])


def test_a_true_class_with_probability_0_makes_the_sum_infinite() -> None:
    """Only of the log-loss."""
    row = sum_probability_losses(binary_cases([1, 0], {"A": [0.0, 0.4]})).frame.row(0, named=True)

    assert row["log_losses"] == math.inf
    assert math.isfinite(row["information"])


def test_priors_are_those_of_all_cases_in_every_fold() -> None:
    """Fold 1 has only cases of yes, whose share of all is 3/4: worth −log2 of it each."""
    cases = binary_cases([1, 1, 1, 0], {"A": [1.0, 1.0, 1.0, 0.0]}, ["1", "1", "2", "2"])
    rows = sum_probability_losses(cases).frame.select("fold", "information", "prior_entropy").rows()
    bits = -math.log2(3 / 4)

    assert [row[0] for row in rows] == [None, "1", "2"]
    assert rows[1][1:] == (pytest.approx(2 * bits), pytest.approx(bits))


def test_bins_are_closed_above_as_in_guo_2017() -> None:
    """0 is in the first, 1 in the last, and 3/15 in the third, not the fourth."""
    assert calibration_bin(np.array([0.0, 1 / 15, 0.2, 0.2000001, 1.0])).tolist() == [
        0,
        0,
        2,
        3,
        14,
    ]


def test_calibration_of_the_positive_class_agrees_with_scikit_learn() -> None:
    """Mean probability and share of hits of every bin that has cases."""
    truth, rows = drawn_probabilities(6, cases=500, classes=2)
    sums = count_calibration_bins(binary_cases(truth.tolist(), {"A": rows[:, 1].tolist()}))
    used = sums.frame.filter(pl.col("cases") > 0)
    shares, confidences = calibration_curve(truth, rows[:, 1], n_bins=CALIBRATION_BINS)

    assert (used["hits"] / used["cases"]).to_list() == pytest.approx(shares.tolist())
    values = (used["confidence_sum"] / used["cases"]).to_list()
    assert values == pytest.approx(confidences.tolist())
    assert sums.frame["bin"].to_list() == list(range(CALIBRATION_BINS))
    assert sums.frame["class"].unique().to_list() == ["yes"]


def test_calibration_of_several_classes_is_of_the_most_probable_one() -> None:
    """Two cases sure by 0.8 of the first class, of which one is of it."""
    rows = np.array([[0.8, 0.1, 0.1], [0.8, 0.2, 0.0]])
    cases = several_classes([0, 1], {"A": rows})
    used = count_calibration_bins(cases).frame.filter(pl.col("cases") > 0)

    assert used.row(0, named=True) == {
        "classifier": "A",
        "class": None,
        "bin": 11,
        "cases": 2,
        "confidence_sum": 1.6,
        "hits": 1,
        "hit_confidence": 0.8,
        "hit_squares": pytest.approx(0.64),
        "miss_squares": pytest.approx(0.64),
    }
    gap = sum_probability_losses(cases).frame["calibration_gap"][0]
    assert gap == pytest.approx(1.6 - 1)


def test_loss_sums_and_bins_reject_other_frames() -> None:
    """Columns are part of the contract."""
    cases = binary_cases([1, 0], {"A": [0.8, 0.4]})

    with pytest.raises(TypeError, match="probability loss sums need"):
        ProbabilityLossSums(sum_probability_losses(cases).frame.drop("cases"))
    with pytest.raises(TypeError, match="calibration bins need"):
        CalibrationBins(count_calibration_bins(cases).frame.drop("bin"))
