"""Net benefit, expected cost, gains and natural frequencies against other implementations."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import roc_curve

from reportgen.aggregates.curves import cumulate_counts
from reportgen.aggregates.threshold_choice import ThresholdRule
from reportgen.evaluation.decision_curves import (
    GAIN_FRACTIONS,
    find_cost_ranges,
    gains_at,
    net_benefit,
)
from reportgen.evaluation.thresholds import shortest_threshold
from reportgen.export.results import build_results
from tests.report.report_text import BINARY, MULTICLASS, evaluated

if TYPE_CHECKING:
    from reportgen.evaluation.decision_curves import DecisionAnalysis
    from reportgen.evaluation.evaluation import Evaluation

REFERENCES = Path(__file__).parents[1] / "references"
DATA = '[data]\nid = "id"\nscore = "score"\n'


def evaluate_scored(folder: Path, extra: str = "", size: int = 300) -> Evaluation:
    """Evaluate a good and a poor classifier of the same cases."""
    random = np.random.default_rng(7)
    truth = random.uniform(size=size) < 0.3
    classifiers = {}
    for name, strength in (("good", 2.5), ("poor", 1.0)):
        score = 1 / (1 + np.exp(-(strength * truth + random.normal(size=size) - 1.5)))
        pl.DataFrame(
            {
                "id": np.arange(size),
                "truth": np.where(truth, "yes", "no"),
                "score": score,
                "prediction": np.where(score >= 0.5, "yes", "no"),
            }
        ).write_parquet(folder / f"{name}.parquet")
        classifiers[name] = f'predictions = "{name}.parquet"'
    return evaluated(folder, classifiers, BINARY, DATA + extra)


def decisions(evaluation: Evaluation) -> DecisionAnalysis:
    """Return the decision analysis, which a binary task has."""
    assert evaluation.decisions is not None
    return evaluation.decisions


def read_scores(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return truth and scores of a classifier."""
    frame = pl.read_parquet(folder / f"{name}.parquet")
    return (frame["truth"] == "yes").to_numpy(), frame["score"].to_numpy()


def test_net_benefit_is_that_of_dcurves() -> None:
    """df_binary, model cancerpredmarker; by the function dca of dcurves 1.1.7."""
    frame = pl.read_csv(REFERENCES / "dcurves_df_binary.csv")
    cancer = frame["cancer"].to_numpy().astype(bool)
    counts = cumulate_counts(frame["cancerpredmarker"].to_numpy(), cancer)
    values = net_benefit(counts, np.array([0.05, 0.10, 0.15, 0.20, 0.35]), cancer.mean())

    assert values == pytest.approx([0.10554, 0.08741, 0.07922, 0.06733, 0.05015], abs=5e-6)


def test_treating_all_is_the_net_benefit_of_a_threshold_of_nothing(tmp_path: Path) -> None:
    """π − (1 − π) t/(1 − t), the counts of all cases."""
    analysis = decisions(evaluate_scored(tmp_path))
    (treat_all,) = (curve for curve in analysis.net_benefit if curve.classifier is None)
    threshold = np.array(treat_all.thresholds)
    truth, _ = read_scores(tmp_path, "good")

    odds = threshold / (1 - threshold)
    assert treat_all.net_benefit == pytest.approx(truth.mean() - (1 - truth.mean()) * odds)
    assert threshold[-1] == pytest.approx(min(0.99, 4 * truth.mean()))


def least_costs(folder: Path, name: str, ratio: float) -> float:
    """Return the lowest cost of any threshold, nothing positive included."""
    truth, score = read_scores(folder, name)
    costs = [ratio * truth.sum()]
    for threshold in np.unique(score):
        predicted = score >= threshold
        costs.append((predicted & ~truth).sum() + ratio * (~predicted & truth).sum())
    return float(min(costs))


def test_a_cost_curve_is_the_lowest_cost_of_any_threshold(tmp_path: Path) -> None:
    """Normalised by ratio · positives + negatives, at the probability-cost of the ratio."""
    analysis = decisions(evaluate_scored(tmp_path))
    (curve,) = (
        cost_curve for cost_curve in analysis.cost_curves if cost_curve.classifier == "poor"
    )
    truth, _ = read_scores(tmp_path, "poor")

    for at in (10, 35, 50, 80):
        share = curve.probability_cost[at]
        ratio = share / (1 - share) * (~truth).sum() / truth.sum()
        worst = ratio * truth.sum() + (~truth).sum()
        assert curve.cost[at] == pytest.approx(least_costs(tmp_path, "poor", ratio) / worst)


def test_the_ranges_are_those_of_the_lowest_cost(tmp_path: Path) -> None:
    """At ratios inside every range no other classifier and no constant prediction costs less."""
    analysis = decisions(evaluate_scored(tmp_path))
    truth, _ = read_scores(tmp_path, "good")

    assert analysis.cost_ranges[0].low == 0
    assert analysis.cost_ranges[-1].high is None
    for before, after in itertools.pairwise(analysis.cost_ranges):
        assert before.high == after.low
    for cost_range in analysis.cost_ranges:
        ratio = math.sqrt(
            max(cost_range.low, 1e-4) * (1e4 if cost_range.high is None else cost_range.high)
        )
        costs = {name: least_costs(tmp_path, name, ratio) for name in ("good", "poor")}
        constant = {"none": ratio * truth.sum(), "all": float((~truth).sum())}
        lowest = min((*costs.values(), *constant.values()))
        own = (
            costs[cost_range.classifiers[0]]
            if cost_range.classifiers
            else constant[cost_range.trivial or "all"]
        )
        assert own == pytest.approx(lowest)


def test_ranges_of_two_crossing_points() -> None:
    """(0, 0.6) and (0.5, 1) at prevalence 1/2: equal where 0.4 r = 0.5, trivial nowhere."""
    hulls = {"safe": np.array([[0.0, 0.6]]), "keen": np.array([[0.5, 1.0]])}
    first, second = find_cost_ranges(hulls, 0.5)

    assert (first.classifiers, second.classifiers) == (("safe",), ("keen",))
    assert (first.low, second.high) == (0.0, None)
    assert (first.high, second.low) == pytest.approx((1.25, 1.25))


def test_a_useless_classifier_has_no_range() -> None:
    """On the diagonal; below a ratio of (1 − π)/π nothing is predicted positive, above all."""
    none, all_ = find_cost_ranges({"coin": np.array([[0.5, 0.5]])}, 0.2)

    assert (none.trivial, all_.trivial) == ("none", "all")
    assert (none.low, all_.high) == (0.0, None)
    assert (none.high, all_.low) == pytest.approx((4.0, 4.0))


def test_gains_and_lift_are_those_of_sorted_cases(tmp_path: Path) -> None:
    """Without ties the positives among the first cases by score."""
    evaluation = evaluate_scored(tmp_path)
    truth, score = read_scores(tmp_path, "good")
    ordered = truth[np.argsort(-score)]

    for row in decisions(evaluation).top_fractions:
        if row.classifier == "good":
            top = ordered[: round(row.fraction * 300)]
            assert row.gain == pytest.approx(top.sum() / truth.sum())
            assert row.lift == pytest.approx(top.mean() / truth.mean())
    assert {row.fraction for row in decisions(evaluation).top_fractions} == set(GAIN_FRACTIONS)


def test_tied_scores_gain_in_proportion() -> None:
    """Half of four equal scores of which two are positive: one of the two."""
    counts = cumulate_counts(np.full(4, 0.3), np.array([True, False, True, False]))

    assert gains_at(counts, np.array([0.0, 0.25, 0.5, 1.0])) == pytest.approx([0, 0.25, 0.5, 1])


def test_rates_at_fixed_rates_are_those_of_the_roc_curve(tmp_path: Path) -> None:
    """`roc_curve` of scikit-learn with all thresholds."""
    truth, score = None, None
    evaluation = evaluate_scored(tmp_path)
    for row in decisions(evaluation).constrained_rates:
        truth, score = read_scores(tmp_path, row.classifier)
        fpr, tpr, _ = roc_curve(truth, score, drop_intermediate=False)
        expected = (
            tpr[1 - fpr >= row.minimum - 1e-12].max()
            if row.rate == "sensitivity"
            else (1 - fpr)[tpr >= row.minimum - 1e-12].max()
        )
        assert row.value == pytest.approx(expected)


def test_natural_frequencies_at_another_prevalence(tmp_path: Path) -> None:
    """10,000 cases, of which 20 are positive; sensitivity and specificity stay."""
    declared = (
        "[decision]\nprevalence = 0.002\ncost = { false_positive = 1, false_negative = 50 }\n"
    )
    evaluation = evaluate_scored(tmp_path, declared)
    analysis = decisions(evaluation)
    truth, score = read_scores(tmp_path, "good")
    predicted = score >= 0.5
    sensitivity = (predicted & truth).sum() / truth.sum()
    specificity = (~predicted & ~truth).sum() / (~truth).sum()
    (point,) = (
        frequency
        for frequency in analysis.frequencies
        if (frequency.classifier, frequency.rule) == ("good", None)
    )
    row = point.frequencies

    assert (analysis.prevalence, analysis.is_declared, row.per) == (0.002, True, 10_000)
    assert (row.tp, row.fn) == pytest.approx((20 * sensitivity, 20 * (1 - sensitivity)))
    assert (row.fp, row.tn) == pytest.approx((9980 * (1 - specificity), 9980 * specificity))
    assert point.precision == pytest.approx(row.tp / (row.tp + row.fp))
    assert point.cost_per_case == pytest.approx((row.fp + 50 * row.fn) / 10_000)
    # The declared costs in both curves.
    assert analysis.declared_threshold == pytest.approx(1 / 51)
    assert analysis.declared_probability_cost == pytest.approx(0.1 / (0.1 + 0.998))
    assert analysis.declared_range in analysis.cost_ranges
    # The chosen threshold has a row of its own.
    assert {frequency.rule for frequency in analysis.frequencies} >= {None, ThresholdRule.COST}


@pytest.mark.parametrize(
    ("scores", "threshold", "rounded"),
    [
        ([0.571, 0.59837261], 0.59837261, 0.59),
        ([0.571, 0.59837261], 0.571, 0.5),
        ([0.4, 0.5], 0.5, 0.5),
        # A double a little less than its shortest digits.
        ([0.416, 0.417], 0.417, 0.417),
        ([0.99999975, 0.99999987], 0.99999987, 0.9999998),
        ([0.00018, 0.0018213], 0.0018213, 0.001),
        ([-3.27, 12.345], 12.345, 10.0),
        ([-3.27, -1.234], -1.234, -2.0),
        ([0.1, 0.1 + 2e-16], 0.1 + 2e-16, 0.1 + 2e-16),
        # No score, so it is somebody's choice; and one above all scores.
        ([0.1, 0.9], 0.51, 0.51),
        ([0.1, 0.9], math.inf, math.inf),
    ],
)
def test_a_threshold_has_as_few_digits_as_predict_the_same(
    scores: list[float], threshold: float, rounded: float
) -> None:
    """At most the threshold, above the next lower score."""
    counts = cumulate_counts(np.array(scores), np.array([False, True]))
    value = shortest_threshold(counts, threshold)

    assert value == pytest.approx(rounded, rel=1e-15)
    assert [score >= value for score in scores] == [score >= threshold for score in scores]


def test_everything_is_exported(tmp_path: Path) -> None:
    """Every curve, range and table of the section."""
    evaluation = evaluate_scored(tmp_path)
    results, analysis = build_results(evaluation), decisions(evaluation)

    assert [row.prevalence for row in results.decision_context] == [analysis.prevalence]
    assert {(row.kind, row.classifier) for row in results.decision_curves} == {
        *((kind, name) for kind in ("net_benefit", "cost", "gains") for name in ("good", "poor")),
        ("net_benefit", None),
        ("cost", None),
    }
    assert len(results.cost_ranges) >= len(analysis.cost_ranges)
    assert len(results.top_fractions) == 2 * len(GAIN_FRACTIONS)
    assert len(results.constrained_rates) == 2 * 6
    assert len(results.natural_frequencies) == len(analysis.frequencies)


def test_several_classes_have_no_decisions(tmp_path: Path) -> None:
    """Costs and prevalence need a positive class."""
    frame = pl.DataFrame({"id": range(6), "truth": list("abcabc"), "prediction": list("abcacb")})
    frame.write_csv(tmp_path / "m.csv")
    evaluation = evaluated(
        tmp_path, {"m": 'predictions = "m.csv"'}, MULTICLASS, '[data]\nid = "id"\n'
    )

    assert evaluation.decisions is None
