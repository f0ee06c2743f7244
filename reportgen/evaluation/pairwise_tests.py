"""Primary tests of every pair of classifiers on every measure that is shown or rated."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from reportgen.evaluation.comparison import Comparison
from reportgen.evaluation.confidence.delta_method import link_derivative, link_forward
from reportgen.evaluation.confidence.gradient import (
    COUNT_NAMES,
    SparseConfusionMatrix,
    gradient_per_class,
)
from reportgen.evaluation.contingency_tables import (
    HALDANE_CORRECTION,
    PairedTables,
    build_confusion_matrix,
    build_correctness_table,
    encode_classes,
)
from reportgen.evaluation.design_effects import Estimand
from reportgen.evaluation.multiple_testing import Hypothesis, PairTests
from reportgen.evaluation.permutation_tests import (
    PAIRED_EXACT,
    PAIRED_MONTE_CARLO,
    HypothesisTest,
    hypothesis_gradient,
    is_asymptotic,
    is_function_of_accuracy,
    paired_permutation_test,
    paired_permutation_test_multiclass,
    paired_permutation_tests,
    select_correctness_table,
    unpaired_permutation_test,
)
from reportgen.evaluation.studentized import (
    MIN_VARIANCE,
    comparison_link,
    delta_method_correlations,
)
from reportgen.measures import CAPABILITIES, Orientation, ThresholdRating, find_measure
from reportgen.measures.invariance import (
    depends_on_prevalence,
    is_function_of_counts,
    is_function_of_matrix,
)
from reportgen.measures.measure import NoInterval
from reportgen.measures.ordering import is_close
from reportgen.statistics.max_t import two_sided_p
from reportgen.statistics.proportions import (
    ConfidenceInterval,
    bonett_price_interval,
    mover_difference,
    mover_paired_difference,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.aggregates.confusion import ConfusionCounts
    from reportgen.aggregates.paired import PairedPredictionCounts
    from reportgen.evaluation.design_effects import DesignEffects
    from reportgen.evaluation.multiple_testing import PermutationPlan
    from reportgen.evaluation.values import MeasureValue, ValueKey
    from reportgen.measures import Average, Measure
    from reportgen.statistics import FloatArray, IndexArray
    from reportgen.statistics.paired_tests import AgreementTable, PairedContingencyTable


REPEATED_CASES_TEST = "asymptotic normal (repeated cases)"


@dataclass(frozen=True, slots=True)
class CaseGroups:
    """Cases grouped by true class and prediction, with their counts."""

    truth: IndexArray
    prediction: IndexArray
    counts: FloatArray


@dataclass(frozen=True, slots=True)
class LinkedGradients:
    """Measures on the scale of the test, and what moves them.

    A row of `by_kind` is a kind of case, a row of `by_half` one of the halves that were added.
    """

    values: FloatArray
    by_group: FloatArray
    by_pseudo_count: FloatArray


def repeated_cases_test(
    pair: tuple[str, str],
    frame: pl.DataFrame,
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    *,
    weight: float,
) -> PairTests:
    """Test two classifiers on repeatedly predicted cases; `weight` is 1 / repetitions.

    The differences are asymptotically normal, with cases rather than predictions as units:
    permuting single predictions of a case would be anti-conservative.
    """
    # In cases, not in predictions: half a case is added where a count may be 0.
    weighted = frame.with_columns(pl.col("count") * weight)
    truth, one, other = (
        encode_classes(weighted[name], classes)
        for name in ("truth", "first_prediction", "second_prediction")
    )
    counts = weighted["count"].to_numpy()
    first, second = (
        _linked_gradients(
            build_confusion_matrix(weighted, classes, name),
            classes,
            hypotheses,
            CaseGroups(truth, answer, counts),
        )
        for name, answer in (("first_prediction", one), ("second_prediction", other))
    )
    halves = np.full(2 * len(first.by_pseudo_count), HALDANE_CORRECTION)
    gradients = np.vstack(
        [first.by_group - second.by_group, first.by_pseudo_count, -second.by_pseudo_count]
    )
    variance = np.concatenate([counts, halves]) @ gradients**2
    with np.errstate(all="ignore"):
        scores = np.where(
            variance > MIN_VARIANCE, (first.values - second.values) / np.sqrt(variance), 0.0
        )
    return PairTests.from_tests(
        pair,
        "paired",
        round(float(counts.sum())),
        (
            (one, HypothesisTest(REPEATED_CASES_TEST, float(score), float(p)))
            for one, score, p in zip(hypotheses, scores, two_sided_p(scores), strict=True)
        ),
    )


def _linked_gradients(
    matrix: SparseConfusionMatrix,
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    groups: CaseGroups,
) -> LinkedGradients:
    """Return the gradient of the measures in each group of cases and in each pseudo-count.

    The pseudo-counts vary too: otherwise a count of 0 would have no variance.
    """
    with_half = {name: count + HALDANE_CORRECTION for name, count in matrix.class_counts.items()}
    values, by_kind, by_half = [], [], []
    for hypothesis in hypotheses:
        measure, halves = hypothesis.measure, np.zeros((len(classes), len(COUNT_NAMES)))
        if hypothesis.class_ is None:
            overall = hypothesis_gradient(hypothesis, matrix)
            value, gradient = overall.value, overall.at_cells(groups.truth, groups.prediction)
        else:
            label = classes.index(hypothesis.class_)
            class_values, by_count = gradient_per_class(
                measure, {name: count[label : label + 1] for name, count in with_half.items()}
            )
            value, gradient = float(class_values[0]), _class_gradient(by_count, label, groups)
            halves[label] = [float(by_count[name][0]) for name in COUNT_NAMES]
        curve = comparison_link(measure)
        slope = float(link_derivative(curve, value))
        values.append(float(link_forward(curve, value)))
        by_kind.append(gradient * slope)
        by_half.append(halves.ravel() * slope)
    cells = np.array(by_kind).T
    centred = cells - groups.counts @ cells / groups.counts.sum()
    return LinkedGradients(np.array(values), centred, np.array(by_half).T)


def _class_gradient(
    gradient: dict[str, FloatArray], class_index: int, groups: CaseGroups
) -> FloatArray:
    tp, fn, fp, tn = (float(gradient[name][0]) for name in COUNT_NAMES)
    is_class, says_class = groups.truth == class_index, groups.prediction == class_index
    return np.where(is_class, np.where(says_class, tp, fn), np.where(says_class, fp, tn))


CLUSTER_SWAP_EXACT = "paired permutation of clusters (exact)"
CLUSTER_SWAP = "paired permutation of clusters (Monte Carlo)"
WEIGHTED_SWAP = "paired permutation, weighted"


def design_swap_test(
    pair: tuple[str, str], effects: DesignEffects, hypotheses: Sequence[Hypothesis], seed: int
) -> PairTests:
    """Test two classifiers by swapping the predictions of whole clusters, or of weighted cases."""
    swapped = effects.swap_tests(pair, [_estimand(one) for one in hypotheses], seed)
    design = effects.design
    name = CLUSTER_SWAP_EXACT if swapped.exact else CLUSTER_SWAP
    if design.clusters is None:
        independent = PAIRED_EXACT if swapped.exact else PAIRED_MONTE_CARLO
        name = independent if design.weights is None else WEIGHTED_SWAP
    tests = zip(hypotheses, swapped.statistics, swapped.p_values, strict=True)
    return PairTests.from_tests(
        pair,
        "paired",
        design.cases,
        ((one, HypothesisTest(name, float(statistic), float(p))) for one, statistic, p in tests),
    )


def _estimand(hypothesis: Hypothesis) -> Estimand:
    return Estimand(hypothesis.measure, hypothesis.class_, hypothesis.average)


# Without slots, because cached properties need an instance dictionary.
@dataclass(frozen=True)
class ComparisonInputs:
    """The values to compare and the counts they are computed from."""

    values: Mapping[ValueKey, MeasureValue]
    confusion: ConfusionCounts
    pairs: PairedPredictionCounts | None
    positive: str | None
    measures: tuple[Measure, ...]
    averaged_measures: tuple[Measure, ...]
    """Those whose averages over the classes are tested too."""
    averages: tuple[Average, ...]
    permutation_plan: PermutationPlan
    weights: Mapping[str, float]
    """What a prediction of a classifier counts, where cases were predicted several times."""
    effects: DesignEffects | None = None
    """The effects of clusters and weights; None if cases are independent and weigh the same."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, in the order of the matrices."""
        return self.confusion.classes

    def has_design(self, classifiers: Sequence[str]) -> bool:
        """Return whether the cases of all classifiers are clustered or weighted."""
        return self.effects is not None and all(map(self.effects.covers, classifiers))

    @cached_property
    def _matrices(self) -> dict[str, SparseConfusionMatrix]:
        pooled = self.confusion.frame.filter(pl.col("fold").is_null())
        return {
            str(name): build_confusion_matrix(frame, self.classes, "prediction")
            for (name,), frame in pooled.partition_by("classifier", as_dict=True).items()
        }

    def has_pair(self, first: str, second: str) -> bool:
        """Return whether two classifiers were evaluated on the same cases."""
        return self.pairs is not None and self.pairs.has_pair(first, second)

    def has_independent_cases(self, pair: tuple[str, str]) -> bool:
        """Return whether both predicted the same cases once, independent and of equal weight."""
        return (
            self.pairs is not None
            and self.pairs.has_pair(*pair)
            and self.pairs.weight == 1
            and not self.has_design(pair)
        )

    @cached_property
    def tables(self) -> Mapping[tuple[str, str], dict[str, PairedContingencyTable]]:
        """The paired contingency tables of every class, by pair."""
        return {} if self.pairs is None else _TablesByPair(self.pairs)

    def matrix(self, classifier: str) -> SparseConfusionMatrix:
        """Return the confusion matrix of a classifier over all its cases; empty if unknown."""
        if classifier in self._matrices:
            return self._matrices[classifier]
        return SparseConfusionMatrix.from_dense(np.zeros((len(self.classes), len(self.classes))))

    def reported_class(self, label: str | None) -> str | None:
        """Return the class as results name it: None for the positive class of a binary task."""
        return None if label == self.positive else label

    def value(self, classifier: str, hypothesis: Hypothesis) -> MeasureValue | None:
        """Return the value of a classifier that a hypothesis is about."""
        class_ = self.reported_class(hypothesis.class_)
        return self.values.get((classifier, class_, hypothesis.average, hypothesis.measure.name))

    def hypotheses(self, pair: tuple[str, str]) -> tuple[Hypothesis, ...]:
        """Return the testable hypotheses of a pair: both have a value on comparable cases."""
        equal_prevalences = self._have_equal_prevalences(pair)
        return tuple(
            hypothesis
            for hypothesis in self._candidate_hypotheses
            if (
                equal_prevalences
                or (
                    (hypothesis.class_ or hypothesis.average == "macro")
                    and not depends_on_prevalence(hypothesis.measure)
                )
            )
            and all(
                (score := self.value(name, hypothesis)) is not None and score.number is not None
                for name in pair
            )
        )

    def case_weighted_matrix(self, classifier: str) -> SparseConfusionMatrix:
        """Return the confusion matrix with every case counted once, however often predicted."""
        matrix, weight = self.matrix(classifier), self.weights[classifier]
        return replace(matrix, counts=np.rint(matrix.counts * weight)) if weight < 1 else matrix

    def _have_equal_prevalences(self, pair: tuple[str, str]) -> bool:
        """Return whether the classes have the same proportions in the cases of both."""
        first, second = (self.matrix(name).true_totals for name in pair)
        return np.allclose(first * second.sum(), second * first.sum(), rtol=1e-9)

    @cached_property
    def _candidate_hypotheses(self) -> tuple[Hypothesis, ...]:
        return tuple(self._iter_hypotheses())

    def _iter_hypotheses(self) -> Iterator[Hypothesis]:
        labels = self.classes if self.positive is None else (self.positive,)
        count_measures = [measure for measure in self.measures if is_function_of_counts(measure)]
        for label in labels:
            yield from (Hypothesis(measure, label) for measure in count_measures)
        if self.positive is None:
            yield from (
                Hypothesis(measure, None)
                for measure in self.measures
                if measure.overall_formula is not None
            )
            yield from (
                Hypothesis(measure, None, average)
                for measure in self.averaged_measures
                for average in self.averages
            )


class _TablesByPair(dict[tuple[str, str], "dict[str, PairedContingencyTable]"]):
    """The paired contingency tables of every class, computed for a pair when first used."""

    def __init__(self, pairs: PairedPredictionCounts) -> None:
        super().__init__()
        self._pairs = pairs

    def __missing__(self, pair: tuple[str, str]) -> dict[str, PairedContingencyTable]:
        self[pair] = self._pairs.contingency_tables(*pair)
        return self[pair]


def select_testable_measures(
    reported_measures: Sequence[Measure],
    threshold: float | None = None,
    *,
    with_capabilities: bool = True,
) -> tuple[Measure, ...]:
    """Return the measures of counts that are reported, and those that capabilities use.

    With a threshold, those that are taken at this threshold of the probabilities.
    """
    rated_measures = [
        find_measure(name)
        for capability in CAPABILITIES.values()
        if not isinstance(capability.rating_rule, ThresholdRating)
        for name in (capability.measures if with_capabilities else ())
        if threshold is None
    ]
    return tuple(
        measure
        for measure in dict.fromkeys([*rated_measures, *reported_measures])
        if measure is not None
        and measure.threshold == threshold
        and measure.orientation is not Orientation.NEITHER
        and not isinstance(measure.interval, NoInterval)
        and is_function_of_matrix(measure)
    )


def pairs_to_compare(names: Sequence[str], baseline: str | None) -> tuple[tuple[str, str], ...]:
    """Return all pairs or, with a baseline, every other classifier against it."""
    if baseline is None:
        return tuple(combinations(names, 2))
    return tuple((name, baseline) for name in names if name != baseline)


def run_all_pair_tests(
    inputs: ComparisonInputs, pairs: Sequence[tuple[str, str]]
) -> Iterator[PairTests]:
    """Test every pair of classifiers; pairs of two classes without permutations at once."""
    plan, positive = inputs.permutation_plan, inputs.positive
    tables = {
        pair: inputs.tables[pair][positive]
        for pair in pairs
        if positive is not None and inputs.has_independent_cases(pair)
    }
    hypotheses = {
        pair: inputs.hypotheses(pair)
        for pair, table in tables.items()
        if is_asymptotic(table, plan)
    }
    tested_tables = {pair: tables[pair] for pair, tested in hypotheses.items() if tested}
    together = paired_permutation_tests(tested_tables, hypotheses, plan)
    for pair in pairs:
        tests = next(together) if pair in tested_tables else run_pair_tests(inputs, pair)
        if tests is not None:
            yield tests


def run_pair_tests(inputs: ComparisonInputs, pair: tuple[str, str]) -> PairTests | None:
    """Test a pair of classifiers, paired by case where the cases were joined."""
    hypotheses = inputs.hypotheses(pair)
    if not hypotheses:
        return None
    pairs, classes, draws = inputs.pairs, inputs.classes, inputs.permutation_plan
    if pairs is None or not pairs.has_pair(*pair):
        first, second = (inputs.case_weighted_matrix(name) for name in pair)
        return unpaired_permutation_test(pair, (first, second), classes, hypotheses, draws)
    if inputs.effects is not None and inputs.has_design(pair):
        return design_swap_test(pair, inputs.effects, hypotheses, draws.seed)
    frame = pairs.pair_counts(*pair)
    if pairs.weight < 1:
        return repeated_cases_test(pair, frame, classes, hypotheses, weight=pairs.weight)
    if inputs.positive is not None:
        table = inputs.tables[pair][inputs.positive]
        return paired_permutation_test(pair, table, hypotheses, draws)
    return paired_permutation_test_multiclass(pair, frame, classes, hypotheses, draws)


# Proportions with the same denominator for both classifiers, and whether they count errors.
PAIRED_PROPORTIONS = {
    "accuracy": False,
    "error_rate": True,
    "sensitivity": False,
    "type_2_rate": True,
    "specificity": False,
    "type_1_rate": True,
}


def paired_proportion_interval(
    measure: str, correctness: AgreementTable, level: float, weight: float
) -> ConfidenceInterval:
    """Return the interval of a difference of two paired proportions (Bonett and Price 2012)."""
    interval = bonett_price_interval(
        correctness.first_only * weight,
        correctness.second_only * weight,
        correctness.total * weight,
        level,
    )
    return (
        ConfidenceInterval(-interval.high, -interval.low)
        if PAIRED_PROPORTIONS[measure]
        else interval
    )


def mover_difference_interval(
    first: MeasureValue, second: MeasureValue, correlation: float | None
) -> ConfidenceInterval | None:
    """Return the MOVER interval of a difference; correlation None: independent estimates.

    None where a value or a confidence limit is missing or infinite.
    """
    ends = (first.value, first.low, first.high, second.value, second.low, second.high)
    if any(end is None for end in ends):
        return None
    one, low, high, other, other_low, other_high = (float(end or 0.0) for end in ends)
    limits, other_limits = ConfidenceInterval(low, high), ConfidenceInterval(other_low, other_high)
    if correlation is None:
        return mover_difference(one, limits, other, other_limits)
    return mover_paired_difference(one, limits, other, other_limits, correlation)


PREDICTION_COLUMNS = ("first_prediction", "second_prediction")
INFINITE_VALUE_NOTE = (
    "a value is infinite, so the difference is no number; the test adds ½ to every count"
)

UNDEFINED_GRADIENT_NOTE = "not tested: the value of a class has no derivative in the counts"
OPPOSITE_SIGN_NOTE = (
    "a value stands on so few cases that the test, which adds ½ to every count, sees the other"
    " one ahead"
)


def build_comparisons(
    inputs: ComparisonInputs,
    tests: PairTests,
    level: float,
    correlations: ValueCorrelations | None = None,
) -> Iterator[Comparison]:
    """Return a comparison for every tested hypothesis, not yet adjusted.

    The correlations of the two values are computed if they are not passed.
    """
    cases = _JoinedCases(
        inputs,
        tests.pair,
        _joined_predictions(inputs, tests.pair),
        level,
        correlations or correlate_values(inputs, [tests.pair]),
    )
    for place, hypothesis in enumerate(tests.hypotheses):
        first, second = (inputs.value(name, hypothesis) for name in tests.pair)
        if first is None or second is None:
            raise LookupError(hypothesis.measure.name)
        limits = cases.interval(hypothesis, first, second)
        difference = _value_difference(first, second)
        statistic, p = float(tests.statistics[place]), float(tests.p_values[place])
        is_defined = not math.isnan(p)
        seen_alike = is_defined and _same_direction(first, second, statistic)
        yield Comparison(
            first=tests.pair[0],
            second=tests.pair[1],
            measure=hypothesis.measure.name,
            test=tests.tests[place],
            data=tests.data,
            class_=inputs.reported_class(hypothesis.class_),
            average=hypothesis.average,
            difference=difference,
            low=limits.low if limits else None,
            high=limits.high if limits else None,
            statistic=statistic if is_defined else None,
            p=p if seen_alike else None,
            primary_test=True,
            note=UNDEFINED_GRADIENT_NOTE
            if not is_defined
            else OPPOSITE_SIGN_NOTE
            if not seen_alike
            else INFINITE_VALUE_NOTE
            if difference is None
            else None,
        )


# By measure, pair and class.
ValueCorrelations: TypeAlias = "Mapping[str, Mapping[tuple[tuple[str, str], str], float]]"


def correlate_values(
    inputs: ComparisonInputs, pairs: Sequence[tuple[str, str]]
) -> ValueCorrelations:
    """Return the correlations of the two values of every joined pair, in every class."""
    labels = inputs.classes if inputs.positive is None else (inputs.positive,)
    tables = {
        (pair, label): inputs.tables[pair][label]
        for pair in pairs
        if inputs.has_pair(*pair) and not inputs.has_design(pair)
        for label in labels
    }
    if not tables:
        return {}
    all_tables = PairedTables.stack(list(tables.values()))
    return {
        measure.name: dict(
            zip(tables, delta_method_correlations(measure, all_tables).tolist(), strict=True)
        )
        for measure in inputs.measures
        if is_function_of_counts(measure) and measure.name not in PAIRED_PROPORTIONS
    }


def _joined_predictions(inputs: ComparisonInputs, pair: tuple[str, str]) -> pl.DataFrame | None:
    pairs = inputs.pairs
    return pairs.pair_counts(*pair) if pairs is not None and pairs.has_pair(*pair) else None


def _same_direction(first: MeasureValue, second: MeasureValue, statistic: float) -> bool:
    """Return whether the test, which adds ½ to every count, has the sign of the difference."""
    one, other = first.number or 0.0, second.number or 0.0
    return is_close(one, other) or not statistic or (one > other) == (statistic > 0)


def _value_difference(first: MeasureValue, second: MeasureValue) -> float | None:
    if first.value is None or second.value is None:
        return None
    return first.value - second.value


@dataclass(frozen=True)
class _JoinedCases:
    """The joined cases of a pair."""

    inputs: ComparisonInputs
    pair: tuple[str, str]
    frame: pl.DataFrame | None
    level: float
    correlations: ValueCorrelations

    @cached_property
    def tables(self) -> dict[str, PairedContingencyTable]:
        """The paired contingency table of every class."""
        return {} if self.frame is None else self.inputs.tables[self.pair]

    @cached_property
    def matrices(self) -> dict[str, SparseConfusionMatrix]:
        """The confusion matrices, by the column of the predictions."""
        if self.frame is None:
            return {}
        return {
            name: build_confusion_matrix(self.frame, self.inputs.classes, name)
            for name in PREDICTION_COLUMNS
        }

    def interval(
        self, hypothesis: Hypothesis, first: MeasureValue, second: MeasureValue
    ) -> ConfidenceInterval | None:
        """Return the confidence interval of a difference."""
        frame, measure, label = self.frame, hypothesis.measure, hypothesis.class_
        if frame is None:
            return mover_difference_interval(first, second, None)
        if self.inputs.effects is not None and self.inputs.has_design(self.pair):
            return self._design_interval(self.inputs.effects, hypothesis, first, second)
        weight = self.inputs.pairs.weight if self.inputs.pairs else 1.0
        if label is None:
            if hypothesis.average is None and is_function_of_accuracy(hypothesis):
                return paired_proportion_interval(
                    measure.name, build_correctness_table(frame), self.level, weight
                )
            return mover_difference_interval(
                first, second, self._overall_correlation(hypothesis, frame)
            )
        table = self.tables[label]
        if measure.name in PAIRED_PROPORTIONS:
            return paired_proportion_interval(
                measure.name, select_correctness_table(measure.name, table), self.level, weight
            )
        correlation = self.correlations[measure.name][self.pair, label]
        return mover_difference_interval(first, second, correlation)

    def _design_interval(
        self,
        effects: DesignEffects,
        hypothesis: Hypothesis,
        first: MeasureValue,
        second: MeasureValue,
    ) -> ConfidenceInterval | None:
        """Return the interval of a difference on clustered or weighted cases.

        Of proportions with a common denominator it has n / design effect cases; otherwise the
        intervals of both values are combined by their correlation over clusters.
        """
        frame, measure, label = self.frame, hypothesis.measure, hypothesis.class_
        estimand = _estimand(hypothesis)
        is_accuracy = (
            label is None and hypothesis.average is None and is_function_of_accuracy(hypothesis)
        )
        if frame is not None and (is_accuracy or (label and measure.name in PAIRED_PROPORTIONS)):
            correctness = (
                build_correctness_table(frame)
                if label is None
                else select_correctness_table(measure.name, self.tables[label])
            )
            weight = effects.difference_weight(self.pair, estimand)
            return paired_proportion_interval(measure.name, correctness, self.level, weight)
        return mover_difference_interval(first, second, effects.correlation(self.pair, estimand))

    def _overall_correlation(self, hypothesis: Hypothesis, frame: pl.DataFrame) -> float:
        """Return the correlation of two values over all classes."""
        classes = self.inputs.classes
        counts = frame["count"].to_numpy()
        truth = encode_classes(frame["truth"], classes)
        centred_gradients = []
        for name, matrix in self.matrices.items():
            at = hypothesis_gradient(hypothesis, matrix).at_cells(
                truth, encode_classes(frame[name], classes)
            )
            centred_gradients.append(at - counts @ at / counts.sum())
        spread = float(
            np.sqrt((counts @ centred_gradients[0] ** 2) * (counts @ centred_gradients[1] ** 2))
        )
        product = float(counts @ (centred_gradients[0] * centred_gradients[1]))
        return min(1.0, max(-1.0, product / spread)) if spread > 0 else 0.0
