"""Which classifiers are drawn where not all of them can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Code, Count, Paragraph
from reportgen.report.findings import known_values, main_measure
from reportgen.report.wording import inside_a_sentence

if TYPE_CHECKING:
    from reportgen.report.evaluation import Evaluation


def best_first(evaluation: Evaluation) -> tuple[str, ...]:
    """Return all measured classifiers by the main measure, those without a value last."""
    measure = main_measure(evaluation)
    ranked = tuple(known_values(evaluation, measure)) if measure else ()
    return (*ranked, *(name for name in evaluation.measured if name not in ranked))


def leading(evaluation: Evaluation, most: int, most_in_full: int | None = None) -> tuple[str, ...]:
    """Return the classifiers to draw, in the order of the spec: all, or the best by main measure.

    A report in full detail has all of them, or as many as `most_in_full`.
    """
    full = evaluation.spec.output.detail == "full"
    room = (most_in_full or len(evaluation.measured)) if full else most
    chosen = best_first(evaluation)[:room]
    return tuple(name for name in evaluation.measured if name in chosen)


def left_out(evaluation: Evaluation, shown: tuple[str, ...], what: str) -> tuple[Paragraph, ...]:
    """Say how many are not shown, and by what the others were chosen."""
    more = len(evaluation.measured) - len(shown)
    if not more:
        return ()
    measure = main_measure(evaluation)
    best = f"best in {inside_a_sentence(measure)}" if measure else "first"
    full = evaluation.spec.output.detail == "full"
    way = "." if full else "; "
    parts = (
        f"Shown are the {len(shown)} {best}; ",
        Count(more),
        f" further {what}{'s are' if more > 1 else ' is'} left out{way}",
    )
    return (
        Paragraph(
            parts if full else (*parts, Code('detail = "full"'), " under [output] shows all.")
        ),
    )
