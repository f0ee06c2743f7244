"""Warnings as notes: at the top of the report, because they bear on every number below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Code, Note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.document import Part
    from reportgen.report.evaluation import Evaluation


def warning_notes(evaluation: Evaluation) -> tuple[Note, ...]:
    """Return a note for every warning."""
    return tuple(Note(tuple(_parts(text)), warning=True) for text in evaluation.warnings)


def _parts(warning: str) -> Iterator[Part]:
    """Set apart what a message has between backticks."""
    for number, part in enumerate(warning.split("`")):
        if part:
            yield Code(part) if number % 2 else part
