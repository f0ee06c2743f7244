"""What a failed run says to everybody: its faults without the folders of the machine it ran on."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    return tuple(public_text(fault, run.spec, run.output) for fault in run.faults)


def public_text(told: str, *places: str) -> str:
    """Return words without folders; files beside some places are named as seen from there."""
    for folder in sorted(_folders(places), key=len, reverse=True):
        told = told.replace(f"{folder}/", "")
    return _PLACE.sub(lambda found: PurePosixPath(found[0]).name, told)


def _folders(places: Iterable[str]) -> Iterator[str]:
    """Yield the folders that paths in a spec, and those of its report, are relative to."""
    for place in places:
        folder = PurePosixPath(place).parent
        if folder.is_absolute() and folder.name:
            yield str(folder)
