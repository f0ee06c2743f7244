"""Findings on differences between classifiers: in the primary measure, then in the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.measures import get_measure, representative_of
from reportgen.report.findings import Finding
from reportgen.report.formatting import averaged_title, equivalence_margin
from reportgen.report.ranks import (
    classifier_values,
    is_significantly_better,
    tied_for_first,
    values_best_first,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure


# Measures with an established diagnostic meaning, which findings mention first.
CAPABILITY_MEASURES = (
    "youden",
    "lr_positive",
    "lr_negative",
    "sensitivity",
    "specificity",
    "discriminant_power",
    "precision",
    "npv",
    "roc_auc",
    "brier",
)
_LIKELIHOOD_RATIOS = ("lr_positive", "lr_negative")
_PAIR_SIZE, _MAX_PAIRWISE_CLASSIFIERS = 2, 3
_MAX_MEASURES, _MAX_LEADERS = 3, 3


@dataclass(frozen=True, slots=True)
class ValueFinding(Finding):
    """The value of the only classifier, with its confidence interval at `level`."""

    measure: Measure
    classifier: str
    value: MeasureValue
    level: float
    over_folds: bool = False


@dataclass(frozen=True, slots=True)
class TieFinding(Finding):
    """All classifiers have the same value."""

    measure: Measure
    classifiers: tuple[str, ...]
    value: MeasureValue
    over_folds: bool = False


@dataclass(frozen=True, slots=True)
class PairFinding(Finding):
    """The comparison of two classifiers, `first` having the better value.

    `decision` None: not tested. Without values only the difference is stated. `cases` is the
    number of cases compared on, None if unknown.
    """

    measure: Measure
    first: str
    second: str
    comparison: Comparison | None
    values: tuple[MeasureValue, MeasureValue] | None = None
    margin: float | None = None
    one_sided: bool = False
    over_folds: bool = False
    cases: int | None = None

    @property
    def decision(self) -> Decision | None:
        """Return the decision on first against second; None: not tested."""
        if self.comparison is None or self.comparison.p is None:
            return None
        return self.comparison.verdict


class LeaderOutcome(Enum):
    """How the best classifiers compare with some of the others."""

    SUPERIOR = "superior"
    EQUIVALENT = "equivalent"
    NOT_TESTED = "not tested"
    NOT_SIGNIFICANT = "not significant"
    MIXED = "some superior"
    NON_INFERIOR = "non-inferior"


@dataclass(frozen=True, slots=True)
class LeaderRelation:
    """The classifiers to which the best ones have the same relation.

    `comparisons` are those of a single best classifier with each of them.
    """

    outcome: LeaderOutcome
    others: tuple[str, ...]
    comparisons: tuple[Comparison, ...] = ()
    all_others: bool = False


@dataclass(frozen=True, slots=True)
class LeaderFinding(Finding):
    """The classifiers with the best value, and their relations to all others."""

    measure: Measure
    best: tuple[str, ...]
    value: MeasureValue
    level: float
    relations: tuple[LeaderRelation, ...]
    has_undefined: bool = False
    margin: float | None = None
    one_sided: bool = False
    over_folds: bool = False


@dataclass(frozen=True, slots=True)
class UndefinedValueFinding(Finding):
    """Classifiers without a value of the primary measure, with the reason if it is common."""

    measure: Measure
    classifiers: tuple[str, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class MeasureAdvantage:
    """A measure in which a classifier is significantly better than `losers`.

    `values` are its own value and that of the best of the losers; `positive` is the class of
    measures of a binary task.
    """

    measure: Measure
    losers: tuple[str, ...]
    values: tuple[MeasureValue, ...] = ()
    positive: str | None = None


@dataclass(frozen=True, slots=True)
class SuperiorityFinding(Finding):
    """The measures in which a classifier is significantly better than others."""

    winner: str
    advantages: tuple[MeasureAdvantage, ...]


@dataclass(frozen=True, slots=True)
class OverallLeadFinding(Finding):
    """The measures in which one of many classifiers is best, and its significant wins."""

    winner: str
    advantages: tuple[MeasureAdvantage, ...]
    n_others: int


@dataclass(frozen=True, slots=True)
class NonsignificantPairFinding(Finding):
    """The other measures in which two classifiers do not differ significantly."""

    first: str
    second: str
    comparisons: tuple[tuple[Measure, Comparison], ...]


@dataclass(frozen=True, slots=True)
class NoOtherDifferenceFinding(Finding):
    """No significant difference in any of the other measures."""

    measures: tuple[Measure, ...]


def primary_measure(evaluation: Evaluation) -> Measure | None:
    """Return the primary measure; an average over the classes has it in its title."""
    primary = evaluation.primary_measure
    if primary is None or primary.average is None:
        return None if primary is None else primary.measure
    return replace(primary.measure, title=averaged_title(primary.measure, primary.average))


def is_one_sided_test(evaluation: Evaluation, row: Comparison) -> bool:
    """Return whether a test asks only whether the first classifier is better."""
    return row.data == "folds" and evaluation.spec.folds.tails == "one"


def comparison_findings(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield the findings on the primary measure, then on the others."""
    measure = primary_measure(evaluation)
    if measure is None:
        return
    values = values_best_first(evaluation, measure) if evaluation.measured_classifiers else {}
    if values:
        yield from best_value_findings(evaluation, measure, values)
        yield from _undefined_value_findings(evaluation, measure, values)
    yield from secondary_findings(evaluation, measure)


def best_value_findings(
    evaluation: Evaluation,
    measure: Measure,
    values: dict[str, MeasureValue],
    *,
    over_folds: bool = False,
) -> Iterator[Finding]:
    """Yield the classifier with the best of these values, and whether it is significant."""
    level = evaluation.spec.intervals.level
    names = tuple(values)
    if len(names) == 1:
        yield ValueFinding(measure, names[0], values[names[0]], level, over_folds)
    elif len(names) == _PAIR_SIZE:
        yield _pair_finding(evaluation, measure, names, values, over_folds=over_folds)
    else:
        yield from leader_findings(evaluation, measure, values, over_folds=over_folds)


def _pair_finding(
    evaluation: Evaluation,
    measure: Measure,
    names: Sequence[str],
    values: dict[str, MeasureValue] | None = None,
    *,
    over_folds: bool,
) -> PairFinding:
    first, second = names
    comparison = evaluation.comparison_index.find(first, second, None, measure.name)
    if over_folds and comparison is not None:
        # A one-sided test has a direction of its own, so the pair keeps that of the test.
        comparison = evaluation.comparison_index.by_key[frozenset(names), None, measure.name]
        first, second = comparison.first, comparison.second
    return PairFinding(
        measure,
        first,
        second,
        comparison,
        None if values is None else (values[first], values[second]),
        equivalence_margin(evaluation, measure.name),
        comparison is not None and is_one_sided_test(evaluation, comparison),
        over_folds,
        evaluation.compared_cases(first),
    )


def _undefined_value_findings(
    evaluation: Evaluation, measure: Measure, values: dict[str, MeasureValue]
) -> Iterator[UndefinedValueFinding]:
    undefined = tuple(name for name in evaluation.measured_classifiers if name not in values)
    if undefined:
        scores = (evaluation.value(name, measure) for name in undefined)
        reasons = {None if score is None else score.reason for score in scores}
        yield UndefinedValueFinding(
            measure, undefined, reasons.pop() if len(reasons) == 1 else None
        )


def leader_findings(
    evaluation: Evaluation,
    measure: Measure,
    values: dict[str, MeasureValue],
    *,
    over_folds: bool,
) -> Iterator[Finding]:
    """Yield the best of three or more classifiers; of three, also the other two compared."""
    best = tuple(tied_for_first(values, measure))
    others = [name for name in values if name not in best]
    if not others:
        yield TieFinding(measure, best, values[best[0]], over_folds)
        return
    tests = {
        other: [evaluation.comparison_index.find(name, other, None, measure.name) for name in best]
        for other in others
    }
    available = [
        test for leader_tests in tests.values() for test in leader_tests if test is not None
    ]
    yield LeaderFinding(
        measure,
        best,
        values[best[0]],
        evaluation.spec.intervals.level,
        tuple(_leader_relations(best, tests)),
        len(classifier_values(evaluation, measure)) > len(values),
        equivalence_margin(evaluation, measure.name),
        any(is_one_sided_test(evaluation, test) for test in available),
        over_folds,
    )
    if len(best) == 1 and len(others) == _PAIR_SIZE:
        yield from _runner_up_finding(evaluation, measure, others, over_folds=over_folds)


def _runner_up_finding(
    evaluation: Evaluation, measure: Measure, names: Sequence[str], *, over_folds: bool
) -> Iterator[PairFinding]:
    pair = _pair_finding(evaluation, measure, names, over_folds=over_folds)
    two_sided_decisions = (Decision.SUPERIOR, Decision.INFERIOR, Decision.UNDECIDED)
    if pair.decision in two_sided_decisions and not pair.one_sided:
        yield pair


def _leader_relations(
    best: Sequence[str], tests: dict[str, list[Comparison | None]]
) -> Iterator[LeaderRelation]:
    outcomes: dict[LeaderOutcome, list[str]] = {outcome: [] for outcome in LeaderOutcome}
    for other, leader_tests in tests.items():
        outcomes[_leader_outcome(leader_tests)].append(other)
    outcomes[LeaderOutcome.NON_INFERIOR] = [
        other
        for other in outcomes[LeaderOutcome.NOT_SIGNIFICANT]
        if all(test is not None and test.non_inferior for test in tests[other])
    ]
    for outcome, names in outcomes.items():
        if names:
            single = [test for name in names for test in tests[name] if test is not None]
            yield LeaderRelation(
                outcome,
                tuple(names),
                tuple(single) if len(best) == 1 else (),
                all_others=len(names) == len(tests),
            )


def _leader_outcome(tests: Sequence[Comparison | None]) -> LeaderOutcome:
    """Return the common outcome of the best classifiers against one other."""
    decisions = {None if test is None or test.p is None else test.verdict for test in tests}
    if len(decisions) > 1:
        has_superior = Decision.SUPERIOR in decisions
        return LeaderOutcome.MIXED if has_superior else LeaderOutcome.NOT_SIGNIFICANT
    return {
        Decision.SUPERIOR: LeaderOutcome.SUPERIOR,
        Decision.EQUIVALENT: LeaderOutcome.EQUIVALENT,
        None: LeaderOutcome.NOT_TESTED,
    }.get(decisions.pop(), LeaderOutcome.NOT_SIGNIFICANT)


def secondary_findings(evaluation: Evaluation, primary: Measure) -> Iterator[Finding]:
    """Yield the significant differences in other measures; of many classifiers the leads."""
    names = evaluation.measured_classifiers
    measures = list(distinct_measures(evaluation, primary))
    if len(names) <= 1 or not measures:
        return
    if len(names) > _MAX_PAIRWISE_CLASSIFIERS:
        yield from _overall_lead_findings(evaluation, measures)
        return
    wins = [win for measure in measures for win in _significant_wins(evaluation, measure)]
    if not wins:
        yield NoOtherDifferenceFinding(tuple(measures))
        return
    for winner in names:
        advantages = _advantages_of(evaluation, winner, wins)
        if advantages:
            yield SuperiorityFinding(winner, advantages)
    if len(names) == _PAIR_SIZE:
        yield from _nonsignificant_pair_finding(evaluation, measures)


def distinct_measures(evaluation: Evaluation, primary: Measure) -> Iterator[Measure]:
    """Yield the other tested measures that rank differently, those of capabilities first."""
    excluded = {representative_of(primary)}
    # Comparisons of swapped likelihood ratios need more explanation than a finding has room for.
    swapped = any(relation.swapped for relation in evaluation.likelihood_relations)
    capability_measures = [get_measure(name) for name in CAPABILITY_MEASURES]
    for measure in dict.fromkeys([*capability_measures, *evaluation.overall_measures]):
        representative = representative_of(measure)
        if representative in excluded or (swapped and measure.name in _LIKELIHOOD_RATIOS):
            continue
        if any(row.p is not None for row in _primary_tests(evaluation, measure)):
            excluded.add(representative)
            yield measure


def _primary_tests(evaluation: Evaluation, measure: Measure) -> Iterator[Comparison]:
    for row in evaluation.comparisons:
        if row.primary_test and row.key[2:] == (None, None, measure.name) and row.data != "folds":
            yield row


def _significant_wins(
    evaluation: Evaluation, measure: Measure
) -> Iterator[tuple[str, MeasureAdvantage]]:
    values = classifier_values(evaluation, measure)
    # Two infinite values leave nothing to state: a test of them counts what made them infinite.
    finite = {name for name, value in values.items() if value.value is not None}
    for winner in evaluation.measured_classifiers:
        losers = tuple(
            other
            for other in evaluation.measured_classifiers
            if other != winner
            and not finite.isdisjoint({winner, other})
            and is_significantly_better(evaluation, measure, winner, [other])
        )
        if losers:
            yield winner, MeasureAdvantage(measure, losers)


def _advantages_of(
    evaluation: Evaluation, winner: str, wins: Sequence[tuple[str, MeasureAdvantage]]
) -> tuple[MeasureAdvantage, ...]:
    """Return the stated advantages: a few over all others, then one over each other set."""
    groups: dict[tuple[str, ...], list[MeasureAdvantage]] = {}
    for name, advantage in wins:
        if name == winner:
            groups.setdefault(advantage.losers, []).append(advantage)
    ordered = sorted(groups.values(), key=lambda group: -len(group[0].losers))
    return tuple(
        MeasureAdvantage(
            advantage.measure,
            advantage.losers,
            _winner_and_runner_up(evaluation, winner, advantage),
            evaluation.spec.task.positive,
        )
        for number, group in enumerate(ordered)
        for advantage in group[: 1 if number else _MAX_MEASURES]
    )


def _winner_and_runner_up(
    evaluation: Evaluation, winner: str, advantage: MeasureAdvantage
) -> tuple[MeasureValue, ...]:
    values = values_best_first(evaluation, advantage.measure)
    losers = [name for name in values if name in advantage.losers]
    return (values[winner], values[losers[0]]) if winner in values and losers else ()


def _nonsignificant_pair_finding(
    evaluation: Evaluation, measures: Sequence[Measure]
) -> Iterator[NonsignificantPairFinding]:
    first, second = evaluation.measured_classifiers
    rows = tuple(
        (measure, row)
        for measure in measures
        if (row := evaluation.comparison_index.find(first, second, None, measure.name)) is not None
        and row.p is not None
        and row.verdict is Decision.UNDECIDED
    )
    if rows:
        yield NonsignificantPairFinding(first, second, rows)


def _overall_lead_findings(
    evaluation: Evaluation, measures: Sequence[Measure]
) -> Iterator[OverallLeadFinding]:
    """Yield, of many classifiers, those that lead most measures significantly."""
    by_winner: dict[str, list[MeasureAdvantage]] = {}
    for measure in measures:
        for winner, advantage in _significant_wins(evaluation, measure):
            values = classifier_values(evaluation, measure)
            is_sole_leader = tied_for_first(values, measure) == [winner]
            if measure.name in CAPABILITY_MEASURES and is_sole_leader:
                value = values[winner]
                by_winner.setdefault(winner, []).append(
                    MeasureAdvantage(
                        measure, advantage.losers, (value,), evaluation.spec.task.positive
                    )
                )
    n_others = len(evaluation.measured_classifiers) - 1
    for winner, advantages in sorted(by_winner.items(), key=lambda item: -len(item[1]))[
        :_MAX_LEADERS
    ]:
        yield OverallLeadFinding(winner, tuple(advantages[:_MAX_MEASURES]), n_others)


# Findings on the majority-class baseline: whose accuracy CI excludes it.

# A smaller majority class is not a relevant baseline.
_MIN_MAJORITY_PREVALENCE = 0.6


@dataclass(frozen=True, slots=True)
class MajorityBaselineFinding(Finding):
    """The accuracy of always predicting the majority class, and whose CI lies where."""

    class_: str
    prevalence: float
    accuracy: Measure
    interval_above: dict[str, MeasureValue]
    interval_below: dict[str, MeasureValue]
    interval_containing: dict[str, MeasureValue]


def majority_baseline_findings(evaluation: Evaluation) -> Iterator[MajorityBaselineFinding]:
    """Yield the baseline if some classifier does not exceed it, unless another measure is declared.

    Where balanced accuracy is primary because of the largest class, the baseline says why.
    """
    baseline, primary = majority_class_finding(evaluation), evaluation.primary_measure
    if baseline is None or primary is None:
        return
    is_about_accuracy = primary.measure.name == "accuracy" or "majority class" in primary.reason
    if is_about_accuracy and (baseline.interval_below or baseline.interval_containing):
        yield baseline


def majority_class_finding(evaluation: Evaluation) -> MajorityBaselineFinding | None:
    """Return the comparison of the CIs of accuracy with the majority class, if that is large."""
    baseline, accuracy = evaluation.majority_baseline, get_measure("accuracy")
    if baseline is None or baseline.proportion < _MIN_MAJORITY_PREVALENCE:
        return None
    positions = {comparison.classifier: comparison.position for comparison in baseline.comparisons}
    values = values_best_first(evaluation, accuracy)
    above, below, inside = (
        {name: value for name, value in values.items() if positions.get(name) == position}
        for position in ("above", "below", "containing")
    )
    return MajorityBaselineFinding(
        baseline.class_, baseline.proportion, accuracy, above, below, inside
    )
