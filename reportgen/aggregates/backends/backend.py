"""The interface of an aggregation back end, and the aggregations that run on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from reportgen.errors import RemoteUri
from reportgen.predictions.duplicates import group_count
from reportgen.predictions.files import InputFile, RemoteFile, is_glob
from reportgen.predictions.formats import FileFormat
from reportgen.predictions.table import PredictionTable
from reportgen.spec.fields import is_remote_uri

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import ModuleType

    import polars as pl

    from reportgen.spec import EngineSettings


_TEXT_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt")


@dataclass(frozen=True, slots=True)
class FileSet:
    """Paths, glob patterns and URIs that a back end reads as one table."""

    folder: Path
    spec_paths: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The absolute paths and URIs to read."""
        return tuple(
            path if is_remote_uri(path) else str(self.folder / path.replace("\\", "/"))
            for path in self.spec_paths
        )

    @property
    def name(self) -> str:
        """The name in messages and in the manifest."""
        return ", ".join(self.spec_paths)

    @property
    def is_text(self) -> bool:
        """Whether the files are CSV, by their suffix: the content is not on this machine."""
        return self.spec_paths[0].lower().endswith(_TEXT_SUFFIXES)

    @property
    def separator(self) -> str:
        """The field separator of a text file."""
        return "\t" if ".tsv" in self.spec_paths[0].lower() else ","

    @property
    def may_match_several(self) -> bool:
        """Whether the paths may name more than one file."""
        return len(self.spec_paths) > 1 or is_glob(self.spec_paths[0])

    def input(self) -> InputFile | RemoteFile:
        """Return the files as one input."""
        if is_remote_uri(self.spec_paths[0]):
            return RemoteFile(RemoteUri(self.name), self.name)
        return InputFile(self.folder / self.name, self.name)

    def table(self, names: Sequence[str]) -> PredictionTable:
        """Return a table without rows, for messages about its columns."""
        return PredictionTable(self.input().path, FileFormat.PARQUET, tuple(names))


class AggregationBackend(Protocol):
    """Scans files into lazy frames of the namespace, and collects small frames."""

    @property
    def namespace(self) -> ModuleType:
        """The namespace of expressions: polars, or narwhals."""

    def column_names(self, files: FileSet) -> tuple[str, ...]:
        """Return the columns that files have."""

    def scan(self, files: FileSet, columns: Mapping[str, str]) -> pl.LazyFrame:
        """Scan columns under new names (new name -> name in the files).

        Scores are numbers, null where a value is not numeric; ids are integers if their column
        is; all other columns are text.
        """

    def collect(self, frame: pl.LazyFrame, limit: int | None = None) -> pl.DataFrame:
        """Return a small frame, or its first `limit` rows, as a frame in memory."""

    def approx_n_unique(self, frame: pl.LazyFrame, column: str) -> int:
        """Return the approximate number of distinct values of a column."""


# Aggregations over all cases. They take the namespace of expressions, the module polars or
# narwhals, so that the same expressions run on Spark.

GROUP_COLUMNS = ("fold", "truth", "prediction", "reached")


def flag_threshold_reached(
    frame: pl.LazyFrame, threshold: float | None, namespace: ModuleType
) -> pl.LazyFrame:
    """Add the column `reached`: whether the score is at least the threshold, null without one."""
    reached = (
        namespace.lit(None, namespace.Boolean)
        if threshold is None
        else namespace.col("score") >= threshold
    )
    return frame.with_columns(reached=reached)


def profile_rows(frame: pl.LazyFrame, namespace: ModuleType) -> pl.LazyFrame:
    """Count rows by fold, truth and prediction, with missing values and the range of scores."""
    score, int64 = namespace.col("score"), namespace.Int64
    return group_count(
        frame,
        GROUP_COLUMNS,
        namespace,
        ids_missing=namespace.col("id").is_null().cast(int64).sum(),
        scores_missing=score.is_null().cast(int64).sum(),
        scores_infinite=(~score.is_finite()).cast(int64).sum(),
        scores_outside=((score < 0) | (score > 1)).cast(int64).sum(),
        low=score.min(),
        high=score.max(),
    )


@dataclass(frozen=True, slots=True)
class ScoreBins:
    """Bins of equal width between the lowest and the highest score.

    The two extremes have bins of their own, because a probability of exactly 0 or 1 must not be
    averaged with its neighbours.
    """

    low: float
    high: float
    bin_count: int

    def bin_index(self, namespace: ModuleType) -> pl.Expr:
        """Return the index of the bin of each row's score."""
        score, inner = namespace.col("score"), self.bin_count - 2
        between = ((score - self.low) / ((self.high - self.low) / inner)).floor() + 1
        # Rounding may lift a score just below the highest out of the last bin.
        within = (
            namespace.when(between > inner).then(namespace.lit(float(inner))).otherwise(between)
        )
        above = (
            namespace.when(score >= self.high)
            .then(namespace.lit(float(inner + 1)))
            .otherwise(within)
        )
        return namespace.when(score <= self.low).then(namespace.lit(0.0)).otherwise(above)  # type: ignore[no-any-return]


def choose_bins(
    settings: EngineSettings, low: float, high: float, distinct_scores: int
) -> ScoreBins | None:
    """Return the bins for more distinct scores than `most_scores`, or None to count each score."""
    return None if distinct_scores <= settings.most_scores else ScoreBins(low, high, settings.bins)


def count_scores(
    frame: pl.LazyFrame, bins: ScoreBins | None, namespace: ModuleType
) -> pl.LazyFrame:
    """Count rows by group and score, or by bin with the lowest and highest score in it."""
    if bins is None:
        return group_count(frame, (*GROUP_COLUMNS, "score"), namespace)
    score = namespace.col("score")
    placed = frame.with_columns(bin=bins.bin_index(namespace))
    return group_count(
        placed, (*GROUP_COLUMNS, "bin"), namespace, low=score.min(), high=score.max()
    )


def encode_rows(
    frame: pl.LazyFrame, values: Sequence[Sequence[str | bool | None]], namespace: ModuleType
) -> pl.LazyFrame:
    """Replace fold, truth, prediction and `reached` of each row by one integer, `group_code`.

    The code is a mixed-radix number of the positions among `values`, as `encode_row` computes it.
    One integer per row is all that is shuffled between machines.
    """
    group_code = namespace.lit(0, namespace.Int64)
    for name, own in zip(GROUP_COLUMNS, values, strict=True):
        known = [value for value in own if value is not None]
        places = (
            namespace.when(namespace.col(name) == value).then(namespace.lit(place, namespace.Int64))
            for place, value in enumerate(known)
        )
        group_code = group_code * (len(known) + 1) + namespace.coalesce(
            *places, namespace.lit(len(known), namespace.Int64)
        )
    return frame.select("id", group_code=group_code)


def encode_row(
    row: Sequence[str | bool | None], values: Sequence[Sequence[str | bool | None]]
) -> int:
    """Return the code that `encode_rows` gives a row."""
    group_code = 0
    for value, own in zip(row, values, strict=True):
        known = [part for part in own if part is not None]
        group_code = group_code * (len(known) + 1) + (
            len(known) if value is None else known.index(value)
        )
    return group_code


def group_by_case(frames: Sequence[pl.LazyFrame], namespace: ModuleType) -> pl.LazyFrame:
    """Group the rows of all classifiers (id, group_code) by id.

    Returns the number of rows and the group code of each classifier: `rows 0` and `group_code 0`
    are those of the first, and so on.
    """
    parts = []
    for number, frame in enumerate(frames):
        own = {"rows": namespace.lit(1, namespace.Int64), "group_code": namespace.col("group_code")}
        absent = {
            "rows": namespace.lit(0, namespace.Int64),
            "group_code": namespace.lit(None, namespace.Int64),
        }
        columns = {
            f"{name} {other}": (own if other == number else absent)[name]
            for other in range(len(frames))
            for name in own
        }
        parts.append(frame.select("id", **columns))
    stacked: pl.LazyFrame = namespace.concat(parts, how="vertical")
    numbers = range(len(frames))
    return stacked.group_by("id").agg(
        **{f"rows {number}": namespace.col(f"rows {number}").sum() for number in numbers},
        **{
            f"group_code {number}": namespace.col(f"group_code {number}").max()
            for number in numbers
        },
    )


def count_case_patterns(
    cases: pl.LazyFrame, classifiers: int, namespace: ModuleType
) -> pl.LazyFrame:
    """Count the cases that have the same group codes for all classifiers."""
    keys = [f"{name} {number}" for name in ("rows", "group_code") for number in range(classifiers)]
    return group_count(cases, keys, namespace)


def inner_join_ids(cases: pl.LazyFrame, classifiers: int, namespace: ModuleType) -> pl.LazyFrame:
    """Return the ids that every classifier has exactly once."""
    everywhere = [namespace.col(f"rows {number}") == 1 for number in range(classifiers)]
    return cases.filter(*everywhere).select("id")
