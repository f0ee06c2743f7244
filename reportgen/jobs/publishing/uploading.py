"""Bringing files to a target in an order in which the site is whole at any time."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from enum import IntEnum
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Fault, OutputError
from reportgen.errors.job_faults import NOT_REMOVED, TARGET_FOREIGN
from reportgen.frozen import frozen
from reportgen.jobs.publishing.built import content_of
from reportgen.jobs.publishing.index import INDEX, index_json
from reportgen.jobs.publishing.target import OvertakenError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from reportgen.jobs.publishing.index import Index
    from reportgen.jobs.publishing.target import Seen, Target

# Says which names are the site's own while it is being published, for when that is interrupted.
CLAIMS = ".publishing.json"
MOST_NAMED = 5
MOST_TRIES = 20


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

    What another publication has claimed may be there in either version.
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
    """Return the names that a publication has claimed which was interrupted, or is going on."""
    return _claims_in(target.look(CLAIMS))


def upload(
    todo: Sequence[SiteFile], seen: Seen, target: Target, tell: Callable[[str], None]
) -> None:
    """Publish files stage by stage; the first fault ends it, before anything leads to them.

    Raises:
        OvertakenError: The index is not the one any more that was seen.
    """
    if not todo:
        return
    names = frozenset(_paths(todo))
    _change_claims(target, lambda claimed: claimed | names)
    done = 0
    for stage in Stage:
        files = [file for file in todo if file.stage is stage]
        tell(f"publishing, {done} of {len(todo)} files")
        if stage is Stage.INDEX:
            for file in files:
                target.write_over(seen, file.path, file.content())
        else:
            _write_all(files, target)
        done += len(files)
    target.settle()


def clean_up(index: Index, names: frozenset[str], target: Target) -> tuple[list[str], list[Fault]]:
    """Remove what is no part of the site any more, if it is as it was published.

    What is gone is struck off the index. The names that were published are claimed no more; others
    may be those of a publication that is going on. Returns what went, and the faults.
    """
    gone: list[str] = []
    left = dict(index.removed)
    faults = []
    try:
        try:
            for path, digest in sorted(index.removed.items()):
                content = target.read(path)
                if content is not None and _digest(content) == digest:
                    target.remove(path)
                    gone.append(path)
                # If it is another now it is somebody's.
                del left[path]
        finally:
            _strike_off(index, left, target)
        _change_claims(target, lambda claimed: claimed - names)
    except OutputError as error:
        message = f"old pages could not be removed: {error.faults[0].message}"
        faults.append(Fault(NOT_REMOVED, message, error.faults[0].place, error.faults[0].help))
    except OvertakenError:
        message = f"{CLAIMS} could not be changed: other processes publish there all the time"
        faults.append(Fault(NOT_REMOVED, message, help="publish a site from one place"))
    return gone, faults


def _strike_off(index: Index, left: dict[str, str], target: Target) -> None:
    """Leave in the index only those that are still to be removed."""
    if len(left) == len(index.removed):
        return
    seen = target.look(INDEX)
    if seen.content != index_json(index):
        # Another publication has its own by now, and looks after them.
        return
    with suppress(OvertakenError):
        target.write_over(seen, INDEX, index_json(index.model_copy(update={"removed": left})))


def _change_claims(target: Target, change: Callable[[frozenset[str]], frozenset[str]]) -> None:
    """Change the names that are claimed without losing those of a publication at the same time."""
    for _ in range(MOST_TRIES):
        seen = target.look(CLAIMS)
        before = _claims_in(seen)
        claimed = change(before)
        if not claimed and seen.content is not None:
            target.remove(CLAIMS)
        if not claimed or claimed == before:
            return
        content = (json.dumps({"files": sorted(claimed)}) + "\n").encode()
        with suppress(OvertakenError):
            target.write_over(seen, CLAIMS, content)
            return
    raise OvertakenError


def _claims_in(seen: Seen) -> frozenset[str]:
    try:
        written = json.loads(seen.content)["files"] if seen.content else ()
        return frozenset(map(str, written))
    except (ValueError, KeyError, TypeError):
        return frozenset()


def _write_all(files: Sequence[SiteFile], target: Target) -> None:
    with ThreadPoolExecutor(target.at_once) as pool:
        futures = [pool.submit(_publish, target, file) for file in files]
        try:
            for future in futures:
                future.result()
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _publish(target: Target, file: SiteFile) -> None:
    target.write(file.path, file.content(), lasting=file.stage is Stage.PERMANENT)


def _paths(files: Iterable[SiteFile]) -> list[str]:
    return [file.path for file in files]


def _is_same(target: Target, file: SiteFile) -> bool:
    return _digest(target.read(file.path) or b"") == file.sha256


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
