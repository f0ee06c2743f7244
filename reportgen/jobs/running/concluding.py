"""What follows a run, however it went: it is remembered, and whoever wants to know is told."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reportgen.errors import ExitCode, HistoryError, LockedError, OutputError
from reportgen.jobs.history.record import RunState

if TYPE_CHECKING:
    from reportgen.jobs.history.record import RunRecord
    from reportgen.jobs.history.store import History
    from reportgen.jobs.running.job import Job, Outcome
    from reportgen.spec import Notify


def conclude(job: Job, outcome: Outcome, *, is_final: bool = True) -> Outcome:
    """Remember a run that came to no report, and tell of any run; return what went wrong, too.

    Of a run that is not final, because it is tried again, nobody is told.
    This is for the process that started the run: it lives when the one that built has died.
    """
    if outcome.unchanged or outcome.exit_code is ExitCode.LOCKED or not job.spec.exists():
        # Nothing was to be done, another does it, or there is nothing to do it with.
        return outcome
    notices = outcome.notify or _notices(job, outcome)
    if outcome.run is not None and not notices:
        return outcome
    own, before, outcome = _remembered(job, outcome, is_final=is_final)
    if not (notices and is_final):
        return outcome
    from reportgen.jobs.notifications.news import News, occasions_of
    from reportgen.jobs.notifications.telling import tell_all
    from reportgen.jobs.running.recording import title_in

    news = News(
        title=outcome.title or title_in(job.spec) or job.spec.stem,
        spec=job.spec,
        exit_code=outcome.exit_code,
        occasions=occasions_of(outcome.exit_code, outcome.gates, before),
        folder=job.folder.absolute(),
        run=outcome.run,
        gates=outcome.gates,
        faults=tuple(fault.message for fault in outcome.faults),
        findings=own.findings if own else (),
    )
    return replace(outcome, warnings=(*outcome.warnings, *tell_all(notices, news)))


def _notices(job: Job, outcome: Outcome) -> tuple[Notify, ...]:
    """Return who wants to be told, as far as a spec says it that failed before it was read."""
    if outcome.exit_code in {ExitCode.DONE, ExitCode.GATE_FAILED}:
        return ()
    from reportgen.jobs.notifications.notices import notices_in

    return notices_in(job.spec)


def _remembered(
    job: Job, outcome: Outcome, *, is_final: bool
) -> tuple[RunRecord | None, RunRecord | None, Outcome]:
    """Keep a run that came to no report; return what is kept of it and of the last one told."""
    from reportgen.jobs.history.opening import is_to_be_made, open_history

    if job.history is None or (is_to_be_made(job.history) and not job.output.exists()):
        # What was never built does not look as if it had been.
        return None, None, outcome
    from reportgen.jobs.running.recording import failure_of

    try:
        with open_history(job.history) as history:
            if outcome.run is None and not outcome.files:
                ended = datetime.now(UTC)
                started = ended - timedelta(seconds=outcome.seconds)
                _settle(job, history)
                history.fail(failure_of(job, outcome, started, ended))
                outcome = replace(outcome, run=job.run)
            own = history.run(outcome.run) if outcome.run else None
            before = None
            if own is not None:
                history.mark_final(own.id, is_final=is_final)
                before = history.last_told(own.name, own.id)
    except HistoryError as error:
        return None, None, _with_faults(outcome, error)
    return own, before, outcome


def _settle(job: Job, history: History) -> None:
    """Find out whether a run that died had its report in place by then."""
    begun = history.run(job.run)
    if begun is None or begun.state is not RunState.BEGUN:
        return
    from reportgen.jobs.running.lock import holding, lock_of
    from reportgen.jobs.running.remembering import manifest_hash
    from reportgen.rendering.writing import take_back

    # Another that holds the lock by now has settled it, or puts its own report in that place.
    with suppress(LockedError, OutputError), holding(lock_of(job.folder)):
        take_back(job.folder)
        history.settle(begun.name, begun.output, manifest_hash(job.folder))


def _with_faults(outcome: Outcome, error: HistoryError) -> Outcome:
    """Add the faults of the history, unless the run itself has met them already."""
    new = tuple(fault for fault in error.faults if fault not in outcome.faults)
    code = max(outcome.exit_code, error.exit_code)
    return replace(outcome, faults=(*outcome.faults, *new), exit_code=code)
