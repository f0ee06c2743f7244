"""Add confidence intervals to the values of measures of counts and of numeric predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

import numpy as np
import polars as pl

from reportgen.evaluation.confidence.bootstrap import (
    BOOTSTRAP,
    BootstrapMatrices,
    bootstrap_matrices,
    percentile_intervals,
)
from reportgen.evaluation.confidence.counts import (
    interval_of_average,
    interval_overall,
    intervals_per_class,
)
from reportgen.evaluation.confidence.delta_method import ConfidenceIntervals, stack_intervals
from reportgen.evaluation.confidence.gradient import COUNT_NAMES, SparseConfusionMatrix
from reportgen.evaluation.design_effects import Estimand, find_design_effects
from reportgen.evaluation.values import MeasureValues, ValueState
from reportgen.measures import get_measure
from reportgen.measures.measure import (
    Bootstrap,
    CaseBootstrap,
    CaseMean,
    DeLong,
    DeltaMethod,
    DeltaMoments,
    InfluenceFunction,
    NoInterval,
    ProductOfProportions,
    Proportion,
    StudentT,
    SumOfProportions,
    TransformedWilson,
)
from reportgen.predictions.unanswered import ends_with_no_answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.aggregates.confusion import ConfusionCounts
    from reportgen.aggregates.model import Aggregates
    from reportgen.aggregates.regression import RegressionSums
    from reportgen.evaluation.confidence.counts import CountIntervalMethod
    from reportgen.evaluation.design_effects import DesignEffects
    from reportgen.measures import Average, Measure
    from reportgen.spec.inference import IntervalSettings
    from reportgen.statistics import FloatArray, IndexArray


@dataclass(frozen=True, slots=True)
class CountIntervals:
    """Confusion matrices over all folds, counts by classifier and class, and bootstrap resamples.

    A weight is below 1 where cases were predicted several times.
    """

    classifiers: tuple[str, ...]
    classes: tuple[str, ...]
    matrices: tuple[SparseConfusionMatrix, ...]
    counts: Mapping[str, FloatArray]
    resampled_matrices: tuple[BootstrapMatrices, ...]
    settings: IntervalSettings
    weights: FloatArray
    effects: DesignEffects | None = None

    @classmethod
    def from_counts(
        cls,
        confusion: ConfusionCounts,
        settings: IntervalSettings,
        weights: Mapping[str, float],
        effects: DesignEffects | None = None,
    ) -> CountIntervals:
        """Return the inputs of intervals, with bootstrap resamples if the settings ask for them.

        Clusters and weighted cases cannot be resampled from counts: with design effects there is
        no bootstrap.
        """
        by_classifier = (
            confusion.frame.filter(pl.col("fold").is_null(), pl.col("count") > 0)
            .with_columns(pl.col("truth", "prediction").to_physical().cast(pl.Int64))
            .sort("truth", "prediction", maintain_order=True)
            .partition_by("classifier", maintain_order=True, as_dict=True)
        )
        matrices = tuple(
            SparseConfusionMatrix(
                cells["truth"].to_numpy(),
                cells["prediction"].to_numpy(),
                cells["count"].cast(pl.Float64).to_numpy(),
                len(confusion.classes),
                has_no_answer=ends_with_no_answer(confusion.classes),
            )
            for cells in by_classifier.values()
        )
        names = tuple(str(name) for (name,) in by_classifier)
        weight = [weights.get(name, 1.0) for name in names]
        draws = tuple(
            bootstrap_matrices(matrix, settings, own)
            for matrix, own in zip(matrices, weight, strict=True)
            if settings.method == BOOTSTRAP and effects is None
        )
        per_class = [matrix.class_counts for matrix in matrices]
        return cls(
            names,
            confusion.classes,
            matrices,
            {name: np.array([counts[name] for counts in per_class]) for name in COUNT_NAMES},
            draws,
            settings,
            np.array(weight),
            effects,
        )

    def _weight(
        self,
        classifier: int,
        measure: Measure,
        class_: str | None = None,
        average: Average | None = None,
    ) -> float:
        """Return the effective number of cases per case, for one value."""
        name = self.classifiers[classifier]
        if self.effects is None or not self.effects.covers(name):
            return float(self.weights[classifier])
        return self.effects.weight(name, Estimand(measure, class_, average))

    def _name_methods(
        self, intervals: ConfidenceIntervals, classifiers: Sequence[int] | IndexArray
    ) -> ConfidenceIntervals:
        """Return the intervals with the design in the names of their methods."""
        if self.effects is None:
            return intervals
        covered = np.array([self.effects.covers(self.classifiers[at]) for at in classifiers])
        design_intervals = intervals.with_suffix(f", {self.effects.method}")
        return design_intervals.where(covered.reshape(intervals.low.shape), intervals)

    def per_class(
        self,
        measure: Measure,
        interval_method: CountIntervalMethod,
        classifiers: IndexArray,
        classes: IndexArray,
    ) -> ConfidenceIntervals:
        """Return the intervals for pairs of a classifier and a class."""
        counts = {name: count[classifiers, classes] for name, count in self.counts.items()}
        weights = self.weights[classifiers]
        if self.effects is not None:
            pairs = zip(classifiers.tolist(), classes.tolist(), strict=True)
            weights = np.array(
                [self._weight(number, measure, self.classes[at]) for number, at in pairs]
            )
        closed_form = self._name_methods(
            intervals_per_class(measure, interval_method, counts, self.settings, weights),
            classifiers,
        )
        if not self.resampled_matrices:
            return closed_form
        resampled = [
            percentile_intervals(draws.class_values(measure), self.settings.level)
            for draws in self.resampled_matrices
        ]
        return _prefer_bootstrap(
            stack_intervals(resampled).select((classifiers, classes)), closed_form
        )

    def overall(self, measure: Measure, classifiers: Sequence[int]) -> ConfidenceIntervals:
        """Return the intervals of classifiers over all classes."""
        closed_form = [
            interval_overall(
                measure, self.matrices[number], self.settings, self._weight(number, measure)
            )
            for number in classifiers
        ]
        if not self.resampled_matrices:
            return self._name_methods(stack_intervals(closed_form), classifiers)
        resampled = [
            percentile_intervals(
                self.resampled_matrices[number].overall_values(measure), self.settings.level
            )
            for number in classifiers
        ]
        return _prefer_bootstrap(stack_intervals(resampled), stack_intervals(closed_form))

    def of_averages(
        self, measure: Measure, average: Average, classifiers: Sequence[int]
    ) -> ConfidenceIntervals:
        """Return the intervals of an average over the classes."""
        closed_form = [
            interval_of_average(
                measure,
                self.matrices[number],
                average,
                self.settings,
                self._weight(number, measure, None, average),
            )
            for number in classifiers
        ]
        if not self.resampled_matrices:
            return self._name_methods(stack_intervals(closed_form), classifiers)
        resampled = [
            percentile_intervals(
                self.resampled_matrices[number].averaged_values(measure, average),
                self.settings.level,
            )
            for number in classifiers
        ]
        return _prefer_bootstrap(stack_intervals(resampled), stack_intervals(closed_form))


def _prefer_bootstrap(
    bootstrap: ConfidenceIntervals, fallback: ConfidenceIntervals
) -> ConfidenceIntervals:
    """Return bootstrap intervals, and the recommended ones where there is no bootstrap interval."""
    return bootstrap.where(bootstrap.method == BOOTSTRAP, fallback)


AVERAGE_KINDS: tuple[Average, ...] = ("macro", "micro", "weighted")
# The index of a null cell.
NO_INDEX = -1


@dataclass(frozen=True, slots=True)
class ValueRows:
    """The values of one measure that can have an interval: rows, values, and their indices.

    The class is the positive one where the task has one; infinite values count.
    """

    row: IndexArray
    number: FloatArray
    classifier: IndexArray
    class_: IndexArray
    average: IndexArray

    def select(self, mask: npt.NDArray[np.bool_]) -> ValueRows:
        """Return some of the values."""
        return ValueRows(
            self.row[mask],
            self.number[mask],
            self.classifier[mask],
            self.class_[mask],
            self.average[mask],
        )


@dataclass(frozen=True, slots=True)
class IntervalColumns:
    """Confidence limits and methods by row; no method where there is no interval."""

    low: FloatArray
    high: FloatArray
    method: npt.NDArray[np.object_]

    @classmethod
    def empty(cls, height: int) -> IntervalColumns:
        """Return columns without intervals."""
        return cls(np.full(height, np.nan), np.full(height, np.nan), np.full(height, "", object))

    def assign(self, rows: ValueRows, intervals: ConfidenceIntervals, measure: Measure) -> None:
        """Set the intervals of some rows, clipped to the measure's range."""
        clipped = intervals.clip_to_range(rows.number, measure.range)
        self.low[rows.row] = clipped.low
        self.high[rows.row] = clipped.high
        self.method[rows.row] = clipped.method


@np.errstate(all="ignore")
def add_confidence_intervals(  # noqa: PLR0913  # values, their statistics, settings
    values: MeasureValues,
    confusion: ConfusionCounts | None,
    regression: RegressionSums | None,
    settings: IntervalSettings,
    *,
    positive: str | None,
    weights: Mapping[str, float] | None = None,
    aggregates: Aggregates | None = None,
) -> MeasureValues:
    """Return the values with intervals for measures of counts and of numeric predictions.

    Values of single folds get none. The weight of a classifier, 1 if not named, is below 1 where
    the same cases were predicted several times: repetitions do not narrow an interval. Where cases
    are clustered or weighted, the design effects are found in `aggregates`.
    """
    design = None if aggregates is None or aggregates.design is None else aggregates
    effects = None if design is None else find_design_effects(design, settings.level)
    count_intervals = (
        None
        if confusion is None
        else CountIntervals.from_counts(confusion, settings, weights or {}, effects)
    )
    over_all = None if regression is None else regression.frame.filter(pl.col("fold").is_null())
    if count_intervals is not None:
        names, classes = count_intervals.classifiers, count_intervals.classes
    else:
        names, classes = () if over_all is None else tuple(over_all["classifier"]), ()
    columns = IntervalColumns.empty(values.frame.height)
    for measure, rows in _iter_value_rows(values, names, classes, positive):
        match measure.interval:
            case (
                Proportion()
                | SumOfProportions()
                | ProductOfProportions()
                | TransformedWilson()
                | DeltaMethod() as kind
            ):
                if count_intervals is not None:
                    for some, limits in _count_intervals(measure, kind, rows, count_intervals):
                        columns.assign(some, limits, measure)
            case DeltaMoments():
                if over_all is not None:
                    own = weights or {}
                    if design is not None:
                        own = {name: design.case_weight(name, measure.name) for name in names}
                    limits = _moment_intervals(measure, rows, over_all, settings.level, own)
                    if design is not None:
                        limits = limits.with_suffix(design.method_suffix)
                    columns.assign(rows, limits, measure)
            case DeLong() | InfluenceFunction() | StudentT() | Bootstrap() | CaseBootstrap():
                continue
            case CaseMean() | NoInterval():
                continue
            case _:
                assert_never(measure.interval)
    return MeasureValues(_write_intervals(values.frame, columns))


def _iter_value_rows(
    values: MeasureValues, classifiers: Sequence[str], classes: Sequence[str], positive: str | None
) -> Iterator[tuple[Measure, ValueRows]]:
    """Yield the values over all folds of known classifiers, measure by measure."""
    infinite = pl.when(pl.col("reason").str.starts_with("−")).then(-np.inf).otherwise(np.inf)
    is_infinite = pl.col("state") == ValueState.INFINITE.value
    of_class = pl.when(pl.col("average").is_null()).then(
        pl.col("class").fill_null(pl.lit(positive, pl.String))
    )
    rows = (
        values.frame.lazy()
        .with_row_index("row")
        .filter(
            pl.col("fold").is_null(),
            pl.col("state") != ValueState.UNDEFINED.value,
            pl.col("classifier").is_in(classifiers),
        )
        .select(
            "measure",
            pl.col("row").cast(pl.Int64),
            number=pl.when(is_infinite).then(infinite).otherwise(pl.col("value")),
            classifier=_index_of(pl.col("classifier"), classifiers),
            class_=_index_of(of_class, classes),
            average=_index_of(pl.col("average"), AVERAGE_KINDS),
        )
        .collect()
    )
    for of_measure in rows.partition_by("measure", maintain_order=True):
        columns = (column.to_numpy() for column in of_measure.iter_columns())
        next(columns)
        yield get_measure(of_measure["measure"][0]), ValueRows(*columns)


def _index_of(column: pl.Expr, names: Sequence[str]) -> pl.Expr:
    """Return the indices of names; a null cell has none."""
    if not names:
        return pl.lit(NO_INDEX, pl.Int64)
    return column.replace_strict(names, range(len(names)), return_dtype=pl.Int64).fill_null(
        NO_INDEX
    )


def _count_intervals(
    measure: Measure,
    interval_method: CountIntervalMethod,
    rows: ValueRows,
    count_intervals: CountIntervals,
) -> Iterator[tuple[ValueRows, ConfidenceIntervals]]:
    alone = rows.average == NO_INDEX
    of_classes = rows.select(alone & (rows.class_ != NO_INDEX))
    if of_classes.row.size:
        places = of_classes.classifier, of_classes.class_
        yield of_classes, count_intervals.per_class(measure, interval_method, *places)
    overall = rows.select(alone & (rows.class_ == NO_INDEX))
    if overall.row.size:
        yield overall, count_intervals.overall(measure, overall.classifier.tolist())
    for number, average in enumerate(AVERAGE_KINDS):
        averaged = rows.select(rows.average == number)
        if averaged.row.size:
            places_ = averaged.classifier.tolist()
            yield averaged, count_intervals.of_averages(measure, average, places_)


def _moment_intervals(
    measure: Measure,
    rows: ValueRows,
    pooled_sums: pl.DataFrame,
    level: float,
    weights: Mapping[str, float],
) -> ConfidenceIntervals:
    from reportgen.aggregates.regression import REGRESSION_SUMS
    from reportgen.evaluation.confidence.regression import regression_intervals

    sums = {name: pooled_sums[name].to_numpy()[rows.classifier] for name in REGRESSION_SUMS}
    weight = np.array([weights.get(name, 1.0) for name in pooled_sums["classifier"]])
    return regression_intervals(measure, sums, level, weight[rows.classifier])


def _write_intervals(frame: pl.DataFrame, intervals: IntervalColumns) -> pl.DataFrame:
    """Write the intervals into their rows; an infinite limit becomes null."""
    # Lists, because polars loads NumPy's masked arrays to take in any array.
    has_interval = pl.Series((intervals.method != "").tolist(), dtype=pl.Boolean)
    method = pl.Series(intervals.method.tolist(), dtype=pl.String)
    ends = {
        name: pl.Series(end.tolist(), dtype=pl.Float64)
        for name, end in (("low", intervals.low), ("high", intervals.high))
    }
    return frame.with_columns(
        *(
            pl.when(has_interval)
            .then(pl.when(end.is_finite()).then(end))
            .otherwise(pl.col(name))
            .alias(name)
            for name, end in ends.items()
        ),
        method=pl.when(has_interval).then(method).otherwise(pl.col("method")),
    )
