"""What a report is made of, and whether any of it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from reportgen.predictions.files import files_of
from reportgen.rendering.shipped import template_folder
from reportgen.spec import spec_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from reportgen.spec import SpecFile

Stamp: TypeAlias = tuple[tuple[str, int, int], ...]


def stamp(paths: Iterable[Path]) -> Stamp:
    """Return when files were changed and how large they are; a missing one has no size."""
    return tuple(_state(path) for path in sorted(set(paths)))


def data_files(spec_file: SpecFile) -> list[Path]:
    """Return the files the numbers come from: the spec and all predictions and labels it names."""
    spec, folder = spec_file.spec, spec_file.folder
    paths = [
        path
        for part in [spec_of(spec, dataset) for dataset in spec.datasets] or [spec]
        for each in part.classifiers
        if each.predictions is not None
        for path in (*each.predictions, part.data_of(each).labels)
    ]
    own = [] if spec_file.path is None else [spec_file.path]
    return [*own, *(file.path for path in paths if path for file in files_of(folder, path))]


def look_files(spec_file: SpecFile) -> list[Path]:
    """Return the files the report's look and words come from."""
    spec, folder = spec_file.spec, spec_file.folder
    theme, templates = spec.output.theme, spec.output.templates
    named = [theme.logo, theme.font, theme.font_bold, theme.font_italic]
    named += [section.file for section in spec.sections]
    folders = [template_folder(), *([folder / templates] if templates else [])]
    return [
        *(folder / path for path in named if path),
        # A folder changes when a file comes or goes.
        *(path for each in folders for path in (each, *each.rglob("*"))),
    ]


def _state(path: Path) -> tuple[str, int, int]:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return str(path), 0, -1
    return str(path), found.st_mtime_ns, found.st_size
