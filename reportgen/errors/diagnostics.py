"""A fault says what is wrong, where, and the way out; an error carries all faults found at once."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pathlib import Path


class ExitCode(IntEnum):
    """How the program ends; other programs rely on these numbers."""

    SUCCESS = 0
    GATE_FAILED = 1
    SPEC = 2
    DATA = 3
    ENVIRONMENT = 4
    OUTPUT = 5
    LOCKED = 6
    INTERNAL = 70


@dataclass(frozen=True, slots=True)
class Location:
    """Where a fault is: a file and, as far as known, line, column and the line itself."""

    path: Path | RemoteUri
    line: int | None = None
    column: int | None = None
    width: int = 1
    source_line: str | None = None


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """A kind of fault: its code never changes its meaning."""

    code: str
    title: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault as found in one place."""

    error_code: ErrorCode
    message: str
    location: Location | None = None
    help: str | None = None


def _format_diagnostic(diagnostic: Diagnostic) -> str:
    place = diagnostic.location
    where = ":".join(str(part) for part in (place.path, place.line) if part) if place else ""
    lead = f"{where}: " if where else ""
    return f"{lead}{diagnostic.message}" + (f" ({diagnostic.help})" if diagnostic.help else "")


class ReportgenError(Exception):
    """Something a user can mend, with every fault that was found."""

    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL

    def __init__(self, *diagnostics: Diagnostic) -> None:
        """Take one fault or many."""
        super().__init__("; ".join(fault.message for fault in diagnostics))
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        """Say every fault in a line of its own, with its place and the way out."""
        return "\n".join(map(_format_diagnostic, self.diagnostics))


class SpecError(ReportgenError):
    """The spec or the call asks for something that cannot be."""

    exit_code = ExitCode.SPEC


class DataError(ReportgenError):
    """The input data are not what the spec says they are."""

    exit_code = ExitCode.DATA


class RenderingError(ReportgenError):
    """The machine lacks something, or a document could not be made."""

    exit_code = ExitCode.ENVIRONMENT


class OutputError(ReportgenError):
    """The result could not be written."""

    exit_code = ExitCode.OUTPUT


class HistoryError(ReportgenError):
    """What earlier runs found cannot be read, or this run cannot be kept."""

    exit_code = ExitCode.OUTPUT


class LockedError(ReportgenError):
    """Another run holds the place that this one would write to."""

    exit_code = ExitCode.LOCKED


# Where a file is that another machine keeps.


@dataclass(frozen=True, slots=True)
class RemoteUri:
    """The address of a file, such as s3://bucket/run/svm.parquet; it never holds a secret."""

    uri: str

    @property
    def scheme(self) -> str:
        """What stands before ://, which tells who keeps the file."""
        return self.uri.partition("://")[0]

    @property
    def name(self) -> str:
        """The last part, which is the name of the file."""
        return self.uri.rpartition("/")[2]

    def __str__(self) -> str:
        return self.uri
