"""Stages of killed runs: recognised by their lock, and planted ones do no harm."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import OutputError
from reportgen.output.lock import file_lock, lock_path
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


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """Return a file that no report may touch."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "precious.txt").write_bytes(b"precious")
    return folder / "precious.txt"


def test_a_planted_manifest_removes_nothing(tmp_path: Path, precious: Path) -> None:
    """Neither outside of the folder nor in it."""
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "notes.txt").write_bytes(b"mine")
    (folder / "manifest.json").write_text(
        '{"outputs": [{"path": "../elsewhere/precious.txt"}, {"path": "notes.txt"}]}'
    )

    write_report(folder, NEW)

    assert precious.read_bytes() == b"precious"
    assert contents(folder) == {**NEW, "notes.txt": b"mine"}


@pytest.mark.parametrize("part", ["new", "old"])
def test_a_planted_stage_with_a_link_leads_nowhere_else(
    tmp_path: Path, precious: Path, part: str
) -> None:
    """The link is removed, not followed."""
    stage = state(tmp_path / "out") / STAGE
    stage.mkdir(parents=True)
    (stage / "inode").write_text("1")
    (stage / part).symlink_to(precious.parent)

    write_report(tmp_path / "out", NEW)

    assert precious.read_bytes() == b"precious"
    assert contents(tmp_path / "out") == NEW


def test_a_planted_stage_does_not_write_through_a_link_in_the_report(
    tmp_path: Path, precious: Path
) -> None:
    """A folder of the report is a link: nothing is moved into its target."""
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "figures").symlink_to(precious.parent)
    planted = state(folder) / STAGE / "old" / "figures"
    planted.mkdir(parents=True)
    (planted / "planted.txt").write_bytes(b"planted")

    recover_interrupted_write(folder)

    assert [path.name for path in precious.parent.iterdir()] == ["precious.txt"]


@pytest.mark.parametrize("link", [STATE_FOLDER, f"{STATE_FOLDER}/out"])
def test_a_state_folder_that_is_a_link_is_rejected(
    tmp_path: Path, precious: Path, link: str
) -> None:
    """Stages stay where they belong."""
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(precious.parent)

    with pytest.raises(OutputError, match="is a symbolic link"):
        write_report(tmp_path / "out", NEW)

    assert [path.name for path in precious.parent.iterdir()] == ["precious.txt"]


def test_no_report_has_the_name_of_a_lock_or_stage(tmp_path: Path) -> None:
    """A lock does not block a report of a similar name, and the reserved name is refused."""
    with file_lock(lock_path(tmp_path / "small")):
        for name in (".small.lock", "lock", STAGE):
            write_report(tmp_path / name, NEW)
            with file_lock(lock_path(tmp_path / name)):
                assert contents(tmp_path / name) == NEW
    with pytest.raises(OutputError, match="reserved"):
        write_report(tmp_path / STATE_FOLDER, NEW)
