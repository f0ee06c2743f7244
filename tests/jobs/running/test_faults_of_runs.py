"""Whatever happens to a run: a clear message, the right code, and the old report as it was."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.rendering.writing import write_report
from tests.jobs.running.runs import (
    NEW,
    OLD,
    build,
    building,
    command,
    counts_in,
    leftovers,
    remembered,
    surroundings,
    write_spec,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# Whatever stands here happens in the process that does the work.
INSTEAD = """
import os, time, reportgen.jobs.running.run as run
def instead(job, tell):
    {}
run._run = instead
"""


on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="the system does not limit memory so, or has no /proc"
)


@pytest.fixture
def reported(tmp_path: Path) -> Path:
    """Return a folder with a spec whose report was built, and that has changed since."""
    write_spec(tmp_path)
    assert build(tmp_path, "small.toml").returncode == 0
    write_spec(tmp_path, NEW)
    return tmp_path


def assert_old_report_stands(folder: Path) -> None:
    """Check that nothing of a failed run can be seen but its place in the history."""
    assert counts_in(folder / "reports/small") == OLD
    assert leftovers(folder) == []


def assert_new_report_stands(folder: Path) -> None:
    """Check that the report was built anew, and nothing else is left."""
    assert counts_in(folder / "reports/small") == NEW
    assert leftovers(folder) == []


@pytest.mark.parametrize("number", ["SIGABRT", "SIGSEGV", "SIGKILL"])
def test_a_process_that_dies_is_reported_with_its_signal(reported: Path, number: str) -> None:
    """Exit 4, whoever killed it: a library that aborts, a bad pointer, the system."""
    dies = INSTEAD.format(f"import signal; os.kill(os.getpid(), signal.{number})")

    run = build(reported, "small.toml", before=dies)

    assert run.returncode == 4
    assert f"error[E403]: the process that built small.toml was killed by {number}" in run.stderr
    assert_old_report_stands(reported)
    assert [each.exit_code for each in remembered(reported / "reports")] == [4, 0]


@on_linux
def test_memory_that_would_not_do_is_told_beforehand_with_rows_and_limit(tmp_path: Path) -> None:
    """3 million rows with scores and ids need 3e6 × (16 + 44 + 48) bytes = 0.32 GB."""
    rows = 3_000_000
    pl.select(
        truth=pl.int_range(rows) % 2,
        prediction=pl.int_range(rows) % 3 % 2,
        score=pl.int_range(rows) / rows,
        id=pl.int_range(rows),
    ).write_parquet(tmp_path / "a.parquet")
    (tmp_path / "large.toml").write_text(
        '[task]\nkind = "binary"\npositive = 1\n[data]\nscore = "score"\nid = "id"\n'
        '[[classifiers]]\nname = "A"\npredictions = "a.parquet"\n',
        encoding="utf-8",
    )

    run = build(tmp_path, "large.toml", "--max-memory", "300MB")

    assert run.returncode == 4
    assert "error[E404]: 3 000 000 rows need about 0.3 GB of memory" in run.stderr
    assert not (tmp_path / "reports").exists()


@on_linux
def test_memory_that_is_used_up_is_told_with_the_limit(reported: Path) -> None:
    """What nobody could foresee ends in a message as well."""
    greedy = INSTEAD.format("return bytearray(10**12)")

    run = build(reported, "small.toml", "--max-memory", "1GB", before=greedy)

    assert run.returncode == 4
    assert "error[E408]: the memory was used up: the limit is 1000 MB" in run.stderr
    assert_old_report_stands(reported)


def test_a_report_that_takes_too_long_is_stopped(reported: Path) -> None:
    """An endless rendering does not stop a night's work."""
    began = time.monotonic()

    run = build(reported, "small.toml", "--timeout", "1s", before=INSTEAD.format("time.sleep(99)"))

    assert run.returncode == 4
    assert "error[E407]: the report was not ready after 1 s" in run.stderr
    assert time.monotonic() - began < 60
    assert_old_report_stands(reported)


def test_a_table_too_long_for_its_time_is_stopped(reported: Path) -> None:
    """A real one: 400 classes, every class in the PDF."""
    classes = [f"class {number}" for number in range(400)]
    truth = [name for name in classes for _ in range(3)]
    pl.DataFrame({"truth": truth, "prediction": truth[1:] + truth[:1]}).write_csv(
        reported / "many.csv"
    )
    (reported / "small.toml").write_text(
        '[task]\nkind = "multiclass"\n[output]\ndetail = "full"\n'
        '[[classifiers]]\nname = "A"\npredictions = "many.csv"\n',
        encoding="utf-8",
    )

    run = build(reported, "small.toml", "--format", "pdf", "--timeout", "2s")

    assert run.returncode == 4
    assert "error[E407]" in run.stderr
    assert_old_report_stands(reported)


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
        '"$@" -o disk/reports --if-changed; echo "unchanged: $?"\n'
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
        pytest.skip("this machine lets nobody mount a small disk")

    assert "unchanged: 0" in run.stdout
    assert "full: 5" in run.stdout
    assert "error[E500]" in run.stderr
    assert "No space left on device" in run.stderr
    assert (tmp_path / "before").read_text("utf-8") == (tmp_path / "after").read_text("utf-8")
    assert (tmp_path / "leftovers").read_text("utf-8") == ""


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_computed(
    tmp_path: Path,
) -> None:
    """Exit 5; the data are not even looked at, or their absence would be told."""
    (tmp_path / "spec.toml").write_text(
        '[task]\nkind = "regression"\n[[classifiers]]\nname = "A"\npredictions = "gone.csv"\n',
        encoding="utf-8",
    )
    (tmp_path / "locked").mkdir(mode=0o555)
    # Nothing is forbidden to the administrator, unless that is taken away.
    as_others = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []

    run = subprocess.run(
        [*as_others, *command("spec.toml", "-o", "locked/reports")],
        cwd=tmp_path,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 5
    assert "error[E500]" in run.stderr
    assert "Permission denied" in run.stderr


@pytest.mark.parametrize("tenth", range(10))
def test_a_run_that_is_terminated_ends_with_143_and_leaves_nothing(
    reported: Path, tenth: int
) -> None:
    """At ten moments from its start to its end; who comes too late finds the report done."""
    with building(reported, "small.toml") as process:
        time.sleep(0.15 * tenth)
        process.send_signal(signal.SIGTERM)
        _stdout, stderr = process.communicate()

    assert process.returncode in {143, 0, -15}
    assert "Traceback" not in stderr
    assert counts_in(reported / "reports/small") in ([OLD, NEW] if process.returncode else [NEW])
    assert leftovers(reported) == []
    assert build(reported, "small.toml").returncode == 0


def test_a_run_that_is_killed_at_any_moment_costs_nothing(reported: Path) -> None:
    """25 times: no half report, no lock that stays, no run lost or doubled in the history."""
    moments = random.Random(6)  # noqa: S311  # moments, not secrets
    ended = 0
    for attempt in range(25):
        write_spec(reported, [[40 + attempt, 10], [8, 60]])
        with building(reported, "small.toml") as process:
            time.sleep(moments.uniform(0.0, 2.0))
            process.kill()
            process.communicate()
        # The process that does the work notices that nobody waits for it any more.
        time.sleep(0.3)
        counts_in(reported / "reports/small")
        ended += process.returncode == 0

    run = build(reported, "small.toml", "--wait")

    assert run.returncode == 0
    assert counts_in(reported / "reports/small") == [[64, 10], [8, 60]]
    assert leftovers(reported) == []
    runs = remembered(reported / "reports")
    assert len({each.id for each in runs}) == len(runs)
    assert not [each for each in runs if each.state == "begun"]
    assert sum(each.state == "written" for each in runs) >= ended + 2
    with sqlite3.connect(reported / "reports/history.sqlite") as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
    connection.close()


@pytest.fixture
def holder(reported: Path) -> Iterator[subprocess.Popen[str]]:
    """Return a process that holds the place of the report until something is written to it."""
    code = (
        "import pathlib, sys\n"
        "from reportgen.jobs.running.lock import holding, lock_of\n"
        "with holding(lock_of(pathlib.Path('reports/small'))):\n"
        "    print('held', flush=True)\n    sys.stdin.readline()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=reported,
        env=surroundings(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_of_two_runs_in_one_place_the_second_names_the_first(
    reported: Path, holder: subprocess.Popen[str]
) -> None:
    """Exit 6, at once; and once the first was killed, the place is free at once."""
    run = build(reported, "small.toml")

    assert run.returncode == 6
    assert f"error[E610]: process {holder.pid} on " in run.stderr
    assert "--wait" in run.stderr
    assert counts_in(reported / "reports/small") == OLD
    assert len(remembered(reported / "reports")) == 1
    holder.kill()
    holder.wait()
    assert build(reported, "small.toml").returncode == 0
    assert_new_report_stands(reported)


def test_a_run_that_waits_begins_when_the_place_is_free(
    reported: Path, holder: subprocess.Popen[str]
) -> None:
    """With --wait nobody has to try again."""
    with building(reported, "small.toml", "--wait") as process:
        time.sleep(1.5)
        assert process.poll() is None
        holder.communicate("go\n")
        process.communicate()

    assert process.returncode == 0
    assert_new_report_stands(reported)


def test_a_broken_history_does_not_cost_the_report(reported: Path) -> None:
    """The report is written, the fault of the history is told, and the exit code is 5."""
    (reported / "reports/history.sqlite").write_bytes(b"no history" * 1000)

    run = build(reported, "small.toml")

    assert run.returncode == 5
    assert "error[E51" in run.stderr
    assert_new_report_stands(reported)


@on_linux
def test_a_report_is_safe_on_disk_before_it_takes_the_place_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file is synced before the first is put in place, and the folder after the last."""
    steps: list[str] = []
    sync, replace = os.fsync, Path.replace

    def noted_sync(descriptor: int) -> None:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        steps.append(f"sync {name}")
        sync(descriptor)

    def noted_replace(path: Path, target: Path) -> Path:
        steps.append(f"place {target.name}")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(Path, "replace", noted_replace)

    write_report(tmp_path / "small", {"a.html": b"a", "b.json": b"b"})

    assert steps == ["sync a.html", "sync b.json", "place a.html", "place b.json", "sync small"]


def test_whoever_stops_reading_gets_no_traceback(reported: Path) -> None:
    """`reportgen build … | head -n 0` ends quietly, and the report is written."""
    run = subprocess.run(
        ["bash", "-c", '"$@" | true; echo "${PIPESTATUS[0]}" >&2', "-", *command("small.toml")],
        cwd=reported,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.stderr.splitlines()[-1] == "0"
    assert "Traceback" not in run.stderr
    assert_new_report_stands(reported)


@pytest.mark.parametrize("closed", [">&-", "2>&-"], ids=["output", "messages"])
def test_whoever_closes_a_stream_gets_the_report_all_the_same(reported: Path, closed: str) -> None:
    """Some schedulers start programs so."""
    run = subprocess.run(
        ["bash", "-c", f'"$@" {closed}', "-", *command("small.toml")],
        cwd=reported,
        env=surroundings(),
        capture_output=True,
        check=False,
    )

    assert run.returncode == 0
    assert_new_report_stands(reported)


@on_linux
def test_a_place_where_nothing_can_be_made_is_told_at_once(reported: Path) -> None:
    """Not tried for ever."""
    run = build(reported, "small.toml", "-o", "/proc/nowhere")

    assert run.returncode == 5
    assert "error[E500]" in run.stderr
