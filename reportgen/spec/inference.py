"""Statistical inference: [intervals], [comparison], [folds], [prevalence] and [thresholds]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from reportgen.errors.spec import (
    FOLD_REPEATS,
    MEASURE_NOT_APPLICABLE,
    NOT_APPLICABLE_TO_TASK,
    OUT_OF_RANGE,
    REQUIRES_OTHER_KEY,
)
from reportgen.spec.fields import (
    FiniteFloat,
    NonEmpty,
    PositiveFloat,
    ProportionFloat,
    SingleLine,
    SpecModel,
    with_article,
)
from reportgen.spec.issues import (
    Highlight,
    SetKey,
    ValidationIssue,
    duplicate_issues,
    key_issue,
    quote_value,
)
from reportgen.spec.measures import (
    MeasureName,
    describe_measure_range,
    has_reported_scores,
    is_out_of_range,
    suggest_value_in_range,
    validate_measure_keys,
    validate_measure_name,
    validate_scores_available,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.measures import Measure
    from reportgen.spec.issues import KeyPath
    from reportgen.spec.spec import Spec

CONFUSION_CELLS = frozenset({"tp", "fn", "fp", "tn"})
# By DeLong's test, by the influence of each case, or by a paired t-test of one number per case.
MEASURES_TESTED_PER_CASE = (
    "roc_auc",
    "average_precision",
    "pr_auc",
    "brier",
    "log_loss",
    "ranked_probability_score",
    "ece",
    "information_score",
    "relative_information_score",
    "rmse",
    "mae",
    "r2",
    "pearson",
)
BootstrapSampleCount = Annotated[int, Field(ge=200, le=100_000)]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]


class IntervalSettings(SpecModel):
    """Confidence intervals: level and method."""

    level: ProportionFloat = Field(default=0.95, examples=[0.95])
    """The confidence level."""

    method: Literal["recommended", "clopper-pearson", "bootstrap"] = Field(
        default="recommended", examples=["recommended"]
    )
    """The recommended method per measure, Clopper-Pearson for proportions, or the bootstrap.

    The bootstrap resamples counts, and areas under curves in binary tasks. Other measures of
    scores, probabilities and numeric predictions keep the recommended method.
    """

    draws: BootstrapSampleCount = Field(default=2000, examples=[2000])
    """The number of bootstrap resamples."""

    seed: Seed = Field(default=0, examples=[1])
    """The random seed: the same seed gives the same report."""


class ComparisonSettings(SpecModel):
    """Comparisons of classifiers: error rate, baseline, margins and multiplicity adjustment."""

    alpha: ProportionFloat = Field(default=0.05, examples=[0.05])
    """The family-wise error rate of all comparisons."""

    baseline: SingleLine | None = Field(default=None, examples=["SVM"])
    """The classifier that all others are compared with, instead of all pairs."""

    margin: dict[str, PositiveFloat] | None = Field(default=None, examples=[{"accuracy": 0.01}])
    """Equivalence margins by measure: smaller differences count as equivalent."""

    correction: Literal["step-down", "holm", "none"] = Field(
        default="step-down", examples=["step-down"]
    )
    """The adjustment of p-values for multiplicity."""

    primary: MeasureName | None = Field(default=None, examples=["accuracy"])
    """The primary measure, which has the largest share of α: a measure or an average (`macro_f1`).

    By default accuracy, or RMSE; balanced accuracy if one class has 90 % of the cases or more, or
    if no accuracy is significantly above the proportion of the largest class.
    """

    p_values: Literal["exact", "mid-p"] = Field(default="exact", examples=["exact"])
    """Exact p-values (conservative), or mid-p-values, which count the observed outcome half."""


class FoldSettings(SpecModel):
    """The cross-validation design, for tests over folds."""

    ratio: PositiveFloat | None = Field(default=None, examples=[0.1111])
    """n_test/n_train of a fold; by default 1/(k−1), as in cross-validation with k folds."""

    repeats: Annotated[int, Field(ge=1, le=10_000)] | None = Field(default=None, examples=[10])
    """The number of repetitions of the cross-validation; by default that of the data, or 1."""

    tails: Literal["two", "one"] = Field(default="two", examples=["two"])
    """Two-tailed tests of a difference, or one-tailed tests of whether the first is better."""


class PrevalenceSettings(SpecModel):
    """Target prevalences, where the classifiers will be used."""

    targets: NonEmpty[ProportionFloat] = Field(examples=[[0.05, 0.2]])
    """Prevalences of the positive class to compute the measures for."""


class MisclassificationCost(SpecModel):
    """Misclassification costs, in any unit."""

    false_positive: PositiveFloat = Field(examples=[1])
    """The cost of a false positive."""

    false_negative: PositiveFloat = Field(examples=[5])
    """The cost of a false negative."""


class ThresholdSettings(SpecModel):
    """Criteria for choosing a decision threshold."""

    cost: MisclassificationCost | None = Field(
        default=None, examples=[{"false_positive": 1, "false_negative": 5}]
    )
    """Misclassification costs: the threshold of minimum cost is reported."""

    at_least: dict[str, FiniteFloat] | None = Field(default=None, examples=[{"sensitivity": 0.95}])
    """Constraints by measure; of the thresholds that meet them, the one of maximum Youden's J."""


def validate_comparison(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield primary measures and measures with a margin whose differences cannot be tested."""
    primary, margin = spec.comparison.primary, spec.comparison.margin or {}
    path: KeyPath = ("comparison", "primary")
    if primary is not None:
        yield from _validate_primary(spec, primary, path)
    path = ("comparison", "margin")
    yield from validate_measure_keys(spec, margin, path)
    for name in margin:
        yield from _validate_testable(spec, name, (*path, name), Highlight.KEY)


def _validate_primary(spec: Spec, primary: str, path: KeyPath) -> Iterator[ValidationIssue]:
    """Yield the reason why a primary measure would have no values or no tests."""
    from reportgen.measures import parse_measure

    measure_and_average = parse_measure(primary)
    if measure_and_average is None:
        yield from validate_measure_name(spec, primary, path)
        return
    measure, average = measure_and_average
    yield from validate_measure_name(spec, measure.name, path)
    yield from validate_scores_available(spec, measure.name, path)
    yield from _validate_testable(spec, measure.name, path, Highlight.VALUE)
    if average is not None and not spec.task.is_multiclass:
        message = f"{quote_value(primary)} is an average over the classes of a multiclass task"
        yield ValidationIssue(
            MEASURE_NOT_APPLICABLE, message, path, f"name the measure itself: `{measure.name}`"
        )
    elif (
        average is None
        and spec.task.is_multiclass
        and not measure.has_overall_value(spec.task.kind)
        and (measure.has_class_averages or _is_function_of_counts(measure))
        and not (has_reported_scores(spec, measure) or spec.dataset_names)
    ):
        message = f"{quote_value(primary)} has a value per class, but none over all classes"
        help_text = (
            f"name an average: `macro_{measure.name}`"
            if measure.has_class_averages
            else "name a measure of all classes, such as `accuracy`, or an average"
        )
        yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, path, help_text)


def has_difference_test(measure: Measure) -> bool:
    """Return whether differences of two classifiers on the same cases can be tested."""
    from reportgen.measures import MeasureFamily, Orientation, is_function_of_matrix
    from reportgen.measures.measure import NoInterval

    if measure.orientation is Orientation.NEITHER or isinstance(measure.interval, NoInterval):
        return False
    return (
        is_function_of_matrix(measure)
        or measure.family is MeasureFamily.OPERATING_POINT
        or measure.name in MEASURES_TESTED_PER_CASE
        # Means over the label sets of the cases.
        or measure.only_for == "multilabel"
    )


def _is_function_of_counts(measure: Measure) -> bool:
    from reportgen.measures.formula import find_quantities

    return CONFUSION_CELLS.issuperset(
        quantity.name for quantity in find_quantities(measure.formula)
    )


def _validate_testable(
    spec: Spec, name: str, path: KeyPath, highlight: Highlight
) -> Iterator[ValidationIssue]:
    from reportgen.measures import Orientation, find_measure

    measure = find_measure(name)
    if measure is None:
        return
    if measure.orientation is Orientation.NEITHER:
        message = f"{quote_value(name)} has no better direction, so classifiers cannot be ranked"
        help_text = "name a measure of which higher or lower is better"
        yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, path, help_text, highlight)
    # Scores per fold and over data sets are compared whatever they measure.
    elif not (has_difference_test(measure) or has_reported_scores(spec, measure) or spec.datasets):
        message = f"there is no test of differences in {quote_value(name)}"
        help_text = _suggest_testable_measures(spec)
        yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, path, help_text, highlight)


def _suggest_testable_measures(spec: Spec) -> str:
    from reportgen.measures import find_measure

    kind = spec.task.kind
    candidates = [(name, find_measure(name)) for name in MEASURES_TESTED_PER_CASE]
    names = [f"`{name}`" for name, measure in candidates if measure and measure.applies_to(kind)]
    *others, last = names if kind == "regression" else ("measures of counts", *names)
    return f"testable: {', '.join(others)} and {last}"


def validate_folds(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield repetitions that do not divide the folds of a classifier, or leave one fold each."""
    repeats, path = spec.folds.repeats, ("folds", "repeats")
    if repeats is None:
        return
    for classifier in spec.classifiers:
        fold_count = len(next(iter((classifier.fold_scores or {}).values()), ()))
        if fold_count % repeats:
            yield ValidationIssue(
                FOLD_REPEATS,
                f"the {fold_count} fold scores of {quote_value(classifier.name)} are not {repeats}"
                " repetitions of equally many folds",
                path,
                "give the number of repetitions of the cross-validation; 1 if it was not repeated",
            )
            return
        if fold_count == repeats and spec.folds.ratio is None:
            yield ValidationIssue(
                REQUIRES_OTHER_KEY,
                f"{repeats} repetitions of one fold each do not determine the number of training"
                " cases",
                path,
                "set `ratio`, n_test/n_train, in [folds]",
                depends_on=(("folds", "ratio"),),
            )
            return


def validate_prevalence(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield target prevalences that do not apply to the task, or are duplicates."""
    if spec.prevalence is None:
        return
    if spec.task.kind != "binary":
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK,
            f"does not apply to {with_article(spec.task.kind)} task: it needs a positive class",
            ("prevalence",),
            "for one class against the rest, make it a binary task with that class as `positive`"
            if spec.task.is_multiclass
            else "remove it",
            Highlight.KEY,
            subject="[prevalence]",
        )
    yield from duplicate_issues("target", spec.prevalence.targets, ("prevalence", "targets"))


def lacks_confusion_matrix(spec: Spec, name: str) -> bool:
    """Return whether a classifier has only scores per fold or data set, not its predictions."""
    classifier = spec.find_classifier(name)
    return classifier is not None and bool(classifier.fold_scores or classifier.dataset_scores)


def validate_thresholds(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield what prevents the choice of thresholds: the task, missing scores or constraints."""
    if spec.thresholds is None:
        return
    if spec.task.kind != "binary":
        message = f"thresholds need a binary task, but the task is {spec.task.kind}"
        help_text = "remove [thresholds]"
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK, message, ("thresholds",), help_text, Highlight.KEY
        )
    elif not _has_scores(spec):
        yield ValidationIssue(
            REQUIRES_OTHER_KEY,
            "thresholds need scores, but no column of scores is named",
            ("thresholds",),
            SetKey(("data", "score"), "p_yes"),
            Highlight.KEY,
            depends_on=tuple(("data", key) for key in _SCORE_KEYS),
        )
    constraints = spec.thresholds.at_least or {}
    yield from validate_constraints(spec, constraints, ("thresholds", "at_least"))


_SCORE_KEYS = ("score", "probabilities", "format")


def _has_scores(spec: Spec) -> bool:
    return any(
        getattr(table, key) is not None
        for table in (spec.data, *spec.classifiers)
        for key in _SCORE_KEYS
    )


def validate_constraints(
    spec: Spec, constraints: Mapping[str, float], table: KeyPath
) -> Iterator[ValidationIssue]:
    """Yield measures that have no value at a threshold, and limits outside of their range."""
    from reportgen.measures import find_measure

    for name, minimum in constraints.items():
        path = (*table, name)
        yield from validate_measure_name(spec, name, path, highlight=Highlight.KEY)
        measure = find_measure(name)
        if measure is None:
            continue
        if not _is_function_of_counts(measure):
            message = "has no value at a single threshold"
            help_text = "use a measure of counts, such as sensitivity"
            yield key_issue(MEASURE_NOT_APPLICABLE, path, message, help_text, Highlight.KEY)
        elif is_out_of_range(minimum, measure):
            message = f"is outside {describe_measure_range(measure)}"
            yield key_issue(OUT_OF_RANGE, path, message, suggest_value_in_range(measure, minimum))
