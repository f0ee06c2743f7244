"""Text from data made safe to look at, and cells as plain text."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, assert_never

from reportgen.rendering.numbers import (
    MINUS,
    count_text,
    difference_text,
    estimate_texts,
    interval_texts,
    p_text,
    percent_text,
    plain_text,
    score_text,
    span_texts,
)
from reportgen.report.parts import (
    Check,
    Code,
    Count,
    DifferenceOf,
    Emphasis,
    Estimate,
    Interval,
    Link,
    Math,
    MeasureName,
    Plain,
    PValue,
    Share,
    Strong,
    Value,
    Verdict,
    Words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.measures import Measure
    from reportgen.report.parts import Cell, Part
    from reportgen.scores import Score

# The joiners belong to the spelling of some scripts.
JOINERS = "\u200c\u200d"
HIDDEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
CONTINUED = "…"
# A longer word is broken in the columns of a table, after so many letters.
LONG_WORD, PIECE = 14, 12


def visible(text: str) -> str:
    """Replace characters that cannot be seen, or turn the text around, by their code points."""
    # Whatever is printable for Python is in none of the hidden categories.
    return text if text.isprintable() else "".join(_seen(character) for character in text)


def lines_text(text: str) -> str:
    """Return the lines of a listing; only what ends a line is left as it is."""
    return "\n".join(visible(line.replace("\t", "    ")) for line in text.strip("\n").split("\n"))


def code_point(character: str) -> str:
    """Return what stands for a character that cannot be shown."""
    return f"[U+{ord(character):04X}]"


def code_text(code: Code) -> str:
    """Return as much of a code as is to be shown."""
    if code.shown is None or len(code.text) <= code.shown:
        return visible(code.text)
    return visible(code.text[: code.shown]) + CONTINUED


def check_text(check: Check) -> str:
    """Say whether two things agree, or whether something holds."""
    return " ".join(check_words(check))


def check_words(check: Check) -> tuple[str, str]:
    """Return the mark of a check, by which it is told without colours, and its word."""
    if check.agrees:
        return "✓", check.word or "agrees"
    return "!" if check.mild else "✗", check.word or "differs"


def short_name(measure: Measure) -> str:
    """Return the narrowest name of a measure that is still clear."""
    return measure.title if has_plain_symbol(measure) else measure.symbol.text


def has_plain_symbol(measure: Measure) -> bool:
    """Tell whether the symbol merely repeats the title."""
    return measure.symbol.text.casefold() == measure.title.casefold()


def repeats_title(measure: Measure) -> bool:
    """Tell whether every word of the symbol stands in the title anyway."""
    return set(measure.symbol.text.casefold().split()) <= set(measure.title.casefold().split())


def cell_text(cell: Cell) -> str:
    """Return what a cell shows, without its footnotes."""
    match cell:
        case None:
            return ""
        case str():
            return visible(cell)
        case Value(score=score, measure=measure, extra_decimals=extra):
            return score_text(score, measure, extra)
        case Estimate():
            return _estimated(cell)[0]
        case Plain() | PValue() | Interval() | DifferenceOf():
            return number_text(cell)
        case Count(number=number):
            return count_text(number)
        case Strong(text=text) | Emphasis(text=text) | Link(text=text):
            return visible(text)
        case Math(symbol=symbol):
            return symbol.text
        case Code():
            return code_text(cell)
        case Words(parts=parts):
            return sentence_text(parts)
        case Verdict(word=word):
            return visible(word)
        case Share(count=count, share=share):
            return f"{count_text(count)} ({percent_text(share)})"
        case MeasureName(measure=measure):
            return measure.title
        case Check():
            return check_text(cell)
        case _:
            assert_never(cell)


def number_text(cell: Plain | PValue | Interval | DifferenceOf) -> str:
    """Return a number, or two, as they stand in a sentence or a cell."""
    match cell:
        case Plain(number=number, decimals=decimals, unit=unit):
            return plain_text(number, decimals, visible(unit))
        case PValue(number=number, named=named):
            return p_text(number, named=named)
        case Interval(low=low, high=high, measure=measure, decimals=decimals):
            return " to ".join(span_texts(low, high, measure, decimals))
        case DifferenceOf(measure=measure, number=number, decimals=decimals):
            return difference_text(number, measure, decimals)
        case _:
            assert_never(cell)


def interval_text(value: Value | Estimate) -> str:
    """Return the interval of a value for a sentence, or nothing."""
    return " to ".join(_ends(value))


def narrow_interval(value: Value | Estimate) -> str:
    """Return the interval of a value as narrow as is clear, or nothing."""
    ends = _ends(value)
    return (" to " if any(end.startswith(MINUS) for end in ends) else " – ").join(ends)


def value_text(value: Value | Estimate) -> str:
    """Return a value as it stands in a sentence, with its interval if that is asked for."""
    shown = isinstance(value, Estimate) or value.with_interval
    interval = interval_text(value) if shown else ""
    return f"{cell_text(value)} ({interval})" if interval else cell_text(value)


def sentence_text(parts: Iterable[Part]) -> str:
    """Return a sentence as plain text."""
    return "".join(
        value_text(part) if isinstance(part, Value | Estimate) else cell_text(part)
        for part in parts
    )


def scores_in(cells: Iterable[Cell]) -> Iterable[Score]:
    """Return every score that cells show, also those a verdict stands on."""
    for cell in cells:
        if isinstance(cell, Value):
            yield cell.score
        elif isinstance(cell, Verdict):
            yield from (value.score for _, value in cell.because)


def _estimated(estimate: Estimate) -> tuple[str, ...]:
    return estimate_texts(estimate.number, estimate.low, estimate.high, estimate.decimals)


def _ends(value: Value | Estimate) -> tuple[str, ...]:
    if isinstance(value, Estimate):
        return _estimated(value)[1:]
    if value.score.interval is None:
        return ()
    return interval_texts(value.score, value.measure, value.extra_decimals)


def _seen(character: str) -> str:
    if character in "\n\t":
        return " "
    if character in JOINERS or unicodedata.category(character) not in HIDDEN_CATEGORIES:
        return character
    return code_point(character)
