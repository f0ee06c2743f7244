"""What is told to be done is on the disk: nothing counts on what the system has yet to write."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.output import atomic, staging
from reportgen.output.write import write_file_atomic, write_report
from tests.output.two_reports import NEW, OLD

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="what is synced is looked up in /proc"
)


@contextmanager
def noted(folder: Path) -> Iterator[list[str]]:
    """Note what is synced, put in place and removed below a folder, in this order."""
    steps: list[str] = []
    sync, replace = os.fsync, os.replace

    def relative_name(path: Path) -> str:
        parts = path.relative_to(folder).parts
        names = ["stage" if part.startswith("stage-") else part for part in parts]
        return re.sub(
            r"[0-9a-f]{16}", "*", "/".join(names).replace(f"{staging.STATE_FOLDER}/small/", "")
        )

    def noted_sync(descriptor: int) -> None:
        steps.append(f"sync {relative_name(Path(f'/proc/self/fd/{descriptor}').readlink()) or '.'}")
        sync(descriptor)

    def noted_replace(path: Path, target: Path) -> None:
        steps.append(f"place {relative_name(Path(target))}")
        replace(path, target)

    def noted_exchange(first: Path, second: Path) -> bool:
        steps.append(f"exchange {relative_name(first)} {relative_name(second)}")
        return exchange(first, second)

    exchange = atomic.exchange_folders
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", noted_sync)
        patched.setattr(os, "replace", noted_replace)
        patched.setattr(os, "rename", noted_replace)
        patched.setattr(staging, "exchange_folders", noted_exchange)
        yield steps


def test_a_report_is_on_the_disk_before_it_counts(tmp_path: Path) -> None:
    """First the new files, then their folders, then the exchange, then that it took place."""
    write_report(tmp_path / "small", OLD)

    with noted(tmp_path) as steps:
        write_report(tmp_path / "small", NEW)

    assert steps == [
        *("sync stage/new/report.html", "sync stage/new/tables/values.csv"),
        "sync stage/new/manifest.json",
        *("sync stage/new/figures", "sync stage/new/tables", "sync stage/new"),
        *("sync stage/inode", "sync stage"),
        "exchange stage/new small",
        *("sync stage", "sync ."),
    ]


def test_a_new_folder_is_on_the_disk_with_all_above_it(tmp_path: Path) -> None:
    """Else all that is in it would be lost with it."""
    with noted(tmp_path) as steps:
        write_report(tmp_path / "reports/small", {"report.html": b"new"})

    assert steps[-3:] == ["sync reports/stage/new", "place reports/small", "sync reports"]


def test_a_single_file_is_on_the_disk_before_it_takes_its_place(tmp_path: Path) -> None:
    """And its name after that, in a folder that is there to stay."""
    with noted(tmp_path) as steps:
        write_file_atomic(tmp_path / "pages/page.html", b"page")

    assert steps == [
        "sync .",
        "sync pages/.page.html.*.tmp",
        "place pages/page.html",
        "sync pages",
    ]
