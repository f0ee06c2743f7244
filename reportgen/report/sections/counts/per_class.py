"""Every class against the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import GROUPS
from reportgen.measures.counts import SENSITIVITY
from reportgen.report.detail import in_full, rest_elsewhere
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.parts import Count, MeasureName, Value
from reportgen.report.sections.counts.class_dots import class_dots
from reportgen.report.tables.measures import (
    MOST_CLASSIFIERS_ACROSS,
    MOST_MEASURES_ACROSS,
    value_cells,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.measures import Measure
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell
    from reportgen.scores import Score

MOST_CLASSES = 60
WORST_SHOWN = 20
SHOWN_IN_SHORT = ("sensitivity", "precision")
REST = "All measures of every class"
SHOWN_OF_MANY = ("sensitivity", "precision", "f1", "youden")


def per_class(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the measures of every class, one table per classifier and group of measures."""
    if evaluation.predictions.confusion is None:
        return ()
    introduction = (
        "Each class is taken as positive in turn and all others as negative; the number of cases"
        " is how many truly belong to the class."
    )
    many = len(evaluation.measured) > MOST_CLASSIFIERS_ACROSS or not in_full(evaluation)
    tables = _measure_by_measure(evaluation) if many else _classifier_by_classifier(evaluation)
    if len(evaluation.predictions.classes) > MOST_CLASSES:
        introduction += (
            f" Of {len(evaluation.predictions.classes)} classes, the {WORST_SHOWN} that are found"
            " least often are shown; results.json has all."
        )
    drawn = tuple(class_dots(evaluation))
    whole = in_full(evaluation)
    return (
        Paragraph((introduction,)),
        *drawn,
        *(tables if whole or not drawn else ()),
        *(() if whole else (rest_elsewhere(REST),)),
    )


def _measure_by_measure(evaluation: Evaluation) -> Iterator[Table]:
    """Set classes against classifiers, for the measures that say most about a class."""
    names = evaluation.measured
    wanted = SHOWN_OF_MANY if in_full(evaluation) else SHOWN_IN_SHORT
    found = [measure for measure in evaluation.shown if measure.name in wanted]
    for measure in found or _by_class(evaluation, names[0])[:1]:
        rows = tuple(
            (class_, *value_cells(measure, _scores(evaluation, measure, class_), names).values())
            for class_ in _classes_to_show(evaluation, names[0])
        )
        yield Table(
            f"class-{measure.name}",
            f"{measure.title}, by class",
            (Column("Class"), *(Column(name, numeric=True) for name in names)),
            (RowGroup(rows),),
        )


def _scores(evaluation: Evaluation, measure: Measure, class_: str) -> dict[str, Score]:
    found = {name: evaluation.score(name, measure, class_) for name in evaluation.measured}
    return {name: score for name, score in found.items() if score is not None}


def _classifier_by_classifier(evaluation: Evaluation) -> Iterator[Table]:
    cases = _cases(evaluation)
    for number, classifier in enumerate(evaluation.measured, start=1):
        for part, measures in enumerate(_groups(_by_class(evaluation, classifier)), start=1):
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


def _by_class(evaluation: Evaluation, classifier: str) -> list[Measure]:
    """Return the measures that have a value for every class, as some of probabilities have not."""
    classes = evaluation.predictions.classes
    return [
        measure
        for measure in evaluation.shown
        if all(evaluation.score(classifier, measure, class_) for class_ in classes)
    ]


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
    for class_ in _classes_to_show(evaluation, classifier):
        scores = ((measure, evaluation.score(classifier, measure, class_)) for measure in measures)
        values = (Value(score, measure) if score else None for measure, score in scores)
        yield (class_, Count(cases[classifier, class_]), *values)


def _classes_to_show(evaluation: Evaluation, classifier: str) -> Sequence[str]:
    """Return all classes or, of too many, those that are found least often, worst first."""
    classes = evaluation.predictions.classes
    if len(classes) <= MOST_CLASSES:
        return classes
    scores = {class_: evaluation.score(classifier, SENSITIVITY, class_) for class_ in classes}
    found = {
        class_: score.value
        for class_, score in scores.items()
        if score is not None and score.value is not None
    }
    return sorted(found, key=found.__getitem__)[:WORST_SHOWN]


def _cases(evaluation: Evaluation) -> dict[tuple[str, str], int]:
    return {
        (classifier, class_): size
        for classifier, sizes in evaluation.class_sizes.items()
        for class_, size in zip(evaluation.predictions.classes, sizes, strict=True)
    }
