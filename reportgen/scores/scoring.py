"""The measures that were asked for, on the tallies that were counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.measures import SCORE_FAMILIES, Family
from reportgen.scores.averages import macro_average, micro_counts, weighted_average
from reportgen.scores.measuring import measured
from reportgen.scores.score import State
from reportgen.scores.scores import SCORE_SCHEMA, Scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.measures import Measure
    from reportgen.tallies.confusion import ConfusionTally
    from reportgen.tallies.probabilities import ProbabilityTally
    from reportgen.tallies.ranking import RankingTally
    from reportgen.tallies.regression import RegressionTally

IMPOSSIBLE = "+∞: a true class was given probability 0"


def score_counts(
    tally: ConfusionTally, measures: Sequence[Measure], positive: str | None
) -> Scores:
    """Score every class against the rest, their averages, and the positive class or the whole.

    Measures of scores and probabilities are left to `score_ranking` and `score_probabilities`.
    """
    measures = [measure for measure in measures if measure.family not in SCORE_FAMILIES]
    counts = tally.counts_per_class().collect()
    per_class = measured(
        counts, ("classifier", "fold", "class"), {measure: measure.formula for measure in measures}
    )
    averaged = {measure: measure.formula for measure in measures if measure.averaged}
    to_average = per_class.filter(pl.col("measure").is_in([measure.name for measure in averaged]))
    micro = measured(micro_counts(counts), ("classifier", "fold"), averaged)
    main = (
        _whole(tally, measures)
        if positive is None
        else per_class.filter(pl.col("class") == positive).drop("class")
    )
    parts = [
        main,
        per_class,
        macro_average(to_average),
        micro.with_columns(average=pl.lit("micro")),
        weighted_average(to_average, counts),
    ]
    return Scores(pl.concat([_complete(part) for part in parts]))


def score_ranking(tally: RankingTally, measures: Sequence[Measure], positive: str | None) -> Scores:
    """Score the rankings of every class, their averages, and the positive class or the whole."""
    chosen = [measure for measure in measures if measure.family is Family.RANKING]
    if not chosen:
        return Scores.concat([])
    keys = ("classifier", "fold", "class")
    per_class = measured(tally.frame, keys, {measure: measure.formula for measure in chosen})
    if positive is not None:
        return Scores(pl.concat([_complete(per_class.drop("class")), _complete(per_class)]))
    formulas = {measure: measure.whole for measure in chosen if measure.whole is not None}
    # `weighted_average` knows the size of a class as tp + fn.
    sizes = tally.frame.select(*keys, tp=pl.col("positives"), fn=pl.lit(0.0))
    parts = [
        measured(tally.whole, ("classifier", "fold"), formulas),
        per_class,
        macro_average(per_class),
        weighted_average(per_class, sizes),
    ]
    return Scores(pl.concat([_complete(part) for part in parts]))


def score_probabilities(tally: ProbabilityTally, measures: Sequence[Measure]) -> Scores:
    """Score the probabilities of every classifier that gives them."""
    formulas = {
        measure: measure.formula for measure in measures if measure.family is Family.PROBABILITY
    }
    if not formulas:
        return Scores.concat([])
    found = measured(tally.frame, ("classifier", "fold"), formulas)
    # Only the logarithm of a probability of 0 is infinite, and not by the formula but the sum.
    infinite = pl.col("state") == State.INFINITE.value
    reason = pl.when(infinite).then(pl.lit(IMPOSSIBLE)).otherwise(pl.col("reason"))
    return Scores(_complete(found.with_columns(reason=reason)))


def score_regression(tally: RegressionTally, measures: Sequence[Measure]) -> Scores:
    """Score numeric predictions."""
    formulas = {measure: measure.formula for measure in measures}
    return Scores(_complete(measured(tally.frame, ("classifier", "fold"), formulas)))


def score_given_folds(classifier: str, given: Mapping[Measure, Sequence[float]]) -> Scores:
    """Take over per-fold scores that were measured elsewhere; folds are numbered from 1."""
    rows = [
        {"classifier": classifier, "fold": str(number), "measure": measure.name, "value": value}
        for measure, values in given.items()
        for number, value in enumerate(values, start=1)
    ]
    frame = pl.DataFrame(rows, schema_overrides=SCORE_SCHEMA)
    return Scores(_complete(frame.with_columns(state=pl.lit(State.DEFINED.value))))


def _whole(tally: ConfusionTally, measures: Sequence[Measure]) -> pl.DataFrame:
    formulas = {measure: measure.whole for measure in measures if measure.whole is not None}
    return measured(tally.whole_matrix().collect(), ("classifier", "fold"), formulas)


def _complete(part: pl.DataFrame) -> pl.DataFrame:
    """Give a part all columns of the schema, in its order."""
    missing = [
        pl.lit(None, dtype).alias(name)
        for name, dtype in SCORE_SCHEMA.items()
        if name not in part.columns
    ]
    return part.with_columns(missing).select(
        pl.col(name).cast(dtype) for name, dtype in SCORE_SCHEMA.items()
    )
