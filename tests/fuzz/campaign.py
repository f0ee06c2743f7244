"""A campaign: worker processes with bounded memory run cases until the time is over."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from reportgen.jobs.worker_pool import cpu_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parents[2]
# Above what a report of such small files needs, with the libraries and their threads.
MEMORY_BYTES = 6 << 30
# Of CPU time, because a busy machine is no fault of a case; a deadlock uses none.
HANG_SECONDS, DEADLOCK_SECONDS = 60.0, 600.0
STOPPED_FAULT = "the process ended with exit code {}"


@dataclass(frozen=True, slots=True)
class Fault:
    """A case that ended as it must not; subject, seed and number repeat it."""

    subject: str
    seed: int
    number: int
    description: str

    def __str__(self) -> str:
        again = f"python -m tests.fuzz --case {self.subject}:{self.seed}:{self.number}"
        return f"{self.subject}: {self.description}\n    {again}"


@dataclass(slots=True)
class CampaignResult:
    """The numbers of cases by subject, and the faults."""

    cases: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)


def case_names(subjects: Sequence[str], first: int, step: int) -> Iterator[tuple[str, int]]:
    """Yield subject and number of the cases of one worker, the subjects in turn."""
    number = first
    while True:
        for subject in subjects:
            yield subject, number
        number += step


def run_worker(subjects: Sequence[str], seed: int, first: int, step: int) -> None:
    """Run cases in this process, and print one JSON line before and after each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    faulthandler.enable()
    # What a library prints must not look like a result.
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    from tests.fuzz.subjects import run_case

    folder = Path(tempfile.mkdtemp(prefix="reportgen-fuzz-"))
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    try:
        for subject, number in case_names(subjects, first, step):
            print(json.dumps([subject, number]), file=results, flush=True)
            try:
                fault = run_case(subject, seed, number, folder / "case")
            except BaseException as error:  # also the panics of Rust
                if isinstance(error, KeyboardInterrupt | SystemExit):
                    raise
                fault = f"{type(error).__name__}: {error}"
            print(json.dumps([subject, number, fault]), file=results, flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(slots=True)
class _FuzzWorker:
    """A worker process, the case it runs and since when."""

    process: subprocess.Popen[bytes]
    case: tuple[str, int] | None = None
    since: float = field(default_factory=time.monotonic)
    cpu_before: float = 0.0
    unread: bytes = b""

    def cpu_seconds(self) -> float:
        """Return the CPU time that the process has used."""
        return cpu_seconds(self.process.pid) or 0.0

    @property
    def results(self) -> IO[bytes]:
        """The pipe that the worker prints to."""
        assert self.process.stdout is not None
        return self.process.stdout

    def read_lines(self) -> list[bytes] | None:
        """Return the lines that have arrived; None if the worker has ended."""
        chunk = os.read(self.results.fileno(), 65_536)
        *lines, self.unread = (self.unread + chunk).split(b"\n")
        return lines if chunk else None


class Campaign:
    """Worker processes that run cases of all subjects, and the result so far."""

    def __init__(self, subjects: Sequence[str], *, seed: int, worker_count: int) -> None:
        self.result = CampaignResult()
        self._subjects = subjects
        self._seed = seed
        self._worker_count = worker_count
        self._workers: list[_FuzzWorker] = []
        self._selector = selectors.DefaultSelector()

    def run(self, seconds: float, log: Path) -> CampaignResult:
        """Run cases for some time; a worker that dies or hangs is a fault of its case."""
        deadline = time.monotonic() + seconds
        with self._selector, log.open("w", encoding="utf-8") as stderr:
            for index in range(self._worker_count):
                self._start(index, stderr)
            try:
                while time.monotonic() < deadline or self._is_late(deadline):
                    for worker, description in self._next_failures():
                        self._stop(worker)
                        subject, number = worker.case or ("start", 0)
                        self._add_fault(subject, number, description)
                        self._start(number + self._worker_count, stderr)
            finally:
                for worker in list(self._workers):
                    self._stop(worker)
        return self.result

    def _is_late(self, deadline: float) -> bool:
        """Return whether a busy machine has not come to every subject yet."""
        is_covered = len(self.result.cases) == len(self._subjects)
        late = time.monotonic() < deadline + DEADLOCK_SECONDS
        return late and not is_covered and not self.result.faults

    def _next_failures(self) -> Iterator[tuple[_FuzzWorker, str]]:
        """Collect what arrives within a second; yield workers that died or hang."""
        for key, _ in self._selector.select(1.0):
            worker: _FuzzWorker = key.data
            lines = worker.read_lines()
            if lines is None:
                yield worker, STOPPED_FAULT.format(worker.process.wait())
                continue
            for line in lines:
                subject, number, *fault = json.loads(line)
                worker.case, worker.since = (subject, number), time.monotonic()
                worker.cpu_before = worker.cpu_seconds()
                if fault:
                    self.result.cases[subject] += 1
                if fault and fault[0] is not None:
                    self._add_fault(subject, number, fault[0])
        for worker in list(self._workers):
            if worker.cpu_seconds() - worker.cpu_before > HANG_SECONDS:
                yield worker, f"no end after {HANG_SECONDS:g} s"
            elif time.monotonic() - worker.since > DEADLOCK_SECONDS:
                yield worker, f"a deadlock for {DEADLOCK_SECONDS:g} s"

    def _add_fault(self, subject: str, number: int, description: str) -> None:
        self.result.faults.append(Fault(subject, self._seed, number, description))

    def _start(self, first: int, stderr: IO[str]) -> None:
        arguments = [",".join(self._subjects), str(self._seed), str(first), str(self._worker_count)]
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz", "--worker", *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )
        worker = _FuzzWorker(process)
        self._workers.append(worker)
        self._selector.register(worker.results, selectors.EVENT_READ, worker)

    def _stop(self, worker: _FuzzWorker) -> None:
        self._selector.unregister(worker.results)
        worker.process.kill()
        worker.process.wait()
        worker.results.close()
        self._workers.remove(worker)
