"""The expressions of a back end run by polars, or by narwhals on top of it: quick, no Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import polars as pl

from reportgen.predictions.table import equals_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from reportgen.aggregates.backends.backend import FileSet


@dataclass(frozen=True, slots=True)
class LocalBackend:
    """Polars as a back end; `namespace` is polars or narwhals."""

    namespace: ModuleType
    shuffle_seed: int | None = None
    """Returns rows in a random order, as a cluster may, unless it is None."""

    def column_names(self, files: FileSet) -> tuple[str, ...]:
        """Return the columns that files have."""
        return tuple(_read(files).collect_schema().names())

    def scan(
        self,
        files: FileSet,
        columns: Mapping[str, str],
        where: Mapping[str, str | float],
        file_column: str | None = None,
    ) -> pl.LazyFrame:
        """Scan columns under new names."""
        read = _read(files, file_column)
        types = read.collect_schema()
        for name, value in where.items():
            read = read.filter(equals_value(pl.col(name), value))
        return self._as_lazy(
            read.select(
                *(_value(new, name, types[name]).alias(new) for new, name in columns.items()),
                *([] if file_column is None else [file_column]),
            )
        )

    def as_numbers(self, frame: pl.LazyFrame, columns: Sequence[str], decimal: str) -> pl.LazyFrame:
        """Return a frame with columns as floats."""
        native = self._as_native(frame)
        schema = native.collect_schema()
        return self._as_lazy(
            native.with_columns(
                (
                    pl.col(name).str.replace(decimal, ".", literal=True)
                    if schema[name] == pl.String
                    else pl.col(name)
                ).cast(pl.Float64, strict=False)
                for name in columns
            )
        )

    def persist(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Return the frame: polars keeps nothing."""
        return frame

    def from_frame(self, frame: pl.DataFrame) -> pl.LazyFrame:
        """Return a frame in memory as a lazy one."""
        return self._as_lazy(frame.lazy())

    def sample(self, frame: pl.LazyFrame, columns: Sequence[str], share: float) -> pl.LazyFrame:
        """Return the rows whose values have a low hash."""
        native = self._as_native(frame)
        return self._as_lazy(native.filter(pl.struct(columns).hash(7) < int(share * 2**64)))

    def collect(self, frame: pl.LazyFrame, limit: int | None = None) -> pl.DataFrame:
        """Collect a frame, or its first rows."""
        collected = self._as_native(frame if limit is None else frame.head(limit)).collect()
        if self.shuffle_seed is None:
            return collected
        return collected.sample(fraction=1, shuffle=True, seed=self.shuffle_seed)

    def approx_n_unique(self, frame: pl.LazyFrame, columns: Sequence[str]) -> int:
        """Count the different combinations of values of columns."""
        return self.collect(frame.select(*columns).unique()).height

    def _as_lazy(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        if self.namespace is pl:
            return frame
        return cast("pl.LazyFrame", self.namespace.from_native(frame))

    def _as_native(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        if self.namespace is pl:
            return frame
        return cast("pl.LazyFrame", self.namespace.to_native(frame))


def _read(files: FileSet, file_column: str | None = None) -> pl.LazyFrame:
    paths = list(files.paths)
    if files.is_text:
        return pl.scan_csv(
            paths,
            separator=files.separator,
            infer_schema=False,
            encoding="utf8",
            include_file_paths=file_column,
        )
    return pl.scan_parquet(paths, include_file_paths=file_column)


def _value(new: str, name: str, dtype: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    if new != "id":
        return column
    return column.cast(pl.Int64) if dtype.is_integer() else column.cast(pl.String)
