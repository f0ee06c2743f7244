"""Kill builds at random moments and fail single calls of the C library; check what they leave.

    python -m benchmarks.fault_injection kills --repetitions 1000
    python -m benchmarks.fault_injection calls --repetitions 500     # Linux, needs cc

Each writes its part of docs/reliability.md. After every fault the report folder must hold the old
or the new report and nothing of the other, the next build must not be blocked, and every run that
was acknowledged (exit code 0) must be in the history. A violation makes the exit code 1.

A build is killed alone (its worker goes on) or with all its processes, at a uniformly random moment
or as soon as its files are being written. A failing call is one of those that a build makes on
files below the output folder, the history included: open, write, fsync, rename, link, unlink, …
"""

from __future__ import annotations

import argparse
import errno
import json
import math
import mmap
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.tables import head, row, write_part
from reportgen.jobs.history.record import RunState
from reportgen.jobs.history.store import open_history
from reportgen.output.staging import STATE_FOLDER, state_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

RELIABILITY = Path(__file__).parents[1] / "docs" / "reliability.md"
SHIM = Path(__file__).with_name("failing_calls.c")
FORMATS = "json,csv,markdown"
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EDQUOT, errno.EROFS)
# Rendering, output, input: what a failing call may lead to; 70 and 1 would be wrong.
EXPECTED_EXIT_CODES = {0, 3, 4, 5}
# A build takes seconds, or minutes on a busy machine at low priority; only a hang takes longer.
TIME_LIMIT_SECONDS = 1800.0

SPEC = """\
[task]
kind = "binary"
positive = "yes"
classes = ["yes", "no"]
[[classifiers]]
name = "A"
confusion = [[{hits}, 10], [8, 60]]
[[classifiers]]
name = "B"
confusion = [[{hits}, 12], [9, 59]]
"""


@dataclass(slots=True)
class Tally:
    """What was counted over all faults."""

    faults: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    acknowledged: set[int] = field(default_factory=set)
    violations: list[str] = field(default_factory=list)


class BuildFolder:
    """A folder with a spec whose report is built again and again, each time with other counts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.report = folder / "reports" / "small"

    def write_spec(self, hits: int) -> None:
        """Write the spec; the number of hits identifies the run."""
        (self.folder / "small.toml").write_text(SPEC.format(hits=hits), encoding="utf-8")

    def start(self, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a build in a process group of its own."""
        return subprocess.Popen(  # noqa: S603  # this Python
            [
                *(sys.executable, "-m", "reportgen", "build", "small.toml", "--wait"),
                *("-o", "reports", "--format", FORMATS),
            ],
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def build(self, environment: Mapping[str, str] | None = None) -> int:
        """Build, and return the exit code; a build that hangs is killed and gives -9."""
        process = self.start(environment)
        try:
            return process.wait(TIME_LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            kill_group(process)
            return process.wait()

    def is_writing(self) -> bool:
        """Tell whether the files of a report are being written."""
        return any(state_folder(self.report).glob("stage-*/new"))

    def reported_hits(self) -> int:
        """Return the number of hits in the report.

        Raises:
            ValueError: files of two reports are mixed, or one is missing or damaged.
        """
        manifest = json.loads((self.report / "manifest.json").read_bytes())
        for entry in manifest["outputs"]:
            content = (self.report / entry["path"]).read_bytes()
            if sha256(content).hexdigest() != entry["sha256"]:
                msg = f"{entry['path']} does not belong to the manifest"
                raise ValueError(msg)
        results = json.loads((self.report / "results.json").read_bytes())
        return int(results["confusion"][0]["counts"][0][0])

    def recorded_hits(self) -> set[int]:
        """Return the number of hits of every completed run in the history."""
        path = str(self.folder / "reports" / "history.sqlite")
        with open_history(path, must_exist=True) as history:
            runs = [history.get_run(run.id) for run in history.runs()]
        return {
            int(run.confusion["A"][0][0])
            for run in runs
            if run is not None and run.state is RunState.COMPLETED
        }

    def leftovers(self) -> list[str]:
        """Return what temporary state is left beside the report."""
        return [str(path) for path in (self.folder / "reports").rglob(f"{STATE_FOLDER}*")]


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a build with all its processes."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def check_report(place: BuildFolder, tally: Tally, before: int, after: int, fault: str) -> int:
    """Check that the folder holds the old or the new report; return which it holds."""
    try:
        hits = place.reported_hits()
    except (OSError, ValueError, KeyError) as error:
        tally.violations.append(f"{fault}: {error}")
        return before
    if hits not in {before, after}:
        tally.violations.append(f"{fault}: a report of another run, {hits}")
    return hits


def check_next_build(place: BuildFolder, tally: Tally, hits: int, fault: str) -> None:
    """Check that a build without a fault succeeds, shows its own counts and leaves nothing."""
    place.write_spec(hits)
    code = place.build()
    if code != 0:
        tally.violations.append(f"{fault}: the next build ends with {code}")
    elif place.reported_hits() != hits:
        tally.violations.append(f"{fault}: the next build is not in the folder")
    elif left := place.leftovers():
        tally.violations.append(f"{fault}: {left} is left after the next build")
    else:
        tally.acknowledged.add(hits)


def check_history(place: BuildFolder, tally: Tally) -> None:
    """Check that every acknowledged run is in the history."""
    if lost := tally.acknowledged - place.recorded_hits():
        tally.violations.append(f"acknowledged runs are not in the history: {sorted(lost)}")


def show_progress(place: BuildFolder, tally: Tally) -> None:
    """Write what was counted so far to stderr: hundreds of faults take an hour or more."""
    now = time.strftime("%H:%M:%S")
    counts = f"{tally.faults} faults, {len(tally.violations)} violations"
    print(f"{now} {place.folder.name}: {counts}", *tally.violations[-1:], file=sys.stderr)


def kill_builds(folder: Path, attempts: Iterable[int], seed: int) -> Tally:
    """Kill builds in one folder; some are followed by one that is not killed."""
    moments = random.Random(seed)  # noqa: S311  # moments, not secrets
    place, tally = BuildFolder(folder), Tally()
    began = time.monotonic()
    check_next_build(place, tally, 1, "no fault yet")
    seconds = time.monotonic() - began
    for attempt in attempts:
        show_progress(place, tally)
        tally.faults += 1
        before, hits = place.reported_hits(), 2 * attempt + 2
        place.write_spec(hits)
        process = place.start()
        wait_for_moment(place, process, seconds, moments, for_files=attempt % 2 == 1)
        is_writing, is_alone = place.is_writing(), attempt % 5 == 0
        if is_alone:
            process.kill()
        else:
            kill_group(process)
        code = process.wait()
        fault = f"kill {attempt}"
        if not is_alone:
            check_report(place, tally, before, hits, fault)
        tally.outcomes[_describe_kill(code, is_writing=is_writing)] += 1
        if code == 0:
            tally.acknowledged.add(hits)
        if is_alone or attempt % 10 == 1:
            check_next_build(place, tally, hits + 1, fault)
    check_next_build(place, tally, 2 * tally.faults + 2, "the last kill")
    check_history(place, tally)
    return tally


def wait_for_moment(
    place: BuildFolder,
    process: subprocess.Popen[bytes],
    seconds: float,
    moments: random.Random,
    *,
    for_files: bool,
) -> None:
    """Wait for a random moment of a build, or until its files are being written."""
    deadline = time.monotonic() + (TIME_LIMIT_SECONDS if for_files else moments.uniform(0, seconds))
    while time.monotonic() < deadline and process.poll() is None:
        if for_files and place.is_writing():
            time.sleep(moments.uniform(0, 0.01))
            return
        time.sleep(0.0005)


def _describe_kill(code: int, *, is_writing: bool) -> str:
    if code == 0:
        return "ended before the signal"
    return f"killed {'while' if is_writing else 'before or after'} files were written"


class FailingCalls:
    """Builds with a library that lets one call below the output folder fail."""

    def __init__(self, place: BuildFolder, shim: Path) -> None:
        self.place = place
        self.counter, self.log = place.folder / "calls", place.folder / "failed_call"
        self.environment = {
            "LD_PRELOAD": str(shim),
            "FAULT_FOLDER": str(place.folder / "reports"),
            "FAULT_COUNTER": str(self.counter),
            "FAULT_LOG": str(self.log),
        }

    def build(self, call: int, number: int) -> int:
        """Build while one call fails with an error number; return the exit code."""
        self.counter.write_bytes(bytes(mmap.PAGESIZE))
        self.log.unlink(missing_ok=True)
        fault = {"FAULT_AT": str(call), "FAULT_ERRNO": str(number)}
        return self.place.build({**self.environment, **fault})

    def count_calls(self) -> int:
        """Build without a fault, and return the number of calls."""
        self.build(0, 0)
        return int.from_bytes(self.counter.read_bytes()[:8], sys.byteorder)


def fail_calls(folder: Path, attempts: Iterable[int], seed: int, shim: Path) -> Tally:
    """Let one call fail in each build in a folder, and build once more without a fault."""
    draws = random.Random(seed)  # noqa: S311  # faults, not secrets
    place, tally = BuildFolder(folder), Tally()
    failing = FailingCalls(place, shim)
    check_next_build(place, tally, 1, "no fault yet")
    for attempt in attempts:
        show_progress(place, tally)
        tally.faults += 1
        before, hits = place.reported_hits(), 2 * attempt + 2
        if attempt % 50 == 0:
            # The number of calls grows with the history.
            calls = failing.count_calls()
        place.write_spec(hits)
        number = draws.choice(ERRORS)
        code = failing.build(draws.randint(1, calls), number)
        if not failing.log.exists():
            tally.outcomes["no call failed"] += 1
            continue
        fault = f"{failing.log.read_text('utf-8')}: {errno.errorcode[number]}"
        problem = check_report(place, tally, before, hits, fault)
        if code not in EXPECTED_EXIT_CODES:
            tally.violations.append(f"{fault}: exit code {code}")
        if code == 0:
            tally.acknowledged.add(hits)
            if problem != hits:
                tally.violations.append(f"{fault}: exit code 0 without the new report")
        tally.outcomes[f"exit code {code}, {'new' if problem == hits else 'old'} report"] += 1
        check_next_build(place, tally, hits + 1, fault)
    check_history(place, tally)
    return tally


def compile_shim(folder: Path) -> Path:
    """Compile the library that lets calls fail."""
    shim = folder / "failing_calls.so"
    compiler = shutil.which("cc") or "gcc"
    subprocess.run(  # noqa: S603  # the compiler of this machine on a file of this folder
        [compiler, "-shared", "-fPIC", "-O1", "-o", str(shim), str(SHIM), "-ldl"], check=True
    )
    return shim


def count_until(repetitions: int, deadline: float) -> Iterator[int]:
    """Count attempts until there are enough, or the time is up."""
    for attempt in range(repetitions):
        if time.monotonic() > deadline:
            return
        yield attempt


def merge(tallies: Iterable[Tally]) -> Tally:
    """Add up what was counted in several folders."""
    merged = Tally()
    acknowledged = 0
    for tally in tallies:
        merged.faults += tally.faults
        merged.outcomes += tally.outcomes
        merged.violations += tally.violations
        acknowledged += len(tally.acknowledged)
    merged.outcomes["acknowledged runs, all in the history"] = acknowledged
    return merged


def main() -> int:
    """Inject faults, and write what they led to into the document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("kills", "calls"))
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=math.inf, help="end after that time")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    share = -(-options.repetitions // options.processes)
    deadline = time.monotonic() + 60 * options.minutes
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.processes) as threads:
        folders = [Path(scratch, str(number)).resolve() for number in range(options.processes)]
        for folder in folders:
            folder.mkdir()
        shim = compile_shim(Path(scratch)) if options.kind == "calls" else None
        tasks = [
            threads.submit(kill_builds, folder, count_until(share, deadline), options.seed + number)
            if shim is None
            else threads.submit(
                fail_calls, folder, count_until(share, deadline), options.seed + number, shim
            )
            for number, folder in enumerate(folders)
        ]
        tally = merge(task.result() for task in tasks)
    title = "Random kills" if options.kind == "kills" else "Failing calls"
    count, violations = tally.faults, tally.violations
    command = f"{options.kind} --repetitions {count} --seed {options.seed}"
    lines = [
        f"**{title}**: {count} in {options.processes} folders, {len(violations)} violations",
        f"(`python -m benchmarks.fault_injection {command}`).",
        "",
        *head("outcome", "number"),
        *(row(name, number) for name, number in sorted(tally.outcomes.items())),
        *(f"- {violation}" for violation in violations),
    ]
    write_part(RELIABILITY, options.kind, lines)
    return 1 if tally.violations else 0


if __name__ == "__main__":
    sys.exit(main())
