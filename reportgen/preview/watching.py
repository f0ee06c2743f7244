"""What a report is made of, and whether any of it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from reportgen.rendering.page.shipped import template_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from reportgen.spec import SpecFile

Stamp: TypeAlias = tuple[tuple[str, int, int], ...]


def stamp(paths: Iterable[Path]) -> Stamp:
    """Return when files were changed and how large they are; a missing one has no size."""
    return tuple(_state(path) for path in sorted(set(paths)))


def data_files(spec_file: SpecFile) -> list[Path]:
    """Return the files the numbers come from: the spec and all predictions and labels it names."""
    spec, folder = spec_file.spec, spec_file.folder
    named = [
        path
        for each in spec.classifiers
        for path in (*(each.predictions or ()), *filter(None, [each.labels]))
    ]
    named += [spec.data.labels] if spec.data.labels else []
    names = spec.dataset_names or ("",)
    paths = {path.replace("{dataset}", name) for path in named for name in names}
    own = [] if spec_file.path is None else [spec_file.path]
    return [*own, *(found for path in paths for found in _found(folder, path))]


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


def _found(folder: Path, path: str) -> Iterator[Path]:
    """Yield a file, or what a pattern matches now and the folder where more may come."""
    yield folder / path
    if "*" in path and not path.startswith("/"):
        yield from folder.glob(path)
        yield (folder / path).parent


def _state(path: Path) -> tuple[str, int, int]:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return str(path), 0, -1
    return str(path), found.st_mtime_ns, found.st_size
