"""Thresholds against a brute-force search over scikit-learn's curves."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve, roc_curve

from reportgen.aggregates.curves import ScoreCurves, cumulate_counts
from reportgen.aggregates.threshold_choice import ThresholdRule
from reportgen.evaluation import thresholds
from reportgen.evaluation.curves import MAX_CURVE_POINTS, compute_curve_points
from reportgen.evaluation.thresholds import (
    MAX_CANDIDATE_THRESHOLDS,
    OptimalThreshold,
    ThresholdCandidates,
    measures_by_threshold,
    optimize_thresholds,
)
from reportgen.measures import MEASURE_REGISTRY
from reportgen.spec import parse_spec
from reportgen.spec.inference import IntervalSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from reportgen.spec import Spec

SPEC = """
[task]
kind = "binary"
positive = "yes"
[data]
truth = "t"
prediction = "p"
score = "s"
[[classifiers]]
name = "A"
predictions = "a.csv"
[intervals]
draws = 400
{more}
"""
COST = "[thresholds]\ncost = { false_positive = 1, false_negative = 5 }\n"


def spec_with(more: str = "") -> Spec:
    """Return a spec with further settings."""
    return parse_spec(Path("s.toml"), SPEC.replace("{more}", more).encode()).spec


def curves_of(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> ScoreCurves:
    """Count the curve of classifier A."""
    return ScoreCurves({("A", "yes"): cumulate_counts(scores, truth)})


def sample(
    seed: int, size: int = 300, *, decimals: int = 2
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return scores with ties, higher for positives."""
    generator = np.random.default_rng(seed)
    truth = generator.random(size) < 0.4
    scores = generator.normal(size=size) + np.where(truth, 1.2, 0.0)
    return scores.round(decimals), truth


def not_none(number: float | None) -> float:
    """Return a number that is known to be there."""
    assert number is not None
    return number


def by_rule(curves: ScoreCurves, spec: Spec) -> dict[ThresholdRule, OptimalThreshold]:
    """Return what was chosen, by rule."""
    return {
        optimal_threshold.rule: optimal_threshold
        for optimal_threshold in optimize_thresholds(curves, spec, {"A": 1.0})
    }


@pytest.mark.parametrize("seed", range(5))
def test_the_best_youden_is_the_highest_of_scikit_learns_roc_curve(seed: int) -> None:
    """Of equal ones the highest threshold; roc_curve goes down, so argmax finds it."""
    scores, truth = sample(seed)
    false_rate, true_rate, thresholds = roc_curve(truth, scores, drop_intermediate=False)
    at = int(np.argmax(np.round(true_rate - false_rate, 12)))

    chosen = by_rule(curves_of(scores, truth), spec_with())[ThresholdRule.YOUDEN]

    assert chosen.threshold == thresholds[at]
    assert chosen.achieved == pytest.approx(true_rate[at] - false_rate[at], abs=1e-12)
    assert chosen.tp == np.sum(truth & (scores >= thresholds[at]))
    assert chosen.fp == np.sum(~truth & (scores >= thresholds[at]))


@pytest.mark.parametrize("seed", range(5))
def test_the_best_f1_is_the_highest_of_scikit_learns_precision_recall_curve(seed: int) -> None:
    """F1 = 2PR / (P + R) at each of the thresholds, which go up there."""
    scores, truth = sample(seed)
    precision, recall, thresholds = precision_recall_curve(truth, scores)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-300)
    best = max(f1[:-1])
    highest = max(thresholds[np.isclose(f1[:-1], best, rtol=0, atol=1e-12)])

    chosen = by_rule(curves_of(scores, truth), spec_with())[ThresholdRule.F1]

    assert chosen.threshold == highest
    assert chosen.achieved == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_lowest_cost_is_found_over_every_threshold(seed: int) -> None:
    """A missed case costs 5, a false alarm 1: (fp + 5 fn) / n at every score and above all."""
    scores, truth = sample(seed)
    candidates = [math.inf, *sorted(set(scores), reverse=True)]
    costs = [
        (np.sum(~truth & (scores >= candidate)) + 5 * np.sum(truth & (scores < candidate)))
        / len(truth)
        for candidate in candidates
    ]

    chosen = by_rule(curves_of(scores, truth), spec_with(COST))[ThresholdRule.COST]

    assert chosen.threshold == candidates[int(np.argmin(costs))]
    assert chosen.achieved == chosen.cost_per_case == pytest.approx(min(costs), abs=1e-12)


def test_a_condition_leaves_the_best_youden_among_those_that_meet_it() -> None:
    """Sensitivity of 0.95 is reached only by thresholds below the best Youden's."""
    scores, truth = sample(1)
    false_rate, true_rate, thresholds = roc_curve(truth, scores, drop_intermediate=False)
    youden = np.where(true_rate >= 0.95, true_rate - false_rate, -np.inf)

    result = by_rule(
        curves_of(scores, truth), spec_with("[thresholds]\nat_least = { sensitivity = 0.95 }\n")
    )

    assert result[ThresholdRule.CONSTRAINT].threshold == thresholds[int(np.argmax(youden))]
    assert not_none(dict(result[ThresholdRule.CONSTRAINT].values)["sensitivity"].value) >= 0.95
    assert not_none(result[ThresholdRule.CONSTRAINT].threshold) < not_none(
        result[ThresholdRule.YOUDEN].threshold
    )


def test_conditions_are_met_together_or_not_at_all() -> None:
    """Scores that say nothing cannot have sensitivity and specificity of 0.9 each."""
    scores, truth = np.array([1.0, 1.0, 0.0, 0.0]), np.array([True, False, True, False])
    both = "[thresholds]\nat_least = { sensitivity = 0.9, specificity = 0.9 }\n"

    chosen = by_rule(curves_of(scores, truth), spec_with(both))[ThresholdRule.CONSTRAINT]

    assert chosen.threshold is None
    assert chosen.tp is None
    assert chosen.values == ()


def test_predicting_nothing_may_be_cheapest() -> None:
    """One positive ranked last among 20: finding it costs 19 false alarms, missing it 5."""
    scores, truth = np.arange(20.0), np.arange(20) == 0

    chosen = by_rule(curves_of(scores, truth), spec_with(COST))[ThresholdRule.COST]

    assert chosen.threshold == math.inf
    assert (chosen.tp, chosen.fn, chosen.fp, chosen.tn) == (0, 1, 0, 19)
    assert chosen.cost_per_case == pytest.approx(5 / 20)


def test_of_equally_good_thresholds_the_highest_is_chosen() -> None:
    """At 3 and at 1 Youden's index is 1/2: (1/2 − 0) and (2/2 − 1/2)."""
    scores, truth = np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, False, True, False])

    assert by_rule(curves_of(scores, truth), spec_with())[ThresholdRule.YOUDEN].threshold == 3.0


def test_intervals_hold_the_truth_of_two_normal_scores() -> None:
    """Scores N(0, 1) and N(1.2, 1): the best threshold is 0.6, Youden's index 0.4515 there.

    The search overstates the index (2 Φ(0.6) − 1 = 0.4515), so its interval may lie above.
    """
    scores, truth = sample(7, 3000, decimals=6)

    chosen = by_rule(curves_of(scores, truth), spec_with())[ThresholdRule.YOUDEN]

    low, high = not_none(chosen.threshold_low), not_none(chosen.threshold_high)
    assert low <= 0.6 <= high < low + 1
    assert (
        not_none(chosen.achieved_low) <= not_none(chosen.achieved) <= not_none(chosen.achieved_high)
    )
    assert chosen.achieved == pytest.approx(0.4515, abs=0.05)
    assert chosen.draws == 400


def test_the_same_seed_gives_the_same_intervals_and_another_others() -> None:
    """Random draws come from the seed of the spec alone."""
    curves = curves_of(*sample(2))

    first = by_rule(curves, spec_with())
    assert first == by_rule(curves, spec_with())
    assert first != by_rule(curves, spec_with("seed = 5\n"))


def test_resamples_search_near_the_optima_of_the_first_without_changing_the_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 1,000 candidates a part is searched; limits are those of a search among all.

    They differ by no more than those of two seeds do: 2,000 resamples of 20,000 cases.
    """
    curves = curves_of(*sample(4, 20_000, decimals=6))
    sizes: list[tuple[int, int]] = []
    select_near = ThresholdCandidates.near

    def near(
        candidates: ThresholdCandidates, chosen: Sequence[NDArray[np.float64]], n_resamples: int
    ) -> ThresholdCandidates:
        nearby = select_near(candidates, chosen, n_resamples)
        sizes.append((len(candidates.threshold), len(nearby.threshold)))
        return nearby

    monkeypatch.setattr(ThresholdCandidates, "near", near)
    spec = spec_with("").model_copy(update={"intervals": IntervalSettings(draws=2000)})
    optima = by_rule(curves, spec)
    ((searched, n_nearby),) = sizes
    assert searched == MAX_CANDIDATE_THRESHOLDS > 2 * n_nearby

    monkeypatch.setattr(thresholds, "PILOT_RESAMPLES", 2000)
    full = by_rule(curves, spec)
    for rule, chosen in optima.items():
        other = full[rule]
        assert chosen.draws == other.draws == 2000
        for name in ("threshold_low", "threshold_high"):
            assert getattr(chosen, name) == pytest.approx(getattr(other, name), abs=0.02)
        for name in ("achieved_low", "achieved_high", "optimism"):
            assert getattr(chosen, name) == pytest.approx(getattr(other, name), abs=0.002)


def test_candidates_near_optima_keep_both_ends_and_a_margin_on_both_sides() -> None:
    """Chosen are places 40 to 44 of 100: five more on each side remain, and the ends."""
    candidates = ThresholdCandidates(
        np.append(np.inf, np.arange(99.0, 0.0, -1)), np.arange(100), np.arange(100)
    )
    chosen = candidates.threshold[[40, 44, 41]]

    assert candidates.near([chosen], 3).tp.tolist() == [0, *range(35, 50), 99]
    assert candidates.near([chosen, candidates.threshold[[0]]], 1).tp.tolist() == [
        *range(2),
        *range(35, 50),
        99,
    ]
    # An objective that most resamples cannot reach may be reached anywhere.
    assert candidates.near([chosen], 7) is candidates


def test_a_classifier_without_cases_of_both_classes_has_no_threshold() -> None:
    """Youden's index is undefined there."""
    curves = curves_of(np.array([1.0, 2.0]), np.array([True, True]))

    assert optimize_thresholds(curves, spec_with(), {"A": 1.0}) == ()


def test_measures_over_all_thresholds_are_those_of_the_predictions_made_there() -> None:
    """Every count measure of the catalogue at every threshold, against counting anew."""
    scores, truth = sample(3, 60, decimals=1)
    measures = [
        measure
        for measure in MEASURE_REGISTRY.values()
        if measure.name in {"f1", "mcc", "npv", "kappa"}
    ]

    table = measures_by_threshold(curves_of(scores, truth).frame.lazy(), measures).collect()

    assert table.height == len(set(scores))
    for row in table.iter_rows(named=True):
        message = scores >= row["threshold"]
        tp, fp = np.sum(message & truth), np.sum(message & ~truth)
        fn, tn = np.sum(~message & truth), np.sum(~message & ~truth)
        assert (row["tp"], row["fp"], row["fn"], row["tn"]) == (tp, fp, fn, tn)
        assert row["f1"] == pytest.approx(2 * tp / (2 * tp + fp + fn))
        assert row["npv"] == (pytest.approx(tn / (tn + fn)) if tn + fn else None)


def test_curves_are_thinned_and_keep_their_ends() -> None:
    """5000 scores become at most 300 points from the first to the last threshold."""
    scores, truth = sample(4, 5000, decimals=9)

    (points,) = compute_curve_points(curves_of(scores, truth), ["A"])

    assert len(points.thresholds) <= MAX_CURVE_POINTS
    assert points.thresholds[0] == max(scores)
    assert points.thresholds[-1] == min(scores)
    assert points.roc()[0] == (0.0, 0.0)
    assert points.roc()[-1] == (1.0, 1.0)
    thin = np.array(points.roc())
    false_rate, true_rate, _ = roc_curve(truth, scores)
    assert np.trapezoid(thin[:, 1], thin[:, 0]) == pytest.approx(
        np.trapezoid(true_rate, false_rate), abs=0.002
    )
