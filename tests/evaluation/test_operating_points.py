"""Net benefit, thresholds and operating points, from a spec to values, intervals and tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import norm

from reportgen.aggregates.operating_points import OperatingPointPlan, aggregate_operating_points
from reportgen.evaluation.confidence.operating_points import wilson_from_variance
from reportgen.measures import get_measure
from reportgen.pipeline import load_and_evaluate
from reportgen.statistics.operating_points import (
    CountsByThreshold,
    RankedCases,
    true_positives_in_top,
)
from reportgen.statistics.proportions import wilson_interval
from tests.scored_cases import binary_cases

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation

# By the function dca of dcurves 1.1.7, outcome cancer, models cancerpredmarker and famhistory.
DCURVES = {
    ("marker", 0.05): 0.105544,
    ("marker", 0.1): 0.087407,
    ("marker", 0.15): 0.079216,
    ("marker", 0.2): 0.067333,
    ("marker", 0.35): 0.050154,
    ("family", 0.05): 0.025614,
    ("family", 0.1): 0.018519,
    ("family", 0.15): 0.010588,
    ("family", 0.2): 0.001667,
    ("family", 0.35): -0.033333,
}
SPEC = """\
[task]
kind = "binary"
positive = "true"
classes = ["true", "false"]
[data]
truth = "cancer"
id = "id"
threshold = 0.5
[[classifiers]]
name = "marker"
predictions = "{data}"
score = "cancerpredmarker"
[[classifiers]]
name = "family"
predictions = "{data}"
score = "famhistory"
[measures]
show = {show}
"""


def evaluate(tmp_path: Path, show: list[str], more: str = "") -> Evaluation:
    """Evaluate the data of dcurves with some measures."""
    path = tmp_path / "spec.toml"
    source = (Path(__file__).parents[1] / "references" / "dcurves_df_binary.csv").as_posix()
    path.write_text(SPEC.format(data=source, show=show) + more, encoding="utf-8")
    return load_and_evaluate(path)


def test_net_benefit_is_that_of_dcurves(tmp_path: Path) -> None:
    """Probabilities from the threshold on count as positive, whatever the predictions are."""
    thresholds = sorted({threshold for _, threshold in DCURVES})
    by_key = evaluate(tmp_path, [f"net_benefit@{threshold}" for threshold in thresholds]).by_key

    for (name, threshold), expected in DCURVES.items():
        value = by_key[name, None, None, f"net_benefit@{threshold}"]
        assert value.value == pytest.approx(expected, abs=5e-7)
        assert value.low is not None
        assert value.high is not None
        assert value.low < expected < value.high


def test_net_benefit_has_the_interval_of_a_mean_over_cases(tmp_path: Path) -> None:
    """The delta method of a linear function is the normal interval of the mean."""
    evaluation = evaluate(tmp_path, ["net_benefit@0.2"])
    value = evaluation.by_key["marker", None, None, "net_benefit@0.2"]
    counts = evaluation.aggregates.at_thresholds[0.2].confusion
    assert counts is not None
    sizes = [round(count) for count in counts.counts("marker", "true")]
    values = np.repeat([1.0, 0.0, -0.25, 0.0], sizes)
    reach = norm.ppf(0.975) * values.std() / np.sqrt(len(values))

    assert value.value == pytest.approx(values.mean())
    assert [value.low, value.high] == pytest.approx([values.mean() - reach, values.mean() + reach])


def test_a_measure_at_a_threshold_is_the_measure_of_such_predictions(tmp_path: Path) -> None:
    """The same as if the threshold had been that of the predictions."""
    at = evaluate(tmp_path, ["sensitivity@threshold=0.2", "mcc@threshold=0.2"])
    (tmp_path / "other").mkdir()
    as_predicted = evaluate(tmp_path / "other", ["sensitivity", "mcc"], "")
    spec = (tmp_path / "other" / "spec.toml").read_text(encoding="utf-8")
    path = tmp_path / "other" / "again.toml"
    path.write_text(spec.replace("threshold = 0.5", "threshold = 0.2"), encoding="utf-8")
    moved = load_and_evaluate(path)

    for name in ("sensitivity", "mcc"):
        one = at.by_key["marker", None, None, f"{name}@threshold=0.2"]
        other = moved.by_key["marker", None, None, name]
        assert (one.value, one.low, one.high) == (other.value, other.low, other.high)
        assert one != as_predicted.by_key["marker", None, None, name]
    at_threshold, as_moved = (
        next(row for row in evaluation.comparisons if row.is_tested and row.measure == name)
        for evaluation, name in ((at, "sensitivity@threshold=0.2"), (moved, "sensitivity"))
    )
    for row in (at_threshold, as_moved):
        assert row.test == "paired permutation (exact)"
    assert at_threshold.difference == pytest.approx(as_moved.difference)
    # By MOVER here, by Bonett and Price there.
    assert (at_threshold.low, at_threshold.high) == pytest.approx(
        (as_moved.low, as_moved.high), abs=0.01
    )


def test_classifiers_without_probabilities_count_as_predicted(tmp_path: Path) -> None:
    """A binary test has the same counts at every threshold (Vickers and Elkin 2006)."""
    path = tmp_path / "spec.toml"
    path.write_text(
        '[task]\nkind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]\n'
        '[[classifiers]]\nname = "A"\nconfusion = [[40, 10], [20, 130]]\n'
        '[measures]\nshow = ["net_benefit@0.25"]\n',
        encoding="utf-8",
    )
    value = load_and_evaluate(path).by_key["A", None, None, "net_benefit@0.25"]

    assert value.value == pytest.approx(40 / 200 - 20 / 200 * 0.25 / 0.75)


MEASURES = ["ks", "roc_auc@fpr<=0.1", "sensitivity@specificity=0.95", "lift@0.1", "precision@k=100"]


def test_operating_points_have_intervals_and_a_paired_test(tmp_path: Path) -> None:
    """Every one of them can be compared."""
    evaluation = evaluate(tmp_path, MEASURES)
    tested = {row.measure: row for row in evaluation.comparisons if row.is_tested}
    for name in MEASURES:
        value = evaluation.by_key["marker", None, None, name]
        row = tested[name]
        assert value.value is not None
        assert value.low is not None
        assert value.high is not None
        assert value.low < value.value < value.high
        assert row.data == "paired"
        assert row.low is not None
        assert row.high is not None
        assert row.difference is not None
        assert row.low < row.difference < row.high


def test_a_condition_that_no_threshold_meets_is_the_reason(tmp_path: Path) -> None:
    """A family history is never precise to 90 %."""
    value = evaluate(tmp_path, ["recall@precision=0.9"]).by_key
    undefined = value["family", None, None, "sensitivity@precision=0.9"]

    assert undefined.value is None
    assert undefined.reason == "no threshold has a precision of at least 0.9"


def test_bootstrap_variance_of_a_mean_is_the_known_one() -> None:
    """In the top 100 %, precision is the prevalence, whose variance is p(1 − p)/n."""
    random = np.random.default_rng(3)
    truth = (random.random(500) < 0.3).astype(int)
    scores = random.random(500)
    cases = binary_cases(truth.tolist(), {"A": scores.tolist(), "B": (1 - scores).tolist()})
    plan = OperatingPointPlan((get_measure("precision@k=500"),), n_resamples=4000, seed=1)
    result = aggregate_operating_points(cases, plan)
    assert result is not None
    covariances = result.covariances.covariances(["A", "B"], "precision@k=500")
    p = truth.mean()

    # The same cases for both classifiers, so that the covariance is the variance.
    assert covariances == pytest.approx(np.full((2, 2), p * (1 - p) / 500), rel=0.1)


def test_equal_scores_at_the_end_of_the_top_count_in_part() -> None:
    """Two of four equal cases are taken: half of their positives."""
    ranked = RankedCases.from_scores(
        np.array([0.9, 0.5, 0.5, 0.5, 0.5, 0.1]), np.array([1.0, 1, 0, 0, 0, 1])
    )
    counts = ranked.cumulate(np.ones((1, 6)))

    assert true_positives_in_top(counts, np.array([3.0])) == pytest.approx([1.5])
    assert isinstance(counts, CountsByThreshold)


def test_wilson_from_the_variance_of_a_proportion_is_wilson() -> None:
    """With p(1 − p)/n as the variance, the number of cases is n."""
    ours = wilson_from_variance(0.3, 0.3 * 0.7 / 80, highest=1.0, trials=10.0, level=0.95)
    expected = wilson_interval(24, 80, 0.95)

    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high))
