"""Comparison over several data sets: Friedman, Nemenyi and Wilcoxon tests (Demšar 2006)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from reportgen.evaluation.comparison import Decision
from reportgen.evaluation.primary_measure import DEFAULT_PRIMARY_MEASURE
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import Measure, Orientation, find_measure, parse_measure
from reportgen.measures.ordering import is_better, is_close
from reportgen.statistics import ranks
from reportgen.statistics.multiplicity import holm
from reportgen.statistics.wilcoxon import wilcoxon_signed_rank

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.evaluation.values import MeasureValues, ValueKey
    from reportgen.spec import Spec
    from reportgen.statistics.ranks import FloatArray, FriedmanTest


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetPairComparison:
    """Two classifiers over the data sets: wins, difference, and tests."""

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    difference: float
    """The pseudomedian of first minus second (Hodges and Lehmann), with its interval."""
    low: float | None
    high: float | None
    statistic: float
    exact: bool
    p: float
    p_adjusted: float
    """Wilcoxon's p-value, raised by Holm for all pairs of this measure."""
    rank_difference: float
    rank_p: float
    """That of the ranks, adjusted too: Nemenyi for all pairs, Holm against a baseline."""
    verdict: Decision


def compare_dataset_pairs(
    spec: Spec,
    measure: Measure,
    values_by_classifier: Mapping[str, FloatArray],
    mean_ranks: Mapping[str, float],
    classifiers: Sequence[str],
) -> tuple[DatasetPairComparison, ...]:
    """Test every pair by Wilcoxon's signed-rank test, and by mean ranks as a secondary test."""
    control = spec.comparison.baseline in values_by_classifier
    paired = _classifier_pairs(classifiers, spec.comparison.baseline if control else None)
    differences = [
        values_by_classifier[first] - values_by_classifier[second] for first, second in paired
    ]
    tests = [wilcoxon_signed_rank(difference, spec.intervals.level) for difference in differences]
    adjusted, alpha = [test.p for test in tests], spec.comparison.alpha
    # Equivalence has an α of its own, separate from that of differences, shared over the pairs too.
    share = alpha
    if spec.comparison.correction != "none":
        adjusted, share = holm(adjusted), alpha / len(paired)
    margin = _equivalence_margin(spec, measure)
    gaps = [mean_ranks[first] - mean_ranks[second] for first, second in paired]
    rows = len(next(iter(values_by_classifier.values())))
    comparisons: list[DatasetPairComparison] = []
    rank_p = _rank_p_values(gaps, len(values_by_classifier), rows, against_control=control)
    for (first, second), by_set, test, p, gap, by_rank in zip(
        paired, differences, tests, adjusted, gaps, rank_p, strict=True
    ):
        wins, ties, losses = _count_wins(
            values_by_classifier[first], values_by_classifier[second], measure
        )
        pair = DatasetPairComparison(
            first=first,
            second=second,
            wins=wins,
            ties=ties,
            losses=losses,
            difference=test.estimate,
            low=test.low,
            high=test.high,
            statistic=test.statistic,
            exact=test.exact,
            p=test.p,
            p_adjusted=p,
            rank_difference=gap,
            rank_p=by_rank,
            verdict=Decision.UNDECIDED,
        )
        equivalent = margin is not None and _is_equivalent(margin, by_set, share)
        verdict = Decision.EQUIVALENT if equivalent else _decide_pair(measure, pair, alpha)
        comparisons.append(replace(pair, verdict=verdict if wins or losses else Decision.TIED))
    return tuple(comparisons)


def withdraw_decisions(pairs: Sequence[DatasetPairComparison]) -> tuple[DatasetPairComparison, ...]:
    """Return the pairs undecided, except those that are equal on every data set."""
    return tuple(
        pair if pair.verdict is Decision.TIED else replace(pair, verdict=Decision.UNDECIDED)
        for pair in pairs
    )


def _classifier_pairs(classifiers: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is None:
        return list(combinations(classifiers, 2))
    return [(name, baseline) for name in classifiers if name != baseline]


def _rank_p_values(
    rank_differences: Sequence[float], n_classifiers: int, n_datasets: int, *, against_control: bool
) -> list[float]:
    if not against_control:
        return [ranks.nemenyi_p(gap, n_classifiers, n_datasets) for gap in rank_differences]
    return holm(
        [ranks.dunn_vs_control(gap, n_classifiers, n_datasets)[1] for gap in rank_differences]
    )


def _count_wins(first: FloatArray, second: FloatArray, measure: Measure) -> tuple[int, int, int]:
    value_pairs = [(float(left), float(right)) for left, right in zip(first, second, strict=True)]
    ties = sum(is_close(left, right) for left, right in value_pairs)
    wins = sum(is_better(left, right, measure.orientation) for left, right in value_pairs)
    return wins, ties, len(value_pairs) - wins - ties


def _decide_pair(measure: Measure, pair: DatasetPairComparison, alpha: float) -> Decision:
    if pair.p_adjusted > alpha:
        return Decision.UNDECIDED
    higher = measure.orientation is Orientation.HIGHER
    return Decision.SUPERIOR if (pair.difference > 0) == higher else Decision.INFERIOR


def _equivalence_margin(spec: Spec, measure: Measure) -> float | None:
    margins = spec.comparison.margin or {}
    return {find_measure(name): margin for name, margin in margins.items()}.get(measure)


def _is_equivalent(margin: float, differences: FloatArray, alpha: float) -> bool:
    """Return whether two one-sided signed-rank tests put the pseudomedian within the margin."""
    limits = wilcoxon_signed_rank(differences, 1 - 2 * alpha)
    if limits.low is None or limits.high is None:
        return False
    return -margin < limits.low and limits.high < margin


# A measure of one class is macro-averaged where there is no positive class.
DATASET_AVERAGES: tuple[Literal["macro"] | None, ...] = (None, "macro")


@dataclass(frozen=True, slots=True)
class DatasetValue:
    """The value of a measure for a classifier on one data set."""

    dataset: str
    classifier: str
    measure: str
    value: MeasureValue
    average: Literal["macro"] | None
    rank: float | None
    """None where the data set was left out, because some classifier has no finite value there."""


# Of more classifiers, only the differences from the best are grouped.
MAX_GROUPED_CLASSIFIERS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetComparison:
    """The comparison of all classifiers on one measure over the data sets."""

    measure: Measure
    primary_measure: bool
    """Whether claims rest on this measure; p-values are adjusted within a measure only."""
    classifiers: tuple[str, ...]
    """Those with a value on every data set, best average rank first."""
    datasets: tuple[str, ...]
    excluded_datasets: tuple[str, ...]
    values: tuple[DatasetValue, ...]
    mean_ranks: Mapping[str, float]
    friedman: FriedmanTest | None
    critical_difference: float
    pairs: tuple[DatasetPairComparison, ...]
    baseline: str | None
    adjusted: bool
    """Whether p-values were adjusted for the number of pairs."""
    alpha: float
    level: float

    @property
    def nonsignificant_groups(self) -> tuple[tuple[str, ...], ...]:
        """The maximal groups in which no pair differs significantly by Wilcoxon's test.

        With a baseline, or very many classifiers, it is one group: those that do not differ
        significantly from the baseline or from the best.
        """
        reference = self.baseline
        if reference is None and len(self.classifiers) > MAX_GROUPED_CLASSIFIERS:
            reference = self.classifiers[0]
        nonsignificant_pairs = {
            frozenset((pair.first, pair.second))
            for pair in self.pairs
            if not pair.verdict.is_decided
        }
        if reference is None:
            return tuple(map(tuple, ranks.maximal_groups(self.classifiers, nonsignificant_pairs)))
        group = tuple(
            name
            for name in self.classifiers
            if name == reference or frozenset((name, reference)) in nonsignificant_pairs
        )
        return (group,) if len(group) > 1 else ()

    @property
    def macro_averaged_datasets(self) -> tuple[str, ...]:
        """The data sets on which the measure is a macro average over the classes."""
        return tuple(
            dict.fromkeys(value.dataset for value in self.values if value.average is not None)
        )

    @property
    def min_attainable_p(self) -> float:
        """The smallest adjusted p-value attainable with this number of data sets."""
        family = len(self.pairs) if self.adjusted else 1
        return min(1.0, family * 2.0 ** (1 - len(self.datasets)))


def compare_over_datasets(
    spec: Spec, reported_measures: Sequence[Measure], values_by_dataset: Mapping[str, MeasureValues]
) -> tuple[DatasetComparison, ...]:
    """Compare the classifiers on every measure that two of them have on two data sets.

    `values_by_dataset` has the values of each data set whose predictions were read.
    """
    by_dataset = {name: scores.by_key() for name, scores in values_by_dataset.items()}
    measures = _measures_to_compare(spec, reported_measures)
    comparisons: list[DatasetComparison] = []
    for measure in measures:
        values = [
            value
            for dataset in spec.dataset_names
            for value in _dataset_values(spec, measure, dataset, by_dataset.get(dataset, {}))
        ]
        compared = _compare_measure(spec, measure, values)
        if compared is not None:
            comparisons.append(compared)
    declared = _primary_measure(spec)
    if declared is None:
        return tuple(
            replace(comparison, primary_measure=number == 0)
            for number, comparison in enumerate(comparisons)
        )
    if not any(comparison.measure is declared for comparison in comparisons):
        return tuple(
            replace(comparison, pairs=withdraw_decisions(comparison.pairs))
            for comparison in comparisons
        )
    return tuple(
        replace(comparison, primary_measure=comparison.measure is declared)
        for comparison in comparisons
    )


def _primary_measure(spec: Spec) -> Measure | None:
    declared = parse_measure(spec.comparison.primary or "")
    return None if declared is None else declared[0]


def _measures_to_compare(spec: Spec, reported_measures: Sequence[Measure]) -> list[Measure]:
    """Return the measures to compare, the primary one first."""
    spec_measures = (
        find_measure(name)
        for classifier in spec.classifiers
        for name in classifier.dataset_scores or {}
    )
    every = [
        measure
        for measure in dict.fromkeys([*reported_measures, *spec_measures])
        if measure is not None and measure.orientation is not Orientation.NEITHER
    ]
    declared = _primary_measure(spec)
    if declared is not None:
        return list(dict.fromkeys([declared, *every]))
    default = DEFAULT_PRIMARY_MEASURE[spec.task.kind]
    return sorted(every, key=lambda measure: measure.name != default)


def _dataset_values(
    spec: Spec,
    measure: Measure,
    dataset: str,
    by_key: Mapping[ValueKey, MeasureValue],
) -> Iterable[DatasetValue]:
    for classifier in spec.classifiers:
        scores_by_measure = {
            find_measure(name): scores for name, scores in (classifier.dataset_scores or {}).items()
        }
        if measure in scores_by_measure:
            score = MeasureValue(scores_by_measure[measure][dataset], ValueState.DEFINED)
            yield DatasetValue(dataset, classifier.name, measure.name, score, None, None)
            continue
        for average in DATASET_AVERAGES:
            measure_value = by_key.get((classifier.name, None, average, measure.name))
            if measure_value is not None:
                yield DatasetValue(
                    dataset, classifier.name, measure.name, measure_value, average, None
                )
                break


def _compare_measure(
    spec: Spec, measure: Measure, values: Sequence[DatasetValue]
) -> DatasetComparison | None:
    names = [classifier.name for classifier in spec.classifiers]
    has = {(value.dataset, value.classifier) for value in values}
    complete = [name for name in names if all((set_, name) in has for set_ in spec.dataset_names)]
    finite = {
        (value.dataset, value.classifier): value.value.value
        for value in values
        if value.value.value is not None
    }
    used = [set_ for set_ in spec.dataset_names if all((set_, name) in finite for name in complete)]
    if len(complete) <= 1 or len(used) <= 1:
        return None
    matrix = np.array(
        [[finite[set_, name] for name in complete] for set_ in used], dtype=np.float64
    )
    rank_matrix = ranks.rank_rows(
        matrix, higher_is_better=measure.orientation is Orientation.HIGHER
    )
    average_ranks = dict(zip(complete, rank_matrix.mean(axis=0).tolist(), strict=True))
    order = sorted(complete, key=average_ranks.__getitem__)
    rank_of = {
        (set_, name): float(rank_matrix[row, column])
        for row, set_ in enumerate(used)
        for column, name in enumerate(complete)
    }
    baseline = spec.comparison.baseline if spec.comparison.baseline in complete else None
    critical = ranks.critical_difference(spec.comparison.alpha, len(complete), len(used))
    columns = {name: matrix[:, column] for column, name in enumerate(complete)}
    return DatasetComparison(
        measure=measure,
        primary_measure=False,
        classifiers=tuple(order),
        datasets=tuple(used),
        excluded_datasets=tuple(set_ for set_ in spec.dataset_names if set_ not in used),
        values=tuple(
            replace(value, rank=rank_of.get((value.dataset, value.classifier)))
            for value in values
            if value.classifier in complete
        ),
        mean_ranks={name: average_ranks[name] for name in order},
        friedman=ranks.friedman_test(rank_matrix),
        critical_difference=critical,
        pairs=compare_dataset_pairs(spec, measure, columns, average_ranks, order),
        baseline=baseline,
        adjusted=spec.comparison.correction != "none",
        alpha=spec.comparison.alpha,
        level=spec.intervals.level,
    )
