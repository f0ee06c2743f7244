"""Bringing files to a target in an order in which the site is whole at any time."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Fault, OutputError
from reportgen.errors.job_faults import NOT_REMOVED, TARGET_FOREIGN
from reportgen.frozen import frozen
from reportgen.jobs.publishing.built import content_of
from reportgen.jobs.publishing.index import INDEX, index_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from reportgen.jobs.publishing.index import Index
    from reportgen.jobs.publishing.target import Target

# Says which names are the site's own while it is being published, for when that is interrupted.
CLAIMS = ".publishing.json"
MOST_NAMED = 5


class Stage(IntEnum):
    """When a file is published: after all that it leads to."""

    PERMANENT = 0
    LATEST = 1
    PAGE = 2
    FRONT = 3
    INDEX = 4


@frozen
class SiteFile:
    """A file of the site, and where its content comes from."""

    path: str
    sha256: str
    source: Path | bytes
    stage: Stage

    def content(self) -> bytes:
        """Return what is to be published."""
        return (
            content_of(self.source, self.sha256) if isinstance(self.source, Path) else self.source
        )


def made(path: str, content: bytes, stage: Stage) -> SiteFile:
    """Return a file of the site whose content was made for it."""
    return SiteFile(path, _digest(content), content, stage)


def changed(
    files: Iterable[SiteFile], earlier: Index | None, claims: frozenset[str], target: Target
) -> list[SiteFile]:
    """Return the files that are not there yet as they should be, in the order of publishing.

    What an interrupted publication had claimed may be there in either version.
    """
    known = {INDEX: _digest(index_json(earlier)), **earlier.files} if earlier else {}
    todo = (
        file
        for file in files
        if known.get(file.path) != file.sha256
        or file.path in claims
        or (target.is_near and not target.has(file.path))
    )
    return sorted(todo, key=lambda file: (file.stage, file.path))


def refuse_foreign(
    todo: Sequence[SiteFile], earlier: Index | None, claims: frozenset[str], target: Target
) -> None:
    """Raise if a page would take the place of something that reportgen did not publish."""
    ours = claims.union([INDEX, *earlier.files] if earlier else ())
    new = [file for file in todo if file.path not in ours]
    with ThreadPoolExecutor(target.at_once) as pool:
        there = [
            file for file, has in zip(new, pool.map(target.has, _paths(new)), strict=True) if has
        ]
    foreign = [file.path for file in there if not _is_same(target, file)]
    if foreign:
        more = f" and {len(foreign) - MOST_NAMED} more" if len(foreign) > MOST_NAMED else ""
        fault = Fault(
            TARGET_FOREIGN,
            f"the target has files of others: {', '.join(foreign[:MOST_NAMED])}{more}",
            help="publish to another place, or move them away; nothing was changed",
        )
        raise OutputError(fault)


def read_claims(target: Target) -> frozenset[str]:
    """Return the names that an interrupted publication had claimed."""
    written = target.read(CLAIMS)
    try:
        return frozenset(map(str, json.loads(written)["files"])) if written else frozenset()
    except (ValueError, KeyError, TypeError):
        return frozenset()


def upload(
    todo: Sequence[SiteFile],
    claims: frozenset[str],
    target: Target,
    tell: Callable[[str], None],
) -> None:
    """Publish files stage by stage; the first fault ends it, before anything leads to them."""
    if not todo:
        return
    claimed = sorted(claims.union(_paths(todo)))
    target.write(CLAIMS, (json.dumps({"files": claimed}) + "\n").encode(), lasting=False)
    done = 0
    for stage in Stage:
        files = [file for file in todo if file.stage is stage]
        tell(f"publishing, {done} of {len(todo)} files")
        with ThreadPoolExecutor(target.at_once) as pool:
            futures = [pool.submit(_publish, target, file) for file in files]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        done += len(files)
    target.settle()


def clean_up(removed: Mapping[str, str], target: Target) -> tuple[list[str], list[Fault]]:
    """Remove what was published earlier, if it is as it was; return what went, and the faults."""
    gone, faults = [], []
    try:
        for path, digest in sorted(removed.items()):
            content = target.read(path)
            if content is not None and _digest(content) == digest:
                target.remove(path)
                gone.append(path)
        target.remove(CLAIMS)
    except OutputError as error:
        message = f"old pages could not be removed: {error.faults[0].message}"
        faults.append(Fault(NOT_REMOVED, message, error.faults[0].place, error.faults[0].help))
    return gone, faults


def _publish(target: Target, file: SiteFile) -> None:
    target.write(file.path, file.content(), lasting=file.stage is Stage.PERMANENT)


def _paths(files: Iterable[SiteFile]) -> list[str]:
    return [file.path for file in files]


def _is_same(target: Target, file: SiteFile) -> bool:
    return _digest(target.read(file.path) or b"") == file.sha256


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
