"""Rows of results.json on operating points, calibration and other diagnostics of classifiers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from reportgen.export.rows import ResultModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.evaluation import Evaluation


class OperatingPointResult(ResultModel):
    """Counts and rates of a classifier with scores at one threshold."""

    classifier: str
    """The classifier."""
    class_: str = Field(alias="class")
    """The class whose cases are predicted from the threshold on."""
    kind: Literal["as_predicted", "youden"]
    """The predictions as read, or those at the threshold with the highest Youden's index."""
    threshold: float | None
    """The threshold; null: infinite, or no threshold of the score gives these predictions."""
    tp: int
    """True positives."""
    fn: int
    """False negatives."""
    fp: int
    """False positives."""
    tn: int
    """True negatives."""
    sensitivity: float | None
    """Sensitivity; null: the class has no cases."""
    specificity: float | None
    """Specificity; null: no case belongs to another class."""
    precision: float | None
    """Precision; null: nothing is predicted as the class."""
    cost_per_case: float | None
    """The cost per case; null: no costs were named."""


class CalibrationResult(ResultModel):
    """The root mean square calibration error of a classifier's probabilities."""

    classifier: str
    """The classifier."""
    rms_error: float
    """Root mean square gap between predicted and observed proportions over the bins."""
    debiased_rms_error: float
    """The same, corrected for the bias of binning (Kumar, Liang and Ma 2019)."""


class CalibrationBinResult(ResultModel):
    """A bin of a reliability diagram."""

    classifier: str
    """The classifier."""
    lower: float
    """The lowest probability of the bin."""
    upper: float
    """The upper end of the bin."""
    cases: int
    """How many predictions lie in the bin."""
    hits: int
    """For how many of them the prediction came true."""
    mean_probability: float
    """The mean predicted probability."""
    observed: float
    """The proportion for which the prediction came true."""
    low: float
    """The lower end of its Wilson interval."""
    high: float
    """The upper end of its Wilson interval."""


def operating_point_rows(evaluation: Evaluation) -> Iterator[OperatingPointResult]:
    """Yield the operating points of classifiers that have scores."""
    for point in evaluation.operating_points:
        row = OperatingPointResult.model_validate(point)
        infinite = row.threshold is not None and math.isinf(row.threshold)
        yield row.model_copy(update={"threshold": None}) if infinite else row


def calibration_bin_rows(evaluation: Evaluation) -> Iterator[CalibrationBinResult]:
    """Yield the bins of every reliability diagram."""
    for calibration in evaluation.calibration:
        for each in calibration.bins:
            yield CalibrationBinResult(
                classifier=calibration.classifier,
                lower=each.lower,
                upper=each.upper,
                cases=each.cases,
                hits=each.hits,
                mean_probability=each.mean_probability,
                observed=each.observed,
                low=each.low,
                high=each.high,
            )
