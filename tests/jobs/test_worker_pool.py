"""What a crew gives its workers, and that they do not outlive it."""

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

with WorkerPool(1) as crew:
    for _outcome in crew.build([Job(Path(name), Path("out")) for name in ("gone.toml", "b.toml")]):
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
        found = list(workers.build(jobs))

    assert [place for place, _outcome in found] == [0, 1, 2]
    assert [outcome.spec for _place, outcome in found] == [job.spec for job in jobs]
    assert {outcome.diagnostics[0].error_code.code for _place, outcome in found} == {"E100"}


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
        found = subprocess.run(
            ["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True
        )
        process.send_signal(signal.SIGKILL)
    # The worker may be reading it, or be gone already.
    os.close(os.open(tmp_path / "b.toml", os.O_RDWR))

    deadline = time.monotonic() + 30
    while _runs(int(found.stdout)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(int(found.stdout))


STANDING_BY = """
import os, sys
from pathlib import Path
from reportgen.jobs.worker_pool import prefork_worker

prefork_worker()
child = int(Path(f"/proc/self/task/{os.getpid()}/children").read_text())
if sys.argv[1:]:
    from reportgen.jobs.worker_pool import WorkerPool
    from reportgen.jobs.job import Job

    with WorkerPool(2) as crew:
        jobs = [Job(Path(name), Path("out")) for name in ("a.toml", "b.toml")]
        used = [worker.process.pid for worker in crew._workers]
        outcomes = list(crew.build(jobs))
    print(child in used, len(used), len(outcomes))
print(child)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="children are looked up in /proc")
def test_who_stands_by_is_the_first_of_the_pool() -> None:
    """It was started before anybody knew of the crew, and is not started in vain."""
    assert _stood_by("crew")[0] == "True 2 2"


@pytest.mark.skipif(sys.platform != "linux", reason="children are looked up in /proc")
def test_who_stands_by_ends_with_a_command_that_needs_nobody() -> None:
    """As after an option that there is not."""
    (worker,) = _stood_by()

    deadline = time.monotonic() + 30
    while _runs(int(worker)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(int(worker))


@pytest.mark.parametrize("options", [(), ("--help",), ("--nope",)])
def test_a_command_that_cannot_start_a_process_does_not_look_like_a_failed_gate(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """Standing by is for speed only; whether there can be a worker is told when it is needed."""
    code = (
        "import errno, os, sys\n"
        "def fork():\n    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))\n"
        "os.fork = fork\n"
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


def test_nothing_is_begun_after_an_outcome_that_ends_all(tmp_path: Path) -> None:
    """The second of three specs is not there, and of the third nobody hears."""
    for name in ("a", "c"):
        (tmp_path / f"{name}.toml").write_text(counted_spec([[4, 1], [1, 4]]), encoding="utf-8")
    jobs = [Job(tmp_path / f"{name}.toml", tmp_path / "out", ("json",)) for name in "abc"]

    with WorkerPool(1) as workers:
        found = list(workers.build(jobs, should_stop=lambda outcome: outcome.exit_code > 1))

    assert [place for place, _outcome in found] == [0, 1]
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


def test_a_worker_that_is_asked_to_end_while_it_ends_does_so() -> None:
    """It is a copy of the command, and must not go on as if it were the command itself."""
    code = (
        "import os, signal\n"
        "import reportgen.jobs.worker_pool as process\n"
        "process.prefork_worker()\n"
        "(worker,) = process._preforked\n"
        "flush = process._flush_streams\n"
        "print(os.getpid(), flush=True)\n"
    )
    # In the copy the handler of the worker is there once it works; here it is there from the start.
    code = code.replace(
        "process.prefork_worker()",
        "def stopped(*_):\n    raise SystemExit(143)\n"
        "def told_to_end():\n    signal.raise_signal(signal.SIGUSR1)\n"
        "signal.signal(signal.SIGUSR1, stopped)\n"
        "def work(channel, lifeline):\n    process._flush_streams = told_to_end\n"
        "import reportgen.jobs.worker as module\n"
        "module.work = work\n"
        "process.prefork_worker()",
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )

    # Two numbers would be those of the command and of a copy that went on.
    assert len(run.stdout.split()) == 1
    assert run.stderr == ""


def _stood_by(*arguments: str) -> list[str]:
    found = subprocess.run(
        [sys.executable, "-c", STANDING_BY, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    return found.stdout.splitlines()


def _runs(process: int) -> bool:
    """Tell whether a process is there and is not merely waiting to be counted as dead."""
    shown = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return shown.stdout.strip()[:1] not in {"", "Z"}
