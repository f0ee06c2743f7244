"""Which classifiers are drawn where not all of them can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.detail import FULL, in_full
from reportgen.report.document import Paragraph
from reportgen.report.findings.main import main_measure
from reportgen.report.findings.standing import standing_names, standing_values
from reportgen.report.parts import Code, Count
from reportgen.report.words.wording import inside_a_sentence

if TYPE_CHECKING:
    from collections.abc import Collection

    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

MOST_CURVES = 12


def best_first(evaluation: Evaluation) -> tuple[str, ...]:
    """Return all classifiers by the main measure, those without a value last."""
    measure = main_measure(evaluation)
    ranked = tuple(standing_values(evaluation, measure)) if measure else ()
    return (*ranked, *(name for name in standing_names(evaluation) if name not in ranked))


def leading(
    evaluation: Evaluation,
    most: int,
    most_in_full: int | None = None,
    among: Collection[str] | None = None,
) -> tuple[str, ...]:
    """Return the classifiers to draw, in the order of the spec: all, or the best by main measure.

    A report in full detail has all of them, or as many as `most_in_full`. `among`: only of these
    is there anything to draw.
    """
    names = standing_names(evaluation)
    room = (most_in_full or len(names)) if in_full(evaluation) else most
    drawable = names if among is None else among
    chosen = [name for name in best_first(evaluation) if name in drawable][:room]
    return tuple(name for name in names if name in chosen)


def drawn_of(evaluation: Evaluation, names: Collection[str]) -> tuple[str, ...]:
    """Return of which classifiers curves are drawn: all that have some, or the best of them."""
    return leading(evaluation, MOST_CURVES, MOST_CURVES, names)


def left_out(evaluation: Evaluation, shown: tuple[str, ...], what: str) -> tuple[Paragraph, ...]:
    """Say how many are not shown, by what the others were chosen, and how all can be seen."""
    said = how_many_left_out(evaluation, len(shown), len(evaluation.measured), what)
    if not said:
        return ()
    if in_full(evaluation):
        return (Paragraph((*said, ".")),)
    return (Paragraph((*said, "; ", Code(FULL), " under [output] shows all.")),)


def how_many_left_out(
    evaluation: Evaluation,
    shown: int,
    of: int,
    what: str = "classifier",
    before: tuple[Part, ...] = ("Shown are the ",),
) -> tuple[Part, ...]:
    """Say without a full stop how many are not shown, and by what the others were chosen."""
    more = of - shown
    if not more:
        return ()
    measure = main_measure(evaluation)
    best = f"best in {inside_a_sentence(measure)}" if measure else "first"
    further = f" further {what}{'s are' if more > 1 else ' is'} left out"
    return (*before, Count(shown), f" {best}; ", Count(more), further)


def not_drawn(evaluation: Evaluation, names: Collection[str]) -> tuple[Part, ...]:
    """Say how many classifiers have no curve for want of room, and who has one."""
    said = how_many_left_out(evaluation, len(drawn_of(evaluation, names)), len(names))
    return (*said, ".") if said else ()
