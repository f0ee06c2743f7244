"""A site in a folder: every file is replaced whole, and what others put there stays."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, Location, LockedError, OutputError
from reportgen.errors.jobs import LOCKED, TARGET_UNWRITABLE
from reportgen.jobs.publishing.upload import Snapshot
from reportgen.output.atomic import fsync_path, try_lock, write_fsync

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Whatever the umask, which may take from others what a web server needs.
FILE_MODE, FOLDER_MODE = 0o644, 0o755
# Written beside the file it becomes; a process that was killed leaves it to the next one.
_TEMPORARY_NAME = re.compile(r"\.publishing-[0-9]+\.part")


@dataclass(frozen=True, slots=True)
class FolderTarget:
    """A folder, which may be served as it is or opened from the disk."""

    folder: Path
    concurrency: int = 1
    is_local: bool = True

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder; a second publication to it ends at once."""
        with self._translate_errors(""):
            self._check_not_symlink(self.folder)
            self._create_folder(self.folder)
            descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            self._acquire_lock(descriptor)
            yield
        finally:
            os.close(descriptor)

    def read(self, path: str) -> bytes | None:
        """Return what a file has; None where there is none."""
        with self._translate_errors(path):
            try:
                return (self.folder / path).read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                return None

    def take_snapshot(self, path: str) -> Snapshot:
        """Return what a file has; there is no other version while the folder is held."""
        return Snapshot(self.read(path))

    def exists(self, path: str) -> bool:
        """Return whether a file of that name exists, including a broken link."""
        return os.path.lexists(self.folder / path)

    def write(self, path: str, content: bytes, *, immutable: bool) -> None:
        """Write a file beside its place, and move it there when it is on the disk."""
        del immutable
        place = self.folder / path
        with self._translate_errors(path):
            self._create_folder(place.parent)
            beside = place.parent / f".publishing-{os.getpid()}.part"
            beside.unlink(missing_ok=True)
            try:
                write_fsync(beside, content, FILE_MODE)
                beside.replace(place)
            except BaseException:
                beside.unlink(missing_ok=True)
                raise
            fsync_path(place.parent)

    def write_if_unchanged(self, snapshot: Snapshot, path: str, content: bytes) -> None:
        """Write a file: as the folder is held, it still is as it was seen."""
        del snapshot
        self.write(path, content, immutable=False)

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        place = self.folder / path
        with self._translate_errors(path):
            for parent in place.relative_to(self.folder).parents:
                self._check_not_symlink(self.folder / parent)
            place.unlink(missing_ok=True)

    def commit(self) -> None:
        """Remove what a publication that was killed had not finished, and sync the folder."""
        with self._translate_errors(""):
            for path in self.folder.rglob(".publishing-*.part"):
                if _TEMPORARY_NAME.fullmatch(path.name):
                    path.unlink(missing_ok=True)
            fsync_path(self.folder)

    def _acquire_lock(self, descriptor: int) -> None:
        """Lock the folder itself, which leaves no file; the lock ends with the process."""
        if not try_lock(descriptor):
            message = "another process is publishing there"
            fault = Diagnostic(LOCKED, message, Location(self.folder), "wait until it has ended")
            raise LockedError(fault)

    def _create_folder(self, folder: Path) -> None:
        """Make a folder that others may read, whatever the umask; what is there stays."""
        missing = []
        while not folder.exists():
            self._check_not_symlink(folder)
            missing.append(folder)
            folder = folder.parent
        inside = [place for place in (folder, *folder.parents) if self.folder in place.parents]
        for place in inside:
            self._check_not_symlink(place)
        for place in reversed(missing):
            place.mkdir()
            place.chmod(FOLDER_MODE)

    @staticmethod
    def _check_not_symlink(folder: Path) -> None:
        """Raise an error for folders that are links, so that a site stays inside its target."""
        if folder.is_symlink():
            raise OSError(f"{folder} is a link to another folder")

    @contextmanager
    def _translate_errors(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            place = self.folder / path
            fault = Diagnostic(
                TARGET_UNWRITABLE,
                f"{place} cannot be written: {error.strerror or error}",
                Location(place),
                "make room and give permission, or choose another place, then publish again",
            )
            raise OutputError(fault) from error
