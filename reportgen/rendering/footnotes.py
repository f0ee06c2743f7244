"""What stands under a table: why a value is no plain number, and what its marks mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.measures import Orientation
from reportgen.rendering.numbers import UNDEFINED
from reportgen.rendering.texts import scores_in, visible
from reportgen.report.parts import MeasureName, Value, Verdict
from reportgen.scores import Score, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.document import Table
    from reportgen.report.parts import Cell

BEST_MARK = "●"
ARROWS = {Orientation.HIGHER: "↑", Orientation.LOWER: "↓"}
DIRECTIONS = {
    Orientation.HIGHER: "higher is better",
    Orientation.LOWER: "lower is better",
    Orientation.NEITHER: "neither way is better",
}


@frozen
class Backing:
    """How a verdict is marked: the class of its badge, a mark or in words, and what that means."""

    kind: str
    mark: str
    words: str
    meaning: str


BACKING = {
    True: Backing("backed", "✓", "backed", "backed by a test"),
    False: Backing("unbacked", "?", "not backed", "not backed: the difference may be chance"),
    None: Backing("untested", "", "not tested", "not tested"),
}


@frozen
class Footnotes:
    """The reasons of a table in order of appearance, and the legend of its marks.

    `verdicts` says which kinds of verdict the table has: backed, not backed, not tested.
    """

    texts: tuple[str, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    verdicts: tuple[bool | None, ...] = ()

    def number(self, score: Score) -> int | None:
        """Return the number of the note that belongs to a score."""
        text = reason_text(score)
        return self.texts.index(text) + 1 if text in self.texts else None


def footnotes_of(table: Table) -> Footnotes:
    """Collect the notes of a table."""
    cells = list(_cells(table))
    reasons = (reason_text(score) for score in scores_in(cells))
    return Footnotes(
        texts=tuple(dict.fromkeys(reason for reason in reasons if reason)),
        legend=tuple(_legend(cells)),
        verdicts=_kinds_of_verdicts(cells),
    )


def reason_text(score: Score) -> str | None:
    """Say why a score is no plain number, or over what it is taken."""
    if not score.reason:
        return None
    reason = visible(score.reason)
    if score.state is State.UNDEFINED:
        return f"{UNDEFINED}: {reason}"
    return reason.removeprefix("+") if score.state is State.INFINITE else reason


def in_brackets(score: Score) -> str:
    """Return the reason as it follows the value in a sentence, or nothing."""
    reason = reason_text(score)
    return f" ({reason.removeprefix(f'{UNDEFINED}: ')})" if reason else ""


def arrow_legend(notes: Footnotes) -> str:
    """Say in a line what the arrows beside the measures of a table mean."""
    arrows = ARROWS.values()
    return ", ".join(f"{mark} {meaning}" for mark, meaning in notes.legend if mark in arrows)


def verdict_legend(notes: Footnotes) -> str:
    """Say in a line what the words beside the verdicts of a table mean."""
    meanings = (BACKING[backed].meaning for backed in notes.verdicts if backed is not None)
    return "; ".join(meanings)


def _kinds_of_verdicts(cells: list[Cell]) -> tuple[bool | None, ...]:
    found = {cell.backed for cell in cells if isinstance(cell, Verdict)}
    return tuple(backed for backed in BACKING if backed in found)


def _cells(table: Table) -> Iterator[Cell]:
    yield from (column.head for column in table.columns)
    for group in table.groups:
        for row in group.rows:
            yield from row


def _legend(cells: list[Cell]) -> Iterator[tuple[str, str]]:
    orientations = {cell.measure.orientation for cell in cells if isinstance(cell, MeasureName)}
    for orientation, arrow in ARROWS.items():
        if orientation in orientations:
            yield arrow, DIRECTIONS[orientation]
    if any(isinstance(cell, Value) and cell.best for cell in cells):
        yield BEST_MARK, "best of those compared"
