"""Level of detail: which classifiers and sections are included, and notes on omissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.charts import MUTED_COLOR_INDEX
from reportgen.report.document import Paragraph
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.inline import Count, InlineCode
from reportgen.report.phrases import measure_phrase
from reportgen.report.ranks import evaluated_classifiers, values_best_first
from reportgen.spec.output import ADDED_SECTIONS

if TYPE_CHECKING:
    from collections.abc import Collection

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.inline import Inline
    from reportgen.spec import SectionKind


FULL_DETAIL = 'detail = "full"'


def is_full_detail(evaluation: Evaluation) -> bool:
    """Return whether the level of detail is full."""
    return evaluation.spec.output.detail == "full"


def requested_sections(evaluation: Evaluation) -> list[SectionKind]:
    """Return the sections that the spec lists, except those added to the default ones."""
    kinds = (section.kind for section in evaluation.spec.sections)
    return [kind for kind in kinds if kind not in ADDED_SECTIONS]


def is_section_included(evaluation: Evaluation, kind: SectionKind) -> bool:
    """Return whether a section beyond the summary is included: requested, or by default."""
    requested = requested_sections(evaluation)
    return kind in requested if requested else evaluation.spec.output.detail != "summary"


def omitted_in_results_note(subject: str = "Full list") -> Paragraph:
    """Return the note that the rest of a shortened section is in results.json."""
    return Paragraph((f"{subject}: results.json or ", InlineCode(FULL_DETAIL), "."))


# Which classifiers are shown where not all of them can be.

MAX_CURVES = 12
# Rows of classifiers in a long table below full detail, and matrices side by side.
MAX_ROWS = 10
MAX_MATRICES = 9
# Lines of classifiers in grey cost little space, so that more of them can be drawn.
MAX_LINES = 40
# Above so many classifiers, only the best have a colour of their own.
MAX_COLORS, N_HIGHLIGHTED = 6, 3


def classifiers_best_first(evaluation: Evaluation) -> tuple[str, ...]:
    """Return all classifiers: the leader of the recommendation, then best first.

    They are ordered by the primary measure, those without a value last. With costs or a requirement
    the leader may be another classifier than the best in the primary measure.
    """
    measure, facts = primary_measure(evaluation), evaluation.recommendation
    names = evaluated_classifiers(evaluation)
    leader = (facts.leader,) if facts is not None and facts.leader in names else ()
    ranking = tuple(values_best_first(evaluation, measure)) if measure else ()
    return tuple(dict.fromkeys((*leader, *ranking, *names)))


def top_classifiers(
    evaluation: Evaluation,
    limit: int,
    full_detail_limit: int | None = None,
    candidates: Collection[str] | None = None,
) -> tuple[str, ...]:
    """Return the displayed classifiers, best first.

    A report in full detail has all of them, or `full_detail_limit`. Only `candidates` are
    considered, if given.
    """
    names = classifiers_best_first(evaluation)
    n_displayed = (full_detail_limit or len(names)) if is_full_detail(evaluation) else limit
    drawable = names if candidates is None else candidates
    return tuple(name for name in names if name in drawable)[:n_displayed]


def classifier_color(evaluation: Evaluation, name: str) -> int:
    """Return the colour index of a classifier, the same in all charts of a report.

    It is its position in the spec. Above six classifiers, the three best by the primary measure
    have the first three colours, and all others are grey.
    """
    if len(evaluation.spec.classifiers) <= MAX_COLORS:
        return evaluation.classifier_index(name)
    highlighted = highlighted_classifiers(evaluation)
    return highlighted.index(name) if name in highlighted else MUTED_COLOR_INDEX


def highlighted_classifiers(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the classifiers drawn in colour: all, or the three best, best first, of many."""
    if len(evaluation.spec.classifiers) <= MAX_COLORS:
        return evaluated_classifiers(evaluation)
    return classifiers_best_first(evaluation)[:N_HIGHLIGHTED]


def plotted_classifiers(
    evaluation: Evaluation, names: Collection[str], limit: int = MAX_CURVES
) -> tuple[str, ...]:
    """Return the classifiers with displayed curves: all of these, or the best."""
    return top_classifiers(evaluation, limit, limit, names)


def omitted_classifiers_paragraph(
    evaluation: Evaluation, displayed: tuple[str, ...], noun: str
) -> tuple[Paragraph, ...]:
    """Return the number of omitted classifiers, and how to show them all."""
    phrase = omitted_classifiers_phrase(
        evaluation, len(displayed), len(evaluation.measured_classifiers), noun
    )
    if not phrase:
        return ()
    if is_full_detail(evaluation):
        return (Paragraph((*phrase, ".")),)
    return (Paragraph((*phrase, "; all with ", InlineCode(FULL_DETAIL), ".")),)


def omitted_classifiers_phrase(
    evaluation: Evaluation,
    n_displayed: int,
    n_total: int,
    noun: str = "classifier",
    prefix: tuple[Inline, ...] = ("Shown: the ",),
) -> tuple[Inline, ...]:
    """Return the number of displayed and omitted classifiers, without a full stop."""
    n_more = n_total - n_displayed
    if not n_more:
        return ()
    measure = primary_measure(evaluation)
    best = f"best by {measure_phrase(measure)}" if measure else "first"
    phrase = f" more {noun}{'s' if n_more > 1 else ''} not shown"
    return (*prefix, Count(n_displayed), f" {best}; ", Count(n_more), phrase)


def unplotted_classifiers_sentence(
    evaluation: Evaluation, names: Collection[str], limit: int = MAX_CURVES
) -> tuple[Inline, ...]:
    """Return the number of classifiers without a displayed curve."""
    phrase = omitted_classifiers_phrase(
        evaluation, len(plotted_classifiers(evaluation, names, limit)), len(names)
    )
    return (*phrase, ".") if phrase else ()
