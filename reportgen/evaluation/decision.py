"""The recommendation: which classifier to use, at which threshold, and how sure that is.

It follows the declared costs or requirement, else the primary measure. A classifier is recommended
alone only where tests show it to be better than every other one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from reportgen.aggregates.threshold_choice import (
    ThresholdRule,
    scale_to_prevalence,
)
from reportgen.evaluation.comparison import Decision
from reportgen.evaluation.roc_hull import optimal_vertices, roc_hull, single_point_hull
from reportgen.evaluation.significance import ComparisonIndex
from reportgen.evaluation.thresholds import cost_per_case
from reportgen.measures import Orientation, get_measure
from reportgen.measures.formula.evaluate import evaluate_formula
from reportgen.measures.ordering import competition_ranks
from reportgen.spec import declared_decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.roc_hull import OptimalVertex
    from reportgen.evaluation.thresholds import OptimalThreshold
    from reportgen.measures import Measure
    from reportgen.spec import DeclaredDecision
    from reportgen.statistics import FloatArray

DecisionCriterion: TypeAlias = Literal["cost", "requirement", "primary measure", "mean rank"]
DecisionEvidence: TypeAlias = Literal[
    "significant", "not significant", "partly significant", "not tested", "only classifier"
]
ThresholdBasis: TypeAlias = Literal["submitted", "cost", "requirement"]

# Natural frequencies are per so many cases, so that at least this number of them are positive.
_FREQUENCY_SIZES, _MIN_POSITIVES = (1_000, 10_000, 100_000), 5
_PAIR = 2
_LOSS_TOLERANCE = 1e-12
# Computed at the thresholds of the decision.
DECISION_MEASURES = (
    "sensitivity",
    "specificity",
    "precision",
    "npv",
    "balanced_accuracy",
    "youden",
    "accuracy",
)
_ACCURACY_MEASURES = frozenset({"accuracy", "error_rate"})


@dataclass(frozen=True, slots=True)
class NaturalFrequencies:
    """The expected numbers of cases of each outcome among `per` cases at a prevalence."""

    per: int
    prevalence: float
    tp: float
    fn: float
    fp: float
    tn: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOption:
    """A classifier at the threshold that the decision is about, with its counts and cost.

    `basis` is how the threshold was chosen; the counts of a chosen threshold are those of the
    cases that it was chosen on, so that new cases give somewhat worse ones. The cost is the mean
    by case at the prevalence of use; its interval is corrected for the choice.
    """

    classifier: str
    basis: ThresholdBasis
    threshold: float | None = None
    rounded: float | None = None
    """A chosen threshold with the fewest digits that predicts the same cases as positive."""
    tp: int | float
    fn: int | float
    fp: int | float
    tn: int | float
    frequencies: NaturalFrequencies | None = None
    cost: float | None = None
    cost_low: float | None = None
    cost_high: float | None = None
    meets_requirement: bool | None = None
    """Whether every requirement is met on these cases; None: none is declared."""
    single_class: str | None = None
    """The class predicted for every case, if it is only one."""


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """The number of cases that a classifier predicts wrongly."""

    classifier: str
    errors: int | float
    cases: int | float


@dataclass(frozen=True, slots=True)
class DecisionChange:
    """The cost ratio, or the prevalence, beyond which another classifier has the lowest cost.

    A cost ratio is that of a false negative to a false positive. It is an estimate without a test.
    """

    quantity: Literal["cost ratio", "prevalence"]
    direction: Literal["above", "below"]
    limit: float
    classifier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The classifier to use, or those of which none is shown to be better, and the evidence.

    `leader` has the best value of the criterion. `recommended` is the leader alone where tests
    show it to be better than every other classifier, by the criterion or in the primary measure;
    else the leader and all that are not shown to be worse than any other; empty if no classifier
    meets the requirement. The tests of the criterion are about `measure`, at the thresholds of
    `options`; those of the primary measure are about the predictions as submitted.
    """

    criterion: DecisionCriterion
    measure: str
    average: str | None = None
    leader: str
    recommended: tuple[str, ...]
    runner_up: str | None = None
    evidence: DecisionEvidence
    better_than: tuple[str, ...] = ()
    """The classifiers that the leader is significantly better than."""
    not_significant: tuple[str, ...] = ()
    """The classifiers that do not differ significantly from the leader."""
    not_tested: tuple[str, ...] = ()
    p_adjusted: float | None = None
    """The largest adjusted p-value of the significant differences, else that of the runner-up."""
    primary_better_than: tuple[str, ...] = ()
    """The classifiers that the leader is significantly better than in the primary measure."""
    primary_p_adjusted: float | None = None
    """The largest adjusted p-value of these differences."""
    prevalence: float | None = None
    """The prevalence that costs and frequencies are about; None: unknown."""
    observed_prevalence: float | None = None
    cost_of_none: float | None = None
    """The cost by case of predicting no case positive."""
    cost_of_all: float | None = None
    """The cost by case of predicting every case positive."""
    beats_majority: bool | None = None
    """Whether the leader's accuracy is significantly above the proportion of the largest class."""
    submitted: tuple[DecisionOption, ...] = ()
    """The options as submitted, in the order of the criterion."""
    chosen: tuple[DecisionOption, ...] = ()
    """The options at thresholds chosen by the costs or the requirement, in the same order."""
    changes: tuple[DecisionChange, ...] = ()
    errors: tuple[ErrorCount, ...] = ()
    """The wrong predictions of every classifier as submitted, in the order of the criterion."""

    @property
    def options(self) -> tuple[DecisionOption, ...]:
        """The options that the decision is about: at chosen thresholds, else as submitted."""
        return self.chosen or self.submitted

    def option(self, classifier: str) -> DecisionOption | None:
        """Return the option of a classifier that the decision is about."""
        return _option_of(self.options, classifier)

    def submitted_option(self, classifier: str) -> DecisionOption | None:
        """Return the predictions of a classifier as submitted."""
        return _option_of(self.submitted, classifier)


def _option_of(options: Sequence[DecisionOption], classifier: str) -> DecisionOption | None:
    return next((option for option in options if option.classifier == classifier), None)


def recommend(evaluation: Evaluation) -> Recommendation | None:
    """Return the recommendation; None where no classifier has a value to decide by."""
    if evaluation.spec.dataset_names:
        return _recommend_over_datasets(evaluation)
    decision = declared_decision(evaluation.spec)
    submitted = tuple(_submitted_options(evaluation, decision))
    if submitted and decision.cost is not None:
        return _recommend_by_cost(evaluation, decision, submitted)
    if submitted and decision.requirements:
        return _recommend_by_requirement(evaluation, submitted)
    return _recommend_by_primary_measure(evaluation, submitted)


# The options: counts of every classifier as submitted, and at chosen thresholds.


def _prevalences(evaluation: Evaluation) -> tuple[float | None, float | None]:
    """Return the prevalence that the decision is about, and that of the data."""
    observed = evaluation.observed_prevalences
    in_data = observed[0] if len(observed) == 1 else None
    return declared_decision(evaluation.spec).prevalence or in_data, in_data


def _submitted_options(
    evaluation: Evaluation, decision: DeclaredDecision
) -> Iterator[DecisionOption]:
    thresholds = {
        point.classifier: point.threshold
        for point in evaluation.operating_points
        if point.kind == "as_predicted"
    }
    cost = get_measure("expected_cost") if decision.cost is not None else None
    for name, counts in evaluation.positive_class_counts.items():
        option = _build_option(evaluation, name, "submitted", thresholds.get(name), counts)
        value = evaluation.value(name, cost) if cost is not None else None
        if value is not None:
            option = replace(option, cost_low=value.low, cost_high=value.high)
        yield option


def _chosen_options(evaluation: Evaluation, rule: ThresholdRule) -> Iterator[DecisionOption]:
    basis: ThresholdBasis = "cost" if rule is ThresholdRule.COST else "requirement"
    for optimum in evaluation.thresholds:
        counts = _counts_of(optimum)
        if optimum.rule is rule and counts is not None:
            option = _build_option(evaluation, optimum.classifier, basis, optimum.threshold, counts)
            option = replace(option, rounded=optimum.rounded)
            yield (
                replace(option, cost_low=optimum.achieved_low, cost_high=optimum.achieved_high)
                if rule is ThresholdRule.COST
                else option
            )


def _counts_of(optimum: OptimalThreshold) -> tuple[float, float, float, float] | None:
    tp, fn, fp, tn = optimum.tp, optimum.fn, optimum.fp, optimum.tn
    if tp is None or fn is None or fp is None or tn is None:
        return None
    return tp, fn, fp, tn


def _build_option(
    evaluation: Evaluation,
    classifier: str,
    basis: ThresholdBasis,
    threshold: float | None,
    counts: tuple[float, float, float, float],
) -> DecisionOption:
    tp, fn, fp, tn = counts
    positive = evaluation.spec.task.positive or ""
    negative = next(name for name in evaluation.aggregates.classes if name != positive)
    single = negative if not tp + fp else positive if not fn + tn else None
    return DecisionOption(
        classifier=classifier,
        basis=basis,
        threshold=threshold,
        tp=tp,
        fn=fn,
        fp=fp,
        tn=tn,
        frequencies=natural_frequencies(counts, _prevalences(evaluation)[0]),
        cost=cost_per_case(evaluation.spec, counts),
        meets_requirement=_meets_requirements(evaluation, counts),
        single_class=single,
    )


def natural_frequencies(
    counts: tuple[float, float, float, float], prevalence: float | None
) -> NaturalFrequencies | None:
    """Return the expected tp, fn, fp and tn among a round number of cases at a prevalence.

    None without a prevalence, or where a class has no cases.
    """
    if prevalence is None or not (counts[0] + counts[1] and counts[2] + counts[3]):
        return None
    rates = scale_to_prevalence(_as_arrays(counts), prevalence)
    sizes = (size for size in _FREQUENCY_SIZES if size * prevalence >= _MIN_POSITIVES)
    per = next(sizes, _FREQUENCY_SIZES[-1])
    return NaturalFrequencies(
        per, prevalence, **{name: per * float(rate) for name, rate in rates.items()}
    )


def _as_arrays(counts: tuple[float, float, float, float]) -> dict[str, FloatArray]:
    counts_by_name = zip(("tp", "fn", "fp", "tn"), counts, strict=True)
    return {name: np.asarray(float(count)) for name, count in counts_by_name}


def _meets_requirements(
    evaluation: Evaluation, counts: tuple[float, float, float, float]
) -> bool | None:
    decision = declared_decision(evaluation.spec)
    if not decision.requirements:
        return None
    arrays = _as_arrays(counts)
    if decision.prevalence is not None:
        arrays = scale_to_prevalence(arrays, decision.prevalence)
    return all(
        _meets(get_measure(name), arrays, limit) for name, limit in decision.requirements.items()
    )


def _meets(measure: Measure, counts: Mapping[str, FloatArray], limit: float) -> bool:
    value = float(evaluate_formula(measure.formula, counts))
    if measure.orientation is Orientation.LOWER:
        return value <= limit + _LOSS_TOLERANCE
    return value >= limit - _LOSS_TOLERANCE


# The recommendation by each criterion.


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What the tests of a leader against every other classifier show."""

    better_than: tuple[str, ...]
    not_significant: tuple[str, ...]
    not_tested: tuple[str, ...]
    p_adjusted: float | None
    significant_p: float | None = None
    """The largest adjusted p-value of the significant differences."""

    @property
    def summary(self) -> DecisionEvidence:
        if not (self.better_than or self.not_significant or self.not_tested):
            return "only classifier"
        if not (self.not_significant or self.not_tested):
            return "significant"
        if self.better_than:
            return "partly significant"
        return "not significant" if self.not_significant else "not tested"

    @property
    def alternatives(self) -> tuple[str, ...]:
        """The classifiers that are not shown to be worse than the leader."""
        return *self.not_significant, *self.not_tested


def _index_of(evaluation: Evaluation, *, at_decision: bool) -> ComparisonIndex:
    """Return the comparisons at the thresholds of the decision, or as submitted."""
    if at_decision:
        return ComparisonIndex.from_comparisons(evaluation.decision_comparisons)
    return evaluation.comparison_index


def _is_superior(row: Comparison | None) -> bool:
    return row is not None and row.p is not None and row.verdict is Decision.SUPERIOR


def _compare_leader(
    evaluation: Evaluation, ranking: Sequence[str], measure: str, *, at_decision: bool
) -> _Evidence:
    """Return what the tests show about the first of classifiers in a measure."""
    leader, *others = ranking
    index = _index_of(evaluation, at_decision=at_decision)
    verdicts: dict[str, Decision | None] = {}
    p_values: dict[str, float | None] = {}
    for other in others:
        row = index.find(leader, other, None, measure)
        tested = row is not None and row.p is not None
        verdicts[other] = row.verdict if row is not None and tested else None
        p_values[other] = row.p_adjusted if row is not None and tested else None
    return _summarize_evidence(verdicts, p_values)


def _summarize_evidence(
    verdicts: Mapping[str, Decision | None], p_values: Mapping[str, float | None]
) -> _Evidence:
    better = tuple(name for name, verdict in verdicts.items() if verdict is Decision.SUPERIOR)
    untested = tuple(
        name for name, verdict in verdicts.items() if verdict in {None, Decision.NOT_TESTED}
    )
    undecided = tuple(name for name in verdicts if name not in {*better, *untested})
    significant = [p for name in better if (p := p_values[name]) is not None]
    largest = max(significant, default=None)
    p_value = p_values[undecided[0]] if undecided else largest
    return _Evidence(better, undecided, untested, p_value, largest)


def _best_first(values: Mapping[str, float], orientation: Orientation) -> list[str]:
    """Return the names best first, ties in their order."""
    ranks = competition_ranks(values, orientation)
    return sorted(ranks, key=ranks.__getitem__)


def _recommend_by_cost(
    evaluation: Evaluation, decision: DeclaredDecision, submitted: Sequence[DecisionOption]
) -> Recommendation | None:
    options = _with_submitted(submitted, tuple(_chosen_options(evaluation, ThresholdRule.COST)))
    costs = {option.classifier: option.cost for option in options or submitted}
    defined_costs = {name: cost for name, cost in costs.items() if cost is not None}
    if not defined_costs or decision.cost is None:
        return None
    ranking = _best_first(defined_costs, Orientation.LOWER)
    prevalence, _ = _prevalences(evaluation)
    costs_of_errors = decision.cost.false_positive, decision.cost.false_negative
    recommendation = _build_recommendation(
        evaluation, "cost", get_measure("expected_cost").name, ranking, submitted, options
    )
    if prevalence is None:
        return recommendation
    return replace(
        recommendation,
        cost_of_none=costs_of_errors[1] * prevalence,
        cost_of_all=costs_of_errors[0] * (1 - prevalence),
        changes=tuple(
            _find_changes(evaluation, recommendation, costs_of_errors[1] / costs_of_errors[0])
        ),
    )


def _with_submitted(
    submitted: Sequence[DecisionOption], options: Sequence[DecisionOption]
) -> tuple[DecisionOption, ...]:
    """Return the chosen options, as submitted for classifiers without scores; empty if none."""
    if not options:
        return ()
    by_name = {option.classifier: option for option in options}
    return tuple(by_name.get(option.classifier, option) for option in submitted)


def _recommend_by_requirement(
    evaluation: Evaluation, submitted: Sequence[DecisionOption]
) -> Recommendation:
    """Recommend, of the classifiers that meet the requirement, that of the highest Youden's J.

    Meeting it by predicting one class for every case does not count.
    """
    optima = tuple(_chosen_options(evaluation, ThresholdRule.CONSTRAINT))
    with_scores = {
        row.classifier for row in evaluation.thresholds if row.rule is ThresholdRule.CONSTRAINT
    }
    # A classifier with scores of which no threshold meets the requirement stays as submitted.
    optimal_options = _with_submitted(submitted, optima) if with_scores else ()
    options = optimal_options or tuple(submitted)
    informedness = {option.classifier: _youden(option) for option in options}
    meeting = {
        option.classifier: informedness[option.classifier]
        for option in options
        if option.meets_requirement and option.single_class is None
    }
    ranking = _best_first(meeting or informedness, Orientation.HIGHER)
    recommendation = _build_recommendation(
        evaluation, "requirement", "youden", ranking, submitted, optimal_options
    )
    return recommendation if meeting else replace(recommendation, recommended=())


def _youden(option: DecisionOption) -> float:
    positives, negatives = option.tp + option.fn, option.fp + option.tn
    if not positives or not negatives:
        return -math.inf
    return option.tp / positives + option.tn / negatives - 1


def _recommend_by_primary_measure(
    evaluation: Evaluation, submitted: Sequence[DecisionOption]
) -> Recommendation | None:
    primary = evaluation.primary_measure
    if primary is None:
        return None
    values = _values_of(evaluation, primary.measure)
    if not values:
        return None
    ranking = _best_first(values, primary.measure.orientation)
    recommendation = _build_recommendation(
        evaluation, "primary measure", primary.measure.name, ranking, submitted, ()
    )
    recommendation = replace(recommendation, average=primary.average)
    if primary.measure.name not in _ACCURACY_MEASURES or primary.average is not None:
        return recommendation
    return replace(recommendation, changes=tuple(_find_changes(evaluation, recommendation, 1.0)))


def _values_of(evaluation: Evaluation, measure: Measure) -> dict[str, float]:
    """Return the values by classifier; the means of fold scores where there are no cases."""
    if evaluation.measured_classifiers:
        scores = {name: evaluation.value(name, measure) for name in evaluation.measured_classifiers}
        return {
            name: score.number
            for name, score in scores.items()
            if score is not None and score.number is not None
        }
    return {
        summary.classifier: summary.mean
        for summary in evaluation.fold_summaries
        if summary.measure == measure.name and summary.is_overall and summary.mean is not None
    }


def _build_recommendation(  # noqa: PLR0913, PLR0917  # the facts and the order of the options
    evaluation: Evaluation,
    criterion: DecisionCriterion,
    measure: str,
    ranking: Sequence[str],
    submitted: Sequence[DecisionOption],
    chosen_options: Sequence[DecisionOption],
) -> Recommendation:
    evidence = _compare_leader(evaluation, ranking, measure, at_decision=bool(chosen_options))
    prevalence, observed = _prevalences(evaluation)
    primary = evaluation.primary_measure
    in_primary = (
        _Evidence((), (), (), None)
        if primary is None
        else _compare_leader(evaluation, ranking, primary.measure.name, at_decision=False)
    )
    order = {name: place for place, name in enumerate(ranking)}

    def in_order(options: Sequence[DecisionOption]) -> tuple[DecisionOption, ...]:
        return tuple(sorted(options, key=lambda item: order.get(item.classifier, len(order))))

    index = _index_of(evaluation, at_decision=bool(chosen_options))
    not_worse = (
        name
        for name in evidence.alternatives
        if name not in in_primary.better_than
        and not any(_is_superior(index.find(other, name, None, measure)) for other in ranking)
    )
    return Recommendation(
        criterion=criterion,
        measure=measure,
        leader=ranking[0],
        recommended=(ranking[0], *not_worse),
        runner_up=ranking[1] if len(ranking) > 1 else None,
        evidence=evidence.summary,
        better_than=evidence.better_than,
        not_significant=evidence.not_significant,
        not_tested=evidence.not_tested,
        p_adjusted=evidence.p_adjusted,
        primary_better_than=in_primary.better_than,
        primary_p_adjusted=in_primary.significant_p,
        prevalence=prevalence,
        observed_prevalence=observed,
        beats_majority=_beats_majority(evaluation, ranking[0]),
        submitted=in_order(submitted),
        chosen=in_order(chosen_options),
        errors=tuple(_error_counts(evaluation, ranking)),
    )


def _error_counts(evaluation: Evaluation, names: Sequence[str]) -> Iterator[ErrorCount]:
    confusion = evaluation.aggregates.confusion
    if confusion is None:
        return
    for name in names:
        matrix = confusion.matrix(name)
        correct = sum(row[place] for place, row in enumerate(matrix))
        cases = sum(map(sum, matrix))
        yield ErrorCount(name, cases - correct, cases)


def _beats_majority(evaluation: Evaluation, classifier: str) -> bool | None:
    baseline = evaluation.majority_baseline
    if baseline is None:
        return None
    positions = {row.classifier: row.position for row in baseline.comparisons}
    return positions[classifier] == "above" if classifier in positions else None


def _recommend_over_datasets(evaluation: Evaluation) -> Recommendation | None:
    comparison = next((row for row in evaluation.datasets if row.primary_measure), None)
    if comparison is None:
        return None
    ranking = _best_first(comparison.mean_ranks, Orientation.LOWER)
    leader, *others = ranking
    verdicts: dict[str, Decision | None] = dict.fromkeys(others)
    p_values: dict[str, float | None] = dict.fromkeys(others)
    for pair in comparison.pairs:
        if leader in {pair.first, pair.second}:
            other = pair.second if pair.first == leader else pair.first
            verdicts[other] = pair.verdict if pair.first == leader else pair.verdict.reversed
            p_values[other] = pair.p_adjusted
    evidence = _summarize_evidence(verdicts, p_values)
    worse = {
        pair.second if pair.verdict is Decision.SUPERIOR else pair.first
        for pair in comparison.pairs
        if pair.verdict.is_decided
    }
    return Recommendation(
        criterion="mean rank",
        measure=comparison.measure.name,
        leader=leader,
        recommended=(leader, *(name for name in evidence.alternatives if name not in worse)),
        runner_up=ranking[1] if others else None,
        evidence=evidence.summary,
        better_than=evidence.better_than,
        not_significant=evidence.not_significant,
        not_tested=evidence.not_tested,
        p_adjusted=evidence.p_adjusted,
    )


# When the answer changes: the cost ratio or prevalence at which another classifier costs less.


def _find_changes(
    evaluation: Evaluation, recommendation: Recommendation, cost_ratio: float
) -> Iterator[DecisionChange]:
    """Yield where the lowest cost passes from the leader to another classifier.

    The ratio and the odds of the prevalence enter the costs as a product, so a limit of the one is
    a limit of the other (Drummond and Holte 2006). Classifiers with scores have the best threshold
    at each ratio.
    """
    prevalence, leader = recommendation.prevalence, recommendation.leader
    hulls = dict(_hulls(evaluation, recommendation))
    if prevalence is None or leader not in hulls or len(hulls) < _PAIR:
        return
    odds = prevalence / (1 - prevalence)
    vertices = list(optimal_vertices(hulls, prevalence))
    place = next(
        index for index, vertex in enumerate(vertices) if vertex.low <= cost_ratio <= vertex.high
    )
    if vertices[place].trivial is None and leader not in vertices[place].classifiers:
        return
    directions: dict[Literal["above", "below"], list[OptimalVertex]] = {
        "above": vertices[place + 1 :],
        "below": vertices[:place][::-1],
    }
    for direction, others in directions.items():
        # Predicting one class for all cases is no other classifier.
        change = next(
            (
                vertex
                for vertex in others
                if vertex.classifiers and leader not in vertex.classifiers
            ),
            None,
        )
        if change is None:
            continue
        limit = change.low if direction == "above" else change.high
        winner = change.classifiers[0]
        yield DecisionChange("cost ratio", direction, limit, winner)
        odds_limit = limit * odds / cost_ratio
        yield DecisionChange("prevalence", direction, odds_limit / (1 + odds_limit), winner)


def _hulls(
    evaluation: Evaluation, recommendation: Recommendation
) -> Iterator[tuple[str, FloatArray]]:
    """Yield the ROC hull of each classifier, or its point where its threshold is fixed."""
    curves, positive = evaluation.aggregates.curves, evaluation.spec.task.positive or ""
    for option in recommendation.options:
        if not option.tp + option.fn or not option.fp + option.tn:
            continue
        steps = (
            curves.cumulative_counts(option.classifier, positive)
            if curves is not None and option.basis != "submitted"
            else None
        )
        counts = (option.tp, option.fn, option.fp, option.tn)
        yield option.classifier, single_point_hull(counts) if steps is None else roc_hull(steps)
