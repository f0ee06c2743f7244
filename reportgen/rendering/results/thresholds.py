"""The rows of results.json that tell of thresholds and of curves over them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from reportgen.comparisons.thresholds.curve_points import curve_points
from reportgen.rendering.results.rows import CurveResult, ResultModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.comparisons.thresholds.choosing import ChosenThreshold
    from reportgen.report.evaluation import Evaluation


class ThresholdResult(ResultModel):
    """A threshold that was chosen on these cases, and what it would count."""

    classifier: str
    """Whose it is."""
    class_: str = Field(alias="class")
    """The class whose cases are predicted from the threshold on."""
    rule: Literal["youden", "f1", "cost", "constraint"]
    """By what it was chosen."""
    reached: bool
    """Whether any threshold reaches what was asked."""
    threshold: float | None
    """The threshold; null although reached: infinite, nothing is predicted as the class."""
    threshold_low: float | None
    """The lower end of its interval; null: infinite, or no interval."""
    threshold_high: float | None
    """The upper end of its interval; null: infinite, or no interval."""
    tp: int | None
    """True positives."""
    fn: int | None
    """False negatives."""
    fp: int | None
    """False positives."""
    tn: int | None
    """True negatives."""
    sensitivity: float | None = None
    """Sensitivity there."""
    specificity: float | None = None
    """Specificity there."""
    precision: float | None = None
    """Precision there; null: undefined."""
    f1: float | None = None
    """F1 there."""
    youden: float | None = None
    """Youden's index there."""
    cost_per_case: float | None
    """The cost per case there; null: no costs were named."""
    achieved: float | None
    """Youden's index, F1 or the cost per case, whichever it was chosen by."""
    achieved_low: float | None
    """The lower end of its interval."""
    achieved_high: float | None
    """The upper end of its interval."""
    interval: Literal["bootstrap that repeats the search"] = "bootstrap that repeats the search"
    """The method of both intervals."""
    draws: int
    """How many resamples were drawn."""
    unmet_draws: int
    """In how many of them no threshold reached what was asked."""


def threshold_rows(evaluation: Evaluation) -> Iterator[ThresholdResult]:
    """Yield the chosen thresholds."""
    for chosen in evaluation.thresholds:
        yield _row(chosen)


def curve_rows(evaluation: Evaluation) -> Iterator[CurveResult]:
    """Yield the curves, as many points of each as a drawing needs."""
    tally = evaluation.predictions.curves
    if tally is None:
        return
    names = [classifier.name for classifier in evaluation.spec.classifiers]
    for points in curve_points(tally, names):
        roc = zip(points.roc(), (None, *points.thresholds), strict=True)
        recall = zip(points.precision_recall(), points.thresholds, strict=True)
        for kind, curve in (("roc", tuple(roc)), ("pr", tuple(recall))):
            yield CurveResult.model_validate(
                {
                    "classifier": points.classifier,
                    "class": points.class_,
                    "kind": kind,
                    "points": tuple((x, y, threshold) for (x, y), threshold in curve),
                }
            )


def _row(chosen: ChosenThreshold) -> ThresholdResult:
    return ThresholdResult.model_validate(
        {
            "classifier": chosen.classifier,
            "class": chosen.class_,
            "rule": chosen.rule.value,
            "reached": chosen.threshold is not None,
            "threshold": _finite(chosen.threshold),
            "threshold_low": _finite(chosen.threshold_low),
            "threshold_high": _finite(chosen.threshold_high),
            **{name: getattr(chosen, name) for name in ("tp", "fn", "fp", "tn")},
            **{name: score.value for name, score in chosen.scores},
            "cost_per_case": chosen.cost_per_case,
            "achieved": chosen.achieved,
            "achieved_low": chosen.achieved_low,
            "achieved_high": chosen.achieved_high,
            "draws": chosen.draws,
            "unmet_draws": chosen.unmet_draws,
        }
    )


def _finite(number: float | None) -> float | None:
    return None if number is None or math.isinf(number) else number
