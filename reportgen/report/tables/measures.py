"""Tables of measures by classifier: the shape most sections share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import Measure, Orientation
from reportgen.report.document import Column, RowGroup, Table
from reportgen.report.findings.standing import places_of
from reportgen.report.parts import Cell, MeasureName, Value
from reportgen.report.words.decimals import decimals_to_show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.report.evaluation import Evaluation
    from reportgen.scores import Score

MOST_CLASSIFIERS_ACROSS = 6
MOST_MEASURES_ACROSS = 7


def measure_tables(
    evaluation: Evaluation,
    name: str,
    caption: str,
    measures: Sequence[Measure],
    *,
    average: str | None = None,
) -> tuple[Table, ...]:
    """Set measures against classifiers; many classifiers go down the page, measures across."""
    classifiers = evaluation.measured
    values = {
        measure: {
            classifier: score
            for classifier in classifiers
            if (score := evaluation.score(classifier, measure, average=average)) is not None
        }
        for measure in measures
    }
    values = {measure: found for measure, found in values.items() if found}
    if not values:
        return ()
    if len(classifiers) <= MOST_CLASSIFIERS_ACROSS:
        return (_measures_down(name, caption, classifiers, values),)
    return tuple(_classifiers_down(name, caption, classifiers, values))


def value_cells(
    measure: Measure, scores: Mapping[str, Score], classifiers: Sequence[str]
) -> dict[str, Cell]:
    """Return a cell per classifier, with the best marked when there is something to compare."""
    ranks = places_of(scores, measure)
    differ = len(set(ranks.values())) > 1 and measure.orientation is not Orientation.NEITHER
    extra = decimals_to_show(scores.values(), measure)
    return {
        name: Value(scores[name], measure, differ and ranks.get(name) == 1, extra)
        if name in scores
        else None
        for name in classifiers
    }


def _measures_down(
    name: str,
    caption: str,
    classifiers: Sequence[str],
    values: Mapping[Measure, Mapping[str, Score]],
) -> Table:
    rows = tuple(
        (MeasureName(measure), *value_cells(measure, scores, classifiers).values())
        for measure, scores in values.items()
    )
    columns = (Column("Measure"), *(Column(classifier, numeric=True) for classifier in classifiers))
    return Table(name, caption, columns, (RowGroup(rows),))


def _classifiers_down(
    name: str,
    caption: str,
    classifiers: Sequence[str],
    values: Mapping[Measure, Mapping[str, Score]],
) -> list[Table]:
    measures = list(values)
    parts = [
        measures[start : start + MOST_MEASURES_ACROSS]
        for start in range(0, len(measures), MOST_MEASURES_ACROSS)
    ]
    return [
        Table(
            name if number == 1 else f"{name}-{number}",
            caption if len(parts) == 1 else f"{caption} ({number} of {len(parts)})",
            (
                Column("Classifier"),
                *(Column(MeasureName(measure), numeric=True) for measure in part),
            ),
            (RowGroup(_classifier_rows(classifiers, part, values)),),
        )
        for number, part in enumerate(parts, start=1)
    ]


def _classifier_rows(
    classifiers: Sequence[str],
    measures: Sequence[Measure],
    values: Mapping[Measure, Mapping[str, Score]],
) -> tuple[tuple[Cell, ...], ...]:
    cells = {measure: value_cells(measure, values[measure], classifiers) for measure in measures}
    return tuple(
        (classifier, *(cells[measure][classifier] for measure in measures))
        for classifier in classifiers
    )
