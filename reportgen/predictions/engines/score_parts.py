"""Scores of classifiers that were each counted alone: their tallies, and how exact they are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from reportgen.predictions.joining import Joined
from reportgen.predictions.model import ScoreTallies
from reportgen.predictions.score_tallies import tally_scores
from reportgen.tallies.curves import CurveTally
from reportgen.tallies.paired_losses import PairedLossTally
from reportgen.tallies.placements import PlacementTally
from reportgen.tallies.probabilities import CalibrationTally, ProbabilityTally
from reportgen.tallies.ranking import RankingTally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.engines.aggregation import Bins
    from reportgen.spec import Task

NOT_PAIRED = (
    "on Spark the scores of a case are not set side by side, so areas under curves and losses of"
    " different classifiers are not tested against each other; each has its own interval"
)


def tally_parts(
    task: Task,
    cases: Sequence[Cases],
    frames: Sequence[pl.DataFrame],
    classes: tuple[str, ...],
    *,
    losses: bool,
) -> ScoreTallies:
    """Tally the scores of each classifier by itself (fold, truth, score, count)."""
    parts = []
    for each, frame in zip(cases, frames, strict=True):
        size = int(frame["count"].sum())
        joined = Joined({each.classifier: frame}, (), None, size, counts=frame["count"])
        parts.append(tally_scores(task, [each], joined, classes, losses=losses))
    return _together([part for part in parts if part.readings])


def _together(parts: Sequence[ScoreTallies]) -> ScoreTallies:
    if not parts:
        return ScoreTallies()
    curves = [part.curves.curves for part in parts if part.curves]
    rankings = [part.ranking for part in parts if part.ranking]
    probabilities = [part.probability.frame for part in parts if part.probability]
    calibrations = [part.calibration.frame for part in parts if part.calibration]
    paired = [part.paired_losses.frame for part in parts if part.paired_losses]
    return ScoreTallies(
        readings=tuple(reading for part in parts for reading in part.readings),
        curves=CurveTally({key: steps for own in curves for key, steps in own.items()}),
        ranking=RankingTally(
            pl.concat(each.frame for each in rankings), pl.concat(each.whole for each in rankings)
        ),
        placements=PlacementTally(
            pl.concat(part.placements.frame for part in parts if part.placements)
        ),
        probability=ProbabilityTally(pl.concat(probabilities)) if probabilities else None,
        calibration=CalibrationTally(pl.concat(calibrations)) if calibrations else None,
        paired_losses=PairedLossTally(pl.concat(paired)) if paired else None,
    )


def bin_warning(classifier: str, bins: Bins, frame: pl.DataFrame, positive: str | None) -> str:
    """Say in how many bins scores were counted, and how exact that leaves the area."""
    bound = area_bound(frame, positive)
    told = f"scores of `{classifier}` were counted in {bins.number} bins"
    if not bound:
        return f"{told}: none has different scores of both classes, so the area is exact"
    return f"{told}: the area under the ROC curve is exact to ±{_rounded_up(bound)}"


def _rounded_up(bound: float) -> str:
    """Write one figure, and rather a larger one than too small a bound."""
    digits = max(0, -math.floor(math.log10(bound)))
    return f"{math.ceil(bound * 10**digits) / 10**digits:.{digits}f}"


def area_bound(frame: pl.DataFrame, positive: str | None) -> float:
    """Return how far off the area may be at most: pairs in one bin count half, as if tied.

    Each is worth between nothing and one, so a bin may be off by half of its pairs.
    """
    is_positive = pl.col("truth") == positive
    found, false = (
        pl.col("count").filter(side).sum().cast(pl.Float64) for side in (is_positive, ~is_positive)
    )
    sides = frame.select(found=found, false=false).row(0)
    pairs = sides[0] * sides[1]
    in_bins = frame.filter("blurred").group_by("score").agg(found=found, false=false).sort("score")
    return float((in_bins["found"] * in_bins["false"]).sum()) / (2 * pairs) if pairs else 0.0
