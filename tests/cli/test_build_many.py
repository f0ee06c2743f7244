"""Many specs in one call: the same as one after another, only sooner."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING

import pytest

from reportgen.output.lock import file_lock, lock_path
from reportgen.output.staging import state_folder
from tests.cli.command import ROOT, reportgen
from tests.jobs.runs import build, command, surroundings, worker_preamble
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

SMALL = counted_spec([[40, 10], [8, 60]], [[38, 12], [9, 59]])
DEADLINE = 60
ROWS = "\n".join(["truth,prediction", *["yes,yes"] * 40, *["no,no"] * 50, *["no,yes"] * 10])
HISTORY = {"REPORTGEN_HISTORY": "runs/history.sqlite"}


@pytest.fixture
def mixed(tmp_path: Path) -> list[str]:
    """Return specs that are good, make a warning, have faults of their own, or lack their data."""
    texts = {
        "a": SMALL,
        "b": counted_spec([[40, 10], [8, 60]], [[38, 13], [9, 59]], title="Other cases"),
        "c": SMALL.replace("binary", "binarry"),
        "d": '[task]\nkind = "regression"\n[[classifiers]]\nname = "A"\npredictions = "gone.csv"\n',
        "e": SMALL.replace("A test", "The last"),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    return [f"{name}.toml" for name in texts]


def without_times(stderr: str) -> str:
    """Leave out what is never the same twice."""
    return re.sub(r"\(\d+\.\d s\)", "(… s)", stderr)


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder but the history, which tells times."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.parent != folder
    }


def reports_in(folder: Path) -> set[str]:
    """Return the names of the reports in a folder."""
    return {path.name for path in folder.iterdir() if path.is_dir()}


def without_runs(printed: str) -> str:
    """Leave out under which names the history keeps runs."""
    return re.sub(r"\d{8}T\d{6}-[0-9a-f]{16}", "…", printed)


@contextmanager
def building(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start a build in a group of processes of its own, as a shell does; nothing outlives it."""
    with subprocess.Popen(
        [sys.executable, "-m", "reportgen", "build", *arguments, "--format", "json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
    ) as process:
        # A worker that waits for a spec would wait for ever if a test failed.
        timer = threading.Timer(DEADLINE, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        try:
            yield process
        finally:
            timer.cancel()


@contextmanager
def read_by_a_worker(*pipes: Path) -> Iterator[list[int]]:
    """Wait until workers are reading specs that are pipes, and so are in the middle of a job."""
    with ExitStack() as opened:
        ends = [_reached(path) for path in pipes]
        for end in ends:
            opened.callback(os.close, end)
        yield ends


def _reached(pipe: Path) -> int:
    """Open a pipe for writing, which cannot be done before somebody reads it."""
    for _attempt in attempts():
        with suppress(OSError):
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    raise TimeoutError(f"nobody reads {pipe}")


def attempts() -> Iterator[int]:
    """Count attempts, with a little time between them, until it is too late."""
    for attempt in range(20 * DEADLINE):
        yield attempt
        time.sleep(0.05)


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """Return the processes that a build has started."""
    completed = subprocess.run(
        ["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True
    )
    return [int(line) for line in completed.stdout.split()]


def is_alive(process: int) -> bool:
    """Return whether a process of that number exists."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def pipes(folder: Path, *names: str) -> list[Path]:
    """Make pipes: whoever reads a spec from one waits until somebody writes it."""
    ratios = [folder / name for name in names]
    for path in ratios:
        os.mkfifo(path)
    return ratios


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["people", "programs"])
def test_two_at_once_say_and_write_what_one_after_another_does(
    tmp_path: Path, mixed: list[str], options: tuple[str, ...]
) -> None:
    """Order, messages, faults, exit code and files are the same to the last byte."""
    build = ("build", *mixed, "-o", "out", "--format", "json", *options, "--jobs")

    one = reportgen(*build, 1, cwd=tmp_path)
    (tmp_path / "out").rename(tmp_path / "first")
    two = reportgen(*build, 2, cwd=tmp_path)

    assert one.returncode == two.returncode == 3
    assert without_runs(two.stdout) == without_runs(one.stdout) != ""
    assert without_times(two.stderr) == without_times(one.stderr)
    assert contents(tmp_path / "out") == contents(tmp_path / "first")
    assert reports_in(tmp_path / "out") == {"a", "b", "e"}


def test_what_is_ready_waits_for_what_comes_before_it(tmp_path: Path) -> None:
    """While the first spec takes its time the others are built, and are printed after it."""
    [slow] = pipes(tmp_path, "slow.toml")
    for name in ("b", "c", "d"):
        (tmp_path / f"{name}.toml").write_text(SMALL, encoding="utf-8")
    with building(tmp_path, "slow.toml", "b.toml", "c.toml", "d.toml", "--jobs", "2") as process:
        with read_by_a_worker(slow) as [end]:
            assert any((tmp_path / "reports/d/manifest.json").exists() for _ in attempts())
            assert not (tmp_path / "reports/slow").exists()
            os.write(end, SMALL.encode())
        stdout, _stderr = process.communicate()

    assert process.returncode == 0
    files = ("results.json", "manifest.json")
    assert stdout.splitlines() == [
        f"reports/{name}/{file}" for name in ("slow", "b", "c", "d") for file in files
    ]


def test_the_death_of_a_worker_is_a_fault_of_its_spec_only(tmp_path: Path) -> None:
    """Both workers are killed, as when memory is used up; new ones build the other specs."""
    lost = pipes(tmp_path, "a.toml", "b.toml")
    for name in ("c", "d"):
        (tmp_path / f"{name}.toml").write_text(SMALL, encoding="utf-8")
    specs = ("a.toml", "b.toml", "c.toml", "d.toml")
    with (
        building(tmp_path, *specs, "--jobs", "2", "--json") as process,
        read_by_a_worker(*lost),
    ):
        for worker in workers_of(process):
            os.kill(worker, signal.SIGKILL)
        stdout, stderr = process.communicate()

    assert process.returncode == 4
    assert [[error["code"] for error in row["errors"]] for row in json.loads(stdout)] == [
        ["E403"],
        ["E403"],
        [],
        [],
    ]
    assert "the process that built a.toml was killed by SIGKILL" in stderr
    assert reports_in(tmp_path / "reports") == {"c", "d"}


@pytest.mark.parametrize("somebody_has_the_lock", [False, True])
def test_the_report_a_dead_worker_was_replacing_is_restored_under_the_lock(
    tmp_path: Path, *, somebody_has_the_lock: bool
) -> None:
    """At once, not only by the next build; unless that is there already and sees to it."""
    [spec] = pipes(tmp_path, "a.toml")
    report = tmp_path / "reports/a"
    with (
        building(tmp_path, "a.toml", "--jobs", "1", "--timeout", "50s") as process,
        read_by_a_worker(spec),
        file_lock(lock_path(report)) if somebody_has_the_lock else nullcontext(),
    ):
        # As on a file system that cannot exchange two folders, between two renames.
        stage = state_folder(report) / "stage-0123456789abcdef"
        (stage / "old").mkdir(parents=True)
        (stage / "old/results.json").write_text("earlier", encoding="utf-8")
        for worker in workers_of(process):
            os.kill(worker, signal.SIGKILL)
        process.communicate()
        is_restored = (report / "results.json").is_file()

    assert process.returncode == 4
    assert is_restored != somebody_has_the_lock
    assert stage.exists() == somebody_has_the_lock


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "terminate"]
)
def test_a_signal_ends_all_workers_and_leaves_nothing(
    tmp_path: Path, sent: signal.Signals, code: int
) -> None:
    """Ctrl-C goes to all processes of a terminal; others send their signal to the first only."""
    specs = pipes(tmp_path, "a.toml", "b.toml")
    (tmp_path / "c.toml").write_text(SMALL, encoding="utf-8")
    with (
        building(tmp_path, "a.toml", "b.toml", "c.toml", "--jobs", "2") as process,
        read_by_a_worker(*specs),
    ):
        workers = workers_of(process)
        (os.killpg if sent == signal.SIGINT else os.kill)(process.pid, sent)
        stdout, stderr = process.communicate()

    assert process.returncode == code
    assert stdout == ""
    assert "Traceback" not in stderr
    assert len(workers) == 2
    assert not any(map(is_alive, workers))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.toml", "b.toml", "c.toml"]


BROKEN_FOR_A = """
import reportgen.pipeline as pipeline
real = pipeline.build_in_memory
def broken(spec_file, *arguments):
    if spec_file.name == "a.toml":
        raise RuntimeError("a bug")
    return real(spec_file, *arguments)
pipeline.build_in_memory = broken
"""


def test_an_internal_error_of_one_spec_does_not_stop_the_others(
    tmp_path: Path, mixed: list[str]
) -> None:
    """It is reported with a file that says where it happened, and decides the exit code."""
    run = subprocess.run(
        command(*mixed, "--jobs", "1"),
        cwd=tmp_path,
        env={**surroundings(worker_preamble(tmp_path, BROKEN_FOR_A)), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 70, run.stderr
    assert "error[E700]: internal error: RuntimeError: a bug" in run.stderr
    [crash] = tmp_path.glob("reportgen-crash-*.txt")
    assert f"please report it with {crash}" in run.stderr
    assert "in broken" in crash.read_text(encoding="utf-8")
    assert reports_in(tmp_path / "reports") == {"b", "e"}


def test_a_failed_run_is_retried_and_notified_once(tmp_path: Path) -> None:
    """Data that come late are found by the second attempt; every attempt is in the history."""
    spec = (
        '[task]\nkind = "binary"\npositive = "yes"\n'
        '[[classifiers]]\nname = "A"\npredictions = "late.csv"\n[output]\nformats = ["json"]\n'
        '[[notify]]\non = ["every_run"]\ncommand = ["tee", "-a", "messages.txt"]\n'
    )
    (tmp_path / "churn.toml").write_text(spec, encoding="utf-8")
    (tmp_path / "runs").mkdir()
    options = ["-o", "runs", "--retries", "2", "--retry-after", "1s"]
    never = reportgen("build", "churn.toml", *options, cwd=tmp_path)
    with subprocess.Popen(
        command("churn.toml", *options),
        cwd=tmp_path,
        env=surroundings(),
        stderr=subprocess.PIPE,
        text=True,
    ) as late:
        assert late.stderr is not None
        for line in late.stderr:
            if "retry in 1 s" in line:
                (tmp_path / "late.csv").write_text(ROWS, encoding="utf-8")
    runs = json.loads(reportgen("history", "list", "--json", cwd=tmp_path, env=HISTORY).stdout)
    messages = (tmp_path / "messages.txt").read_text(encoding="utf-8")

    assert never.returncode == 3
    assert re.findall(r"retry in (\d+) s", never.stderr) == ["1", "2"]
    assert late.returncode == 0
    # Newest first: the second attempt and the first, then three that failed.
    assert [run["state"] for run in runs] == ["completed", *["failed"] * 4]
    # One for the last of the three that failed, one for the run that was completed.
    assert messages.count('"headline"') == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--retries", "1", "--stop-early"], "cannot be combined with --stop-early"),
        (["--base-url", "https://example.org"], "needs --publish"),
        (["--unchanged-exit", "3"], "needs --if-changed"),
    ],
)
def test_options_that_contradict_each_other_are_usage_errors(
    tmp_path: Path, options: list[str], message: str
) -> None:
    """Before anything is built."""
    (tmp_path / "a.toml").write_text(SMALL, encoding="utf-8")
    run = reportgen("build", "a.toml", *options, cwd=tmp_path)

    assert run.returncode == 2
    assert message in run.stderr


def test_the_next_spec_does_not_wait_for_the_notification_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The warning about a server that does not answer comes after the reports."""
    notify = '[[notify]]\non = ["every_run"]\nwebhook = "HOOK"\n'
    for name in ("first", "second"):
        (tmp_path / f"{name}.toml").write_text(
            SMALL.replace("A test", name) + notify, encoding="utf-8"
        )
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HOOK", f"http://127.0.0.1:{silent.getsockname()[1]}/")
        shorter = (
            "import reportgen.jobs.notifications.dispatch as d\nd.DELIVERY_TIMEOUT_SECONDS = 1"
        )
        run = build(tmp_path, "first.toml", "second.toml", "-j", "1", before=shorter)

    assert run.returncode == 0, run.stderr
    warning = "warning: notification by the webhook in $HOOK failed: no answer within 1 s"
    assert run.stderr.count(warning) == 2
    assert run.stderr.index("second (") < run.stderr.index(warning)
