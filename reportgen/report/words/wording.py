"""Names, measures and numbers inside sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.verdicts.ranking import CARDINALS
from reportgen.report.document import Paragraph
from reportgen.report.parts import Count, Strong

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.measures import Measure
    from reportgen.report.parts import Part

MOST_NAMES = 4
PROPER_NAMES = ("Matthews", "Jaccard", "Type", "Pearson", "Brier")


def names_in_a_row(names: Sequence[str]) -> Iterator[Part]:
    """Write names one after the other: A, B and C."""
    for number, name in enumerate(names):
        if number:
            yield " and " if number == len(names) - 1 else ", "
        yield Strong(name)


def some_names(names: Sequence[str]) -> Iterator[Part]:
    """Write names one after the other; of many the first, and how many others."""
    if len(names) <= MOST_NAMES:
        yield from names_in_a_row(names)
        return
    for number, name in enumerate(names[: MOST_NAMES - 1]):
        yield from (", ", Strong(name)) if number else (Strong(name),)
    yield from (" and ", Count(len(names) - MOST_NAMES + 1), " others")


def number_word(number: int) -> str:
    """Say a number of things: up to ten by a word."""
    return CARDINALS[number - 1] if 1 <= number <= len(CARDINALS) else str(number)


def inside_a_sentence(measure: Measure) -> str:
    """Name a measure inside a sentence: titles that are no proper names are not capitalised."""
    title = measure.title
    first = title.split()[0]
    proper = first.endswith("'s") or title[:2].isupper() or title[1:2].isdigit()
    return title if proper or first in PROPER_NAMES else title[0].lower() + title[1:]


def note_of(*sentences: tuple[Part, ...]) -> Paragraph | None:
    """Join what is to be remarked; None: nothing."""
    parts: list[Part] = []
    for sentence in filter(None, sentences):
        parts += [" ", *sentence] if parts else sentence
    return Paragraph(tuple(parts)) if parts else None
