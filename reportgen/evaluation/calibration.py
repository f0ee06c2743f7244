"""Calibration of probabilities: reliability bins with limits, and root mean square errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from reportgen.aggregates.probabilities import CALIBRATION_BINS
from reportgen.evaluation.confidence.scores import calibration_bin_statistics
from reportgen.statistics.calibration import debiased_calibration_error, rms_calibration_error
from reportgen.statistics.proportions import wilson_intervals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.aggregates.model import Aggregates
    from reportgen.spec import Spec


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The cases whose predicted probability lies in one bin: [lower, upper).

    `observed` is the proportion of them for which the prediction came true, with its Wilson limits
    (Wilson 1927).
    """

    lower: float
    upper: float
    cases: int
    hits: int
    mean_probability: float
    observed: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The reliability diagram of a classifier, and its root mean square calibration error.

    `debiased_rms_error` is corrected for the bias of binning (Kumar, Liang and Ma 2019).
    """

    classifier: str
    rms_error: float
    debiased_rms_error: float
    bins: tuple[ReliabilityBin, ...]
    """The bins that have cases, from the lowest probability up."""


def compute_calibration(aggregates: Aggregates, spec: Spec) -> tuple[Calibration, ...]:
    """Return the calibration of every classifier that gives probabilities, in the spec's order."""
    calibration = aggregates.calibration
    if calibration is None:
        return ()
    computed: list[Calibration] = []
    for classifier in spec.classifiers:
        statistics = calibration_bin_statistics(calibration, classifier.name)
        if statistics is None:
            continue
        weight = aggregates.case_weight(classifier.name)
        frame = calibration.frame.filter(
            pl.col("classifier") == classifier.name, pl.col("cases") > 0
        )
        computed.append(
            Calibration(
                classifier.name,
                rms_calibration_error(*statistics),
                debiased_calibration_error(*statistics, weight),
                tuple(_reliability_bins(frame.sort("bin"), spec.intervals.level, weight)),
            )
        )
    return tuple(computed)


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
