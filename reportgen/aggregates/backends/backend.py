"""The interface of an aggregation back end: files, lazy frames, and bins of scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from reportgen.errors import RemoteUri
from reportgen.predictions.files import InputFile, RemoteFile, is_glob
from reportgen.predictions.formats import FileFormat
from reportgen.predictions.table import PredictionTable
from reportgen.spec.fields import is_remote_uri

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import ModuleType

    import polars as pl


_TEXT_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt")


@dataclass(frozen=True, slots=True)
class FileSet:
    """Paths, glob patterns and URIs that a back end reads as one table."""

    folder: Path
    spec_paths: tuple[str, ...]
    encoding: str | None = None

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

    def scan(
        self,
        files: FileSet,
        columns: Mapping[str, str],
        where: Mapping[str, str | float],
        file_column: str | None = None,
    ) -> pl.LazyFrame:
        """Scan columns under new names (new name -> name in the files), as the files have them.

        The column `id` is an integer if it is one in the files, and text otherwise. `where` keeps
        the rows with these values. `file_column` is the new name of a column of file paths.
        """

    def as_numbers(self, frame: pl.LazyFrame, columns: Sequence[str], decimal: str) -> pl.LazyFrame:
        """Return a frame with columns as floats, null where a value is not numeric."""

    def persist(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Return a frame whose rows are kept once they are computed."""

    def from_frame(self, frame: pl.DataFrame) -> pl.LazyFrame:
        """Return a small frame of numbers in memory as one of the back end."""

    def sample(self, frame: pl.LazyFrame, columns: Sequence[str], share: float) -> pl.LazyFrame:
        """Return the rows of a random share of the values of columns; always the same ones."""

    def collect(self, frame: pl.LazyFrame, limit: int | None = None) -> pl.DataFrame:
        """Return a small frame, or its first `limit` rows, as a frame in memory."""

    def approx_n_unique(self, frame: pl.LazyFrame, columns: Sequence[str]) -> int:
        """Return the approximate number of distinct combinations of values of columns."""


# Scores close to the lowest or the highest one are binned by the logarithm of their distance.
_BINS_PER_OCTAVE, _OCTAVES = 64, 64
_LOGARITHMIC_BINS = _BINS_PER_OCTAVE * _OCTAVES


@dataclass(frozen=True, slots=True)
class ScoreBins:
    """Bins of equal width between the lowest and the highest score.

    The two extremes have bins of their own, because a probability of exactly 0 or 1 must not be
    averaged with its neighbours. The first and the last bin are divided by the logarithm of the
    distance from the extreme, because confident classifiers have most of their scores there.
    """

    low: float
    high: float
    bin_count: int

    def index(self, score: pl.Expr, namespace: ModuleType) -> pl.Expr:
        """Return the number of the bin of each row's score; numbers are not in order."""
        inner = self.bin_count - 2
        width = (self.high - self.low) / inner if self.high > self.low else 1.0
        place, distance_to_high = (score - self.low) / width, (self.high - score) / width
        first, last = (
            offset + _logarithmic_bin(distance, namespace)
            for offset, distance in (
                (self.bin_count, place),
                (self.bin_count + _LOGARITHMIC_BINS + 1, distance_to_high),
            )
        )
        return (  # type: ignore[no-any-return]
            namespace.when(score <= self.low)
            .then(namespace.lit(0.0))
            .otherwise(
                namespace.when(score >= self.high)
                .then(namespace.lit(float(inner + 1)))
                .otherwise(
                    namespace.when(place < 1)
                    .then(first)
                    .otherwise(
                        namespace.when(distance_to_high < 1).then(last).otherwise(place.floor() + 1)
                    )
                )
            )
        )


def _logarithmic_bin(distance: pl.Expr, namespace: ModuleType) -> pl.Expr:
    """Return the bin of a distance between 0 and 1; the smallest distances share one."""
    most = float(_LOGARITHMIC_BINS)
    index = (distance.log(2) * -_BINS_PER_OCTAVE).floor()
    return namespace.when(index < most).then(index).otherwise(namespace.lit(most))  # type: ignore[no-any-return]
