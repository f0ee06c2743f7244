"""What the site says of each report: how it stands, since when, and what was found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import Diagnostic, ExitCode, HistoryError
from reportgen.errors.jobs import HISTORY_UNWRITABLE
from reportgen.jobs.history.store import SqlHistoryStore, open_history
from reportgen.jobs.publishing.publisher import publish_site
from tests.jobs.publishing.output_folder import (
    FIRST,
    SampleReport,
    remember_failure,
    write_report,
    write_run,
)
from tests.jobs.publishing.site_reading import broken_links, files_of, index_of, page

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.jobs.publishing.index import PublishedReport

BELOW = "The accuracy of SVM is 0.871, below 0.9."


def _publish(runs: Path, name: str = "churn") -> tuple[PublishedReport, dict[str, bytes]]:
    site = runs.parent / "site"
    publish_site(runs, str(site))
    files = files_of(site)
    report = index_of(files).report(name)
    assert report is not None
    assert broken_links(files) == []
    return report, files


def test_without_a_history_there_are_no_times_and_no_feed(tmp_path: Path) -> None:
    """Gates come from the results; nobody knows when it was."""
    write_report(tmp_path / "runs", "churn", SampleReport(gates=[(True, "fine"), (False, BELOW)]))
    report, files = _publish(tmp_path / "runs")

    assert report.status == "FAIL"
    assert (report.runs[0].gates.passed, report.runs[0].gates.all) == (1, 2)
    assert report.ended is None
    assert "feed.xml" not in files
    front = page(files, "index.html")
    assert "time" not in front.elements
    assert f"✗ FAIL 1 of 2 gates failed SVM, accuracy: {BELOW}" in front.text


@pytest.mark.parametrize("has_results", [True, False])
def test_a_gate_that_was_not_tested_does_not_count_as_passed(
    tmp_path: Path, *, has_results: bool
) -> None:
    """By the results, or by the history where these were not asked for."""
    untested = ["there is no earlier run yet"]
    run = SampleReport(gates=[(True, "fine")], untested=untested, has_results=has_results)
    write_run(tmp_path / "runs", "churn", run, day=0)
    report, files = _publish(tmp_path / "runs")
    gates = report.runs[0].gates

    assert report.status == "PASS"
    assert (gates.passed, gates.untested, gates.all, gates.failed) == (1, 1, 2, ())
    assert "1 of 2 gates passed, 1 untested" in page(files, "index.html").text


def test_a_date_that_was_asked_for_stands_in_for_the_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1793512800 is 2026-11-01 06:00 UTC."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1793512800")
    write_report(tmp_path / "runs", "churn")
    report, files = _publish(tmp_path / "runs")

    assert report.ended == FIRST
    assert b"2026-11-01T06:00:00Z" in files["feed.xml"]


def test_the_history_reports_when_which_run_and_what_was_found(tmp_path: Path) -> None:
    """The permanent address bears the id of the run."""
    run = write_run(tmp_path / "runs", "churn", SampleReport(), day=0)
    report, files = _publish(tmp_path / "runs")

    assert report.run == run
    assert f"churn/{run}/report.html" in files
    front = page(files, "index.html").text
    assert "○ no gates 2026-11-01 06:00 UTC SVM is better than Naive Bayes." in front
    assert "Accuracy 90.0% CI 87.0–93.0 SVM, best of 2" in front


def test_the_line_goes_through_the_runs_of_the_history(tmp_path: Path) -> None:
    """Three runs from 0.8 to 0.9; the other classifier is drawn, too. One point has no line."""
    for day, value in enumerate([0.8, 0.85, 0.9]):
        reached = {"SVM": value, "kNN": 0.7}
        write_run(tmp_path / "runs", "churn", SampleReport(accuracies=reached), day=day)
    write_run(tmp_path / "runs", "spam", SampleReport(title="Spam"), day=0)
    _, files = _publish(tmp_path / "runs")
    front = files["index.html"].decode()

    assert page(files, "index.html").elements.count("svg") == 1
    description = "Accuracy of SVM over 3 runs: first 80.0%, last 90.0%, between 80.0% and 90.0%"
    assert f'aria-label="{description}"' in front
    # From 0.7 to 0.9 the room between the margins is 30 high, so that 0.8 is at 5 + 30 / 2.
    assert 'd="M5 20 L75 12.5 L145 5"' in front
    assert 'd="M5 35 L75 35 L145 35"' in front


def test_published_runs_report_the_trend_where_no_history_does(tmp_path: Path) -> None:
    """The archive of the site has what each run reached."""
    for value in (0.8, 0.9):
        write_report(tmp_path / "runs", "churn", SampleReport(accuracies={"SVM": value}))
        _, files = _publish(tmp_path / "runs")

    assert "Accuracy of SVM over 2 runs: first 80.0%, last 90.0%" in files["index.html"].decode()


def test_a_failed_run_shows_why_and_keeps_the_report_before(tmp_path: Path) -> None:
    """The page is still the one of the day before, and says so."""
    run = write_run(tmp_path / "runs", "churn", SampleReport(), day=0)
    remember_failure(tmp_path / "runs", "churn", day=1, fault="no column 'outcome'")
    report, files = _publish(tmp_path / "runs")

    assert (report.status, report.run) == ("ERROR", run)
    front = page(files, "index.html").text
    assert "! ERROR 2026-11-02 06:00 UTC no column 'outcome'" in front
    assert "Showing the last successful run (2026-11-01 06:00 UTC)." in front
    assert "no column 'outcome'" in page(files, "status.html").text


def test_a_spec_that_never_came_to_a_report_is_listed(tmp_path: Path) -> None:
    """With the reason, and without links to pages there are not."""
    write_run(tmp_path / "runs", "churn", SampleReport(), day=0)
    remember_failure(tmp_path / "runs", "spam", day=0, fault="unknown key `clasifier`")
    report, files = _publish(tmp_path / "runs", "spam")

    assert (report.status, report.run, report.latest) == ("ERROR", None, ())
    assert "unknown key `clasifier`" in page(files, "index.html").text
    assert [path for path in files if path.startswith("spam/")] == ["spam/badge.svg"]


def test_a_spec_that_is_gone_is_not_missed(tmp_path: Path) -> None:
    """Whoever removes a spec that never worked has no more to do."""
    write_run(tmp_path / "runs", "churn", SampleReport(), day=0)
    remember_failure(tmp_path / "runs", "spam", day=0, fault="unknown key `clasifier`")
    (tmp_path / "spam.toml").unlink()

    assert [
        report.name for report in publish_site(tmp_path / "runs", str(tmp_path / "site")).reports
    ] == ["churn"]


def test_the_gates_of_an_earlier_run_are_none_of_a_failed_one(tmp_path: Path) -> None:
    """The page still shows that run, and both pages say so."""
    runs = tmp_path / "runs"
    write_run(runs, "churn", SampleReport(gates=[(True, "fine")]), day=0)
    remember_failure(runs, "churn", day=1, fault="there is no file `gone.csv`")
    report, files = _publish(runs)

    assert report.status == "ERROR"
    for name in ("index.html", "status.html"):
        text = page(files, name).text
        assert "gates passed" not in text
        assert "there is no file `gone.csv`" in text
        assert "Showing the last successful run" in text


def test_why_a_spec_is_suspended_stands_on_the_status_page(tmp_path: Path) -> None:
    """As the scheduler says it, without the folders of its machine."""
    runs = tmp_path / "runs"
    write_run(runs, "churn", SampleReport(), day=0)
    why = "unknown key `clasifier` in /srv/secret/specs/churn.toml"
    planned = {
        "schema": "reportgen/schedule/1",
        "pid": 1,
        "heartbeat": "2026-11-02T05:59:30+00:00",
        "specs": [{"name": "churn", "spec": "a.toml", "state": "suspended", "reason": why}],
    }
    (runs / "schedule.json").write_text(json.dumps(planned))
    _, files = _publish(runs)

    assert "unknown key `clasifier` in churn.toml" in page(files, "status.html").text


def test_the_status_page_reports_what_is_planned(tmp_path: Path) -> None:
    """From the file of the scheduler, with specs that were never built."""
    runs = tmp_path / "runs"
    write_run(runs, "churn", SampleReport(), day=0)
    planned = {
        "schema": "reportgen/schedule/1",
        "pid": 1,
        "heartbeat": "2026-11-02T05:59:30+00:00",
        "specs": [
            {"name": "churn", "spec": "a.toml", "next": "2026-11-02T06:00:00Z", "state": "waiting"},
            {"name": "spam", "spec": "b.toml", "next": None, "last": None, "state": "waiting"},
        ],
    }
    (runs / "schedule.json").write_text(json.dumps(planned))
    report, files = _publish(runs, "spam")
    status = page(files, "status.html").text

    assert report.status == "never built"
    assert "Scheduler heartbeat: 2026-11-02 05:59 UTC" in status
    assert "scheduler: waiting 2026-11-02 06:00 UTC" in status
    assert "spam – never built unknown scheduler: waiting not scheduled" in status


@pytest.mark.parametrize("content", ["[", '{"heartbeat": "today", "specs": []}'])
def test_a_schedule_that_cannot_be_read_is_reported(tmp_path: Path, content: str) -> None:
    """The site is published without it; scheduler and site read it by the same model."""
    runs = tmp_path / "runs"
    write_report(runs, "churn")
    (runs / "schedule.json").write_text(content)

    assert "schedule.json cannot be read" in publish_site(runs, str(tmp_path / "site")).warnings[0]


def test_a_report_that_is_not_whole_stays_as_it_was_published(tmp_path: Path) -> None:
    """The others are published; the exit code says that something is wrong."""
    runs, site = tmp_path / "runs", tmp_path / "site"
    write_report(runs, "churn", SampleReport(page="old"))
    publish_site(runs, str(site))
    write_report(runs, "churn", SampleReport(page="new"))
    (runs / "churn" / "report.html").write_text("edited")
    write_report(runs, "spam")
    publication = publish_site(runs, str(site))
    files = files_of(site)

    assert [fault.error_code.code for fault in publication.diagnostics] == ["E523"]
    assert publication.exit_code is ExitCode.OUTPUT
    assert files["churn/index.html"] == b"old"
    assert {report.name: report.status for report in index_of(files).reports} == {
        "churn": "ERROR",
        "spam": "no gates",
    }
    assert broken_links(files) == []


@pytest.mark.parametrize("broken", ["manifest.json", "results.json"])
def test_files_that_cannot_be_understood_are_reported(tmp_path: Path, broken: str) -> None:
    """No trace of Python, and no page of it."""
    runs = tmp_path / "runs"
    write_report(runs, "churn")
    write_report(runs, "spam")
    (runs / "churn" / broken).write_text('{"half":')
    publication = publish_site(runs, str(tmp_path / "site"))

    assert [fault.error_code.code for fault in publication.diagnostics] == ["E523"]
    assert [report.status for report in publication.reports] == ["ERROR", "no gates"]


def test_a_report_without_a_page_has_one_that_leads_to_its_files(tmp_path: Path) -> None:
    """Built with `--format pdf,json`."""
    write_report(tmp_path / "runs", "churn", SampleReport(page=None))
    report, files = _publish(tmp_path / "runs")

    assert "has no HTML page" in page(files, "churn/index.html").text
    assert f"../churn/{report.run}/report.pdf" in page(files, "churn/index.html").links
    assert "Files of Churn PDF of Churn" in page(files, "index.html").text
    assert "HTML" not in page(files, "index.html").text


def test_published_runs_are_marked_in_the_history(tmp_path: Path) -> None:
    """Gates may compare with the last published run."""
    runs = tmp_path / "runs"
    first = write_run(runs, "churn", SampleReport(page="1"), day=0)
    second = write_run(runs, "churn", SampleReport(page="2"), day=1)
    publish_site(runs, str(tmp_path / "site"))
    with open_history(str(runs / "history.sqlite")) as history:
        published = {run.id: run.published for run in history.runs()}

    assert published == {first: False, second: True}


def test_a_history_that_cannot_be_marked_is_reported_after_the_site_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 5, with every page there."""
    runs = tmp_path / "runs"
    write_run(runs, "churn", SampleReport(), day=0)

    def raise_disk_full(_self: SqlHistoryStore, _runs: object) -> None:
        raise HistoryError(Diagnostic(HISTORY_UNWRITABLE, "the disk is full"))

    monkeypatch.setattr(SqlHistoryStore, "mark_published", raise_disk_full)
    publication = publish_site(runs, str(tmp_path / "site"))

    assert [fault.error_code.code for fault in publication.diagnostics] == ["E526"]
    assert "the disk is full" in publication.diagnostics[0].message
    assert publication.exit_code is ExitCode.OUTPUT
    assert index_of(files_of(tmp_path / "site")).report("churn") is not None


def test_the_same_report_twice_keeps_its_permanent_address(tmp_path: Path) -> None:
    """A second run with the same bytes is the same report."""
    runs = tmp_path / "runs"
    first = write_run(runs, "churn", SampleReport(), day=0)
    _publish(runs)
    write_run(runs, "churn", SampleReport(), day=1)
    report, _ = _publish(runs)

    assert [run.id for run in report.runs] == [first]
    assert report.ended == FIRST.replace(day=2, second=30)
