"""Templates of a user's own: which they stand in for, and what is wrong with them."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Fault, Place, SpecError, did_you_mean
from reportgen.errors.spec_faults import TEMPLATE_FAULT, UNUSABLE_FILE
from reportgen.rendering.shipped import SUFFIX, template_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.spec import SpecFile

OWN_STYLE = "theme.css"
PARTIAL = "_"


def own_folder(spec_file: SpecFile) -> Path | None:
    """Return the folder of a user's own templates, if the spec names one and it is there."""
    named = spec_file.spec.output.templates
    if named is None:
        return None
    folder = spec_file.folder / named
    if not folder.is_dir():
        help_line = "make a folder, and in it a file with the name of a shipped template"
        place = spec_file.place("output", "templates")
        raise SpecError(Fault(UNUSABLE_FILE, f"there is no folder `{named}`", place, help_line))
    return folder


def own_files(folder: Path) -> list[Path]:
    """Return the files in the folder; one that would stand in for nothing is a fault."""
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not path.relative_to(folder).as_posix().startswith(".")
    )
    faults = [_stands_for_nothing(folder, path) for path in files]
    found = [fault for fault in faults if fault is not None]
    if found:
        raise SpecError(*found)
    return files


def shipped_names() -> list[str]:
    """Return the templates that can be replaced."""
    folder = template_folder()
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob(f"*{SUFFIX}"))


def template_error(error: Exception, folder: Path) -> SpecError:
    """Return what went wrong in a template, with its file and line as far as they are known."""
    line = getattr(error, "lineno", None)
    path = getattr(error, "filename", None)
    if path is None:
        inside = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if Path(frame.filename).is_relative_to(folder)
        ]
        path, line = (inside[-1].filename, inside[-1].lineno) if inside else (None, None)
    place = Place(Path(path), line, source=_line(Path(path), line)) if path else Place(folder)
    said = str(error) or type(error).__name__
    return SpecError(Fault(TEMPLATE_FAULT, f"the template cannot be used: {said}", place))


def _stands_for_nothing(folder: Path, path: Path) -> Fault | None:
    name = path.relative_to(folder).as_posix()
    if path.name.startswith(PARTIAL) or name == OWN_STYLE or name in shipped_names():
        return None
    help_line = did_you_mean(name, shipped_names()) or (
        f"a part that other templates include has a name that begins with {PARTIAL}"
    )
    return Fault(TEMPLATE_FAULT, f"there is no shipped template `{name}`", Place(path), help_line)


def _line(path: Path, number: int | None) -> str | None:
    lines: Sequence[str] = path.read_text("utf-8", "replace").splitlines() if number else ()
    return lines[number - 1] if number and number <= len(lines) else None
