"""Statistics of operating points: counts at thresholds that measures with a parameter choose.

Their covariances come from a bootstrap of the cases, the same resamples for all classifiers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.influence import INFLUENCE_SCHEMA, InfluenceCovariances
from reportgen.measures.formula.evaluate import evaluate_formula
from reportgen.measures.measure import MeasureFamily, OperatingPointRule
from reportgen.statistics.operating_points import (
    CountsByThreshold,
    RankedCases,
    best_under_constraint,
    largest_rate_difference,
    partial_roc_area,
    rate_difference_optimism,
    rate_difference_variance,
    resample_case_weights,
    true_positives_in_top,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.aggregates.design import SampleDesign
    from reportgen.aggregates.scored_cases import ScoredCases
    from reportgen.measures import Measure
    from reportgen.spec.inference import IntervalSettings
    from reportgen.statistics import FloatArray

KEYS = ("classifier", "fold", "class")
MIN_DRAWS = 2


@dataclass(frozen=True, slots=True)
class OperatingPointPlan:
    """The measures of operating points that a spec names, and how they are resampled."""

    measures: tuple[Measure, ...] = ()
    n_resamples: int = 0
    seed: int = 0

    @classmethod
    def from_measures(
        cls, measures: Sequence[Measure], settings: IntervalSettings
    ) -> OperatingPointPlan:
        """Return the plan for those of some measures that are taken at an operating point."""
        point_measures = [
            measure for measure in measures if measure.family is MeasureFamily.OPERATING_POINT
        ]
        return cls(tuple(dict.fromkeys(point_measures)), settings.draws, settings.seed)


NO_OPERATING_POINTS = OperatingPointPlan()


@dataclass(frozen=True, slots=True)
class OperatingPointStatistics:
    """The quantities of the measures by classifier, fold and class, and how the values vary.

    `optimism` is the expected excess of a maximum over thresholds, by classifier and measure.
    """

    frame: pl.DataFrame
    covariances: InfluenceCovariances
    optimism: Mapping[tuple[str, str], float]

    def values(self, measure: Measure) -> dict[str, float]:
        """Return the defined values of a measure over all folds, by classifier."""
        pooled = self.frame.filter(pl.col("fold").is_null())
        quantities = {name: pooled[name].to_numpy() for name in pooled.columns if name not in KEYS}
        values = evaluate_formula(measure.formula, quantities)
        values_by_classifier = zip(pooled["classifier"], values.tolist(), strict=True)
        return {name: value for name, value in values_by_classifier if np.isfinite(value)}

    @classmethod
    def concat(cls, parts: Sequence[OperatingPointStatistics]) -> OperatingPointStatistics | None:
        """Return the statistics of several classifiers that were counted separately."""
        if not parts:
            return None
        return cls(
            pl.concat([part.frame for part in parts]),
            InfluenceCovariances(pl.concat([part.covariances.frame for part in parts])),
            {key: excess for part in parts for key, excess in part.optimism.items()},
        )


def aggregate_operating_points(
    cases: ScoredCases, plan: OperatingPointPlan, design: SampleDesign | None = None
) -> OperatingPointStatistics | None:
    """Return the statistics of a binary task, or None if no measure asks for them.

    With a design clusters are resampled instead of cases, and cases count by their weight.
    """
    if not plan.measures or len(cases.ranked_classes) != 1:
        return None
    (class_,) = cases.ranked_classes
    is_positive = cases.is_class(class_).astype(np.float64)
    counts = np.ones(len(is_positive)) if cases.counts is None else cases.counts
    counts = counts if design is None else counts * design.case_weights
    rows = []
    for scores in cases.classifiers:
        for fold, selection in scores.fold_masks():
            ranking = RankedCases.from_scores(
                scores.ranking_scores[selection, 0], is_positive[selection]
            )
            quantities = _quantities(plan, ranking.cumulate(counts[selection][None, :]))
            single = {name: float(values[0]) for name, values in quantities.items()}
            rows.append(dict(zip(KEYS, (scores.classifier, fold, class_), strict=True)) | single)
    frame = pl.DataFrame(rows, schema_overrides=dict.fromkeys(KEYS, pl.String))
    return OperatingPointStatistics(frame, *_resample(cases, plan, is_positive, frame, design))


def _quantities(plan: OperatingPointPlan, counts: CountsByThreshold) -> dict[str, FloatArray]:
    """Return the quantities of all measures, a number per sample."""
    quantities = {"positives": counts.positives, "negatives": counts.negatives}
    for measure in plan.measures:
        parts = _operating_point(measure, counts)
        quantities |= {f"{measure.name}:{part}": values for part, values in parts.items()}
    return quantities


def _operating_point(measure: Measure, counts: CountsByThreshold) -> dict[str, FloatArray]:
    parameter = measure.parameter
    if parameter is None:
        raise LookupError(measure.name)
    cases = counts.positives + counts.negatives
    match parameter.rule:
        case OperatingPointRule.CONSTRAINT:
            tp, fp = best_under_constraint(
                counts, parameter.target, parameter.condition, parameter.value
            )
            return {"tp": tp, "fp": fp}
        case OperatingPointRule.MAXIMUM_DIFFERENCE:
            tp, fp = largest_rate_difference(counts)
            return {"tp": tp, "fp": fp}
        case OperatingPointRule.TOP_CASES:
            size = np.minimum(parameter.value, cases)
            return {"tp": true_positives_in_top(counts, size), "k": size}
        case OperatingPointRule.TOP_FRACTION:
            return {"tp": true_positives_in_top(counts, parameter.value * cases)}
        case OperatingPointRule.PARTIAL_AREA:
            return {"area": partial_roc_area(counts, parameter.value)}


def _resample(
    cases: ScoredCases,
    plan: OperatingPointPlan,
    is_positive: FloatArray,
    frame: pl.DataFrame,
    design: SampleDesign | None,
) -> tuple[InfluenceCovariances, dict[tuple[str, str], float]]:
    """Return covariances and optimism of the values over resamples with cases of both classes."""
    names = [scores.classifier for scores in cases.classifiers]
    rankings = [
        RankedCases.from_scores(scores.ranking_scores[:, 0], is_positive)
        for scores in cases.classifiers
    ]
    counts = np.ones(len(is_positive)) if cases.counts is None else cases.counts
    counts = counts if design is None else counts * design.case_weights
    observed = [ranking.cumulate(counts[None, :]) for ranking in rankings]
    blocks: list[FloatArray] = []
    excesses: list[FloatArray] = []
    for resampled in resample_case_weights(
        cases.counts,
        len(is_positive),
        n_resamples=plan.n_resamples,
        seed=plan.seed,
        clusters=None if design is None else design.clusters,
    ):
        weights = resampled if design is None else resampled * design.case_weights
        resamples = [ranking.cumulate(weights) for ranking in rankings]
        quantities = [_quantities(plan, own) for own in resamples]
        blocks.append(
            np.array(
                [
                    [evaluate_formula(measure.formula, own) for measure in plan.measures]
                    for own in quantities
                ]
            )
        )
        if any(map(_is_maximum, plan.measures)):
            point_pairs = zip(resamples, observed, strict=True)
            excesses.append(np.array([rate_difference_optimism(*pair) for pair in point_pairs]))
    # By classifier, measure and resample.
    values = np.concatenate(blocks, axis=2) if blocks else np.empty((len(names), 0, 0))
    excess = _finite_means(np.concatenate(excesses, axis=1)) if excesses else np.empty(0)
    rows: list[tuple[str | float | None, ...]] = []
    optimism: dict[tuple[str, str], float] = {}
    for at, measure in enumerate(plan.measures):
        own = values[:, at]
        # A resample counts where every classifier has a value in it.
        own = own[:, np.isfinite(own).all(axis=0)]
        if own.shape[1] < MIN_DRAWS:
            continue
        matrix = np.atleast_2d(np.cov(own))
        if _is_maximum(measure):
            matrix = _scale_to_variances(matrix, _maximum_variances(measure, frame))
            optimism |= {
                (name, measure.name): float(own_excess)
                for name, own_excess in zip(names, excess, strict=True)
            }
        matrix = matrix * _bessel_factor(measure, frame)
        for first, second in combinations_with_replacement(range(len(names)), 2):
            key = measure.name, None, None, names[first], names[second]
            rows.append((*key, float(matrix[first, second])))
    return InfluenceCovariances(pl.DataFrame(rows, INFLUENCE_SCHEMA, orient="row")), optimism


def _finite_means(rows: FloatArray) -> FloatArray:
    """Return the mean of the numbers of each row; NaN for a row without any."""
    defined = np.isfinite(rows)
    with np.errstate(invalid="ignore"):
        means = np.where(defined, rows, 0.0).sum(axis=1) / defined.sum(axis=1)
    return np.asarray(means, dtype=np.float64)


def _bessel_factor(measure: Measure, frame: pl.DataFrame) -> float:
    """Return Bessel's correction for the few negatives within the range of a partial area."""
    parameter = measure.parameter
    if parameter is None or parameter.rule is not OperatingPointRule.PARTIAL_AREA:
        return 1.0
    within = parameter.value * float(frame.filter(pl.col("fold").is_null())["negatives"][0])
    return within / (within - 1) if within > 1 else 1.0


def _is_maximum(measure: Measure) -> bool:
    parameter = measure.parameter
    return parameter is not None and parameter.rule is OperatingPointRule.MAXIMUM_DIFFERENCE


def _maximum_variances(measure: Measure, frame: pl.DataFrame) -> FloatArray:
    """Return the variances at the thresholds of the maxima, by classifier."""
    names = f"{measure.name}:tp", f"{measure.name}:fp", "positives", "negatives"
    rows = frame.filter(pl.col("fold").is_null()).select(names).rows()
    return np.array([rate_difference_variance(*row) if min(row[2:]) > 0 else 0.0 for row in rows])


def _scale_to_variances(matrix: FloatArray, least: FloatArray) -> FloatArray:
    """Return covariances with the same correlations and variances that are at least given ones.

    Each resample chooses its own threshold, so that a maximum varies less among them than the
    difference at one threshold, which is the asymptotic variance of the maximum.
    """
    own = np.diag(matrix)
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(own > 0, np.sqrt(np.maximum(own, least) / own), 1.0)
    return np.asarray(matrix * factor[:, None] * factor[None, :])
