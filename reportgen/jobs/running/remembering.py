"""The history around a run: a fault of it is told, and never keeps a report from being written."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.comparisons.over_time.past import NO_PAST, UNKNOWN_PAST
from reportgen.errors import ExitCode, HistoryError
from reportgen.jobs.history.opening import is_to_be_made
from reportgen.jobs.history.record import RunState
from reportgen.rendering.results.manifest import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reportgen.comparisons.over_time.past import Past
    from reportgen.errors import Fault
    from reportgen.jobs.history.record import RunRecord
    from reportgen.jobs.history.store import History
    from reportgen.jobs.running.job import Job


@dataclass(slots=True)
class Memory:
    """What is known of earlier runs, and how this one is remembered."""

    where: str | None
    name: str
    folder: Path
    opened: ExitStack
    faults: list[Fault] = field(default_factory=list)
    history: History | None = None

    @property
    def output(self) -> str:
        """Where the report goes, as the history says it."""
        return str(self.folder.absolute())

    def settle(self) -> None:
        """See to runs of the folder that were broken off: they were written, or they were not."""
        if self.where is None or is_to_be_made(self.where):
            return
        with self._noting():
            self._open(self.where).settle(self.name, self.output, manifest_hash(self.folder))

    def ends_well(self) -> bool:
        """Tell whether the report in the folder is what the last run that is remembered left.

        Where nothing is to be remembered there is no more to know than the folder shows.
        """
        if self.where is None:
            return True
        if self.history is None or self.faults:
            return False
        with self._noting():
            last = self.history.latest(self.name, self.output)
            return (
                last is not None
                and last.state is RunState.WRITTEN
                and last.manifest == manifest_hash(self.folder)
                and last.exit_code <= ExitCode.GATE_FAILED
            )
        return False

    def recall(self, most: int) -> Past:
        """Return what earlier runs found."""
        if self.where is not None and is_to_be_made(self.where):
            return NO_PAST
        if self.history is not None and not self.faults:
            with self._noting():
                # One more, as the latest may have seen the data of now and is then left out.
                return self.history.past(self.name, most + 1)
        return UNKNOWN_PAST

    def begin(self, record: RunRecord) -> str | None:
        """Keep what was found before the report is written; return under which name."""
        if self.where is None or self.faults:
            return None
        with self._noting():
            self._open(self.where).begin(record)
            return record.id
        return None

    def finish(self, run: str | None, state: RunState, exit_code: ExitCode) -> None:
        """Remember how it ended."""
        if self.history is None or run is None:
            return
        with self._noting():
            self.history.finish(run, state, exit_code=exit_code, ended=datetime.now(UTC))

    def _open(self, where: str) -> History:
        from reportgen.jobs.history.opening import open_history

        if self.history is None:
            self.history = self.opened.enter_context(open_history(where))
        return self.history

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Keep the faults of the history instead of raising them."""
        try:
            yield
        except HistoryError as error:
            self.faults += error.faults


@contextmanager
def remembering(job: Job, name: str) -> Iterator[Memory]:
    """Open the history if there is to be one; a new one is made when there is something to keep."""
    with ExitStack() as opened:
        memory = Memory(job.history, name, job.folder, opened)
        memory.settle()
        yield memory


def manifest_hash(folder: Path) -> str:
    """Return the hash by which the history knows the report in a folder; empty: none is there."""
    manifest = folder / MANIFEST
    return sha256(manifest.read_bytes()).hexdigest() if manifest.is_file() else ""
