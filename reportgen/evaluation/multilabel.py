"""Multilabel tasks: every label as a binary task, and values over several labels.

Values of one label, with their intervals and tests, are those of a binary task. A case contributes
all its labels to a value over several labels, so that cases are the independent units there: the
variance is that of the sum of a case's influences through all its labels.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.label_sets import SUM_OF_MEASURE
from reportgen.evaluation.comparisons import build_count_blocks, build_score_blocks, joint_blocks
from reportgen.evaluation.confidence.delta_method import (
    ConfidenceIntervals,
    default_link,
    delta_intervals,
    is_degenerate,
)
from reportgen.evaluation.confidence.gradient import (
    COUNT_NAMES,
    gradient_per_class,
)
from reportgen.evaluation.confidence.scores import add_score_confidence_intervals
from reportgen.evaluation.design_effects import DesignEffects, Estimand
from reportgen.evaluation.joint_distribution import CountCovariances
from reportgen.evaluation.multiple_testing import Hypothesis, PermutationPlan
from reportgen.evaluation.pairwise_tests import (
    ComparisonInputs,
    build_comparisons,
    pairs_to_compare,
    run_pair_tests,
    select_testable_measures,
)
from reportgen.evaluation.score_tests import run_score_tests
from reportgen.evaluation.values import (
    MeasureValues,
    ValueState,
    compute_average_values,
    conform_to_schema,
    evaluate_measures,
    macro_average,
)
from reportgen.measures import MeasureFamily, Orientation, find_measure, get_measure
from reportgen.measures.measure import CaseMean, NoInterval
from reportgen.spec.task import spec_of_label
from reportgen.statistics.distributions import critical_t, satterthwaite_df
from reportgen.statistics.proportions import wilson_intervals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from reportgen.aggregates.label_sets import BoolArray, LabelSetCounts
    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.multiple_testing import TestedBlock
    from reportgen.evaluation.primary_measure import PrimaryMeasure
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Average, Measure
    from reportgen.spec import Spec
    from reportgen.statistics import FloatArray

    ValuesByKey = Mapping[tuple[str, str | None, str | None, str], MeasureValue]

TESTED_AVERAGES: tuple[Average, ...] = ("macro", "weighted", "micro")
# ½ for every count of every label: two cases that have all labels, and two that have none.
PSEUDO_COUNT = 0.5


def iter_tasks(spec: Spec, aggregates: Aggregates) -> Iterator[tuple[Spec, Aggregates]]:
    """Yield the tasks that scores belong to: that of each label, or of the spec itself."""
    if aggregates.label_sets is None:
        yield spec, aggregates
    for label, part in aggregates.labels.items():
        yield spec_of_label(spec, label), part


def measures_of_labels(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return the measures that a single label has a value of: those of a binary task."""
    return tuple(measure for measure in measures if measure.applies_to("binary"))


@dataclass(frozen=True)
class LabelSetEffects(DesignEffects):
    """Influences of cases on values over several labels, and the variances that follow."""

    sets: LabelSetCounts = field(kw_only=True)

    @classmethod
    def from_sets(cls, sets: LabelSetCounts, level: float) -> LabelSetEffects:
        """Return the influences of the cases of label sets."""
        return cls(sets.design, level, sets=sets)

    def interval(
        self, classifier: str, estimand: Estimand, value: float
    ) -> ConfidenceIntervals | None:
        """Return the confidence interval of a value; None where it has no derivative."""
        measure = estimand.measure
        if isinstance(measure.interval, CaseMean):
            weight = self.weight(classifier, estimand)
            cases = self.design.cases * weight
            if measure.interval.is_proportion or value in {0.0, 1.0}:
                numbers = np.array([value * cases]), np.array([cases])
                low, high = wilson_intervals(*numbers, self.level)
                return self._with_method(low[0], high[0], "wilson")
        influence = self._influence(classifier, estimand)
        if not np.all(np.isfinite(influence)):
            return None
        units = self.design.unit_sums(influence[:, None])[:, 0]
        variance = np.asarray(self.design.covariances(influence[:, None])[0, 0])
        link = default_link(measure.range)
        if is_degenerate(np.asarray(value), variance, measure.range).any():
            if estimand.average is None:
                # All cases have the same loss: a mean over cases has no counts to add ½ to.
                return None
            shrunken, spread = self._with_pseudo_counts(classifier, estimand)
            if not (np.isfinite(shrunken) and np.isfinite(spread) and spread > 0):
                return None
            variance = np.asarray(spread)
            degrees = self.design.units - 1.0
            name = ", ½ added"
        else:
            counts = self.design.unit_counts
            degrees = satterthwaite_df(
                float(counts @ units**2), float(counts @ units**4), float(self.design.units)
            )
            degrees, shrunken, name = min(degrees, self.design.units - 1.0), value, ", t"
        intervals = delta_intervals(
            np.asarray(shrunken), np.asarray(variance), link, critical_t(degrees, self.level)
        )
        return self._with_method(intervals.low, intervals.high, f"{intervals.method}{name}")

    def _with_method(self, low: FloatArray, high: FloatArray, name: str) -> ConfidenceIntervals:
        method = f"{name}, {self.method}" if self.method else name
        return ConfidenceIntervals.from_method(np.asarray(low), np.asarray(high), method)

    def _with_pseudo_counts(self, classifier: str, estimand: Estimand) -> tuple[float, float]:
        """Return value and variance of an average with ½ added to every count of every label."""
        sets = self.sets
        counts = self._counts(classifier)
        ends = np.array([[True], [False]]).repeat(len(sets.labels), axis=1)
        pseudo_gradients = [
            self._average_gradient(counts + PSEUDO_COUNT, estimand, true[None], predicted[None])
            for true in ends
            for predicted in ends
        ]
        gradient = self._gradient(counts, classifier, estimand, pseudo_count=PSEUDO_COUNT)
        weights = self.design.counts * self.design.case_weights
        every = np.concatenate([gradient, *pseudo_gradients])
        sizes = np.concatenate([weights, np.full(len(pseudo_gradients), PSEUDO_COUNT)])
        centred = every - sizes @ every / sizes.sum()
        share = self.weight(classifier, estimand)
        value, _ = _average_value(estimand, counts + PSEUDO_COUNT)
        return value, float(sizes @ centred**2) / share

    def _counts(self, classifier: str) -> FloatArray:
        """Return TP, FN, FP and TN (rows) of every label."""
        label_counts = self.sets.counts_per_label.filter(
            pl.col("classifier") == classifier, pl.col("fold").is_null()
        )
        return np.array([label_counts[name].to_numpy() for name in COUNT_NAMES])

    @np.errstate(all="ignore")
    def _gradient(
        self,
        counts: FloatArray,
        classifier: str,
        estimand: Estimand,
        *,
        pseudo_count: float = 0.0,
    ) -> FloatArray:
        truth, prediction = self.labels.truth, self.labels.predictions[classifier]
        if estimand.average is None:
            name = SUM_OF_MEASURE[estimand.measure.name]
            values = self.sets.case_values(truth, prediction)[name]
            per_case = len(self.sets.labels) if name == "label_errors" else 1
            weights = self.design.counts * self.design.case_weights
            return np.asarray(values / per_case / weights.sum())
        members = self.sets.membership
        return self._average_gradient(
            counts + pseudo_count, estimand, members[truth], members[prediction]
        )

    @np.errstate(all="ignore")
    def _average_gradient(
        self, counts: FloatArray, estimand: Estimand, true: BoolArray, predicted: BoolArray
    ) -> FloatArray:
        """Return the derivative of an average in a case of each pair of sets."""
        _, by_label = _average_value(estimand, counts)
        tp, fn, fp, tn, in_weight = by_label
        gradient = (true & predicted) @ tp + (true & ~predicted) @ fn
        gradient = gradient + (~true & predicted) @ fp + (~true & ~predicted) @ tn
        # A case more of a label also moves the weight of the label.
        return np.asarray(gradient + true @ in_weight)


@np.errstate(all="ignore")
def _average_value(estimand: Estimand, counts: FloatArray) -> tuple[float, FloatArray]:
    """Return an average over the labels, and its derivatives in the counts of every label.

    The rows are those in TP, FN, FP and TN, and that in the weight of the label.
    """
    measure, size = estimand.measure, counts.shape[1]
    counts_by_name = dict(zip(COUNT_NAMES, counts, strict=True))
    if estimand.average == "micro":
        pooled_counts = {name: count.sum(keepdims=True) for name, count in counts_by_name.items()}
        values, by_count = gradient_per_class(measure, pooled_counts)
        rows = [np.full(size, float(by_count[name][0])) for name in COUNT_NAMES]
        return float(values[0]), np.array([*rows, np.zeros(size)])
    values, by_count = gradient_per_class(measure, counts_by_name)
    weight = (
        np.ones(size)
        if estimand.average == "macro"
        else counts_by_name["tp"] + counts_by_name["fn"]
    )
    used = ~np.isnan(values) & (weight > 0)
    weight = np.where(used, weight, 0.0)
    share = weight / weight.sum()
    value = float((share[used] * values[used]).sum())
    rows = [np.where(used, by_count[name] * share, 0.0) for name in COUNT_NAMES]
    class_size_gradient = np.zeros(size)
    if estimand.average == "weighted":
        class_size_gradient = np.where(
            used, (np.where(used, values, 0.0) - value) / weight.sum(), 0.0
        )
    return value, np.array([*rows, class_size_gradient])


def compute_multilabel_values(
    spec: Spec,
    aggregates: Aggregates,
    measures: Sequence[Measure],
    evaluate_label: Callable[[Spec, Aggregates, tuple[Measure, ...]], MeasureValues],
) -> MeasureValues:
    """Return the values of every label, their averages and those of label sets, with intervals.

    Args:
        spec: the spec of the multilabel task.
        aggregates: its aggregates.
        measures: the measures to compute.
        evaluate_label: computes the values of a binary task with their intervals.
    """
    sets = aggregates.label_sets
    if sets is None:
        return MeasureValues.concat([])
    of_labels = []
    for label, part in aggregates.labels.items():
        values = evaluate_label(spec_of_label(spec, label), part, measures_of_labels(measures))
        positive = values.frame.filter(pl.col("class").is_null(), pl.col("average").is_null())
        of_labels.append(positive.with_columns(pl.lit(label).alias("class")))
    per_label = pl.concat(of_labels)
    formulas = {
        measure: measure.formula
        for measure in measures
        if measure.family is MeasureFamily.MULTILABEL
    }
    parts = [
        compute_average_values(sets.counts_per_label, measures_of_labels(measures)),
        conform_to_schema(macro_average(_raw_ranking_values(per_label))),
    ]
    if formulas:
        parts.insert(
            0, conform_to_schema(evaluate_measures(sets.sums, ("classifier", "fold"), formulas))
        )
    overall = _add_intervals(
        pl.concat(parts), LabelSetEffects.from_sets(sets, spec.intervals.level)
    )
    scored = add_score_confidence_intervals(MeasureValues(overall), aggregates, spec.intervals)
    return MeasureValues(pl.concat([scored.frame, per_label]))


def _raw_ranking_values(per_label: pl.DataFrame) -> pl.DataFrame:
    """Return the areas of the labels, NaN where undefined, for their mean."""
    ranking = [
        name
        for name in per_label["measure"].unique()
        if (measure := find_measure(name)) is not None
        and measure.family is MeasureFamily.RANKING
        and measure.has_class_averages
    ]
    label_rows = per_label.filter(pl.col("measure").is_in(ranking))
    return label_rows.with_columns(raw=pl.col("value").fill_null(float("nan")))


def _add_intervals(values: pl.DataFrame, effects: LabelSetEffects) -> pl.DataFrame:
    low, high, method = [], [], []
    for row in values.iter_rows(named=True):
        measure = get_measure(row["measure"])
        interval = None
        if (
            row["fold"] is None
            and row["state"] == ValueState.DEFINED.value
            and measure.family is not MeasureFamily.RANKING
            and not isinstance(measure.interval, NoInterval)
        ):
            estimand = Estimand(measure, None, row["average"])
            interval = effects.interval(row["classifier"], estimand, row["value"])
        clipped = None
        if interval is not None:
            clipped = interval.clip_to_range(np.asarray(row["value"]), measure.range)
        has = clipped is not None and np.isfinite(clipped.low) and np.isfinite(clipped.high)
        low.append(float(clipped.low) if clipped is not None and has else None)
        high.append(float(clipped.high) if clipped is not None and has else None)
        method.append(str(clipped.method) if clipped is not None and has else None)
    return values.with_columns(
        pl.Series("low", low, pl.Float64),
        pl.Series("high", high, pl.Float64),
        pl.Series("method", method, pl.String),
    )


@dataclass(frozen=True)
class _LabelSetInputs(ComparisonInputs):
    """What is compared over several labels: means over cases, and averages over the labels."""

    def _iter_hypotheses(self) -> Iterator[Hypothesis]:
        for measure in self.measures:
            if measure.family is MeasureFamily.MULTILABEL:
                yield Hypothesis(measure, None)
        for average in self.averages:
            yield from (Hypothesis(measure, None, average) for measure in self.averaged_measures)


def build_multilabel_blocks(
    spec: Spec,
    aggregates: Aggregates,
    values: ValuesByKey,
    measures: Sequence[Measure],
    primary: PrimaryMeasure | None,
) -> Iterator[TestedBlock]:
    """Test every pair over several labels, with cases as units, and on each label by itself."""
    yield from build_label_set_blocks(spec, aggregates, values, measures, primary)
    if len(spec.classifiers) > 1:
        for label, part in aggregates.labels.items():
            yield from _label_blocks(spec_of_label(spec, label), label, part, values, measures)


def build_label_set_blocks(
    spec: Spec,
    aggregates: Aggregates,
    values: ValuesByKey,
    measures: Sequence[Measure],
    primary: PrimaryMeasure | None,
) -> Iterator[TestedBlock]:
    """Test every pair over several labels, with cases as units."""
    sets = aggregates.label_sets
    if sets is None or sets.pairs is None:
        return
    inputs = _LabelSetInputs(
        values=values,
        confusion=sets.sets,
        pairs=sets.pairs,
        positive=None,
        measures=tuple(
            measure
            for measure in measures
            if measure.family is MeasureFamily.MULTILABEL
            and measure.orientation is not Orientation.NEITHER
        ),
        averaged_measures=select_testable_measures(
            [measure for measure in measures_of_labels(measures) if measure.has_class_averages],
            with_capabilities=False,
        ),
        averages=TESTED_AVERAGES,
        permutation_plan=PermutationPlan(spec.intervals.seed, spec.comparison.p_values),
        weights={item.name: aggregates.case_weight(item.name) for item in spec.classifiers},
        effects=LabelSetEffects.from_sets(sets, spec.intervals.level),
    )
    names = [item.name for item in spec.classifiers]
    tested = []
    for pair in pairs_to_compare(names, spec.comparison.baseline):
        tests = run_pair_tests(inputs, pair)
        if tests is not None:
            rows = build_comparisons(inputs, tests, spec.intervals.level)
            tested += [
                (row, hypothesis, tests.cases)
                for row, hypothesis in zip(rows, tests.hypotheses, strict=True)
            ]
    yield from joint_blocks(CountCovariances(inputs), tested, primary)


def _label_blocks(
    spec: Spec,
    label: str,
    aggregates: Aggregates,
    values: ValuesByKey,
    measures: Sequence[Measure],
) -> Iterator[TestedBlock]:
    """Test every pair on one label, as on the positive class of a binary task."""
    own: dict[tuple[str, str | None, str | None, str], MeasureValue] = {
        (classifier, None, None, measure): value
        for (classifier, class_, average, measure), value in values.items()
        if class_ == label and average is None
    }
    label_measures = measures_of_labels(measures)
    names = [item.name for item in spec.classifiers]
    pairs = pairs_to_compare(names, spec.comparison.baseline)
    chosen_names = {measure.name for measure in label_measures}
    rows = [
        row
        for row in run_score_tests(aggregates, own, pairs, spec.intervals.level)
        if row.measure in chosen_names and row.class_ is None and row.average is None
    ]
    for block in (
        *build_count_blocks(spec, aggregates, own, label_measures, None),
        *build_score_blocks(aggregates, rows, None),
    ):
        yield replace(
            block,
            comparisons=tuple(
                replace(row, class_=label, family="details") for row in block.comparisons
            ),
        )
