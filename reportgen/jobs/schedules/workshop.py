"""Where scheduled specs are built: in a process each, which can be stopped."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from reportgen.errors import ExitCode, Fault, Place
from reportgen.errors.run_faults import BROKE_OFF
from reportgen.jobs.running.job import Job, Outcome
from reportgen.jobs.schedules.retrying import TRIED_AGAIN
from reportgen.jobs.workers.crew import Crew
from reportgen.jobs.workers.worker import SECONDS_TO_END

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.jobs.workers.limits import Limits

POLL_SECONDS = 0.02


class Builds(Protocol):
    """Builds one spec after another or several at once, each call in a thread of its own."""

    def build(self, spec: Path, *, is_last: bool) -> Outcome:
        """Build a spec and return how it went; a failure is told if it is the last try."""

    def refuse(self, spec: Path, faults: tuple[Fault, ...]) -> None:
        """Let a spec that cannot be built count as failed."""

    def stop(self) -> None:
        """Stop all that is being built; whoever waits for it gets an outcome."""


@dataclass(slots=True)
class Workshop:
    """Builds every spec in a fresh process, so that nothing piles up over months."""

    output: Path
    history: str | None
    limits: Limits
    _crews: list[Crew] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    _is_stopped: bool = False

    def build(self, spec: Path, *, is_last: bool) -> Outcome:
        """Build a spec in a process of its own, and tell whoever wants to know how it went."""
        from reportgen.jobs.running.concluding import conclude

        job = Job(spec, self.output, history=self.history)
        with Crew(1, self.limits) as crew:
            with self._lock:
                self._crews.append(crew)
            try:
                for _place, outcome in crew.build([job]):
                    # That it was stopped is no news, and is done again: it is not remembered.
                    if self._is_stopped and outcome.exit_code > ExitCode.GATE_FAILED:
                        return outcome
                    is_final = is_last or outcome.exit_code not in TRIED_AGAIN
                    return conclude(job, outcome, is_final=is_final)
            finally:
                with self._lock:
                    self._crews.remove(crew)
        fault = Fault(BROKE_OFF, f"nobody has built {spec}", Place(spec))
        return Outcome(spec, ExitCode.INTERNAL, faults=(fault,))

    def refuse(self, spec: Path, faults: tuple[Fault, ...]) -> None:
        """Remember that a spec could not be built, and tell whoever wants to know."""
        from reportgen.jobs.running.concluding import conclude

        job = Job(spec, self.output, history=self.history)
        conclude(job, Outcome(spec, ExitCode.SPEC, faults=faults))

    def stop(self) -> None:
        """Ask all workers to end, and end those that do not hear of it."""
        with self._lock:
            self._is_stopped = True
            crews = list(self._crews)
        for crew in crews:
            crew.stop(at_once=False)
        deadline = time.monotonic() + SECONDS_TO_END
        while any(crew.is_busy for crew in crews) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        for crew in crews:
            crew.stop(at_once=True)
