"""How much a report tells, and where it says the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Paragraph
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.inline import Count, InlineCode
from reportgen.report.phrases import measure_phrase
from reportgen.report.ranks import evaluated_classifiers, values_best_first

if TYPE_CHECKING:
    from collections.abc import Collection

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.inline import Inline
    from reportgen.spec import SectionKind


FULL_DETAIL = 'detail = "full"'


def is_full_detail(evaluation: Evaluation) -> bool:
    """Tell whether the report is to have every table."""
    return evaluation.spec.output.detail == "full"


def requested_sections(evaluation: Evaluation) -> list[SectionKind]:
    """Return the sections the spec lists; a user's own words alone are no choice of sections."""
    return [section.kind for section in evaluation.spec.sections if section.kind != "text"]


def is_section_included(evaluation: Evaluation, kind: SectionKind) -> bool:
    """Tell whether a section beyond the first page may be there: named, or not left out."""
    named = requested_sections(evaluation)
    return kind in named if named else evaluation.spec.output.detail != "summary"


def omitted_in_results_note(subject: str) -> Paragraph:
    """Say in a line where the rest of a shortened section is."""
    return Paragraph(
        (f"{subject} are in results.json, and here with ", InlineCode(FULL_DETAIL), ".")
    )


def omitted_in_full_note(subject: str) -> Paragraph:
    """Say in a line that the rest of a section comes with the whole report."""
    return Paragraph((f"{subject} is said here with ", InlineCode(FULL_DETAIL), "."))


# Which classifiers are drawn where not all of them can be.

MAX_CURVES = 12


def classifiers_best_first(evaluation: Evaluation) -> tuple[str, ...]:
    """Return all classifiers by the main measure, those without a value last."""
    measure = primary_measure(evaluation)
    ranked = tuple(values_best_first(evaluation, measure)) if measure else ()
    return (*ranked, *(name for name in evaluated_classifiers(evaluation) if name not in ranked))


def top_classifiers(
    evaluation: Evaluation,
    limit: int,
    full_detail_limit: int | None = None,
    candidates: Collection[str] | None = None,
) -> tuple[str, ...]:
    """Return the classifiers to draw, in the order of the spec: all, or the best by main measure.

    A report in full detail has all of them, or as many as `most_in_full`. `among`: only of these
    is there anything to draw.
    """
    names = evaluated_classifiers(evaluation)
    room = (full_detail_limit or len(names)) if is_full_detail(evaluation) else limit
    drawable = names if candidates is None else candidates
    chosen = [name for name in classifiers_best_first(evaluation) if name in drawable][:room]
    return tuple(name for name in names if name in chosen)


def plotted_classifiers(evaluation: Evaluation, names: Collection[str]) -> tuple[str, ...]:
    """Return of which classifiers curves are drawn: all that have some, or the best of them."""
    return top_classifiers(evaluation, MAX_CURVES, MAX_CURVES, names)


def omitted_classifiers_paragraph(
    evaluation: Evaluation, displayed: tuple[str, ...], noun: str
) -> tuple[Paragraph, ...]:
    """Say how many are not shown, by what the others were chosen, and how all can be seen."""
    said = omitted_classifiers_phrase(
        evaluation, len(displayed), len(evaluation.measured_classifiers), noun
    )
    if not said:
        return ()
    if is_full_detail(evaluation):
        return (Paragraph((*said, ".")),)
    return (Paragraph((*said, "; ", InlineCode(FULL_DETAIL), " under [output] shows all.")),)


def omitted_classifiers_phrase(
    evaluation: Evaluation,
    n_displayed: int,
    n_total: int,
    noun: str = "classifier",
    prefix: tuple[Inline, ...] = ("Shown are the ",),
) -> tuple[Inline, ...]:
    """Say without a full stop how many are not shown, and by what the others were chosen."""
    more = n_total - n_displayed
    if not more:
        return ()
    measure = primary_measure(evaluation)
    best = f"best in {measure_phrase(measure)}" if measure else "first"
    further = f" further {noun}{'s are' if more > 1 else ' is'} left out"
    return (*prefix, Count(n_displayed), f" {best}; ", Count(more), further)


def unplotted_classifiers_sentence(
    evaluation: Evaluation, names: Collection[str]
) -> tuple[Inline, ...]:
    """Say how many classifiers have no curve for want of room, and who has one."""
    said = omitted_classifiers_phrase(
        evaluation, len(plotted_classifiers(evaluation, names)), len(names)
    )
    return (*said, ".") if said else ()
