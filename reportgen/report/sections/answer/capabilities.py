"""Who is able to do what: the capability tables, as much of them as a first page holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.detail import is_asked_for, named_sections
from reportgen.report.findings.leading import best_first
from reportgen.report.tables.capabilities import (
    capability_tables,
    every_verdict,
    is_by_class,
    swap_notes,
    unexplained_backing,
)
from reportgen.report.tables.capability_counts import better_counts

if TYPE_CHECKING:
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation

MOST_ON_THE_FIRST_PAGE, BEST_ON_THE_FIRST_PAGE = 6, 5


def capabilities(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show who is able to do what: everybody, or the best of many; of many classes the leads."""
    if len(evaluation.measured) <= 1 or not evaluation.capabilities:
        return ()
    notes = (*unexplained_backing(evaluation), *swap_notes(evaluation))
    if is_by_class(evaluation) and not _is_alone(evaluation):
        return (better_counts(evaluation), *notes)
    if _is_alone(evaluation):
        return (*every_verdict(evaluation), *notes)
    return (*capability_tables(evaluation, _on_the_first_page(evaluation)), *notes)


def verdicts(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the verdicts that the first page has no room for."""
    if len(evaluation.measured) <= 1 or not evaluation.capabilities:
        return ()
    everybody = len(_on_the_first_page(evaluation)) == len(evaluation.measured)
    if everybody and not is_by_class(evaluation) and is_asked_for(evaluation, "capabilities"):
        return ()
    return every_verdict(evaluation)


def _is_alone(evaluation: Evaluation) -> bool:
    """Tell whether sections were chosen, and none among them that shows every verdict."""
    return bool(named_sections(evaluation)) and not is_asked_for(evaluation, "verdicts")


def _on_the_first_page(evaluation: Evaluation) -> tuple[str, ...]:
    """Return all classifiers or, of many, the best by the main measure."""
    if len(evaluation.measured) <= MOST_ON_THE_FIRST_PAGE:
        return evaluation.measured
    return best_first(evaluation)[:BEST_ON_THE_FIRST_PAGE]
