"""Which specs a call means: files, folders and patterns."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Fault, Place, SpecError
from reportgen.errors.spec_faults import SPEC_UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A file of this name says how a Python project is built, and is never a spec.
PROJECT = "pyproject.toml"


def find_specs(named: Sequence[Path]) -> tuple[Path, ...]:
    """Return the specs that are meant, each once: a folder means all of its own TOML files."""
    found: dict[Path, Path] = {}
    for path in named:
        for spec in _meant(path):
            found.setdefault(Path(os.path.abspath(spec)), spec)  # noqa: PTH100  # links stay links
    return tuple(found.values())


def _meant(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from _some(path, sorted(path.glob("*.toml")), "the folder has no spec in it")
    elif glob.has_magic(str(path)) and not path.exists():
        matching = sorted(map(Path, glob.iglob(str(path), recursive=True)))  # noqa: PTH207  # may be absolute
        yield from _some(path, matching, "no file matches the pattern")
    else:
        yield path


def _some(path: Path, candidates: list[Path], otherwise: str) -> list[Path]:
    specs = [each for each in candidates if each.name != PROJECT and not each.is_dir()]
    if not specs:
        help_line = "specs are files that end with .toml; `reportgen init` writes one"
        raise SpecError(Fault(SPEC_UNREADABLE, otherwise, Place(path), help_line))
    return specs
