"""Where a site goes: what every target can do, and which one an address means."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from reportgen.errors import Fault, SpecError
from reportgen.errors.job_faults import TARGET_UNUSABLE
from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from obstore import UpdateVersion

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)")
SCHEMES = ("s3", "gs", "az")


class OvertakenError(Exception):
    """Another publication has changed a file since it was looked at."""


@frozen
class Seen:
    """What a file had when it was looked at (None: it was not there), and which version it was."""

    content: bytes | None
    version: UpdateVersion | None = None


class Target(Protocol):
    """A place for the files of a site; each file is there whole or not at all."""

    @property
    def at_once(self) -> int:
        """How many files it is best to write at the same time."""

    @property
    def is_near(self) -> bool:
        """Whether it costs nothing to look whether files are there."""

    def alone(self) -> AbstractContextManager[None]:
        """Keep others from publishing to the same place, as far as the place can."""

    def read(self, path: str) -> bytes | None:
        """Return what a file has; None where there is none."""

    def has(self, path: str) -> bool:
        """Tell whether there is something of that name."""

    def look(self, path: str) -> Seen:
        """Return what a file has, and which version of it that is."""

    def write(self, path: str, content: bytes, *, lasting: bool) -> None:
        """Write a file; a lasting one is never written again with another content."""

    def write_over(self, seen: Seen, path: str, content: bytes) -> None:
        """Write a file if it still is as it was seen.

        Raises:
            OvertakenError: It is not.
        """

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""

    def settle(self) -> None:
        """Make sure that what was written survives."""


def open_target(written: str) -> Target:
    """Return the target that a path or an address means."""
    found = _SCHEME.fullmatch(written)
    if not found:
        from reportgen.jobs.publishing.folder import FolderTarget

        return FolderTarget(Path(written))
    scheme, rest = found[1], found[2]
    bucket, _, prefix = rest.partition("/")
    parts = prefix.rstrip("/").split("/") if prefix.rstrip("/") else []
    refused: dict[str, Callable[[], bool]] = {
        "it must be a folder, or begin with s3://, gs:// or az://": lambda: scheme not in SCHEMES,
        "it must not have anything secret in it, so no @ and no ?": lambda: (
            "@" in rest or "?" in rest or "#" in rest
        ),
        "it must name a bucket, and folders in it without empty parts, . and ..": lambda: (
            not bucket or not {"", ".", ".."}.isdisjoint(parts)
        ),
    }
    why = next((why for why, is_so in refused.items() if is_so()), None)
    if why is not None:
        hint = "for example s3://bucket/reports; credentials come from the environment"
        raise SpecError(Fault(TARGET_UNUSABLE, f"the target cannot be used: {why}", None, hint))
    from reportgen.jobs.publishing.bucket import open_bucket

    return open_bucket(scheme, bucket, "/".join(parts))
