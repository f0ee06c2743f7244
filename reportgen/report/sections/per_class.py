"""Every class against the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import GROUPS
from reportgen.report.document import Column, Count, MeasureName, Paragraph, RowGroup, Table, Value
from reportgen.report.tables import MOST_MEASURES_ACROSS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.measures import Measure
    from reportgen.report.document import Block, Cell
    from reportgen.report.evaluation import Evaluation


def per_class(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the measures of every class, one table per classifier and group of measures."""
    if evaluation.predictions.confusion is None:
        return ()
    introduction = (
        "Each class is taken as positive in turn and all others as negative; the number of cases"
        " is how many truly belong to the class."
    )
    return (Paragraph((introduction,)), *_tables(evaluation))


def _tables(evaluation: Evaluation) -> Iterator[Table]:
    cases = _cases(evaluation)
    for number, classifier in enumerate(evaluation.measured, start=1):
        for part, measures in enumerate(_groups(evaluation.shown), start=1):
            yield Table(
                f"class-{number}-{part}",
                f"{classifier}, by class",
                (
                    Column("Class"),
                    Column("Cases", numeric=True),
                    *(Column(MeasureName(measure), numeric=True) for measure in measures),
                ),
                (RowGroup(tuple(_rows(evaluation, classifier, measures, cases))),),
            )


def _groups(measures: Sequence[Measure]) -> list[list[Measure]]:
    """Put measures that are read together into one table, at most as many as fit across."""
    names = (GROUPS["traditional"], GROUPS["discriminant"])
    groups = [[measure for measure in measures if measure.name in group] for group in names]
    others = [measure for measure in measures if not any(measure.name in group for group in names)]
    chunks = [
        others[start : start + MOST_MEASURES_ACROSS]
        for start in range(0, len(others), MOST_MEASURES_ACROSS)
    ]
    return [group for group in (*groups, *chunks) if group]


def _rows(
    evaluation: Evaluation,
    classifier: str,
    measures: Sequence[Measure],
    cases: Mapping[tuple[str, str], int],
) -> Iterator[tuple[Cell, ...]]:
    for class_ in evaluation.predictions.classes:
        scores = ((measure, evaluation.score(classifier, measure, class_)) for measure in measures)
        values = (Value(score, measure) if score else None for measure, score in scores)
        yield (class_, Count(cases[classifier, class_]), *values)


def _cases(evaluation: Evaluation) -> dict[tuple[str, str], int]:
    tally = evaluation.predictions.confusion
    assert tally is not None  # noqa: S101  # the section is left out otherwise
    matrices = {classifier: tally.matrix(classifier) for classifier in evaluation.measured}
    return {
        (classifier, class_): sum(row)
        for classifier, matrix in matrices.items()
        for class_, row in zip(evaluation.predictions.classes, matrix, strict=True)
    }
