"""Confusion matrices: tables for few classes, heat maps for more, most frequent confusions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.confusions import (
    MANY_CLASSES,
    MAX_CLASSES_LISTED,
    MAX_CONFUSIONS,
    MAX_CONFUSIONS_OF_MANY_CLASSES,
)
from reportgen.report.charts import ConfusionHeatMap, ConfusionPanel
from reportgen.report.document import (
    Column,
    Details,
    Figure,
    Matrices,
    Matrix,
    Paragraph,
    RowGroup,
    Table,
)
from reportgen.report.formatting import TO_PERCENT, confidence_level
from reportgen.report.inline import Count, Estimate, MatrixCell, PlainNumber, Strong
from reportgen.report.selection import (
    MAX_MATRICES,
    is_full_detail,
    omitted_classifiers_paragraph,
    top_classifiers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.evaluation.confusions import ClassConfusion
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# Most frequent confusions.

_MAX_PERCENT_DECIMALS = 9


def confusions_by_classifier(
    evaluation: Evaluation, names: Sequence[str]
) -> dict[str, list[ClassConfusion]]:
    """Return the listed cells of the matrices of some classifiers."""
    return {
        name: [cell for cell in evaluation.confusions if cell.classifier == name] for name in names
    }


def frequent_confusions_table(
    evaluation: Evaluation, confusions: Mapping[str, Sequence[ClassConfusion]], limit: int
) -> tuple[Table, ...]:
    """Return the most frequent confusions by classifier, the most frequent first."""
    pairs = _union_of_confusions(evaluation, confusions, limit)
    if not pairs:
        return ()
    cells = {
        name: {(cell.truth, cell.prediction): cell for cell in classifier_cells}
        for name, classifier_cells in confusions.items()
    }
    rows = tuple(
        (
            f"{truth} → {prediction}",
            *(
                cell
                for classifier_cells in cells.values()
                for cell in _confusion_cells(classifier_cells[truth, prediction])
            ),
        )
        for truth, prediction in pairs
    )
    columns = (
        Column("True → predicted"),
        *(
            Column(head, numeric=True)
            for name in confusions
            for head in (f"{name}: cases", f"{name}: %")
        ),
    )
    owner = "the classifier's" if len(confusions) == 1 else "each classifier's"
    note = (
        f"The rows are {owner} most frequent confusions",
        ", sorted by their total" if len(confusions) > 1 else "",
        ". The percentage is of all cases of the true class, with its ",
        confidence_level(evaluation),
        " CI. All counts: results.json.",
    )
    caption = "Most frequent confusions"
    return (Table("worst-confusions", caption, columns, (RowGroup(rows),), Paragraph(note)),)


def describe_worst_confusions(
    confusions: Mapping[str, Sequence[ClassConfusion]], limit: int
) -> Iterator[Inline]:
    """Yield the most frequent confusion of each of the first classifiers."""
    for index, (name, cells) in enumerate(list(confusions.items())[:limit]):
        yield " " if index else ""
        yield Strong(name)
        worst = next((cell for cell in cells if cell.rank == 1), None)
        if worst is None or worst.proportion is None:
            yield ": no confusions."
            continue
        yield ": most frequent confusion "
        yield Strong(worst.truth)
        yield " → "
        yield Strong(worst.prediction)
        yield ", "
        yield Count(worst.count)
        yield " of "
        yield Count(worst.cases)
        yield " ("
        percent = TO_PERCENT * worst.proportion
        yield PlainNumber(percent, _percent_decimals(percent), "%")
        yield ")"
        yield _tie_clause(worst.ties)


def _tie_clause(n_tied: int) -> str:
    if not n_tied:
        return "."
    return f"; tied with {n_tied} other{'' if n_tied == 1 else 's'}."


def _union_of_confusions(
    evaluation: Evaluation, confusions: Mapping[str, Sequence[ClassConfusion]], limit: int
) -> list[tuple[str, str]]:
    """Return the pairs among the most frequent of any classifier, at most twice `limit`."""
    totals: dict[tuple[str, str], int] = {}
    pairs: set[tuple[str, str]] = set()
    for cell in (cell for cells in confusions.values() for cell in cells):
        pair = cell.truth, cell.prediction
        totals[pair] = totals.get(pair, 0) + cell.count
        if cell.rank is not None:
            pairs.add(pair)
    positions = {class_: index for index, class_ in enumerate(evaluation.aggregates.classes)}
    ordered = sorted(
        pairs, key=lambda pair: (-totals[pair], positions[pair[0]], positions[pair[1]])
    )
    return ordered[: 2 * limit]


def _confusion_cells(cell: ClassConfusion) -> tuple[TableCell, TableCell]:
    if cell.proportion is None or cell.low is None or cell.high is None:
        return Count(cell.count), Estimate(None)
    percent = TO_PERCENT * cell.proportion
    limits = TO_PERCENT * cell.low, TO_PERCENT * cell.high
    return Count(cell.count), Estimate(percent, *limits, decimals=_percent_decimals(percent))


def _percent_decimals(percent: float) -> int:
    """Return one decimal, or as many as distinguish the percentage from 0 and 100."""
    if percent in {0, TO_PERCENT}:
        return 1
    sufficient = (
        decimals
        for decimals in range(1, _MAX_PERCENT_DECIMALS)
        if 0 < round(percent, decimals) < TO_PERCENT
    )
    return next(sufficient, _MAX_PERCENT_DECIMALS)


# Up to so many classes the matrices are tables; of more, those of fewer classifiers are drawn.
_FEW_CLASSES = 4
# Of more classes than these, a drawing has one matrix only.
_MAX_SIDE_BY_SIDE_CLASSES = 24
_MAX_CLASSIFIERS, _MAX_DESCRIBED = 4, 4
_BINARY = 2
_INTRODUCTION = "Rows: true class; columns: predicted class. {encoding} of the row."


def build_confusion_matrices_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the confusion matrices as tables or heat maps, and the most frequent confusions."""
    counts = evaluation.aggregates.confusion
    if counts is None or not evaluation.measured_classifiers:
        return ()
    classes = evaluation.aggregates.classes
    has_few_classes = len(classes) <= _FEW_CLASSES
    displayed = top_classifiers(evaluation, MAX_MATRICES if has_few_classes else _MAX_CLASSIFIERS)
    confusions = confusions_by_classifier(evaluation, displayed)
    if len(classes) <= MAX_CLASSES_LISTED:
        figures: tuple[Block, ...] = tuple(
            _matrix_tables(classes, evaluation.named_classes, confusions)
        )
    elif len(classes) <= MANY_CLASSES:
        introduction = _INTRODUCTION.format(encoding="Shading: percentage")
        n_rows = len(evaluation.named_classes)
        panels = [ConfusionPanel(name, counts.matrix(name)[:n_rows]) for name in displayed]
        figures = (Paragraph((introduction,)), *_heat_map_figures(classes, panels, confusions))
    else:
        figures = _too_many_classes_note(classes, confusions)
    return (
        *figures,
        *omitted_classifiers_paragraph(evaluation, displayed, "classifier"),
        *(() if has_few_classes else _confusion_list(evaluation, confusions)),
    )


def _confusion_list(
    evaluation: Evaluation, confusions: Mapping[str, Sequence[ClassConfusion]]
) -> Iterator[Block]:
    """Yield the most frequent confusions, folded unless no figure shows the matrices."""
    tables = _frequent_confusions(evaluation, confusions)
    if len(evaluation.aggregates.classes) > MANY_CLASSES or not tables:
        yield from tables
        return
    confusion_phrases = tuple(describe_worst_confusions(confusions, _MAX_DESCRIBED))
    yield Details(Paragraph(("Most frequent confusions. ", *confusion_phrases)), tables)


def _matrix_tables(
    classes: Sequence[str],
    true_classes: Sequence[str],
    confusions: Mapping[str, Sequence[ClassConfusion]],
) -> Iterator[Block]:
    yield Paragraph((_INTRODUCTION.format(encoding="Percentages are"),))
    items = tuple(
        Matrix(
            f"confusion-{number}", name, tuple(classes), _matrix_cells(classes, true_classes, cells)
        )
        for number, (name, cells) in enumerate(confusions.items(), start=1)
    )
    yield Matrices(items)
    if len(classes) > _BINARY:
        yield Paragraph(tuple(describe_worst_confusions(confusions, _MAX_DESCRIBED)))


def _heat_map_figures(
    classes: Sequence[str],
    panels: Sequence[ConfusionPanel],
    confusions: Mapping[str, Sequence[ClassConfusion]],
) -> Iterator[Figure]:
    per_figure = _BINARY if len(classes) <= _MAX_SIDE_BY_SIDE_CLASSES else 1
    for number, start in enumerate(range(0, len(panels), per_figure), start=1):
        group = tuple(panels[start : start + per_figure])
        cells = {panel.name: confusions[panel.name] for panel in group}
        description = Paragraph(tuple(describe_worst_confusions(cells, _MAX_DESCRIBED)))
        noun = "matrix" if len(cells) == 1 else "matrices"
        title = f"Confusion {noun}: {' and '.join(cells)}"
        yield Figure(
            f"confusion-{number}", title, ConfusionHeatMap(tuple(classes), group), description
        )


def _too_many_classes_note(
    classes: Sequence[str], confusions: Mapping[str, Sequence[ClassConfusion]]
) -> tuple[Block, ...]:
    introduction = (
        f"Matrices of {len(classes)} classes are too large to print; the most frequent confusions"
        " follow. All counts: results.json."
    )
    return (
        Paragraph((introduction,)),
        Paragraph(tuple(describe_worst_confusions(confusions, _MAX_DESCRIBED))),
    )


def _frequent_confusions(
    evaluation: Evaluation, confusions: Mapping[str, Sequence[ClassConfusion]]
) -> tuple[Block, ...]:
    has_many_classes = len(evaluation.aggregates.classes) > MANY_CLASSES
    return frequent_confusions_table(
        evaluation,
        confusions,
        MAX_CONFUSIONS_OF_MANY_CLASSES
        if has_many_classes and is_full_detail(evaluation)
        else MAX_CONFUSIONS,
    )


def _matrix_cells(
    classes: Sequence[str], true_classes: Sequence[str], cells: Sequence[ClassConfusion]
) -> tuple[tuple[MatrixCell, ...], ...]:
    by_pair = {(cell.truth, cell.prediction): cell for cell in cells}
    return tuple(
        tuple(
            MatrixCell(cell.count, cell.proportion, correct=truth == prediction)
            for prediction in classes
            for cell in (by_pair[truth, prediction],)
        )
        for truth in true_classes
    )
