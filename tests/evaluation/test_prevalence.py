"""What classifiers reach at another prevalence, from El Emam's tables and from the definitions."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from reportgen.evaluation.prevalence import (
    PREVALENCE_MEASURES,
    PositiveClassCounts,
    adjust_for_prevalence,
    compute_prevalence_curves,
    values_at_prevalences,
)
from reportgen.measures import MEASURE_REGISTRY, find_measure
from reportgen.measures.invariance import is_function_of_rates
from reportgen.pipeline import load_and_evaluate
from reportgen.spec import IntervalSettings
from tests.tables import binary_scores

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.values import MeasureValue

# Table 11: specificity, sensitivity, prevalence in the data and elsewhere.
EXAMPLE_1 = PositiveClassCounts("1", tp=630, fn=270, fp=10, tn=90)
EXAMPLE_2 = PositiveClassCounts("2", tp=140, fn=60, fp=80, tn=720)
EXAMPLE_3 = PositiveClassCounts("3", tp=50, fn=450, fp=25, tn=475)
# Table 12.
EXAMPLE_4 = PositiveClassCounts("4", tp=0, fn=200, fp=160, tn=640)
EXAMPLE_5 = PositiveClassCounts("5", tp=160, fn=40, fp=320, tn=480)
# intervals.md's table.
CHECKED = PositiveClassCounts("A", tp=80, fn=20, fp=30, tn=170)


def at(rates: PositiveClassCounts, target: float, level: float = 0.95) -> dict[str, MeasureValue]:
    """Return the scores of one classifier at one prevalence."""
    (row,) = adjust_for_prevalence([rates], [target], IntervalSettings(level=level))
    return dict(row.values)


@pytest.mark.parametrize(
    ("rates", "target", "accuracy", "precision"),
    [
        (EXAMPLE_1, 0.9, 0.72, 0.984),
        (EXAMPLE_1, 0.2, 0.86, 0.636),
        (EXAMPLE_2, 0.2, 0.86, 0.636),
        (EXAMPLE_2, 0.9, 0.72, 0.984),
        (EXAMPLE_3, 0.5, 0.525, 0.667),
        (EXAMPLE_3, 0.05, 0.9075, 0.0952),
        (EXAMPLE_4, 0.2, 0.64, 0.0),
        (EXAMPLE_5, 0.2, 0.64, 0.333),
    ],
)
def test_tables_11_and_12_come_out(
    rates: PositiveClassCounts, target: float, accuracy: float, precision: float
) -> None:
    """El Emam and others (2000), section 6.7: A(π) = sπ + f(1 − π), C(π) by equation 14."""
    scores = at(rates, target)

    assert scores["accuracy"].value == pytest.approx(accuracy, abs=1e-12)
    assert scores["precision"].value == pytest.approx(precision, abs=5e-4)


def test_kappa_of_figure_9_is_0_6_at_a_half() -> None:
    """With s = 0.7 and f = 0.9; and equation 15 elsewhere."""
    assert at(EXAMPLE_1, 0.5)["kappa"].value == pytest.approx(0.6, abs=1e-12)
    q, s, f = 0.1, 0.7, 0.9
    message = s * q + (1 - f) * (1 - q)
    expected = 2 * q * (1 - q) * (s + f - 1) / (q + message - 2 * q * message)
    assert at(EXAMPLE_2, q)["kappa"].value == pytest.approx(expected, rel=1e-12)


def test_best_a_priori_kappa_follows_equation_16() -> None:
    """(A − m)/(1 − m) with m the larger of q and 1 − q."""
    assert at(EXAMPLE_1, 0.2)["kappa_best"].value == pytest.approx((0.86 - 0.8) / 0.2, rel=1e-12)


def test_intervals_of_predictive_values_are_those_of_the_likelihood_ratios() -> None:
    """LR+ 5.333333 (3.801333, 7.537512), LR− 0.235294 (0.156436, 0.341939); odds of 1 to 9."""
    scores = at(CHECKED, 0.1)

    result = [
        (score.value, score.low, score.high, score.method)
        for score in map(scores.get, ("precision", "npv"))
        if score
    ]
    expected = [
        tuple(ratio / (9 + ratio) for ratio in (5.333333, 3.801333, 7.537512)),
        tuple(9 / (9 + ratio) for ratio in (0.235294, 0.341939, 0.156436)),
    ]
    assert [item[:3] for item in result] == [pytest.approx(item, abs=5e-7) for item in expected]
    assert {item[3] for item in result} == {"mover, log"}


def test_the_interval_of_accuracy_is_a_weighted_square_and_add() -> None:
    """Wilson: s 0.8 (0.711171, 0.866633), f 0.85 (0.793944, 0.892864); at 0.1 weights 0.1, 0.9."""
    score = at(CHECKED, 0.1)["accuracy"]

    down = ((0.1 * (0.8 - 0.711171)) ** 2 + (0.9 * (0.85 - 0.793944)) ** 2) ** 0.5
    up = ((0.1 * (0.866633 - 0.8)) ** 2 + (0.9 * (0.892864 - 0.85)) ** 2) ** 0.5
    assert (score.low, score.high) == pytest.approx((0.845 - down, 0.845 + up), abs=1e-6)


@pytest.mark.parametrize(("s", "f", "target"), [(0.8, 0.85, 0.1), (0.6, 0.9, 0.5), (0.9, 0.7, 0.8)])
def test_intervals_cover_as_often_as_they_say(s: float, f: float, target: float) -> None:
    """Exact coverage over all likely outcomes of 60 positives and 140 negatives: 93 to 97 %."""
    true = at(
        PositiveClassCounts("true", 1000 * s, 1000 * (1 - s), 1000 * (1 - f), 1000 * f), target
    )
    result = [(k, float(binom.pmf(k, 60, s))) for k in range(61)]
    spared = [(k, float(binom.pmf(k, 140, f))) for k in range(141)]
    outcomes = {
        PositiveClassCounts(f"{tp} {tn}", tp, 60 - tp, 140 - tn, tn): one * other
        for (tp, one), (tn, other) in itertools.product(result, spared)
        if one * other > 1e-5
    }
    rows = adjust_for_prevalence(list(outcomes), [target], IntervalSettings())

    for name, score in true.items():
        covered = sum(
            chance
            for chance, row in zip(outcomes.values(), rows, strict=True)
            if (row.values[name].low or 0) <= (score.value or 0) <= (row.values[name].high or 0)
        )
        assert 0.93 < covered / sum(outcomes.values()) < 0.97, name


@settings(deadline=None, max_examples=25)
@given(counts=st.tuples(*[st.integers(1, 500)] * 4))
def test_at_the_prevalence_of_the_data_every_measure_is_the_plain_one(
    counts: tuple[int, int, int, int],
) -> None:
    """The law that ties both computations together, for every measure that follows from rates."""
    tp, fn, fp, tn = counts
    rates = PositiveClassCounts("A", *map(float, counts))
    measures = [
        measure
        for measure in MEASURE_REGISTRY.values()
        if measure.applies_to("binary") and is_function_of_rates(measure)
    ]
    scores = values_at_prevalences([rates], measures, [rates.prevalence])

    plain = binary_scores({"A": (tp, fn, fp, tn)}, measures)

    for measure in measures:
        score = scores["A", rates.prevalence, measure.name].value
        expected = plain["A", None, None, measure.name].value
        assert score == pytest.approx(expected, rel=1e-9, abs=1e-9), measure.name


@settings(deadline=None, max_examples=50)
@given(
    counts=st.tuples(*[st.integers(0, 50)] * 4).filter(lambda c: c[0] + c[1] > 0 < c[2] + c[3]),
    target=st.floats(0.001, 0.999),
)
def test_intervals_contain_the_value_and_stay_in_the_range(
    counts: tuple[int, int, int, int], target: float
) -> None:
    """Zero counts included."""
    for name, score in at(PositiveClassCounts("A", *map(float, counts)), target).items():
        measure = find_measure(name)
        assert measure is not None
        if score.value is not None:
            assert score.low is not None
            assert score.high is not None
            assert score.low <= score.value <= score.high
            assert measure.range.contains(score.low)
            assert measure.range.contains(score.high)


def test_a_classifier_that_never_says_positive_has_no_precision_anywhere() -> None:
    """The other measures exist: f is 1, so accuracy is 1 − q."""
    scores = at(PositiveClassCounts("A", tp=0, fn=10, fp=0, tn=30), 0.1)

    assert scores["precision"].value is None
    assert "nothing was predicted" in (scores["precision"].reason or "")
    assert scores["accuracy"].value == pytest.approx(0.9)
    assert scores["kappa"].value == 0


def test_without_true_positives_in_the_data_nothing_is_known() -> None:
    """The sensitivity could be anything."""
    scores = at(PositiveClassCounts("A", tp=0, fn=0, fp=3, tn=30), 0.1)

    assert {score.value for score in scores.values()} == {None}
    assert {score.reason for score in scores.values()} == {
        "no case is truly positive, so sensitivity is unknown"
    }


def test_curves_run_through_the_whole_range_and_hold_only_numbers() -> None:
    """A hundred points; a classifier without precision has none there."""
    silent = PositiveClassCounts("silent", tp=0, fn=10, fp=0, tn=30)
    curves = {
        (c.classifier, c.measure): c.points for c in compute_prevalence_curves([EXAMPLE_1, silent])
    }

    assert len(curves) == 2 * len(PREVALENCE_MEASURES)
    assert len(curves["1", "kappa"]) == 100
    assert (curves["1", "kappa"][0][0], curves["1", "kappa"][-1][0]) == (0.005, 0.995)
    assert curves["silent", "precision"] == ()


def test_tests_of_association_do_not_follow_from_rates() -> None:
    """Chi-square grows with the number of cases."""
    assert not is_function_of_rates(MEASURE_REGISTRY["chi_square"])
    assert not is_function_of_rates(MEASURE_REGISTRY["rmse"])
    assert is_function_of_rates(MEASURE_REGISTRY["mcc"])


def test_a_case_predicted_twice_counts_once(tmp_path: Path) -> None:
    """The same answers in two repetitions: the same values, intervals and audit as in one."""
    answers = ["yes,yes"] * 14 + ["yes,no"] * 6 + ["no,yes"] * 9 + ["no,no"] * 31
    once = [f"c{number},1,{answer}" for number, answer in enumerate(answers)]
    twice = once + [f"c{number},2,{answer}" for number, answer in enumerate(answers)]
    result = []
    for name, rows in (("once", once), ("twice", twice)):
        text = "case,fold,truth,prediction\n" + "\n".join(rows) + "\n"
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        path = tmp_path / f"{name}.toml"
        path.write_text(
            '[task]\nkind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]\n'
            '[data]\ntruth = "truth"\nprediction = "prediction"\nfold = "fold"\nid = "case"\n'
            f'[[classifiers]]\nname = "A"\npredictions = "{name}.csv"\n'
            "[prevalence]\ntargets = [0.1]\n",
            encoding="utf-8",
        )
        evaluation = load_and_evaluate(path)
        result.append((evaluation.prevalence_values, evaluation.chance))

    assert result[0] == result[1]
