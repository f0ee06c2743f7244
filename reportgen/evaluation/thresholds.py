"""All measures over all thresholds of a score, and the thresholds that serve an aim best."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from reportgen.aggregates.threshold_choice import (
    ThresholdGrid,
    ThresholdObjective,
    ThresholdRule,
    build_threshold_objective,
    requested_rules,
)
from reportgen.evaluation.values import MeasureValue, ValueState, evaluate_measures
from reportgen.measures import get_measure
from reportgen.measures.formula.compile import as_polars
from reportgen.statistics.parallel import run_in_thread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.aggregates.curves import CumulativeCounts, ScoreCurves
    from reportgen.measures import Measure
    from reportgen.spec import Spec
    from reportgen.spec.inference import IntervalSettings


# The search for a best threshold, and how it comes out when it is repeated on resamples.

if TYPE_CHECKING:
    _FloatArray: TypeAlias = npt.NDArray[np.float64]
    _IntArray: TypeAlias = npt.NDArray[np.int64]

# The threshold is far less sure than to one place in so many.
MAX_CANDIDATE_THRESHOLDS = 1_000
# The first resamples search all candidates, the others those near the optima of the first.
PILOT_RESAMPLES = 200
# So many numbers at once stay in the processor.
MAX_THRESHOLD_CELLS, THRESHOLD_CELLS_PER_BLOCK = 20_000_000, 100_000


@dataclass(frozen=True, slots=True)
class BootstrapOptimum:
    """Between which limits threshold and value fall when the search is repeated.

    `optimism` is how much the search overstates the objective on average: its value in a resample
    minus that of the same threshold on all cases (Efron and Gong 1983).
    """

    threshold_interval: tuple[float | None, float | None]
    objective_interval: tuple[float | None, float | None]
    optimism: float | None
    n_resamples: int
    n_infeasible: int


def bootstrap_optimal_threshold(
    grid: ThresholdGrid,
    objectives: Sequence[ThresholdObjective],
    intervals: IntervalSettings,
    weight: float = 1.0,
) -> tuple[BootstrapOptimum, ...]:
    """Resample the cases and repeat the search (bootstrap).

    The interval of the objective is that of the threshold chosen on all cases, corrected for the
    optimism of the choice: how its value varies in the resamples, plus how the values of the
    thresholds that the resamples choose vary on all cases, minus the optimism.
    """
    candidates = ThresholdCandidates(*grid.take(thin_candidates(len(grid))))
    draws = max(1, min(intervals.draws, MAX_THRESHOLD_CELLS // len(candidates.threshold)))
    pilot = min(PILOT_RESAMPLES, draws)
    generator = np.random.default_rng(intervals.seed)
    first = _resample_optima(candidates, objectives, generator, pilot, weight)
    near = candidates.near([outcomes[0] for outcomes in first], pilot)
    rest = _resample_optima(near, objectives, generator, draws - pilot, weight)
    return tuple(
        _percentile_intervals(np.concatenate(parts, axis=1), draws, intervals.level)
        for parts in zip(first, rest, strict=True)
    )


@dataclass(frozen=True, slots=True)
class ThresholdCandidates:
    """Thresholds from the highest down, the first infinite, with true and false positives."""

    threshold: _FloatArray
    tp: _IntArray
    fp: _IntArray

    def near(self, chosen: Sequence[_FloatArray], n_resamples: int) -> ThresholdCandidates:
        """Return the candidates near the thresholds that each objective chose in resamples.

        On both sides of them as many candidates again are kept as there are from the first to the
        last, and both ends of the grid, so that the counts of all cases are known. All are kept
        for an objective that most resamples could not reach.
        """
        size = len(self.threshold)
        is_near = np.zeros(size, dtype=np.bool_)
        is_near[[0, -1]] = True
        for thresholds in chosen:
            if 2 * len(thresholds) < n_resamples:
                return self
            places = np.searchsorted(-self.threshold, -thresholds)
            first, last = int(places.min()), int(places.max())
            margin = last - first + 1
            is_near[max(first - margin, 0) : last + margin + 1] = True
        return ThresholdCandidates(self.threshold[is_near], self.tp[is_near], self.fp[is_near])


def _resample_optima(
    candidates: ThresholdCandidates,
    objectives: Sequence[ThresholdObjective],
    generator: np.random.Generator,
    n_resamples: int,
    weight: float,
) -> list[_FloatArray]:
    """Return the threshold, the corrected objective and the excess of each resample.

    One array for each objective, a column per resample in which a threshold reaches it.
    """
    threshold, tp, fp = candidates.threshold, candidates.tp, candidates.fp
    optima: list[list[_FloatArray]] = [[np.empty((3, 0))] for _ in objectives]
    on_all_cases = [search.on_grid(confusion_counts_by_threshold(tp, fp)) for search in objectives]
    for sample in _prefetch(_bootstrap_samples(tp, fp, n_resamples, generator, weight)):
        counts = confusion_counts_by_threshold(*(side.cumsum(axis=1) for side in sample))
        for search, outcomes, (optimum, apparent_values) in zip(
            objectives, optima, on_all_cases, strict=True
        ):
            best, objective_values = search.optimize(counts)
            at_chosen = search.value({name: count[:, optimum] for name, count in counts.items()})
            corrected = apparent_values[best] + at_chosen - apparent_values[optimum]
            outcomes.append(
                np.stack([threshold[best], corrected, objective_values - apparent_values[best]])[
                    :, best >= 0
                ]
            )
    return [np.concatenate(outcomes, axis=1) for outcomes in optima]


def _bootstrap_samples(
    tp: _IntArray, fp: _IntArray, n_resamples: int, generator: np.random.Generator, weight: float
) -> Iterator[tuple[_IntArray, ...]]:
    """Yield blocks of draws: the cases of both classes that have each score.

    Class sizes vary as in samples of cases: F1 and costs depend on the prevalence.
    """
    cells = np.concatenate([np.diff(counts, prepend=0) for counts in (tp, fp)])
    size = max(1, round(float(cells.sum()) * weight))
    at_once = max(1, THRESHOLD_CELLS_PER_BLOCK // len(tp))
    for start in range(0, n_resamples, at_once):
        rows = min(at_once, n_resamples - start)
        resampled_cells = generator.multinomial(size, cells / cells.sum(), size=rows)
        yield resampled_cells[:, : len(tp)], resampled_cells[:, len(tp) :]


def _prefetch(samples: Iterator[tuple[_IntArray, ...]]) -> Iterator[tuple[_IntArray, ...]]:
    """Yield what is drawn while more is drawn in a thread, in the same order."""
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, samples, None)
        while (block := coming.result()) is not None:
            coming = thread.submit(next, samples, None)
            yield block


def thin_candidates(n_thresholds: int) -> _IntArray:
    """Return the places of scores to keep: all, or as many as matter, the ends among them."""
    if n_thresholds <= MAX_CANDIDATE_THRESHOLDS:
        return np.arange(n_thresholds)
    return np.unique(
        np.linspace(0, n_thresholds - 1, MAX_CANDIDATE_THRESHOLDS).round().astype(np.int64)
    )


def _percentile_intervals(
    outcomes: _FloatArray, n_resamples: int, level: float
) -> BootstrapOptimum:
    n_defined = outcomes.shape[1]
    if not n_defined:
        return BootstrapOptimum((None, None), (None, None), None, n_resamples, n_resamples)
    tails = ((1 - level) / 2, (1 + level) / 2)
    threshold, corrected, excess = outcomes
    # Only values that occurred: between a threshold and infinity lies nothing.
    limits = np.quantile(threshold, tails, method="inverted_cdf")
    optimism = float(np.nanmean(excess))
    low, high = np.nanquantile(corrected, tails) - optimism
    return BootstrapOptimum(
        (float(limits[0]), float(limits[1])),
        (float(low), float(high)),
        optimism,
        n_resamples,
        n_resamples - n_defined,
    )


def confusion_counts_by_threshold(tp: _IntArray, fp: _IntArray) -> dict[str, _FloatArray]:
    """Return the four counts at each threshold (last axis), from the highest down."""
    true, false = tp.astype(np.float64), fp.astype(np.float64)
    return {"tp": true, "fp": false, "fn": true[..., -1:] - true, "tn": false[..., -1:] - false}


THRESHOLD_KEYS = ("classifier", "class", "threshold")
THRESHOLD_MEASURES = ("sensitivity", "specificity", "precision", "f1", "youden")
# A double has at most 17 significant digits; the smallest ones begin after 307 zeros.
_MAX_DECIMALS = 330
OPTIMUM_BOOTSTRAP = "optimism-corrected bootstrap"


# What is made as high as possible, where it is a measure.
OBJECTIVE_MEASURES = {
    ThresholdRule.YOUDEN: "youden",
    ThresholdRule.F1: "f1",
    ThresholdRule.CONSTRAINT: "youden",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimalThreshold:
    """The threshold that serves an aim best on these cases, and what it would count.

    `threshold` is infinite where nothing would be predicted as the class; it and the counts are
    None where no threshold reaches what was asked. `achieved` is Youden's index, F1 or the cost
    per case at the threshold, on the cases that it was chosen on; its interval is about the
    threshold on new cases: the search is repeated in each resample, and the `optimism` of the
    choice subtracted. The interval need not contain the value.
    """

    classifier: str
    class_: str
    rule: ThresholdRule
    threshold: float | None = None
    rounded: float | None = None
    """The threshold with the fewest digits that predicts the same cases as positive."""
    threshold_low: float | None = None
    threshold_high: float | None = None
    tp: float | None = None
    fn: float | None = None
    fp: float | None = None
    tn: float | None = None
    achieved: float | None = None
    achieved_low: float | None = None
    achieved_high: float | None = None
    optimism: float | None = None
    cost_per_case: float | None = None
    draws: int = 0
    unmet_draws: int = 0
    """In how many resamples no threshold reached what was asked."""
    values: tuple[tuple[str, MeasureValue], ...] = ()
    """The measures worth seeing at the threshold, by name."""


def measures_by_threshold(
    cumulative_counts: pl.LazyFrame, measures: Sequence[Measure]
) -> pl.LazyFrame:
    """Return the four counts and every measure at every step; null where undefined."""
    counts = cumulative_counts.select(
        *THRESHOLD_KEYS,
        "tp",
        fn=pl.col("positives") - pl.col("tp"),
        fp=pl.col("fp"),
        tn=pl.col("negatives") - pl.col("fp"),
    )
    return counts.with_columns(
        _measure_expression(measure).fill_nan(None).alias(measure.name) for measure in measures
    )


def optimize_thresholds(
    curves: ScoreCurves, spec: Spec, weights: Mapping[str, float]
) -> tuple[OptimalThreshold, ...]:
    """Choose a threshold by every rule for every classifier whose cases are of both classes.

    Of thresholds that are equally good the highest is chosen. The weight of a classifier is below
    1 where its cases were predicted several times.
    """
    searches = {rule: build_threshold_objective(rule, spec) for rule in requested_rules(spec)}
    return tuple(
        optimum
        for classifier, weight in weights.items()
        for optimum in _optimize_classifier(curves, classifier, searches, spec, weight)
    )


def _optimize_classifier(
    curves: ScoreCurves,
    classifier: str,
    objectives: Mapping[ThresholdRule, ThresholdObjective],
    spec: Spec,
    weight: float,
) -> Iterator[OptimalThreshold]:
    curve = next(curves.by_class(classifier), None)
    if curve is None or not curve[1].positives or not curve[1].negatives:
        return
    class_, grid = curve[0], ThresholdGrid(curve[1])
    # Drawing takes one core; the other is free to search among all thresholds.
    optima = run_in_thread(
        bootstrap_optimal_threshold, grid, tuple(objectives.values()), spec.intervals, weight
    )
    best = [search.optimize_grid(grid) for search in objectives.values()]
    for rule, (place, achieved), repeats in zip(objectives, best, optima.result(), strict=True):
        optimal_threshold = OptimalThreshold(
            classifier=classifier,
            class_=class_,
            rule=rule,
            draws=repeats.n_resamples,
            unmet_draws=repeats.n_infeasible,
        )
        optimum = replace(optimal_threshold, achieved=achieved)
        yield (
            optimal_threshold
            if place < 0
            else _describe_optimum(place, grid, repeats, optimum, spec)
        )


def shortest_threshold(counts: CumulativeCounts, threshold: float) -> float:
    """Return the threshold with the fewest digits that predicts the same cases as positive.

    It is at most the threshold, and above the next lower score. A threshold that is no score, such
    as 0.5, is returned as it is.
    """
    if not math.isfinite(threshold):
        return threshold
    above = int(np.searchsorted(-counts.threshold, -threshold, side="right"))
    if above == 0 or counts.threshold[above - 1] != threshold:
        return threshold
    lower = float(counts.threshold[above]) if above < len(counts.threshold) else -math.inf
    exact = Decimal(threshold)
    # No candidate has more digits than the threshold itself, such as 0.4169 for 0.417, which is
    # stored as a little less.
    own_digits = max(0, -int(Decimal(repr(threshold)).as_tuple().exponent))
    for digits in range(-exact.adjusted() if exact else 0, min(_MAX_DECIMALS, own_digits + 1)):
        candidate = float(exact.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_FLOOR))
        if lower < candidate <= threshold:
            return candidate
    return threshold


def _describe_optimum(
    index: int,
    grid: ThresholdGrid,
    bootstrap: BootstrapOptimum,
    optimum: OptimalThreshold,
    spec: Spec,
) -> OptimalThreshold:
    threshold, tp, fp = grid.at(index)
    fn, tn = grid.cumulative_counts.positives - tp, grid.cumulative_counts.negatives - fp
    counts = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    return replace(
        optimum,
        values=tuple(_values_at_threshold(counts, OBJECTIVE_MEASURES.get(optimum.rule), bootstrap)),
        threshold=threshold,
        rounded=shortest_threshold(grid.cumulative_counts, threshold),
        threshold_low=bootstrap.threshold_interval[0],
        threshold_high=bootstrap.threshold_interval[1],
        tp=tp,
        fn=fn,
        fp=fp,
        tn=tn,
        achieved_low=bootstrap.objective_interval[0],
        achieved_high=bootstrap.objective_interval[1],
        optimism=bootstrap.optimism,
        cost_per_case=cost_per_case(spec, (tp, fn, fp, tn)),
    )


def _values_at_threshold(
    counts: Mapping[str, float], objective_measure: str | None, bootstrap: BootstrapOptimum
) -> Iterator[tuple[str, MeasureValue]]:
    """Yield the measures at a threshold; only the one it was chosen by has an interval."""
    formulas = {measure: measure.formula for measure in map(get_measure, THRESHOLD_MEASURES)}
    for row in evaluate_measures(pl.DataFrame([counts]), (), formulas).iter_rows(named=True):
        score = MeasureValue(row["value"], ValueState(row["state"]), row["reason"])
        if row["measure"] == objective_measure:
            low, high = bootstrap.objective_interval
            score = replace(score, low=low, high=high, method=OPTIMUM_BOOTSTRAP)
        yield row["measure"], score


def cost_per_case(spec: Spec, counts: tuple[float, float, float, float]) -> float | None:
    """Return the cost of tp, fn, fp and tn by case, at the target prevalence if there is one.

    None if no costs are declared, or if a class has no cases.
    """
    objective = build_threshold_objective(ThresholdRule.COST, spec)
    if objective.formula is not None:
        return None
    counts_by_name = zip(("tp", "fn", "fp", "tn"), counts, strict=True)
    cost = float(
        objective.value({name: np.asarray(float(count)) for name, count in counts_by_name})
    )
    return None if math.isnan(cost) else cost


def _measure_expression(measure: Measure) -> pl.Expr:
    value = as_polars(measure.formula)
    missing = [as_polars(part) == 0 for part in measure.requires]
    if missing:
        value = pl.when(pl.any_horizontal(missing)).then(float("nan")).otherwise(value)
    low, high = measure.range.low, measure.range.high
    return value.clip(low, high) if (low, high) != (None, None) else value
