"""What an engine must be able to do, and the files it is given."""

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
    """Files, folders, patterns and addresses that are read as one table."""

    folder: Path
    spec_paths: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """What the engine is told to read."""
        return tuple(
            path if is_remote_uri(path) else str(self.folder / path.replace("\\", "/"))
            for path in self.spec_paths
        )

    @property
    def name(self) -> str:
        """How messages and the manifest name them."""
        return ", ".join(self.spec_paths)

    @property
    def is_text(self) -> bool:
        """Whether they are CSV; by the name, since nobody can look into them first."""
        return self.spec_paths[0].lower().endswith(_TEXT_SUFFIXES)

    @property
    def separator(self) -> str:
        """What stands between the fields of a text file."""
        return "\t" if ".tsv" in self.spec_paths[0].lower() else ","

    @property
    def may_match_several(self) -> bool:
        """Whether more than one file may be meant."""
        return len(self.spec_paths) > 1 or is_glob(self.spec_paths[0])

    def input(self) -> InputFile | RemoteFile:
        """Return them as one input."""
        if is_remote_uri(self.spec_paths[0]):
            return RemoteFile(RemoteUri(self.name), self.name)
        return InputFile(self.folder / self.name, self.name)

    def table(self, names: Sequence[str]) -> PredictionTable:
        """Return them as a table that knows no rows, for messages."""
        return PredictionTable(self.input().path, FileFormat.PARQUET, tuple(names))


class AggregationBackend(Protocol):
    """Scans files into lazy frames that speak the words of `of`, and collects small ones."""

    @property
    def namespace(self) -> ModuleType:
        """The namespace of expressions: polars, or narwhals."""

    def column_names(self, files: FileSet) -> tuple[str, ...]:
        """Return the columns that files have."""

    def scan(self, files: FileSet, columns: Mapping[str, str]) -> pl.LazyFrame:
        """Scan columns under new names (new name -> name in the files).

        A score is a number, or null where it is none; an id is a whole number if its column holds
        those; all others are text.
        """

    def collect(self, frame: pl.LazyFrame, limit: int | None = None) -> pl.DataFrame:
        """Bring a small frame, or its first rows, to this machine."""

    def approx_n_unique(self, frame: pl.LazyFrame, column: str) -> int:
        """Tell about how many different values a column has."""


# The one aggregation that grows with the cases, in words that polars and narwhals share.
#
# Functions take the namespace of expressions as `of`: the module polars, or narwhals, by which the
# same words run on Spark. Frames are lazy ones of either.

GROUP_COLUMNS = ("fold", "truth", "prediction", "reached")


def flag_threshold_reached(
    frame: pl.LazyFrame, threshold: float | None, namespace: ModuleType
) -> pl.LazyFrame:
    """Tell of every row whether its score reaches the threshold, if there is one."""
    reached = (
        namespace.lit(None, namespace.Boolean)
        if threshold is None
        else namespace.col("score") >= threshold
    )
    return frame.with_columns(reached=reached)


def profile_rows(frame: pl.LazyFrame, namespace: ModuleType) -> pl.LazyFrame:
    """Count the answers, and of the rows of each the gaps and the range of scores."""
    score, whole = namespace.col("score"), namespace.Int64
    return group_count(
        frame,
        GROUP_COLUMNS,
        namespace,
        ids_missing=namespace.col("id").is_null().cast(whole).sum(),
        scores_missing=score.is_null().cast(whole).sum(),
        scores_infinite=(~score.is_finite()).cast(whole).sum(),
        scores_outside=((score < 0) | (score > 1)).cast(whole).sum(),
        low=score.min(),
        high=score.max(),
    )


@dataclass(frozen=True, slots=True)
class ScoreBins:
    """Scores from the lowest to the highest in bins of equal width, those two by themselves.

    What a score of 0 or 1 says as a probability is not to be lost among its neighbours.
    """

    low: float
    high: float
    bin_count: int

    def bin_index(self, namespace: ModuleType) -> pl.Expr:
        """Return the place of a row's bin."""
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
    """Return the bins that scores are counted in, or None where each is counted by itself."""
    return None if distinct_scores <= settings.most_scores else ScoreBins(low, high, settings.bins)


def count_scores(
    frame: pl.LazyFrame, bins: ScoreBins | None, namespace: ModuleType
) -> pl.LazyFrame:
    """Count answers by score: each different one, or bins with the lowest and highest in them."""
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
    """Give every row the number of its answers, made of their places among the values there are.

    `number_of` says which that is. One whole number a row is all that is sent between machines.
    """
    answer = namespace.lit(0, namespace.Int64)
    for name, own in zip(GROUP_COLUMNS, values, strict=True):
        known = [value for value in own if value is not None]
        places = (
            namespace.when(namespace.col(name) == value).then(namespace.lit(place, namespace.Int64))
            for place, value in enumerate(known)
        )
        answer = answer * (len(known) + 1) + namespace.coalesce(
            *places, namespace.lit(len(known), namespace.Int64)
        )
    return frame.select("id", answer=answer)


def encode_row(
    row: Sequence[str | bool | None], values: Sequence[Sequence[str | bool | None]]
) -> int:
    """Return the number that `numbered` gives the answers of a row."""
    answer = 0
    for value, own in zip(row, values, strict=True):
        known = [each for each in own if each is not None]
        answer = answer * (len(known) + 1) + (len(known) if value is None else known.index(value))
    return answer


def group_by_case(frames: Sequence[pl.LazyFrame], namespace: ModuleType) -> pl.LazyFrame:
    """Bring the rows of all classifiers (id, answer) together: how many each has, and which.

    The columns `rows 0`, `answer 0` are those of the first, and so on.
    """
    parts = []
    for number, frame in enumerate(frames):
        own = {"rows": namespace.lit(1, namespace.Int64), "answer": namespace.col("answer")}
        none = {
            "rows": namespace.lit(0, namespace.Int64),
            "answer": namespace.lit(None, namespace.Int64),
        }
        columns = {
            f"{name} {other}": (own if other == number else none)[name]
            for other in range(len(frames))
            for name in own
        }
        parts.append(frame.select("id", **columns))
    every: pl.LazyFrame = namespace.concat(parts, how="vertical")
    numbers = range(len(frames))
    return every.group_by("id").agg(
        **{f"rows {number}": namespace.col(f"rows {number}").sum() for number in numbers},
        **{f"answer {number}": namespace.col(f"answer {number}").max() for number in numbers},
    )


def count_case_patterns(
    cases: pl.LazyFrame, classifiers: int, namespace: ModuleType
) -> pl.LazyFrame:
    """Count the cases whose answers are alike for all classifiers."""
    keys = [f"{name} {number}" for name in ("rows", "answer") for number in range(classifiers)]
    return group_count(cases, keys, namespace)


def inner_join_ids(cases: pl.LazyFrame, classifiers: int, namespace: ModuleType) -> pl.LazyFrame:
    """Return the ids of the cases that all classifiers have."""
    everywhere = [namespace.col(f"rows {number}") == 1 for number in range(classifiers)]
    return cases.filter(*everywhere).select("id")
