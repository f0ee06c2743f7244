"""Rows of results.json written from columns and matrices, without a model per row."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from reportgen.export.rows import ComparisonResult, ConfusionResult, ResultModel, ValueResult
from reportgen.export.schema import CapabilityCellResult, CapabilitySideResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.aggregates.confusion import ConfusionCounts
    from reportgen.evaluation.capabilities import CapabilityRating, CapabilityRow, SideRating
    from reportgen.evaluation.comparison import Comparison
    from reportgen.export.schema import DiscriminantCapabilityResult, TraditionalCapabilityResult

encode_json = json.JSONEncoder(ensure_ascii=False).encode
# Between these limits, polars formats a float as Python does.
MIN_POSITIONAL_FLOAT, MAX_POSITIONAL_FLOAT = 1e-4, 1e16


class ColumnarRows(ABC):
    """Rows of one kind, as models or as JSON, in the order of the schema."""

    __slots__ = ()

    @abstractmethod
    def models(self) -> Iterator[ResultModel]:
        """Yield the rows as models of the schema."""

    @abstractmethod
    def json_lines(self) -> list[str]:
        """Return the JSON of each row."""


@dataclass(frozen=True, slots=True)
class MeasureValueRows(ColumnarRows):
    """Values of measures, from their data frame."""

    frame: pl.DataFrame

    def models(self) -> Iterator[ResultModel]:
        """Yield the values as models of the schema."""
        return map(ValueResult.model_validate, self.frame.iter_rows(named=True))

    def json_lines(self) -> list[str]:
        """Return the JSON of each value."""
        values = (_column_json(self.frame[name]) for name in json_field_names(ValueResult))
        return pl.select(pl.format(_row_template(ValueResult), *values)).to_series().to_list()


@dataclass(frozen=True, slots=True)
class ComparisonRows(ColumnarRows):
    """Comparisons of classifiers, which grow with the square of their number."""

    comparisons: tuple[Comparison, ...]

    def models(self) -> Iterator[ResultModel]:
        """Yield the comparisons as models of the schema."""
        return map(ComparisonResult.model_validate, self.comparisons)

    def json_lines(self) -> list[str]:
        """Return the JSON of each comparison."""
        columns = (
            _attribute_json(
                [getattr(row, name) for row in self.comparisons],
                is_number=field.annotation == float | None,
            )
            for name, field in ComparisonResult.model_fields.items()
        )
        return pl.select(pl.format(_row_template(ComparisonResult), *columns)).to_series().to_list()


@dataclass(frozen=True, slots=True)
class ConfusionMatrixRows(ColumnarRows):
    """The confusion matrices of classifiers, over all folds and by fold."""

    confusion: ConfusionCounts
    classifiers: tuple[str, ...]

    def models(self) -> Iterator[ResultModel]:
        """Yield the matrices as models of the schema."""
        for classifier, fold in self._matrix_keys():
            yield ConfusionResult(
                classifier=classifier,
                fold=fold,
                classes=self.confusion.classes,
                counts=self.confusion.matrix(classifier, fold),
            )

    def json_lines(self) -> list[str]:
        """Return the JSON of each matrix."""
        row, classes = _row_template(ConfusionResult), encode_json(self.confusion.classes)
        return [
            row.format(encode_json(name), encode_json(fold), classes, self._counts_json(name, fold))
            for name, fold in self._matrix_keys()
        ]

    def _matrix_keys(self) -> Iterator[tuple[str, str | None]]:
        for classifier in self.classifiers:
            for fold in (None, *self.confusion.folds(classifier)):
                yield classifier, fold

    def _counts_json(self, classifier: str, fold: str | None) -> str:
        """Return a matrix as JSON; each distinct count is formatted only once."""
        truth, prediction, counts = self.confusion.cells(classifier, fold)
        ordered = np.sort(np.append(counts, 0))
        # What `np.unique` returns, which loads all of NumPy's masked arrays.
        different = ordered[np.append(True, ordered[1:] != ordered[:-1])]
        texts = np.array([f"{count}, " for count in different.tolist()], "S")
        size = len(self.confusion.classes)
        cells = np.full((size, size), b"0, ", texts.dtype)
        cells[truth, prediction] = texts[np.searchsorted(different, counts)]
        # NumPy pads shorter texts with zero bytes.
        rows = (row.tobytes().translate(None, b"\0")[:-2].decode() for row in cells)
        return f"[[{'], ['.join(rows)}]]"


@dataclass(frozen=True, slots=True)
class CapabilityTableRows(ColumnarRows):
    """The rows of one capability table."""

    row_type: type[TraditionalCapabilityResult | DiscriminantCapabilityResult]
    rows: Sequence[CapabilityRow]

    def models(self) -> Iterator[ResultModel]:
        """Yield the rows as models of the schema."""
        for row in self.rows:
            cells = {name: _cell_result(row.cells[name]) for name in self._capability_names()}
            keys = {"classifier": row.classifier, "class": row.class_, "average": row.average}
            yield self.row_type.model_validate({**keys, **cells})

    def json_lines(self) -> list[str]:
        """Return the JSON of each row; each distinct cell is formatted only once."""
        template, names = _row_template(self.row_type), self._capability_names()
        different = {row.cells[name] for row in self.rows for name in names}
        texts = {cell: _cell_json(cell) for cell in different}
        return [
            template.format(
                encode_json(row.classifier),
                encode_json(row.class_),
                encode_json(row.average),
                *(texts[row.cells[name]] for name in names),
            )
            for row in self.rows
        ]

    def _capability_names(self) -> list[str]:
        """Return the capabilities of the table."""
        return json_field_names(self.row_type)[3:]


def json_field_names(row_type: type[ResultModel]) -> list[str]:
    """Return the JSON names of a row's fields, in order."""
    return [field.alias or name for name, field in row_type.model_fields.items()]


def _row_template(row_type: type[ResultModel]) -> str:
    """Return the JSON of a row with {} for each of its values."""
    pairs = ", ".join(f"{encode_json(name)}: {{}}" for name in json_field_names(row_type))
    return f"{{{{{pairs}}}}}"


def _cell_json(rating: CapabilityRating) -> str:
    return encode_json(_cell_result(rating).model_dump(mode="json"))


def _cell_result(rating: CapabilityRating) -> CapabilityCellResult:
    """Return a cell of a capability table as a model of the schema."""
    sides = {"positive": rating.positive, "negative": rating.negative}
    return CapabilityCellResult.model_validate(
        {name: getattr(rating, name) for name in json_field_names(CapabilityCellResult)}
        | {name: None if side is None else _side_result(side) for name, side in sides.items()}
    )


def _side_result(side: SideRating) -> CapabilitySideResult:
    """Return one side of a cell; JSON has no infinity."""
    result = CapabilitySideResult.model_validate(side)
    return result if math.isfinite(side.value) else result.model_copy(update={"value": None})


def _attribute_json(values: Sequence[Any], *, is_number: bool) -> pl.Series:
    """Return the JSON of an attribute of every row."""
    if is_number:
        return _column_json(pl.Series(values, dtype=pl.Float64, strict=False))
    texts = {value: encode_json(value) for value in set(values)}
    return pl.Series([texts[value] for value in values], dtype=pl.String)


def _column_json(column: pl.Series) -> pl.Series:
    """Return the JSON of every value of a column."""
    if column.dtype == pl.Float64:
        texts = column.cast(pl.String).fill_null("null")
        others = (~column.abs().is_between(MIN_POSITIONAL_FLOAT, MAX_POSITIONAL_FLOAT)).arg_true()
        return texts.scatter(others, [encode_json(number) for number in column.gather(others)])
    different = column.unique()
    return column.replace_strict(different, [encode_json(text) for text in different])
