"""What a run that was killed leaves: recognised by its lock, whatever numbers processes have."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.output.staging import STAGE_PREFIX
from reportgen.output.write import (
    check_writable,
    rollback_interrupted_write,
    write_file_atomic,
    write_report,
)
from tests.output.two_reports import NEW, OLD, contents

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NEWER = {"report.html": b"newer page", "manifest.json": b'{"outputs": [{"path": "report.html"}]}'}
HALF = """
import os, sys
from pathlib import Path
from reportgen.output.write import write_report
from tests.output.write_steps import Nth, at_step
from tests.output.two_reports import NEW

def wait():
    print("half", flush=True)
    sys.stdin.read()

with at_step("replace", Nth(3, wait)):
    write_report(Path(sys.argv[1]), NEW)
"""


@contextmanager
def half_written(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Write a report, and begin to replace it in a process that stops in the middle."""
    write_report(folder, OLD)
    with subprocess.Popen(
        [sys.executable, "-c", HALF, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "half\n"
        assert (folder / "report.html").read_bytes() == b"new page"
        yield process
        process.kill()


def stages(folder: Path) -> list[Path]:
    """Return what is being made ready, or was."""
    return list(folder.glob(f"{STAGE_PREFIX}*"))


def test_what_somebody_is_writing_is_left_alone(tmp_path: Path) -> None:
    """It lives, in whichever container, and ends what it began."""
    with half_written(tmp_path) as process:
        rollback_interrupted_write(tmp_path)
        check_writable(tmp_path)

        assert len(stages(tmp_path)) == 1
        process.communicate("go on")

    assert contents(tmp_path) == NEW


def test_what_a_killed_process_has_half_written_is_taken_back(tmp_path: Path) -> None:
    """At once, and nothing of it is left."""
    with half_written(tmp_path) as process:
        process.kill()
        process.wait()

        rollback_interrupted_write(tmp_path)

    assert contents(tmp_path) == OLD
    assert stages(tmp_path) == []


def test_a_number_that_another_process_has_by_now_does_not_keep_it(tmp_path: Path) -> None:
    """Stages of earlier versions were named so; numbers come again, in containers at once."""
    with half_written(tmp_path) as process:
        process.kill()
        process.wait()
    [stage] = stages(tmp_path)
    stage.rename(tmp_path / f"{STAGE_PREFIX}{os.getppid()}")

    rollback_interrupted_write(tmp_path)

    assert contents(tmp_path) == OLD


def test_a_newer_report_is_never_rolled_back(tmp_path: Path) -> None:
    """The run after the killed one takes back first; what it writes then stays."""
    with half_written(tmp_path) as process:
        process.kill()
        process.wait()

        write_report(tmp_path, NEWER)
        rollback_interrupted_write(tmp_path)

    assert contents(tmp_path) == NEWER


def test_a_stage_without_a_lock_is_cleared(tmp_path: Path) -> None:
    """Somebody was killed before it had one; there is no report in it."""
    (tmp_path / f"{STAGE_PREFIX}0123456789abcdef").mkdir()

    write_file_atomic(tmp_path / "page.html", b"page")

    assert contents(tmp_path) == {"page.html": b"page"}
    assert stages(tmp_path) == []


@pytest.mark.parametrize("name", ["../precious", "{absolute}"])
def test_a_list_of_files_leads_nowhere_else(tmp_path: Path, name: str) -> None:
    """Whoever wrote the list."""
    precious = tmp_path / "precious"
    precious.write_bytes(b"precious")
    stage = tmp_path / f"out/{STAGE_PREFIX}0123456789abcdef"
    stage.mkdir(parents=True)
    (stage / "names").write_text(name.format(absolute=precious), encoding="utf-8")

    rollback_interrupted_write(tmp_path / "out")

    assert precious.read_bytes() == b"precious"
    assert stages(tmp_path / "out") == []


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    """Only names of ours are cleared."""
    (tmp_path / f"{STAGE_PREFIX}settings").mkdir()

    rollback_interrupted_write(tmp_path)

    assert len(stages(tmp_path)) == 1
