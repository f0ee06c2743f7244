"""What is told to be done is on the disk: nothing counts on what the system has yet to write."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.output.staging import STAGE_PREFIX
from reportgen.output.write import write_file_atomic, write_report

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="what is synced is looked up in /proc"
)

OLD = {
    "report.html": b"old",
    "figures/roc.svg": b"old",
    "manifest.json": b'{"outputs": [{"path": "report.html"}, {"path": "figures/roc.svg"}]}',
}
NEW = {
    "report.html": b"new",
    "tables/scores.csv": b"new",
    "manifest.json": b'{"outputs": [{"path": "report.html"}, {"path": "tables/scores.csv"}]}',
}


@contextmanager
def noted(folder: Path) -> Iterator[list[str]]:
    """Note what is synced, put in place and removed below a folder, in this order."""
    steps: list[str] = []
    sync, replace, unlink = os.fsync, os.replace, os.unlink

    def shown(path: Path) -> str:
        parts = path.relative_to(folder).parts
        return "/".join("stage" if part.startswith(STAGE_PREFIX) else part for part in parts)

    def noted_sync(descriptor: int) -> None:
        steps.append(f"sync {shown(Path(f'/proc/self/fd/{descriptor}').readlink()) or '.'}")
        sync(descriptor)

    def noted_replace(path: Path, target: Path) -> None:
        steps.append(f"place {shown(Path(target))}")
        replace(path, target)

    def noted_unlink(path: Path, **options: int) -> None:
        if not options:
            steps.append(f"remove {shown(Path(path))}")
        unlink(path, **options)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", noted_sync)
        patched.setattr(os, "replace", noted_replace)
        patched.setattr(os, "unlink", noted_unlink)
        yield steps


def test_a_report_is_on_the_disk_before_it_counts(tmp_path: Path) -> None:
    """First the new files, the old ones and which count; then the exchange; then that it is over.

    `names` says that the old report counts. It is on the disk before the first file is put in
    place, and that it is gone is on the disk after the last one, before anybody hears of success.
    """
    write_report(tmp_path / "small", OLD)

    with noted(tmp_path / "small") as steps:
        write_report(tmp_path / "small", NEW)

    assert steps == [
        *("sync stage/new/report.html", "sync stage/new/tables/scores.csv"),
        "sync stage/new/manifest.json",
        *("sync stage/old/figures", "sync stage/old"),
        *("sync stage/plan", "place stage/names", "sync stage", "sync ."),
        "place report.html",
        # The folder of tables is new: that it is there is on the disk at once.
        *("sync .", "place tables/scores.csv"),
        "place manifest.json",
        "remove figures/roc.svg",
        *("sync tables", "sync ."),
        *("place stage/done", "sync stage"),
    ]


def test_a_new_folder_is_on_the_disk_with_all_above_it(tmp_path: Path) -> None:
    """Else all that is in it would be lost with it."""
    with noted(tmp_path) as steps:
        write_report(tmp_path / "reports/small", {"report.html": b"new"})

    assert steps[:2] == ["sync reports", "sync ."]
    assert steps[-4:] == [
        *("place reports/small/report.html", "sync reports/small"),
        *("place reports/small/stage/done", "sync reports/small/stage"),
    ]


def test_a_single_file_is_on_the_disk_before_it_takes_its_place(tmp_path: Path) -> None:
    """And its name after that, in a folder that is there to stay."""
    with noted(tmp_path) as steps:
        write_file_atomic(tmp_path / "pages/page.html", b"page")

    assert steps == [
        "sync .",
        "sync pages/stage/new/page.html",
        "place pages/page.html",
        "sync pages",
    ]
