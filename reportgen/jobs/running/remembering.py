"""The history around a run: a fault of it is told, and never keeps a report from being written."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.comparisons.over_time.past import NO_PAST, Past
from reportgen.errors import HistoryError
from reportgen.jobs.history.opening import is_to_be_made
from reportgen.rendering.results.manifest import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reportgen.errors import ExitCode, Fault
    from reportgen.jobs.history.record import RunRecord, RunState
    from reportgen.jobs.history.store import History
    from reportgen.jobs.running.job import Job


@dataclass(slots=True)
class Memory:
    """What is known of earlier runs, and how this one is remembered."""

    where: str | None
    opened: ExitStack
    past: Past = NO_PAST
    faults: list[Fault] = field(default_factory=list)
    history: History | None = None

    def recall(self, name: str, folder: Path, most: int) -> None:
        """See to runs of a folder that were broken off, and to what the others found."""
        if self.where is None or is_to_be_made(self.where):
            return
        self.past = Past(is_readable=False)
        with self._noting():
            history = self._open(self.where)
            history.settle(name, str(folder.absolute()), _manifest_hash(folder))
            # One more, as the latest may have seen the data of now and is then left out.
            self.past = history.past(name, most + 1)

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
def remembering(job: Job, name: str, most: int) -> Iterator[Memory]:
    """Open the history if there is to be one; a new one is made when there is something to keep."""
    with ExitStack() as opened:
        memory = Memory(job.history, opened, Past(is_readable=job.history is not None))
        memory.recall(name, job.folder, most)
        yield memory


def _manifest_hash(folder: Path) -> str:
    manifest = folder / MANIFEST
    return sha256(manifest.read_bytes()).hexdigest() if manifest.is_file() else ""
