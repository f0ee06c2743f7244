"""What classifiers would reach where the positive class is more common or rarer than here.

Sensitivity and specificity are taken to stay as they are; everything else follows from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.formulas.as_numpy import as_numpy
from reportgen.frozen import frozen
from reportgen.measures import Measure, find_measure, known_measure
from reportgen.measures.rates import COUNTS
from reportgen.scores.measuring import measured
from reportgen.scores.score import Score, State
from reportgen.statistics.proportions import clopper_pearson, predictive_value_limits, wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.predictions import Predictions
    from reportgen.spec import Intervals, Published, Spec

AT_TARGETS = ("accuracy", "precision", "npv", "kappa", "kappa_best")
LOGIT_LIMITS = "logit at another prevalence"
SQUARE_AND_ADD = "square and add"
GRID = tuple(round(0.005 + 0.01 * step, 3) for step in range(100))


@frozen
class Rates:
    """The counts of a classifier's positive class; repeated cases count once, so not in whole."""

    classifier: str
    tp: float
    fn: float
    fp: float
    tn: float

    @property
    def counts(self) -> tuple[float, float, float, float]:
        """The four counts."""
        return self.tp, self.fn, self.fp, self.tn

    @property
    def positives(self) -> float:
        """How many cases are truly positive."""
        return self.tp + self.fn

    @property
    def negatives(self) -> float:
        """How many cases are truly negative."""
        return self.fp + self.tn

    @property
    def sensitivity(self) -> float:
        """The share of positives found."""
        return self.tp / self.positives

    @property
    def specificity(self) -> float:
        """The share of negatives told to be so."""
        return self.tn / self.negatives

    @property
    def prevalence(self) -> float:
        """The share of positives in the data."""
        return self.positives / (self.positives + self.negatives)

    @property
    def unknown(self) -> str | None:
        """Why nothing is known of another prevalence, if so."""
        if self.positives == 0:
            return "no case is truly positive, so sensitivity is unknown"
        if self.negatives == 0:
            return "no case is truly negative, so specificity is unknown"
        return None


@frozen
class PrevalenceRow:
    """The measures of a classifier at a prevalence, by name."""

    classifier: str
    target: float
    scores: Mapping[str, Score]


@frozen
class PrevalenceCurve:
    """A measure of a classifier over the whole range, where it is defined."""

    classifier: str
    measure: str
    points: tuple[tuple[float, float], ...]


def rates_of(spec: Spec, predictions: Predictions, classifiers: Iterable[str]) -> tuple[Rates, ...]:
    """Read the rates of a binary task off its matrices; repeated cases count once."""
    tally, positive = predictions.confusion, spec.task.positive
    if tally is None or positive is None:
        return ()
    return tuple(
        Rates(
            name,
            *(count * predictions.weight_of(name) for count in tally.counts(name, positive)),
        )
        for name in classifiers
    )


def published_elsewhere(
    published: Sequence[Published], rates: Sequence[Rates]
) -> dict[tuple[str, float, str], Score]:
    """Return the scores that published values at another prevalence are set against."""
    asked = [(each.prevalence, find_measure(each.measure)) for each in published]
    measures = dict.fromkeys(measure for where, measure in asked if where and measure)
    return scores_at(rates, list(measures), list(dict.fromkeys(w for w, _ in asked if w)))


def prevalence_rows(
    rates: Sequence[Rates], targets: Sequence[float], intervals: Intervals
) -> tuple[PrevalenceRow, ...]:
    """Work out the measures at every target, with intervals."""
    measures = [known_measure(name) for name in AT_TARGETS]
    scores = scores_at(rates, measures, targets)
    return tuple(
        PrevalenceRow(
            each.classifier,
            target,
            {
                measure.name: _with_limits(
                    scores[each.classifier, target, measure.name], measure, each, target, intervals
                )
                for measure in measures
            },
        )
        for target in targets
        for each in rates
    )


def prevalence_curves(
    rates: Sequence[Rates], grid: Sequence[float] = GRID
) -> tuple[PrevalenceCurve, ...]:
    """Work out the measures over the whole range."""
    measures = [known_measure(name) for name in AT_TARGETS]
    scores = scores_at(rates, measures, grid)
    return tuple(
        PrevalenceCurve(
            each.classifier,
            measure.name,
            tuple(
                (prevalence, value)
                for prevalence in grid
                if (value := scores[each.classifier, prevalence, measure.name].value) is not None
            ),
        )
        for measure in measures
        for each in rates
    )


def scores_at(
    rates: Sequence[Rates], measures: Sequence[Measure], targets: Sequence[float]
) -> dict[tuple[str, float, str], Score]:
    """Return the scores by classifier, prevalence and measure, without intervals."""
    known = [each for each in rates if each.unknown is None]
    found = {
        (each.classifier, target, measure.name): Score(None, State.UNDEFINED, each.unknown)
        for each in rates
        for target in targets
        for measure in measures
    }
    if not known or not measures:
        return found
    places = [(each, target) for each in known for target in targets]
    frame = pl.DataFrame(
        [(place, *_shares(each, target)) for place, (each, target) in enumerate(places)],
        schema={"place": pl.Int64, **dict.fromkeys(COUNTS, pl.Float64)},
        orient="row",
    )
    formulas = {measure: measure.formula for measure in measures}
    columns = ("place", "measure", "value", "state", "reason")
    for place, name, value, state, reason in (
        measured(frame, ("place",), formulas).select(columns).rows()
    ):
        each, target = places[place]
        found[each.classifier, target, name] = Score(value, State(state), reason)
    return found


def _shares(rates: Rates, prevalence: float) -> tuple[float, float, float, float]:
    """Return the counts as shares of all cases at a prevalence."""
    positives, negatives = prevalence / rates.positives, (1 - prevalence) / rates.negatives
    return (
        rates.tp * positives,
        rates.fn * positives,
        rates.fp * negatives,
        rates.tn * negatives,
    )


def _with_limits(
    score: Score, measure: Measure, rates: Rates, target: float, intervals: Intervals
) -> Score:
    if score.value is None:
        return score
    if measure.name in {"precision", "npv"}:
        both = predictive_value_limits(rates.counts, target, intervals.level)
        limits = both.positive if measure.name == "precision" else both.negative
        low, high, method = limits.low, limits.high, LOGIT_LIMITS
    else:
        low, high = _square_and_add(measure, rates, target, intervals)
        method = SQUARE_AND_ADD
    inside = (min(low, score.value), max(high, score.value))
    return Score(score.value, score.state, score.reason, *inside, method)


def _square_and_add(
    measure: Measure, rates: Rates, target: float, intervals: Intervals
) -> tuple[float, float]:
    """Return limits of a measure that rises with sensitivity and with specificity.

    How far the measure falls when one of them falls to its lower limit, and when the other does,
    is squared and added (Zou and Donner 2008); for accuracy, a weighted sum, that is exact.
    """
    share = clopper_pearson if intervals.method == "clopper-pearson" else wilson
    s, f = rates.sensitivity, rates.specificity
    of_s = share(rates.tp, rates.positives, intervals.level)
    of_f = share(rates.tn, rates.negatives, intervals.level)
    value, *down = _moved(measure, target, s, f, (of_s.low, of_f.low))
    _, *up = _moved(measure, target, s, f, (of_s.high, of_f.high))
    low = value - float(np.hypot(value - down[0], value - down[1]))
    high = value + float(np.hypot(up[0] - value, up[1] - value))
    least, most = measure.range.low, measure.range.high
    return (
        low if least is None else max(low, least),
        high if most is None else min(high, most),
    )


def _moved(
    measure: Measure, target: float, s: float, f: float, ends: tuple[float, float]
) -> list[float]:
    """Return the measure as it is, with another sensitivity, and with another specificity."""
    sensitivity, specificity = np.array([s, ends[0], s]), np.array([f, f, ends[1]])
    at: dict[str, Numbers] = {
        "tp": sensitivity * target,
        "fn": (1 - sensitivity) * target,
        "fp": (1 - specificity) * (1 - target),
        "tn": specificity * (1 - target),
    }
    return [float(value) for value in as_numpy(measure.formula, at)]
