"""Publish target in a local folder: files are replaced atomically, foreign files are retained."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, Location, LockedError, OutputError
from reportgen.errors.jobs import LOCKED, TARGET_UNWRITABLE
from reportgen.jobs.publishing.targets import Snapshot, TargetType
from reportgen.output.atomic import fsync_path, read_regular_file, try_lock, write_fsync

if TYPE_CHECKING:
    from collections.abc import Iterator

# Set independent of the umask: a web server must be able to read the files.
FILE_MODE, FOLDER_MODE = 0o644, 0o755
# Temporary files; those left by a killed process are removed by the next publication.
_TEMPORARY_NAME = re.compile(r"\.publishing-[0-9]+\.part")


@dataclass(frozen=True, slots=True)
class FolderTarget:
    """A local folder, served by a web server or opened from disk."""

    folder: Path
    concurrency: int = 1
    is_local: bool = True

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder; raise if another publication holds the lock."""
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
        """Return the content of a file; None if it does not exist."""
        with self._translate_errors(path):
            try:
                return read_regular_file(self.folder / path)
            except (FileNotFoundError, NotADirectoryError):
                return None

    def take_snapshot(self, path: str) -> Snapshot:
        """Return the content of a file; no version is needed while the folder is locked."""
        return Snapshot(self.read(path))

    def exists(self, path: str) -> bool:
        """Return whether a path exists, also as a broken symbolic link."""
        return os.path.lexists(self.folder / path)

    def write(self, path: str, content: bytes, *, immutable: bool) -> None:
        """Write a file atomically: to a temporary file, synced, then renamed."""
        del immutable
        file = self.folder / path
        with self._translate_errors(path):
            self._create_folder(file.parent)
            temporary = file.parent / f".publishing-{os.getpid()}.part"
            temporary.unlink(missing_ok=True)
            try:
                write_fsync(temporary, content, FILE_MODE)
                temporary.replace(file)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
            fsync_path(file.parent)

    def write_if_unchanged(self, snapshot: Snapshot, path: str, content: bytes) -> None:
        """Write a file; it cannot have changed while the folder is locked."""
        del snapshot
        self.write(path, content, immutable=False)

    def remove(self, path: str) -> None:
        """Delete a file if it exists."""
        file = self.folder / path
        with self._translate_errors(path):
            for parent in file.relative_to(self.folder).parents:
                self._check_not_symlink(self.folder / parent)
            file.unlink(missing_ok=True)

    def commit(self) -> None:
        """Remove temporary files of interrupted publications, and sync the folder."""
        with self._translate_errors(""):
            for path in self.folder.rglob(".publishing-*.part"):
                if _TEMPORARY_NAME.fullmatch(path.name):
                    path.unlink(missing_ok=True)
            fsync_path(self.folder)

    def _acquire_lock(self, descriptor: int) -> None:
        """Lock the folder itself, without a lock file; the lock ends with the process."""
        if not try_lock(descriptor):
            message = "another process is publishing to this folder"
            diagnostic = Diagnostic(
                LOCKED, message, Location(self.folder), "try again when it has finished"
            )
            raise LockedError(diagnostic)

    def _create_folder(self, folder: Path) -> None:
        """Create a folder that is readable for others, independent of the umask, if missing."""
        missing = []
        while not folder.exists():
            self._check_not_symlink(folder)
            missing.append(folder)
            folder = folder.parent
        existing = [path for path in (folder, *folder.parents) if self.folder in path.parents]
        for path in existing:
            self._check_not_symlink(path)
        for path in reversed(missing):
            path.mkdir()
            path.chmod(FOLDER_MODE)

    @staticmethod
    def _check_not_symlink(folder: Path) -> None:
        """Raise if a folder is a symbolic link: a site must stay below its target."""
        if folder.is_symlink():
            raise OSError(f"{folder} is a symbolic link to another folder")

    @contextmanager
    def _translate_errors(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            location = self.folder / path
            diagnostic = Diagnostic(
                TARGET_UNWRITABLE,
                f"{location} cannot be written: {error.strerror or error}",
                Location(location),
                "free disk space or grant access, or choose another target, then publish again",
            )
            raise OutputError(diagnostic) from error


TARGET_TYPE = TargetType(open=lambda address: FolderTarget(Path(address)))
