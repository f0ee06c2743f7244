"""Writing a report whole or not at all."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Fault, OutputError, Place
from reportgen.errors.run_faults import OUTPUT_UNWRITABLE
from reportgen.rendering.durable import make_folder, sync, write_through
from reportgen.rendering.results.manifest import MANIFEST, listed_outputs
from reportgen.rendering.stages import NEW, clear_stages, exchange, is_inside, stage_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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
    with writing_to(folder), stage_in(existing):
        _refuse_links(folder, ())


def take_back(folder: Path) -> None:
    """Bring back the report that a process which is gone was about to replace; clear its rest.

    Before a folder is made, what is made ready for it is beside it.
    """
    with writing_to(folder):
        _refuse_links(folder, ())
        clear_stages(folder.parent)
        clear_stages(folder)


def write_report(folder: Path, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Replace the report in a folder: on any fault the earlier one is as it was.

    Returns the files that only the earlier report had, and that are gone with it.
    """
    with writing_to(folder):
        _refuse_links(folder, files)
        make_folder(folder)
        with stage_in(folder) as stage:
            for name, content in files.items():
                (stage / NEW / name).parent.mkdir(parents=True, exist_ok=True)
                write_through(stage / NEW / name, content)
            earlier = list(_earlier_outputs(folder, list(files)))
            exchange(folder, stage, list(files), earlier)
    return tuple(name for name in earlier if name not in files)


def write_file(path: Path, content: bytes) -> None:
    """Write one file whole: on any fault what was there before is as it was."""
    with writing_to(path):
        if path.is_dir():
            raise OSError(f"{path} is a folder")
        make_folder(path.parent)
        with stage_in(path.parent) as stage:
            (stage / NEW).mkdir()
            write_through(stage / NEW / path.name, content)
            (stage / NEW / path.name).replace(path)
            sync(path.parent)


def _earlier_outputs(folder: Path, names: list[str]) -> Iterator[str]:
    """Name what is to be replaced, and what only the earlier report had."""
    manifest = folder / MANIFEST
    listed = listed_outputs(manifest.read_bytes()) if manifest.is_file() else ()
    for name in dict.fromkeys([*names, *listed]):
        path = folder / name
        if is_inside(name) and (path.is_symlink() or path.is_file()):
            yield name


def _refuse_links(folder: Path, names: Mapping[str, bytes] | tuple[str, ...]) -> None:
    """Refuse folders that are links: a report stays where it was told to go."""
    inner = (folder / Path(name).parent for name in names)
    for place in dict.fromkeys((folder, *inner)):
        if place.is_symlink():
            raise OSError(f"{place} is a link to another folder")
