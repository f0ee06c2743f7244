"""Collecting diagnostics of several inputs, and the locations of labels in messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from reportgen.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from reportgen.errors import Diagnostic, Location
    from reportgen.predictions.cases import Cases
    from reportgen.spec import SpecFile


_Item = TypeVar("_Item")
_Output = TypeVar("_Output")


def map_collecting_errors(
    items: Iterable[_Item], function: Callable[[_Item], _Output]
) -> tuple[_Output, ...]:
    """Return the results for all items, or raise the diagnostics of all of them together."""
    results: list[_Output] = []
    diagnostics: dict[Diagnostic, None] = {}
    for item in items:
        try:
            results.append(function(item))
        except DataError as error:
            # As keys, because two classifiers may read the same file.
            diagnostics.update(dict.fromkeys(error.diagnostics))
    if diagnostics:
        raise DataError(*diagnostics)
    return tuple(results)


def format_count(count: int, noun: str) -> str:
    """Return a count with its noun: 1 case, 2 cases."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@dataclass(frozen=True, slots=True)
class LabelLocations:
    """Locations of labels in the prediction files, and of the positive class in the spec."""

    spec_file: SpecFile
    cases: Sequence[Cases]

    def locate_label(self, label: str, classifier: str | None = None) -> Location | None:
        """Return the location of the first row with a label, of one classifier or of any."""
        has_label = pl.any_horizontal(pl.col("truth", "prediction") == label)
        candidates = (item for item in self.cases if classifier in {None, item.classifier})
        return next(
            (
                location
                for item in candidates
                if (location := item.first_location(has_label)) is not None
            ),
            None,
        )

    def locate_positive_class(self) -> Location | None:
        """Return the location of the positive class in the spec."""
        return self.spec_file.locate("task", "positive")

    def labels_by_file(self) -> dict[str, frozenset[str]]:
        """Return the labels of each file."""
        return {
            file.display_name: frozenset(_distinct_labels(rows))
            for item in self.cases
            for file, (_, rows) in zip(item.files, item.iter_files(), strict=True)
        }


def _distinct_labels(rows: pl.DataFrame) -> set[str]:
    columns = (rows[role].drop_nulls().unique().cast(pl.String) for role in ("truth", "prediction"))
    return {label for column in columns for label in column}
