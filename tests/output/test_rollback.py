"""A fault never costs an earlier report, and never leaves half a new one."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import NoReturn

import pytest

from reportgen.errors import OutputError
from reportgen.output.staging import STAGE_PREFIX
from reportgen.output.write import check_writable, rollback_interrupted_write, write_report
from tests.output.two_reports import NEW, OLD, contents
from tests.output.write_steps import STEPS, Nth, at_step

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def test_a_new_report_replaces_the_old_one_whole(tmp_path: Path) -> None:
    """Files that only the earlier report had are gone; what is not ours stays."""
    write_report(tmp_path, OLD)
    (tmp_path / "notes.txt").write_bytes(b"mine")

    write_report(tmp_path, NEW)

    assert contents(tmp_path) == {**NEW, "notes.txt": b"mine"}


@pytest.mark.parametrize("step", STEPS)
def test_whichever_step_fails_there_is_the_old_report_or_the_new_one(
    tmp_path: Path, step: str
) -> None:
    """Every step of a kind fails once: if that is told the old report is there, else the new."""
    for nth in count(1):
        folder = tmp_path / str(nth)
        write_report(folder, OLD)
        fault = Nth(nth, _no_space)
        with at_step(step, fault):
            expected = NEW if _is_written(folder) else OLD

        assert _without_stage(folder) == expected
        rollback_interrupted_write(folder)
        assert contents(folder) == expected
        if not fault.has_happened:
            assert expected == NEW
            break
    assert nth > 1


@pytest.mark.parametrize("step", STEPS)
def test_whenever_it_is_stopped_there_is_the_old_report_or_the_new_one(
    tmp_path: Path, step: str
) -> None:
    """As by SIGTERM, which becomes an exception between any two steps."""
    for nth in count(1):
        folder = tmp_path / str(nth)
        write_report(folder, OLD)
        signal = Nth(nth, _stop)
        with at_step(step, signal), suppress(SystemExit):
            write_report(folder, NEW)

        assert _without_stage(folder) in (OLD, NEW)
        rollback_interrupted_write(folder)
        assert contents(folder) in (OLD, NEW)
        if not signal.has_happened:
            break
    assert nth > 1


def test_wherever_a_process_dies_there_is_the_old_report_or_the_new_one(tmp_path: Path) -> None:
    """At every step of writing, and at every step of bringing the old report back after that."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.output.crashing_writer", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert run.returncode == 0, run.stderr
    deaths = [line.split() for line in run.stdout.splitlines()]
    assert [step for step, _number in deaths] == [step for step in STEPS for _ in range(2)]
    assert all(int(number) > 0 for _step, number in deaths[::2])
    assert sum(int(number) for _step, number in deaths[1::2]) > 10


def _is_written(folder: Path) -> bool:
    try:
        write_report(folder, NEW)
    except OutputError:
        return False
    return True


def _without_stage(folder: Path) -> dict[str, bytes]:
    return {
        name: content
        for name, content in contents(folder).items()
        if not name.startswith(STAGE_PREFIX)
    }


def _no_space() -> NoReturn:
    raise OSError(28, "No space left on device")


def _stop() -> NoReturn:
    raise SystemExit(143)


def test_a_manifest_that_cannot_be_read_is_no_obstacle(tmp_path: Path) -> None:
    """Somebody else's file of that name is replaced, not a reason to stop."""
    (tmp_path / "manifest.json").write_bytes(b"\xff\xfe")

    write_report(tmp_path, NEW)

    assert contents(tmp_path) == NEW


@pytest.mark.parametrize("link", ["out", "out/tables"])
def test_a_folder_that_is_a_link_is_rejected(tmp_path: Path, link: str) -> None:
    """A report stays where it was told to go."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(elsewhere)

    with pytest.raises(OutputError, match="is a symbolic link"):
        write_report(tmp_path / "out", NEW)

    assert list(elsewhere.iterdir()) == []


def test_a_symlink_is_replaced_and_its_target_left_alone(tmp_path: Path) -> None:
    """A report never writes through a link."""
    target = tmp_path / "precious.txt"
    target.write_bytes(b"precious")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "report.html").symlink_to(target)

    write_report(folder, NEW)

    assert target.read_bytes() == b"precious"
    assert not (folder / "report.html").is_symlink()


def test_files_can_be_read_by_a_web_server(tmp_path: Path) -> None:
    """Published files are not private to the user who built them."""
    write_report(tmp_path, NEW)

    assert (tmp_path / "report.html").stat().st_mode & 0o044 == 0o044


def test_a_file_in_place_of_the_folder_is_stated_before_anything_is_computed(
    tmp_path: Path,
) -> None:
    """The fault names the folder and the way out."""
    (tmp_path / "out").write_bytes(b"a file")
    before = sha256((tmp_path / "out").read_bytes()).hexdigest()

    with pytest.raises(OutputError) as caught:
        check_writable(tmp_path / "out")

    assert caught.value.diagnostics[0].location is not None
    assert sha256((tmp_path / "out").read_bytes()).hexdigest() == before
