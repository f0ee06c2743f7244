"""`reportgen schedule` as a user runs it, with the clock of the machine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from reportgen.cli.schedule import schedule_app
from reportgen.errors import SpecError
from tests.cli.command import ROOT, reportgen
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from typer.testing import Result

DEADLINE = 60
COUNTS = counted_spec([[40, 10], [8, 60]])
SCHEDULE = """\
[output]
formats = ["json"]
[schedule]
cron = "0 6 * * MON-FRI"
timezone = "Europe/Berlin"
"""
LONG_AGO = "2026-01-05T12:00:00+00:00"


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """Return a folder with a spec that has a schedule and one that has none."""
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "churn.toml").write_text(COUNTS + SCHEDULE, encoding="utf-8")
    (folder / "by_hand.toml").write_text(COUNTS, encoding="utf-8")
    return folder


def state_of(output: Path) -> dict[str, object]:
    """Return what schedule.json says of the only spec, or nothing."""
    try:
        document = json.loads((output / "schedule.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    (spec,) = document["specs"]
    return dict(spec)


def write_past(output: Path, last: str) -> None:
    """Write what an earlier scheduler would have left."""
    entry = {
        "name": "churn",
        "spec": "churn.toml",
        "cron": "0 6 * * MON-FRI",
        "timezone": "Europe/Berlin",
        "next": None,
        "last": last,
        "state": "done",
        "exit_code": 0,
    }
    document = {"schema": "reportgen/schedule/1", "heartbeat": last, "pid": 1, "specs": [entry]}
    output.mkdir(exist_ok=True)
    (output / "schedule.json").write_text(json.dumps(document), encoding="utf-8")


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextmanager
def scheduler(specs: Path, output: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a scheduler, and see to it that it is gone at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "reportgen", "schedule", "run", str(specs), "-o", str(output)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


def in_process(*arguments: object) -> Result:
    """Run a command that starts no process in this one, which is quicker."""
    return CliRunner().invoke(schedule_app, list(map(str, arguments)))


def test_list_shows_the_next_runs_in_both_zones(specs: Path) -> None:
    """Times of the spec and of the machine, each with its offset from UTC."""
    result = in_process("list", specs, "--count", 2)
    lines = result.stdout.splitlines()
    moment = r"(Mon|Tue|Wed|Thu|Fri) \d{4}-\d\d-\d\d \d\d:\d\d [+-]\d\d:\d\d"
    row = re.compile(rf"churn  {moment}  Europe/Berlin  {moment}  0 6 \* \* MON-FRI")

    assert result.exit_code == 0
    assert re.split(r"  +", lines[0]) == ["spec", "due", "time zone", "local time", "cron"]
    assert len(lines) == 3
    assert all(row.fullmatch(line) for line in lines[1:])
    assert all("06:00 +0" in line for line in lines[1:])


def test_list_as_json_has_the_same_moment_twice(specs: Path) -> None:
    """For programs, with what begins when."""
    result = in_process("list", specs, "--json")
    (spec,) = json.loads(result.stdout)

    assert (spec["name"], spec["cron"]) == ("churn", "0 6 * * MON-FRI")
    assert len(spec["runs"]) == 3
    assert set(spec["runs"][0]) == {"due", "local", "start"}


def test_specs_without_a_schedule_are_rejected(specs: Path) -> None:
    """Whoever asks when they are built has forgotten to say it."""
    result = in_process("list", specs / "by_hand.toml")

    assert isinstance(result.exception, SpecError)
    assert result.exception.diagnostics[0].error_code.code == "E530"


@pytest.mark.parametrize(
    ("kind", "files"),
    [
        ("systemd", ["reportgen-churn.service", "reportgen-churn.timer"]),
        ("cron", ["reportgen-churn.cron"]),
        ("github", ["reportgen-churn.yml"]),
        ("airflow", ["reportgen_churn.py"]),
        ("kubernetes", ["reportgen-churn.yaml"]),
    ],
)
def test_export_prints_units_or_writes_them(
    monkeypatch: pytest.MonkeyPatch, specs: Path, kind: str, files: list[str]
) -> None:
    """The same text in both ways, and nothing is run."""
    monkeypatch.chdir(specs.parent)
    options = ("--install", "./reportgen.whl")
    printed = in_process("export", kind, "specs", *options)
    result = in_process("export", kind, "specs", *options, "-o", "units")
    texts = [(specs.parent / "units" / name).read_text(encoding="utf-8") for name in files]

    assert (printed.exit_code, result.exit_code) == (0, 0)
    assert result.stdout.splitlines() == [f"units/{name}" for name in files]
    assert all(text in printed.stdout for text in texts)
    assert not (specs.parent / "reports").exists()


def test_export_for_an_unknown_scheduler_is_rejected(specs: Path) -> None:
    """With the one that was probably meant."""
    result = in_process("export", "system", specs)

    assert result.exit_code == 2
    assert "did you mean" in result.stderr


@pytest.mark.slow
def test_once_builds_what_never_ran_and_then_nothing(tmp_path: Path, specs: Path) -> None:
    """The report is there and published, and the next call has nothing to do."""
    site = tmp_path / "site"
    first = reportgen(
        *("schedule", "run", specs, "--once", "-o", tmp_path / "out", "--publish", site)
    )
    state = state_of(tmp_path / "out")
    output = (tmp_path / "out" / "churn" / "results.json").stat().st_mtime_ns
    second = reportgen("schedule", "run", specs, "--once", "-o", tmp_path / "out")

    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert re.search(r"^\S+ \S+ UTC churn: done in \d+\.\d s$", first.stderr, re.MULTILINE)
    assert (site / "index.html").is_file()
    assert (state["state"], state["exit_code"]) == ("done", 0)
    assert "churn" not in second.stderr
    assert (tmp_path / "out" / "churn" / "results.json").stat().st_mtime_ns == output


@pytest.mark.slow
def test_the_scheduler_catches_up_rejects_a_second_and_stops(tmp_path: Path, specs: Path) -> None:
    """Months were missed: one run. A signal ends it, and the folder is free again."""
    output = tmp_path / "out"
    write_past(output, LONG_AGO)
    with scheduler(specs, output) as process:
        wait_for(lambda: state_of(output).get("state") == "done" and state_of(output).get("next"))
        wait_for((output / "churn" / "results.json").is_file)
        wait_for(lambda: state_of(output)["last"] != LONG_AGO)
        second = reportgen("schedule", "run", specs, "--once", "-o", output)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=DEADLINE)
    after = reportgen("schedule", "run", specs, "--once", "-o", output)

    assert second.returncode == 6
    assert f"process {process.pid}" in second.stderr
    assert process.returncode == 143
    assert log.count("churn: done") == log.count("missed, building now") == 1
    assert log.endswith("stopped\n")
    assert after.returncode == 0


@pytest.mark.slow
def test_a_scheduler_that_was_killed_leaves_a_run_to_be_done_again(
    tmp_path: Path, specs: Path
) -> None:
    """Nothing is half written, no worker is left, and the next start builds what was broken off."""
    output = tmp_path / "out"
    write_past(output, LONG_AGO)
    with scheduler(specs, output) as process:
        wait_for(lambda: state_of(output).get("state") == "running")
        process.kill()
        process.wait()
    again = reportgen("schedule", "run", specs, "--once", "-o", output)

    assert again.returncode == 0, again.stderr
    assert "missed, building now" in again.stderr
    assert state_of(output)["state"] == "done"
    assert not list(output.rglob(".reportgen*"))


@pytest.mark.slow
def test_the_exported_crontab_builds_and_publishes_as_cron_runs_it(tmp_path: Path) -> None:
    """In another folder, without virtual environment, with the PATH of the system."""
    (tmp_path / "small.toml").write_text(COUNTS + SCHEDULE, encoding="utf-8")
    exported = reportgen(
        *("schedule", "export", "cron", "small.toml", "--publish", "site"),
        cwd=tmp_path,
    )
    assert exported.returncode == 0, exported.stderr
    line = exported.stdout.strip().splitlines()[-1]
    command = line.split(maxsplit=5)[5]
    environment = {
        "HOME": str(tmp_path),
        "LOGNAME": "nobody",
        "PATH": "/usr/bin:/bin",
        "SHELL": "/bin/sh",
    }

    run = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    assert (tmp_path / "reports/small/results.json").is_file()
    index = json.loads((tmp_path / "site/index.json").read_bytes())
    assert [report["name"] for report in index["reports"]] == ["small"]
