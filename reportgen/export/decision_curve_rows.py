"""Rows of results.json on decisions: curves, cost ranges, gains, natural frequencies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from reportgen.export.rows import ResultModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.evaluation import Evaluation


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
            ("net_benefit", each.classifier, each.thresholds, each.net_benefit)
            for each in analysis.net_benefit
        ),
        *(
            ("cost", each.classifier, each.probability_cost, each.cost)
            for each in analysis.cost_curves
        ),
        *(("gains", each.classifier, each.fractions, each.gains) for each in analysis.gains),
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
