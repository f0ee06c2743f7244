"""What every history can do, wherever it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from reportgen.comparisons.over_time.past import Past
    from reportgen.jobs.history.record import RunRecord, RunState, TrendPoint


class History(Protocol):
    """The runs of all specs that are kept in one place."""

    def begin(self, record: RunRecord) -> None:
        """Keep a run with everything in it, or nothing of it."""

    def finish(self, run: str, state: RunState, *, exit_code: int, ended: datetime) -> None:
        """Say how a run that began has ended."""

    def fail(self, record: RunRecord) -> None:
        """Keep that a run came to no good end: in its own row if it began, else in a new one.

        One whose report was written stays so, with the exit code and the faults of its end.
        """

    def settle(self, name: str, output: str, manifest: str) -> None:
        """End the runs of this output that began and never ended.

        They count as written if the manifest there is theirs, else as interrupted.
        """

    def mark_final(self, run: str, *, is_final: bool) -> None:
        """Remember whether a run was the last try, so that people were told of it."""

    def last_told(self, name: str, before: str) -> RunRecord | None:
        """Return the last run but this of which people were told, or would have been.

        Not one that is under way or is tried again, and of those that were broken off only one
        whose end somebody has seen.
        """

    def past(self, name: str, most: int) -> Past:
        """Return the last runs whose report was written, the latest last."""

    def runs(self, name: str | None = None, most: int | None = None) -> tuple[RunRecord, ...]:
        """Return runs with their gates but without inputs and scores, the latest first."""

    def latest(self, name: str, output: str) -> RunRecord | None:
        """Return the latest run of an output, without inputs, scores and gates."""

    def run(self, run: str) -> RunRecord | None:
        """Return a run with everything in it."""

    def ids(self, prefix: str) -> tuple[str, ...]:
        """Return the ids that begin so."""

    def trend(self, name: str, measure: str | None = None) -> tuple[TrendPoint, ...]:
        """Return the scores over all folds of the runs that were written, the latest last."""

    def mark_published(self, runs: Iterable[str]) -> None:
        """Remember that the reports of these runs were published."""

    def prune(self, *, keep: int | None, before: datetime | None, name: str | None) -> int:
        """Forget runs that are neither among the last of their name nor recent; return how many.

        The last run of a name that was written, that was published, or that began stays.
        """

    def prunable(
        self, *, keep: int | None, before: datetime | None, name: str | None
    ) -> tuple[RunRecord, ...]:
        """Return the runs that `prune` would forget, the latest first."""

    def names(self) -> tuple[str, ...]:
        """Return the names under which runs are kept."""
