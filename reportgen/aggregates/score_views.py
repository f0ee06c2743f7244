"""Statistics of scores from several views of the same cases, where an engine binned the scores.

A view of one classifier has its finely binned scores: values and their variances are taken from it.
A view of two classifiers has both scores of every case in coarser bins: it adds what depends on
both, such as the variance of a difference. A covariance is set so that with the fine variances it
gives the variance of the difference in the view of both:
cov = (var₁ + var₂ − var(difference)) / 2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.aggregates.calibration import CalibrationFits
from reportgen.aggregates.curves import ScoreCurves
from reportgen.aggregates.delong import DeLongCovariances
from reportgen.aggregates.effective_shares import EffectiveShares
from reportgen.aggregates.influence import InfluenceCovariances
from reportgen.aggregates.model import ScoreAggregates
from reportgen.aggregates.operating_points import OperatingPointStatistics
from reportgen.aggregates.paired import PairedLossSums
from reportgen.aggregates.precision_recall import PrCovariances
from reportgen.aggregates.probabilities import CalibrationBins, ProbabilityLossSums
from reportgen.aggregates.ranking import RankingStatistics

if TYPE_CHECKING:
    from collections.abc import Sequence


def merge_score_views(views: Sequence[ScoreAggregates]) -> ScoreAggregates:
    """Return the statistics of all classifiers from views of one and of two classifiers."""
    single = [view for view in views if len(view.score_types) == 1]
    joint = [view for view in views if len(view.score_types) > 1]
    if not single:
        return joint[0] if joint else ScoreAggregates()
    merged = _concat_views(single)
    if not joint:
        return merged
    fits = [part.calibration_fits for part in joint if part.calibration_fits]
    return replace(
        merged,
        auc_covariances=merged.auc_covariances
        and DeLongCovariances(
            _add_pairs(
                merged.auc_covariances.frame,
                [part.auc_covariances.frame for part in joint if part.auc_covariances],
            )
        ),
        pr_covariances=merged.pr_covariances
        and PrCovariances(
            _add_pairs(
                merged.pr_covariances.frame,
                [part.pr_covariances.frame for part in joint if part.pr_covariances],
            )
        ),
        influence_covariances=merged.influence_covariances
        and InfluenceCovariances(
            _add_pairs(
                merged.influence_covariances.frame,
                [part.influence_covariances.frame for part in joint if part.influence_covariances],
            )
        ),
        paired_losses=_paired_losses(merged, joint),
        calibration_fits=merged.calibration_fits
        and replace(
            merged.calibration_fits,
            products=(
                *(products for fit in fits for products in fit.products),
                *merged.calibration_fits.products,
            ),
        ),
        operating_points=merged.operating_points
        and replace(
            merged.operating_points,
            covariances=InfluenceCovariances(
                _add_pairs(
                    merged.operating_points.covariances.frame,
                    [
                        part.operating_points.covariances.frame
                        for part in joint
                        if part.operating_points
                    ],
                )
            ),
        ),
        shares=merged.shares
        and EffectiveShares(
            pl.concat(
                [
                    merged.shares.frame,
                    *(
                        part.shares.frame.filter(pl.col("first") != pl.col("second"))
                        for part in joint
                        if part.shares
                    ),
                ]
            )
        ),
    )


def _add_pairs(own: pl.DataFrame, joint: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return variances of classifiers with the covariances of pairs from the views of both."""
    columns = own.columns
    keys = [
        name for name in columns if name not in {"first", "second", "covariance", "quartic_sum"}
    ]
    fine_variances = own.filter(pl.col("first") == pl.col("second"))
    parts = [own]
    for frame in joint:
        pairs = frame.filter(pl.col("first") != pl.col("second"))
        coarse_variances = frame.filter(pl.col("first") == pl.col("second"))
        for variances, name in ((coarse_variances, "coarse"), (fine_variances, "fine")):
            for side in ("first", "second"):
                pairs = pairs.join(
                    variances.select(
                        *keys,
                        pl.col("first").alias(side),
                        pl.col("covariance").alias(f"{name} {side}"),
                    ),
                    on=[*keys, side],
                    how="left",
                    nulls_equal=True,
                )
        coarse_sum = pl.col("coarse first") + pl.col("coarse second")
        difference = coarse_sum - 2 * pl.col("covariance")
        covariance = (pl.col("fine first") + pl.col("fine second") - difference) / 2
        parts.append(pairs.with_columns(covariance=covariance).select(columns))
    return pl.concat(parts)


def _paired_losses(
    merged: ScoreAggregates, joint: Sequence[ScoreAggregates]
) -> PairedLossSums | None:
    """Return sums of loss differences: of the differences finely binned, and their variance."""
    frames = [part.paired_losses.frame for part in joint if part.paired_losses]
    if not frames or merged.probability_losses is None:
        return merged.paired_losses
    sums = merged.probability_losses.frame.filter(pl.col("fold").is_null())
    paired = pl.concat(frames)
    losses = sums.unpivot(
        paired["loss"].unique().to_list(),
        index="classifier",
        variable_name="loss",
        value_name="sum",
    )
    cases = sums.select("classifier", "cases")
    for side in ("first", "second"):
        paired = paired.join(
            losses.rename({"classifier": side, "sum": f"{side} sum"}),
            on=[side, "loss"],
            how="left",
        )
    paired = paired.join(cases.rename({"classifier": "first", "cases": "size"}), on="first")
    exact = pl.col("first sum") - pl.col("second sum")
    # The sum of squares changes by as much as the square of the mean, so that the variance stays.
    shift = (exact**2 - pl.col("differences") ** 2) / pl.col("size")
    is_finite = exact.is_finite() & pl.col("differences").is_finite()
    corrected = paired.with_columns(
        differences=pl.when(is_finite).then(exact).otherwise("differences"),
        differences_squared=pl.when(is_finite)
        .then(pl.col("differences_squared") + shift)
        .otherwise("differences_squared"),
        cases=pl.col("size").cast(pl.Int64),
    )
    return PairedLossSums(corrected.select(frames[0].columns))


def _concat_views(parts: Sequence[ScoreAggregates]) -> ScoreAggregates:
    curves = [part.curves.curves for part in parts if part.curves]
    rankings = [part.ranking for part in parts if part.ranking]
    probabilities = [part.probability_losses.frame for part in parts if part.probability_losses]
    calibrations = [part.calibration.frame for part in parts if part.calibration]
    fits = [part.calibration_fits for part in parts if part.calibration_fits]
    influences = [part.influence_covariances.frame for part in parts if part.influence_covariances]
    paired = [part.paired_losses.frame for part in parts if part.paired_losses]
    shares = [part.shares.frame for part in parts if part.shares]
    return ScoreAggregates(
        score_types=tuple(score_type for part in parts for score_type in part.score_types),
        curves=ScoreCurves({key: steps for own in curves for key, steps in own.items()}),
        ranking=RankingStatistics(
            pl.concat(ranking.frame for ranking in rankings),
            pl.concat(ranking.multiclass for ranking in rankings),
        ),
        auc_covariances=DeLongCovariances(
            pl.concat(part.auc_covariances.frame for part in parts if part.auc_covariances)
        ),
        pr_covariances=PrCovariances(
            pl.concat(part.pr_covariances.frame for part in parts if part.pr_covariances)
        ),
        probability_losses=ProbabilityLossSums(pl.concat(probabilities)) if probabilities else None,
        calibration=CalibrationBins(pl.concat(calibrations)) if calibrations else None,
        calibration_fits=CalibrationFits.concat(fits) if fits else None,
        influence_covariances=InfluenceCovariances(pl.concat(influences)) if influences else None,
        paired_losses=PairedLossSums(pl.concat(paired)) if paired else None,
        shares=EffectiveShares(pl.concat(shares)) if shares else None,
        operating_points=OperatingPointStatistics.concat(
            [part.operating_points for part in parts if part.operating_points]
        ),
    )
