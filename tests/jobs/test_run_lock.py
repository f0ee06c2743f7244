"""One run at a time in one place: the second is told, or waits, and no lock outlives its run."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.output.lock import file_lock, lock_path
from tests.jobs.runs import (
    OLD,
    assert_new_report_stands,
    build,
    building,
    counts_in,
    kill_all,
    recorded_runs,
    surroundings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

# A run that never comes to an end, in the middle of its work.
ENDLESS = """
import time, reportgen.pipeline as pipeline
def build_in_memory(*arguments):
    print("held", flush=True)
    time.sleep(99)
pipeline.build_in_memory = build_in_memory
"""


@pytest.fixture
def holder(changed_report: Path) -> Iterator[subprocess.Popen[str]]:
    """Return a process that holds the place of the report until something is written to it."""
    code = (
        "import pathlib, sys\n"
        "from reportgen.output.lock import file_lock, lock_path\n"
        "with file_lock(lock_path(pathlib.Path('reports/small'))):\n"
        "    print('held', flush=True)\n    sys.stdin.readline()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=changed_report,
        env=surroundings(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_of_two_runs_in_one_place_the_second_names_the_first(
    changed_report: Path, holder: subprocess.Popen[str]
) -> None:
    """Exit 6, at once; and once the first was killed, the place is free at once."""
    run = build(changed_report, "small.toml")

    assert run.returncode == 6
    assert f"error[E610]: process {holder.pid} on " in run.stderr
    assert "--wait" in run.stderr
    assert counts_in(changed_report / "reports/small") == OLD
    assert len(recorded_runs(changed_report / "reports")) == 1
    holder.kill()
    holder.wait()
    assert build(changed_report, "small.toml").returncode == 0
    assert_new_report_stands(changed_report)


def test_a_run_that_waits_begins_when_the_place_is_free(
    changed_report: Path, holder: subprocess.Popen[str]
) -> None:
    """With --wait nobody has to try again."""
    with building(changed_report, "small.toml", "--wait") as process:
        time.sleep(1.5)
        assert process.poll() is None
        holder.communicate("go\n")
        process.communicate()

    assert process.returncode == 0
    assert_new_report_stands(changed_report)


def test_the_lock_of_a_build_that_was_killed_is_free_at_once(changed_report: Path) -> None:
    """The file that it held is still there; nobody holds it."""
    with building(changed_report, "small.toml", in_worker=ENDLESS) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        assert build(changed_report, "small.toml").returncode == 6
        kill_all(process)
        process.communicate()
    assert (changed_report / "reports/.reportgen/small/lock").exists()

    began = time.monotonic()
    run = build(changed_report, "small.toml")

    assert run.returncode == 0, run.stderr
    assert time.monotonic() - began < 30
    assert_new_report_stands(changed_report)


def test_a_lock_file_that_cannot_be_removed_is_no_error_and_locks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file system may have become read-only after the report was written."""
    lock = lock_path(tmp_path / "small")

    def fail_to_remove(path: Path, *, missing_ok: bool = False) -> None:
        del missing_ok
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", fail_to_remove)
        with file_lock(lock):
            assert lock.exists()

    assert lock.exists()
    with file_lock(lock):
        pass
    assert not lock.exists()
