"""`reportgen publish` as people and programs call it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer
from typer.testing import CliRunner

from reportgen.cli.publish import publish
from reportgen.errors import ExitCode
from tests.cli.command import reportgen
from tests.jobs.publishing.output_folder import SampleReport, write_report, write_run
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

APP = typer.Typer()
APP.command()(publish)
FILES = ("results.json", "manifest.json")


def test_the_command_prints_what_was_done_and_where_it_is(tmp_path: Path) -> None:
    """The front page on stdout, the rest on stderr: 8 files of the report, 3 pages, 2 indexes."""
    write_report(tmp_path / "runs", "churn")
    site = tmp_path / "site"
    result = CliRunner().invoke(APP, [str(tmp_path / "runs"), str(site)])

    assert result.exit_code == ExitCode.SUCCESS
    assert result.stdout == f"{site}/index.html\n"
    # 4 permanent, 3 latest, archive and badge; badge, status, 404, front page and index.
    assert "1 report: 14 files written, 0 unchanged, 0 removed" in result.stderr
    assert "no sitemap.xml: it needs --base-url" in result.stderr


def test_a_dry_run_prints_what_would_happen(tmp_path: Path) -> None:
    """One line a file, on stdout."""
    write_report(tmp_path / "runs", "churn")
    site = tmp_path / "site"
    result = CliRunner().invoke(APP, [str(tmp_path / "runs"), str(site), "--dry-run"])

    assert result.stdout.splitlines()[-2:] == ["write index.html", "write index.json"]
    assert "14 files would be written" in result.stderr
    assert not site.exists()


def test_programs_get_json(tmp_path: Path) -> None:
    """With states, and with faults that did not stop it."""
    run = write_run(tmp_path / "runs", "churn", SampleReport(), day=0)
    write_report(tmp_path / "runs", "spam")
    (tmp_path / "runs" / "spam" / "report.pdf").write_bytes(b"edited")
    base = "https://example.org/reports"
    arguments = [str(tmp_path / "runs"), str(tmp_path / "site"), "--json", "--base-url", base]
    result = CliRunner().invoke(APP, arguments)
    summary = json.loads(result.stdout)

    assert result.exit_code == ExitCode.OUTPUT
    assert [(row["name"], row["status"], row["run"]) for row in summary["reports"]] == [
        ("spam", "ERROR", None),
        ("churn", "no gates", run),
    ]
    assert [error["code"] for error in summary["errors"]] == ["E523"]
    assert summary["warnings"] == []
    assert "sitemap.xml" in summary["written"]


def test_build_publishes_also_after_a_failed_gate(tmp_path: Path) -> None:
    """One command for schedulers: the report with its failed gate is on the site, exit code 1."""
    gate = '[[gates]]\nclassifier = "A"\nmeasure = "accuracy"\nat_least = 0.99\n'
    spec = tmp_path / "churn.toml"
    json_only = '[output]\nformats = ["json"]\n'
    spec.write_text(counted_spec([[40, 10], [8, 60]]) + json_only + gate, encoding="utf-8")
    run = reportgen("build", spec, "-o", tmp_path / "runs", "--publish", tmp_path / "site")

    assert run.returncode == ExitCode.GATE_FAILED, run.stderr
    assert f"published: {tmp_path}/site/index.html" in run.stderr
    assert run.stdout.splitlines() == [str(tmp_path / "runs/churn" / name) for name in FILES]
    index = json.loads((tmp_path / "site/index.json").read_text(encoding="utf-8"))
    assert [report["name"] for report in index["reports"]] == ["churn"]


def test_build_checks_the_target_before_it_builds(tmp_path: Path) -> None:
    """A mistyped target is an error of the call, and costs no build."""
    spec = tmp_path / "churn.toml"
    spec.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    run = reportgen("build", spec, "-o", tmp_path / "runs", "--publish", "ftp://example.org")

    assert run.returncode == ExitCode.SPEC
    assert "E521" in run.stderr
    assert not (tmp_path / "runs").exists()


def test_a_publication_that_fails_fails_the_build(tmp_path: Path) -> None:
    """The report is written; the exit code says that the site is not."""
    spec = tmp_path / "churn.toml"
    json_only = '[output]\nformats = ["json"]\n'
    spec.write_text(counted_spec([[40, 10], [8, 60]]) + json_only, encoding="utf-8")
    (tmp_path / "site").write_text("not a folder", encoding="utf-8")
    run = reportgen("build", spec, "-o", tmp_path / "runs", "--publish", tmp_path / "site")

    assert run.returncode == ExitCode.OUTPUT
    assert "E524" in run.stderr
    assert (tmp_path / "runs/churn/results.json").is_file()
