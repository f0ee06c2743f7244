"""What a run is given and what it gives back: small plain values, in this process or another."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, Location, SpecError
from reportgen.errors.spec import SPEC_UNREADABLE
from reportgen.jobs.history.record import new_run_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.errors import ExitCode
    from reportgen.jobs.history.record import GateRecord
    from reportgen.spec import DetailLevel, NotificationSettings, OutputFormat


def history_key(spec: Path, configured_name: str | None) -> str:
    """Return the name under which the history keeps the runs of a spec, which may name one."""
    return configured_name or spec.stem


@dataclass(frozen=True, slots=True)
class Job:
    """One spec to build once, with what the call wants instead of what the spec says."""

    spec: Path
    output: Path
    formats: tuple[OutputFormat, ...] | None = None
    detail: DetailLevel | None = None
    history: str | None = None
    """Where runs are kept; None: nowhere."""
    if_changed: bool = False
    wait: bool = False
    """Whether to wait for another run that writes to the same place."""
    run_id: str = field(default_factory=new_run_id)
    """Under which name the history is to know it, whichever process tells the history of it."""

    @property
    def folder(self) -> Path:
        """Where the report goes."""
        return self.output / self.spec.stem

    def history_key(self, configured_name: str | None) -> str:
        """Return the name under which the history keeps its runs."""
        return history_key(self.spec, configured_name)


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """How one spec was built: what was written, what there is to say, and how it ended."""

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
    """Whether nothing had changed, so that the earlier report stays."""
    run_id: str | None = None
    """Under which name the history knows it."""
    notification_settings: tuple[NotificationSettings, ...] = ()
    """Who wants to be told."""


# Which specs a call means: files, folders and patterns.

# A file of this name says how a Python project is built, and is never a spec.
PROJECT_FILE = "pyproject.toml"


def find_specs(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Return the specs that are meant, each once: a folder means all of its own TOML files."""
    found: dict[Path, Path] = {}
    for path in paths:
        for spec in _expand_path(path):
            found.setdefault(Path(os.path.abspath(spec)), spec)  # noqa: PTH100  # links stay links
    return tuple(found.values())


def _expand_path(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from _require_matches(
            path, sorted(path.glob("*.toml")), "the folder has no spec in it"
        )
    elif glob.has_magic(str(path)) and not path.exists():
        matching = sorted(map(Path, glob.iglob(str(path), recursive=True)))  # noqa: PTH207  # may be absolute
        yield from _require_matches(path, matching, "no file matches the pattern")
    else:
        yield path


def _require_matches(path: Path, candidates: list[Path], message: str) -> list[Path]:
    specs = [each for each in candidates if each.name != PROJECT_FILE and not each.is_dir()]
    if not specs:
        help_line = "specs are files that end with .toml; `reportgen init` writes one"
        raise SpecError(Diagnostic(SPEC_UNREADABLE, message, Location(path), help_line))
    return specs
