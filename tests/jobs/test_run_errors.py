"""Whatever happens to a run: a clear message, the right code, and the old report as it was."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tests.jobs.runs import (
    INSTEAD,
    assert_new_report_stands,
    assert_old_report_stands,
    build,
    command,
    on_linux,
    recorded_runs,
    surroundings,
    write_spec,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", ["SIGABRT", "SIGSEGV", "SIGKILL"])
def test_a_process_that_dies_is_reported_with_its_signal(changed_report: Path, number: str) -> None:
    """Exit 4, whoever killed it: a library that aborts, a bad pointer, the system."""
    dies = INSTEAD.format(f"import signal; os.kill(os.getpid(), signal.{number})")

    run = build(changed_report, "small.toml", in_worker=dies)

    assert run.returncode == 4
    assert f"error[E403]: the process that built small.toml was killed by {number}" in run.stderr
    assert_old_report_stands(changed_report)
    assert [record.exit_code for record in recorded_runs(changed_report / "reports")] == [4, 0]


def test_without_pango_everything_else_is_written(tmp_path: Path) -> None:
    """Exit 4, and how to install it."""
    write_spec(tmp_path)
    without_pango = """
import builtins
def load(name, *rest, real=builtins.__import__, **named):
    if name == "weasyprint":
        raise OSError("cannot load library 'libpango-1.0-0'")
    return real(name, *rest, **named)
builtins.__import__ = load
"""

    run = build(tmp_path, "small.toml", "--format", "html,json,pdf", in_worker=without_pango)

    assert run.returncode == 4
    assert "error[E400]" in run.stderr
    assert "libpango" in run.stderr
    files = {path.name for path in (tmp_path / "reports/small").iterdir()}
    assert files == {"report.html", "results.json", "manifest.json"}


def test_a_pdf_that_fails_removes_nothing_of_the_old_report(tmp_path: Path) -> None:
    """Neither the earlier PDF nor the other formats, which are written anew or stay."""
    write_spec(tmp_path)
    folder = tmp_path / "reports/small"
    assert build(tmp_path, "small.toml", "--format", "html,json,pdf").returncode == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    picture = '<image href="missing.png" width="9" height="9"/>'
    logo = f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{picture}</svg>'
    (tmp_path / "logo.svg").write_text(logo, encoding="utf-8")
    with (tmp_path / "small.toml").open("a", encoding="utf-8") as spec:
        spec.write('[output.theme]\nlogo = "logo.svg"\n')
    run = build(tmp_path, "small.toml", "--format", "pdf")
    after = {path.name: path.read_bytes() for path in folder.iterdir()}

    assert run.returncode == 4, run.stderr
    assert "error[E401]" in run.stderr
    assert before.keys() == after.keys()
    assert before | {"manifest.json": b""} == after | {"manifest.json": b""}


def test_a_report_that_takes_too_long_is_stopped(changed_report: Path) -> None:
    """An endless rendering does not stop a night's work."""
    began = time.monotonic()

    run = build(
        changed_report, "small.toml", "--timeout", "1s", in_worker=INSTEAD.format("time.sleep(99)")
    )

    assert run.returncode == 4
    assert "error[E407]: the report was not finished after 1 s" in run.stderr
    assert time.monotonic() - began < 60
    assert_old_report_stands(changed_report)


def test_a_table_too_long_for_its_time_is_stopped(changed_report: Path) -> None:
    """A real one: 400 classes, every class in the PDF."""
    classes = [f"class {number}" for number in range(400)]
    truth = [name for name in classes for _ in range(3)]
    pl.DataFrame({"truth": truth, "prediction": truth[1:] + truth[:1]}).write_csv(
        changed_report / "many.csv"
    )
    (changed_report / "small.toml").write_text(
        '[task]\nkind = "multiclass"\n[output]\ndetail = "full"\n'
        '[[classifiers]]\nname = "A"\npredictions = "many.csv"\n',
        encoding="utf-8",
    )

    run = build(changed_report, "small.toml", "--format", "pdf", "--timeout", "2s")

    assert run.returncode == 4
    assert "error[E407]" in run.stderr
    assert_old_report_stands(changed_report)


def test_a_folder_that_cannot_be_written_is_reported_before_anything_is_computed(
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


def test_whoever_stops_reading_gets_no_traceback(changed_report: Path) -> None:
    """`reportgen build … | head -n 0` ends quietly, and the report is written."""
    run = subprocess.run(
        ["bash", "-c", '"$@" | true; echo "${PIPESTATUS[0]}" >&2', "-", *command("small.toml")],
        cwd=changed_report,
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.stderr.splitlines()[-1] == "0"
    assert "Traceback" not in run.stderr
    assert_new_report_stands(changed_report)


@pytest.mark.parametrize("closed", [">&-", "2>&-"], ids=["output", "messages"])
def test_whoever_closes_a_stream_gets_the_report_all_the_same(
    changed_report: Path, closed: str
) -> None:
    """Some schedulers start programs so."""
    run = subprocess.run(
        ["bash", "-c", f'"$@" {closed}', "-", *command("small.toml")],
        cwd=changed_report,
        env=surroundings(),
        capture_output=True,
        check=False,
    )

    assert run.returncode == 0
    assert_new_report_stands(changed_report)


@on_linux
def test_a_place_where_nothing_can_be_made_is_reported_at_once(changed_report: Path) -> None:
    """Not tried for ever."""
    run = build(changed_report, "small.toml", "-o", "/proc/nowhere")

    assert run.returncode == 5
    assert "error[E500]" in run.stderr
