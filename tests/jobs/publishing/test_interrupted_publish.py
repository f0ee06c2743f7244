"""What is left of a publication to a folder that was interrupted: the site as it was."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from reportgen.errors import OutputError
from reportgen.jobs.publishing.publisher import publish_site
from tests.jobs.publishing.output_folder import SampleReport, write_report, write_run
from tests.jobs.publishing.site_reading import broken_links, files_of, named_but_missing

PAGE = "<!DOCTYPE html><title>{}</title>"


def test_a_write_that_fails_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    """The n-th file of the second publication fails, for every n; trying again mends it."""
    number, failed = 0, True
    while failed:
        runs, site = tmp_path / f"runs {number}", tmp_path / f"site {number}"
        write_run(runs, "churn", SampleReport(page=PAGE.format("old")), day=0)
        publish_site(runs, str(site))
        before = files_of(site)
        write_run(runs, "churn", SampleReport(page=PAGE.format("new")), day=1)
        failed = _fails(number, runs, site)
        if failed:
            files = files_of(site)
            assert files["index.json"] == before["index.json"]
            assert named_but_missing(files) == broken_links(files) == []
            assert not any(path.endswith(".part") for path in files)
            publish_site(runs, str(site))
        mended = files_of(site)
        assert mended["churn/index.html"].decode() == PAGE.format("new")
        assert broken_links(mended) == []
        assert ".publishing.json" not in mended
        number += 1

    # The claimed names, 4 files of the run, its latest page (PDF and results are as before);
    # archive, status, 404, feed and front page; and the index: so many writes can fail.
    assert number - 1 == 1 + 4 + 1 + 5 + 1


def _fails(number: int, runs: Path, site: Path) -> bool:
    """Publish with the n-th file failing; tell whether it came that far."""
    move, left = Path.replace, iter(range(number + 1))

    def full(self: Path, target: Path) -> Path:
        if self.suffix == ".part" and next(left, None) == number:
            raise OSError(errno.ENOSPC, "No space left on device")
        return move(self, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", full)
        try:
            publish_site(runs, str(site))
        except OutputError as error:
            return [fault.error_code.code for fault in error.diagnostics] == ["E524"]
        return False


def test_a_killed_publication_leaves_nothing_for_good(tmp_path: Path) -> None:
    """What it had not finished is removed by the next one; its lock ended with it."""
    runs, site = tmp_path / "runs", tmp_path / "site"
    write_report(runs, "churn")
    (site / "churn").mkdir(parents=True)
    (site / "churn" / ".publishing-4711.part").write_bytes(b"half a page")
    publish_site(runs, str(site))

    assert not any(path.endswith(".part") for path in files_of(site))


def test_files_are_on_the_disk_before_they_have_their_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Power may fail: first the file is synced, then it is moved, then its folder is synced."""
    runs = tmp_path / "runs"
    write_report(runs, "churn")
    operations: list[str] = []
    move = Path.replace

    def move_files(self: Path, target: Path) -> Path:
        operations.append("move")
        return move(self, target)

    def synced(descriptor: int) -> None:
        operations.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

    monkeypatch.setattr(Path, "replace", move_files)
    monkeypatch.setattr(os, "fsync", synced)
    written_files = publish_site(runs, str(tmp_path / "site")).written_files

    # One more for the file that claims the names, and the folder itself at the end.
    assert operations == ["file", "move", "folder"] * (len(written_files) + 1) + ["folder"]
