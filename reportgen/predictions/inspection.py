"""What is in a prediction file, so that a spec for it can be written."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.frozen import frozen
from reportgen.spec.texts import is_invisible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions.table import Table

ColumnKind = Literal["text", "integer", "number", "boolean"]
_EXAMPLES = 1000
_MOST_COLUMNS = 200


@frozen
class ColumnDescription:
    """A column by its values."""

    name: str
    kind: ColumnKind
    distinct: int
    minimum: float | None
    maximum: float | None
    examples: tuple[str, ...]
    unique: bool
    whole: bool


@frozen
class FileDescription:
    """A file by its columns."""

    columns: tuple[ColumnDescription, ...]
    rows: int


@frozen
class Texts:
    """The columns of a file or of several alike, as text, and the fold of each row."""

    frame: pl.DataFrame
    folds: pl.Series

    def in_folds(self, column: str | None) -> Texts:
        """Return the same with the folds that a column tells, besides those of the files."""
        if column is None or column not in self.frame.columns:
            return self
        return Texts(self.frame, self.folds + " " + self.frame.get_column(column).fill_null(""))


def texts_of(tables: Sequence[Table]) -> Texts:
    """Read the columns that all opened files have, whatever is in them, as text.

    Those whose name is blank or not unique are left out.
    """
    frames = [_read(table) for table in tables]
    shared = [name for name in frames[0].columns if all(name in each.columns for each in frames)]
    frame = pl.concat([each.select(shared) for each in frames])
    files = [str(number) for number, each in enumerate(frames) for _ in range(each.height)]
    return Texts(frame, pl.Series("fold", files, pl.String))


def describe_texts(texts: Texts) -> FileDescription:
    """Describe the columns of files that were read."""
    columns = (_describe(name, texts.frame[name]) for name in texts.frame.columns)
    return FileDescription(tuple(columns), texts.frame.height)


def _read(table: Table) -> pl.DataFrame:
    times = Counter(table.names)
    names = [
        name
        for name in table.names
        # What a spec cannot name cannot be used.
        if name.strip() and times[name] == 1 and not any(map(is_invisible, name))
    ][:_MOST_COLUMNS]
    if not names:
        return pl.DataFrame()
    read = table.read({f"c{number}": name for number, name in enumerate(names)}).drop("row")
    plain = [column for column in read.columns if not _is_nested(read[column].dtype)]
    texts = read.select(pl.col(plain).cast(pl.String))
    return texts.rename({column: names[int(column[1:])] for column in plain})


def _is_nested(dtype: pl.DataType) -> bool:
    return dtype.is_nested() or dtype in {pl.Binary, pl.Object}


def _describe(name: str, values: pl.Series) -> ColumnDescription:
    texts = values.drop_nulls()
    texts = texts.filter(texts != "")
    distinct = texts.unique(maintain_order=True)
    kind = _kind(distinct)
    numbers = texts.cast(pl.Float64, strict=False) if kind in {"integer", "number"} else None
    return ColumnDescription(
        name=name,
        kind=kind,
        distinct=len(distinct),
        minimum=None if numbers is None else _float(numbers.min()),
        maximum=None if numbers is None else _float(numbers.max()),
        examples=tuple(distinct.head(_EXAMPLES)),
        unique=len(distinct) == len(values) > 0,
        whole=numbers is not None and bool((numbers == numbers.floor()).all()),
    )


def _kind(distinct: pl.Series) -> ColumnKind:
    if distinct.is_empty():
        return "text"
    if set(distinct.head(3).str.to_lowercase()) <= {"true", "false"}:
        return "boolean"
    if bool(distinct.str.contains(r"^[+-]?\d+$").all()):
        return "integer"
    numeric = distinct.cast(pl.Float64, strict=False).null_count() == 0
    return "number" if numeric else "text"


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
