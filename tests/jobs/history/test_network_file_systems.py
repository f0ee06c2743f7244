"""Which journal a file has, by the file system it is on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from reportgen.jobs.history import sqlite
from reportgen.jobs.history.sqlite import is_on_network
from reportgen.jobs.history.store import open_history
from tests.jobs.history.samples import sample

if TYPE_CHECKING:
    from pathlib import Path

# The form of proc_pid_mountinfo(5): the fifth field is the place, the type follows the dash.
ROOT_MOUNT = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw"


@pytest.mark.parametrize(
    ("kind", "is_network"),
    [("nfs4", True), ("cifs", True), ("fuse.sshfs", True), ("ext4", False), ("fuseblk", False)],
)
def test_the_type_of_the_nearest_mount_counts(
    tmp_path: Path, kind: str, *, is_network: bool
) -> None:
    """A folder within a local file system may be another one, and its name may have spaces."""
    share = tmp_path / "my share"
    share.mkdir()
    mounts = tmp_path / "mountinfo"
    written = str(share.resolve()).replace(" ", "\\040")
    line = f"40 22 0:40 / {written} rw,relatime shared:9 - {kind} server:/share rw"
    mounts.write_text(f"{ROOT_MOUNT}\n{line}\n", encoding="utf-8")

    assert is_on_network(share / "history.sqlite", mounts) is is_network
    assert is_on_network(tmp_path / "my shared.sqlite", mounts) is False


def test_where_nothing_is_known_of_mounts_a_file_is_local(tmp_path: Path) -> None:
    """As on systems without /proc."""
    assert is_on_network(tmp_path / "history.sqlite", tmp_path / "none") is False


def test_on_a_network_the_history_has_no_shared_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rollback journal works there; a file that comes from or goes to a local disk changes."""
    path = tmp_path / "history.sqlite"
    runs = [sample(day) for day in range(3)]
    for run, is_remote, journal in zip(
        runs, (True, False, True), ("delete", "wal", "delete"), strict=True
    ):
        monkeypatch.setattr(sqlite, "is_on_network", lambda _path, answer=is_remote: answer)
        with open_history(str(path)) as history:
            history.begin(run)
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchall() == [(journal,)]

    with open_history(str(path)) as history:
        assert [history.get_run(run.id) for run in runs] == runs
