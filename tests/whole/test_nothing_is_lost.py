"""A fault never costs an earlier report, and never leaves half a new one."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from reportgen.errors import OutputError
from reportgen.rendering.writing import ensure_writable, write_report

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


# Three old files go and three new ones come.
@pytest.mark.parametrize("nth", range(1, 7))
def test_when_the_nth_rename_fails_everything_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    """Old or new, never half."""
    write_report(tmp_path, OLD)
    calls = 0
    rename = Path.replace

    def failing(source: Path, target: Path) -> Path:
        nonlocal calls
        calls += 1
        if calls == nth:
            raise OSError(28, "No space left on device")
        return rename(source, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(OutputError, match="No space left"):
        write_report(tmp_path, NEW)

    assert _contents(tmp_path) == OLD


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

    assert (tmp_path / "report.html").stat().st_mode & 0o044


def test_a_file_in_place_of_the_folder_is_said_before_anything_is_computed(tmp_path: Path) -> None:
    """The fault names the folder and the way out."""
    (tmp_path / "out").write_bytes(b"a file")
    before = sha256((tmp_path / "out").read_bytes()).hexdigest()

    with pytest.raises(OutputError) as caught:
        ensure_writable(tmp_path / "out")

    assert caught.value.faults[0].place is not None
    assert sha256((tmp_path / "out").read_bytes()).hexdigest() == before
