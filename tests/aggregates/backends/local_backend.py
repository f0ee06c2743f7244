"""The engine's words run by polars itself, or by narwhals on top of it: quick, without Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from reportgen.aggregates.backends.backend import FileSet


@dataclass(frozen=True, slots=True)
class LocalBackend:
    """Polars as an engine; `of` is polars or narwhals."""

    namespace: ModuleType

    def column_names(self, files: FileSet) -> tuple[str, ...]:
        """Return the columns that files have."""
        return tuple(_read(files).collect_schema().names())

    def scan(self, files: FileSet, columns: Mapping[str, str]) -> pl.LazyFrame:
        """Scan columns under new names."""
        read = _read(files)
        types = read.collect_schema()
        chosen = read.select(
            _value(role, name, types[name]).alias(role) for role, name in columns.items()
        )
        return (
            chosen
            if self.namespace is pl
            else cast("pl.LazyFrame", self.namespace.from_native(chosen))
        )

    def collect(self, frame: pl.LazyFrame, limit: int | None = None) -> pl.DataFrame:
        """Collect a frame, or its first rows."""
        some = frame if limit is None else frame.head(limit)
        native: pl.LazyFrame = some if self.namespace is pl else self.namespace.to_native(some)
        return native.collect()

    def approx_n_unique(self, frame: pl.LazyFrame, column: str) -> int:
        """Count the different values of a column."""
        return self.collect(frame.select(column).unique()).height


def _read(files: FileSet) -> pl.LazyFrame:
    paths = list(files.paths)
    if files.is_text:
        return pl.scan_csv(paths, separator=files.separator, infer_schema=False)
    return pl.scan_parquet(paths)


def _value(role: str, name: str, dtype: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    if role == "score":
        return column.cast(pl.Float64, strict=False)
    return column.cast(pl.Int64) if role == "id" and dtype.is_integer() else column.cast(pl.String)
