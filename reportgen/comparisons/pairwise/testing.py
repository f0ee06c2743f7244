"""Every pair of classifiers tested in every measure that is shown or judged by."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.comparisons.pairwise.block import Hypothesis
from reportgen.comparisons.pairwise.exchange import exchange_block
from reportgen.comparisons.pairwise.flips import flip_block
from reportgen.comparisons.pairwise.regrouping import regrouping_block
from reportgen.comparisons.pairwise.repeated import repeated_block
from reportgen.comparisons.pairwise.tables import matrix_of, paired_tables
from reportgen.formulas import quantities
from reportgen.frozen import frozen
from reportgen.measures import CAPABILITIES, Orientation, Scale, find_measure
from reportgen.measures.interval import NoInterval
from reportgen.measures.rates import depends_on_prevalence
from reportgen.tallies import FN, FP, TN, TP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.comparisons.pairwise.block import Block, Draws
    from reportgen.intervals.matrix import Matrix
    from reportgen.measures import Measure
    from reportgen.scores import Score
    from reportgen.tallies.confusion import ConfusionTally
    from reportgen.tallies.pairs import PairTally

COUNTED = frozenset({TP, FN, FP, TN})


@frozen
class Compared:
    """What is compared: the values that were found, and the counts they come from."""

    scores: Mapping[tuple[str, str | None, str | None, str], Score]
    confusion: ConfusionTally
    pairs: PairTally | None
    positive: str | None
    measures: tuple[Measure, ...]
    draws: Draws
    weights: Mapping[str, float]
    """What a prediction of a classifier counts, where cases were predicted several times."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, in the order of the matrices."""
        return self.confusion.classes

    def reported(self, label: str | None) -> str | None:
        """Return a class as scores name it: the positive class of a binary task goes unnamed."""
        return None if label == self.positive else label

    def score(self, classifier: str, hypothesis: Hypothesis) -> Score | None:
        """Return the value that a hypothesis is about."""
        class_ = self.reported(hypothesis.label)
        return self.scores.get((classifier, class_, None, hypothesis.measure.name))

    def hypotheses(self, pair: tuple[str, str]) -> tuple[Hypothesis, ...]:
        """Return what can be tested of a pair: wherever both have a value on comparable cases."""
        alike = self._classes_are_as_common(pair)
        return tuple(
            hypothesis
            for hypothesis in self._all()
            if (alike or (hypothesis.label and not depends_on_prevalence(hypothesis.measure)))
            and all(
                (score := self.score(name, hypothesis)) is not None and score.number is not None
                for name in pair
            )
        )

    def matrix_of_cases(self, classifier: str) -> Matrix:
        """Return the confusion matrix with every case counted once, however often predicted."""
        matrix, weight = confusion_matrix(self.confusion, classifier), self.weights[classifier]
        return replace(matrix, counts=np.rint(matrix.counts * weight)) if weight < 1 else matrix

    def _classes_are_as_common(self, pair: tuple[str, str]) -> bool:
        """Tell whether the classes have the same shares in the cases of both."""
        first, second = (confusion_matrix(self.confusion, name).true for name in pair)
        return np.allclose(first * second.sum(), second * first.sum(), rtol=1e-9)

    def _all(self) -> Iterator[Hypothesis]:
        labels = self.classes if self.positive is None else (self.positive,)
        for label in labels:
            yield from (Hypothesis(measure, label) for measure in self.measures)
        if self.positive is None:
            yield from (
                Hypothesis(measure, None) for measure in self.measures if measure.whole is not None
            )


def measures_to_test(shown: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return the measures of counts that verdicts use, and those that are shown besides."""
    judged = [
        find_measure(name)
        for capability in CAPABILITIES.values()
        if not isinstance(capability.judgement, Scale)
        for name in capability.measures
    ]
    return tuple(
        measure
        for measure in dict.fromkeys([*judged, *shown])
        if measure is not None
        and measure.orientation is not Orientation.NEITHER
        and not isinstance(measure.interval, NoInterval)
        and COUNTED.issuperset(quantities(measure.formula))
    )


def pairs_to_compare(names: Sequence[str], baseline: str | None) -> tuple[tuple[str, str], ...]:
    """Return all pairs or, if there is a baseline, every other classifier against it."""
    if baseline is None:
        return tuple(combinations(names, 2))
    return tuple((name, baseline) for name in names if name != baseline)


def pair_block(compared: Compared, pair: tuple[str, str]) -> Block | None:
    """Test a pair of classifiers, case by case if their cases were joined."""
    hypotheses = compared.hypotheses(pair)
    if not hypotheses:
        return None
    pairs, classes, draws = compared.pairs, compared.classes, compared.draws
    if pairs is None or not pairs.has(*pair):
        first, second = (compared.matrix_of_cases(name) for name in pair)
        return regrouping_block(pair, (first, second), classes, hypotheses, draws)
    frame = pairs.of(*pair)
    if pairs.weight < 1:
        return repeated_block(pair, frame, classes, hypotheses, draws, weight=pairs.weight)
    if compared.positive is not None:
        table = paired_tables(frame, classes)[compared.positive]
        return exchange_block(pair, table, hypotheses, draws)
    return flip_block(pair, frame, classes, hypotheses, draws)


def confusion_matrix(tally: ConfusionTally, classifier: str) -> Matrix:
    """Return the confusion matrix of a classifier over all its cases."""
    frame = tally.frame.filter(pl.col("classifier") == classifier, pl.col("fold").is_null())
    return matrix_of(frame, tally.classes, "prediction")
