"""From scores and probabilities of joined cases to the tallies of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.predictions.files import natural_key
from reportgen.predictions.model import ScoreTallies
from reportgen.predictions.probabilities import probability_columns
from reportgen.predictions.score_readings import score_readings
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
    from reportgen.predictions.model import ScoreReading
    from reportgen.spec import Task


def tally_scores(
    task: Task, cases: Sequence[Cases], joined: Joined, classes: tuple[str, ...], *, losses: bool
) -> ScoreTallies:
    """Tally the scores of the classifiers that have them and, if asked for, what they are worth."""
    if task.kind == "regression":
        return ScoreTallies(paired_losses=pair_regression_losses(joined.frames))
    readings = score_readings(task, cases)
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
