"""How scores were read: as probabilities, or as numbers that only rank the cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.document import Paragraph
from reportgen.report.parts import Code
from reportgen.report.words.wording import names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.predictions.model import ScoreReading
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part


def score_readings(evaluation: Evaluation) -> tuple[Paragraph, ...]:
    """Say what the scores of each classifier were taken for, and why."""
    groups: dict[tuple[str, str, bool], list[ScoreReading]] = {}
    for reading in evaluation.predictions.score_readings:
        groups.setdefault((reading.columns, reading.kind, reading.told), []).append(reading)
    if not groups:
        return ()
    parts = [part for found in groups.values() for part in _sentence(evaluation, found)]
    return (Paragraph(tuple(parts)),)


def _sentence(evaluation: Evaluation, readings: list[ScoreReading]) -> Iterator[Part]:
    first = readings[0]
    yield "The scores of "
    yield from names_in_a_row([reading.classifier for reading in readings])
    yield " in "
    yield Code(first.columns)
    if first.told:
        yield " are probabilities. " if first.kind == "probability" else " only rank the cases. "
    elif first.kind == "probability":
        positive = evaluation.spec.task.positive
        yield f" all lie between 0 and 1 and were read as probabilities of {positive}; if they are"
        yield " not, "
        yield Code('score_kind = "ranking"')
        yield " in the spec says so. "
    else:
        yield " do not all lie between 0 and 1, so they only rank the cases, and measures of"
        yield " probabilities are left out. "
