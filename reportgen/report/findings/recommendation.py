"""Findings of page one: main values of the recommended classifier, limits of the evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from reportgen.evaluation.comparison import Decision
from reportgen.measures import find_measure, get_measure
from reportgen.report.findings import Finding
from reportgen.report.findings.comparisons import (
    distinct_measures,
    majority_baseline_findings,
    primary_measure,
)
from reportgen.report.ranks import classifier_values, is_significantly_better
from reportgen.spec.decision import declared_decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.decision import Recommendation
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure

DifferenceOutcome: TypeAlias = Literal["significant", "not significant", "not tested"]

MAX_TILES = 4
# Below this prevalence specificity is close to 1 for any useful classifier.
_RARE = 0.1
_PAIR = 2
_SMALL_CLASS = 100
_MAX_SEGMENT_GAPS = 2
_TILE_MEASURES = {
    "multiclass": ("accuracy", "balanced_accuracy", "kappa", "mcc", "log_loss"),
    "multilabel": ("exact_match", "sample_f1", "sample_jaccard", "hamming_loss"),
    "ordinal": ("quadratic_kappa", "accuracy", "within_one", "rank_mae"),
    "regression": ("rmse", "mae", "r2", "pearson"),
}
_BALANCED_TILES = ("sensitivity", "specificity", "roc_auc", "mcc", "balanced_accuracy")
_RARE_TILES = ("sensitivity", "precision", "average_precision", "roc_auc", "balanced_accuracy")
# What a decision maker asks for first, where no classifier is better in the primary measure.
_TRADE_OFF_MEASURES = ("sensitivity", "specificity", "precision", "npv", "accuracy")


@dataclass(frozen=True, slots=True)
class TileFinding(Finding):
    """A main value of the leader, that of the runner-up, and the test of their difference.

    `at_decision`: at the threshold by the declared costs or requirement. `per`: the value is
    stated for so many cases.
    """

    measure: Measure
    classifier: str
    value: MeasureValue
    level: float
    runner_up: str | None = None
    runner_up_value: MeasureValue | None = None
    outcome: DifferenceOutcome | None = None
    at_decision: bool = False
    per: int = 1
    threshold: float | None = None
    """The threshold of the leader, if the value depends on a chosen one."""


@dataclass(frozen=True, slots=True)
class TradeOffFinding(Finding):
    """Other measures in which a recommended classifier is significantly better, or worse."""

    classifier: str
    measures: tuple[Measure, ...]
    is_better: bool = True


@dataclass(frozen=True, slots=True)
class ChosenThresholdLimit(Finding):
    """Thresholds were chosen on the cases that they are evaluated on."""

    unit: str
    by_cost: bool


@dataclass(frozen=True, slots=True)
class CrossValidationLimit(Finding):
    """Folds: a training procedure was evaluated, not the classifier that will be used."""

    noun: str


@dataclass(frozen=True, slots=True)
class PrevalenceLimit(Finding):
    """The prevalence of the data, and that of use if it is declared."""

    class_: str
    unit: str
    observed: float
    target: float | None


@dataclass(frozen=True, slots=True)
class SmallClassLimit(Finding):
    """A class with few cases."""

    class_: str
    unit: str
    cases: int


@dataclass(frozen=True, slots=True)
class SegmentGapLimit(Finding):
    """A segment on which a classifier is significantly worse than on all other cases."""

    gap: Comparison


@dataclass(frozen=True, slots=True)
class ClusterLimit(Finding):
    """The number of independent clusters of cases."""

    unit: str
    clusters: int


def case_noun(evaluation: Evaluation) -> str:
    """Return what the cases are called, in the plural."""
    return evaluation.spec.about.unit or "cases"


def tile_findings(evaluation: Evaluation) -> tuple[TileFinding, ...]:
    """Return the main values of the leader, at most four; empty over several data sets."""
    facts = evaluation.recommendation
    if facts is None or facts.criterion == "mean rank":
        return ()
    tiles: dict[str, TileFinding] = {}
    for measure in _tile_measures(evaluation, facts):
        tile = _tile(evaluation, facts, measure)
        if tile is not None and measure.title not in tiles:
            tiles[measure.title] = tile
    return tuple(tiles.values())[:MAX_TILES]


def _tile_measures(evaluation: Evaluation, facts: Recommendation) -> Iterator[Measure]:
    """Yield the candidates; accuracy only where it is above that of the largest class."""
    decision, primary = declared_decision(evaluation.spec), primary_measure(evaluation)
    if facts.criterion == "cost":
        yield get_measure(facts.measure)
    yield from map(get_measure, decision.requirements if facts.criterion == "requirement" else ())
    if primary is not None and not facts.chosen:
        is_misleading = primary.name in {"accuracy", "error_rate"} and facts.beats_majority is False
        if not is_misleading:
            yield primary
    rare = facts.prevalence is not None and facts.prevalence < _RARE
    names = _TILE_MEASURES.get(evaluation.task_kind, _RARE_TILES if rare else _BALANCED_TILES)
    candidates = [measure for name in names if (measure := find_measure(name)) is not None]
    yield from candidates
    yield from (measure for measure in evaluation.overall_measures if measure.name in names)


def _tile(evaluation: Evaluation, facts: Recommendation, measure: Measure) -> TileFinding | None:
    values = classifier_values(evaluation, measure)
    at_decision = bool(facts.chosen) and (facts.leader, measure.name) in evaluation.decision_values
    if at_decision:
        values = {
            name: value
            for (name, other), value in evaluation.decision_values.items()
            if other == measure.name
        }
    value = values.get(facts.leader)
    if value is None or value.value is None:
        return None
    option = facts.option(facts.leader)
    per = 1
    if facts.criterion == "cost" and measure.name == facts.measure and option is not None:
        per = option.frequencies.per if option.frequencies else 1
        value = replace(value, low=option.cost_low, high=option.cost_high)
    other = values.get(facts.runner_up or "")
    runner_up_value = other if other is not None and other.value is not None else None
    return TileFinding(
        measure=measure,
        classifier=facts.leader,
        value=value,
        level=evaluation.spec.intervals.level,
        runner_up=facts.runner_up if runner_up_value is not None else None,
        runner_up_value=runner_up_value,
        outcome=_difference_outcome(evaluation, facts, measure, at_decision=at_decision)
        if runner_up_value is not None
        else None,
        at_decision=at_decision,
        per=per,
        threshold=option.rounded if at_decision and option is not None else None,
    )


def _difference_outcome(
    evaluation: Evaluation, facts: Recommendation, measure: Measure, *, at_decision: bool
) -> DifferenceOutcome:
    pair = {facts.leader, facts.runner_up}
    if at_decision:
        rows = [
            row
            for row in evaluation.decision_comparisons
            if {row.first, row.second} == pair and row.measure == measure.name
        ]
        row = rows[0] if rows else None
    else:
        row = evaluation.comparison_index.find(
            facts.leader, facts.runner_up or "", None, measure.name
        )
    if row is None or row.p is None or row.verdict is Decision.NOT_TESTED:
        return "not tested"
    return "significant" if row.verdict.is_decided else "not significant"


def trade_off_findings(evaluation: Evaluation) -> tuple[TradeOffFinding, ...]:
    """Return what distinguishes the recommended classifiers, if there are several.

    Of each, the measures in which it is significantly better than all others that are recommended
    and, of more than two, those in which it is significantly worse than all others.
    """
    facts, primary = evaluation.recommendation, primary_measure(evaluation)
    if facts is None or primary is None or facts.criterion != "primary measure":
        return ()
    order = {name: place for place, name in enumerate(_TRADE_OFF_MEASURES)}
    measures = sorted(
        distinct_measures(evaluation, primary),
        key=lambda measure: order.get(measure.name, len(order)),
    )
    names = facts.recommended

    def is_better_than(first: str, seconds: Sequence[str], measure: Measure) -> bool:
        return is_significantly_better(evaluation, measure, first, seconds) is True

    better: list[TradeOffFinding] = []
    worse: list[TradeOffFinding] = []
    for name in names if len(names) > 1 else ():
        others = [other for other in names if other != name]
        measures_better = [measure for measure in measures if is_better_than(name, others, measure)]
        measures_worse = [
            measure
            for measure in measures
            if all(is_better_than(other, [name], measure) for other in others)
        ]
        better.append(TradeOffFinding(name, tuple(measures_better)))
        worse.append(TradeOffFinding(name, tuple(measures_worse), is_better=False))
    # Of two classifiers, where one is better the other is worse.
    findings = [*better, *worse] if len(names) > _PAIR else better
    return tuple(finding for finding in findings if finding.measures)


def limit_findings(evaluation: Evaluation) -> Iterator[Finding]:
    """Yield what limits the evidence for the recommendation."""
    facts, unit = evaluation.recommendation, case_noun(evaluation)
    yield from majority_baseline_findings(evaluation)
    if facts is not None and facts.chosen:
        yield ChosenThresholdLimit(unit, facts.criterion == "cost")
    if evaluation.fold_summaries and not evaluation.folds_are_repetitions:
        noun = "model" if evaluation.task_kind == "regression" else "classifier"
        yield CrossValidationLimit(noun)
    yield from _segment_limits(evaluation)
    yield from _small_class_limits(evaluation)
    if facts is not None and facts.observed_prevalence not in {None, 0.0, 1.0}:
        yield PrevalenceLimit(
            evaluation.spec.task.positive or "",
            unit,
            facts.observed_prevalence,
            declared_decision(evaluation.spec).prevalence,
        )
    clusters = [row.clusters for row in evaluation.design if row.clusters is not None]
    if clusters:
        yield ClusterLimit(unit, min(clusters))


def _segment_limits(evaluation: Evaluation) -> Iterator[SegmentGapLimit]:
    """Yield the largest gaps of the classifiers that are recommended, in the primary measure."""
    facts, primary = evaluation.recommendation, evaluation.primary_measure
    if facts is None or primary is None:
        return
    gaps = [
        row
        for row in evaluation.worst_segments
        if row.first in facts.recommended
        and (row.measure, row.average) == (primary.measure.name, primary.average)
    ]
    largest_first = sorted(gaps, key=lambda row: -abs(row.difference or 0.0))
    yield from map(SegmentGapLimit, largest_first[:_MAX_SEGMENT_GAPS])


def _small_class_limits(evaluation: Evaluation) -> Iterator[SmallClassLimit]:
    """Yield the smallest class if it has few cases, in one of the classifiers' data at least.

    A class that a warning names with its number of cases is not repeated.
    """
    classes, by_classifier = evaluation.named_classes, evaluation.class_sizes
    sizes = {
        class_: min(row[place] for row in by_classifier.values())
        for place, class_ in enumerate(classes if by_classifier else ())
    }
    small = [class_ for class_, size in sizes.items() if size < _SMALL_CLASS]
    if small:
        smallest = min(small, key=sizes.__getitem__)
        named = f"`{smallest}` ({sizes[smallest]})"
        if not any(named in warning for warning in evaluation.warnings):
            yield SmallClassLimit(smallest, case_noun(evaluation), sizes[smallest])
