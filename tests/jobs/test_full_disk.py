"""A disk that is full: exit code 5, the old report as it was, and nothing temporary left."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.jobs.runs import (
    assert_old_report_stands,
    build,
    command,
    on_linux,
    surroundings,
    write_spec,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

# No file may be longer, which every system can be asked for; SIGXFSZ would end the process.
SHORT_FILES = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))
"""


@on_linux
def test_a_full_disk_leaves_the_old_report(tmp_path: Path) -> None:
    """On a disk of 1 MB the second report does not fit beside the first."""
    write_spec(tmp_path)
    disk = tmp_path / "disk"
    disk.mkdir()
    script = (
        f"mount -t tmpfs -o size=1m none {disk} || exit 99\n"
        '"$@" -o disk/reports || exit 98\n'
        f"dd if=/dev/zero of={disk}/filler bs=1k 2>/dev/null\n"
        f"sha256sum disk/reports/small/* > before\n"
        '"$@" -o disk/reports; echo "full: $?"\n'
        f"sha256sum disk/reports/small/* > after; find disk -name '.*' > leftovers\n"
    )
    run = subprocess.run(
        [
            "unshare",
            "--map-root-user",
            "--mount",
            "bash",
            "-c",
            script,
            "-",
            *command("small.toml"),
        ],
        cwd=tmp_path,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode == 99 or "unshare" in run.stderr:
        reason = "this machine lets nobody mount a small disk"
        if os.environ.get("REPORTGEN_SERVERS") == "required":
            pytest.fail(reason)
        pytest.skip(reason)

    assert "full: 5" in run.stdout
    assert "error[E500]" in run.stderr
    assert "No space left on device" in run.stderr
    assert (tmp_path / "before").read_text("utf-8") == (tmp_path / "after").read_text("utf-8")
    assert (tmp_path / "leftovers").read_text("utf-8") == ""


@pytest.mark.parametrize("most", [0, 100, 1_000, 5_000])
def test_a_report_that_does_not_fit_leaves_the_old_one(changed_report: Path, most: int) -> None:
    """As on a full disk, wherever the disk ends; results.json has more than 5,000 bytes."""
    assert (changed_report / "reports/small/results.json").stat().st_size > most

    run = build(changed_report, "small.toml", before=SHORT_FILES.format(most=most))

    assert run.returncode == 5, run.stderr
    assert "error[E500]" in run.stderr
    assert "File too large" in run.stderr
    assert_old_report_stands(changed_report)
