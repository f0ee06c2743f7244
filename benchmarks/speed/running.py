"""Running the contests: every run is a process of its own, and the tools take turns."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

from benchmarks.speed.answers import disagreements
from benchmarks.speed.data import ROOT
from benchmarks.speed.measured import Outcome, Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.speed.cases import Contest
    from benchmarks.speed.commands import Contestant

# The peak is told in kilobytes on Linux and in bytes on macOS.
PEAK_UNIT = 1 if sys.platform == "darwin" else 1024

# So many seconds of one run are enough.
SLOW = 20.0


class TooSlowError(Exception):
    """A run did not end within the limit."""


class FailedError(Exception):
    """A run ended with an error."""


def run(command: Sequence[str], limit: float) -> tuple[Run, str]:
    """Measure a command in a process of its own, and return what it printed."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603  # our own commands
            command, cwd=ROOT, stdout=out, stderr=err, start_new_session=True, env=_surroundings()
        )
        # By its group, because a peer may have started others.
        timer = Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        # Of this child alone: getrusage tells the most of all children so far.
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode == -signal.SIGKILL and seconds >= limit:
            raise TooSlowError
        if process.returncode:
            err.seek(0)
            raise FailedError(f"{' '.join(command)} ended with {process.returncode}: {err.read()}")
        out.seek(0)
        taken = Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * PEAK_UNIT)
        return taken, out.read()


def _surroundings() -> dict[str, str]:
    """Let Python keep what it compiled, as it does wherever nobody forbids it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def take_turns(contest: Contest, cache: Path, rounds: int, limit: float) -> Outcome:
    """Run every tool once a round, so that other work on the machine slows all alike."""
    data = contest.data
    folder = data.data_folder(cache)
    outcome = Outcome(contest.letter, contest.name, data.rows, data.file, contest.targets)
    numbers: dict[str, dict[str, float]] = {}
    for contestant in contest.contestants:
        reason = contestant.left_out(data.rows)
        if reason is None:
            outcome.runs[contestant.tool] = []
        else:
            outcome.left_out[contestant.tool] = reason
    for _ in range(rounds):
        for contestant in contest.contestants:
            tool = contestant.tool
            # What takes minutes is told well enough by one run.
            if tool in outcome.left_out or _is_slow(outcome.runs[tool]):
                continue
            try:
                taken, numbers[tool] = one_run(contestant, folder, limit)
            except TooSlowError:
                outcome.left_out[tool] = f"took longer than {limit:g} s"
                outcome.given_up[tool] = limit
            except FailedError as error:
                outcome.left_out[tool] = "failed"
                outcome.faults.append(str(error))
            else:
                outcome.runs[tool].append(taken)
    outcome.faults += _disagreements(contest, numbers)
    return outcome


def _is_slow(runs: Sequence[Run]) -> bool:
    return bool(runs) and runs[0].seconds > SLOW


def one_run(contestant: Contestant, data: Path, limit: float) -> tuple[Run, dict[str, float]]:
    """Return what a tool took and the numbers it found; a peer may tell its own seconds."""
    with tempfile.TemporaryDirectory(prefix="reportgen-bench-") as folder:
        taken, printed = run(contestant.command(data, Path(folder)), limit)
        if contestant.writes is not None:
            results = str(Path(folder) / contestant.writes)
            _, printed = run((sys.executable, "-m", "benchmarks.speed.answers", results), limit)
    reported: dict[str, float] = json.loads(printed) if printed.startswith("{") else {}
    seconds = reported.pop("seconds", taken.seconds)
    return Run(seconds, taken.processor, taken.peak), reported


def _disagreements(contest: Contest, numbers: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Tell the tools that did not find the same as reportgen, where it wrote results."""
    own, *others = contest.contestants
    if own.writes is None or own.tool not in numbers:
        return
    for other in others:
        wrong = disagreements(numbers[own.tool], numbers.get(other.tool, {}))
        if wrong:
            yield f"{contest.name}: {other.tool} disagrees in {'; '.join(wrong)}"
