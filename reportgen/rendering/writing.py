"""Writing a report whole or not at all."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from reportgen.errors import Fault, OutputError, Place
from reportgen.errors.run_faults import OUTPUT_UNWRITABLE
from reportgen.rendering.manifest import MANIFEST, listed_outputs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STAGE_PREFIX = ".reportgen-"


def ensure_writable(folder: Path) -> None:
    """Find out before anything is computed that the output folder cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _stage(folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from error


def write_report(folder: Path, files: Mapping[str, bytes]) -> None:
    """Replace the report in a folder: on any fault the earlier one is as it was."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _stage(folder) as stage:
            for name, content in files.items():
                _write_through(stage.new / name, content)
            _replace(folder, stage, list(files))
            _sync_folder(folder)
    except OSError as error:
        raise _unwritable(folder, error) from error


@dataclass(frozen=True, slots=True)
class Stage:
    """A place beside the output where the new files are made and the old ones wait."""

    path: Path
    moves: list[tuple[Path, Path]] = field(default_factory=list)

    @property
    def new(self) -> Path:
        """Where the new files are made."""
        return self.path / "new"

    @property
    def old(self) -> Path:
        """Where the old files wait until all new ones are in place."""
        return self.path / "old"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            for source, target in reversed(self.moves):
                os.replace(target, source)  # noqa: PTH105  # rename that replaces, on every system
        shutil.rmtree(self.path, ignore_errors=True)

    def move(self, source: Path, target: Path) -> None:
        """Rename, and remember it in case everything has to go back."""
        target.parent.mkdir(parents=True, exist_ok=True)
        source.replace(target)
        self.moves.append((source, target))


def _stage(folder: Path) -> Stage:
    # Beside the files, not in /tmp: a rename is atomic only within one file system.
    for stale in folder.glob(f"{STAGE_PREFIX}*"):
        if not _is_alive(stale.name.removeprefix(STAGE_PREFIX)):
            shutil.rmtree(stale, ignore_errors=True)
    path = folder / f"{STAGE_PREFIX}{os.getpid()}"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    return Stage(path)


def _is_alive(process: str) -> bool:
    if not process.isdigit() or int(process) == os.getpid():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _replace(folder: Path, stage: Stage, names: list[str]) -> None:
    for name in _earlier_outputs(folder, names):
        stage.move(folder / name, stage.old / name)
    for name in names:
        stage.move(stage.new / name, folder / name)


def _earlier_outputs(folder: Path, names: list[str]) -> Iterator[str]:
    """Name what must go: files to be replaced, and those only the earlier report had."""
    manifest = folder / MANIFEST
    listed = listed_outputs(manifest.read_text("utf-8")) if manifest.is_file() else ()
    for name in dict.fromkeys([*names, *listed]):
        path = folder / name
        inside = not Path(name).is_absolute() and ".." not in Path(name).parts
        if inside and (path.is_symlink() or path.is_file()):
            yield name


def _write_through(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unwritable(folder: Path, error: OSError) -> OutputError:
    reason = error.strerror or str(error)
    return OutputError(
        Fault(
            OUTPUT_UNWRITABLE,
            f"the report cannot be written: {reason}",
            Place(folder),
            "choose another folder with -o, or make room and give permission; the earlier report"
            " is untouched",
        )
    )
