"""Areas under curves with limits from cases drawn anew, where a spec asks for resampling."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from reportgen.spec.inference import IntervalSettings
from tests.evaluation.confidence.test_score_intervals import of, tallied, values_with_intervals
from tests.scored_cases import binary_cases, drawn_probabilities, several_classes

if TYPE_CHECKING:
    from reportgen.aggregates.model import Aggregates

AREAS = ("roc_auc", "average_precision", "pr_auc")
BOOTSTRAP = IntervalSettings(method="bootstrap", draws=1000, seed=3)
TRUTH, ROWS = drawn_probabilities(21, cases=1200, classes=2)
LARGE = tallied(binary_cases(TRUTH.tolist(), {"A": ROWS[:, 1].tolist()}))
TIED = tallied(binary_cases(TRUTH.tolist(), {"A": ROWS[:, 1].round(1).tolist()}))


@pytest.mark.parametrize("predictions", [LARGE, TIED], ids=["no ties", "ties"])
def test_of_many_cases_the_limits_of_a_roc_area_are_delong_s(predictions: Aggregates) -> None:
    """Both ends within a tenth of the width, on 1 200 cases."""
    redrawn, usual = (
        of("roc_auc", predictions, request) for request in (BOOTSTRAP, IntervalSettings())
    )

    assert redrawn.method == "bootstrap"
    assert usual.method == "delong"
    assert usual.low is not None
    assert usual.high is not None
    near = 0.1 * (usual.high - usual.low)
    assert (redrawn.low, redrawn.high) == pytest.approx((usual.low, usual.high), abs=near)


@pytest.mark.parametrize("name", AREAS)
def test_limits_lie_around_the_value_and_the_seed_decides(name: str) -> None:
    """The same for the same seed, others for another."""
    first, again = of(name, LARGE, BOOTSTRAP), of(name, LARGE, BOOTSTRAP)
    other = of(name, LARGE, BOOTSTRAP.model_copy(update={"seed": 4}))

    assert first.method == "bootstrap"
    assert first.low is not None
    assert first.value is not None
    assert first.high is not None
    assert 0 < first.low < first.value < first.high < 1
    assert first == again
    assert first != other


@pytest.mark.parametrize("name", AREAS)
def test_repeated_cases_widen_resampled_limits(name: str) -> None:
    """Each id four times: twice as wide."""
    once = of(name, LARGE, BOOTSTRAP)
    repeated = of(name, replace(LARGE, distinct_cases=300), BOOTSTRAP)

    assert once.low is not None
    assert once.high is not None
    assert repeated.low is not None
    assert repeated.high is not None
    width = once.high - once.low
    assert repeated.high - repeated.low == pytest.approx(2 * width, rel=0.15)


def test_draws_that_are_all_alike_leave_the_recommended_limits() -> None:
    """Separated classes: pairs still doubt the area of 1, and so does one exchanged pair."""
    truth = [1] * 12 + [0] * 15
    predictions = tallied(binary_cases(truth, {"A": [0.5 + label / 4 for label in truth]}))

    for name in AREAS:
        result = of(name, predictions, BOOTSTRAP)
        assert result.value == 1
        assert result == of(name, predictions)
    assert of("roc_auc", predictions, BOOTSTRAP).method == "clopper-pearson on min(n1, n0) pairs"
    assert of("pr_auc", predictions, BOOTSTRAP).method == "influence, logit, one pair exchanged"


def test_scores_that_are_all_equal_have_no_limits_of_their_area() -> None:
    """½ in every draw; precision is the prevalence, which varies."""
    predictions = tallied(binary_cases([1] * 12 + [0] * 15, {"A": [0.5] * 27}))

    assert of("roc_auc", predictions, BOOTSTRAP).value == 0.5
    assert of("roc_auc", predictions, BOOTSTRAP).method is None
    assert of("average_precision", predictions, BOOTSTRAP).method == "influence, logit"


@pytest.mark.parametrize(("positives", "resampled"), [(9, False), (10, True)])
def test_fewer_than_ten_cases_are_too_few_to_draw_from(positives: int, *, resampled: bool) -> None:
    """As they are for DeLong's variance."""
    random = np.random.default_rng(22)
    truth = np.repeat([1, 0], [positives, 30])
    scores = 1 / (1 + np.exp(-truth - random.standard_normal(len(truth))))
    predictions = tallied(binary_cases(truth.tolist(), {"A": scores.tolist()}))

    for name, usual in (("roc_auc", "newcombe"), ("average_precision", "influence, logit")):
        method = of(name, predictions, BOOTSTRAP).method
        assert method == ("bootstrap" if resampled else usual)


def test_areas_of_several_classes_keep_the_recommended_limits() -> None:
    """Their curves are known by corners only, and averages need all scores of a case at once."""
    truth, rows = drawn_probabilities(23, cases=150, classes=3)
    predictions = tallied(several_classes(truth.tolist(), {"A": rows}))
    redrawn, usual = (
        values_with_intervals(predictions, None, BOOTSTRAP),
        values_with_intervals(predictions, None),
    )

    for key in usual:
        if key[3] in AREAS:
            assert redrawn[key] == usual[key]


def test_other_measures_of_scores_keep_the_recommended_limits() -> None:
    """Means over cases, and the calibration error, whose bias is taken off."""
    same_draws = IntervalSettings(draws=1000, seed=3)
    for name in ("brier", "log_loss", "ece"):
        assert of(name, LARGE, BOOTSTRAP) == of(name, LARGE, same_draws)
