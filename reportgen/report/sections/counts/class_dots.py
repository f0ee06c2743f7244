"""How well each class is found, and how far its name can be trusted, drawn class by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.verdicts.ranking import places
from reportgen.measures import Orientation
from reportgen.measures.counts import PRECISION, SENSITIVITY
from reportgen.report.charts.evidence import DotRows, Panel
from reportgen.report.charts.lines import Dot
from reportgen.report.document import Figure, Paragraph
from reportgen.report.findings.leading import leading
from reportgen.report.findings.main import main_measure
from reportgen.report.parts import Count, Strong
from reportgen.report.words.level import level_of
from reportgen.report.words.spoken import spoken_values
from reportgen.report.words.wording import inside_a_sentence, some_names
from reportgen.scores import Score, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.measures import Measure
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

MOST_CLASSES, MOST_CLASSIFIERS = 50, 6
LABELS = {
    "sensitivity": "sensitivity: share of the class found",
    "precision": "precision: share of its name that is right",
}


def class_dots(evaluation: Evaluation) -> Iterator[Figure]:
    """Draw sensitivity and precision of every class, that found least often first."""
    names = leading(evaluation, MOST_CLASSIFIERS, MOST_CLASSIFIERS)
    if evaluation.kind != "multiclass":
        return
    shares = {
        class_: _found(evaluation, class_, names) for class_ in evaluation.predictions.classes
    }
    found = {class_: share for class_, share in shares.items() if share is not None}
    ordered = sorted(found, key=found.__getitem__)
    if not ordered:
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
        Paragraph(tuple(_reading(found, len(names), len(evaluation.measured)))),
        Paragraph(tuple(_note(evaluation, len(found), len(shares), names))),
    )


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


def _reading(found: dict[str, float], drawn: int, of: int) -> Iterator[Part]:
    """Name the classes found least and most often, all that are equal; nobody is called hardest."""
    least, most = (_first(found, side) for side in (Orientation.LOWER, Orientation.HIGHER))
    shares = [Score(found[each[0]], State.DEFINED) for each in (least, most)]
    low, high = spoken_values(SENSITIVITY, *shares)
    over = " over the classifiers drawn" if drawn < of else " over the classifiers"
    average = f" on average{over}" if drawn > 1 else ""
    if len(found) == 1:
        yield from ("Class ", Strong(least[0]), " is found in ", low, f" of its cases{average}.")
    elif len(least) == len(found):
        yield from ("All classes are found equally often, in ", low, f" of their cases{average}.")
    else:
        is_or_are = "is" if len(least) == 1 else "are"
        yield from (f"Found least often {is_or_are} ", *_classes(least), ", in ", low)
        yield f" of {'its' if len(least) == 1 else 'their'} cases{average}; most often "
        yield from (*_classes(most), ", in ", high, ".")


def _first(found: dict[str, float], side: Orientation) -> list[str]:
    return [class_ for class_, place in places(found, side).items() if place == 1]


def _classes(names: Sequence[str]) -> Iterator[Part]:
    yield from ("class " if len(names) == 1 else "classes ", *some_names(names))


def _note(evaluation: Evaluation, known: int, classes: int, names: Sequence[str]) -> Iterator[Part]:
    yield from ("The class found least often comes first; lines are ", level_of(evaluation))
    yield " intervals."
    if known > MOST_CLASSES:
        yield from (" Of ", Count(known), " classes the ", Count(MOST_CLASSES))
        yield " found least often are drawn."
    if empty := classes - known:
        yield from (" ", Count(empty))
        yield f" {'class' if empty == 1 else 'classes'} without a case"
        yield f" {'is' if empty == 1 else 'are'} not drawn."
    main = main_measure(evaluation)
    if len(names) < len(evaluation.measured) and main is not None:
        yield from (" Of ", Count(len(evaluation.measured)), " classifiers the ", Count(len(names)))
        yield f" best in {inside_a_sentence(main)} are drawn."
