"""Presets: the layout of the prediction files that another tool writes."""

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

PresetRole = Literal[
    "truth", "prediction", "id", "fold", "score", "confidence", "model", "repeat", "cluster"
]


def identity(table: PredictionTable, _truth: str) -> PredictionTable:
    """Return a table unchanged: the default of `Preset.explode`."""
    return table


def no_errors(
    _tables: Sequence[PredictionTable], _data: DataSettings, _labels: Sequence[str]
) -> list[Diagnostic]:
    """Return no diagnostics: the default of `Preset.diagnose`."""
    return []


def identity_all(
    tables: Sequence[PredictionTable], _labels: Sequence[str]
) -> tuple[PredictionTable, ...]:
    """Return tables unchanged: the default of `Preset.finalize`."""
    return tuple(tables)


@dataclass(frozen=True, slots=True)
class Preset:
    """The layout of a tool's prediction files: column names by role, reader and detection.

    The first name of a role that a file has is used. A `confidence` is the probability of the
    predicted class. In patterns {class} is a class, and {number} its index in sorted order.
    """

    name: FormatName
    title: str
    """A noun for error messages: "this looks like …"."""
    description: str
    """Where truth, prediction and scores are, for the comment of a scaffolded spec."""
    columns: Mapping[PresetRole, tuple[str, ...]]
    is_recognised: Callable[[PredictionTable], bool]
    """Whether a table that was opened with the preset was written by the tool."""
    outcome_columns: tuple[str, str] | None = None
    """The expected and the observed outcome of a scorer, where answers need not be classes."""
    header_pattern: str | None = None
    """A regular expression of the header line that no other tool writes."""
    probability_patterns: tuple[str, ...] = ()
    indexed_probability_patterns: tuple[str, ...] = ()
    non_id_columns: tuple[str, ...] = ()
    """Columns that look like ids but repeat in every fold."""
    open: Callable[[Path, tuple[str, ...]], PredictionTable] = open_table
    """Read a local file; the second argument are the columns that a header may have."""
    explode: Callable[[PredictionTable, str], PredictionTable] = identity
    """Add columns derived from nested ones, given the column of the true class."""
    finalize: Callable[[Sequence[PredictionTable], Sequence[str]], tuple[PredictionTable, ...]] = (
        identity_all
    )
    """Name columns by class, given the tables of all files and the classes."""
    diagnose: Callable[
        [Sequence[PredictionTable], DataSettings, Sequence[str]], list[Diagnostic]
    ] = no_errors
    """Return what is wrong with the content of files, given their columns and the classes."""

    def column(self, role: PresetRole, names: Sequence[str]) -> str | None:
        """Return the first of the file's column names that the tool uses for a role, or None."""
        return next((name for name in self.columns.get(role, ()) if name in names), None)

    @property
    def is_plain(self) -> bool:
        """Whether the preset only names columns, so that any other file may have them."""
        return self.open is open_table and self.explode is identity and not self.header_pattern

    @property
    def is_log(self) -> bool:
        """Whether files are logs in long format, with a column of models."""
        return "model" in self.columns

    @property
    def known_columns(self) -> tuple[str, ...]:
        """All column names of the tool, by which the separator of a CSV file is detected."""
        return tuple(dict.fromkeys(name for names in self.columns.values() for name in names))
