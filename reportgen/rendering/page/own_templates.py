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

SITE = "site"
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
    """Return the files in the folder; one that stands in for nothing or is no template is a fault.

    What is hidden, as a system's own notes are, is left alone wherever it is.
    """
    files = sorted(
        path for path in folder.rglob("*") if path.is_file() and not _is_hidden(folder, path)
    )
    faults = [
        fault
        for path in files
        for fault in (_stands_for_nothing(folder, path) or _cannot_be_read(folder, path))
    ]
    if faults:
        raise SpecError(*faults)
    return files


def shipped_names() -> list[str]:
    """Return the templates that can be replaced: not those of the site, which is of many specs."""
    folder = template_folder()
    paths = (path.relative_to(folder) for path in folder.rglob(f"*{SUFFIX}"))
    return sorted(path.as_posix() for path in paths if path.parts[0] != SITE)


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


def _is_hidden(folder: Path, path: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _stands_for_nothing(folder: Path, path: Path) -> tuple[Fault, ...]:
    name = path.relative_to(folder).as_posix()
    if path.name.startswith(PARTIAL) or name == OWN_STYLE or name in shipped_names():
        return ()
    help_line = did_you_mean(name, shipped_names()) or (
        f"a part that other templates include has a name that begins with {PARTIAL}"
    )
    found = f"there is no shipped template `{name}`"
    return (Fault(TEMPLATE_FAULT, found, Place(path), help_line),)


def _cannot_be_read(folder: Path, path: Path) -> tuple[Fault, ...]:
    """Return why a file is no text, or the slip that is found in a template before it is used."""
    name = path.relative_to(folder).as_posix()
    if not name.endswith((SUFFIX, OWN_STYLE)):
        return ()
    try:
        path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return (Fault(TEMPLATE_FAULT, f"`{name}` is not UTF-8 text", Place(path)),)
    except OSError as error:
        found = f"`{name}` cannot be read: {error.strerror or error}"
        return (Fault(TEMPLATE_FAULT, found, Place(path)),)
    return _slip(folder, name) if name.endswith(SUFFIX) else ()


def _slip(folder: Path, name: str) -> tuple[Fault, ...]:
    from jinja2 import TemplateSyntaxError

    from reportgen.rendering.page.templates import sandbox

    try:
        sandbox(folder).get_template(name)
    except TemplateSyntaxError as error:
        return template_error(error, folder).faults
    return ()


def _line(path: Path, number: int | None) -> str | None:
    lines: Sequence[str] = path.read_text("utf-8", "replace").splitlines() if number else ()
    return lines[number - 1] if number and number <= len(lines) else None
