"""Confusion matrices, or the worst confusions when there are too many classes to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import (
    Column,
    Count,
    Matrices,
    Matrix,
    Paragraph,
    Plain,
    RowGroup,
    Share,
    Table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation

MOST_CLASSES_IN_A_MATRIX = 20
WORST_SHOWN = 20
PERCENT = 100


def confusion(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show what was taken for what."""
    tally = evaluation.predictions.confusion
    if tally is None:
        return ()
    classes = evaluation.predictions.classes
    counts = {classifier: tally.matrix(classifier) for classifier in evaluation.measured}
    if len(classes) > MOST_CLASSES_IN_A_MATRIX:
        return _worst_confusions(classes, counts)
    introduction = (
        "Rows are the true classes, columns the predicted ones. The percentage is the share of the"
        " row: of the cases of a class, how many were predicted as each class."
    )
    matrices = tuple(
        Matrix(f"confusion-{number}", classifier, classes, _shares(matrix))
        for number, (classifier, matrix) in enumerate(counts.items(), start=1)
    )
    return (Paragraph((introduction,)), Matrices(matrices))


def _shares(matrix: Sequence[Sequence[int]]) -> tuple[tuple[Share, ...], ...]:
    return tuple(
        tuple(
            Share(count, count / sum(row) if sum(row) else None, right=true == predicted)
            for predicted, count in enumerate(row)
        )
        for true, row in enumerate(matrix)
    )


def _worst_confusions(
    classes: Sequence[str], counts: dict[str, tuple[tuple[int, ...], ...]]
) -> tuple[Block, ...]:
    introduction = (
        f"With {len(classes)} classes the matrices are too large to read; these are each"
        " classifier's most frequent confusions. All counts are in results.json."
    )
    columns = (
        Column("True class"),
        Column("Predicted as"),
        Column("Cases", numeric=True),
        Column("Share of the true class", numeric=True),
    )
    tables = tuple(
        Table(
            f"confusion-{number}",
            f"{classifier}: most frequent confusions",
            columns,
            (RowGroup(tuple(_worst_rows(classes, matrix))),),
        )
        for number, (classifier, matrix) in enumerate(counts.items(), start=1)
    )
    return (Paragraph((introduction,)), *tables)


def _worst_rows(
    classes: Sequence[str], matrix: Sequence[Sequence[int]]
) -> list[tuple[str, str, Count, Plain]]:
    errors = [
        (count, true, predicted)
        for true, row in enumerate(matrix)
        for predicted, count in enumerate(row)
        if true != predicted and count
    ]
    worst = sorted(errors, key=lambda error: (-error[0], error[1], error[2]))[:WORST_SHOWN]
    return [
        (
            classes[true],
            classes[predicted],
            Count(count),
            Plain(PERCENT * count / sum(matrix[true]), 1, " %"),
        )
        for count, true, predicted in worst
    ]
