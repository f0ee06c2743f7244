"""What the classifiers would reach where they will be used, and where they change places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import known_measure
from reportgen.report.document import Bullets, Column, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.prevalence import (
    BETTER,
    is_located,
    prevalence_in_data,
    targets_of,
    turn_in_words,
)
from reportgen.report.parts import Interval, MeasureName, Plain, Strong, Words
from reportgen.report.sections.elsewhere.prevalence_figures import prevalence_figures
from reportgen.report.tables.measures import value_cells
from reportgen.report.words.level import level_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.elsewhere.crossings import Crossing
    from reportgen.measures import Measure
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part

MOST_SENTENCES = 8


def prevalence(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the measures at every target, who changes places where, and the whole range."""
    if not evaluation.prevalence:
        return ()
    return (
        Paragraph(tuple(_introduction(evaluation))),
        _table(evaluation),
        *_crossings(evaluation),
        *prevalence_figures(evaluation),
    )


def _introduction(evaluation: Evaluation) -> Iterator[Part]:
    here = prevalence_in_data(evaluation)
    yield "The prevalence, the share of cases that truly are "
    yield Strong(evaluation.spec.task.positive or "")
    yield ", is "
    yield Plain(here[0], 3)
    if len(here) > 1:
        yield " to "
        yield Plain(here[-1], 3)
    yield " in the data. Where the classifiers will be used it may differ. "
    yield "What they would reach there follows from their sensitivity and specificity, "
    yield "which are taken to stay as they are. Youden's index, the likelihood ratios and "
    yield "discriminant power do not depend on the prevalence. Intervals ("
    yield level_of(evaluation)
    yield "): precision and NPV on the logit scale (Mercaldo and others 2007), the others from"
    yield " the limits of sensitivity and specificity by squaring and adding (Zou and Donner 2008)."


def _table(evaluation: Evaluation) -> Table:
    measures = [known_measure(name) for name in evaluation.prevalence[0].scores]
    groups = tuple(
        RowGroup(_rows(evaluation, measures, target), Words(("At a prevalence of ", Plain(target))))
        for target in targets_of(evaluation)
    )
    columns = (
        Column("Classifier"),
        *(Column(MeasureName(measure), numeric=True) for measure in measures),
    )
    return Table("prevalence", "Measures where the classifiers will be used", columns, groups)


def _rows(
    evaluation: Evaluation, measures: Sequence[Measure], target: float
) -> tuple[tuple[Cell, ...], ...]:
    rows = {row.classifier: row for row in evaluation.prevalence if row.target == target}
    cells = {
        measure: value_cells(
            measure, {name: row.scores[measure.name] for name, row in rows.items()}, list(rows)
        )
        for measure in measures
    }
    return tuple((name, *(cells[measure][name] for measure in measures)) for name in rows)


def _crossings(evaluation: Evaluation) -> Iterator[Block]:
    """Say where the order turns; best-a-priori kappa turns with accuracy."""
    judged = [crossing for crossing in evaluation.crossings if crossing.measure in BETTER]
    turning = [crossing for crossing in judged if crossing.prevalence is not None]
    if not judged:
        return
    if turning and len(turning) <= MOST_SENTENCES:
        yield Bullets(tuple(Paragraph(tuple(turn_in_words(crossing))) for crossing in turning))
    elif turning:
        yield _crossing_table(turning)
    else:
        yield Paragraph(
            ("By accuracy and by kappa the order of any two is the same at every prevalence.",)
        )
    yield Note(
        (
            (
                "Best-a-priori kappa turns where accuracy does. By precision and by NPV two"
                " classifiers never change places: the order by precision is that of the positive"
                " likelihood ratios, the order by NPV that of the negative ones. Who is better is"
                " said by the values found; whether the difference is certain is another question."
            ),
        )
    )


def _crossing_table(turning: Sequence[Crossing]) -> Table:
    columns = (
        Column("Measure"),
        Column("Better below"),
        Column("Better above"),
        Column("Equal at prevalence", numeric=True),
        Column("Interval", numeric=True),
    )
    rows = tuple(
        (
            known_measure(crossing.measure).title,
            crossing.below,
            crossing.above,
            Plain(crossing.prevalence or 0.0, 3),
            _where(crossing),
        )
        for crossing in turning
    )
    return Table("crossings", "Where two classifiers change places", columns, (RowGroup(rows),))


def _where(crossing: Crossing) -> Cell:
    if not is_located(crossing):
        return "cannot be located"
    return None if crossing.low is None else Interval(crossing.low, crossing.high)
