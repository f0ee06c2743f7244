"""The report in a few plain sentences; they say what was found, not more than that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.verdicts.ranking import places
from reportgen.measures import Orientation, find_measure
from reportgen.report.dataset_findings import dataset_findings
from reportgen.report.document import Bullets, Count, Note, Paragraph, Plain, PValue, Strong, Value
from reportgen.report.findings import comparison_findings, known_values, main_measure
from reportgen.report.how_tested import how_tested, is_one_sided
from reportgen.report.other_findings import DECIDED
from reportgen.report.sections.fold_tests import fold_disagreements
from reportgen.report.sections.prevalence import prevalence_findings
from reportgen.report.warnings import warning_notes
from reportgen.report.wording import inside_a_sentence, names_in_a_row
from reportgen.scores import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons import Difference
    from reportgen.report.document import Block, Part
    from reportgen.report.evaluation import Evaluation

HOW = {"poor": "poorly", "limited": "to a limited degree", "fair": "fairly", "good": "well"}
CLASSIFIERS_SPOKEN_OF = 4
FOLD_PAIRS_SPOKEN_OF = 3


def summary(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say who scores best at what, and what to be careful with."""
    sentences = [
        *_audit(evaluation),
        *dataset_findings(evaluation),
        *comparison_findings(evaluation),
        *_discrimination(evaluation),
        *_hardest_class(evaluation),
        *_fold_means(evaluation),
        *_folds_that_mislead(evaluation),
        *(paragraph.parts for paragraph in prevalence_findings(evaluation)),
        *_not_numbers(evaluation),
        *_published(evaluation),
    ]
    if not sentences:
        return ()
    how = Note(tuple(how_tested(evaluation)))
    return (
        Bullets(tuple(map(Paragraph, sentences))),
        *warning_notes(evaluation),
        *((how,) if how.parts else ()),
    )


def _audit(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Say first that the cases are the same; where they are not, warnings say so."""
    audits = evaluation.predictions.audits
    found = [(audit.missing, audit.extra, audit.duplicated) for audit in audits]
    if len(audits) > 1 and not any(map(any, found)):
        yield ("Every file has the same cases: none is missing, extra, doubled or contradicting.",)


def _best_first(evaluation: Evaluation) -> list[str]:
    measure = main_measure(evaluation)
    ranked = list(known_values(evaluation, measure)) if measure else []
    return [*ranked, *(name for name in evaluation.measured if name not in ranked)]


def _discrimination(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Grade the classifiers as far as their whole interval has the grade."""
    if evaluation.kind != "binary" or not evaluation.capabilities:
        return
    name = "discrimination_of_classes"
    cells = {row.classifier: row.cells[name] for row in evaluation.capabilities}
    grades: dict[str, list[str]] = {}
    for classifier, cell in cells.items():
        known = cell.verdict if cell.verdict in HOW else "none"
        grades.setdefault(known if cell.backed or known == "none" else "open", []).append(
            classifier
        )
    parts: list[Part] = ["By discriminant power, "]
    for number, (grade, names) in enumerate(grades.items()):
        one = len(names) == 1
        said = {
            "none": "cannot be graded",
            "open": f"{'lies' if one else 'lie'} too close to a limit to be graded surely",
        }.get(grade, f"{'discriminates' if one else 'discriminate'} the classes {HOW.get(grade)}")
        parts += ["; " if number else "", *_some_names(names), f" {said}"]
    yield (*parts, ".")


def _some_names(names: Sequence[str]) -> Iterator[Part]:
    yield from names_in_a_row(names[:CLASSIFIERS_SPOKEN_OF])
    if len(names) > CLASSIFIERS_SPOKEN_OF:
        yield f" and {len(names) - CLASSIFIERS_SPOKEN_OF} more"


def _hardest_class(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    measure = find_measure("sensitivity")
    if evaluation.kind != "multiclass" or measure is None:
        return
    for classifier in _best_first(evaluation)[:CLASSIFIERS_SPOKEN_OF]:
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
            yield (
                Strong(classifier),
                " finds class " if len(hardest) == 1 else " finds classes ",
                *names_in_a_row(hardest),
                " least often: sensitivity ",
                Value(found[hardest[0]], measure),
                ".",
            )


def _fold_means(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Say what is known of classifiers of which only scores per fold are known."""
    rows = [row for row in evaluation.differences if row.decisive and row.data == "folds"]
    means = {(fold.classifier, fold.measure): fold.mean for fold in evaluation.folds}
    for row in rows[:FOLD_PAIRS_SPOKEN_OF]:
        measure = find_measure(row.measure)
        first, second = means.get((row.first, row.measure)), means.get((row.second, row.measure))
        if measure is None or first is None or second is None:
            continue
        if is_one_sided(evaluation, row):
            finding = _better_or_not(row)
        else:
            shown = "" if row.verdict in DECIDED else "not "
            finding = (f"The difference is {shown}shown to be more than chance (",)
        yield (
            f"Mean {inside_a_sentence(measure)} over the folds: ",
            Strong(row.first),
            " ",
            Plain(first),
            ", ",
            Strong(row.second),
            " ",
            Plain(second),
            ". ",
            *finding,
            PValue(row.p_adjusted, named=True),
            ").",
        )


def _better_or_not(row: Difference) -> tuple[Part, ...]:
    """Say what a test that asks only whether the first is better has found."""
    shown = "" if row.verdict in DECIDED else "not "
    return (
        Strong(row.first),
        f" is {shown}shown to be better than ",
        Strong(row.second),
        " (one-sided test, ",
    )


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
        yield (
            f"Among the values shown, {' and '.join(said)}; the reasons stand under the tables.",
        )


def _published(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    checks = evaluation.published
    different = sum(not check.agrees for check in checks)
    if different:
        yield (
            Count(different),
            " of ",
            Count(len(checks)),
            " published values ",
            "does" if different == 1 else "do",
            " not follow from the data; see the reasons under “Published against computed”.",
        )
    elif checks:
        yield ("Every published value comes out as printed.",)
