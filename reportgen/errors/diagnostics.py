"""Diagnostics with code, message, location and help; exceptions carry all of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class ExitCode(IntEnum):
    """The exit codes of the command; part of its interface."""

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
    """A source location: a file and, as far as known, line, column and the source line."""

    path: Path | RemoteUri
    line: int | None = None
    column: int | None = None
    width: int = 1
    source_line: str | None = None


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """An error code with title and explanation; a code never changes its meaning."""

    code: str
    title: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error at one location, with a help text."""

    error_code: ErrorCode
    message: str
    location: Location | None = None
    help: str | None = None


def _format_diagnostic(diagnostic: Diagnostic) -> str:
    location = diagnostic.location
    parts = (location.path, location.line) if location else ()
    prefix = ":".join(str(part) for part in parts if part)
    message = f"{prefix}: {diagnostic.message}" if prefix else diagnostic.message
    return f"{message} ({diagnostic.help})" if diagnostic.help else message


class ReportgenError(Exception):
    """Base class of errors that a user can fix, with all diagnostics."""

    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL

    def __init__(self, *diagnostics: Diagnostic) -> None:
        """Create the error from one or more diagnostics."""
        super().__init__("; ".join(diagnostic.message for diagnostic in diagnostics))
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        """Return a line per diagnostic, with location and help."""
        return "\n".join(map(_format_diagnostic, self.diagnostics))


class SpecError(ReportgenError):
    """The spec or the arguments of a call are invalid."""

    exit_code = ExitCode.SPEC


class DataError(ReportgenError):
    """The input data are invalid or do not match the spec."""

    exit_code = ExitCode.DATA


class RenderingError(ReportgenError):
    """A dependency is missing, or rendering failed."""

    exit_code = ExitCode.ENVIRONMENT


class OutputError(ReportgenError):
    """The output could not be written."""

    exit_code = ExitCode.OUTPUT


class HistoryError(ReportgenError):
    """The history of runs cannot be read or written."""

    exit_code = ExitCode.OUTPUT


class LockedError(ReportgenError):
    """Another run holds the lock of the output."""

    exit_code = ExitCode.LOCKED


@dataclass(frozen=True, slots=True)
class RemoteUri:
    """The URI of a remote file, such as s3://bucket/run/svm.parquet, without credentials."""

    uri: str

    @property
    def scheme(self) -> str:
        """The scheme, such as s3."""
        return self.uri.partition("://")[0]

    @property
    def name(self) -> str:
        """The file name, the last part of the path."""
        return self.uri.rpartition("/")[2]

    def __str__(self) -> str:
        return self.uri


# Suggestions for misspelt names.

_MIN_PREFIX_LENGTH = 3
_SHORT_WORD, _MEDIUM_WORD = 5, 8
_MAX_EDITS = 3
# Higher, because a wrong file is a worse suggestion than a wrong name.
_FILE_CUTOFF = 0.75


def closest_match(word: str, candidates: Iterable[str]) -> str | None:
    """Return the shortest candidate that starts with a word, else the closest one; None if far."""
    by_casefold = {candidate.casefold(): candidate for candidate in candidates}
    folded = word.casefold()
    completions = [candidate for candidate in by_casefold if candidate.startswith(folded)]
    if completions and len(folded) >= _MIN_PREFIX_LENGTH:
        return by_casefold[min(completions, key=len)]
    # The distance is at least the difference of the lengths; a name may have a million characters.
    similar = [name for name in by_casefold if abs(len(name) - len(folded)) <= _MAX_EDITS]
    distances = {candidate: edit_distance(folded, candidate) for candidate in similar}
    near = [candidate for candidate in similar if _is_near(folded, candidate, distances)]
    if not near:
        return None
    # Of equally close candidates the shorter one: an extra character is the more common mistake.
    return by_casefold[min(near, key=lambda candidate: (distances[candidate], len(candidate)))]


def _is_near(word: str, candidate: str, distances: dict[str, int]) -> bool:
    """Return whether a candidate is a misspelling: few edits, in short words none at the start."""
    length = max(len(word), len(candidate))
    if length <= _SHORT_WORD:
        return distances[candidate] <= 1 and word[:1] == candidate[:1]
    return distances[candidate] <= (2 if length <= _MEDIUM_WORD else _MAX_EDITS)


def edit_distance(word: str, other: str) -> int:
    """Return the number of characters to insert, delete, replace or exchange with the next one.

    The optimal string alignment distance (Damerau 1964).
    """
    before: list[int] = []
    current = list(range(len(other) + 1))
    for row, character in enumerate(word, start=1):
        earlier, before, current = before, current, [row]
        for column, other_character in enumerate(other, start=1):
            cost = min(
                before[column] + 1,
                current[column - 1] + 1,
                before[column - 1] + (character != other_character),
            )
            pair = word[row - 2 : row], other[column - 2 : column][::-1]
            if row > 1 and column > 1 and pair[0] == pair[1]:
                cost = min(cost, earlier[column - 2] + 1)
            current.append(cost)
    return current[-1]


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """Return "did you mean …?" for an unknown name, None if no candidate is close."""
    return _format_suggestion(closest_match(word, candidates))


def did_you_mean_file(path: str, candidates: Iterable[str]) -> str | None:
    """Return "did you mean …?" for a missing file, None if no file has a similar name."""
    _, _, suffix = path.rpartition(".")
    # Those of the same suffix last, so that they win where two stems are equal.
    ordered = sorted(candidates, key=lambda name: name.endswith(f".{suffix}"))
    by_stem = {_stem(name): name for name in ordered}
    matches = get_close_matches(_stem(path), by_stem, n=1, cutoff=_FILE_CUTOFF)
    return _format_suggestion(by_stem[matches[0]] if matches else None)


def _stem(path: str) -> str:
    name = path.casefold().rpartition("/")[2]
    return name.partition(".")[0] or name


def _format_suggestion(candidate: str | None) -> str | None:
    return None if candidate is None else f"did you mean `{candidate}`?"
