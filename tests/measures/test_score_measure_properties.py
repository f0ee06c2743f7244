"""Laws that every measure of scores and probabilities keeps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.aggregates.operating_points import OperatingPointPlan, aggregate_operating_points
from reportgen.aggregates.probabilities import sum_probability_losses
from reportgen.aggregates.ranking import compute_ranking_statistics
from reportgen.evaluation.values import (
    MeasureValue,
    MeasureValues,
    ValueState,
    compute_operating_point_values,
    compute_probability_values,
    compute_ranking_values,
)
from reportgen.measures import MeasureFamily, Orientation, find_measure, get_measure
from reportgen.measures.descriptions import describe_interval_method
from tests.scored_cases import binary_cases, drawn_probabilities, several_classes
from tests.tables import SCORE_MEASURES

few = settings(max_examples=30, deadline=None)
SHARES = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(0, 1))
CASES = st.lists(st.tuples(st.integers(0, 1), SHARES), min_size=1, max_size=30)
Key = tuple[str, str | None, str | None, str]
# At the operating point that needs no parameter, and at one of each other kind.
PARAMETERIZED = tuple(
    map(
        get_measure,
        (
            "ks",
            "roc_auc@fpr<=0.3",
            "sensitivity@specificity=0.8",
            "specificity@sensitivity=0.8",
            "precision@recall=0.5",
            "recall@precision=0.9",
            "precision@k=3",
            "recall@k=3",
            "lift@0.4",
            "gain@0.4",
        ),
    )
)


def values_of_scores(truth: list[int], scores: dict[str, list[float]]) -> dict[Key, MeasureValue]:
    """Score probabilities of the positive class, by classifier."""
    cases = binary_cases(truth, scores)
    points = aggregate_operating_points(cases, OperatingPointPlan(PARAMETERIZED, n_resamples=2))
    assert points is not None
    return MeasureValues.concat(
        [
            compute_operating_point_values(points, PARAMETERIZED),
            compute_ranking_values(compute_ranking_statistics(cases), SCORE_MEASURES, "yes"),
            compute_probability_values(sum_probability_losses(cases), SCORE_MEASURES),
        ]
    ).by_key()


@few
@given(CASES)
def test_a_value_is_in_range_or_its_absence_has_a_reason(drawn: list[tuple[int, float]]) -> None:
    """Also with one class only, one case, and probabilities of 0 and 1."""
    truth, scores = [label for label, _ in drawn], [share for _, share in drawn]
    for (_, _, _, name), score in values_of_scores(truth, {"A": scores}).items():
        measure = find_measure(name)
        assert measure is not None
        if score.state is ValueState.DEFINED:
            assert score.value is not None
            assert measure.range.contains(score.value), (name, score)
            assert score.reason is None
        else:
            assert score.value is None
            assert score.reason, name


@few
@given(CASES)
def test_no_probabilities_beat_the_truth_itself(drawn: list[tuple[int, float]]) -> None:
    """Probability 1 for what comes true is never worse."""
    truth = [label for label, _ in drawn]
    given_scores = {"real": [share for _, share in drawn], "perfect": [float(y) for y in truth]}
    results = values_of_scores(truth, given_scores)
    for measure in (*SCORE_MEASURES, *PARAMETERIZED):
        if measure.name == "sensitivity@precision=0.9":
            continue  # undefined where no threshold is precise enough
        real, perfect = (results[name, None, None, measure.name] for name in ("real", "perfect"))
        assert (real.state is ValueState.UNDEFINED) == (perfect.state is ValueState.UNDEFINED), (
            measure.name
        )
        if real.number is None or perfect.number is None:
            continue
        if measure.orientation is Orientation.HIGHER:
            assert perfect.number >= real.number - 1e-9, measure.name
        else:
            assert perfect.number <= real.number + 1e-9, measure.name


def test_a_perfect_classifier_has_the_best_value() -> None:
    """The end of the range, and one bit for two classes of equal size."""
    best = {
        "roc_auc": 1,
        "average_precision": 1,
        "pr_auc": 1,
        "ks": 1,
        "brier": 0,
        "log_loss": 0,
        "ece": 0,
        "information_score": 1,
        "relative_information_score": 100,
    }
    results = values_of_scores([1, 1, 0, 0], {"A": [1.0, 1.0, 0.0, 0.0]})

    assert {m.name: results["A", None, None, m.name].value for m in SCORE_MEASURES} == best


@few
@given(CASES)
def test_rankings_do_not_change_when_scores_are_stretched(
    drawn: list[tuple[int, float]],
) -> None:
    """Only the order of the scores counts; halving and squaring powers of two keeps it exactly."""
    truth = [label for label, _ in drawn]
    eighths = [round(share * 8) / 8 for _, share in drawn]
    results = values_of_scores(truth, {"A": eighths, "B": [share * share / 2 for share in eighths]})
    for measure in (*SCORE_MEASURES, *PARAMETERIZED):
        if measure.family is not MeasureFamily.PROBABILITY:
            assert results["A", None, None, measure.name] == results["B", None, None, measure.name]


@few
@given(CASES)
def test_turning_scores_around_turns_the_area_around(drawn: list[tuple[int, float]]) -> None:
    """AUC becomes 1 − AUC, with ties as with all else."""
    truth = [label for label, _ in drawn]
    scores = [share for _, share in drawn]
    results = values_of_scores(truth, {"A": scores, "B": [1 - round(share, 3) for share in scores]})
    rounded = values_of_scores(truth, {"A": [round(share, 3) for share in scores]})
    area, area_of_reversed = (
        rounded["A", None, None, "roc_auc"],
        results["B", None, None, "roc_auc"],
    )

    assert area.state is area_of_reversed.state
    if area.value is not None:
        assert area_of_reversed.value == pytest.approx(1 - area.value, abs=1e-12)


def test_telling_the_shares_of_the_classes_gives_no_information() -> None:
    """Brier p(1 − p), log-loss the entropy in nats, calibration perfect, information 0."""
    results = values_of_scores([1, 0, 0, 0], {"A": [0.25] * 4})
    values = {m.name: results["A", None, None, m.name].value for m in SCORE_MEASURES}

    assert values["roc_auc"] == 0.5
    assert values["average_precision"] == values["pr_auc"] == 0.25
    assert values["brier"] == pytest.approx(0.25 * 0.75)
    entropy = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    assert values["log_loss"] == pytest.approx(entropy)
    assert values["ece"] == values["information_score"] == 0
    assert values["relative_information_score"] == 0


def test_an_infinite_log_loss_says_why() -> None:
    """One true class had probability 0."""
    score = values_of_scores([1, 0], {"A": [0.0, 0.5]})["A", None, None, "log_loss"]

    assert score == MeasureValue(
        None, ValueState.INFINITE, "+∞: a true class was given probability 0"
    )


def test_one_class_has_no_area_and_no_information() -> None:
    """No pair of different classes, and nothing to know."""
    results = values_of_scores([1, 1], {"A": [0.2, 0.5]})

    assert results["A", None, None, "roc_auc"].reason == (
        "there are no two cases of different classes (pairs = 0)"
    )
    assert results["A", None, None, "average_precision"].value == 1
    assert (
        results["A", None, None, "information_score"].reason == "all cases are of one class (E = 0)"
    )


def test_several_classes_are_averaged_and_taken_as_a_whole() -> None:
    """Per class, macro, weighted by size, and Hand and Till's mean; no micro average."""
    truth, rows = drawn_probabilities(8, cases=90, classes=3)
    cases = several_classes(truth.tolist(), {"A": rows})
    results = compute_ranking_values(
        compute_ranking_statistics(cases), SCORE_MEASURES, None
    ).by_key()
    areas = [results["A", str(class_), None, "roc_auc"].value for class_ in range(3)]
    overall = results["A", None, None, "roc_auc"].value

    assert results["A", None, "macro", "roc_auc"].value == pytest.approx(np.mean(np.array(areas)))
    weighted = np.average(np.array(areas), weights=np.bincount(truth))
    assert results["A", None, "weighted", "roc_auc"].value == pytest.approx(weighted)
    assert overall is not None
    assert {key[2] for key in results} == {None, "macro", "weighted"}
    assert ("A", None, None, "average_precision") not in results


def test_only_areas_are_resampled_from_scores() -> None:
    """What the definitions say is what the intervals do."""
    for measure in SCORE_MEASURES:
        resampled, recommended = (
            describe_interval_method(measure, method) for method in ("bootstrap", "recommended")
        )
        is_area = measure.family is MeasureFamily.RANKING
        assert (resampled != recommended) == is_area
        assert ("bootstrap, stratified by true class" in resampled) == is_area
