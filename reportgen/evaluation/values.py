"""Values of the measures: formulas applied to aggregates, with state and reason."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from reportgen.measures import (
    SCORE_FAMILIES,
    Measure,
    MeasureFamily,
    describe_singularity,
    find_measure,
    get_measure,
    is_function_of_counts,
)
from reportgen.measures.formula.compile import as_polars
from reportgen.measures.formula.singularities import find_infinite, find_undefined
from reportgen.predictions.duplicates import sum_groups
from reportgen.predictions.unanswered import NO_ANSWER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from reportgen.aggregates.confusion import ConfusionCounts
    from reportgen.aggregates.model import Aggregates
    from reportgen.aggregates.operating_points import OperatingPointStatistics
    from reportgen.aggregates.probabilities import ProbabilityLossSums
    from reportgen.aggregates.ranking import RankingStatistics
    from reportgen.aggregates.regression import RegressionSums
    from reportgen.measures.formula import Formula

ValueKey: TypeAlias = tuple[str, str | None, str | None, str]
"""Classifier, class, average and measure of a value."""


class ValueState(StrEnum):
    """Whether a value is defined, undefined or infinite."""

    DEFINED = "defined"
    INFINITE = "infinite"
    UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class MeasureValue:
    """The value of a measure with its confidence interval.

    `reason` is why the value is not a finite number, or over which classes it averages. `low` and
    `high` are the confidence limits by `method`; a limit of None with a method is infinite.
    """

    value: float | None
    state: ValueState
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    method: str | None = None

    @property
    def number(self) -> float | None:
        """The value for comparisons: infinite values count, undefined ones are None."""
        if self.state is ValueState.INFINITE:
            return -math.inf if self.reason and self.reason.startswith("−") else math.inf
        return self.value


VALUE_SCHEMA = pl.Schema(
    {
        "classifier": pl.String,
        "class": pl.String,
        "average": pl.String,
        "fold": pl.String,
        "measure": pl.String,
        "value": pl.Float64,
        "state": pl.String,
        "reason": pl.String,
        "low": pl.Float64,
        "high": pl.Float64,
        "method": pl.String,
    }
)

VALUE_KEYS = ("classifier", "class", "average", "measure")


@dataclass(frozen=True, slots=True)
class MeasureValues:
    """Values by classifier, class, average, fold and measure.

    Class null and average null is the value for the positive class (binary), over the whole
    matrix (multiclass) or over all cases (regression); fold null is over all folds together.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Raise ValueError for a frame of another schema."""
        if self.frame.schema != VALUE_SCHEMA:
            message = f"scores need {VALUE_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)

    def pooled_over_folds(self) -> pl.DataFrame:
        """Return the values over all folds."""
        return self.frame.filter(pl.col("fold").is_null())

    def per_fold(self) -> pl.DataFrame:
        """Return the values of single folds without class and average."""
        return self.frame.filter(
            pl.col("fold").is_not_null(), pl.col("class").is_null(), pl.col("average").is_null()
        )

    def by_key(self) -> dict[ValueKey, MeasureValue]:
        """Return the values over all folds by (classifier, class, average, measure)."""
        columns = self.pooled_over_folds().to_dict(as_series=False)
        keys = zip(*(columns[name] for name in VALUE_KEYS), strict=True)
        states = map(ValueState, columns["state"])
        other_columns = (columns[name] for name in ("reason", "low", "high", "method"))
        return dict(
            zip(keys, map(MeasureValue, columns["value"], states, *other_columns), strict=True)
        )

    @classmethod
    def concat(cls, parts: list[MeasureValues]) -> MeasureValues:
        """Concatenate values."""
        frames = [part.frame for part in parts] or [pl.DataFrame(schema=VALUE_SCHEMA)]
        return cls(pl.concat(frames))


def evaluate_measures(
    aggregates: pl.DataFrame, keys: Sequence[str], formulas: Mapping[Measure, Formula]
) -> pl.DataFrame:
    """Return keys, measure, raw (IEEE), value, state and reason for every row and formula."""
    # From series: polars may store a column of equal numbers as one, and multiplies by its inverse
    # instead of dividing; whether it does depends on the threads.
    aggregates = pl.DataFrame(aggregates.get_columns())
    values = aggregates.select(
        *keys,
        *(
            _raw_value(measure, formula).alias(measure.name)
            for measure, formula in formulas.items()
        ),
    ).unpivot(index=list(keys), variable_name="measure", value_name="raw")
    return with_value_states(_join_reasons(values, aggregates, keys, formulas))


def with_value_states(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn raw IEEE numbers into values with their state."""
    raw = pl.col("raw")
    return frame.with_columns(
        value=pl.when(raw.is_finite()).then(raw),
        state=pl.when(raw.is_nan())
        .then(pl.lit(ValueState.UNDEFINED.value))
        .when(raw.is_infinite())
        .then(pl.lit(ValueState.INFINITE.value))
        .otherwise(pl.lit(ValueState.DEFINED.value)),
    )


def _raw_value(measure: Measure, formula: Formula) -> pl.Expr:
    """Return the value, NaN where a required part is 0."""
    value = as_polars(formula)
    missing = [as_polars(part) == 0 for part in measure.requires]
    if missing:
        value = pl.when(pl.any_horizontal(missing)).then(float("nan")).otherwise(value)
    # Rounding may carry a perfect MCC to 1.0000000000000002.
    low, high = measure.range.low, measure.range.high
    return value.clip(low, high) if (low, high) != (None, None) else value


def _join_reasons(
    values: pl.DataFrame,
    aggregates: pl.DataFrame,
    keys: Sequence[str],
    formulas: Mapping[Measure, Formula],
) -> pl.DataFrame:
    """Join the reasons, computed only for measures with a value that is not finite."""
    odd = set(values.filter(~pl.col("raw").is_finite()).get_column("measure").unique())
    reasons = [
        aggregates.select(
            *keys, measure=pl.lit(measure.name), reason=_singularity_reason(measure, formula)
        )
        for measure, formula in formulas.items()
        if measure.name in odd
    ]
    if not reasons:
        return values.with_columns(reason=pl.lit(None, pl.String))
    on = [*keys, "measure"]
    return values.join(
        pl.concat(reasons), on=on, how="left", nulls_equal=True, maintain_order="left"
    )


def _singularity_reason(measure: Measure, formula: Formula) -> pl.Expr:
    undefined: list[pl.Expr] = [
        pl.when(as_polars(cause.node).is_nan()).then(pl.lit(describe_singularity(cause)))
        for cause in find_undefined(formula, measure.requires)
    ]
    infinite: list[pl.Expr] = [
        pl.when(as_polars(cause.node).is_infinite()).then(pl.lit(describe_singularity(cause)))
        for cause in find_infinite(formula, measure.requires)
    ]
    sign = pl.when(as_polars(formula) > 0).then(pl.lit("+∞: ")).otherwise(pl.lit("−∞: "))
    is_infinite = as_polars(formula).is_infinite()
    because = pl.when(is_infinite).then(pl.concat_str(sign, pl.coalesce(infinite or [pl.lit("")])))
    return pl.coalesce([*undefined, because])


AVERAGE_KEYS = ("classifier", "fold", "measure")
MAX_CLASSES_LISTED = 5


def macro_average(per_class: pl.DataFrame) -> pl.DataFrame:
    """Return the unweighted mean over the classes with a defined value."""
    return _average_over_classes(per_class.with_columns(weight=1.0), "macro")


def weighted_average(per_class: pl.DataFrame, counts: pl.DataFrame) -> pl.DataFrame:
    """Return the mean over the classes with a defined value, weighted by class size."""
    support = counts.select(
        "classifier", "fold", "class", weight=(pl.col("tp") + pl.col("fn")).cast(pl.Float64)
    )
    joined = per_class.join(
        support,
        on=["classifier", "fold", "class"],
        nulls_equal=True,
        maintain_order="left",
    )
    # A class without cases has no weight, so an undefined value there leaves nothing out.
    return _average_over_classes(joined.filter(pl.col("weight") > 0), "weighted")


def sum_counts_over_classes(counts: pl.DataFrame) -> pl.DataFrame:
    """Return the four counts summed over the classes."""
    summands = {name: pl.col(name) for name in ("tp", "fn", "fp", "tn")}
    return sum_groups(counts.lazy(), ["classifier", "fold"], **summands).collect()


def _average_over_classes(per_class: pl.DataFrame, average: str) -> pl.DataFrame:
    raw, weight = pl.col("raw"), pl.col("weight")
    has_value = ~raw.is_nan()
    # Lists, because sums over groups depend in their last digit on the number of threads.
    class_values = per_class.group_by(AVERAGE_KEYS, maintain_order=True).agg(
        weighted=(raw * weight).filter(has_value),
        weights=weight.filter(has_value),
        classes=pl.len(),
        undefined=pl.col("class").filter(~has_value),
    )
    class_sums = class_values.with_columns(
        raw=pl.col("weighted").list.sum() / pl.col("weights").list.sum(), average=pl.lit(average)
    )
    return with_value_states(class_sums.with_columns(reason=_average_reason()))


def _average_reason() -> pl.Expr:
    left_out, classes, raw = pl.col("undefined").list.len(), pl.col("classes"), pl.col("raw")
    over = pl.format(
        "over {} of {} classes; undefined for {}{}",
        classes - left_out,
        classes,
        pl.col("undefined").list.head(MAX_CLASSES_LISTED).list.join(", "),
        pl.when(left_out > MAX_CLASSES_LISTED).then(pl.lit(", …")).otherwise(pl.lit("")),
    )
    sign = pl.when(raw > 0).then(pl.lit("+∞: ")).otherwise(pl.lit("−∞: "))
    return (
        pl.when(left_out == classes)
        .then(pl.lit("undefined for every class"))
        .when(raw.is_nan())
        .then(pl.lit("infinite with opposite signs for different classes"))
        .when(raw.is_infinite() & (left_out > 0))
        .then(pl.concat_str(sign, pl.lit("infinite for some class; "), over))
        .when(raw.is_infinite())
        .then(pl.concat_str(sign, pl.lit("infinite for some class")))
        .when(left_out > 0)
        .then(over)
    )


ZERO_PROBABILITY_REASON = "+∞: a true class was given probability 0"


def compute_count_values(
    confusion: ConfusionCounts, measures: Sequence[Measure], positive: str | None
) -> MeasureValues:
    """Compute measures of counts: per class, averaged, and of the positive class or overall."""
    measures = [measure for measure in measures if measure.family not in SCORE_FAMILIES]
    counts = confusion.counts_per_class().collect()
    of_counts = {m: m.formula for m in measures if is_function_of_counts(m)}
    per_class = evaluate_measures(
        counts.filter(~_is_no_answer()), ("classifier", "fold", "class"), of_counts
    )
    main = (
        _compute_overall_values(confusion, measures)
        if positive is None
        else per_class.filter(pl.col("class") == positive).drop("class")
    )
    parts = [conform_to_schema(main), conform_to_schema(per_class)]
    return MeasureValues(pl.concat([*parts, compute_average_values(counts, measures)]))


def compute_average_values(counts: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
    """Return macro, micro and weighted averages over the classes, without intervals.

    Args:
        counts: tp, fn, fp and tn by classifier, fold and class.
        measures: the measures; those without averages are left out.
    """
    averaged = {
        measure: measure.formula
        for measure in measures
        if measure.has_class_averages and is_function_of_counts(measure)
    }
    per_class = evaluate_measures(
        counts.filter(~_is_no_answer()),
        ("classifier", "fold", "class"),
        averaged,
    )
    micro = evaluate_measures(sum_counts_over_classes(counts), ("classifier", "fold"), averaged)
    parts = [
        macro_average(per_class),
        micro.with_columns(average=pl.lit("micro")),
        weighted_average(per_class, counts),
    ]
    return pl.concat([conform_to_schema(part) for part in parts])


def _is_no_answer() -> pl.Expr:
    """Return whether a class is that of unanswered cases, which is true of no case."""
    is_named = pl.col("class").cast(pl.String) == NO_ANSWER
    return is_named & ((pl.col("tp") + pl.col("fn")).sum().over("class") == 0)


def compute_ranking_values(
    ranking: RankingStatistics, measures: Sequence[Measure], positive: str | None
) -> MeasureValues:
    """Compute measures of rankings: per class, averaged, and of the positive class or overall."""
    ranking_measures = [measure for measure in measures if measure.family is MeasureFamily.RANKING]
    if not ranking_measures:
        return MeasureValues.concat([])
    keys = ("classifier", "fold", "class")
    per_class = evaluate_measures(
        ranking.frame, keys, {measure: measure.formula for measure in ranking_measures}
    )
    if positive is not None:
        return MeasureValues(
            pl.concat([conform_to_schema(per_class.drop("class")), conform_to_schema(per_class)])
        )
    formulas = {
        measure: measure.overall_formula
        for measure in ranking_measures
        if measure.overall_formula is not None
    }
    # `weighted_average` knows the size of a class as tp + fn.
    sizes = ranking.frame.select(*keys, tp=pl.col("positives"), fn=pl.lit(0.0))
    parts = [
        evaluate_measures(ranking.multiclass, ("classifier", "fold"), formulas),
        per_class,
        macro_average(per_class),
        weighted_average(per_class, sizes),
    ]
    return MeasureValues(pl.concat([conform_to_schema(part) for part in parts]))


def compute_threshold_values(
    confusion: ConfusionCounts,
    measures: Sequence[Measure],
    threshold: float,
    positive: str | None,
) -> MeasureValues:
    """Compute the measures of counts at a threshold of the positive class's probability."""
    threshold_measures = [measure for measure in measures if measure.threshold == threshold]
    values = compute_count_values(confusion, threshold_measures, positive)
    of_positive = pl.col("average").is_null() & pl.col("class").fill_null(positive).eq(positive)
    return MeasureValues(values.frame.filter(of_positive))


def split_by_threshold(values: MeasureValues) -> list[tuple[float | None, MeasureValues]]:
    """Return the values by the threshold of their measures; None: as predicted."""
    names = values.frame.get_column("measure").unique(maintain_order=True)
    thresholds = {name: get_measure(name).threshold for name in names}
    return [
        (
            threshold,
            MeasureValues(
                values.frame.filter(
                    pl.col("measure").is_in([n for n in names if thresholds[n] == threshold])
                )
            ),
        )
        for threshold in dict.fromkeys(thresholds.values())
    ]


def compute_operating_point_values(
    statistics: OperatingPointStatistics, measures: Sequence[Measure]
) -> MeasureValues:
    """Compute the measures at an operating point, of the positive class of a binary task."""
    point_measures = [
        measure for measure in measures if measure.family is MeasureFamily.OPERATING_POINT
    ]
    parts = []
    for measure in point_measures:
        keys = ("classifier", "fold", "class")
        values = evaluate_measures(statistics.frame, keys, {measure: measure.formula})
        parameter, tp_column = measure.parameter, f"{measure.name}:tp"
        if parameter is not None and parameter.condition:
            # The formula cannot say that no threshold meets the condition.
            is_unattainable = statistics.frame.get_column(tp_column).is_nan()
            reason = f"no threshold has a {parameter.condition} of at least {parameter.value:g}"
            values = values.with_columns(
                reason=pl.when(is_unattainable).then(pl.lit(reason)).otherwise(pl.col("reason"))
            )
        parts += [values.drop("class"), values]
    return MeasureValues.concat([MeasureValues(conform_to_schema(part)) for part in parts])


def compute_probability_values(
    losses: ProbabilityLossSums, measures: Sequence[Measure]
) -> MeasureValues:
    """Compute the measures of probabilities of every classifier that predicts them."""
    formulas = {
        measure: measure.formula
        for measure in measures
        if measure.family is MeasureFamily.PROBABILITY
    }
    if not formulas:
        return MeasureValues.concat([])
    values = evaluate_measures(losses.frame, ("classifier", "fold"), formulas)
    # Only the logarithm of a probability of 0 is infinite, and not by the formula but the sum.
    infinite = pl.col("state") == ValueState.INFINITE.value
    reason = pl.when(infinite).then(pl.lit(ZERO_PROBABILITY_REASON)).otherwise(pl.col("reason"))
    return MeasureValues(conform_to_schema(values.with_columns(reason=reason)))


def compute_regression_values(
    regression: RegressionSums, measures: Sequence[Measure]
) -> MeasureValues:
    """Compute the measures of numeric predictions."""
    formulas = {measure: measure.formula for measure in measures}
    return MeasureValues(
        conform_to_schema(evaluate_measures(regression.frame, ("classifier", "fold"), formulas))
    )


def build_reported_fold_values(
    classifier: str, values_by_measure: Mapping[Measure, Sequence[float]]
) -> MeasureValues:
    """Return fold values given in the spec; folds are numbered from 1."""
    rows = [
        {"classifier": classifier, "fold": str(number), "measure": measure.name, "value": value}
        for measure, values in values_by_measure.items()
        for number, value in enumerate(values, start=1)
    ]
    frame = pl.DataFrame(rows, schema_overrides=VALUE_SCHEMA)
    return MeasureValues(
        conform_to_schema(frame.with_columns(state=pl.lit(ValueState.DEFINED.value)))
    )


def _compute_overall_values(
    confusion: ConfusionCounts, measures: Sequence[Measure]
) -> pl.DataFrame:
    formulas = {
        measure: measure.overall_formula
        for measure in measures
        if measure.overall_formula is not None
    }
    return evaluate_measures(confusion.matrix_sums().collect(), ("classifier", "fold"), formulas)


def conform_to_schema(part: pl.DataFrame) -> pl.DataFrame:
    """Return a part with all columns of the schema, in its order."""
    missing = [
        pl.lit(None, dtype).alias(name)
        for name, dtype in VALUE_SCHEMA.items()
        if name not in part.columns
    ]
    return part.with_columns(missing).select(
        pl.col(name).cast(dtype) for name, dtype in VALUE_SCHEMA.items()
    )


def select_measurable(
    measures: Sequence[Measure], aggregates: Aggregates, reported_names: Collection[str]
) -> tuple[Measure, ...]:
    """Return the measures whose aggregates, or reported values, are available."""
    datasets = (aggregates, *aggregates.datasets.values())
    parts = [part for dataset in datasets for part in (dataset, *dataset.labels.values())]
    absent = {
        family
        for family, has_any in (
            (MeasureFamily.RANKING, any(part.ranking is not None for part in parts)),
            (MeasureFamily.PROBABILITY, any(part.probability_losses is not None for part in parts)),
            (MeasureFamily.OPERATING_POINT, any(part.operating_points for part in parts)),
        )
        if not has_any
    }
    return tuple(
        measure
        for measure in measures
        if measure.family not in absent or measure.name in reported_names
    )


def omitted_measure_warnings(
    requested: Iterable[str], reported_measures: Collection[Measure]
) -> list[str]:
    """Return warnings about requested measures that cannot be computed."""
    left_out = [
        measure.name
        for name in requested
        if (measure := find_measure(name)) is not None
        and measure.family is MeasureFamily.PROBABILITY
        and measure not in reported_measures
    ]
    return [f"`{name}` is left out: no classifier's scores are probabilities" for name in left_out]
