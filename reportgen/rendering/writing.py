"""Writing a report whole or not at all."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Fault, OutputError, Place
from reportgen.errors.run_faults import OUTPUT_UNWRITABLE
from reportgen.rendering.results.manifest import MANIFEST, listed_outputs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STAGE_PREFIX = ".reportgen-"
NAMES = "names"


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn whatever the system says against writing into a fault with the way out."""
    try:
        yield
    except OSError as error:
        fault = Fault(
            OUTPUT_UNWRITABLE,
            f"{path} cannot be written: {error.strerror or error}",
            Place(path),
            "choose another place with -o, or make room and give permission; nothing that was"
            " there has changed",
        )
        raise OutputError(fault) from error


def ensure_writable(folder: Path) -> None:
    """Find out before anything is computed that the output folder cannot be written."""
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    with writing_to(folder), _stage(existing):
        _refuse_links(folder, ())


def write_report(folder: Path, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Replace the report in a folder: on any fault the earlier one is as it was.

    Returns the files that only the earlier report had, and that are gone with it.
    """
    with writing_to(folder):
        _refuse_links(folder, files)
        folder.mkdir(parents=True, exist_ok=True)
        with _stage(folder) as stage:
            for name, content in files.items():
                _write_through(stage / "new" / name, content)
            gone = _exchange(folder, stage, list(files))
            _sync_folder(folder)
    return gone


def write_file(path: Path, content: bytes) -> None:
    """Write one file whole: on any fault what was there before is as it was."""
    with writing_to(path):
        if path.is_dir():
            raise OSError(f"{path} is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        with _stage(path.parent) as stage:
            _write_through(stage / path.name, content)
            (stage / path.name).replace(path)
            _sync_folder(path.parent)


def _exchange(folder: Path, stage: Path, names: list[str]) -> tuple[str, ...]:
    """Put new files over old ones; the old are kept in the stage until all is done."""
    earlier = list(_earlier_outputs(folder, names))
    for name in earlier:
        _keep(folder / name, stage / "old" / name)
    # While this file is there, the old report is the one that counts.
    names_file = stage / NAMES
    names_file.write_text("\n".join(names), encoding="utf-8")
    try:
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (stage / "new" / name).replace(folder / name)
        gone = tuple(name for name in earlier if name not in names)
        for name in gone:
            _remove(folder, name)
        names_file.unlink()
    except BaseException:
        _restore(folder, stage)
        raise
    return gone


def _restore(folder: Path, stage: Path) -> None:
    """Bring the old report back from a stage that was left in the middle."""
    names_file, kept = stage / NAMES, stage / "old"
    if not names_file.is_file():
        return
    for name in names_file.read_text(encoding="utf-8").splitlines():
        if not os.path.lexists(kept / name):
            _remove(folder, name)
    for path in kept.rglob("*"):
        if path.is_file() or path.is_symlink():
            path.replace(folder / path.relative_to(kept))


def _keep(path: Path, copy: Path) -> None:
    """Keep a file under a second name, so that it is never absent under its own."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, copy, follow_symlinks=False)
    except OSError:
        # Some file systems know no hard links.
        shutil.copy2(path, copy, follow_symlinks=False)


def _remove(folder: Path, name: str) -> None:
    path = folder / name
    path.unlink(missing_ok=True)
    if path.parent != folder and path.parent.is_dir() and not any(path.parent.iterdir()):
        path.parent.rmdir()


@contextmanager
def _stage(folder: Path) -> Iterator[Path]:
    """Give a place beside the files: a rename is atomic only within one file system."""
    for other in folder.glob(f"{STAGE_PREFIX}*"):
        process = other.name.removeprefix(STAGE_PREFIX)
        if process.isdecimal() and not _is_alive(int(process)):
            _restore(folder, other)
            shutil.rmtree(other, ignore_errors=True)
    path = folder / f"{STAGE_PREFIX}{os.getpid()}"
    path.mkdir()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _is_alive(process: int) -> bool:
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _earlier_outputs(folder: Path, names: list[str]) -> Iterator[str]:
    """Name what is to be replaced, and what only the earlier report had."""
    manifest = folder / MANIFEST
    listed = listed_outputs(manifest.read_bytes()) if manifest.is_file() else ()
    for name in dict.fromkeys([*names, *listed]):
        path = folder / name
        inside = not Path(name).is_absolute() and ".." not in Path(name).parts
        if inside and (path.is_symlink() or path.is_file()):
            yield name


def _refuse_links(folder: Path, names: Mapping[str, bytes] | tuple[str, ...]) -> None:
    """Refuse folders that are links: a report stays where it was told to go."""
    inner = (folder / Path(name).parent for name in names)
    for place in dict.fromkeys((folder, *inner)):
        if place.is_symlink():
            raise OSError(f"{place} is a link to another folder")


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
