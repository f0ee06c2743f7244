"""Flat rows of results.json: inputs, values, comparisons, gates, curves, data sets, changes."""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reportgen.evaluation.datasets import DatasetComparison
    from reportgen.evaluation.drift import DriftAnalysis
    from reportgen.evaluation.drift_attribution import (
        ProportionChange,
    )
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.monitoring import Monitoring
    from reportgen.evaluation.thresholds import OptimalThreshold


class ResultModel(BaseModel):
    """A part of results.json."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True,
        extra="forbid",
        from_attributes=True,
        # Validators are made with that of all results, not once for each row.
        defer_build=True,
        validate_by_name=True,
    )


class InputResult(ResultModel):
    """A file that was read."""

    classifier: str
    """The classifier that it belongs to."""
    path: str
    """The path in the spec; for data passed from Python, a description of them."""
    sha256: str | None
    """The SHA-256 hash of the file, or of in-memory data as CSV; null: a remote file."""
    rows: int
    """The number of rows."""


class ConfusionResult(ResultModel):
    """A confusion matrix."""

    classifier: str
    """The classifier."""
    fold: str | None
    """The fold; null: all cases."""
    classes: tuple[str, ...]
    """The classes of rows and columns."""
    counts: tuple[tuple[int | float, ...], ...]
    """Rows are true classes, columns predicted ones; with `weight`, sums of weights of mean 1."""


class ValueResult(ResultModel):
    """One value of one measure."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """The class treated as positive; null: the task's positive class, or all classes."""
    average: Literal["macro", "micro", "weighted"] | None
    """The average over the classes; null: none."""
    fold: str | None
    """The fold; null: all cases."""
    measure: str
    """The name of the measure."""
    value: float | None
    """The value; null when infinite or undefined."""
    state: Literal["defined", "infinite", "undefined"]
    """Whether the value is defined."""
    reason: str | None
    """Why it is undefined, the sign of an infinity, or the number of classes averaged."""
    low: float | None = None
    """The lower confidence limit."""
    high: float | None = None
    """The upper confidence limit."""
    method: str | None = None
    """The method of the confidence interval."""
    segment_column: str | None = None
    """The column of the segment; null: all cases."""
    segment: str | None = None
    """The segment, a value of the column; null: all cases."""
    n: int | None = None
    """The number of cases; null: the value stands in the spec."""
    n_effective: float | None = None
    """The effective number of cases: n / design effect; null for single folds."""


class DesignResult(ResultModel):
    """The sampling design of a classifier's cases: clusters and weights."""

    classifier: str
    """The classifier."""
    cases: int
    """The number of cases."""
    clusters: int | None
    """The number of clusters; null: cases are independent."""
    largest_cluster: int | None
    """The number of cases of the largest cluster; null: cases are independent."""
    weighted: bool
    """Whether cases have sampling weights."""
    weight_effective_n: float | None
    """Kish's effective number of cases of the weights alone; null: no weights."""
    design_effect: float
    """The variance of accuracy, or of the mean squared error, relative to independent cases."""
    n_effective: float
    """The number of cases / design effect."""


class CoverageResult(ResultModel):
    """The share of the cases that a classifier answers."""

    classifier: str
    """The classifier."""
    policy: str
    """What unanswered cases count as in all other results: wrong, drop, or a class."""
    cases: int
    """The number of cases."""
    answered: int
    """The number of cases with an answer of this classifier."""
    share: float
    """The share of answered cases."""
    low: float
    """The lower limit of its Wilson interval."""
    high: float
    """The upper limit of its Wilson interval."""


class AlternativeValueResult(ResultModel):
    """A value by the other rule for unanswered cases."""

    classifier: str
    """The classifier."""
    average: Literal["macro", "micro", "weighted"] | None
    """The average over the classes; null: none."""
    measure: str
    """The name of the measure."""
    unanswered: str
    """What unanswered cases count as here: wrong, or drop (left out for all classifiers)."""
    cases: int
    """The number of cases."""
    value: float | None
    """The value; null when infinite or undefined."""
    low: float | None
    """The lower confidence limit."""
    high: float | None
    """The upper confidence limit."""
    method: str | None
    """The method of the confidence interval."""


class FoldSummaryResult(ResultModel):
    """Mean and variance over the folds."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    average: Literal["macro", "micro", "weighted"] | None
    """As in values."""
    measure: str
    """The name of the measure."""
    k: int
    """The number of folds."""
    mean: float | None
    """The mean over the folds where the measure is finite."""
    variance: float | None
    """The variance between those folds (divisor one less than their number)."""
    standard_deviation: float | None
    """The square root of the variance."""
    variance_of_mean: float | None
    """The variance divided by the number of those folds."""
    low: float | None = None
    """The lower confidence limit."""
    high: float | None = None
    """The upper confidence limit."""
    undefined_folds: int
    """The number of folds left out because the measure is undefined or infinite."""


class ComparisonResult(ResultModel):
    """A difference of two classifiers, and its test."""

    first: str
    """The first classifier."""
    second: str
    """The second classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    average: Literal["macro", "micro", "weighted"] | None
    """As in values."""
    measure: str
    """The name of the measure."""
    test: str
    """The test."""
    primary_test: bool
    """Whether this is the primary test of the difference."""
    data: Literal["paired", "unpaired", "folds"]
    """The data of the test."""
    difference: float | None
    """First minus second."""
    low: float | None
    """The lower confidence limit of the difference."""
    high: float | None
    """The upper confidence limit of the difference."""
    statistic: float | None
    """The test's statistic."""
    df: float | None
    """Its degrees of freedom."""
    p: float | None
    """The p-value."""
    p_adjusted: float | None
    """The smallest family-wise error rate of the report at which the difference is significant."""
    low_adjusted: float | None
    """The lower limit that holds for all comparisons of the family at once.

    0 is between the adjusted limits if and only if the difference is not significant.
    """
    high_adjusted: float | None
    """The upper limit that holds for all comparisons of the family at once."""
    family: Literal["headline", "overall", "details"] | None
    """The family of hypotheses that the primary test is adjusted in; null: a secondary test."""
    tested: bool
    """Whether the difference was tested: whether there is a p-value."""
    significant: bool | None
    """Whether one of the two is significantly better by the primary test; null: not tested."""
    verdict: Literal["superior", "inferior", "tied", "undecided", "equivalent", "not tested"]
    """The decision of the primary test on the first; the same in all rows of a difference."""
    non_inferior: bool | None
    """Whether the first is non-inferior by the margin; null: the spec has no margin."""
    required_cases: int | None
    """The number of cases with 80 % power, if the observed difference is the true one.

    10⁹ stands for that many or more.
    """
    note: str | None
    """A note on this test."""
    required_clusters: int | None
    """How many clusters of the same sizes that would be; null: cases are independent."""
    segment_column: str | None
    """The column of the segment that the comparison is about; null: all cases."""
    segment: str | None
    """The segment; null: all cases."""
    contrast: Literal["classifiers", "other cases"]
    """Whether two classifiers are compared, or one on the segment and on all other cases."""


class RankSetResult(ResultModel):
    """The rank of a classifier on a measure and its rank confidence set.

    All sets of a report hold simultaneously with the confidence of 1 − α.
    """

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    average: Literal["macro", "micro", "weighted"] | None
    """As in values."""
    measure: str
    """The name of the measure."""
    rank: int
    """The observed rank."""
    of: int
    """The number of classifiers with a value."""
    rank_low: int
    """The best rank that the tests do not exclude: 1 plus the number shown to be better."""
    rank_high: int
    """The worst rank that the tests do not exclude: `of` minus the number shown to be worse."""
    untested: int
    """The number of other classifiers that it was not tested against."""


class PrimaryMeasureResult(ResultModel):
    """The primary measure: the headline family of the comparisons is about it."""

    measure: str
    """The name of the measure."""
    average: Literal["macro", "micro", "weighted"] | None
    """The average over the classes; null: the value of all cases or of the positive class."""
    reason: Literal[
        "declared", "default", "first measure", "majority class", "not above majority class"
    ]
    """Why it is the primary measure: declared in the spec, the default of the task, or the first
    measure reported; balanced accuracy because the largest class has at least 90 % of the cases, or
    because the best accuracy is not significantly above the share of the largest class.
    """


class OmnibusTestResult(ResultModel):
    """An omnibus test of all classifiers."""

    test: str
    """The test."""
    measure: str
    """The name of the measure."""
    statistic: float | None
    """The test statistic; null: all classifiers are correct on the same cases."""
    df: int
    """Its degrees of freedom."""
    p: float | None
    """The p-value."""
    adjusted: Literal[False] = False
    """False: the test is in no family, and its p-value is not adjusted for the other tests."""
    classifiers: int
    """The number of classifiers compared."""
    cases: int
    """The number of cases."""


class LikelihoodRelationResult(ResultModel):
    """The first classifier compared with the second by likelihood ratios."""

    first: str
    """The first classifier."""
    second: str
    """The second classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    relation: str
    """The relation in words."""
    swapped: bool
    """Whether the likelihood ratios of one of them were swapped, being below 1."""
    p_positive: float | None
    """The p-value for the positive likelihood ratios."""
    p_negative: float | None
    """The p-value for the negative likelihood ratios."""
    significant: bool | None
    """Whether the tests confirm it; null: not tested."""
    reverse_significant: bool | None
    """The same for the relation of the second to the first, which is the mirrored one."""


class CurveResult(ResultModel):
    """A curve over all thresholds."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    kind: Literal["roc", "pr"]
    """The kind of curve."""
    points: tuple[tuple[float, float, float | None], ...]
    """x, y and threshold."""
    positives: int | float
    """The number of cases of the class."""
    negatives: int | float
    """The number of other cases."""
    band: tuple[tuple[float, float, float, float], ...] | None
    """Joint confidence limits of x and y at every point; null: not a ROC curve."""


class GateResult(ResultModel):
    """A gate: a condition on the results, and its outcome."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    average: Literal["macro", "micro", "weighted"] | None
    """As in values."""
    measure: str
    """The name of the measure."""
    kind: Literal["at_least", "at_most", "not_worse_than", "not_worse_than_last"]
    """The condition."""
    bound: Literal["low", "value", "high"] | None
    """What is compared with it: the value or a confidence limit; null: a difference."""
    against: str | None
    """The other classifier, or the id of the earlier run; null: there is none."""
    level: Literal["error", "warning"]
    """Whether a failure ends the run with exit code 1, or is a warning."""
    passed: bool
    """Whether it was met; false if the value could not be computed."""
    tested: bool
    """Whether it could be tested; false and passed: there is no earlier run yet."""
    observed: float | None
    """The number compared with the criterion; null: it could not be computed, or is infinite.

    For non-inferiority it is the worse confidence limit of the difference.
    """
    criterion: float | None
    """The bound; for non-inferiority the margin, with the sign of a worse value."""
    value: float | None
    """The value, or the difference."""
    low: float | None
    """The lower limit of its confidence interval."""
    high: float | None
    """The upper limit of its confidence interval."""
    reason: str
    """The reason in words."""


class PublishedValueResult(ResultModel):
    """A published value against the computed one."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    measure: str
    """A measure or a capability."""
    prevalence: float | None
    """The prevalence the value is for; null: that of the data."""
    published: float | str
    """The published value."""
    computed: float | str | None
    """The computed value, in the same unit."""
    unit: str | None
    """The unit of both."""
    agrees: bool
    """Whether the computed value, rounded like the published one, equals it."""
    source: str | None
    """Where it was published."""
    note: str | None
    """The note of the spec."""


# Prevalence and chance.


class PrevalenceResult(ResultModel):
    """Expected measures at a target prevalence."""

    classifier: str
    """The classifier."""
    target: float
    """The prevalence."""
    observed: float | None
    """The prevalence in the data; null: there are no cases."""
    accuracy: float | None
    """Accuracy there; null when undefined."""
    accuracy_low: float | None
    """The lower limit of its confidence interval."""
    accuracy_high: float | None
    """The upper limit of its confidence interval."""
    precision: float | None
    """Precision there; null when undefined."""
    precision_low: float | None
    """The lower limit of its confidence interval."""
    precision_high: float | None
    """The upper limit of its confidence interval."""
    npv: float | None
    """Negative predictive value there; null when undefined."""
    npv_low: float | None
    """The lower limit of its confidence interval."""
    npv_high: float | None
    """The upper limit of its confidence interval."""
    kappa: float | None
    """Cohen's kappa there; null when undefined."""
    kappa_low: float | None
    """The lower limit of its confidence interval."""
    kappa_high: float | None
    """The upper limit of its confidence interval."""
    kappa_best: float | None
    """Best-a-priori kappa there; null when undefined."""
    kappa_best_low: float | None
    """The lower limit of its confidence interval."""
    kappa_best_high: float | None
    """The upper limit of its confidence interval."""


class PrevalenceCrossingResult(ResultModel):
    """The prevalence at which two classifiers have the same value of a measure."""

    first: str
    """The first classifier."""
    second: str
    """The second classifier."""
    measure: str
    """The name of the measure."""
    prevalence: float | None
    """The prevalence; null: the order is the same everywhere."""
    low: float | None
    """The lower limit of its confidence interval; null: not computed."""
    high: float | None
    """The upper limit of its confidence interval; null: not computed."""
    below: str | None
    """The better one below it; null: they are equal everywhere."""
    above: str | None
    """The better one above it; null: they are equal everywhere."""
    value: float | None
    """The value of both there; null: the order is the same everywhere."""


class ChanceClassifierResult(ResultModel):
    """The validity rule "significant chi-square and accuracy above ½" for a classifier."""

    classifier: str
    """The classifier."""
    positives: int | float
    """Truly positive cases; repeated cases count once."""
    negatives: int | float
    """Truly negative cases; repeated cases count once."""
    alpha: float
    """The significance level."""
    accuracy: float
    """The proportion of correct predictions."""
    youden: float | None
    """Youden's index; null: one class has no cases."""
    chi_square: float | None
    """Chi-square with Yates' correction; null: undefined."""
    p: float | None
    """Its p-value."""
    significant: bool
    """Whether the p-value is below alpha."""
    passes: bool
    """Whether the classifier passes the rule."""
    misleading: bool
    """Whether chi-square is significant although Youden's index is not above 0."""
    prob_random_passes: float
    """The exact probability that guessing each class with probability ½ passes the rule."""
    p_value_vs_uniform: float
    """The probability that such guessing is at least as accurate."""
    p_value_vs_same_rate: float
    """The same for guessing positive at the classifier's own rate."""


class ChanceTableResult(ResultModel):
    """The probability that guessing each class with probability ½ passes the rule."""

    size: int
    """The number of cases."""
    share: float
    """The proportion of one class."""
    alpha: float
    """The significance level."""
    plain: float
    """The exact probability without Yates' correction."""
    corrected: float
    """The exact probability with Yates' correction."""
    published: float | None
    """The published value."""
    plain_agrees: bool | None
    """Whether the published value agrees with that without the correction."""
    corrected_agrees: bool | None
    """Whether the published value agrees with that with the correction."""
    source: str | None
    """Where it was published."""


class ChancePublishedResult(ResultModel):
    """A published probability that guessing is at least as accurate as a classifier."""

    classifier: str
    """The classifier."""
    guess: Literal["uniform", "same_rate"]
    """Guessing each class with probability ½, or positive at the classifier's own rate."""
    published: float
    """The published value."""
    computed: float
    """The exact probability."""
    agrees: bool
    """Whether the exact probability, rounded like the published one, equals it."""
    source: str | None
    """Where it was published."""
    note: str | None
    """The note of the spec."""


class ChanceResult(ResultModel):
    """Comparison of classifiers with random guessing."""

    classifiers: tuple[ChanceClassifierResult, ...] = ()
    """The rule applied to every classifier."""
    tables: tuple[ChanceTableResult, ...] = ()
    """The probability that guessing passes, by number of cases and class proportion."""
    published: tuple[ChancePublishedResult, ...] = ()
    """Published and exact probabilities."""


# Comparisons over several data sets.


class DatasetValueResult(ResultModel):
    """The value of a measure for a classifier on one data set."""

    dataset: str
    """The data set."""
    classifier: str
    """The classifier."""
    measure: str
    """The name of the measure."""
    average: Literal["macro", "micro", "weighted"] | None
    """The average over the classes; null: none."""
    value: float | None
    """The value; null when infinite or undefined."""
    state: Literal["defined", "infinite", "undefined"]
    """Whether the value is defined."""
    reason: str | None
    """Why it is undefined, the sign of an infinity, or the number of classes averaged."""
    rank: float | None
    """Its rank on this data set, 1 is best; null: the data set was left out for this measure."""


class DatasetRankResult(ResultModel):
    """The average rank of a classifier over the data sets."""

    measure: str
    """The name of the measure."""
    classifier: str
    """The classifier."""
    average_rank: float
    """The mean of its ranks; 1 is best."""
    datasets: int
    """The number of data sets."""
    critical_difference: float
    """The critical difference of average ranks (Nemenyi)."""
    primary_measure: bool
    """Whether this is the primary measure."""


class DatasetTestResult(ResultModel):
    """A test over the data sets, of all classifiers or of two."""

    measure: str
    """The name of the measure."""
    test: Literal["friedman", "iman-davenport", "wilcoxon", "nemenyi", "dunn-vs-control"]
    """The test."""
    first: str | None = None
    """The first classifier; null: a test of all classifiers."""
    second: str | None = None
    """The second classifier."""
    datasets: int
    """The number of data sets."""
    statistic: float | None = None
    """The test's statistic, of ranks the difference of average ranks; null when infinite."""
    df: int | None = None
    """Its degrees of freedom."""
    df_2: int | None = None
    """Those of the denominator, if it is an F."""
    p: float | None = None
    """The p-value; null where the test gives only an adjusted one."""
    adjusted: bool = True
    """Whether the test has a p-value adjusted for all pairs; false of tests of all classifiers."""
    p_adjusted: float | None = None
    """The p-value adjusted for all pairs of this measure."""
    difference: float | None = None
    """The pseudomedian of first minus second."""
    low: float | None = None
    """The lower limit of its confidence interval."""
    high: float | None = None
    """The upper limit of its confidence interval."""
    wins: int | None = None
    """The number of data sets on which the first is better."""
    ties: int | None = None
    """The number of data sets on which both are equal."""
    losses: int | None = None
    """The number of data sets on which the second is better."""
    verdict: Literal["superior", "inferior", "tied", "undecided", "equivalent"] | None = None
    """The decision of Wilcoxon's test on the first; null in the rows of other tests."""
    primary_measure: bool
    """Whether this is the primary measure."""


def dataset_value_rows(comparison: DatasetComparison) -> Iterator[DatasetValueResult]:
    """Yield the values on every data set."""
    for value in comparison.values:
        yield DatasetValueResult(
            dataset=value.dataset,
            classifier=value.classifier,
            measure=value.measure,
            average=value.average,
            value=value.value.value,
            state=value.value.state.value,
            reason=value.value.reason,
            rank=value.rank,
        )


def dataset_rank_rows(comparison: DatasetComparison) -> Iterator[DatasetRankResult]:
    """Yield the average ranks."""
    for name, average_rank in comparison.mean_ranks.items():
        yield DatasetRankResult(
            measure=comparison.measure.name,
            classifier=name,
            average_rank=average_rank,
            datasets=len(comparison.datasets),
            critical_difference=comparison.critical_difference,
            primary_measure=comparison.primary_measure,
        )


def dataset_test_rows(comparison: DatasetComparison) -> Iterator[DatasetTestResult]:
    """Yield the tests of all classifiers, then those of two."""
    empty = DatasetTestResult(
        measure=comparison.measure.name,
        test="friedman",
        datasets=len(comparison.datasets),
        primary_measure=comparison.primary_measure,
    )
    overall = comparison.friedman
    if overall is not None:
        yield empty.model_copy(
            update={
                "statistic": overall.chi_square,
                "df": overall.df,
                "p": overall.p,
                "adjusted": False,
            }
        )
        df, df_2 = overall.f_df
        yield empty.model_copy(
            update={
                "test": "iman-davenport",
                "statistic": overall.f_statistic,
                "df": df,
                "df_2": df_2,
                "p": overall.f_p,
                "adjusted": False,
            }
        )
    by_rank = "nemenyi" if comparison.baseline is None else "dunn-vs-control"
    for pair in comparison.pairs:
        pair_names = {"first": pair.first, "second": pair.second}
        keys = ("statistic", "p", "p_adjusted", "difference", "low", "high")
        counts = {key: getattr(pair, key) for key in (*keys, "wins", "ties", "losses")}
        tested = {**pair_names, **counts, "test": "wilcoxon", "verdict": pair.verdict.value}
        yield empty.model_copy(update=tested)
        ranked = {"statistic": pair.rank_difference, "p_adjusted": pair.rank_p}
        yield empty.model_copy(update={**pair_names, **ranked, "test": by_rank})


# Thresholds and curves.


class ThresholdResult(ResultModel):
    """A threshold chosen on these cases, and its counts and rates."""

    classifier: str
    """The classifier."""
    class_: str = Field(alias="class")
    """The class predicted for scores of at least the threshold."""
    rule: Literal["youden", "f1", "cost", "constraint"]
    """The criterion of choice."""
    reached: bool
    """Whether any threshold meets the criterion."""
    threshold: float | None
    """The threshold; null although reached: infinite, nothing is predicted as the class."""
    rounded: float | None
    """The threshold with the fewest digits that predicts the same cases as the class."""
    threshold_low: float | None
    """The lower end of its interval; null: infinite, or no interval."""
    threshold_high: float | None
    """The upper end of its interval; null: infinite, or no interval."""
    tp: int | float | None
    """True positives."""
    fn: int | float | None
    """False negatives."""
    fp: int | float | None
    """False positives."""
    tn: int | float | None
    """True negatives."""
    sensitivity: float | None = None
    """Sensitivity there."""
    specificity: float | None = None
    """Specificity there."""
    precision: float | None = None
    """Precision there; null: undefined."""
    f1: float | None = None
    """F1 there."""
    youden: float | None = None
    """Youden's index there."""
    cost_per_case: float | None
    """The cost per case there; null: the spec has no costs."""
    achieved: float | None
    """The value of the criterion: Youden's index, F1 or the cost per case."""
    achieved_low: float | None
    """The lower limit of its confidence interval for new cases, corrected for optimism."""
    achieved_high: float | None
    """The upper limit of that interval, which need not contain the value on these cases."""
    optimism: float | None
    """How much the choice on the same cases overstates the criterion on average."""
    method: Literal["optimism-corrected bootstrap"] = "optimism-corrected bootstrap"
    """The method of both intervals; that of the threshold has the percentiles of the resamples."""
    draws: int
    """The number of bootstrap resamples."""
    unmet_draws: int
    """The number of resamples in which no threshold meets the criterion."""


def threshold_rows(evaluation: Evaluation) -> Iterator[ThresholdResult]:
    """Yield the chosen thresholds."""
    for threshold in evaluation.thresholds:
        yield _threshold_row(threshold)


def curve_rows(evaluation: Evaluation) -> Iterator[CurveResult]:
    """Yield the curves, as many points of each as a drawing needs."""
    for points in evaluation.curves:
        roc = zip(points.roc(), (None, *points.thresholds), strict=True)
        recall = zip(points.precision_recall(), points.thresholds, strict=True)
        band = tuple(points.band.limits())
        for kind, curve, limits in (("roc", tuple(roc), band), ("pr", tuple(recall), None)):
            yield CurveResult.model_validate(
                {
                    "classifier": points.classifier,
                    "class": points.class_,
                    "kind": kind,
                    "points": tuple((x, y, threshold) for (x, y), threshold in curve),
                    "positives": points.positives,
                    "negatives": points.negatives,
                    "band": limits,
                }
            )


def _threshold_row(optimum: OptimalThreshold) -> ThresholdResult:
    return ThresholdResult.model_validate(
        {
            "classifier": optimum.classifier,
            "class": optimum.class_,
            "rule": optimum.rule.value,
            "reached": optimum.threshold is not None,
            "threshold": _finite_or_none(optimum.threshold),
            "rounded": _finite_or_none(optimum.rounded),
            "threshold_low": _finite_or_none(optimum.threshold_low),
            "threshold_high": _finite_or_none(optimum.threshold_high),
            **{name: getattr(optimum, name) for name in ("tp", "fn", "fp", "tn")},
            **{name: score.value for name, score in optimum.values},
            "cost_per_case": optimum.cost_per_case,
            "achieved": optimum.achieved,
            "achieved_low": optimum.achieved_low,
            "achieved_high": optimum.achieved_high,
            "optimism": optimum.optimism,
            "draws": optimum.draws,
            "unmet_draws": optimum.unmet_draws,
        }
    )


def _finite_or_none(number: float | None) -> float | None:
    return None if number is None or math.isinf(number) else number


# Changes since the last run on other data.


class ChangeResult(ResultModel):
    """A value in the last run on other data and now, with the test of its change.

    Of a class these are its share of all cases (prevalence) and the share of it that is recognised
    (sensitivity).
    """

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    measure: str
    """The name of the measure."""
    run: str
    """The id of that run."""
    then: float | None
    """The previous value; null: undefined, infinite or not measured."""
    now: float | None
    """The current value; null: undefined, infinite or not measured."""
    difference: float | None
    """Current minus previous value; null: not available."""
    low: float | None
    """The lower confidence limit, with the runs as independent samples."""
    high: float | None
    """The upper limit of its confidence interval."""
    test: str | None
    """The test; null: not tested."""
    p: float | None
    """The p-value; null: not tested."""
    p_adjusted: float | None
    """The p-value adjusted for all tests of changes; null: not tested."""
    verdict: Literal["significant change", "no significant change", "not tested"]
    """The decision by the adjusted p-value. Prevalences of all classes have one test together."""
    note: str | None = None
    """Why there is no difference, or why it was not tested."""


class ChangeVerdictResult(ResultModel):
    """The verdict on the change of a classifier, and the decomposition of its accuracy."""

    classifier: str
    """The classifier."""
    run: str
    """The id of the run it is compared with."""
    verdict: str
    """What changed significantly: class mix, recall, class mix and recall, or another measure.

    Also: no significant change (in what was tested), not tested, new, or other classes.
    """
    label_shift_effect: float | None
    """The change in accuracy due to the class mix (Kitagawa 1955); null: no matrices."""
    performance_effect: float | None
    """The change in accuracy due to the error rates; null: no matrices."""


class InputChangeResult(ResultModel):
    """An input file now and in the previous run, compared by its SHA-256."""

    path: str
    """The path of the file, as in the spec."""
    run: str
    """The id of the run it is compared with."""
    state: str
    """unchanged, changed, added or removed; a file that was only renamed is unchanged."""
    rows_then: int | None
    """The rows that were read from it in the previous run; null: unknown, or not there."""
    rows_now: int | None
    """The rows that were read from it now; null: not there."""
    min_changed_cases: int | None
    """At least so many cases have another true or predicted class, by the confusion matrices.

    Null: not known, because the number of cases changed or several files did.
    """


_SIGNIFICANT_CHANGE, _NO_SIGNIFICANT_CHANGE = "significant change", "no significant change"


def change_rows(drift: DriftAnalysis | None) -> Iterator[ChangeResult]:
    """Yield changes of the overall measures, then tested changes of prevalence and sensitivity."""
    if drift is None:
        return
    run = drift.last_run.id
    for change in drift.value_changes:
        key = {
            "classifier": change.classifier,
            "class": None,
            "measure": change.measure,
            "run": run,
        }
        values = {
            "then": change.then.value if change.then else None,
            "now": change.now.value if change.now else None,
            "difference": change.difference,
            "low": change.low,
            "high": change.high,
            "note": change.note,
        }
        tested = _change_test(
            change.test, change.p, change.p_adjusted, significant=change.is_significant
        )
        yield ChangeResult.model_validate({**key, **values, **tested})
    for label_shift in drift.label_shift_tests:
        tested = _change_test(
            label_shift.test.test,
            label_shift.test.p,
            label_shift.p_adjusted,
            significant=label_shift.is_significant,
        )
        for name in label_shift.classifiers:
            key = {"classifier": name, "measure": "prevalence", "run": run}
            yield from (
                _proportion_change_row(share, {**key, **tested})
                for share in label_shift.prevalence_changes
            )
    for reason in drift.attributions:
        key = {"classifier": reason.classifier, "measure": "sensitivity", "run": run}
        for rate in reason.recall_changes:
            tested = _change_test(
                "two proportions", rate.p, rate.p_adjusted, significant=rate.is_significant
            )
            yield _proportion_change_row(rate, {**key, **tested})


def change_verdict_rows(drift: DriftAnalysis | None) -> Iterator[ChangeVerdictResult]:
    """Yield the verdict on every classifier."""
    for reason in () if drift is None else drift.attributions:
        yield ChangeVerdictResult(
            classifier=reason.classifier,
            run=drift.last_run.id if drift else "",
            verdict=reason.verdict.value,
            label_shift_effect=reason.label_shift_effect,
            performance_effect=reason.performance_effect,
        )


def input_change_rows(drift: DriftAnalysis | None) -> Iterator[InputChangeResult]:
    """Yield every input file, compared with the previous run."""
    for change in () if drift is None else drift.input_changes:
        yield InputChangeResult(
            path=change.path,
            run=drift.last_run.id if drift else "",
            state=change.state.value,
            rows_then=change.rows_then,
            rows_now=change.rows_now,
            min_changed_cases=change.min_changed_cases,
        )


def _change_test(
    test: str | None, p: float | None, p_adjusted: float | None, *, significant: bool
) -> dict[str, object]:
    test_verdict = _SIGNIFICANT_CHANGE if significant else _NO_SIGNIFICANT_CHANGE
    return {
        "test": None if p is None else test,
        "p": p,
        "p_adjusted": p_adjusted,
        "verdict": "not tested" if p is None else test_verdict,
    }


def _proportion_change_row(
    change: ProportionChange, row_fields: Mapping[str, object]
) -> ChangeResult:
    numbers = {name: getattr(change, name) for name in ("then", "now", "difference", "low", "high")}
    return ChangeResult.model_validate({**row_fields, **numbers, "class": change.class_})


# Rows of results.json on monitoring over all runs.


class MonitoringResult(ResultModel):
    """A monitored quantity after a run: a row for each run, the current one last."""

    classifier: str
    """The classifier."""
    measure: str
    """The name of the measure."""
    kind: Literal["reference", "at_least", "at_most"]
    """What it is tested against: the reference runs, or the limit of a gate."""
    target: float
    """The proportion of the reference runs, or the limit."""
    reference_cases: int | None
    """The cases of the reference runs; null: tested against a limit."""
    run: str | None
    """The id of the run; null: the current run."""
    ended: datetime | None
    """When the run ended; null: the current run."""
    cases: int
    """The effective number of cases of the run."""
    hits: int
    """The number of them in the numerator."""
    log10_e: float
    """The decimal logarithm of the e-value after this run."""
    log10_threshold: float
    """The decimal logarithm of the e-value that raises an alarm."""
    alarm: bool
    """Whether an alarm was raised in this run or before."""
    since: datetime | None
    """The end of the run from which a change is likeliest, if there is an alarm.

    Null: no alarm, or the current run.
    """


def monitoring_rows(monitoring: Monitoring | None) -> Iterator[MonitoringResult]:
    """Yield the evidence of every monitored quantity, run after run."""
    for quantity in () if monitoring is None else monitoring.quantities:
        alarm = False
        for point in quantity.points:
            alarm = alarm or point is quantity.alarm
            yield MonitoringResult(
                classifier=quantity.classifier,
                measure=quantity.measure,
                kind=quantity.kind,
                target=quantity.target,
                reference_cases=quantity.reference_cases,
                run=point.run,
                ended=point.ended,
                cases=point.cases,
                hits=point.hits,
                log10_e=point.log10_e,
                log10_threshold=quantity.log10_threshold,
                alarm=alarm,
                since=quantity.since.ended if alarm and quantity.since else None,
            )
