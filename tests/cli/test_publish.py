"""`reportgen publish` as people and programs call it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer
from typer.testing import CliRunner

from reportgen.cli.publish import publish
from reportgen.errors import ExitCode
from tests.jobs.publishing.output_folder import MadeUp, write_report, write_run

if TYPE_CHECKING:
    from pathlib import Path

APP = typer.Typer()
APP.command()(publish)


def test_the_command_prints_what_was_done_and_where_it_is(tmp_path: Path) -> None:
    """The front page on stdout, the rest on stderr: 8 files of the report, 3 pages, 2 indexes."""
    write_report(tmp_path / "runs", "churn")
    site = tmp_path / "site"
    done = CliRunner().invoke(APP, [str(tmp_path / "runs"), str(site)])

    assert done.exit_code == ExitCode.SUCCESS
    assert done.stdout == f"{site}/index.html\n"
    # 4 permanent, 3 latest, the archive; status, 404, front page and index.
    assert "1 report: 12 files written, 0 unchanged, 0 removed" in done.stderr
    assert "no sitemap.xml, because only --base-url tells where the site is" in done.stderr


def test_a_dry_run_prints_what_would_happen(tmp_path: Path) -> None:
    """One line a file, on stdout."""
    write_report(tmp_path / "runs", "churn")
    site = tmp_path / "site"
    done = CliRunner().invoke(APP, [str(tmp_path / "runs"), str(site), "--dry-run"])

    assert done.stdout.splitlines()[-2:] == ["write index.html", "write index.json"]
    assert "12 files would be written" in done.stderr
    assert not site.exists()


def test_programs_get_json(tmp_path: Path) -> None:
    """With states, and with faults that did not stop it."""
    run = write_run(tmp_path / "runs", "churn", MadeUp(), day=0)
    write_report(tmp_path / "runs", "spam")
    (tmp_path / "runs" / "spam" / "report.pdf").write_bytes(b"edited")
    base = "https://example.org/reports"
    called = [str(tmp_path / "runs"), str(tmp_path / "site"), "--json", "--base-url", base]
    done = CliRunner().invoke(APP, called)
    told = json.loads(done.stdout)

    assert done.exit_code == ExitCode.OUTPUT
    assert [(row["name"], row["state"], row["run"]) for row in told["reports"]] == [
        ("spam", "failed", None),
        ("churn", "ok", run),
    ]
    assert [error["code"] for error in told["errors"]] == ["E523"]
    assert told["warnings"] == []
    assert "sitemap.xml" in told["written"]
