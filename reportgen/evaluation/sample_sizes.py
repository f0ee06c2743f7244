"""Numbers of cases behind the values, and design effects of clusters and weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.confusion import GROUP_KEYS
from reportgen.evaluation.design_effects import Estimand, find_design_effects
from reportgen.evaluation.values import VALUE_SCHEMA
from reportgen.measures import SCORE_FAMILIES, get_measure
from reportgen.predictions.duplicates import sum_groups

if TYPE_CHECKING:
    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.design_effects import DesignEffects
    from reportgen.evaluation.values import MeasureValues
    from reportgen.measures import Average
    from reportgen.spec import Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignSummary:
    """The sampling design of a classifier's cases.

    `design_effect` is the factor by which the variance of accuracy, or of the mean squared error,
    is larger than that of as many independent cases (Kish 1965).
    """

    classifier: str
    cases: int
    clusters: int | None
    largest_cluster: int | None
    weighted: bool
    weight_effective_n: float | None
    """Kish's effective number of cases of the weights alone: (Σw)² / Σw²."""
    design_effect: float
    n_effective: float


def summarize_design(aggregates: Aggregates) -> tuple[DesignSummary, ...]:
    """Return the design of each classifier; nothing if cases are independent and weigh the same."""
    design = aggregates.design
    if design is None:
        return ()
    largest, effective = None, None
    if design.clusters is not None:
        largest = round(float(np.bincount(design.clusters, design.counts).max()))
    if design.weights is not None:
        squares = float(design.counts @ design.weights**2)
        effective = design.cases**2 / squares
    return tuple(
        DesignSummary(
            classifier=audit.classifier,
            cases=design.cases,
            clusters=None if design.clusters is None else design.units,
            largest_cluster=largest,
            weighted=design.weights is not None,
            weight_effective_n=effective,
            design_effect=1 / share,
            n_effective=design.cases * share,
        )
        for audit in aggregates.audits
        for share in (aggregates.case_weight(audit.classifier),)
    )


def add_required_clusters(aggregates: Aggregates, comparison: Comparison) -> Comparison:
    """Add the required number of clusters, which have as many cases each as the present ones."""
    design = aggregates.design
    if design is None or design.clusters is None or comparison.required_cases is None:
        return comparison
    clusters = math.ceil(comparison.required_cases * design.units / design.cases)
    return replace(comparison, required_clusters=clusters)


_SAMPLE_COLUMNS: dict[str, pl.DataType] = {
    "segment_column": pl.String(),
    "segment": pl.String(),
    "n": pl.Int64(),
    "n_effective": pl.Float64(),
}
SAMPLED_VALUE_SCHEMA = pl.Schema([*VALUE_SCHEMA.items(), *_SAMPLE_COLUMNS.items()])


def add_sample_sizes(
    spec: Spec,
    aggregates: Aggregates,
    values: MeasureValues,
    segment: tuple[str, str] | None = None,
) -> pl.DataFrame:
    """Return the values with the number of cases of each and the effective number.

    The number is null for values that stand in the spec. Only values over all folds have an
    effective number: n / design effect, for repeated cases the number of distinct cases.
    """
    column, value = segment or (None, None)
    value_rows = _join_case_numbers(values.frame, _case_numbers(aggregates))
    if aggregates.score_case_count is not None and aggregates.probability_losses is not None:
        sampled = aggregates.probability_losses.frame.select(
            "classifier", "fold", n=pl.col("cases").round().cast(pl.Int64)
        )
        is_sampled = pl.col("measure").is_in(
            [
                name
                for name in value_rows["measure"].unique()
                if get_measure(name).family in SCORE_FAMILIES
            ]
        )
        of_sample = _join_case_numbers(values.frame, sampled)["n"]
        value_rows = value_rows.with_columns(n=pl.when(is_sampled).then(of_sample).otherwise("n"))
    pooled = value_rows.filter(pl.col("fold").is_null())
    effects = find_design_effects(aggregates, spec.intervals.level)
    keys = ("classifier", "class", "average", "measure")
    shares = [
        _effective_share(spec, aggregates, effects, key) for key in pooled.select(keys).rows()
    ]
    effective = pooled.select(*keys, n_effective=pl.col("n") * pl.Series(shares, dtype=pl.Float64))
    # Values of single folds have none.
    joined = value_rows.join(
        effective, on=keys, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined.with_columns(
        pl.when(pl.col("fold").is_null()).then("n_effective"),
        pl.lit(column, pl.String).alias("segment_column"),
        pl.lit(value, pl.String).alias("segment"),
    ).select(list(SAMPLED_VALUE_SCHEMA))


def _join_case_numbers(values: pl.DataFrame, numbers: pl.DataFrame) -> pl.DataFrame:
    return values.join(
        numbers, on=("classifier", "fold"), how="left", nulls_equal=True, maintain_order="left"
    )


def _case_numbers(aggregates: Aggregates) -> pl.DataFrame:
    """Return the number of cases (n) by classifier and fold."""
    schema = {"classifier": pl.String, "fold": pl.String, "n": pl.Int64}
    if aggregates.confusion is not None:
        frame = aggregates.confusion.frame
        case_counts = sum_groups(frame.lazy(), GROUP_KEYS, n=pl.col("count")).collect()
    elif aggregates.label_sets is not None:
        case_counts = aggregates.label_sets.sums.select("classifier", "fold", n="set_cases")
    elif aggregates.regression is not None:
        case_counts = aggregates.regression.frame.select("classifier", "fold", n="cases")
    else:
        return pl.DataFrame(schema=schema)
    return case_counts.with_columns(pl.col("n").round().cast(pl.Int64))


def _effective_share(
    spec: Spec,
    aggregates: Aggregates,
    effects: DesignEffects | None,
    key: tuple[str, str | None, Average | None, str],
) -> float:
    classifier, class_, average, name = key
    if effects is None or not effects.covers(classifier):
        return aggregates.case_weight(classifier, name)
    measure = get_measure(name)
    if measure.family in SCORE_FAMILIES:
        return aggregates.case_weight(classifier, name, class_, average)
    label = None if average else class_ or spec.task.positive
    if label is None and average is None and measure.overall_formula is None:
        return aggregates.case_weight(classifier)
    return effects.weight(classifier, Estimand(measure, label, average))
