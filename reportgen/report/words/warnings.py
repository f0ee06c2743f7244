"""Warnings as notes: at the top of the report, because they bear on every number below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Note
from reportgen.report.parts import Code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part


def warning_notes(evaluation: Evaluation) -> tuple[Note, ...]:
    """Return a note for every warning."""
    return tuple(Note(tuple(_parts(text)), warning=True) for text in evaluation.warnings)


def _parts(warning: str) -> Iterator[Part]:
    """Make a sentence of a message, and set apart what it has between backticks."""
    sentence = warning[0].upper() + warning[1:].removesuffix(".") + "."
    for number, part in enumerate(sentence.split("`")):
        if part:
            yield Code(part) if number % 2 else part
