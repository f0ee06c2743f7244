"""A fault never costs an earlier report, and never leaves half a new one."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import OutputError
from reportgen.rendering.writing import ensure_writable, write_report

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
OLD = {
    "report.html": b"old page",
    "report.pdf": b"old pdf",
    "manifest.json": b'{"outputs": [{"path": "report.html"}, {"path": "report.pdf"}]}',
}
NEW = {
    "report.html": b"new page",
    "tables/scores.csv": b"new table",
    "manifest.json": b'{"outputs": [{"path": "report.html"}, {"path": "tables/scores.csv"}]}',
}


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_new_report_replaces_the_old_one_whole(tmp_path: Path) -> None:
    """Files that only the earlier report had are gone; what is not ours stays."""
    write_report(tmp_path, OLD)
    (tmp_path / "notes.txt").write_bytes(b"mine")

    write_report(tmp_path, NEW)

    assert _contents(tmp_path) == {**NEW, "notes.txt": b"mine"}


@pytest.mark.parametrize("nth", range(1, 6))
def test_when_the_nth_step_fails_everything_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    """Old or new, never half: three files come, one goes, and then the new report counts."""
    write_report(tmp_path, OLD)
    calls = 0

    def fail_at_nth(step: Callable[..., object]) -> Callable[..., object]:
        def failing(*arguments: object, **options: object) -> object:
            nonlocal calls
            calls += 1
            if calls == nth:
                raise OSError(28, "No space left on device")
            return step(*arguments, **options)

        return failing

    for name in ("replace", "unlink"):
        monkeypatch.setattr(Path, name, fail_at_nth(getattr(Path, name)))
    with pytest.raises(OutputError, match="No space left"):
        write_report(tmp_path, NEW)

    assert _contents(tmp_path) == OLD


@pytest.mark.parametrize("nth", range(1, 5))
def test_a_report_lost_to_a_killed_run_comes_back(tmp_path: Path, nth: int) -> None:
    """A process that ends without a word in the middle of the exchange costs nothing."""
    write_report(tmp_path, OLD)
    killed = (
        "import os, pathlib\n"
        "from reportgen.rendering.writing import write_report\n"
        "from tests.whole.test_nothing_is_lost import NEW\n"
        "calls = 0\n"
        "def dying(step):\n"
        "    def call(*arguments, **options):\n"
        "        global calls\n"
        "        calls += 1\n"
        f"        if calls == {nth}: os._exit(9)\n"
        "        return step(*arguments, **options)\n"
        "    return call\n"
        "pathlib.Path.replace = dying(pathlib.Path.replace)\n"
        "pathlib.Path.unlink = dying(pathlib.Path.unlink)\n"
        f"write_report(pathlib.Path({str(tmp_path)!r}), NEW)\n"
    )
    run = subprocess.run([sys.executable, "-c", killed], cwd=ROOT, check=False)
    assert run.returncode == 9

    ensure_writable(tmp_path)

    assert _contents(tmp_path) == OLD


def test_a_manifest_that_cannot_be_read_is_no_obstacle(tmp_path: Path) -> None:
    """Somebody else's file of that name is replaced, not a reason to stop."""
    (tmp_path / "manifest.json").write_bytes(b"\xff\xfe")

    write_report(tmp_path, NEW)

    assert _contents(tmp_path) == NEW


@pytest.mark.parametrize("link", ["out", "out/tables"])
def test_a_folder_that_is_a_link_is_refused(tmp_path: Path, link: str) -> None:
    """A report stays where it was told to go."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(elsewhere)

    with pytest.raises(OutputError, match="is a link"):
        write_report(tmp_path / "out", NEW)

    assert list(elsewhere.iterdir()) == []


def test_when_a_write_fails_everything_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk is found before anything old is touched, and no temporary file stays."""
    write_report(tmp_path, OLD)

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError):
        write_report(tmp_path, NEW)

    assert _contents(tmp_path) == OLD
    assert not list(tmp_path.glob(".reportgen-*"))


def test_a_stage_left_by_a_killed_run_is_cleared(tmp_path: Path) -> None:
    """The next run removes what a dead process left; a living one's is kept."""
    dead, living = tmp_path / ".reportgen-999999999", tmp_path / f".reportgen-{os.getppid()}"
    dead.mkdir()
    living.mkdir()

    write_report(tmp_path, NEW)

    assert not dead.exists()
    assert living.exists()


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


def test_a_file_in_place_of_the_folder_is_said_before_anything_is_computed(tmp_path: Path) -> None:
    """The fault names the folder and the way out."""
    (tmp_path / "out").write_bytes(b"a file")
    before = sha256((tmp_path / "out").read_bytes()).hexdigest()

    with pytest.raises(OutputError) as caught:
        ensure_writable(tmp_path / "out")

    assert caught.value.faults[0].place is not None
    assert sha256((tmp_path / "out").read_bytes()).hexdigest() == before
