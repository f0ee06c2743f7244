"""From scores and probabilities of joined cases to the tallies of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from reportgen.predictions.files import natural_key
from reportgen.predictions.model import ScoreReading
from reportgen.predictions.probabilities import probability_columns
from reportgen.predictions.table import counted_rows
from reportgen.tallies.curves import count_curves
from reportgen.tallies.paired_losses import pair_probability_losses, pair_regression_losses
from reportgen.tallies.placements import placement_covariances
from reportgen.tallies.probabilities import count_calibration, sum_probabilities
from reportgen.tallies.ranking import count_rankings
from reportgen.tallies.scored import ClassifierScores, ScoredCases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.joining import Joined
    from reportgen.spec import Task
    from reportgen.tallies.curves import CurveTally
    from reportgen.tallies.paired_losses import PairedLossTally
    from reportgen.tallies.placements import PlacementTally
    from reportgen.tallies.probabilities import CalibrationTally, ProbabilityTally
    from reportgen.tallies.ranking import RankingTally

# Of numbers that only rank, more than so few would lie outside 0 to 1.
_FEW = 0.05


@dataclass(frozen=True, slots=True)
class ScoreTallies:
    """Everything counted from scores and probabilities; what the data lack is None."""

    readings: tuple[ScoreReading, ...] = ()
    curves: CurveTally | None = None
    ranking: RankingTally | None = None
    placements: PlacementTally | None = None
    probability: ProbabilityTally | None = None
    calibration: CalibrationTally | None = None
    paired_losses: PairedLossTally | None = None


def tally_scores(
    task: Task, cases: Sequence[Cases], joined: Joined, classes: tuple[str, ...], *, losses: bool
) -> ScoreTallies:
    """Tally the scores of the classifiers that have them and, if asked for, what they are worth."""
    if task.kind == "regression":
        return ScoreTallies(paired_losses=pair_regression_losses(joined.frames))
    readings = {
        each.classifier: reading for each in cases if (reading := _reading(task, each)) is not None
    }
    if not readings:
        return ScoreTallies()
    scored = _scored_cases(task, joined, classes, readings)
    curves = count_curves(scored)
    found = ScoreTallies(
        readings=tuple(readings.values()),
        curves=curves,
        ranking=count_rankings(scored, curves),
        placements=placement_covariances(scored, curves),
    )
    if not losses or all(each.probabilities is None for each in scored.classifiers):
        return found
    return replace(
        found,
        probability=sum_probabilities(scored),
        calibration=count_calibration(scored),
        paired_losses=pair_probability_losses(scored),
    )


def _reading(task: Task, cases: Cases) -> ScoreReading | None:
    """Return how the scores of a classifier are to be read, if it has any."""
    data, name = cases.data, cases.classifier
    if data.probabilities is not None:
        return ScoreReading(name, data.probabilities, "probability", told=True)
    if data.score is None or task.kind != "binary":
        return None
    if data.score_kind is not None:
        return ScoreReading(name, data.score, data.score_kind, told=True)
    inside = bool(cases.frame["score"].is_between(0, 1).all())
    kind: Literal["probability", "ranking"] = "probability" if inside else "ranking"
    return ScoreReading(name, data.score, kind, told=False)


def reading_warnings(task: Task, cases: Sequence[Cases]) -> list[str]:
    """Return where a few scores alone keep the others from being read as probabilities."""
    return [
        warning
        for each in cases
        if (reading := _reading(task, each)) is not None
        and reading.kind == "ranking"
        and not reading.told
        and (warning := _few_outside(each)) is not None
    ]


def _few_outside(cases: Cases) -> str | None:
    outside = cases.located().filter(~pl.col("score").is_between(0, 1))
    number, every = counted_rows(outside), cases.size
    if number >= _FEW * every:
        return None
    file, row, score = outside.select("file", "row", "score").row(0)
    verb = "lies" if number == 1 else "lie"
    return (
        f"`{cases.classifier}`: {number} of {every} scores {verb} outside 0 to 1"
        f" ({cases.told_place(file, row)}: {score:g}), so they are read as a ranking, not as"
        f" probabilities; mend {'it' if number == 1 else 'them'}, or write"
        ' `score_kind = "ranking"` if only their order counts'
    )


def _scored_cases(
    task: Task,
    joined: Joined,
    classes: tuple[str, ...],
    readings: dict[str, ScoreReading],
) -> ScoredCases:
    truth = next(iter(joined.frames.values()))["truth"]
    return ScoredCases(
        classes=classes,
        ranked=classes if task.positive is None else (task.positive,),
        truth=truth.to_physical().to_numpy(),
        classifiers=tuple(
            _classifier_scores(task, classes, joined.frames[name], reading)
            for name, reading in readings.items()
        ),
        counts=None if joined.counts is None else joined.counts.cast(pl.Float64).to_numpy(),
    )


def _classifier_scores(
    task: Task, classes: tuple[str, ...], frame: pl.DataFrame, reading: ScoreReading
) -> ClassifierScores:
    fold = frame["fold"]
    folds = tuple(sorted(fold.drop_nulls().unique().cast(pl.String), key=natural_key))
    columns = probability_columns(classes)
    given = frame.select(columns).to_numpy() if set(columns) <= set(frame.columns) else None
    if task.positive is None:
        ranking = np.empty((0, 0)) if given is None else given
        return ClassifierScores(reading.classifier, fold, folds, ranking, given)
    scores = frame["score"].to_numpy()[:, None]
    # The other class has what the positive one leaves.
    probabilities = scores if given is None else given
    if reading.kind == "ranking":
        return ClassifierScores(reading.classifier, fold, folds, scores, None)
    return ClassifierScores(reading.classifier, fold, folds, scores, probabilities)
