"""What was found, in a few plain sentences; they say no more than the tests show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.verdicts.ranking import places
from reportgen.measures import Orientation, known_measure
from reportgen.report.detail import is_asked_for
from reportgen.report.document import Bullets, Note, Paragraph
from reportgen.report.findings.datasets import dataset_findings
from reportgen.report.findings.folds import fold_disagreements, fold_findings
from reportgen.report.findings.leading import best_first
from reportgen.report.findings.main import comparison_findings, main_measure
from reportgen.report.findings.majority import majority_findings
from reportgen.report.findings.over_time import over_time_findings
from reportgen.report.findings.prevalence import prevalence_findings
from reportgen.report.parts import Count, Strong
from reportgen.report.words.how_tested import tested_in_short
from reportgen.report.words.spoken import spoken_with_interval
from reportgen.report.words.warnings import warning_notes
from reportgen.report.words.wording import some_names
from reportgen.scores import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

HOW = {"poor": "poorly", "limited": "to a limited degree", "fair": "fairly", "good": "well"}
CLASSIFIERS_SPOKEN_OF = 4


def summary(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say who is better at what, what is open, and what to be careful with."""
    sentences = [
        *dataset_findings(evaluation),
        *comparison_findings(evaluation),
        *over_time_findings(evaluation),
        *majority_findings(evaluation),
        *_discrimination(evaluation),
        *_hardest_classes(evaluation),
        *fold_findings(evaluation),
        *_folds_that_mislead(evaluation),
        *prevalence_findings(evaluation),
        *_not_numbers(evaluation),
        *_published(evaluation),
    ]
    if not sentences:
        return ()
    how = Note(tuple(tested_in_short(evaluation)))
    return (
        Bullets(tuple(map(Paragraph, sentences))),
        *warning_notes(evaluation),
        *((how,) if how.parts else ()),
    )


def _discrimination(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Grade the classifiers as far as their whole interval has the grade."""
    if evaluation.kind != "binary" or not evaluation.capabilities:
        return
    # Of more the table of capabilities says it with less to read.
    if len(evaluation.measured) > CLASSIFIERS_SPOKEN_OF:
        return
    name = "discrimination_of_classes"
    cells = {row.classifier: row.cells[name] for row in evaluation.capabilities}
    grades: dict[str, list[str]] = {}
    for classifier in best_first(evaluation):
        if classifier not in cells:
            continue
        cell = cells[classifier]
        known = cell.verdict if cell.verdict in HOW else "none"
        grades.setdefault(known if cell.backed or known == "none" else "open", []).append(
            classifier
        )
    parts: list[Part] = ["By discriminant power, "]
    for number, (grade, names) in enumerate(grades.items()):
        one = len(names) == 1
        said = {
            "none": "cannot be graded",
            "open": "cannot be graded surely",
        }.get(grade, f"{'discriminates' if one else 'discriminate'} the classes {HOW.get(grade)}")
        parts += ["; " if number else "", *some_names(names), f" {said}"]
    yield (*parts, ".")


def _hardest_classes(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Name the class that each of the best classifiers finds least often."""
    if evaluation.kind != "multiclass":
        return
    measure = known_measure("sensitivity")
    said: list[tuple[Part, ...]] = []
    for classifier in best_first(evaluation)[:CLASSIFIERS_SPOKEN_OF]:
        found = {
            class_: score
            for class_ in evaluation.predictions.classes
            if (score := evaluation.score(classifier, measure, class_)) is not None
            and score.value is not None
        }
        places_from_worst = places(
            {class_: score.value or 0.0 for class_, score in found.items()}, Orientation.LOWER
        )
        hardest = [class_ for class_, place in places_from_worst.items() if place == 1]
        if 0 < len(hardest) < len(found):
            said.append(
                (
                    "class " if len(hardest) == 1 else "classes ",
                    *some_names(hardest),
                    " by ",
                    Strong(classifier),
                    ", ",
                    *spoken_with_interval(measure, found[hardest[0]]),
                )
            )
    if said:
        parts = [part for number, each in enumerate(said) for part in ("; " * (number > 0), *each)]
        yield ("Found least often: ", *parts, ".")


def _folds_that_mislead(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    measure = main_measure(evaluation)
    yield from fold_disagreements(evaluation, [measure] if measure else [], deciding=True)


def _not_numbers(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    scores = [
        score
        for classifier in evaluation.measured
        for measure in evaluation.main_measures
        if (score := evaluation.score(classifier, measure)) is not None
    ]
    undefined = sum(score.state is State.UNDEFINED for score in scores)
    infinite = sum(score.state is State.INFINITE for score in scores)
    said = [
        f"{number} {'is' if number == 1 else 'are'} {state}"
        for number, state in ((undefined, "undefined"), (infinite, "infinite"))
        if number
    ]
    if said:
        short = evaluation.spec.output.detail == "summary"
        why = "" if short else "; the reasons stand under the tables"
        yield (f"Among the values shown, {' and '.join(said)}{why}.",)


def _published(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    checks = evaluation.published
    different = sum(not check.agrees for check in checks)
    if different:
        why = "; see the reasons under “Published against computed”"
        yield (
            Count(different),
            " of ",
            Count(len(checks)),
            " published values ",
            "does" if different == 1 else "do",
            f" not follow from the data{why if is_asked_for(evaluation, 'published') else ''}.",
        )
    elif checks:
        yield ("Every published value comes out as printed.",)
