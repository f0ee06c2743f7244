"""Rows of results.json on decisions: the recommendation, its options, curves and cost ranges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

from reportgen.export.rows import ResultModel
from reportgen.spec import About

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.decision import DecisionOption, Recommendation
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.spec import Spec


RecommendationOutcome: TypeAlias = Literal[
    "leader", "significantly worse", "not significant", "not tested", "excluded"
]


class AboutResult(ResultModel):
    """What the report is about, as the spec has it."""

    description: str | None
    """A sentence about the classifiers or the occasion."""
    authors: str | None
    """The people or the department responsible, separated by semicolons."""
    date: str | None
    """The date of the evaluation, as in 2026-11-17."""
    version: str | None
    """The version of the classifiers or of the evaluation."""
    data: str | None
    """Where the cases come from."""
    unit: str | None
    """What the cases are called, in the plural."""
    intended_use: str | None = None
    """What the classifiers are for."""
    limitations: str | None = None
    """What the data do not cover, separated by semicolons."""
    tags: str | None = None
    """The tags of the report on the site, separated by semicolons."""


class RecommendationResult(ResultModel):
    """A classifier and whether it is recommended, in the order of the criterion."""

    classifier: str
    """The classifier."""
    recommended: bool
    """Whether it is the one to use, or one of those of which none is shown to be better."""
    outcome: RecommendationOutcome
    """The test against the leader; excluded: the requirement is not met."""
    worse_in_primary: bool
    """Whether it is significantly worse than the leader in the primary measure."""


class DecisionResult(ResultModel):
    """What a classifier is recommended by, and how sure that is."""

    criterion: Literal["cost", "requirement", "primary measure", "mean rank"]
    """What it is recommended by."""
    measure: str
    """The measure that was tested."""
    average: str | None
    """The average over the classes, if any."""
    leader: str
    """The classifier with the best value of the criterion."""
    runner_up: str | None
    """The classifier with the second best value of the criterion."""
    evidence: Literal[
        "significant", "not significant", "partly significant", "not tested", "only classifier"
    ]
    """Whether the leader is significantly better than every other, than none or than some."""
    p_adjusted: float | None
    """The largest adjusted p-value of the significant differences, else that of the closest."""
    primary_p_adjusted: float | None
    """The largest adjusted p-value of the significant differences in the primary measure."""
    prevalence: float | None
    """The prevalence that costs and natural frequencies are about."""
    observed_prevalence: float | None
    """The prevalence in the data."""
    cost_of_none: float | None
    """The cost by case of predicting no case positive."""
    cost_of_all: float | None
    """The cost by case of predicting every case positive."""
    beats_majority: bool | None
    """Whether the leader's accuracy is significantly above the share of the largest class."""


class DecisionOptionResult(ResultModel):
    """A classifier as submitted, or at the threshold by the costs or the requirement."""

    classifier: str
    """The classifier."""
    basis: Literal["submitted", "cost", "requirement"]
    """How its threshold was chosen."""
    threshold: float | None
    """The threshold; null: infinite, or unknown."""
    tp: int | float
    """True positives."""
    fn: int | float
    """False negatives: misses."""
    fp: int | float
    """False positives: false alarms."""
    tn: int | float
    """True negatives."""
    per: int | None = None
    """The number of cases that the natural frequencies are about."""
    prevalence: float | None = None
    """Their prevalence."""
    expected_tp: float | None = None
    """The expected number of true positives among `per` cases."""
    expected_fn: float | None = None
    """The expected number of misses among `per` cases."""
    expected_fp: float | None = None
    """The expected number of false alarms among `per` cases."""
    expected_tn: float | None = None
    """The expected number of true negatives among `per` cases."""
    cost: float | None
    """The expected cost by case at this prevalence; null: no costs are declared."""
    cost_low: float | None
    """The lower confidence limit of the cost, corrected for the choice of the threshold."""
    cost_high: float | None
    """The upper confidence limit of the cost."""
    meets_requirement: bool | None
    """Whether the requirement is met on these cases; null: none is declared."""
    single_class: str | None
    """The class predicted for every case, if it is only one."""


class DecisionChangeResult(ResultModel):
    """The cost ratio or prevalence beyond which another classifier has the lowest cost."""

    quantity: Literal["cost ratio", "prevalence"]
    """The cost of a false negative divided by that of a false positive, or the prevalence."""
    direction: Literal["above", "below"]
    """On which side of the limit the other classifier has the lowest cost."""
    limit: float
    """The limit, an estimate without a test."""
    classifier: str
    """The other classifier."""


class DecisionValueResult(ResultModel):
    """The value of a measure at the threshold by the declared costs or requirement."""

    classifier: str
    """The classifier."""
    measure: str
    """The measure."""
    value: float | None
    """The value; null: undefined or infinite."""
    low: float | None
    """The lower confidence limit, not corrected for the choice of the threshold."""
    high: float | None
    """The upper confidence limit."""


class ErrorCountResult(ResultModel):
    """The number of wrong predictions of a classifier as submitted."""

    classifier: str
    """The classifier."""
    errors: int | float
    """The number of wrong predictions."""
    cases: int | float
    """The number of cases."""


def about_rows(spec: Spec) -> Iterator[AboutResult]:
    """Yield what the report is about, if the spec has it."""
    about = spec.about
    if about == About():
        return
    yield AboutResult(
        description=about.description,
        authors="; ".join(about.authors) or None,
        date=None if about.date is None else about.date.isoformat(),
        version=about.version,
        data=about.data,
        unit=about.unit,
        intended_use=about.intended_use,
        limitations="; ".join(about.limitations) or None,
        tags="; ".join(about.tags) or None,
    )


def decision_rows(evaluation: Evaluation) -> Iterator[DecisionResult]:
    """Yield what is recommended by, if there is a recommendation."""
    if evaluation.recommendation is not None:
        yield DecisionResult.model_validate(evaluation.recommendation)


def recommendation_rows(evaluation: Evaluation) -> Iterator[RecommendationResult]:
    """Yield the classifiers with the outcome of the test against the leader, the leader first."""
    facts = evaluation.recommendation
    if facts is None:
        return
    compared_names = (facts.leader, *facts.better_than, *facts.not_significant, *facts.not_tested)
    groups: tuple[tuple[RecommendationOutcome, tuple[str, ...]], ...] = (
        ("leader", (facts.leader,)),
        ("significantly worse", facts.better_than),
        ("not significant", facts.not_significant),
        ("not tested", facts.not_tested),
        (
            "excluded",
            tuple(
                option.classifier
                for option in facts.options
                if option.classifier not in compared_names
            ),
        ),
    )
    for outcome, names in groups:
        for name in names:
            yield RecommendationResult(
                classifier=name,
                recommended=name in facts.recommended,
                outcome=outcome,
                worse_in_primary=name in facts.primary_better_than,
            )


def decision_option_rows(recommendation: Recommendation | None) -> Iterator[DecisionOptionResult]:
    """Yield the classifiers as submitted, then at chosen thresholds that differ."""
    if recommendation is None:
        return
    options = (option for option in recommendation.chosen if option.basis != "submitted")
    yield from map(_option_row, (*recommendation.submitted, *options))


def _option_row(option: DecisionOption) -> DecisionOptionResult:
    frequencies = option.frequencies
    expected = (
        {}
        if frequencies is None
        else {
            "per": frequencies.per,
            "prevalence": frequencies.prevalence,
            "expected_tp": frequencies.tp,
            "expected_fn": frequencies.fn,
            "expected_fp": frequencies.fp,
            "expected_tn": frequencies.tn,
        }
    )
    infinite = option.threshold is not None and math.isinf(option.threshold)
    option_fields = {
        name: getattr(option, name)
        for name in DecisionOptionResult.model_fields
        if hasattr(option, name)
    }
    if infinite:
        option_fields["threshold"] = None
    return DecisionOptionResult.model_validate({**option_fields, **expected})


def decision_value_rows(evaluation: Evaluation) -> Iterator[DecisionValueResult]:
    """Yield the values at the thresholds of the decision."""
    for (classifier, measure), value in evaluation.decision_values.items():
        yield DecisionValueResult(
            classifier=classifier,
            measure=measure,
            value=value.value,
            low=value.low,
            high=value.high,
        )


def error_count_rows(recommendation: Recommendation | None) -> Iterator[ErrorCountResult]:
    """Yield the numbers of wrong predictions."""
    counts = () if recommendation is None else recommendation.errors
    yield from map(ErrorCountResult.model_validate, counts)


def decision_change_rows(
    recommendation: Recommendation | None,
) -> Iterator[DecisionChangeResult]:
    """Yield where the answer changes."""
    changes = () if recommendation is None else recommendation.changes
    yield from map(DecisionChangeResult.model_validate, changes)


class DecisionContextResult(ResultModel):
    """The prevalence and the costs that the decision curves refer to."""

    prevalence: float
    """The prevalence of use, or else that of the data."""
    is_declared: bool
    """Whether the spec declares the prevalence."""
    cost_ratio: float | None
    """The declared cost of a false negative relative to a false positive; null: none declared."""
    declared_threshold: float | None
    """The threshold probability of these costs, FP / (FP + FN); null: none declared."""
    declared_probability_cost: float | None
    """The probability-cost of these costs at the prevalence; null: none declared."""


class DecisionCurvePointResult(ResultModel):
    """A point of a decision curve, of a cost curve or of cumulative gains."""

    kind: Literal["net_benefit", "cost", "gains"]
    """The curve: net benefit over threshold probability (Vickers and Elkin 2006), normalised
    expected cost over probability-cost (Drummond and Holte 2006), or share of positives over the
    fraction of cases with the highest scores."""
    classifier: str | None
    """The classifier; null: all cases are treated (net_benefit), or the better of predicting none
    and all cases as positive (cost)."""
    x: float
    """The threshold probability, the probability-cost or the fraction of cases."""
    y: float
    """The net benefit per case, the normalised expected cost or the share of positives."""


class CostRangeResult(ResultModel):
    """The cost ratios at which a classifier has the lowest expected cost; not tested."""

    classifier: str | None
    """The classifier, several of which may share a range; null: `trivial`."""
    trivial: Literal["none", "all"] | None
    """What costs least without a classifier: predicting none or all cases as positive."""
    low: float
    """The lowest cost of a false negative relative to a false positive."""
    high: float | None
    """The highest cost of a false negative relative to a false positive; null: no limit."""


class TopFractionResult(ResultModel):
    """The positives among a fraction of the cases with the highest scores."""

    classifier: str
    """The classifier."""
    fraction: float
    """The fraction of cases."""
    gain: float
    """The share of all positives among them."""
    lift: float
    """The proportion of positives among them relative to the prevalence."""


class ConstrainedRateResult(ResultModel):
    """The highest value of a rate among thresholds at which another reaches a minimum."""

    classifier: str
    """The classifier."""
    rate: Literal["sensitivity", "specificity"]
    """The rate."""
    condition: Literal["sensitivity", "specificity"]
    """The rate that has a minimum."""
    minimum: float
    """The minimum."""
    value: float | None
    """The highest value; null: no threshold reaches the minimum."""


class NaturalFrequencyResult(ResultModel):
    """The expected counts among a round number of cases at the prevalence of use."""

    classifier: str
    """The classifier."""
    rule: Literal["youden", "f1", "cost", "constraint"] | None
    """The rule of the threshold; null: the predictions as submitted."""
    per: int
    """The number of cases."""
    tp: float
    """Expected true positives."""
    fn: float
    """Expected false negatives."""
    fp: float
    """Expected false positives."""
    tn: float
    """Expected true negatives."""
    sensitivity: float
    """Sensitivity."""
    specificity: float
    """Specificity."""
    precision: float | None
    """The precision at the prevalence; null: no case is predicted positive."""
    youden: float
    """Youden's J."""
    cost_per_case: float | None
    """The cost per case at the prevalence; null: no costs are declared."""


def decision_context_rows(evaluation: Evaluation) -> Iterator[DecisionContextResult]:
    """Yield the prevalence and the costs of the curves, if there are curves."""
    if evaluation.decisions is not None:
        yield DecisionContextResult.model_validate(evaluation.decisions)


def decision_curve_rows(evaluation: Evaluation) -> Iterator[DecisionCurvePointResult]:
    """Yield the points of all curves."""
    analysis = evaluation.decisions
    if analysis is None:
        return
    curves = (
        *(
            ("net_benefit", curve.classifier, curve.thresholds, curve.net_benefit)
            for curve in analysis.net_benefit
        ),
        *(
            ("cost", curve.classifier, curve.probability_cost, curve.cost)
            for curve in analysis.cost_curves
        ),
        *(("gains", curve.classifier, curve.fractions, curve.gains) for curve in analysis.gains),
    )
    for kind, classifier, xs, ys in curves:
        for x, y in zip(xs, ys, strict=True):
            yield DecisionCurvePointResult.model_validate(
                {"kind": kind, "classifier": classifier, "x": x, "y": y}
            )


def cost_range_rows(evaluation: Evaluation) -> Iterator[CostRangeResult]:
    """Yield the ranges of cost ratios, a row per classifier that shares a range."""
    for range_ in evaluation.decisions.cost_ranges if evaluation.decisions else ():
        for name in range_.classifiers or (None,):
            yield CostRangeResult(
                classifier=name, trivial=range_.trivial, low=range_.low, high=range_.high
            )


def top_fraction_rows(evaluation: Evaluation) -> Iterator[TopFractionResult]:
    """Yield cumulative gain and lift."""
    for row in evaluation.decisions.top_fractions if evaluation.decisions else ():
        yield TopFractionResult.model_validate(row)


def constrained_rate_rows(evaluation: Evaluation) -> Iterator[ConstrainedRateResult]:
    """Yield sensitivity at given specificities, and the reverse."""
    for row in evaluation.decisions.constrained_rates if evaluation.decisions else ():
        yield ConstrainedRateResult.model_validate(row)


def natural_frequency_rows(evaluation: Evaluation) -> Iterator[NaturalFrequencyResult]:
    """Yield the natural frequencies, as submitted and at every chosen threshold."""
    for row in evaluation.decisions.frequencies if evaluation.decisions else ():
        expected = row.frequencies
        yield NaturalFrequencyResult(
            classifier=row.classifier,
            rule=None if row.rule is None else row.rule.value,
            per=expected.per,
            tp=expected.tp,
            fn=expected.fn,
            fp=expected.fp,
            tn=expected.tn,
            sensitivity=row.sensitivity,
            specificity=row.specificity,
            precision=row.precision,
            youden=row.youden,
            cost_per_case=row.cost_per_case,
        )
