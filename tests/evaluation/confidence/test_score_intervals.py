"""Intervals of measures of scores and probabilities."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import norm, skew, t

from reportgen.aggregates.curves import count_curves
from reportgen.aggregates.delong import delong_covariances
from reportgen.aggregates.model import Aggregates
from reportgen.aggregates.operating_points import OperatingPointPlan, aggregate_operating_points
from reportgen.aggregates.precision_recall import pr_covariances
from reportgen.aggregates.probabilities import count_calibration_bins, sum_probability_losses
from reportgen.aggregates.ranking import compute_ranking_statistics
from reportgen.evaluation.confidence.scores import add_score_confidence_intervals
from reportgen.evaluation.values import (
    MeasureValue,
    MeasureValues,
    compute_operating_point_values,
    compute_probability_values,
    compute_ranking_values,
)
from reportgen.spec.inference import IntervalSettings
from reportgen.statistics.auc import influence_interval
from reportgen.statistics.distributions import satterthwaite_df
from tests.scored_cases import audit_of, binary_cases, drawn_probabilities, several_classes
from tests.tables import SCORE_MEASURES

if TYPE_CHECKING:
    from reportgen.aggregates.scored_cases import ScoredCases

TRUTH, ROWS = drawn_probabilities(11, cases=200, classes=2)
PROBABILITY = ROWS[:, 1]


def tallied(cases: ScoredCases) -> Aggregates:
    """Return predictions with the tallies of scored cases."""
    return Aggregates(
        classes=cases.classes,
        confusion=None,
        regression=None,
        inputs=(),
        audits=tuple(audit_of(classifier.classifier) for classifier in cases.classifiers),
        joined_by="id",
        case_count=len(cases.truth),
        warnings=(),
        curves=count_curves(cases),
        ranking=compute_ranking_statistics(cases),
        auc_covariances=delong_covariances(cases),
        pr_covariances=pr_covariances(cases),
        probability_losses=sum_probability_losses(cases),
        calibration=count_calibration_bins(cases),
        operating_points=aggregate_operating_points(
            cases, OperatingPointPlan.from_measures(SCORE_MEASURES, IntervalSettings(draws=1000))
        ),
    )


def values_with_intervals(
    predictions: Aggregates, positive: str | None, settings: IntervalSettings | None = None
) -> dict[tuple[str, str | None, str | None, str], MeasureValue]:
    """Score predictions, with intervals."""
    assert predictions.ranking is not None
    assert predictions.probability_losses is not None
    scores = MeasureValues.concat(
        [
            compute_ranking_values(predictions.ranking, SCORE_MEASURES, positive),
            compute_probability_values(predictions.probability_losses, SCORE_MEASURES),
            *(
                [compute_operating_point_values(predictions.operating_points, SCORE_MEASURES)]
                if predictions.operating_points
                else []
            ),
        ]
    )
    return add_score_confidence_intervals(
        scores, predictions, settings or IntervalSettings()
    ).by_key()


BINARY = tallied(binary_cases(TRUTH.tolist(), {"A": PROBABILITY.tolist()}))


def of(
    name: str, predictions: Aggregates = BINARY, settings: IntervalSettings | None = None
) -> MeasureValue:
    """Return a score of the positive class of classifier A."""
    return values_with_intervals(predictions, "yes", settings)["A", None, None, name]


def test_a_mean_of_areas_of_too_few_cases_has_no_limits() -> None:
    """The class of nine cases has Newcombe's limits; weighted by cases, they do not matter."""
    truth, rows = drawn_probabilities(12, cases=200, classes=3)
    of_two = np.flatnonzero(truth == 2)
    for subset, has_limits in ((9, False), (10, True)):
        cases = np.concatenate([np.flatnonzero(truth != 2), of_two[:subset]])
        result = values_with_intervals(
            tallied(several_classes(truth[cases].tolist(), {"A": rows[cases]})), None
        )
        areas = {key[1:3]: score for key, score in result.items() if key[3] == "roc_auc"}
        with_limits = {key for key, score in areas.items() if score.low is not None}

        always = {("0", None), ("1", None), ("2", None), (None, "weighted")}
        small = {(None, "macro"), (None, None)}
        assert set(areas) == always | small
        assert with_limits == (always | small if has_limits else always)
        assert areas["2", None].method == "newcombe"


def test_an_area_has_delong_s_limits_on_the_logit_scale() -> None:
    """expit(logit A ∓ z·SE/(A(1 − A))), worked out with SciPy."""
    score = of("roc_auc")
    assert BINARY.auc_covariances is not None
    variance = BINARY.auc_covariances.covariances(["A"], None)
    assert variance is not None
    assert score.value is not None
    logit = math.log(score.value / (1 - score.value))
    error = math.sqrt(variance[0, 0]) / (score.value * (1 - score.value))
    expected = [1 / (1 + math.exp(-(logit + side * norm.ppf(0.975) * error))) for side in (-1, 1)]

    assert [score.low, score.high] == pytest.approx(expected, rel=1e-12)
    assert score.method == "delong"


@pytest.mark.parametrize("name", ["average_precision", "pr_auc"])
def test_areas_of_precision_have_the_standard_error_of_the_jackknife(name: str) -> None:
    """Areas with one case left out at a time vary as the influence function says."""
    left_out = []
    for case in range(len(TRUTH)):
        subset = np.arange(len(TRUTH)) != case
        cases = binary_cases(TRUTH[subset].tolist(), {"A": PROBABILITY[subset].tolist()})
        ranking = compute_ranking_statistics(cases)
        scores = compute_ranking_values(ranking, SCORE_MEASURES, "yes").by_key()
        left_out.append(scores["A", None, None, name].value)
    spread = np.array(left_out, dtype=np.float64) - np.mean(np.array(left_out, dtype=np.float64))
    error = math.sqrt(float((spread**2).sum()) * 199 / 200)
    assert BINARY.pr_covariances is not None
    moments = BINARY.pr_covariances.covariance(name, ("A", "A"), None)
    assert moments is not None
    score = of(name)
    assert score.value is not None
    freedom = satterthwaite_df(moments[0] * 199 / 200, moments[1], 200)
    expected = influence_interval(score.value, moments[0], freedom, 0.95)

    assert math.sqrt(moments[0]) == pytest.approx(error, rel=0.05)
    assert (score.low, score.high) == pytest.approx(expected, rel=1e-12)
    assert score.method == "influence, logit"


@pytest.mark.parametrize("name", ["average_precision", "pr_auc"])
def test_a_perfect_ranking_has_a_lower_limit_of_its_precision(name: str) -> None:
    """It falls with the number of positives, and a single positive has none."""
    lows = []
    for positives in (2, 10, 50):
        truth = [1] * positives + [0] * 100
        score = of(name, tallied(binary_cases(truth, {"A": [float(label) for label in truth]})))
        assert (score.value, score.high) == (1, 1)
        assert score.method == "influence, logit, one pair exchanged"
        assert score.low is not None
        lows.append(score.low)
    alone = [1] + [0] * 100

    assert lows == sorted(lows)
    assert of(name, tallied(binary_cases(alone, {"A": [float(x) for x in alone]}))).method is None


@pytest.mark.parametrize("name", ["brier", "log_loss"])
def test_means_of_cases_have_limits_by_hall(name: str) -> None:
    """The limits at which Hall's transformed t statistic is ± Student's quantile; SciPy's skew."""
    own = np.where(TRUTH == 1, PROBABILITY, 1 - PROBABILITY)
    losses = (1 - own) ** 2 if name == "brier" else -np.log(own)
    score = of(name, settings=IntervalSettings(level=0.9))
    assert score.low is not None
    assert score.high is not None

    a, error = skew(losses) / math.sqrt(200), losses.std(ddof=1) / math.sqrt(200)
    for limit, side in ((score.low, 1), (score.high, -1)):
        statistic = (losses.mean() - limit) / error
        transformed = statistic + a * statistic**2 / 3 + a**2 * statistic**3 / 27 + a / 6
        assert transformed == pytest.approx(side * t.ppf(0.95, 199), rel=1e-9)
    assert score.method == "hall"


@pytest.mark.parametrize("name", ["information_score", "relative_information_score"])
def test_information_varies_with_the_shares_of_the_classes(name: str) -> None:
    """The jackknife over whole cases, which counts classes anew, gives the same standard error."""
    left_out = []
    for case in range(len(TRUTH)):
        subset = np.arange(len(TRUTH)) != case
        predictions = tallied(
            binary_cases(TRUTH[subset].tolist(), {"A": PROBABILITY[subset].tolist()})
        )
        assert predictions.probability_losses is not None
        scores = compute_probability_values(predictions.probability_losses, SCORE_MEASURES).by_key()
        left_out.append(scores["A", None, None, name].value)
    spread = np.array(left_out, dtype=np.float64) - np.mean(np.array(left_out, dtype=np.float64))
    error = math.sqrt(float((spread**2).sum()) * 199 / 200)
    score = of(name)
    assert score.low is not None
    assert score.high is not None

    assert (score.high - score.low) / 2 / t.ppf(0.975, 199) == pytest.approx(error, rel=0.02)
    assert score.method == "t"


def test_a_perfect_classifier_has_all_information_however_large_the_classes_are() -> None:
    """Its bits are the entropy of the classes, which varies; relative to it nothing does."""
    truth = [1] * 30 + [0] * 70
    predictions = tallied(binary_cases(truth, {"A": [float(label) for label in truth]}))

    assert of("information_score", predictions).method == "t"
    assert of("relative_information_score", predictions).value == pytest.approx(100)
    assert of("relative_information_score", predictions).method is None


def test_limits_of_losses_stay_at_0_or_above() -> None:
    """One bad case among ten: the mean of 0.081 is not sure by itself to be above 0."""
    truth = [1] * 5 + [0] * 5
    scores = [1.0] * 4 + [0.1] + [0.0] * 5
    score = of("brier", tallied(binary_cases(truth, {"A": scores})))

    assert score.value == pytest.approx(0.081)
    assert score.low == 0


def test_calibration_is_resampled_by_the_seed() -> None:
    """Limits around the value, the same for the same seed."""
    first = of("ece", settings=IntervalSettings(seed=1))

    assert first.method == "bootstrap, debiased"
    assert first.value is not None
    assert first.low is not None
    assert first.high is not None
    assert 0 <= first.low <= first.value <= first.high <= 1
    assert first == of("ece", settings=IntervalSettings(seed=1))
    assert first != of("ece", settings=IntervalSettings(seed=2))


def test_a_perfect_classifier_has_no_interval_of_its_losses() -> None:
    """Nothing varies, and to say so with an interval of no width would claim too much."""
    predictions = tallied(binary_cases([1, 1, 0, 0], {"A": [1.0, 1.0, 0.0, 0.0]}))
    result = values_with_intervals(predictions, "yes")

    for name in ("brier", "log_loss"):
        score = result["A", None, None, name]
        assert (score.low, score.high, score.method) == (None, None, None), name


@pytest.mark.parametrize("measure", [measure.name for measure in SCORE_MEASURES])
def test_repeated_cases_widen_every_interval(measure: str) -> None:
    """Each id was predicted four times; all are too sure, so that no limit is cut off."""
    sure = PROBABILITY**6 / (PROBABILITY**6 + (1 - PROBABILITY) ** 6)
    predictions = tallied(binary_cases(TRUTH.tolist(), {"A": sure.tolist()}))
    once = of(measure, predictions)
    repeated = of(measure, replace(predictions, distinct_cases=50))

    assert once.low is not None
    assert once.high is not None
    assert repeated.low is not None
    assert repeated.high is not None
    assert repeated.high - repeated.low > 1.3 * (once.high - once.low)


def test_areas_of_classes_averages_and_the_whole_have_intervals() -> None:
    """The macro interval is narrower than those of single classes."""
    truth, rows = drawn_probabilities(12, cases=150, classes=3)
    result = values_with_intervals(tallied(several_classes(truth.tolist(), {"A": rows})), None)
    keys = [
        ("0", None),
        ("1", None),
        ("2", None),
        (None, "macro"),
        (None, "weighted"),
        (None, None),
    ]
    widths = {}
    for class_, average in keys:
        score = result["A", class_, average, "roc_auc"]
        assert score.method == "delong"
        assert score.low is not None
        assert score.high is not None
        assert score.value is not None
        assert score.low < score.value < score.high
        widths[class_, average] = score.high - score.low

    single = [width for (class_, _), width in widths.items() if class_]
    assert widths[None, "macro"] < min(single)
    for name in ("average_precision", "pr_auc"):
        for class_, average in keys[:-1]:
            assert result["A", class_, average, name].method == "influence, logit"


@pytest.mark.slow
def test_delong_s_interval_contains_the_true_area_as_often_as_it_says() -> None:
    """Normal scores 1 apart have an area of Φ(1/√2); 95 % of 400 samples of 60."""
    truth = np.repeat([1, 0], 30)
    random = np.random.default_rng(13)
    names = [str(number) for number in range(400)]
    scores = {name: (truth + random.standard_normal(60)).tolist() for name in names}
    cases = binary_cases(truth.tolist(), scores, ranking_only=True)
    ranking = compute_ranking_statistics(cases)
    # Samples are no classifiers on the same cases, so only their own variances are needed.
    own = [binary_cases(truth.tolist(), {name: scores[name]}, ranking_only=True) for name in names]
    true_area = norm.cdf(1 / math.sqrt(2))
    covered = 0
    for name, alone in zip(names, own, strict=True):
        predictions = replace(
            BINARY,
            ranking=replace(ranking, frame=compute_ranking_statistics(alone).frame),
            auc_covariances=delong_covariances(alone),
        )
        assert predictions.ranking is not None
        part = compute_ranking_values(predictions.ranking, SCORE_MEASURES, "yes")
        score = add_score_confidence_intervals(part, predictions, IntervalSettings()).by_key()[
            name, None, None, "roc_auc"
        ]
        assert score.low is not None
        assert score.high is not None
        covered += score.low <= true_area <= score.high

    assert 0.92 <= covered / 400 <= 0.98
