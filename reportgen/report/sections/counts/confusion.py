"""What was taken for what: matrices of few classes, heat maps of more, the worst of very many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.report.charts.cases import HeatMap, HeatPanel
from reportgen.report.document import Figure, Matrices, Matrix, Paragraph
from reportgen.report.findings.leading import leading, left_out
from reportgen.report.parts import Share
from reportgen.report.sections.counts.worst_confusions import confusion_table, worst_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.sections.counts.worst_confusions import Counts

# Up to so many classes all matrices are tables, of the best classifiers, or drawings.
FEW_CLASSES, MOST_IN_A_TABLE, MOST_IN_A_HEAT_MAP = 4, 8, 50
# Of more classes than these, a drawing has one matrix only.
MOST_SIDE_BY_SIDE = 24
MOST_CLASSIFIERS, MOST_SPOKEN_OF = 4, 4
WORST_SHOWN, WORST_OF_VERY_MANY = 10, 30
TWO = 2
INTRODUCTION = (
    "Rows are the true classes, columns the predicted ones. {shown} the share of the row: of the"
    " cases of a class, how many were predicted as each class."
)


def confusion(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show what was taken for what."""
    tally = evaluation.predictions.confusion
    if tally is None or not evaluation.measured:
        return ()
    classes = evaluation.predictions.classes
    few = len(classes) <= FEW_CLASSES
    shown = evaluation.measured if few else leading(evaluation, MOST_CLASSIFIERS)
    matrices = {name: np.array(tally.matrix(name), dtype=np.int64) for name in shown}
    if len(classes) <= MOST_IN_A_TABLE:
        pictures: tuple[Block, ...] = tuple(_tables(classes, matrices))
    elif len(classes) <= MOST_IN_A_HEAT_MAP:
        introduction = INTRODUCTION.format(shown="The deeper the tint, the larger")
        pictures = (Paragraph((introduction,)), *_heat_maps(classes, matrices))
    else:
        pictures = _too_many(classes, matrices)
    return (
        *pictures,
        *left_out(evaluation, shown, "classifier"),
        *(() if few else _worst(evaluation, matrices)),
    )


def _tables(classes: Sequence[str], matrices: Mapping[str, Counts]) -> Iterator[Block]:
    yield Paragraph((INTRODUCTION.format(shown="The percentage is"),))
    items = tuple(
        Matrix(f"confusion-{number}", name, tuple(classes), _shares(counts))
        for number, (name, counts) in enumerate(matrices.items(), start=1)
    )
    yield Matrices(items)
    if len(classes) > TWO:
        yield Paragraph(tuple(worst_in_words(classes, matrices, MOST_SPOKEN_OF)))


def _heat_maps(classes: Sequence[str], matrices: Mapping[str, Counts]) -> Iterator[Figure]:
    names = list(matrices)
    together = TWO if len(classes) <= MOST_SIDE_BY_SIDE else 1
    for number, start in enumerate(range(0, len(names), together), start=1):
        some = {name: matrices[name] for name in names[start : start + together]}
        panels = tuple(
            HeatPanel(name, tuple(map(tuple, counts.tolist()))) for name, counts in some.items()
        )
        reading = Paragraph(tuple(worst_in_words(classes, some, MOST_SPOKEN_OF)))
        title = f"What was taken for what: {' and '.join(some)}"
        yield Figure(f"confusion-{number}", title, HeatMap(tuple(classes), panels), reading)


def _too_many(classes: Sequence[str], matrices: Mapping[str, Counts]) -> tuple[Block, ...]:
    introduction = (
        f"With {len(classes)} classes the matrices are too large to read; below are the most"
        " frequent confusions. All counts are in results.json."
    )
    return (
        Paragraph((introduction,)),
        Paragraph(tuple(worst_in_words(classes, matrices, MOST_SPOKEN_OF))),
    )


def _worst(evaluation: Evaluation, matrices: Mapping[str, Counts]) -> tuple[Block, ...]:
    very_many = len(evaluation.predictions.classes) > MOST_IN_A_HEAT_MAP
    return confusion_table(evaluation, matrices, WORST_OF_VERY_MANY if very_many else WORST_SHOWN)


def _shares(counts: Counts) -> tuple[tuple[Share, ...], ...]:
    return tuple(
        tuple(
            Share(count, count / sum(row) if sum(row) else None, right=true == predicted)
            for predicted, count in enumerate(row)
        )
        for true, row in enumerate(counts.tolist())
    )
