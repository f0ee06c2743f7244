"""Where labels stand, for messages about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.errors import Place
    from reportgen.predictions.cases import Cases
    from reportgen.spec import SpecFile


@frozen
class LabelPlaces:
    """The places of labels in the prediction files, and of the positive class in the spec."""

    spec_file: SpecFile
    cases: Sequence[Cases]

    def of_label(self, label: str, classifier: str | None = None) -> Place | None:
        """Return the first row in which a label stands, of one classifier or of any."""
        said = pl.any_horizontal(pl.col("truth", "prediction") == label)
        own = (each for each in self.cases if classifier in {None, each.classifier})
        return next((place for each in own if (place := each.place_of(said)) is not None), None)

    def of_positive(self) -> Place | None:
        """Return where the spec names the positive class."""
        return self.spec_file.place("task", "positive")

    def by_file(self) -> dict[str, frozenset[str]]:
        """Return the labels of each file."""
        return {
            file.written: frozenset(_labels(rows))
            for each in self.cases
            for file, (_, rows) in zip(each.files, each.in_files(), strict=True)
        }


def _labels(rows: pl.DataFrame) -> set[str]:
    columns = (rows[role].drop_nulls().unique().cast(pl.String) for role in ("truth", "prediction"))
    return {label for column in columns for label in column}
