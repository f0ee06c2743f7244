"""How much a report tells, and where it says the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Paragraph
from reportgen.report.parts import Code

if TYPE_CHECKING:
    from reportgen.report.evaluation import Evaluation
    from reportgen.spec import SectionKind

FULL = 'detail = "full"'


def in_full(evaluation: Evaluation) -> bool:
    """Tell whether the report is to have every table."""
    return evaluation.spec.output.detail == "full"


def named_sections(evaluation: Evaluation) -> list[SectionKind]:
    """Return the sections the spec lists; a user's own words alone are no choice of sections."""
    return [section.kind for section in evaluation.spec.sections if section.kind != "text"]


def is_asked_for(evaluation: Evaluation, kind: SectionKind) -> bool:
    """Tell whether a section beyond the first page may be there: named, or not left out."""
    named = named_sections(evaluation)
    return kind in named if named else evaluation.spec.output.detail != "summary"


def rest_elsewhere(what: str) -> Paragraph:
    """Say in a line where the rest of a shortened section is."""
    return Paragraph((f"{what} are in results.json, and here with ", Code(FULL), "."))


def rest_in_full(what: str) -> Paragraph:
    """Say in a line that the rest of a section comes with the whole report."""
    return Paragraph((f"{what} is said here with ", Code(FULL), "."))
