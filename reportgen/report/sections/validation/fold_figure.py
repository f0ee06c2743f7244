"""How much folds differ: every value as a dot, with the mean and its interval."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from reportgen.comparisons.verdicts.ranking import places
from reportgen.report.charts.evidence import FoldDots, FoldRow
from reportgen.report.document import Figure, Paragraph
from reportgen.report.parts import Count, Strong
from reportgen.report.words.level import level_of
from reportgen.report.words.spoken import spoken_values
from reportgen.report.words.wording import inside_a_sentence
from reportgen.scores import Score, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.folds.summaries import FoldSummary
    from reportgen.measures import Measure
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

# Lines that join the same fold stay clean up to so many rows and folds.
MOST_JOINED, MOST_LINES, MOST_ROWS = 4, 12, 30
FEWEST_FOLDS, TWO = 2, 2
# Rows whose means are farther apart than this share of the axis are not joined.
FARTHEST = 0.3


def fold_figure(evaluation: Evaluation, measure: Measure) -> Figure | None:
    """Draw the folds of every classifier; None where there are no folds."""
    summaries = [
        summary
        for classifier in evaluation.spec.classifiers
        for summary in evaluation.folds
        if summary.classifier == classifier.name
        and summary.measure == measure.name
        and summary.is_of_whole
        and summary.k >= FEWEST_FOLDS
    ]
    values = _values(evaluation, measure)
    rows = [_row(evaluation, each, values[each.classifier]) for each in summaries[:MOST_ROWS]]
    if not rows or all(row.mean is None for row in rows):
        return None
    same = len({tuple(values[each.classifier]) for each in summaries}) == 1
    joined = same and _stays_clean(rows)
    return Figure(
        f"folds-drawn-{measure.name}",
        f"{measure.title}, fold by fold",
        FoldDots(inside_a_sentence(measure), tuple(rows), joined=joined),
        Paragraph(tuple(_reading(measure, rows))),
        Paragraph(tuple(_note(evaluation, rows, len(summaries), joined=joined))),
    )


def _stays_clean(rows: Sequence[FoldRow]) -> bool:
    """Tell whether lines that join folds would be few, and steep enough to be followed."""
    means = [row.mean for row in rows if row.mean is not None]
    values = [value for row in rows for value in row.values if value is not None]
    few = TWO <= len(rows) <= MOST_JOINED and len(rows[0].values) <= MOST_LINES
    farthest = max((abs(one - other) for one, other in pairwise(means)), default=0.0)
    return few and farthest <= FARTHEST * (max(values) - min(values))


def _values(evaluation: Evaluation, measure: Measure) -> dict[str, dict[str, float | None]]:
    """Return the finite values by classifier and fold; None where there is none."""
    frame = evaluation.scores.of_folds().filter(pl.col("measure") == measure.name)
    found: dict[str, dict[str, float | None]] = {}
    for classifier, fold, value, state in frame.select(
        "classifier", "fold", "value", "state"
    ).rows():
        known = value if state == State.DEFINED.value else None
        found.setdefault(classifier, {})[fold] = known
    return found


def _row(evaluation: Evaluation, summary: FoldSummary, values: dict[str, float | None]) -> FoldRow:
    return FoldRow(
        summary.classifier,
        evaluation.order(summary.classifier),
        tuple(values.values()),
        summary.mean,
        summary.low,
        summary.high,
    )


def _reading(measure: Measure, rows: Sequence[FoldRow]) -> Iterator[Part]:
    """Say how far folds lie apart and, of two or more, how often the best mean is best."""
    known = {row.label: row.mean for row in rows if row.mean is not None}
    ranks = places(known, measure.orientation)
    best = next(row for row in rows if ranks.get(row.label) == 1)
    finite = [value for value in best.values if value is not None]
    numbers = (best.mean, min(finite), max(finite))
    spoken = (Score(number, State.DEFINED) for number in numbers)
    mean, low, high = spoken_values(measure, *spoken)
    yield from (Strong(best.label), f" has a mean {inside_a_sentence(measure)} of ", mean)
    yield from (", its folds lie between ", low, " and ", high)
    folds = len(best.values)
    others = [row for row in rows if row is not best]
    if others and all(len(row.values) == folds for row in others):
        wins = sum(_is_best(measure, best, others, fold) for fold in range(folds))
        yield from ("; it is the sole best in ", Count(wins), " of ", Count(folds), " folds")
    yield "."


def _is_best(measure: Measure, best: FoldRow, others: Sequence[FoldRow], fold: int) -> bool:
    found = {row.label: row.values[fold] for row in (best, *others)}
    known = {name: value for name, value in found.items() if value is not None}
    ranks = places(known, measure.orientation)
    return ranks.get(best.label) == 1 and list(ranks.values()).count(1) == 1


def _note(
    evaluation: Evaluation, rows: Sequence[FoldRow], total: int, *, joined: bool
) -> Iterator[Part]:
    yield "A faint dot is a fold, the mark below is their mean"
    if any(row.low is not None for row in rows):
        yield " with its "
        yield level_of(evaluation)
        yield " interval, which allows for shared training cases"
    yield "; lines join the same fold." if joined else "."
    if total > len(rows):
        yield from (" The first ", Count(len(rows)), " of ", Count(total), " are drawn.")
