"""Paired tests of measures of scores, probabilities and numeric predictions."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.comparisons.difference import Difference
from reportgen.statistics.case_means import case_mean
from reportgen.statistics.quantiles import normal_quantile
from reportgen.tallies.ranking import FEWEST_TO_VARY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.predictions import Predictions

MEASURE_OF_LOSS = {
    "probability_errors": "brier",
    "log_losses": "log_loss",
    "information": "information_score",
    "squared_errors": "rmse",
    "absolute_errors": "mae",
}
NOT_VARYING = "both give every case the same"
INFINITE = "infinite for a classifier that gave a true class probability 0"
TOO_FEW = f"fewer than {FEWEST_TO_VARY} cases of a class say too little of how areas vary"
OF_SQUARES = "tested on squared errors; the limits are theirs, divided by the sum of both RMSE"


def score_tests(
    predictions: Predictions, pairs: Sequence[tuple[str, str]], level: float
) -> tuple[Difference, ...]:
    """Test every pair of classifiers whose scores or errors were joined case by case."""
    return tuple(
        difference
        for pair in pairs
        for found in (_areas(predictions, pair, level), _losses(predictions, pair, level))
        for difference in found
    )


def _areas(predictions: Predictions, pair: tuple[str, str], level: float) -> Iterator[Difference]:
    """Yield DeLong's test of the positive class, or of the whole and of each class."""
    if predictions.placements is None or predictions.ranking is None:
        return
    several = not predictions.ranking.whole.is_empty()
    for class_ in (None, *(predictions.classes if several else ())):
        areas = area_values(predictions, class_)
        covariances = predictions.placements.covariances(pair, class_)
        if covariances is None or not all(name in areas for name in pair):
            continue
        variance = float(covariances[0, 0] + covariances[1, 1] - 2 * covariances[0, 1])
        row = Difference(
            first=pair[0],
            second=pair[1],
            measure="roc_auc",
            class_=class_,
            test="delong",
            data="paired",
            difference=areas[pair[0]] - areas[pair[1]],
            decisive=True,
        )
        few = predictions.has_few(pair[0], class_)
        yield _delong(row, variance / predictions.weight_of(pair[0]), level, few=few)


def _delong(row: Difference, variance: float, level: float, *, few: bool) -> Difference:
    """Return the difference tested, or why it is not."""
    from scipy.special import ndtr

    difference = row.difference or 0.0
    # What is left of equal areas' variances are rounding errors.
    if variance <= np.finfo(np.float64).eps ** 2:
        if difference == 0:
            return replace(row, p=1.0, note=NOT_VARYING)
        return replace(row, note="neither area varies")
    if few:
        return replace(row, note=TOO_FEW)
    error = math.sqrt(variance)
    reach = normal_quantile(level) * error
    return replace(
        row,
        low=difference - reach,
        high=difference + reach,
        statistic=difference / error,
        p=2 * float(ndtr(-abs(difference / error))),
    )


def area_values(predictions: Predictions, class_: str | None) -> dict[str, float]:
    """Return the areas of a class, or of the positive class or the whole."""
    tally = predictions.ranking
    if tally is None:
        return {}
    if class_ is None and not tally.whole.is_empty():
        rows = tally.whole.select("classifier", "fold", "pairs", area="hand_till")
    else:
        chosen = tally.frame if class_ is None else tally.frame.filter(pl.col("class") == class_)
        area = (pl.col("concordant") + pl.col("tied") / 2) / pl.col("pairs")
        rows = chosen.select("classifier", "fold", "pairs", area=area)
    rows = rows.filter(pl.col("fold").is_null(), pl.col("pairs") > 0)
    return dict(rows.select("classifier", "area").rows())


def _losses(predictions: Predictions, pair: tuple[str, str], level: float) -> Iterator[Difference]:
    """Yield Student's paired t-test of every measure that is a mean over cases."""
    if predictions.paired_losses is None:
        return
    frame = predictions.paired_losses.frame
    straight = frame.filter(pl.col("first") == pair[0], pl.col("second") == pair[1])
    turned = frame.filter(pl.col("first") == pair[1], pl.col("second") == pair[0])
    sign = 1 if not straight.is_empty() else -1
    rows = straight if sign == 1 else turned
    columns = ("loss", "cases", "differences", "differences_squared")
    for loss, cases, total, squares in rows.select(columns).rows():
        sums = sign * total, squares, float(cases)
        scale = _rmse_scale(predictions, pair) if loss == "squared_errors" else 1.0
        weight = predictions.weight_of(pair[0])
        yield _paired_t(pair, MEASURE_OF_LOSS[loss], sums, scale, (level, weight))


def _paired_t(
    pair: tuple[str, str],
    measure: str,
    sums: tuple[float, float, float],
    scale: float,
    level_and_weight: tuple[float, float],
) -> Difference:
    total, squares, cases = sums
    level, weight = level_and_weight
    found = case_mean(total, squares, cases, weight)
    difference = total / cases * scale if math.isfinite(total) else None
    if found is None:
        same = squares == 0
        return Difference(
            first=pair[0],
            second=pair[1],
            measure=measure,
            test="paired t",
            data="paired",
            difference=difference,
            p=1.0 if same else None,
            decisive=True,
            note=NOT_VARYING if same else INFINITE if difference is None else None,
        )
    low, high = (limit * scale for limit in found.limits(level))
    return Difference(
        first=pair[0],
        second=pair[1],
        measure=measure,
        test="paired t",
        data="paired",
        difference=difference,
        low=low,
        high=high,
        statistic=found.statistic,
        df=found.df,
        p=found.p,
        decisive=True,
        note=OF_SQUARES if measure == "rmse" else None,
    )


def _rmse_scale(predictions: Predictions, pair: tuple[str, str]) -> float:
    """Return what turns a difference of mean squares into one of their roots: 1 / (a + b)."""
    if predictions.regression is None:
        return 1.0
    rows = predictions.regression.frame.filter(pl.col("fold").is_null())
    squares = {
        name: squared / cases
        for name, squared, cases in rows.select("classifier", "squared_errors", "cases").rows()
    }
    both = math.sqrt(squares[pair[0]]) + math.sqrt(squares[pair[1]])
    return 1 / both if both > 0 else 1.0
