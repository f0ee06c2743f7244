"""Plain text: escaping of invisible characters, and cells and sentences as text."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, assert_never

from reportgen.render.number_format import (
    format_difference,
    format_estimate,
    format_frequency,
    format_interval,
    format_measure_value,
    format_number,
    format_p_value,
    format_percent,
    format_value_interval,
    join_limits,
)
from reportgen.report.document import Figure, Matrices
from reportgen.report.inline import (
    CapabilityName,
    CellGroup,
    CheckMark,
    Count,
    Emphasis,
    Estimate,
    Hyperlink,
    InlineCode,
    InlineText,
    Interval,
    MathSymbol,
    MatrixCell,
    MeasureDifference,
    MeasureEstimate,
    MeasureName,
    PlainNumber,
    PValue,
    RankRange,
    RatingMeasureName,
    Strong,
    VerdictBadge,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.report.document import Table
    from reportgen.report.inline import Inline, TableCell

# Joiners are part of the orthography of some scripts.
ZERO_WIDTH_JOINERS = "\u200c\u200d"
INVISIBLE_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
ELLIPSIS = "…"
# Longer words get break points in table columns, at this interval.
MAX_UNBROKEN_LETTERS, BREAK_INTERVAL = 14, 12
# Measures with shorter titles are named in full where they rate a capability.
MAX_RATING_TITLE = 11
UNDEFINED_ABBREVIATION = "undef."


def escape_invisible(text: str) -> str:
    """Replace invisible characters, and those that change the direction of text, by code points."""
    # Whatever is printable for Python is in none of the hidden categories.
    return (
        text if text.isprintable() else "".join(_escape_character(character) for character in text)
    )


def listing_text(text: str) -> str:
    """Return the lines of a listing; line ends are kept."""
    return "\n".join(
        escape_invisible(line.replace("\t", "    ")) for line in text.strip("\n").split("\n")
    )


def format_code_point(character: str) -> str:
    """Return the code point of a character, as [U+597D]."""
    return f"[U+{ord(character):04X}]"


def code_text(code: InlineCode) -> str:
    """Return the visible part of a code."""
    if code.display_length is None or len(code.text) <= code.display_length:
        return escape_invisible(code.text)
    return escape_invisible(code.text[: code.display_length]) + ELLIPSIS


def check_text(check: CheckMark) -> str:
    """Return the symbol and the word of a check."""
    return " ".join(check_mark_and_word(check))


def check_mark_and_word(check: CheckMark) -> tuple[str, str]:
    """Return the symbol of a check, which does not depend on colour, and its word."""
    if check.passed:
        return "✓", check.text or "agrees"
    return "!" if check.advisory else "✗", check.text or "differs"


def short_measure_name(measure: Measure) -> str:
    """Return the shortest unambiguous name of a measure."""
    return measure.title if symbol_equals_title(measure) else measure.symbol.text


def symbol_equals_title(measure: Measure) -> bool:
    """Return whether the symbol equals the title."""
    return measure.symbol.text.casefold() == measure.title.casefold()


def title_contains_symbol(measure: Measure) -> bool:
    """Return whether the title contains every word of the symbol."""
    return set(measure.symbol.text.casefold().split()) <= set(measure.title.casefold().split())


def rating_measure_name(measure: Measure) -> str:
    """Return the name of a measure that rates a capability: its title if that is short."""
    is_short = len(measure.title) <= MAX_RATING_TITLE
    return measure.title if is_short else measure.symbol.text


def capability_head(name: CapabilityName) -> str:
    """Return the title of a capability with its question, for formats without small type."""
    return f"{name.capability.title}: {name.capability.question}"


def rank_range_texts(ranks: RankRange) -> tuple[str, str]:
    """Return the value, which may be empty, and the ranks left open."""
    if ranks.rank is None:
        return UNDEFINED_ABBREVIATION, ""
    return cell_text(ranks.estimate), ranks.text


def cell_text(cell: TableCell) -> str:
    """Return the text of a cell, without footnotes."""
    match cell:
        case None:
            return ""
        case str():
            return escape_invisible(cell)
        case MeasureEstimate(value=score, measure=measure, extra_decimals=extra, decimals=decimals):
            return format_measure_value(score, measure, extra, decimals)
        case Estimate():
            return _format_estimate_cell(cell)[0]
        case PlainNumber() | PValue() | Interval() | MeasureDifference():
            return number_text(cell)
        case Count(number=number):
            return format_frequency(number)
        case Strong(text=text) | Emphasis(text=text) | Hyperlink(text=text):
            return escape_invisible(text)
        case MathSymbol(symbol=symbol):
            return symbol.text
        case InlineCode():
            return code_text(cell)
        case InlineText(parts=parts):
            return sentence_text(parts)
        case VerdictBadge(text=word):
            return escape_invisible(word)
        case RankRange():
            value, text = rank_range_texts(cell)
            observed = f" (observed: {cell.observed})" if cell.observed else ""
            side = f"{cell.side} " if cell.side else ""
            return side + ", ".join(filter(None, (value, f"{text}{observed}")))
        case CellGroup(items=items, in_row=in_row):
            return (" " if in_row else "; ").join(map(cell_text, items))
        case RatingMeasureName(measure=measure, side=side):
            return rating_measure_name(measure) + (f" (on {side})" if side else "")
        case CapabilityName(capability=capability):
            return capability.title
        case MatrixCell(count=count, row_proportion=share):
            return f"{format_frequency(count)} ({format_percent(share)})"
        case MeasureName(measure=measure):
            return measure.title
        case CheckMark():
            return check_text(cell)
        case _:
            assert_never(cell)


def number_text(cell: PlainNumber | PValue | Interval | MeasureDifference) -> str:
    """Return the text of a number or an interval."""
    match cell:
        case PlainNumber(number=number, decimals=decimals, unit=unit):
            return format_number(number, decimals, escape_invisible(unit))
        case PValue(number=number, with_symbol=with_symbol):
            return format_p_value(number, with_symbol=with_symbol)
        case Interval(low=low, high=high, measure=measure, decimals=decimals):
            return join_limits(format_interval(low, high, measure, decimals))
        case MeasureDifference(measure=measure, number=number, decimals=decimals):
            return format_difference(number, measure, decimals)
        case _:
            assert_never(cell)


def interval_text(estimate: MeasureEstimate | Estimate) -> str:
    """Return the interval of a value; empty without an interval."""
    return join_limits(_format_estimate_interval(estimate))


def estimate_text(estimate: MeasureEstimate | Estimate) -> str:
    """Return a value as in a sentence, with its interval if requested."""
    shows_interval = isinstance(estimate, Estimate) or estimate.with_interval
    interval = interval_text(estimate) if shows_interval else ""
    return f"{cell_text(estimate)} ({interval})" if interval else cell_text(estimate)


def sentence_text(parts: Iterable[Inline]) -> str:
    """Return a sentence as plain text."""
    return "".join(
        estimate_text(part) if isinstance(part, MeasureEstimate | Estimate) else cell_text(part)
        for part in parts
    )


def searchable_text(parts: Iterable[Inline]) -> str:
    """Return a sentence with plain spaces, as programs compare it and people search for it."""
    return sentence_text(parts).replace("\N{NO-BREAK SPACE}", " ")


def values_in_cells(cells: Iterable[TableCell]) -> Iterable[MeasureValue]:
    """Return the values shown in cells, including those of verdicts."""
    for cell in cells:
        if isinstance(cell, MeasureEstimate):
            yield cell.value
        elif isinstance(cell, RankRange):
            yield from values_in_cells((cell.estimate,))
        elif isinstance(cell, CellGroup):
            yield from values_in_cells(cell.items)
        elif isinstance(cell, VerdictBadge):
            yield from (value.value for _, value in cell.estimates)


def _format_estimate_cell(estimate: Estimate) -> tuple[str, ...]:
    return format_estimate(estimate.number, estimate.low, estimate.high, estimate.decimals)


def _format_estimate_interval(estimate: MeasureEstimate | Estimate) -> tuple[str, ...]:
    if isinstance(estimate, Estimate):
        return _format_estimate_cell(estimate)[1:]
    if estimate.value.method is None:
        return ()
    return format_value_interval(
        estimate.value, estimate.measure, estimate.extra_decimals, estimate.decimals
    )


def _escape_character(character: str) -> str:
    if character in "\n\t":
        return " "
    if (
        character in ZERO_WIDTH_JOINERS
        or unicodedata.category(character) not in INVISIBLE_CATEGORIES
    ):
        return character
    return format_code_point(character)


UNSAFE_IN_ANCHOR = re.compile(r"[^A-Za-z0-9-]")


def block_anchor(block: Table | Matrices | Figure) -> str:
    """Return the anchor of a table or figure, which depends on its name only.

    Characters that a URL or a LaTeX label would not keep are replaced by their code points.
    """
    kind = "figure" if isinstance(block, Figure) else "table"
    name = block.items[0].name if isinstance(block, Matrices) else block.name
    return f"{kind}-{UNSAFE_IN_ANCHOR.sub(lambda match: f'_{ord(match[0]):x}', name)}"
