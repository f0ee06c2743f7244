"""The Spark back end: sessions, file scans, and collected counts."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

import polars as pl

from reportgen.aggregates.backends.distributed import find_models
from reportgen.errors import DataError, Diagnostic, Location, RenderingError
from reportgen.errors.data import COLUMN_TYPE, FILE_UNREADABLE
from reportgen.errors.run import ENGINE_FAILED, ENGINE_UNAVAILABLE
from reportgen.predictions.long_format import expand_models

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from pyspark.sql import Column, DataFrame, SparkSession

    from reportgen.aggregates.backends.backend import FileSet
    from reportgen.spec import EngineSettings, SpecFile

_CONNECT_SCHEME = "sc://"
_INSTALL_HELP = "pip install 'reportgen-eval[spark]', and Java 17 or later: docs/engines.md"
_CONNECT_HELP = "pip install 'reportgen-eval[spark-connect]': docs/engines.md"
_UNSUPPORTED_TYPES = ("binary", "map", "struct", "variant")
_INTEGER_TYPES = ("tinyint", "smallint", "int", "bigint")
_POLARS_TYPES = {"bigint": pl.Int64, "int": pl.Int64, "double": pl.Float64, "boolean": pl.Boolean}
_MAX_REASON_LENGTH = 300
_HASHES = 2**40


@contextmanager
def spark_backend(settings: EngineSettings) -> Iterator[SparkBackend]:
    """Yield Spark as a back end; what it keeps is dropped at the end."""
    with _spark_session(settings) as session:
        import narwhals

        backend = SparkBackend(session, narwhals)
        try:
            yield backend
        finally:
            backend.release()


def expand_models_on_spark(spec_file: SpecFile) -> SpecFile:
    """Return the spec with a classifier for each value of the `model` column, in natural order."""
    if spec_file.spec.data.model is None:
        return spec_file
    with spark_backend(spec_file.spec.engine) as backend:
        return expand_models(spec_file, lambda part, column: find_models(part, column, backend))


@contextmanager
def _spark_session(settings: EngineSettings) -> Iterator[SparkSession]:
    """Yield the active session, or start one that is stopped at the end."""
    try:
        import narwhals  # noqa: F401
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        message = f"Spark cannot be used: {error}"
        raise RenderingError(Diagnostic(ENGINE_UNAVAILABLE, message, help=_INSTALL_HELP)) from error
    active = SparkSession.getActiveSession()
    if active is not None and settings.url is None:
        yield active
        return
    builder = SparkSession.builder.config("spark.ui.showConsoleProgress", "false")
    if settings.url is not None:
        at = settings.url
        builder = builder.remote(at) if at.startswith(_CONNECT_SCHEME) else builder.master(at)
    try:
        session = builder.getOrCreate()
    except (PySparkException, OSError, ImportError) as error:
        message = f"Spark cannot be started: {_first_line(error)}"
        is_connect = (settings.url or "").startswith(_CONNECT_SCHEME)
        help_text = _CONNECT_HELP if is_connect else _INSTALL_HELP
        raise RenderingError(Diagnostic(ENGINE_UNAVAILABLE, message, help=help_text)) from error
    try:
        yield session
    finally:
        if session is not active:
            session.stop()


@dataclass(frozen=True, slots=True)
class SparkBackend:
    """Spark with the expressions of polars, by way of narwhals."""

    session: SparkSession
    namespace: ModuleType
    persisted: list[DataFrame] = field(default_factory=list)

    def column_names(self, files: FileSet) -> tuple[str, ...]:
        """Return the columns that files have."""
        return tuple(self._read(files).columns)

    def scan(
        self,
        files: FileSet,
        columns: Mapping[str, str],
        where: Mapping[str, str | float],
        file_column: str | None = None,
    ) -> pl.LazyFrame:
        """Scan columns under new names, as the files have them."""
        from pyspark.sql import functions

        frame = self._read(files)
        types = dict(frame.dtypes)
        unsupported = [
            name for name in columns.values() if types[name].startswith(_UNSUPPORTED_TYPES)
        ]
        if unsupported:
            place = Location(files.input().path)
            messages = (
                f"column `{name}` holds {types[name]}, not texts or numbers" for name in unsupported
            )
            raise DataError(*(Diagnostic(COLUMN_TYPE, message, place) for message in messages))
        # An empty cell of a text is an empty text, as on this machine.
        empty = functions.lit("")
        expressions = [
            _as_id(name, types[name]).alias(new)
            if new == "id"
            else (
                functions.coalesce(_column(name), empty) if files.is_text else _column(name)
            ).alias(new)
            for new, name in columns.items()
        ]
        if file_column is not None:
            expressions.append(functions.col("_metadata.file_path").alias(file_column))
        with _wrap_errors():
            for name, value in where.items():
                frame = frame.filter(_equals_value(_column(name), value))
            selected = frame.select(*expressions)
        return self._as_lazy(selected)

    def as_numbers(self, frame: pl.LazyFrame, columns: Sequence[str], decimal: str) -> pl.LazyFrame:
        """Return a frame with columns as floats, null where a value is not numeric."""
        from pyspark.sql import functions

        native: DataFrame = self.namespace.to_native(frame)
        types = dict(native.dtypes)
        for name in columns:
            column = functions.col(name)
            if decimal != "." and types[name] == "string":
                column = functions.replace(column, functions.lit(decimal), functions.lit("."))
            native = native.withColumn(name, column.try_cast("double"))
        return self._as_lazy(native)

    def persist(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Return a frame whose rows stay on the disks of the cluster once they are computed."""
        from pyspark.storagelevel import StorageLevel

        native: DataFrame = self.namespace.to_native(frame)
        with _wrap_errors():
            on_disk = native.persist(StorageLevel.DISK_ONLY)
        self.persisted.append(on_disk)
        return self._as_lazy(on_disk)

    def release(self) -> None:
        """Drop the rows that are kept."""
        for frame in self.persisted:
            frame.unpersist()
        self.persisted.clear()

    def from_frame(self, frame: pl.DataFrame) -> pl.LazyFrame:
        """Return a small frame in memory as one of the back end."""
        types = ", ".join(
            f"`{name}` {'double' if dtype.is_float() else 'bigint'}"
            for name, dtype in frame.schema.items()
        )
        with _wrap_errors():
            return self._as_lazy(self.session.createDataFrame(frame.rows(), types))

    def sample(self, frame: pl.LazyFrame, columns: Sequence[str], share: float) -> pl.LazyFrame:
        """Return the rows whose values have a low hash."""
        from pyspark.sql import functions

        native: DataFrame = self.namespace.to_native(frame)
        row_hash = functions.xxhash64(*(functions.col(name) for name in columns))
        place = functions.pmod(row_hash, functions.lit(_HASHES))
        return self._as_lazy(native.filter(place < int(share * _HASHES)))

    def _as_lazy(self, native: DataFrame) -> pl.LazyFrame:
        # A lazy frame of narwhals has the methods of one of polars that are used here.
        return cast("pl.LazyFrame", self.namespace.from_native(native))

    def collect(self, frame: pl.LazyFrame, limit: int | None = None) -> pl.DataFrame:
        """Return a small frame, or its first `limit` rows, in memory (by Arrow if installed)."""
        native: DataFrame = self.namespace.to_native(frame if limit is None else frame.head(limit))
        with _wrap_errors():
            if find_spec("pyarrow") is not None:
                return pl.DataFrame(native.toArrow())
            schema = {name: _POLARS_TYPES.get(dtype, pl.String) for name, dtype in native.dtypes}
            return pl.DataFrame([tuple(row) for row in native.collect()], schema, orient="row")

    def approx_n_unique(self, frame: pl.LazyFrame, columns: Sequence[str]) -> int:
        """Return the approximate number of distinct combinations, which needs no sorting."""
        from pyspark.sql import functions

        native: DataFrame = self.namespace.to_native(frame)
        with _wrap_errors():
            row_hash = functions.xxhash64(*(functions.col(name) for name in columns))
            return int(native.agg(functions.approx_count_distinct(row_hash)).collect()[0][0])

    def _read(self, files: FileSet) -> DataFrame:
        from pyspark.errors import AnalysisException

        with _wrap_errors():
            try:
                return self._open(files)
            except AnalysisException as error:
                place = Location(files.input().path)
                message = f"Spark cannot read `{files.name}`: {_first_line(error)}"
                help_text = f"paths are relative to `{files.folder}`, as the cluster sees it"
                raise DataError(Diagnostic(FILE_UNREADABLE, message, place, help_text)) from error

    def _open(self, files: FileSet) -> DataFrame:
        reader, paths = self.session.read, list(files.paths)
        if not files.is_text:
            return reader.parquet(*paths)
        # Text throughout, and nothing read from rows of another shape than the header.
        return reader.csv(
            paths,
            sep=files.separator,
            header=True,
            inferSchema=False,
            enforceSchema=False,
            escape='"',
            mode="FAILFAST",
            encoding=files.encoding,
        )


def _column(name: str) -> Column:
    from pyspark.sql import functions

    escaped = name.replace("`", "``")
    return functions.col(f"`{escaped}`")


def _as_id(name: str, dtype: str) -> Column:
    from pyspark.sql import functions

    column = _column(name)
    if dtype in _INTEGER_TYPES:
        return column.cast("bigint")
    if dtype in {"float", "double"}:
        # 1.0 means the id 1.
        integers = functions.when(column == functions.floor(column), column.cast("bigint"))
        return functions.coalesce(integers.cast("string"), column.cast("string"))
    return column.cast("string")


def _equals_value(column: Column, value: str | float) -> Column:
    """Return whether a column equals a value; numbers are compared numerically: 0.10 is 0.1."""
    from pyspark.sql import functions

    if isinstance(value, bool):
        return functions.lower(column.cast("string")) == str(value).lower()
    if isinstance(value, str):
        return column.cast("string") == value
    return column.try_cast("double") == float(value)


@contextmanager
def _wrap_errors() -> Iterator[None]:
    """Convert errors of Spark into diagnostics."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        message = f"Spark failed: {_first_line(error)}"
        raise RenderingError(Diagnostic(ENGINE_FAILED, message)) from error


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0] if len(lines[0]) <= _MAX_REASON_LENGTH else f"{lines[0][:_MAX_REASON_LENGTH]}…"
