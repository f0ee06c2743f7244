"""Files planted in an output folder: nothing outside of it is written, replaced or removed.

Such a folder may be checked out of a repository, or be shared.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import OutputError
from reportgen.jobs.publishing.publisher import publish_site
from reportgen.output.atomic import read_regular_file
from reportgen.output.lock import file_lock, lock_path
from reportgen.output.staging import STATE_FOLDER, staging_folder, state_folder
from reportgen.output.write import recover_interrupted_write, write_report
from tests.jobs.runs import NEW as NEW_COUNTS
from tests.jobs.runs import OLD as OLD_COUNTS
from tests.jobs.runs import build, counts_in, write_spec
from tests.output.two_reports import NEW, contents

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

STAGE = "stage-0123456789abcdef"


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
    stage = state_folder(tmp_path / "out") / STAGE
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
    planted = state_folder(folder) / STAGE / "old" / "figures"
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


@pytest.mark.parametrize("link", [STATE_FOLDER, f"{STATE_FOLDER}/out"])
def test_the_stages_of_another_folder_are_not_recovered_here(tmp_path: Path, link: str) -> None:
    """A link to them would move an interrupted report of others into this folder."""
    stage = tmp_path / "others" / STATE_FOLDER / "out" / STAGE
    (stage / "old").mkdir(parents=True)
    (stage / "old/report.html").write_bytes(b"theirs")
    mine = tmp_path / "mine"
    (mine / link).parent.mkdir(parents=True)
    (mine / link).symlink_to(stage.parent if link.endswith("out") else stage.parent.parent)

    recover_interrupted_write(mine / "out")

    assert not (mine / "out").exists()
    assert (stage / "old/report.html").read_bytes() == b"theirs"


def test_no_report_has_the_name_of_a_lock_or_stage(tmp_path: Path) -> None:
    """A lock does not block a report of a similar name, and the reserved name is refused."""
    with file_lock(lock_path(tmp_path / "small")), staging_folder(tmp_path / "small"):
        assert [path.name for path in tmp_path.iterdir()] == [STATE_FOLDER]
        for name in (".small.lock", "lock", STAGE):
            write_report(tmp_path / name, NEW)
            with file_lock(lock_path(tmp_path / name)):
                assert contents(tmp_path / name) == NEW
    with pytest.raises(OutputError, match="reserved"):
        write_report(tmp_path / STATE_FOLDER, NEW)


@pytest.mark.parametrize("name", ["manifest.json", "results.json"])
def test_a_planted_pipe_is_not_waited_for(tmp_path: Path, name: str) -> None:
    """Neither by a build nor by publishing, which names the report and publishes the others."""
    write_spec(tmp_path)
    write_spec(tmp_path, name="other")
    assert build(tmp_path, "small.toml", "other.toml").returncode == 0
    planted = tmp_path / "reports/small" / name
    planted.unlink()
    os.mkfifo(planted)

    outcome = publish_site(tmp_path / "reports", str(tmp_path / "site"))
    run = build(tmp_path, "small.toml", "--if-changed")

    assert (tmp_path / "site/other").is_dir()
    if name == "results.json":
        assert [fault.error_code.code for fault in outcome.diagnostics] == ["E523"]
    assert run.returncode == 0, run.stderr
    assert counts_in(tmp_path / "reports/small") == OLD_COUNTS


@pytest.mark.parametrize("planted", ["pipe", "device"])
def test_only_regular_files_are_read(tmp_path: Path, planted: str) -> None:
    """A pipe may have no writer, and a device no end."""
    path = tmp_path / "manifest.json"
    if planted == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/null")

    with pytest.raises(OSError, match="it is not a regular file"):
        read_regular_file(path)


def test_a_file_of_many_gigabytes_is_not_read(tmp_path: Path) -> None:
    """It takes no space on the disk: it has no content but its length."""
    path = tmp_path / "manifest.json"
    path.touch()
    os.truncate(path, 5 << 30)

    with pytest.raises(OSError, match="it is larger than 4 GiB"):
        read_regular_file(path)


def test_a_pipe_in_place_of_the_lock_is_an_error(tmp_path: Path) -> None:
    """While another process holds it, the name of that would be read from it for ever."""
    lock = lock_path(tmp_path / "small")
    lock.parent.mkdir(parents=True)
    os.mkfifo(lock)

    with pytest.raises(OutputError, match="no lock file"), file_lock(lock):
        pass


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path, precious: Path) -> None:
    """Else the file that it leads to would be emptied."""
    write_spec(tmp_path)
    assert build(tmp_path, "small.toml").returncode == 0
    write_spec(tmp_path, NEW_COUNTS)
    lock = tmp_path / "reports/.reportgen/small/lock"
    lock.parent.mkdir(parents=True)
    lock.symlink_to(precious)

    run = build(tmp_path, "small.toml")

    assert run.returncode == 5
    assert "error[E500]" in run.stderr
    assert "small/lock is a symbolic link, not a lock file" in run.stderr
    assert precious.read_bytes() == b"precious"
    assert counts_in(tmp_path / "reports/small") == OLD_COUNTS
