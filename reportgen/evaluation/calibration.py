"""Calibration of probabilities: reliability curves, decomposition of scores, recalibration, tests.

Curves are isotonic (CORP; Dimitriadis, Gneiting and Jordan 2021), with consistency bands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.probabilities import CALIBRATION_BINS
from reportgen.evaluation.confidence.scores import calibration_bin_statistics
from reportgen.statistics.calibration import (
    consistency_band,
    debiased_calibration_error,
    excess_miscalibration_difference,
    rms_calibration_error,
)
from reportgen.statistics.distributions import chi2_sf, critical_z
from reportgen.statistics.multiplicity import holm
from reportgen.statistics.proportions import wilson_intervals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.aggregates.calibration import CalibrationFit
    from reportgen.aggregates.model import Aggregates
    from reportgen.spec import Spec
    from reportgen.statistics.calibration import ConsistencyBand, ScoreDecomposition

N_RESAMPLES = 499
MAX_BAND_POINTS = 101
# The effective number of cases is that of the Brier score, which is decomposed.
_DESIGN_MEASURE = "brier"
_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The cases whose predicted probability lies in one bin: [lower, upper).

    `observed` is the proportion of them in which the predicted event occurred, with its Wilson
    limits (Wilson 1927).
    """

    lower: float
    upper: float
    cases: int
    hits: int
    mean_probability: float
    observed: float
    low: float
    high: float

    @property
    def gap(self) -> float:
        """The mean probability minus the observed proportion."""
        return self.mean_probability - self.observed


@dataclass(frozen=True, slots=True)
class CurvePiece:
    """A horizontal piece of a calibration curve; pieces of one `line` are connected.

    `calibrated` is the recalibrated probability of the cases from `lower` to `upper`, by isotonic
    regression.
    """

    line: int
    lower: float
    upper: float
    calibrated: float
    cases: int
    hits: int


@dataclass(frozen=True, slots=True)
class BandPoint:
    """The consistency band at a probability: where calibrated probabilities would put the curve.

    `calibrated` is the curve itself there, `outside` whether it is outside the band.
    """

    line: int
    probability: float
    low: float
    high: float
    calibrated: float
    outside: bool


class MiscalibrationKind(StrEnum):
    """In which direction probabilities are miscalibrated."""

    OVERCONFIDENT = "over-confident"
    """Too extreme: calibration slope below 1."""
    UNDERCONFIDENT = "under-confident"
    """Not extreme enough: calibration slope above 1."""
    OVERPREDICTION = "over-prediction"
    """Too high on average."""
    UNDERPREDICTION = "under-prediction"
    """Too low on average."""
    OTHER = "other"
    """Neither slope nor mean differ significantly from those of calibrated probabilities."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient of the logistic recalibration, or a mean, with its Wald interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationCurve:
    """The calibration of a classifier's probabilities of a class; None: of the top label.

    `bias` is the mean probability minus the observed proportion. `undefined_reason` is why there is
    no logistic recalibration, `excluded_cases` the number of cases without a finite logit that it
    leaves out. The consistency band, the expected miscalibration of calibrated probabilities and
    the p-values of calibration are None for the classes of a multiclass task; `p_adjusted` is
    adjusted over the classifiers (Holm), and `kinds` is empty unless it is at most α.
    """

    classifier: str
    class_: str | None
    cases: int
    observed: float
    mean_probability: float
    bias: Coefficient
    brier: ScoreDecomposition
    log_loss: ScoreDecomposition
    intercept: Coefficient | None
    slope: Coefficient | None
    shift: Coefficient | None
    undefined_reason: str | None
    excluded_cases: int
    pieces: tuple[CurvePiece, ...]
    band: tuple[BandPoint, ...] = ()
    expected_miscalibration: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    kinds: tuple[MiscalibrationKind, ...] = ()

    @property
    def excess_miscalibration(self) -> float:
        """The miscalibration beyond that expected of calibrated probabilities."""
        return self.brier.miscalibration - (self.expected_miscalibration or 0.0)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The calibration of a classifier: curves, bins, and root mean square calibration error.

    `debiased_rms_error` is corrected for the bias of binning (Kumar, Liang and Ma 2019).
    """

    classifier: str
    class_: str | None
    """The positive class, or the label of a multilabel task; None: the top label."""
    rms_error: float
    debiased_rms_error: float
    bins: tuple[ReliabilityBin, ...]
    """The bins that have cases, from the lowest probability up."""
    overall: CalibrationCurve
    """Of the positive class of a binary task, of a label, or of the top label."""
    by_class: tuple[CalibrationCurve, ...] = ()
    """Of each class of a multiclass task."""

    @property
    def largest_gap(self) -> ReliabilityBin:
        """The bin that adds most to the calibration error."""
        return max(self.bins, key=lambda bin_: bin_.cases * abs(bin_.gap))


@dataclass(frozen=True, slots=True)
class MiscalibrationComparison:
    """The difference of two miscalibrations (MCB of the Brier score), first minus second.

    `excess` is the difference beyond what is expected of calibrated probabilities. p-values are
    adjusted over the pairs and labels (Holm), apart from the families of the report.
    """

    first: str
    second: str
    class_: str | None
    """As in `Calibration`."""
    difference: float
    excess: float
    low: float
    high: float
    statistic: float
    p: float
    p_adjusted: float

    def reversed(self) -> MiscalibrationComparison:
        """Return the difference second minus first."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=-self.difference,
            excess=-self.excess,
            low=-self.high,
            high=-self.low,
            statistic=-self.statistic,
        )


def compute_calibration(
    tasks: Sequence[tuple[Spec, Aggregates]], alpha: float
) -> tuple[tuple[Calibration, ...], tuple[MiscalibrationComparison, ...]]:
    """Return the calibration of every classifier with probabilities, and the paired tests.

    Classifiers are in the spec's order; p-values are adjusted over all tasks.

    Args:
        tasks: the task with its aggregates or, of a multilabel task, that of each label.
        alpha: the significance level.
    """
    calibrations: list[Calibration] = []
    pairs: list[MiscalibrationComparison] = []
    for spec, aggregates in tasks:
        bands = _consistency_bands(aggregates, spec)
        calibrations += [
            _build_calibration(aggregates, name, band, spec.intervals.level)
            for name, band in bands.items()
        ]
        pairs += _compare_miscalibration(aggregates, bands, spec)
    return tuple(_with_kinds(calibrations, alpha)), tuple(_with_adjusted_p_values(pairs))


def _consistency_bands(aggregates: Aggregates, spec: Spec) -> dict[str, ConsistencyBand]:
    """Return the consistency band of every classifier with probabilities."""
    calibration, fits = aggregates.calibration, aggregates.calibration_fits
    if calibration is None or fits is None:
        return {}
    return {
        item.name: consistency_band(
            fits.overall[item.name].groups,
            spec.intervals.level,
            n_resamples=N_RESAMPLES,
            seed=spec.intervals.seed,
            weight=aggregates.case_weight(item.name, _DESIGN_MEASURE),
        )
        for item in spec.classifiers
        if calibration_bin_statistics(calibration, item.name) is not None
    }


def _build_calibration(
    aggregates: Aggregates, name: str, band: ConsistencyBand, level: float
) -> Calibration:
    calibration, fits = aggregates.calibration, aggregates.calibration_fits
    if calibration is None or fits is None:
        raise LookupError(name)
    statistics = calibration_bin_statistics(calibration, name)
    if statistics is None:
        raise LookupError(name)
    weight = aggregates.case_weight(name, _DESIGN_MEASURE)
    frame = calibration.frame.filter(pl.col("classifier") == name, pl.col("cases") > 0)
    overall = _build_curve(fits.overall[name], level, weight, band)
    return Calibration(
        name,
        overall.class_,
        rms_calibration_error(*statistics),
        debiased_calibration_error(*statistics, weight),
        tuple(_reliability_bins(frame.sort("bin"), level, weight)),
        overall,
        tuple(
            _build_curve(class_fit, level, weight)
            for (own, _), class_fit in fits.by_class.items()
            if own == name
        ),
    )


def _with_kinds(calibrations: Sequence[Calibration], alpha: float) -> Iterator[Calibration]:
    """Yield the calibrations with adjusted p-values and the direction of significant ones."""
    p_values = [calibration.overall.p for calibration in calibrations]
    adjusted = holm([1.0 if p is None else p for p in p_values]) if p_values else []
    for calibration, p_adjusted in zip(calibrations, adjusted, strict=True):
        kinds = tuple(_kinds(calibration.overall)) if p_adjusted <= alpha else ()
        overall = replace(calibration.overall, p_adjusted=p_adjusted, kinds=kinds)
        yield replace(calibration, overall=overall)


def _kinds(curve: CalibrationCurve) -> Iterator[MiscalibrationKind]:
    slope, bias = curve.slope, curve.bias
    is_steep = slope is not None and slope.low > 1
    is_flat = slope is not None and slope.high < 1
    if is_flat:
        yield MiscalibrationKind.OVERCONFIDENT
    if is_steep:
        yield MiscalibrationKind.UNDERCONFIDENT
    if bias.low > 0:
        yield MiscalibrationKind.OVERPREDICTION
    if bias.high < 0:
        yield MiscalibrationKind.UNDERPREDICTION
    if not (is_flat or is_steep or bias.low > 0 or bias.high < 0):
        yield MiscalibrationKind.OTHER


def _build_curve(
    fit: CalibrationFit, level: float, weight: float, band: ConsistencyBand | None = None
) -> CalibrationCurve:
    pieces = fit.pieces
    columns = (pieces.line, pieces.lower, pieces.upper, pieces.value, pieces.cases, pieces.hits)
    logistic = fit.recalibration
    undefined = logistic if isinstance(logistic, str) else None
    width = critical_z(level) / math.sqrt(weight)

    def coefficient(value: float, standard_error: float) -> Coefficient:
        return Coefficient(value, value - width * standard_error, value + width * standard_error)

    observed = fit.hits / fit.cases
    bias = fit.mean_probability - observed
    # The mean of (p − y)² is the Brier score.
    bias_se = math.sqrt(max(fit.brier.score - bias**2, 0.0) / fit.cases)
    return CalibrationCurve(
        classifier=fit.classifier,
        class_=fit.class_,
        cases=round(fit.cases),
        observed=observed,
        mean_probability=fit.mean_probability,
        bias=coefficient(bias, bias_se),
        brier=fit.brier,
        log_loss=fit.log_loss,
        intercept=None
        if isinstance(logistic, str)
        else coefficient(logistic.intercept, logistic.intercept_se),
        slope=None if isinstance(logistic, str) else coefficient(logistic.slope, logistic.slope_se),
        shift=None if isinstance(logistic, str) else coefficient(logistic.shift, logistic.shift_se),
        undefined_reason=undefined,
        excluded_cases=0 if isinstance(logistic, str) else round(logistic.excluded),
        pieces=tuple(
            CurvePiece(line, lower, upper, value, round(cases), round(hits))
            for line, lower, upper, value, cases, hits in zip(
                *(column.tolist() for column in columns), strict=True
            )
        ),
        band=() if band is None else tuple(_band_points(fit, band)),
        expected_miscalibration=None if band is None else band.expected_miscalibration,
        p=None if band is None else band.p,
    )


def _band_points(fit: CalibrationFit, band: ConsistencyBand) -> Iterator[BandPoint]:
    """Yield the band at some of the groups of scores, with the first and last of every line."""
    probability = fit.groups.probability
    starts = fit.pieces.lower[np.flatnonzero(np.diff(fit.pieces.line, prepend=-1))]
    lines = np.searchsorted(starts, probability, side="right") - 1
    ends = np.flatnonzero(np.diff(lines))
    band_indices = np.linspace(0, len(probability) - 1, MAX_BAND_POINTS).astype(np.int64)
    places = np.unique(np.concatenate((band_indices, ends, ends + 1)))
    blocks = np.searchsorted(fit.pieces.lower, probability, side="right") - 1
    calibrated = fit.pieces.value[blocks]
    outside = (calibrated < band.low - _TOLERANCE) | (calibrated > band.high + _TOLERANCE)
    columns = (lines, probability, band.low, band.high, calibrated, outside)
    for row in zip(*(column[places].tolist() for column in columns), strict=True):
        yield BandPoint(*row)


def _compare_miscalibration(
    aggregates: Aggregates, bands: Mapping[str, ConsistencyBand], spec: Spec
) -> Iterator[MiscalibrationComparison]:
    """Test every pair, or every pair with the baseline, measured on the same cases."""
    fits = aggregates.calibration_fits
    baseline, level = spec.comparison.baseline, spec.intervals.level
    for first, second in combinations(bands, 2):
        variance = None if fits is None else fits.variance_of_difference(first, second)
        if fits is None or variance is None or baseline not in {None, first, second}:
            continue
        variance /= aggregates.case_weight(first, _DESIGN_MEASURE, other=second)
        own, other = fits.overall[first], fits.overall[second]
        difference = own.brier.miscalibration - other.brier.miscalibration
        excess, error = excess_miscalibration_difference(
            difference, variance, bands[first], bands[second]
        )
        width = critical_z(level) * error
        statistic = excess / error if error else 0.0
        p = chi2_sf(statistic * statistic)
        yield MiscalibrationComparison(
            first,
            second,
            own.class_,
            difference,
            excess,
            excess - width,
            excess + width,
            statistic,
            p,
            p_adjusted=p,
        )


def _with_adjusted_p_values(
    pairs: Sequence[MiscalibrationComparison],
) -> Iterator[MiscalibrationComparison]:
    adjusted = holm([pair.p for pair in pairs]) if pairs else []
    for pair, p_adjusted in zip(pairs, adjusted, strict=True):
        yield replace(pair, p_adjusted=p_adjusted)


def _reliability_bins(frame: pl.DataFrame, level: float, weight: float) -> Iterator[ReliabilityBin]:
    """Yield the bins; repeated predictions of a case count as one in the limits."""
    hits, cases = (frame[name].to_numpy() * weight for name in ("hits", "cases"))
    low, high = wilson_intervals(hits, cases, level)
    means = frame["confidence_sum"] / frame["cases"]
    observed = frame["hits"] / frame["cases"]
    rows = frame.select("bin", "cases", "hits").rows()
    for (place, size, came_true), mean, share, lower, upper in zip(
        rows, means.to_list(), observed.to_list(), low.tolist(), high.tolist(), strict=True
    ):
        yield ReliabilityBin(
            place / CALIBRATION_BINS,
            (place + 1) / CALIBRATION_BINS,
            size,
            came_true,
            mean,
            share,
            lower,
            upper,
        )
