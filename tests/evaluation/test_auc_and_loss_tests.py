"""Paired tests of scores, probabilities and numeric predictions."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest, chi2, norm, pearsonr, ttest_rel

from reportgen.aggregates.delong import DeLongCovariances, delong_covariances
from reportgen.aggregates.influence import correlation_covariances
from reportgen.aggregates.model import Aggregates
from reportgen.aggregates.paired import (
    PairedLossSums,
    sum_paired_probability_losses,
    sum_paired_regression_losses,
)
from reportgen.aggregates.ranking import compute_ranking_statistics
from reportgen.aggregates.regression import RegressionSums, sum_regression
from reportgen.evaluation.named_tests import DELONG_CHI_SQUARE, run_omnibus_tests
from reportgen.evaluation.pairwise_tests import mover_difference_interval
from reportgen.evaluation.score_tests import run_score_tests
from reportgen.evaluation.values import (
    compute_probability_values,
    compute_ranking_values,
    compute_regression_values,
)
from reportgen.measures import MEASURE_REGISTRY
from reportgen.pipeline import load_and_evaluate
from tests.scored_cases import (
    audit_of,
    binary_cases,
    drawn_probabilities,
    placements,
    several_classes,
)

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.aggregates.scored_cases import ScoredCases
    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.values import MeasureValue

RANDOM = np.random.default_rng(21)
TRUTH = (RANDOM.random(80) < 0.4).astype(int)
SCORES = {
    name: (1 / (1 + np.exp(-(strength * TRUTH - 1 + RANDOM.standard_normal(80))))).round(2)
    for name, strength in (("A", 2.5), ("B", 1.0), ("C", 0.5))
}
NOTHING = Aggregates(
    classes=(),
    confusion=None,
    regression=None,
    inputs=(),
    audits=(),
    joined_by="id",
    case_count=80,
    warnings=(),
)


def tallied(cases: ScoredCases) -> Aggregates:
    """Return predictions with the tallies of scored cases."""
    return replace(
        NOTHING,
        classes=cases.classes,
        audits=tuple(audit_of(classifier.classifier) for classifier in cases.classifiers),
        case_count=len(cases.truth),
        ranking=compute_ranking_statistics(cases),
        auc_covariances=delong_covariances(cases),
        paired_losses=sum_paired_probability_losses(cases),
    )


BINARY = tallied(
    binary_cases(TRUTH.tolist(), {name: inputs.tolist() for name, inputs in SCORES.items()})
)


def tests_of(predictions: Aggregates, pair: tuple[str, str]) -> tuple[Comparison, ...]:
    """Return all tests of a pair."""
    measures = tuple(MEASURE_REGISTRY.values())
    positive = predictions.classes[0] if len(predictions.classes) == 2 else None
    values: dict[tuple[str, str | None, str | None, str], MeasureValue] = {}
    if predictions.ranking is not None:
        values |= compute_ranking_values(predictions.ranking, measures, positive).by_key()
    if predictions.probability_losses is not None:
        values |= compute_probability_values(predictions.probability_losses, measures).by_key()
    if predictions.regression is not None:
        numeric = [measure for measure in measures if measure.applies_to("regression")]
        values |= compute_regression_values(predictions.regression, numeric).by_key()
    return run_score_tests(predictions, values, [pair], 0.95)


def by_measure(predictions: Aggregates, pair: tuple[str, str]) -> dict[str, Comparison]:
    """Return the tests of a pair, those of the whole."""
    comparisons = tests_of(predictions, pair)
    return {row.measure: row for row in comparisons if row.class_ is None and row.average is None}


def areas_and_covariance(*names: str) -> tuple[np.ndarray, np.ndarray]:
    """Return areas and DeLong's covariances, from pairs counted one by one."""
    result = [
        placements(SCORES[name][TRUTH == 1].tolist(), SCORES[name][TRUTH == 0].tolist())
        for name in names
    ]
    ten, one = zip(*result, strict=True)
    covariance = np.cov(ten) / TRUTH.sum() + np.cov(one) / (1 - TRUTH).sum()
    return np.mean(ten, axis=1), covariance


def test_two_areas_are_tested_by_delong() -> None:
    """(A1 − A2) / √(V1 + V2 − 2C), as worked out pair by pair."""
    row = by_measure(BINARY, ("A", "B"))["roc_auc"]
    areas, covariance = areas_and_covariance("A", "B")
    error = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    difference = areas[0] - areas[1]

    assert row.test == "delong"
    assert row.primary_test
    assert row.p_adjusted is None
    assert row.difference == pytest.approx(difference, rel=1e-12)
    assert row.statistic == pytest.approx(difference / error, rel=1e-10)
    assert row.p == pytest.approx(2 * norm.sf(abs(difference) / error), rel=1e-9)
    reach = norm.ppf(0.975) * error
    assert (row.low, row.high) == pytest.approx((difference - reach, difference + reach))


def test_several_areas_are_tested_together() -> None:
    """(LA)'(LSL')⁻¹(LA) with the contrasts B − A and C − A; chi-square with two df."""
    areas, covariance = areas_and_covariance("A", "B", "C")
    contrasts = np.array([[-1, 1, 0], [-1, 0, 1]])
    differences = contrasts @ areas
    statistic = differences @ np.linalg.solve(contrasts @ covariance @ contrasts.T, differences)
    (result,) = run_omnibus_tests(BINARY, ["A", "B", "C"])

    assert (result.test, result.measure) == (DELONG_CHI_SQUARE, "roc_auc")
    assert result.statistic == pytest.approx(statistic, rel=1e-9)
    assert result.p == pytest.approx(chi2.sf(statistic, 2), rel=1e-9)
    assert (result.df, result.classifiers, result.cases) == (2, 3, 80)


def test_cases_predicted_twice_say_no_more_together() -> None:
    """40 different cases of 80: half of the chi-square."""
    (once,) = run_omnibus_tests(BINARY, ["A", "B", "C"])
    (repeated,) = run_omnibus_tests(replace(BINARY, distinct_cases=40), ["A", "B", "C"])

    assert once.statistic is not None
    assert repeated.statistic == pytest.approx(once.statistic / 2)


def few_positives(positives: int) -> Aggregates:
    """Return three classifiers on 100 cases, of which some are positive."""
    random = np.random.default_rng(4)
    truth = [1] * positives + [0] * (100 - positives)
    return tallied(
        binary_cases(
            truth,
            {
                name: (strength * np.array(truth) + random.random(100)).tolist()
                for name, strength in (("A", 0.5), ("B", 0.2), ("C", 0.1))
            },
            ranking_only=True,
        )
    )


@pytest.mark.parametrize(("positives", "tested"), [(2, False), (9, False), (10, True)])
def test_areas_of_too_few_cases_are_not_tested(*, positives: int, tested: bool) -> None:
    """How areas vary cannot be told of fewer than ten; 91 positives leave only nine others."""
    for small_sample in (positives, 100 - positives):
        row = by_measure(few_positives(small_sample), ("A", "B"))["roc_auc"]
        assert row.difference is not None
        assert [value is not None for value in (row.p, row.low, row.statistic)] == [tested] * 3
        assert (row.note is None) == tested
        assert len(run_omnibus_tests(few_positives(small_sample), ["A", "B", "C"])) == tested


def test_a_small_class_keeps_the_whole_and_itself_from_being_tested() -> None:
    """Hand and Till's mean counts every class the same, however few its cases."""
    random = np.random.default_rng(6)
    truth = [0] * 40 + [1] * 40 + [2] * 4
    probabilities = {name: random.dirichlet([1, 1, 1], 84) for name in "AB"}
    rows = {
        row.class_: row
        for row in tests_of(tallied(several_classes(truth, probabilities)), ("A", "B"))
        if row.measure == "roc_auc" and row.average is None
    }

    assert {class_: row.p is not None for class_, row in rows.items()} == {
        None: False,
        "0": True,
        "1": True,
        "2": False,
    }


def test_a_third_classifier_that_scores_like_the_second_adds_nothing() -> None:
    """Chi-square is then the square of the pair's z, with one degree of freedom."""
    scores = {"A": SCORES["A"], "B": SCORES["B"], "same as B": SCORES["B"]}
    cases = binary_cases(TRUTH.tolist(), {name: item.tolist() for name, item in scores.items()})
    pair = by_measure(BINARY, ("A", "B"))["roc_auc"]
    (result,) = run_omnibus_tests(tallied(cases), list(scores))

    assert pair.statistic is not None
    assert result.df == 1
    assert result.statistic == pytest.approx(pair.statistic**2)
    assert result.p == pytest.approx(pair.p)


def test_two_classifiers_with_scores_are_no_case_for_a_test_of_all() -> None:
    """A third one without scores does not help."""
    assert run_omnibus_tests(BINARY, ["A", "B", "unknown"]) == ()


def test_losses_are_tested_by_a_paired_t_test() -> None:
    """SciPy's on the values of the cases."""
    row = by_measure(BINARY, ("A", "B"))["brier"]
    expected = ttest_rel((SCORES["A"] - TRUTH) ** 2, (SCORES["B"] - TRUTH) ** 2)
    interval = expected.confidence_interval()

    assert row.test == "paired t"
    assert (row.statistic, row.df) == pytest.approx((expected.statistic, 79))
    assert row.p == pytest.approx(expected.pvalue)
    assert (row.low, row.high) == pytest.approx((interval.low, interval.high))
    assert {"log_loss", "information_score"} < set(by_measure(BINARY, ("A", "B")))


def test_the_order_of_a_pair_only_turns_the_sign() -> None:
    """B against A is A against B turned around."""
    rows, reversed_rows = by_measure(BINARY, ("A", "B")), by_measure(BINARY, ("B", "A"))

    for measure, row in rows.items():
        other = reversed_rows[measure]
        assert row.difference is not None
        assert row.low is not None
        assert other.difference == pytest.approx(-row.difference)
        assert other.high == pytest.approx(-row.low)
        assert other.p == pytest.approx(row.p)


def test_two_equal_classifiers_are_not_different() -> None:
    """The p-value is 1, and nothing is divided by a variance of 0."""
    scores = SCORES["A"].tolist()
    result = by_measure(
        tallied(binary_cases(TRUTH.tolist(), {"A": scores, "B": scores})), ("A", "B")
    )

    for row in result.values():
        assert (row.difference, row.p, row.low) == (0, 1, None)


def test_an_infinite_log_loss_is_tested_by_the_number_of_infinite_losses() -> None:
    """A gives 0 to 6 true classes, B to one: SciPy's binomial test of 6 in 7."""
    truth = [1] * 20
    first, second = [0.0] * 6 + [0.8] * 14, [0.7] * 19 + [0.0]
    aggregates = tallied(
        binary_cases(truth + [0] * 5, {"A": first + [0.1] * 5, "B": second + [0.2] * 5})
    )
    row, reversed_row = by_measure(aggregates, ("A", "B")), by_measure(aggregates, ("B", "A"))

    assert row["log_loss"].difference is None
    assert row["log_loss"].p == pytest.approx(binomtest(6, 7).pvalue)
    assert (row["log_loss"].statistic or 0) > 0 > (reversed_row["log_loss"].statistic or 0)
    assert reversed_row["log_loss"].p == row["log_loss"].p
    assert "infinite" in (row["log_loss"].note or "")


def test_equally_infinite_log_losses_are_not_tested() -> None:
    """Both give 0 to the same true class, and the row says why there is no test."""
    cases = binary_cases([1, 1, 0, 0], {"A": [0.0, 0.9, 0.2, 0.1], "B": [0.0, 0.8, 0.3, 0.1]})
    row = by_measure(tallied(cases), ("A", "B"))["log_loss"]

    assert (row.difference, row.p) == (None, None)
    assert row.note == "infinite for a classifier that gave a true class probability 0"


def test_repeated_cases_weaken_every_test() -> None:
    """Each id was predicted twice: a z of 1 becomes one of √½; four times leave 8 positives."""
    once = by_measure(BINARY, ("A", "B"))["roc_auc"]
    repeated = by_measure(replace(BINARY, distinct_cases=40), ("A", "B"))["roc_auc"]
    often = by_measure(replace(BINARY, distinct_cases=20), ("A", "B"))["roc_auc"]

    assert once.statistic is not None
    assert repeated.statistic == pytest.approx(once.statistic / math.sqrt(2))
    assert often.p is None


def test_of_several_classes_each_and_the_whole_are_tested() -> None:
    """Losses have no classes."""
    truth, rows = drawn_probabilities(22, cases=120, classes=3)
    _, others = drawn_probabilities(23, cases=120, classes=3)
    predictions = tallied(several_classes(truth.tolist(), {"A": rows, "B": others}))
    comparisons = tests_of(predictions, ("A", "B"))
    areas = {
        row.class_: row for row in comparisons if row.measure == "roc_auc" and row.average is None
    }

    assert list(areas) == [None, "0", "1", "2"]
    assert all(row.class_ is None for row in comparisons if row.measure != "roc_auc")
    area = areas[None]
    assert predictions.ranking is not None
    means = dict(predictions.ranking.multiclass.select("classifier", "hand_till").rows())
    assert area.difference == pytest.approx(means["A"] - means["B"])
    # One knows the truth and the other was made for another one.
    assert area.p is not None
    assert area.p < 0.001


TRUE_NUMBERS: list[np.ndarray] = []


def numeric() -> tuple[Aggregates, np.ndarray, np.ndarray]:
    """Return numeric predictions of two classifiers, and the errors of both."""
    truth = RANDOM.normal(100, 20, 60)
    TRUE_NUMBERS.append(truth)
    errors = RANDOM.normal(0, 5, 60), RANDOM.normal(0, 7, 60)
    frames = {
        name: pl.DataFrame(
            {
                "fold": pl.Series([None] * 60, dtype=pl.String),
                "truth": truth,
                "prediction": truth - error,
            }
        )
        for name, error in zip(("A", "B"), errors, strict=True)
    }
    stacked = pl.concat(
        frame.with_columns(classifier=pl.lit(name)) for name, frame in frames.items()
    )
    predictions = replace(
        NOTHING,
        regression=RegressionSums(sum_regression(stacked.lazy()).collect()),
        paired_losses=sum_paired_regression_losses(frames),
        influence_covariances=correlation_covariances(frames),
    )
    return predictions, *errors


def test_r2_is_tested_as_rmse_is() -> None:
    """On the same cases R² is a function of RMSE: the same p-value, the difference of R²."""
    predictions, _, _ = numeric()
    result = by_measure(predictions, ("A", "B"))
    assert predictions.regression is not None
    values = compute_regression_values(predictions.regression, [MEASURE_REGISTRY["r2"]]).by_key()
    gap = (values["A", None, None, "r2"].value or 0) - (values["B", None, None, "r2"].value or 0)

    assert result["r2"].p == result["rmse"].p
    assert result["r2"].difference == pytest.approx(gap)
    assert (result["r2"].statistic or 0) * (result["rmse"].statistic or 0) < 0
    assert (result["r2"].low or 0) < gap < (result["r2"].high or 0)


def test_correlations_are_tested_by_the_delta_method() -> None:
    """The standard error of Fisher's z difference is that of 4,000 bootstrap samples."""
    predictions, first, second = numeric()
    row = by_measure(predictions, ("A", "B"))["pearson"]
    truth = TRUE_NUMBERS[-1]
    random, result = np.random.default_rng(8), []
    for _ in range(4_000):
        draws = random.integers(0, len(truth), len(truth))
        one, other = (
            pearsonr(truth[draws], (truth - error)[draws]).statistic for error in (first, second)
        )
        result.append(math.atanh(one) - math.atanh(other))
    gap = math.atanh(pearsonr(truth, truth - first).statistic) - math.atanh(
        pearsonr(truth, truth - second).statistic
    )

    assert row.statistic == pytest.approx(gap / np.std(result), rel=0.1)
    assert row.p == pytest.approx(2 * norm.sf(abs(row.statistic or 0)))


def test_numeric_errors_are_tested_by_paired_t_tests() -> None:
    """Absolute errors for MAE; squared ones for RMSE, whose own difference is shown."""
    predictions, first, second = numeric()
    result = by_measure(predictions, ("A", "B"))
    absolute = ttest_rel(np.abs(first), np.abs(second))
    squared = ttest_rel(first**2, second**2)
    roots = math.sqrt(np.mean(first**2)), math.sqrt(np.mean(second**2))

    assert result["mae"].p == pytest.approx(absolute.pvalue)
    assert result["mae"].difference == pytest.approx(np.abs(first).mean() - np.abs(second).mean())
    assert result["rmse"].p == pytest.approx(squared.pvalue)
    assert result["rmse"].difference == pytest.approx(roots[0] - roots[1])
    limits = squared.confidence_interval()
    expected = limits.low / sum(roots), limits.high / sum(roots)
    assert (result["rmse"].low, result["rmse"].high) == pytest.approx(expected)


def test_classifiers_without_scores_are_not_tested() -> None:
    """Nothing to test is no fault."""
    assert tests_of(NOTHING, ("A", "B")) == ()
    assert run_omnibus_tests(NOTHING, ["A", "B", "C"]) == ()
    assert by_measure(BINARY, ("A", "unknown")) == {}


def test_a_paired_loss_tally_rejects_another_frame() -> None:
    """Columns are part of the contract."""
    assert BINARY.paired_losses is not None
    with pytest.raises(TypeError, match="paired loss sums need"):
        PairedLossSums(BINARY.paired_losses.frame.drop("loss"))


def test_areas_that_were_not_joined_are_compared_as_independent() -> None:
    """Variances add up: placement values by hand, normal distribution of SciPy."""
    assert BINARY.auc_covariances is not None
    own = BINARY.auc_covariances.frame.filter(pl.col("first") == pl.col("second"))
    apart = replace(BINARY, auc_covariances=DeLongCovariances(own), paired_losses=None)
    (row,) = tests_of(apart, ("A", "B"))
    variances, areas = [], []
    for name in ("A", "B"):
        scores = SCORES[name]
        of_positives, of_negatives = placements(scores[TRUTH == 1], scores[TRUTH == 0])
        areas.append(np.mean(of_positives))
        variances.append(
            np.var(of_positives, ddof=1) / len(of_positives)
            + np.var(of_negatives, ddof=1) / len(of_negatives)
        )
    statistic = (areas[0] - areas[1]) / math.sqrt(sum(variances))

    assert (row.test, row.data, row.primary_test) == ("delong, unpaired", "unpaired", False)
    assert row.statistic == pytest.approx(statistic)
    assert row.p == pytest.approx(2 * norm.sf(abs(statistic)))


def test_a_difference_of_areas_with_few_misranked_cases_has_mover_limits(tmp_path: Path) -> None:
    """Newcombe's limits of both areas, combined by DeLong's correlation (Zou and Donner 2008)."""
    rng = np.random.default_rng(8)
    truth = np.arange(100) < 30
    scores = {name: rng.normal(2.4 * truth) for name in "AB"}
    columns = {f"score {name}": values for name, values in scores.items()}
    columns |= {name: np.where(values > 1, "yes", "no") for name, values in scores.items()}
    table = pl.DataFrame({"truth": np.where(truth, "yes", "no"), **columns})
    table.write_csv(tmp_path / "table.csv")
    classifiers = "".join(
        f'[[classifiers]]\nname = "{name}"\npredictions = "table.csv"\nprediction = "{name}"\n'
        f'score = "score {name}"\n'
        for name in "AB"
    )
    task = '[task]\nkind = "binary"\npositive = "yes"\n'
    (tmp_path / "spec.toml").write_text(f"{task}{classifiers}", encoding="utf-8")

    evaluation = load_and_evaluate(tmp_path / "spec.toml")

    first, second = (evaluation.by_key[name, None, None, "roc_auc"] for name in "AB")
    assert first.method == second.method == "newcombe"
    own = [
        placements(values[truth].tolist(), values[~truth].tolist()) for values in scores.values()
    ]
    covariance = np.zeros((2, 2))
    for side in range(2):
        covariance += np.cov([parts[side] for parts in own]) / len(own[0][side])
    correlation = covariance[0, 1] / math.sqrt(covariance[0, 0] * covariance[1, 1])
    expected = mover_difference_interval(first, second, correlation)
    (row,) = [
        one for one in evaluation.comparisons if one.measure == "roc_auc" and one.primary_test
    ]
    assert expected is not None
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high))
    assert row.p == pytest.approx(
        2
        * norm.sf(
            abs(row.difference or 0.0)
            / math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
        )
    )
