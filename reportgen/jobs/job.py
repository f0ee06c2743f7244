"""Jobs and their outcomes: picklable values exchanged with workers; discovery of spec files."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, ExitCode, Location, SpecError
from reportgen.errors.spec import SPEC_UNREADABLE
from reportgen.jobs.history.record import new_run_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.formats import DetailLevel, OutputFormat
    from reportgen.jobs.history.record import GateRecord
    from reportgen.spec import NotificationSettings


def history_key(spec: Path, configured_name: str | None) -> str:
    """Return the name of a spec in the history: the configured name, else the file's stem."""
    return configured_name or spec.stem


@dataclass(frozen=True, slots=True)
class Job:
    """One build of one spec, with the command-line options that override the spec."""

    spec: Path
    output: Path
    formats: tuple[OutputFormat, ...] | None = None
    detail: DetailLevel | None = None
    history: str | None = None
    """The location of the run history; None: no history."""
    if_changed: bool = False
    wait: bool = False
    """Whether to wait for the lock if another run writes to the same folder."""
    untrusted: bool = False
    """Whether the spec is confined to its own folder, without notifications and network."""
    run_id: str = field(default_factory=new_run_id)
    """The run id in the history, independent of the process that records the run."""

    @property
    def folder(self) -> Path:
        """The output folder of the report."""
        return self.output / self.spec.stem


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """The outcome of a job: exit code, files written, warnings, diagnostics and gates."""

    spec: Path
    exit_code: ExitCode
    title: str = ""
    files: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0
    gates: tuple[GateRecord, ...] = ()
    unchanged: bool = False
    """Whether the existing report was up to date and was not rebuilt."""
    run_id: str | None = None
    """The run id in the history; None if the run was not recorded."""
    notification_settings: tuple[NotificationSettings, ...] = ()
    """The recipients and channels of notifications."""


# Possibly transient errors; an invalid spec or a failed gate is not retried.
RETRYABLE_EXIT_CODES = {
    ExitCode.DATA,
    ExitCode.ENVIRONMENT,
    ExitCode.OUTPUT,
    ExitCode.LOCKED,
    ExitCode.INTERNAL,
}


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The number of retries of a failed run, and the delay in seconds before the first one."""

    retries: int = 0
    retry_after: float = 60

    def delay(self, exit_code: int, attempt: int) -> float | None:
        """Return the delay in seconds before the retry after an attempt; None if there is none.

        The first attempt has the number 0; the delay doubles with each attempt.
        """
        if exit_code not in RETRYABLE_EXIT_CODES or attempt >= self.retries:
            return None
        return float(self.retry_after * 2**attempt)


# The build configuration of a Python project is never a spec.
PROJECT_FILE = "pyproject.toml"


def find_specs(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Return the distinct specs of paths and patterns; a folder means its TOML files."""
    specs: dict[Path, Path] = {}
    for path in paths:
        for spec in _expand_path(path):
            specs.setdefault(Path(os.path.abspath(spec)), spec)  # noqa: PTH100  # links stay links
    return tuple(specs.values())


def _expand_path(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from _require_matches(path, sorted(path.glob("*.toml")), "the folder has no specs")
    elif glob.has_magic(str(path)) and not path.exists():
        matching = sorted(map(Path, glob.iglob(str(path), recursive=True)))  # noqa: PTH207  # may be absolute
        yield from _require_matches(path, matching, "no file matches the pattern")
    else:
        yield path


def _require_matches(path: Path, candidates: list[Path], message: str) -> list[Path]:
    specs = [spec for spec in candidates if spec.name != PROJECT_FILE and not spec.is_dir()]
    if not specs:
        help_line = "specs have the extension .toml; `reportgen init` writes one"
        raise SpecError(Diagnostic(SPEC_UNREADABLE, message, Location(path), help_line))
    return specs
