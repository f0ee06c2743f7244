"""What was taken for what: matrices of few classes, heat maps of more, the worst of very many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.confidence.counts import proportion_confint
from reportgen.report.charts import ConfusionHeatMap, ConfusionPanel
from reportgen.report.document import Column, Figure, Matrices, Matrix, Paragraph, RowGroup, Table
from reportgen.report.formatting import TO_PERCENT, confidence_level
from reportgen.report.inline import Count, Estimate, MatrixCell, PlainNumber, Strong
from reportgen.report.selection import omitted_classifiers_paragraph, top_classifiers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# Which classes were taken for which most often.

if TYPE_CHECKING:
    CountMatrix = npt.NDArray[np.int64]

_MAX_PERCENT_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class ClassConfusion:
    """A class taken for another."""

    true: int
    predicted: int


def most_frequent_confusions(counts: CountMatrix, limit: int) -> tuple[ClassConfusion, ...]:
    """Return the most frequent confusions of a matrix; equal counts by their share, then place."""
    true, predicted = np.nonzero(_off_diagonal(counts))
    found = counts[true, predicted]
    # Of confusions as frequent, the one of the smaller class weighs more.
    order = np.lexsort((predicted, true, counts.sum(axis=1)[true], -found))[:limit]
    pairs = zip(true[order].tolist(), predicted[order].tolist(), strict=True)
    return tuple(ClassConfusion(one, other) for one, other in pairs)


def frequent_confusions_table(
    evaluation: Evaluation, matrices: Mapping[str, CountMatrix], limit: int
) -> tuple[Table, ...]:
    """Set the most frequent confusions of each classifier side by side, the commonest first."""
    union = _union_of_confusions(matrices, limit)
    if not union:
        return ()
    classes = evaluation.aggregates.classes
    cells = [
        list(_confusion_cells(evaluation, name, counts, union)) for name, counts in matrices.items()
    ]
    rows = tuple(
        (_pair_label(classes, pair), *(cell for column in cells for cell in column[at]))
        for at, pair in enumerate(union)
    )
    columns = (
        Column("True class → taken for"),
        *(
            Column(head, numeric=True)
            for name in matrices
            for head in (f"{name}: cases", f"{name}: %")
        ),
    )
    each = "the classifier's" if len(matrices) == 1 else "each classifier's"
    note = (
        f"The rows are {each} most frequent confusions",
        ", the commonest over all of them first" if len(matrices) > 1 else "",
        ". The percentage is of all cases of the true class, with its ",
        confidence_level(evaluation),
        " interval. All counts are in results.json.",
    )
    caption = "The most frequent confusions"
    return (Table("worst-confusions", caption, columns, (RowGroup(rows),), Paragraph(note)),)


def describe_worst_confusions(
    classes: Sequence[str], matrices: Mapping[str, CountMatrix], limit: int
) -> Iterator[Inline]:
    """Say of each classifier, or of the first few, which confusion it makes most often."""
    for at, (name, counts) in enumerate(list(matrices.items())[:limit]):
        yield " " if at else ""
        yield Strong(name)
        worst = most_frequent_confusions(counts, 1)
        if not worst:
            yield " takes no case for one of another class."
            continue
        (pair,) = worst
        count, size = int(counts[pair.true, pair.predicted]), int(counts[pair.true].sum())
        yield " takes "
        yield Strong(classes[pair.true])
        yield " for "
        yield Strong(classes[pair.predicted])
        alike = int((_off_diagonal(counts) == count).sum()) - 1
        yield " most often: " if not alike else ": "
        yield Count(count)
        yield " of "
        yield Count(size)
        yield " ("
        percent = TO_PERCENT * count / size
        yield PlainNumber(percent, _percent_decimals(percent), "%")
        yield ")"
        yield _tie_clause(alike)


def _tie_clause(n_tied: int) -> str:
    if not n_tied:
        return "."
    others = "another confusion is" if n_tied == 1 else f"{n_tied} others are"
    return f", its largest count; {others} as frequent."


def _off_diagonal(counts: CountMatrix) -> CountMatrix:
    """Return the counts without the diagonal."""
    wrong: CountMatrix = counts - np.diag(np.diagonal(counts))
    return wrong


def _union_of_confusions(matrices: Mapping[str, CountMatrix], limit: int) -> list[ClassConfusion]:
    """Return what is among the worst of any classifier, at most twice as many as asked for."""
    found = {
        pair for counts in matrices.values() for pair in most_frequent_confusions(counts, limit)
    }
    totals = {
        pair: sum(int(counts[pair.true, pair.predicted]) for counts in matrices.values())
        for pair in found
    }
    ordered = sorted(found, key=lambda pair: (-totals[pair], pair.true, pair.predicted))
    return ordered[: 2 * limit]


def _confusion_cells(
    evaluation: Evaluation, name: str, counts: CountMatrix, pairs: Sequence[ClassConfusion]
) -> Iterator[tuple[TableCell, TableCell]]:
    true = np.array([pair.true for pair in pairs])
    found = counts[true, np.array([pair.predicted for pair in pairs])]
    sizes = counts.sum(axis=1)[true]
    weight = evaluation.aggregates.case_weight(name)
    limits = proportion_confint(found * weight, sizes * weight, evaluation.spec.intervals)
    for count, size, low, high in zip(found, sizes, limits.low, limits.high, strict=True):
        if not size:
            yield Count(int(count)), Estimate(None)
            continue
        ends = (TO_PERCENT * float(low), TO_PERCENT * float(high))
        percent = TO_PERCENT * float(count / size)
        yield Count(int(count)), Estimate(percent, *ends, decimals=_percent_decimals(percent))


def _percent_decimals(percent: float) -> int:
    """Return one decimal, or so many that what is not 0 or 100 is not written as 0 or 100."""
    if percent in {0, TO_PERCENT}:
        return 1
    enough = (at for at in range(1, _MAX_PERCENT_DECIMALS) if 0 < round(percent, at) < TO_PERCENT)
    return next(enough, _MAX_PERCENT_DECIMALS)


def _pair_label(classes: Sequence[str], pair: ClassConfusion) -> str:
    return f"{classes[pair.true]} → {classes[pair.predicted]}"


# Up to so many classes all matrices are tables, of the best classifiers, or drawings.
_FEW_CLASSES, _MAX_TABLE_CLASSES, _MAX_HEAT_MAP_CLASSES = 4, 8, 50
# Of more classes than these, a drawing has one matrix only.
_MAX_SIDE_BY_SIDE_CLASSES = 24
_MAX_CLASSIFIERS, _MAX_DESCRIBED = 4, 4
_MAX_CONFUSIONS, _MAX_CONFUSIONS_OF_MANY_CLASSES = 10, 30
_BINARY = 2
_INTRODUCTION = (
    "Rows are the true classes, columns the predicted ones. {shown} the share of the row: of the"
    " cases of a class, how many were predicted as each class."
)


def build_confusion_matrices_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show what was taken for what."""
    tally = evaluation.aggregates.confusion
    if tally is None or not evaluation.measured_classifiers:
        return ()
    classes = evaluation.aggregates.classes
    few = len(classes) <= _FEW_CLASSES
    shown = (
        evaluation.measured_classifiers if few else top_classifiers(evaluation, _MAX_CLASSIFIERS)
    )
    matrices = {name: np.array(tally.matrix(name), dtype=np.int64) for name in shown}
    if len(classes) <= _MAX_TABLE_CLASSES:
        pictures: tuple[Block, ...] = tuple(_matrix_tables(classes, matrices))
    elif len(classes) <= _MAX_HEAT_MAP_CLASSES:
        introduction = _INTRODUCTION.format(shown="The deeper the tint, the larger")
        pictures = (Paragraph((introduction,)), *_heat_map_figures(classes, matrices))
    else:
        pictures = _too_many_classes_note(classes, matrices)
    return (
        *pictures,
        *omitted_classifiers_paragraph(evaluation, shown, "classifier"),
        *(() if few else _frequent_confusions(evaluation, matrices)),
    )


def _matrix_tables(classes: Sequence[str], matrices: Mapping[str, CountMatrix]) -> Iterator[Block]:
    yield Paragraph((_INTRODUCTION.format(shown="The percentage is"),))
    items = tuple(
        Matrix(f"confusion-{number}", name, tuple(classes), _row_proportions(counts))
        for number, (name, counts) in enumerate(matrices.items(), start=1)
    )
    yield Matrices(items)
    if len(classes) > _BINARY:
        yield Paragraph(tuple(describe_worst_confusions(classes, matrices, _MAX_DESCRIBED)))


def _heat_map_figures(
    classes: Sequence[str], matrices: Mapping[str, CountMatrix]
) -> Iterator[Figure]:
    names = list(matrices)
    together = _BINARY if len(classes) <= _MAX_SIDE_BY_SIDE_CLASSES else 1
    for number, start in enumerate(range(0, len(names), together), start=1):
        some = {name: matrices[name] for name in names[start : start + together]}
        panels = tuple(
            ConfusionPanel(name, tuple(map(tuple, counts.tolist())))
            for name, counts in some.items()
        )
        reading = Paragraph(tuple(describe_worst_confusions(classes, some, _MAX_DESCRIBED)))
        title = f"What was taken for what: {' and '.join(some)}"
        yield Figure(
            f"confusion-{number}", title, ConfusionHeatMap(tuple(classes), panels), reading
        )


def _too_many_classes_note(
    classes: Sequence[str], matrices: Mapping[str, CountMatrix]
) -> tuple[Block, ...]:
    introduction = (
        f"With {len(classes)} classes the matrices are too large to read; below are the most"
        " frequent confusions. All counts are in results.json."
    )
    return (
        Paragraph((introduction,)),
        Paragraph(tuple(describe_worst_confusions(classes, matrices, _MAX_DESCRIBED))),
    )


def _frequent_confusions(
    evaluation: Evaluation, matrices: Mapping[str, CountMatrix]
) -> tuple[Block, ...]:
    very_many = len(evaluation.aggregates.classes) > _MAX_HEAT_MAP_CLASSES
    return frequent_confusions_table(
        evaluation, matrices, _MAX_CONFUSIONS_OF_MANY_CLASSES if very_many else _MAX_CONFUSIONS
    )


def _row_proportions(counts: CountMatrix) -> tuple[tuple[MatrixCell, ...], ...]:
    return tuple(
        tuple(
            MatrixCell(count, count / sum(row) if sum(row) else None, correct=true == predicted)
            for predicted, count in enumerate(row)
        )
        for true, row in enumerate(counts.tolist())
    )
