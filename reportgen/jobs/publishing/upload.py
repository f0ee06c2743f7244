"""Upload of site files to a publish target, in an order that keeps the site consistent."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, OutputError
from reportgen.errors.jobs import STALE_PAGES_NOT_REMOVED, TARGET_NOT_OWNED
from reportgen.jobs.publishing.index import INDEX_FILE, render_index_json
from reportgen.jobs.publishing.report_dir import read_verified
from reportgen.jobs.publishing.targets import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from reportgen.jobs.publishing.index import SiteIndex
    from reportgen.jobs.publishing.targets import PublishTarget, Snapshot


# Intent log: the paths that a publication is about to write, in case it is interrupted.
INTENTS_FILE = ".publishing.json"
MAX_LISTED_FILES = 5
MAX_INTENT_ATTEMPTS = 20


class PublishStage(IntEnum):
    """The upload order: a file is uploaded after all files that it links to."""

    PERMANENT = 0
    LATEST = 1
    PAGE = 2
    FRONT = 3
    INDEX = 4


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file of the site, and the source of its content."""

    path: str
    sha256: str
    source: Path | bytes
    stage: PublishStage

    def content(self) -> bytes:
        """Return the content to upload."""
        return (
            read_verified(self.source, self.sha256)
            if isinstance(self.source, Path)
            else self.source
        )


def generated_file(path: str, content: bytes, stage: PublishStage) -> SiteFile:
    """Return a site file with generated content."""
    return SiteFile(path, _sha256_hex(content), content, stage)


def changed_files(
    files: Iterable[SiteFile],
    previous_index: SiteIndex | None,
    intents: frozenset[str],
    target: PublishTarget,
) -> list[SiteFile]:
    """Return the files that are missing or outdated on the target, in upload order.

    Files in the intent log of another publication may be present in either version.
    """
    hashes = (
        {INDEX_FILE: _sha256_hex(render_index_json(previous_index)), **previous_index.files}
        if previous_index
        else {}
    )
    pending = (
        file
        for file in files
        if hashes.get(file.path) != file.sha256
        or file.path in intents
        or (target.is_local and not target.exists(file.path))
    )
    return sorted(pending, key=lambda file: (file.stage, file.path))


def check_foreign_files(
    pending_files: Sequence[SiteFile],
    previous_index: SiteIndex | None,
    intents: frozenset[str],
    target: PublishTarget,
) -> None:
    """Raise if a file would overwrite a file that reportgen did not publish."""
    own_paths = intents.union([INDEX_FILE, *previous_index.files] if previous_index else ())
    new = [file for file in pending_files if file.path not in own_paths]
    with ThreadPoolExecutor(target.concurrency) as pool:
        existing = [
            file
            for file, exists in zip(new, pool.map(target.exists, _file_paths(new)), strict=True)
            if exists
        ]
    foreign = [file.path for file in existing if not _has_same_content(target, file)]
    if foreign:
        more = (
            f" and {len(foreign) - MAX_LISTED_FILES} more"
            if len(foreign) > MAX_LISTED_FILES
            else ""
        )
        diagnostic = Diagnostic(
            TARGET_NOT_OWNED,
            "the target has files that reportgen did not publish:"
            f" {', '.join(foreign[:MAX_LISTED_FILES])}{more}",
            help="choose another target, or move them; nothing was changed",
        )
        raise OutputError(diagnostic)


def read_intents(target: PublishTarget) -> frozenset[str]:
    """Return the paths in the intent log of an interrupted or concurrent publication."""
    return _parse_intents(target.take_snapshot(INTENTS_FILE))


def upload_files(
    pending_files: Sequence[SiteFile],
    snapshot: Snapshot,
    target: PublishTarget,
    on_progress: Callable[[str], None],
) -> None:
    """Upload files stage by stage; the first error stops the upload before files link to them.

    Raises:
        ConflictError: The index has changed since its snapshot.
    """
    if not pending_files:
        return
    names = frozenset(_file_paths(pending_files))
    _update_intents(target, lambda intents: intents | names)
    uploaded = 0
    for stage in PublishStage:
        files = [file for file in pending_files if file.stage is stage]
        on_progress(f"publishing, {uploaded} of {len(pending_files)} files")
        if stage is PublishStage.INDEX:
            for file in files:
                target.write_if_unchanged(snapshot, file.path, file.content())
        else:
            _write_files(files, target)
        uploaded += len(files)
    target.commit()


def remove_stale_files(
    index: SiteIndex, published_paths: frozenset[str], target: PublishTarget
) -> tuple[list[str], list[Diagnostic]]:
    """Delete files that are no longer part of the site and are as they were published.

    Deleted files are removed from the index, published paths from the intent log; other paths may
    belong to a concurrent publication. Returns the deleted paths and the errors.
    """
    deleted_paths: list[str] = []
    remaining = dict(index.removed)
    diagnostics = []
    try:
        try:
            for path, digest in sorted(index.removed.items()):
                content = target.read(path)
                if content is not None and _sha256_hex(content) == digest:
                    target.remove(path)
                    deleted_paths.append(path)
                # A file with other content is foreign and is not deleted.
                del remaining[path]
        finally:
            _drop_removed_from_index(index, remaining, target)
        _update_intents(target, lambda intents: intents - published_paths)
    except OutputError as error:
        message = f"outdated pages could not be deleted: {error.diagnostics[0].message}"
        diagnostics.append(
            Diagnostic(
                STALE_PAGES_NOT_REMOVED,
                message,
                error.diagnostics[0].location,
                error.diagnostics[0].help,
            )
        )
    except ConflictError:
        message = (
            f"{INTENTS_FILE} could not be updated: other processes keep publishing to this target"
        )
        diagnostics.append(
            Diagnostic(STALE_PAGES_NOT_REMOVED, message, help="publish a site from one process")
        )
    return deleted_paths, diagnostics


def _drop_removed_from_index(
    index: SiteIndex, remaining: dict[str, str], target: PublishTarget
) -> None:
    """Write the index with only those stale files that remain to be deleted."""
    if len(remaining) == len(index.removed):
        return
    snapshot = target.take_snapshot(INDEX_FILE)
    if snapshot.content != render_index_json(index):
        # A concurrent publication has written its own index, which lists its stale files.
        return
    with suppress(ConflictError):
        target.write_if_unchanged(
            snapshot, INDEX_FILE, render_index_json(index.model_copy(update={"removed": remaining}))
        )


def _update_intents(
    target: PublishTarget, update: Callable[[frozenset[str]], frozenset[str]]
) -> None:
    """Update the intent log without losing the entries of concurrent publications."""
    for _ in range(MAX_INTENT_ATTEMPTS):
        snapshot = target.take_snapshot(INTENTS_FILE)
        intents = _parse_intents(snapshot)
        new_intents = update(intents)
        if not new_intents and snapshot.content is not None:
            target.remove(INTENTS_FILE)
        if not new_intents or new_intents == intents:
            return
        content = (json.dumps({"files": sorted(new_intents)}) + "\n").encode()
        with suppress(ConflictError):
            target.write_if_unchanged(snapshot, INTENTS_FILE, content)
            return
    raise ConflictError


def _parse_intents(snapshot: Snapshot) -> frozenset[str]:
    try:
        paths = json.loads(snapshot.content)["files"] if snapshot.content else ()
        return frozenset(map(str, paths))
    except (ValueError, KeyError, TypeError):
        return frozenset()


def _write_files(files: Sequence[SiteFile], target: PublishTarget) -> None:
    with ThreadPoolExecutor(target.concurrency) as pool:
        futures = [pool.submit(_write_file, target, file) for file in files]
        try:
            for future in futures:
                future.result()
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _write_file(target: PublishTarget, file: SiteFile) -> None:
    target.write(file.path, file.content(), immutable=file.stage is PublishStage.PERMANENT)


def _file_paths(files: Iterable[SiteFile]) -> list[str]:
    return [file.path for file in files]


def _has_same_content(target: PublishTarget, file: SiteFile) -> bool:
    return _sha256_hex(target.read(file.path) or b"") == file.sha256


def _sha256_hex(content: bytes) -> str:
    return sha256(content).hexdigest()
