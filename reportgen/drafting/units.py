"""Which files belong to one classifier: a file each, or one per fold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.drafting.roles import find_fold
from reportgen.errors import Place
from reportgen.predictions.files import find_files, natural_key
from reportgen.predictions.ids import same_cases
from reportgen.predictions.inspection import FileDescription, Texts, describe_texts, texts_of
from reportgen.predictions.presets.catalogue import open_preset, recognise
from reportgen.predictions.table import open_table
from reportgen.spec.texts import is_invisible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions.presets.preset import Preset

_FOLD_WORD = re.compile(r"(?<![a-z])(folds?|cv|splits?|rep(eat)?s?|parts?)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Files that are read as one, and the path or pattern that names them all."""

    name: str
    written: tuple[str, ...]
    path: Path
    texts: Texts
    description: FileDescription
    fold: str | None
    preset: Preset | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.description.columns)


def find_units(paths: Sequence[Path]) -> tuple[Unit, ...]:
    """Group files whose names differ only in a number and whose cases differ, as folds do."""
    written = [path.as_posix() for path in paths]
    found = find_files(Path(), written, lambda number: Place(paths[number]))
    groups: dict[tuple[str, str], list[Path]] = {}
    for file in dict.fromkeys(file.path for file in found):
        folder = _masked(str(file.parent)) if _FOLD_WORD.search(file.parent.name) else file.parent
        groups.setdefault((str(folder), _masked(file.name)), []).append(file)
    return tuple(unit for group in groups.values() for unit in _units(group))


def _masked(name: str) -> str:
    return re.sub(r"\d+", "*", name)


def _units(files: list[Path]) -> list[Unit]:
    if len(files) > 1 and _are_folds(files):
        return [_fold_unit(sorted(files, key=lambda path: natural_key(str(path))))]
    return [
        _unit(path.name.split(".")[0] or path.name, (path.as_posix(),), [path]) for path in files
    ]


def _are_folds(files: list[Path]) -> bool:
    in_folders = len({file.parent for file in files}) > 1
    if in_folders or _FOLD_WORD.search(files[0].name.split(".")[0]):
        return True
    # Files such as m1.csv and m2.csv are folds only if their ids show that the cases differ.
    return same_cases([_texts([path], recognise(path)) for path in files]) is False


def _fold_unit(files: list[Path]) -> Unit:
    pattern = _pattern([path.as_posix() for path in files])
    matched = find_files(Path(), [pattern], lambda _: Place(files[0]))
    whole = {file.path for file in matched} == set(files)
    stem = pattern.rpartition("/")[2].split(".")[0]
    name = _FOLD_WORD.sub("", stem).replace("*", "").strip("_-. ")
    written = (pattern,) if whole else tuple(path.as_posix() for path in files)
    return _unit(name or files[0].resolve().parent.name, written, files)


def _pattern(paths: Sequence[str]) -> str:
    columns = zip(*(re.split(r"(\d+)", path) for path in paths), strict=True)
    return "".join(parts[0] if len(set(parts)) == 1 else "*" for parts in columns)


def _unit(name: str, written: tuple[str, ...], files: Sequence[Path]) -> Unit:
    preset = recognise(files[0])
    texts = _texts(files, preset)
    shown = "".join("\N{REPLACEMENT CHARACTER}" if is_invisible(sign) else sign for sign in name)
    description = describe_texts(texts)
    names = [column.name for column in description.columns]
    fold = find_fold(description) if preset is None else preset.column("fold", names)
    return Unit(shown, written, files[0], texts.in_folds(fold), description, fold, preset)


def _texts(files: Sequence[Path], preset: Preset | None) -> Texts:
    """Read files as the tool wrote them, if a tool is recognised."""
    return texts_of(
        [open_table(path) if preset is None else open_preset(preset, path) for path in files]
    )
