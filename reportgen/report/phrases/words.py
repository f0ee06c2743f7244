"""Common phrases: names, measures, numbers and the words for the outcome of a test."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import CARDINALS
from reportgen.report.document import Note, Paragraph
from reportgen.report.inline import Count, InlineCode, Strong

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.measures import Measure
    from reportgen.report.inline import Inline

# One state, one name: in prose, in table cells, and for the rating of a capability.
NO_DIFFERENCE = "no significant difference"
NOT_SIGNIFICANT = "n.s."
NOT_CONFIRMED = "not confirmed"

_MAX_NAMES = 4
_PROPER_NAMES = ("Matthews", "Jaccard", "Pearson", "Brier", "G-mean")
_PARENTHESES = re.compile(r" \(.*\)$")


def join_names(names: Sequence[str]) -> Iterator[Inline]:
    """Yield names as a list: A, B and C."""
    for number, name in enumerate(names):
        if number:
            yield " and " if number == len(names) - 1 else ", "
        yield Strong(name)


def join_names_abbreviated(names: Sequence[str]) -> Iterator[Inline]:
    """Yield names as a list; of many the first, and the number of others."""
    if len(names) <= _MAX_NAMES:
        yield from join_names(names)
        return
    for number, name in enumerate(names[: _MAX_NAMES - 1]):
        yield from (", ", Strong(name)) if number else (Strong(name),)
    yield from (" and ", Count(len(names) - _MAX_NAMES + 1), " others")


def spell_number(number: int) -> str:
    """Return a number, up to ten as a word."""
    return CARDINALS[number - 1] if 1 <= number <= len(CARDINALS) else str(number)


def measure_phrase(measure: Measure) -> str:
    """Return the name of a measure inside a sentence, capitalised only if it is a proper name."""
    title = _PARENTHESES.sub("", measure.title)
    first = title.split()[0]
    keeps_case = first.endswith("'s") or title[:2].isupper() or title[1:2].isdigit()
    return title if keeps_case or first in _PROPER_NAMES else title[0].lower() + title[1:]


def join_sentences(*sentences: tuple[Inline, ...]) -> Paragraph | None:
    """Return sentences as a paragraph; None if there are none."""
    parts: list[Inline] = []
    for sentence in filter(None, sentences):
        parts += [" ", *sentence] if parts else sentence
    return Paragraph(tuple(parts)) if parts else None


def warning_notes(evaluation: Evaluation) -> tuple[Note, ...]:
    """Return a caution for every warning of the evaluation."""
    return tuple(Note(tuple(_warning_sentence(text)), warning=True) for text in evaluation.warnings)


def _warning_sentence(warning: str) -> Iterator[Inline]:
    """Yield a message as a sentence, with code between backticks."""
    sentence = warning[0].upper() + warning[1:].removesuffix(".") + "."
    for number, part in enumerate(sentence.split("`")):
        if part:
            yield InlineCode(part) if number % 2 else part
