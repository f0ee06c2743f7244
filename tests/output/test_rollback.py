"""A fault never costs an earlier report, and never leaves half a new one."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from contextlib import suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import NoReturn

import pytest

from reportgen.errors import OutputError
from reportgen.output.atomic import exchange_folders
from reportgen.output.lock import file_lock, lock_path
from reportgen.output.staging import STATE_FOLDER
from reportgen.output.write import check_writable, recover_interrupted_write, write_report
from tests.output.two_reports import AFTER, NEW, OLD, contents
from tests.output.write_steps import STEPS, Nth, at_step

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def test_a_new_report_removes_nothing_of_the_old_one(tmp_path: Path) -> None:
    """A build of fewer formats leaves the others, and files of others stay with their content."""
    folder = tmp_path / "out"
    write_report(folder, OLD)
    (folder / "notes.txt").write_bytes(b"mine")
    (folder / "link").symlink_to("notes.txt")
    (folder / "empty").mkdir()
    folder.chmod(0o750)

    removed = write_report(folder, NEW)

    assert removed == ()
    assert contents(folder) == {**AFTER, "notes.txt": b"mine", "link": b"mine"}
    assert (folder / "link").is_symlink()
    assert (folder / "empty").is_dir()
    assert folder.stat().st_mode & 0o777 == 0o750
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_tables_that_are_empty_now_are_removed(tmp_path: Path) -> None:
    """Only those that the program may have written itself."""
    folder = tmp_path / "out"
    write_report(folder, OLD | {"tables/gates.csv": b"old", "tables/mine.csv": b"mine"})

    removed = write_report(folder, NEW, obsolete=("tables/gates.csv", "tables/changes.csv"))

    assert removed == ("tables/gates.csv",)
    assert contents(folder) == AFTER | {"tables/mine.csv": b"mine"}


def test_a_folder_that_cannot_be_renamed_is_replaced_file_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one of an image in a container, whose file system answers EXDEV (overlayfs)."""
    folder = tmp_path / "out"
    write_report(folder, OLD)
    rename = Path.rename

    def rename_other(path: Path, target: Path) -> Path:
        if path == folder:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(path))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", rename_other)
    monkeypatch.setattr("reportgen.output.staging.exchange_folders", lambda *_: False)
    write_report(folder, NEW)

    assert contents(folder) == AFTER
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts file systems")
def test_a_report_of_an_image_is_replaced_in_a_container(tmp_path: Path) -> None:
    """With the file system that containers use."""
    lower, upper, work, merged = (tmp_path / name for name in ("lower", "upper", "work", "merged"))
    for path in (upper, work, merged):
        path.mkdir()
    write_report(lower / "out", OLD)
    options = f"lowerdir={lower},upperdir={upper},workdir={work}"
    mount = ["mount", "-t", "overlay", "overlay", "-o", options, str(merged)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no overlay file system can be mounted here")
    try:
        write_report(merged / "out", NEW)
        assert contents(merged / "out") == AFTER
        assert [path.name for path in merged.iterdir()] == ["out"]
    finally:
        subprocess.run(["umount", str(merged)], check=True)


def test_files_are_replaced_one_by_one_where_the_folder_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a mount point: if one of them fails, the earlier ones are restored."""
    folder = tmp_path / "out"
    write_report(folder, OLD)
    monkeypatch.setattr(Path, "is_mount", lambda path: path == folder)

    with at_step("replace", Nth(2, _no_space)):
        assert not _is_written(folder)
    assert contents(folder) == OLD

    write_report(folder, NEW)
    assert contents(folder) == AFTER
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


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
            expected = AFTER if _is_written(folder) else OLD

        # An error after the exchange cannot undo it.
        assert contents(folder) in (expected, AFTER)
        recover_interrupted_write(folder)
        assert contents(folder) in (expected, AFTER)
        assert not (tmp_path / STATE_FOLDER).exists()
        if not fault.has_happened:
            assert expected == AFTER
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

        assert contents(folder) in (OLD, AFTER)
        recover_interrupted_write(folder)
        assert contents(folder) in (OLD, AFTER)
        assert not (tmp_path / STATE_FOLDER).exists()
        if not signal.has_happened:
            break
    assert nth > 1


def test_wherever_a_process_dies_there_is_the_old_report_or_the_new_one(tmp_path: Path) -> None:
    """At every step of writing, with the exchange of folders and without it."""
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
    assert [step for step, way, _number in deaths if way == "exchange"] == list(STEPS)
    assert all(int(number) > 0 for _step, _way, number in deaths)


def _is_written(folder: Path) -> bool:
    try:
        write_report(folder, NEW)
    except OutputError:
        return False
    return True


def _no_space() -> NoReturn:
    raise OSError(28, "No space left on device")


def _stop() -> NoReturn:
    raise SystemExit(143)


def test_a_manifest_that_cannot_be_read_is_no_obstacle(tmp_path: Path) -> None:
    """Somebody else's file of that name is replaced, not a reason to stop."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out/manifest.json").write_bytes(b"\xff\xfe")

    write_report(tmp_path / "out", NEW)

    assert contents(tmp_path / "out") == NEW


@pytest.mark.parametrize("link", ["out", "out/tables"])
def test_a_folder_that_is_a_link_is_rejected(tmp_path: Path, link: str) -> None:
    """A report stays where it was told to go."""
    other_folder = tmp_path / "elsewhere"
    other_folder.mkdir()
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(other_folder)

    with pytest.raises(OutputError, match="is a symbolic link"):
        write_report(tmp_path / "out", NEW)

    assert list(other_folder.iterdir()) == []


@pytest.mark.parametrize(
    ("obstacle", "message"),
    [("link", "is a symbolic link to nowhere, which does not exist"), ("file", "is not a folder")],
)
def test_what_is_in_the_way_of_the_output_folder_is_named(
    tmp_path: Path, obstacle: str, message: str
) -> None:
    """Not the lock file below it, which is the first that cannot be created."""
    output = tmp_path / "out"
    if obstacle == "link":
        output.symlink_to("nowhere")
    else:
        output.write_bytes(b"a file")

    with (
        pytest.raises(OutputError, match=f"{output} {message}"),
        file_lock(lock_path(output / "small")),
    ):
        pass
    with pytest.raises(OutputError, match=f"{output} {message}"):
        write_report(output / "small", NEW)

    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_files_that_stay_are_never_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader finds files of other formats at the moment of the exchange too."""
    folder = tmp_path / "out"
    write_report(folder, OLD)
    at_exchange = []

    def exchange_and_read(first: Path, second: Path) -> bool:
        at_exchange.append(contents(second))
        result = exchange_folders(first, second)
        at_exchange.append(contents(second))
        return result

    monkeypatch.setattr("reportgen.output.staging.exchange_folders", exchange_and_read)
    write_report(folder, NEW)

    assert at_exchange == [OLD, AFTER]


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
    write_report(tmp_path / "out", NEW)

    assert (tmp_path / "out/report.html").stat().st_mode & 0o044 == 0o044
    assert (tmp_path / "out").stat().st_mode & 0o055 == 0o055


def test_a_file_in_place_of_the_folder_is_stated_before_anything_is_computed(
    tmp_path: Path,
) -> None:
    """The fault names the folder and the way out."""
    (tmp_path / "out").write_bytes(b"a file")
    before = sha256((tmp_path / "out").read_bytes()).hexdigest()

    with pytest.raises(OutputError) as error_info:
        check_writable(tmp_path / "out")

    assert error_info.value.diagnostics[0].location is not None
    assert sha256((tmp_path / "out").read_bytes()).hexdigest() == before
