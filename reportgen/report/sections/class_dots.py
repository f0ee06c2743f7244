"""How well each class is found, and how far its name can be trusted, drawn class by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures.counts import PRECISION, SENSITIVITY
from reportgen.report.charts import Dot
from reportgen.report.document import Count, Figure, Paragraph, Plain, Strong
from reportgen.report.evidence_charts import DotRows, Panel
from reportgen.report.findings import main_measure
from reportgen.report.standing import standing_places
from reportgen.report.wording import inside_a_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.measures import Measure
    from reportgen.report.document import Part
    from reportgen.report.evaluation import Evaluation

MOST_CLASSES, MOST_CLASSIFIERS, PERCENT = 50, 6, 100
LABELS = {
    "sensitivity": "sensitivity: share of the class found",
    "precision": "precision: share of its name that is right",
}


def class_dots(evaluation: Evaluation) -> Iterator[Figure]:
    """Draw sensitivity and precision of every class, the hardest class first."""
    names = _drawn(evaluation)
    found = {class_: _found(evaluation, class_, names) for class_ in evaluation.predictions.classes}
    ordered = sorted(
        (each for each in found if found[each] is not None), key=lambda each: found[each] or 0.0
    )
    if evaluation.kind != "multiclass" or not ordered:
        return
    classes = ordered[:MOST_CLASSES]
    panels = tuple(
        Panel(
            LABELS[measure.name],
            tuple(
                tuple(_dot(evaluation, measure, class_, name) for name in names)
                for class_ in classes
            ),
        )
        for measure in (SENSITIVITY, PRECISION)
    )
    yield Figure(
        "classes-drawn",
        "Sensitivity and precision, class by class",
        DotRows(tuple(classes), tuple((name, evaluation.order(name)) for name in names), panels),
        Paragraph(tuple(_reading(ordered, found, len(names)))),
        Paragraph(tuple(_note(evaluation, ordered, found, names))),
    )


def _drawn(evaluation: Evaluation) -> list[str]:
    """Return the classifiers that are drawn: of many the best, in the order of the spec."""
    main = main_measure(evaluation)
    if len(evaluation.measured) <= MOST_CLASSIFIERS or main is None:
        return list(evaluation.measured[:MOST_CLASSIFIERS])
    best = list(standing_places(evaluation, main))[:MOST_CLASSIFIERS]
    return [name for name in evaluation.measured if name in best]


def _found(evaluation: Evaluation, class_: str, names: Sequence[str]) -> float | None:
    """Return how often a class is found, averaged over the classifiers drawn."""
    scores = (evaluation.score(name, SENSITIVITY, class_) for name in names)
    values = [score.value for score in scores if score is not None and score.value is not None]
    return sum(values) / len(values) if values else None


def _dot(evaluation: Evaluation, measure: Measure, class_: str, name: str) -> Dot:
    score = evaluation.score(name, measure, class_)
    order = evaluation.order(name)
    if score is None or score.number is None:
        return Dot(name, None, order=order)
    ends = (score.low, score.high) if score.interval is not None else (None, None)
    return Dot(name, score.number, *ends, order=order)


def _reading(
    ordered: Sequence[str], found: dict[str, float | None], classifiers: int
) -> Iterator[Part]:
    hardest, easiest = ordered[0], ordered[-1]
    yield from ("The hardest class is ", Strong(hardest), ", found in ")
    yield Plain(PERCENT * (found[hardest] or 0.0), 1, "%")
    yield " of its cases" + (" on average over the classifiers" if classifiers > 1 else "")
    if len(ordered) > 1:
        yield from ("; the easiest is ", Strong(easiest), ", found in ")
        yield Plain(PERCENT * (found[easiest] or 0.0), 1, "%")
    yield "."


def _note(
    evaluation: Evaluation,
    ordered: Sequence[str],
    found: dict[str, float | None],
    names: Sequence[str],
) -> Iterator[Part]:
    yield "The class found least often comes first; lines are "
    yield Plain(PERCENT * evaluation.spec.intervals.level, unit="%")
    yield " intervals."
    if len(ordered) > MOST_CLASSES:
        yield from (" Of ", Count(len(found)), " classes the hardest ", Count(MOST_CLASSES))
        yield " are drawn."
    elif len(ordered) < len(found):
        yield from (" ", Count(len(found) - len(ordered)), " without a case are not drawn.")
    main = main_measure(evaluation)
    if len(names) < len(evaluation.measured) and main is not None:
        yield from (" Of ", Count(len(evaluation.measured)), " classifiers the ", Count(len(names)))
        yield f" best in {inside_a_sentence(main)} are drawn."
