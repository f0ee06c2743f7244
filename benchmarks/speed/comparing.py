"""How medians changed since an earlier result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.speed.tables import significant, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.speed.measured import Measured, Outcome


def changes(before: Measured, now: Measured) -> str:
    """Return a table of what was measured both times."""
    earlier = {_key(outcome): outcome for outcome in before.outcomes}
    rows = [
        row
        for outcome in now.outcomes
        if _key(outcome) in earlier
        for row in _rows(earlier[_key(outcome)], outcome)
    ]
    return table(
        ["contest", "tool", "before, s", "now, s", "now / before", "memory"], rows, words=2
    )


def _key(outcome: Outcome) -> tuple[str, str, int, str]:
    return outcome.letter, outcome.name, outcome.rows, outcome.file


def _rows(before: Outcome, now: Outcome) -> Iterator[Sequence[str]]:
    name = f"({now.letter}) {now.name}, {now.rows:,} {now.file}"
    for tool in now.tools:
        old, new = before.seconds(tool), now.seconds(tool)
        old_peak, new_peak = before.peak(tool), now.peak(tool)
        if old and new and old_peak and new_peak:
            times, memory = f"{new / old:.2f}", f"{new_peak / old_peak:.2f}"
            yield [name, tool, significant(old), significant(new), times, memory]
