"""What a worker pool sends its workers, and that they do not outlive it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reportgen.jobs import resources, worker_pool
from reportgen.jobs.job import Job
from reportgen.jobs.resources import (
    NO_LIMITS,
    POLARS_THREADS_VARIABLE,
    ResourceLimits,
    WorkerConfig,
    build_worker_config,
)
from reportgen.jobs.worker_pool import WorkerPool
from tests.small_specs import counted_spec

pytestmark = pytest.mark.slow

NOBODY_READS = """
import sys
from pathlib import Path
from reportgen.jobs.worker_pool import WorkerPool
from reportgen.jobs.job import Job

with WorkerPool(1) as pool:
    for _outcome in pool.build([Job(Path(name), Path("out")) for name in ("gone.toml", "b.toml")]):
        print("one is done", flush=True)
        sys.stdin.read()
"""


@pytest.mark.parametrize(("size", "threads"), [(1, 8), (2, 4), (3, 2), (20, 1)])
def test_workers_share_the_cores(monkeypatch: pytest.MonkeyPatch, size: int, threads: int) -> None:
    """Of 8 cores each of 3 workers has 8 // 3 = 2, and none has less than one."""
    monkeypatch.setattr(resources, "available_cores", lambda: 8)

    assert build_worker_config(size, NO_LIMITS).threads == threads


@pytest.mark.parametrize(("somebody_set", "used"), [(None, "5"), ("3", "3")])
def test_a_number_of_threads_that_somebody_set_counts(
    monkeypatch: pytest.MonkeyPatch, somebody_set: str | None, used: str
) -> None:
    """Who sets it knows why."""
    # Noted first, so that it is taken back after the test.
    monkeypatch.setenv(POLARS_THREADS_VARIABLE, "1")
    if somebody_set is None:
        monkeypatch.delenv(POLARS_THREADS_VARIABLE)
    else:
        monkeypatch.setenv(POLARS_THREADS_VARIABLE, somebody_set)

    WorkerConfig(5).apply()

    assert os.environ[POLARS_THREADS_VARIABLE] == used


def test_one_worker_does_several_jobs(tmp_path: Path) -> None:
    """It stays warm, and says at which place of the list each outcome belongs."""
    jobs = [Job(tmp_path / f"{name}.toml", tmp_path) for name in "abc"]

    with WorkerPool(1) as workers:
        outcomes = list(workers.build(jobs))

    assert [place for place, _outcome in outcomes] == [0, 1, 2]
    assert [outcome.spec for _place, outcome in outcomes] == [job.spec for job in jobs]
    assert {outcome.diagnostics[0].error_code.code for _place, outcome in outcomes} == {"E100"}


def test_a_worker_ends_when_the_pool_was_killed(tmp_path: Path) -> None:
    """Nobody is there to tell it to end, so it sees that nobody is there."""
    os.mkfifo(tmp_path / "b.toml")
    with subprocess.Popen(
        [sys.executable, "-c", NOBODY_READS],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        search = subprocess.run(
            ["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True
        )
        process.send_signal(signal.SIGKILL)
    # The worker may be reading it, or be gone already.
    os.close(os.open(tmp_path / "b.toml", os.O_RDWR))

    deadline = time.monotonic() + 30
    while _runs(int(search.stdout)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(int(search.stdout))


@pytest.mark.parametrize("options", [(), ("--help",), ("--nope",)])
def test_a_command_that_cannot_start_a_process_does_not_look_like_a_failed_gate(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """A worker is started when there is a job for it, and not by an option that is wrong."""
    code = (
        "import errno, os, subprocess, sys\n"
        "def start(*_, **__):\n    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))\n"
        "subprocess.Popen = start\n"
        f"sys.argv = ['reportgen', 'build', 'a.toml', *{options!r}]\n"
        "from reportgen.cli import main\nmain()\n"
    )
    (tmp_path / "a.toml").write_text("", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert run.returncode == {(): 4, ("--help",): 0, ("--nope",): 2}[options]
    assert "Traceback" not in run.stderr
    assert ("E403" in run.stderr) is not bool(options)


def test_modules_in_the_current_folder_are_not_imported(tmp_path: Path) -> None:
    """A script of the user may have the name of a module of Python."""
    for name in ("signal", "secrets", "multiprocessing"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(99)", encoding="utf-8")
    run = subprocess.run(
        [
            sys.executable,
            "-P",
            "-c",
            "from reportgen.cli import main; main()",
            "build",
            "gone.toml",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert run.returncode == 2, run.stderr
    assert "E100" in run.stderr


def test_nothing_is_begun_after_an_outcome_that_ends_all(tmp_path: Path) -> None:
    """The second of three specs is not there, and of the third nobody hears."""
    for name in ("a", "c"):
        (tmp_path / f"{name}.toml").write_text(counted_spec([[4, 1], [1, 4]]), encoding="utf-8")
    jobs = [Job(tmp_path / f"{name}.toml", tmp_path / "out", ("json",)) for name in "abc"]

    with WorkerPool(1) as workers:
        outcomes = list(workers.build(jobs, should_stop=lambda outcome: outcome.exit_code > 1))

    assert [place for place, _outcome in outcomes] == [0, 1]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a"]


@pytest.mark.skipif(sys.platform != "linux", reason="what a process does is looked up in /proc")
@pytest.mark.parametrize(("memory", "code"), [(10**9, "E408"), (None, "E407")])
def test_who_may_take_little_memory_and_does_nothing_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: int | None, code: str
) -> None:
    """A pipe that nobody writes to stands for a thread that never came.

    Without a limit of memory doing nothing is no fault, and only the time ends it.
    """
    monkeypatch.setattr(worker_pool, "STALL_SECONDS", 0.5)
    monkeypatch.setattr(worker_pool, "STALL_POLL_SECONDS", 0.1)
    os.mkfifo(tmp_path / "a.toml")
    limits = ResourceLimits(timeout_seconds=20 if memory else 3, memory_bytes=memory)

    with WorkerPool(1, limits) as workers:
        [(_place, outcome)] = workers.build([Job(tmp_path / "a.toml", tmp_path / "out")])

    assert outcome.exit_code == 4
    assert [fault.error_code.code for fault in outcome.diagnostics] == [code]


def _runs(process: int) -> bool:
    """Tell whether a process is there and is not merely waiting to be counted as dead."""
    status = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return status.stdout.strip()[:1] not in {"", "Z"}
