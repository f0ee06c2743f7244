"""What a failed run says to everybody: its faults without the folders of the machine it ran on."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.jobs.history.record import RunRecord

# At least one folder and what is in it. A blank is part of a name as long as a slash follows later:
# better a word too few than the name of somebody's folder.
_SEGMENT = r"[^\s/`'\"<>:;,]+(?: [^\s/`'\"<>:;,]+)*/"
_PLACE = re.compile(
    rf"(?<![\w.:/~-])(?:file://)?/(?:{_SEGMENT})+[^\s/`'\"<>:;,)]*"
    r"|(?<=[`'\"])(?:file://)?/[^`'\"\n/]+/[^`'\"\n]*(?=[`'\"])"
)


def public_faults(run: RunRecord) -> tuple[str, ...]:
    """Return why a run failed, with files as the spec names them or by their name alone."""
    folders = sorted(_folders(run), key=len, reverse=True)
    return tuple(_public(fault, folders) for fault in run.faults)


def _public(told: str, folders: list[str]) -> str:
    for folder in folders:
        told = told.replace(f"{folder}/", "")
    return _PLACE.sub(lambda found: PurePosixPath(found[0]).name, told)


def _folders(run: RunRecord) -> Iterator[str]:
    """Yield the folders that paths in a spec, and those of its report, are relative to."""
    for place in (run.spec, run.output):
        folder = PurePosixPath(place).parent
        if folder.is_absolute() and folder.name:
            yield str(folder)
