"""What an engine must be able to do, and the files it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from reportgen.errors import Address
from reportgen.frozen import frozen
from reportgen.predictions.files import InputFile, RemoteFile, is_pattern
from reportgen.predictions.formats import Format
from reportgen.predictions.table import Table
from reportgen.spec.addresses import is_remote

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import ModuleType

    import polars as pl

_TEXTS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt")


@frozen
class Files:
    """Files, folders, patterns and addresses that are read as one table."""

    folder: Path
    written: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """What the engine is told to read."""
        return tuple(
            path if is_remote(path) else str(self.folder / path.replace("\\", "/"))
            for path in self.written
        )

    @property
    def name(self) -> str:
        """How messages and the manifest name them."""
        return ", ".join(self.written)

    @property
    def is_text(self) -> bool:
        """Whether they are CSV; by the name, since nobody can look into them first."""
        return self.written[0].lower().endswith(_TEXTS)

    @property
    def separator(self) -> str:
        """What stands between the fields of a text file."""
        return "\t" if ".tsv" in self.written[0].lower() else ","

    @property
    def may_be_many(self) -> bool:
        """Whether more than one file may be meant."""
        return len(self.written) > 1 or is_pattern(self.written[0])

    def input(self) -> InputFile | RemoteFile:
        """Return them as one input."""
        if is_remote(self.written[0]):
            return RemoteFile(Address(self.name), self.name)
        return InputFile(self.folder / self.name, self.name)

    def table(self, names: Sequence[str]) -> Table:
        """Return them as a table that knows no rows, for messages."""
        return Table(self.input().path, Format.PARQUET, tuple(names))


class CountingEngine(Protocol):
    """Scans files into lazy frames that speak the words of `of`, and collects small ones."""

    @property
    def of(self) -> ModuleType:
        """The namespace of expressions: polars, or narwhals."""

    def names(self, files: Files) -> tuple[str, ...]:
        """Return the columns that files have."""

    def scan(self, files: Files, columns: Mapping[str, str]) -> pl.LazyFrame:
        """Scan columns under new names (new name -> name in the files).

        A score is a number, or null where it is none; an id is a whole number if its column holds
        those; all others are text.
        """

    def collect(self, frame: pl.LazyFrame, most: int | None = None) -> pl.DataFrame:
        """Bring a small frame, or its first rows, to this machine."""

    def different(self, frame: pl.LazyFrame, column: str) -> int:
        """Tell about how many different values a column has."""
