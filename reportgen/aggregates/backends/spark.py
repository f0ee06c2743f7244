"""The Spark back end: sessions, file scans, and collected counts."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

import polars as pl

from reportgen.aggregates.backends.distributed import count_files
from reportgen.errors import DataError, Diagnostic, Location, RenderingError
from reportgen.errors.data import COLUMN_TYPE, FILE_UNREADABLE
from reportgen.errors.run import ENGINE_FAILED, ENGINE_UNAVAILABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from pyspark.sql import Column, DataFrame, SparkSession

    from reportgen.aggregates.backends.backend import FileSet
    from reportgen.aggregates.model import ScoreAggregates
    from reportgen.predictions.load import LoadedPredictions
    from reportgen.spec import EngineSettings, SpecFile

_CONNECT_SCHEME = "sc://"
_INSTALL_HELP = "pip install 'reportgen-eval[spark]', and Java 17 or later: docs/engines.md"
_UNSUPPORTED_TYPES = ("array", "binary", "map", "struct", "variant")
_INTEGER_TYPES = ("tinyint", "smallint", "int", "bigint")
_POLARS_TYPES = {"bigint": pl.Int64, "int": pl.Int64, "double": pl.Float64, "boolean": pl.Boolean}
_MAX_REASON_LENGTH = 300


def count_on_spark(
    spec_file: SpecFile,
) -> tuple[LoadedPredictions, ScoreAggregates]:
    """Count the cases of a spec, and their scores, on Spark."""
    with _spark_session(spec_file.spec.engine) as session:
        return count_files(spec_file, _backend_for(session))


def _backend_for(session: SparkSession) -> SparkBackend:
    import narwhals

    return SparkBackend(session, narwhals)


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
        raise RenderingError(Diagnostic(ENGINE_UNAVAILABLE, message, help=_INSTALL_HELP)) from error
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

    def column_names(self, files: FileSet) -> tuple[str, ...]:
        """Return the columns that files have."""
        return tuple(self._read(files).columns)

    def scan(self, files: FileSet, columns: Mapping[str, str]) -> pl.LazyFrame:
        """Scan columns under new names: scores as numbers, integer ids as such, others as text."""
        read = self._read(files)
        types = dict(read.dtypes)
        unsupported = [
            name for name in columns.values() if types[name].startswith(_UNSUPPORTED_TYPES)
        ]
        if unsupported:
            place = Location(files.input().path)
            messages = (
                f"column `{name}` holds {types[name]}, not texts or numbers" for name in unsupported
            )
            raise DataError(*(Diagnostic(COLUMN_TYPE, message, place) for message in messages))
        expressions = [
            _cast_column(role, name, types[name]).alias(role) for role, name in columns.items()
        ]
        with _wrap_errors():
            selected = read.select(*expressions)
        # A lazy frame of narwhals has the methods of one of polars that are used here.
        return cast("pl.LazyFrame", self.namespace.from_native(selected))

    def collect(self, frame: pl.LazyFrame, limit: int | None = None) -> pl.DataFrame:
        """Return a small frame, or its first `limit` rows, in memory (by Arrow if installed)."""
        native: DataFrame = self.namespace.to_native(frame if limit is None else frame.head(limit))
        with _wrap_errors():
            if find_spec("pyarrow") is not None:
                return pl.DataFrame(native.toArrow())
            schema = {name: _POLARS_TYPES.get(dtype, pl.String) for name, dtype in native.dtypes}
            return pl.DataFrame([tuple(row) for row in native.collect()], schema, orient="row")

    def approx_n_unique(self, frame: pl.LazyFrame, column: str) -> int:
        """Return the approximate number of distinct values of a column, which needs no sorting."""
        from pyspark.sql import functions

        native: DataFrame = self.namespace.to_native(frame)
        with _wrap_errors():
            return int(native.agg(functions.approx_count_distinct(column)).collect()[0][0])

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
        )


def _cast_column(role: str, name: str, dtype: str) -> Column:
    from pyspark.sql import functions

    escaped = name.replace("`", "``")
    column = functions.col(f"`{escaped}`")
    if role == "score":
        return column.try_cast("double")
    if role == "id" and dtype in _INTEGER_TYPES:
        return column.cast("bigint")
    if role in {"id", "fold"} and dtype in {"float", "double"}:
        # 1.0 means the id 1.
        integers = functions.when(column == functions.floor(column), column.cast("bigint"))
        return functions.coalesce(integers.cast("string"), column.cast("string"))
    return column.cast("string")


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
