"""What is known of the prediction files of a tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from reportgen.predictions.table import PredictionTable, open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from reportgen.errors import Diagnostic
    from reportgen.spec import DataSettings
    from reportgen.spec.data import FormatName

PresetRole = Literal["truth", "prediction", "id", "fold", "score", "certainty"]


def identity(table: PredictionTable, _truth: str) -> PredictionTable:
    """Return a table as it is, where a tool writes simple columns."""
    return table


def no_errors(
    _tables: Sequence[PredictionTable], _data: DataSettings, _labels: Sequence[str]
) -> list[Diagnostic]:
    """Return no faults, where a tool writes nothing that is known to mislead."""
    return []


def identity_all(
    tables: Sequence[PredictionTable], _labels: Sequence[str]
) -> tuple[PredictionTable, ...]:
    """Return the tables as they are, where each names all its columns by itself."""
    return tuple(tables)


@dataclass(frozen=True, slots=True)
class Preset:
    """A tool: what it calls its columns, how its files are opened, and how they are recognised.

    Of the names of a role the first that a file has is taken. A certainty is the probability of
    the predicted class, whichever that is. In patterns {class} stands for a class, and {number}
    for its number in sorted order. `no_ids` look like names of cases and are none.
    """

    name: FormatName
    title: str
    description: str
    columns: Mapping[PresetRole, tuple[str, ...]]
    is_recognised: Callable[[PredictionTable], bool]
    probability_patterns: tuple[str, ...] = ()
    indexed_probability_patterns: tuple[str, ...] = ()
    non_id_columns: tuple[str, ...] = ()
    open: Callable[[Path, tuple[str, ...]], PredictionTable] = open_table
    explode: Callable[[PredictionTable, str], PredictionTable] = identity
    finalize: Callable[[Sequence[PredictionTable], Sequence[str]], tuple[PredictionTable, ...]] = (
        identity_all
    )
    diagnose: Callable[
        [Sequence[PredictionTable], DataSettings, Sequence[str]], list[Diagnostic]
    ] = no_errors

    def column(self, role: PresetRole, names: Sequence[str]) -> str | None:
        """Return which of the names a file has plays a role."""
        return next((name for name in self.columns.get(role, ()) if name in names), None)

    @property
    def known_columns(self) -> tuple[str, ...]:
        """All names a column of the tool may have, which help to tell the separator of a CSV."""
        return tuple(dict.fromkeys(name for names in self.columns.values() for name in names))
