"""Footnotes and legends of tables: reasons of undefined values, arrows and marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import Orientation
from reportgen.render.number_format import UNDEFINED_TEXT
from reportgen.render.plain_text import escape_invisible, values_in_cells
from reportgen.report.inline import (
    CellGroup,
    MeasureEstimate,
    MeasureName,
    RankRange,
    RatingMeasureName,
    VerdictBadge,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.document import Table
    from reportgen.report.inline import TableCell

BEST_MARK = "●"
ORIENTATION_ARROWS = {Orientation.HIGHER: "↑", Orientation.LOWER: "↓"}
ORIENTATION_TEXTS = {
    Orientation.HIGHER: "higher is better",
    Orientation.LOWER: "lower is better",
    Orientation.NEITHER: "neither way is better",
}


@dataclass(frozen=True, slots=True)
class SignificanceMark:
    """How the significance of a verdict is shown: CSS class, symbol, label and description."""

    css_class: str
    symbol: str
    label: str
    description: str


SIGNIFICANCE_MARKS = {
    True: SignificanceMark("significant", "✓", "confirmed", "statistically confirmed"),
    False: SignificanceMark(
        "not-significant", "?", "not confirmed", "not confirmed (could be chance)"
    ),
    None: SignificanceMark("untested", "", "not tested", "not tested"),
}

RANK_RANGE_MEANING = "bar, 1–3: ranks or grades the tests leave open (left is best); dot: observed"
MARK_MEANING = "▲ best, ▼ worst, number: rank (= tied), + or −: on this side, –: sides differ"
VERDICTS_IN_TEXT_MEANING = {
    True: "confirmed: significant after adjustment",
    False: "not confirmed: could be chance",
}
RANKS_IN_TEXT_MEANING = "rank a–b: ranks the tests leave open, with the observed rank"
MARKS_IN_TEXT_MEANING = "bold: confirmed by the tests"
MARK_STATE_MEANINGS = {
    True: "confirmed by the tests",
    False: "observed only",
    None: "not tested",
}


@dataclass(frozen=True, slots=True)
class Footnotes:
    """The footnotes of a table in order of appearance, and the legend of its marks.

    `significance_states` has the states of its verdicts: significant, not significant, not tested;
    `mark_states` those of its marks.
    """

    texts: tuple[str, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    significance_states: tuple[bool | None, ...] = ()
    mark_states: tuple[bool | None, ...] = ()
    has_rank_ranges: bool = False

    def note_number(self, value: MeasureValue) -> int | None:
        """Return the number of a value's footnote, or None."""
        text = reason_text(value)
        return self.texts.index(text) + 1 if text in self.texts else None


def collect_footnotes(table: Table) -> Footnotes:
    """Collect the notes of a table."""
    cells = list(_table_cells(table))
    reasons = (reason_text(score) for score in values_in_cells(cells))
    return Footnotes(
        texts=tuple(dict.fromkeys(reason for reason in reasons if reason)),
        legend=tuple(_mark_legend(cells)),
        significance_states=_significance_states(cells, marks=False),
        mark_states=_significance_states(cells, marks=True),
        has_rank_ranges=any(isinstance(cell, RankRange) and cell.rank for cell in cells),
    )


def reason_text(value: MeasureValue) -> str | None:
    """Return why a value is undefined or infinite, or what it refers to; None if neither."""
    if not value.reason:
        return None
    reason = escape_invisible(value.reason)
    if value.state is ValueState.UNDEFINED:
        return f"{UNDEFINED_TEXT}: {reason}"
    return reason.removeprefix("+") if value.state is ValueState.INFINITE else reason


def reason_in_brackets(value: MeasureValue) -> str:
    """Return the reason in brackets, as it follows the value in a sentence, or an empty text."""
    reason = reason_text(value)
    return f" ({reason.removeprefix(f'{UNDEFINED_TEXT}: ')})" if reason else ""


def arrow_legend(notes: Footnotes) -> str:
    """Return the legend of the arrows in a table."""
    arrows = ORIENTATION_ARROWS.values()
    return ", ".join(f"{mark} {meaning}" for mark, meaning in notes.legend if mark in arrows)


def verdict_legend(notes: Footnotes) -> str:
    """Return the legend of the verdicts in a table."""
    meanings = [
        VERDICTS_IN_TEXT_MEANING[significant]
        for significant in notes.significance_states
        if significant is not None
    ]
    meanings += [RANKS_IN_TEXT_MEANING] if notes.has_rank_ranges else []
    meanings += [MARK_MEANING, MARKS_IN_TEXT_MEANING] if notes.mark_states else []
    return "; ".join(meanings)


def _significance_states(cells: list[TableCell], *, marks: bool) -> tuple[bool | None, ...]:
    """Return the states of all marks, or of all other verdicts."""
    states = {
        cell.significant
        for cell in cells
        if isinstance(cell, VerdictBadge) and bool(cell.alternative_text) is marks
    }
    return tuple(significant for significant in SIGNIFICANCE_MARKS if significant in states)


def _table_cells(table: Table) -> Iterator[TableCell]:
    yield from (column.head for column in table.columns)
    for group in table.groups:
        for row in group.rows:
            for cell in row:
                yield from cell.items if isinstance(cell, CellGroup) else (cell,)


def _mark_legend(cells: list[TableCell]) -> Iterator[tuple[str, str]]:
    orientations = {
        cell.measure.orientation
        for cell in cells
        if isinstance(cell, MeasureName | RatingMeasureName)
    }
    for orientation, arrow in ORIENTATION_ARROWS.items():
        if orientation in orientations:
            yield arrow, ORIENTATION_TEXTS[orientation]
    if any(isinstance(cell, MeasureEstimate) and cell.best for cell in cells):
        yield BEST_MARK, "best value"
