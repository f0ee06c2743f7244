"""How sure the report has to be: intervals, comparisons, folds and the prevalence of use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from reportgen.errors.spec import (
    DUPLICATE_VALUE,
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
)
from reportgen.spec.issues import Highlight, RawSpec, ValidationIssue, quote_value
from reportgen.spec.measures import (
    describe_measure_range,
    has_reported_scores,
    is_out_of_range,
    suggest_value_in_range,
    validate_measure_keys,
    validate_measure_name,
    validate_scores_available,
)

if TYPE_CHECKING:
    from reportgen.measures import Measure
    from reportgen.spec.issues import KeyPath


BootstrapSampleCount = Annotated[int, Field(ge=200, le=100_000)]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]


class IntervalSettings(SpecModel):
    """How wide the intervals around numbers are, and how they are found."""

    level: ProportionFloat = Field(default=0.95, examples=[0.95])
    """The share of intervals that are to contain the true value."""

    method: Literal["recommended", "clopper-pearson", "bootstrap"] = Field(
        default="recommended", examples=["recommended"]
    )
    """The recommended one for each measure, Clopper-Pearson for shares, or resampling of counts.

    Areas under curves are resampled in tasks of two classes. Other measures of scores,
    probabilities and numeric predictions keep the recommended one.
    """

    draws: BootstrapSampleCount = Field(default=2000, examples=[2000])
    """How many samples are drawn where resampling is used."""

    seed: Seed = Field(default=0, examples=[1])
    """Where random draws begin: the same seed gives the same report."""


class ComparisonSettings(SpecModel):
    """How classifiers are compared."""

    alpha: ProportionFloat = Field(default=0.05, examples=[0.05])
    """The chance of a false claim that is allowed over the whole family of comparisons."""

    baseline: SingleLine | None = Field(default=None, examples=["SVM"])
    """The classifier all others are compared with, instead of all pairs."""

    margin: dict[str, PositiveFloat] | None = Field(default=None, examples=[{"accuracy": 0.01}])
    """By measure: differences smaller than this count as equivalent."""

    correction: Literal["step-down", "holm", "none"] = Field(
        default="step-down", examples=["step-down"]
    )
    """How p-values are adjusted for the number of comparisons."""

    primary: SingleLine | None = Field(default=None, examples=["accuracy"])
    """The measure that was declared to decide: tested first, at the full level."""

    p_values: Literal["exact", "mid-p"] = Field(default="exact", examples=["exact"])
    """Whether the outcome found counts whole (exact, on the safe side) or half (mid-p)."""


class FoldSettings(SpecModel):
    """How the folds were made, for tests over folds."""

    ratio: PositiveFloat | None = Field(default=None, examples=[0.1111])
    """Test cases by training cases; by default 1/(k−1), as in cross-validation with k folds."""

    repeats: Annotated[int, Field(ge=1, le=10_000)] | None = Field(default=None, examples=[10])
    """How often the cross-validation was repeated; by default read off the data, or 1."""

    tails: Literal["two", "one"] = Field(default="two", examples=["two"])
    """Two tails ask whether classifiers differ, one whether the first is better."""


class PrevalenceSettings(SpecModel):
    """Where the classifiers will be used."""

    targets: NonEmpty[ProportionFloat] = Field(examples=[[0.05, 0.2]])
    """Shares of positive cases to compute the measures for."""


class MisclassificationCost(SpecModel):
    """What a mistake costs, in any unit."""

    false_positive: PositiveFloat = Field(examples=[1])
    """The cost of a false alarm."""

    false_negative: PositiveFloat = Field(examples=[5])
    """The cost of a missed case."""


class ThresholdSettings(SpecModel):
    """How a threshold for the scores may be chosen."""

    cost: MisclassificationCost | None = Field(
        default=None, examples=[{"false_positive": 1, "false_negative": 5}]
    )
    """What mistakes cost: the threshold with the lowest cost is shown."""

    at_least: dict[str, FiniteFloat] | None = Field(default=None, examples=[{"sensitivity": 0.95}])
    """By measure: what must be reached; of the thresholds that do, the best by Youden's index."""


# What [comparison] names as decisive or gives a margin can be tested.

CONFUSION_COUNTS = frozenset({"tp", "fn", "fp", "tn"})
# By DeLong's test, or by a paired t-test of one number per case.
MEASURES_TESTED_PER_CASE = ("roc_auc", "brier", "log_loss", "information_score", "rmse", "mae")


def validate_comparison(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield what keeps declared measures and measures with a margin from being tested."""
    asked = raw.table("comparison")
    primary, margin = asked.get("primary"), asked.get("margin")
    if isinstance(primary, str) and primary.strip():
        path = ("comparison", "primary")
        yield from validate_measure_name(raw, primary, path)
        yield from validate_scores_available(raw, primary, path)
        yield from _validate_testable(raw, primary, path, Highlight.VALUE)
    yield from validate_measure_keys(raw, margin, ("comparison", "margin"))
    for name in margin if isinstance(margin, dict) else ():
        yield from _validate_testable(raw, name, ("comparison", "margin", name), Highlight.KEY)


def has_difference_test(measure: Measure) -> bool:
    """Tell whether there is a test of the difference of two classifiers on the same cases."""
    from reportgen.measures import Orientation
    from reportgen.measures.formula import find_quantities
    from reportgen.measures.measure import NoInterval

    if measure.orientation is Orientation.NEITHER or isinstance(measure.interval, NoInterval):
        return False
    counted = CONFUSION_COUNTS.issuperset(found.name for found in find_quantities(measure.formula))
    return counted or measure.name in MEASURES_TESTED_PER_CASE


def _validate_testable(
    raw: RawSpec, name: str, path: KeyPath, highlight: Highlight
) -> Iterator[ValidationIssue]:
    from reportgen.measures import Orientation, find_measure

    measure = find_measure(name)
    if measure is None:
        return
    if measure.orientation is Orientation.NEITHER:
        message = (
            f"{quote_value(name)} is neither better high nor low, so nobody can be better in it"
        )
        yield ValidationIssue(
            MEASURE_NOT_APPLICABLE, message, path, "name a measure with a better end", highlight
        )
    # Scores by fold and over data sets are compared whatever they measure.
    elif not (
        has_difference_test(measure)
        or has_reported_scores(raw, measure)
        or "datasets" in raw.document
    ):
        message = f"there is no test of a difference in {quote_value(name)}"
        yield ValidationIssue(
            MEASURE_NOT_APPLICABLE, message, path, _suggest_testable_measures(raw), highlight
        )


def _suggest_testable_measures(raw: RawSpec) -> str:
    from reportgen.measures import find_measure

    kind = raw.probable_task_kind or "binary"
    known = [(name, find_measure(name)) for name in MEASURES_TESTED_PER_CASE]
    fitting = [f"`{name}`" for name, measure in known if measure and measure.applies_to(kind)]
    *others, last = fitting if kind == "regression" else ("measures of counts", *fitting)
    return f"tested are {', '.join(others)} and {last}"


# What [folds] says of repeats fits the fold scores.


def validate_folds(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield repeats that do not divide the folds of a classifier, or leave one fold to each."""
    asked = raw.table("folds")
    repeats = asked.get("repeats")
    if not isinstance(repeats, int) or isinstance(repeats, bool) or repeats < 1:
        return
    path = ("folds", "repeats")
    for name, folds in _fold_score_counts(raw):
        if folds % repeats:
            yield ValidationIssue(
                FOLD_REPEATS,
                f"{quote_value(name)} has {folds} fold scores, which are not {repeats} repeats of"
                " equally many folds",
                path,
                "write how often the whole cross-validation was repeated; 1 if it was not",
            )
            return
        if folds == repeats and "ratio" not in asked:
            yield ValidationIssue(
                REQUIRES_OTHER_KEY,
                f"{repeats} repeats leave one fold to each, which does not tell how many cases"
                " were trained on",
                path,
                "name the ratio of test to training cases with `ratio` in [folds]",
                missing_keys=(("folds", "ratio"),),
            )
            return


def _fold_score_counts(raw: RawSpec) -> Iterator[tuple[str, int]]:
    """Yield how many fold scores each classifier has that has some."""
    for _, classifier in raw.tables("classifiers"):
        name, scores = classifier.get("name"), classifier.get("fold_scores")
        lists = scores.values() if isinstance(scores, dict) else ()
        found = next((items for items in lists if isinstance(items, list) and items), None)
        if isinstance(name, str) and found is not None:
            yield name, len(found)


# Another prevalence is asked for where there is one: in a task of two classes.

ONE_VS_REST_HELP = 'for one class against the rest, write a spec of kind = "binary"'


def validate_prevalence(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield why targets of prevalence cannot be used."""
    if "prevalence" not in raw.document:
        return
    if raw.task_kind not in {"binary", None}:
        message = f"[prevalence] does not fit a {raw.task_kind} task: it needs a positive class"
        way_out = ONE_VS_REST_HELP if raw.task_kind == "multiclass" else "take it out"
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK, message, ("prevalence",), way_out, Highlight.KEY
        )
    targets = raw.table("prevalence").get("targets")
    numbers = targets if isinstance(targets, list) else []
    seen: set[float] = set()
    for index, target in enumerate(numbers):
        if not isinstance(target, float):
            continue
        if target in seen:
            message = f"the target {quote_value(float(target))} is listed twice"
            path = ("prevalence", "targets", index)
            yield ValidationIssue(DUPLICATE_VALUE, message, path, "keep one of the two")
        seen.add(target)


def lacks_confusion_matrix(raw: RawSpec, classifier: object) -> bool:
    """Tell whether only scores are known of a classifier, not how it answered."""
    return any(
        table.get("name") == classifier and not {"fold_scores", "dataset_scores"}.isdisjoint(table)
        for _, table in raw.tables("classifiers")
    )


# Thresholds are asked for where there are scores of two classes, and by measures of counts.


def validate_thresholds(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield what keeps thresholds from being chosen."""
    if "thresholds" not in raw.document:
        return
    kind = raw.task_kind
    if kind is not None and kind != "binary":
        message = f"thresholds are chosen between two classes, but the task is {kind}"
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK, message, ("thresholds",), "take [thresholds] out", Highlight.KEY
        )
    elif not _names_score_column(raw):
        message = "thresholds need scores, but no column of scores is named"
        help_ = 'name it: `score = "p_yes"` in [data]'
        yield ValidationIssue(REQUIRES_OTHER_KEY, message, ("thresholds",), help_, Highlight.KEY)
    yield from _validate_threshold_constraints(raw)


def _names_score_column(raw: RawSpec) -> bool:
    tables = [raw.table("data"), *(table for _, table in raw.tables("classifiers"))]
    return any(key in table for table in tables for key in ("score", "probabilities", "format"))


def _validate_threshold_constraints(raw: RawSpec) -> Iterator[ValidationIssue]:
    from reportgen.measures import find_measure
    from reportgen.measures.formula import find_quantities

    wanted = raw.table("thresholds").get("at_least")
    for name, least in wanted.items() if isinstance(wanted, dict) else ():
        path = ("thresholds", "at_least", name)
        yield from validate_measure_name(raw, name, path, highlight=Highlight.KEY)
        measure = find_measure(name)
        if measure is None:
            continue
        if not CONFUSION_COUNTS.issuperset(
            found.name for found in find_quantities(measure.formula)
        ):
            message = f"{quote_value(name)} has no value at a single threshold"
            yield ValidationIssue(
                MEASURE_NOT_APPLICABLE,
                message,
                path,
                "ask for sensitivity or the like",
                Highlight.KEY,
            )
        elif is_out_of_range(least, measure):
            message = (
                f"{quote_value(name)} is asked to be outside of {describe_measure_range(measure)}"
            )
            yield ValidationIssue(
                OUT_OF_RANGE, message, path, suggest_value_in_range(measure, least)
            )
