"""Stages of killed runs: recognised by their lock, and planted ones do no harm."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.output.staging import STATE_FOLDER
from reportgen.output.write import check_writable, recover_interrupted_write, write_report
from tests.output.two_reports import AFTER, NEW, OLD, contents

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
NEWER = {"report.html": b"newer page", "manifest.json": b'{"outputs": [{"path": "report.html"}]}'}
STAGE = "stage-0123456789abcdef"
WAITING_WRITER = """
import sys
from pathlib import Path
from reportgen.output.write import write_report
from tests.output.write_steps import Nth, at_step
from tests.output.two_reports import NEW

def wait():
    print("waiting", flush=True)
    sys.stdin.read()

with at_step("exchange", Nth(int(sys.argv[2]), wait)):
    write_report(Path(sys.argv[1]), NEW)
"""


@contextmanager
def waiting_writer(folder: Path, *, exchanged: bool) -> Iterator[subprocess.Popen[str]]:
    """Write a report, and replace it in a process that waits before or after the exchange."""
    write_report(folder, OLD)
    (folder / "notes.txt").write_bytes(b"mine")
    with subprocess.Popen(
        [sys.executable, "-c", WAITING_WRITER, str(folder), "2" if exchanged else "1"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        yield process
        process.kill()


def state(folder: Path) -> Path:
    """Return where the stages of a report are."""
    return folder.parent / STATE_FOLDER / folder.name


@pytest.mark.parametrize("exchanged", [False, True])
def test_the_stage_of_a_running_process_is_left_alone(
    tmp_path: Path,
    *,
    exchanged: bool,
) -> None:
    """It lives, in whichever container, and completes its work."""
    folder = tmp_path / "out"
    with waiting_writer(folder, exchanged=exchanged) as process:
        recover_interrupted_write(folder)
        check_writable(folder)

        assert len(list(state(folder).iterdir())) == 1
        process.communicate("go on")

    assert contents(folder) == {**AFTER, "notes.txt": b"mine"}
    assert not state(folder).exists()


@pytest.mark.parametrize(("exchanged", "expected"), [(False, OLD), (True, AFTER)])
def test_a_killed_process_leaves_the_old_or_the_new_report(
    tmp_path: Path, expected: dict[str, bytes], *, exchanged: bool
) -> None:
    """Before anybody recovers anything, and after that."""
    folder = tmp_path / "out"
    with waiting_writer(folder, exchanged=exchanged) as process:
        process.kill()
        process.wait()
    assert contents(folder) == {**expected, "notes.txt": b"mine"}

    recover_interrupted_write(folder)

    assert contents(folder) == {**expected, "notes.txt": b"mine"}
    assert not (tmp_path / STATE_FOLDER).exists()


def test_a_file_added_during_the_exchange_is_not_lost(tmp_path: Path) -> None:
    """It was written into the old folder after the others had been linked."""
    folder = tmp_path / "out"
    with waiting_writer(folder, exchanged=False) as process:
        (folder / "late.txt").write_bytes(b"late")
        (folder / "figures/late.svg").write_bytes(b"late")
        process.communicate("go on")

    assert contents(folder) == {
        **AFTER,
        "notes.txt": b"mine",
        "late.txt": b"late",
        "figures/late.svg": b"late",
    }


def test_the_next_run_completes_a_killed_one_and_replaces_it(tmp_path: Path) -> None:
    """What it writes then stays."""
    folder = tmp_path / "out"
    with waiting_writer(folder, exchanged=True) as process:
        process.kill()
        process.wait()

    write_report(folder, NEWER)
    recover_interrupted_write(folder)

    assert contents(folder) == {**AFTER, "notes.txt": b"mine", **NEWER}


def test_an_abandoned_stage_is_cleared(tmp_path: Path) -> None:
    """Its process was killed before it had written anything into it."""
    (state(tmp_path / "out") / STAGE).mkdir(parents=True)

    write_report(tmp_path / "out", NEW)

    assert contents(tmp_path) == {f"out/{name}": content for name, content in NEW.items()}
    assert not (tmp_path / STATE_FOLDER).exists()


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    """Only stages are cleared."""
    (state(tmp_path / "out") / "settings").mkdir(parents=True)

    write_report(tmp_path / "out", NEW)

    assert (state(tmp_path / "out") / "settings").is_dir()


# What an output folder may contain that was checked out of a repository or is shared.
