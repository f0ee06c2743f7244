"""A process that keeps runs: `python -m tests.jobs.history.writer ADDRESS NAME NUMBER`.

Every few runs have a connection of their own, as those of a command; what was kept is told.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from reportgen.jobs.history.record import RunState
from reportgen.jobs.history.store import open_history
from tests.jobs.history.samples import sample

if TYPE_CHECKING:
    from reportgen.jobs.history.record import RunRecord
    from reportgen.jobs.history.store import HistoryStore


RUNS_PER_CONNECTION = 5


def main() -> None:
    """Keep so many runs, each begun and ended."""
    where, name, number = sys.argv[1:]
    for first in range(0, int(number), RUNS_PER_CONNECTION):
        with open_history(where) as history:
            for day in range(first, min(int(number), first + RUNS_PER_CONNECTION)):
                keep(history, sample(day, name=name, state=RunState.RUNNING))


def keep(history: HistoryStore, run: RunRecord) -> None:
    """Keep one run from its beginning to its end."""
    history.begin(run)
    print_line(f"begun {run.id}")
    history.finish(run.id, RunState.COMPLETED, exit_code=0, ended=run.ended)
    print_line(f"ended {run.id}")


def print_line(line: str) -> None:
    """Say at once what was done."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
