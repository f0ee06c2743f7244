"""The overall status of a report, its gated value and its badge."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from reportgen.formats import FORMATS
from reportgen.jobs.publishing.badge import TONE_COLOURS, render_badge
from reportgen.jobs.publishing.pages import STATUS_STYLES
from reportgen.jobs.publishing.publisher import PublishOptions, publish_site
from reportgen.jobs.publishing.reports import LATEST_FILES
from tests.jobs.publishing.output_folder import (
    SampleReport,
    remember_failure,
    write_report,
    write_run,
)
from tests.jobs.publishing.site_reading import broken_links, files_of, index_of, page

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reportgen.jobs.publishing.index import PublishedReport

LIMIT = {"kind": "at_least", "bound": "low", "criterion": 0.8, "observed": 0.7, "reason": "below"}
PAGE = "<!DOCTYPE html><html><head><title>Churn &amp; more</title></head><body><!--site-links-->"
DESCRIBED = {
    "description": "Release candidate",
    "authors": "Risk; Ops",
    "version": "rc3",
    "data": "CRM extract",
    "date": "2026-11-17",
    "tags": "churn; monthly",
}


def _gate(classifier: str, *, passed: bool, level: str = "error") -> dict[str, object]:
    verdict = {"passed": passed, "tested": True, "level": level}
    return {"classifier": classifier, "measure": "accuracy", **verdict, **LIMIT}


def _publish(
    folder: Path, *, stale_after: float | None = None
) -> tuple[dict[str, PublishedReport], dict[str, bytes]]:
    limit = None if stale_after is None else timedelta(days=stale_after)
    publish_site(folder / "runs", str(folder / "site"), PublishOptions(stale_after=limit))
    files = files_of(folder / "site")
    assert broken_links(files) == []
    return {report.name: report for report in index_of(files).reports}, files


@pytest.mark.parametrize(
    ("gates", "status"),
    [
        ((), "no gates"),
        ((_gate("SVM", passed=True),), "PASS"),
        ((_gate("SVM", passed=True), _gate("SVM", passed=False, level="warning")), None),
        ((_gate("SVM", passed=True), _gate("SVM", passed=False)), "FAIL"),
        (({**_gate("SVM", passed=True), "tested": False},), None),
    ],
)
def test_the_status_of_a_report_is_that_of_its_gates(
    tmp_path: Path, gates: tuple[Mapping[str, object], ...], status: str | None
) -> None:
    """None is PASS with warning: one gate only warns, or no gate was tested."""
    write_run(tmp_path / "runs", "churn", SampleReport(gated=gates), day=0)
    reports, files = _publish(tmp_path)
    expected = status or "PASS with warning"

    assert reports["churn"].status == reports["churn"].runs[0].status == expected
    assert expected in page(files, "index.html").text
    assert f"Churn: {expected}".encode() in files["churn/badge.svg"]
    assert f"1 {expected}".encode() in files["badge.svg"]


def test_the_gated_classifier_is_shown_and_not_the_best(tmp_path: Path) -> None:
    """The champion misses its limit of 0.8 in the last run, while the challenger is better."""
    for day, value in enumerate((0.9, 0.75)):
        run = SampleReport(
            accuracies={"Champion": value, "Challenger": 0.95},
            gated=[
                {**_gate("Challenger", passed=True), "measure": "accuracy"},
                _gate("Champion", passed=day == 0),
            ],
        )
        write_run(tmp_path / "runs", "churn", run, day=day)
        reports, files = _publish(tmp_path)
    gated = reports["churn"].runs[0].gated[0]

    assert (gated.classifier, gated.value, gated.limit) == ("Champion", 0.75, 0.8)
    front = page(files, "index.html").text
    assert "Accuracy 75.0% CI 72.0–78.0 Champion, required: lower confidence limit ≥ 80.0%" in front
    assert "best of" not in front
    markup = files["index.html"].decode()
    # From 0.75 to 0.9 the room between the margins is 30 high: 0.8 is at 35 − 30 × 0.05 / 0.15.
    assert 'x1="0" y1="25" x2="150" y2="25"' in markup
    assert "limit 80.0%" in markup
    raw = json.loads(files["index.json"])["reports"][0]
    assert raw["status"] == "FAIL"
    assert raw["runs"][0]["gated"][0]["class"] is None


def test_runs_that_missed_the_limit_are_counted_by_the_compared_limit(tmp_path: Path) -> None:
    """Without a history, by the published values: 0.82 − 0.03 is below 0.8, 0.9 − 0.03 is not."""
    for value in (0.9, 0.82):
        run = SampleReport(accuracies={"SVM": value}, gated=[_gate("SVM", passed=value > 0.85)])
        write_report(tmp_path / "runs", "churn", run)
        _, files = _publish(tmp_path)

    assert "limit 80.0%, not met in 1 of 2 runs" in files["index.html"].decode()


def test_a_gate_on_a_class_shows_the_value_of_that_class(tmp_path: Path) -> None:
    """Recall of class yes, at least 0.8 by its value."""
    row = {"fold": None, "average": None, "state": "defined", "reason": None}
    recall = {"classifier": "SVM", "class": "yes", "measure": "sensitivity", "value": 0.7, **row}
    gate = {**_gate("SVM", passed=False), "measure": "sensitivity", "class": "yes"}
    run = SampleReport(values=[recall], gated=[{**gate, "bound": "value"}])
    write_run(tmp_path / "runs", "churn", run, day=0)
    _, files = _publish(tmp_path)

    front = page(files, "index.html").text
    assert "of yes 70.0% SVM, required: ≥ 80.0%" in front


def test_values_of_segments_are_not_those_of_more_classifiers(tmp_path: Path) -> None:
    """The best value of a segment, 1, is not that of a classifier."""
    row = {"fold": None, "average": None, "class": None, "state": "defined", "reason": None}
    segment = {"classifier": "SVM", "measure": "accuracy", "value": 1.0, "segment": "north", **row}
    write_run(tmp_path / "runs", "churn", SampleReport(values=[segment]), day=0)
    _, files = _publish(tmp_path)

    assert "Accuracy 90.0% CI 87.0–93.0 SVM, best of 2" in page(files, "index.html").text


def test_a_report_is_stale_if_a_run_was_due_or_its_last_one_is_old(tmp_path: Path) -> None:
    """A heartbeat two hours after the due time; 10 days between runs where 7 are the limit."""
    runs = tmp_path / "runs"
    write_run(runs, "due", SampleReport(title="Due", gated=[_gate("SVM", passed=True)]), day=9)
    write_run(runs, "old", SampleReport(title="Old"), day=0)
    write_run(runs, "fails", SampleReport(title="Fails", gated=[_gate("SVM", passed=False)]), day=0)
    write_run(runs, "new", SampleReport(title="New"), day=10)
    schedule = {
        "schema": "reportgen/schedule/1",
        "pid": 1,
        "heartbeat": "2026-11-11T08:00:00Z",
        "specs": [
            {"name": "due", "spec": "due.toml", "next": "2026-11-11T06:00:00Z"},
            {"name": "new", "spec": "new.toml", "next": "2026-11-11T07:30:00Z"},
        ],
    }
    (runs / "schedule.json").write_text(json.dumps(schedule))
    reports, _ = _publish(tmp_path, stale_after=7)

    expected = {"fails": "FAIL", "due": "stale", "old": "stale", "new": "no gates"}
    assert {name: report.status for name, report in reports.items()} == expected
    # The limit is kept from one publication to the next.
    reports, _ = _publish(tmp_path)
    assert {name: report.status for name, report in reports.items()} == expected
    write_run(runs, "old", SampleReport(title="Old", finding="Again."), day=10)
    assert _publish(tmp_path)[0]["old"].status == "no gates"


def test_a_run_dated_in_the_future_makes_no_report_stale(tmp_path: Path) -> None:
    """A run under a clock four years ahead, followed by one under the right clock."""
    runs = tmp_path / "runs"
    write_run(runs, "early", SampleReport(title="Early"), day=0)
    write_run(runs, "ahead", SampleReport(title="Ahead"), day=1500)
    write_run(runs, "later", SampleReport(title="Later"), day=1)
    reports, files = _publish(tmp_path, stale_after=7)

    assert {report.status for report in reports.values()} == {"no gates"}
    assert index_of(files).updated == reports["later"].ended
    write_run(runs, "later", SampleReport(title="Later", finding="Again."), day=20)
    reports, _ = _publish(tmp_path)
    assert (reports["early"].status, reports["later"].status) == ("stale", "no gates")


def test_alarms_of_the_monitoring_are_on_all_pages(tmp_path: Path) -> None:
    """Those of the current run; the status is that of the gates."""
    row = {"classifier": "SVM", "measure": "accuracy", "kind": "reference", "target": 0.9}
    alarms = [
        {**row, "run": "earlier", "alarm": True, "since": "2026-10-01T06:00:00Z"},
        {**row, "run": None, "alarm": True, "since": "2026-10-01T06:00:00Z"},
        {**row, "run": None, "alarm": False, "classifier": "kNN"},
    ]
    write_run(tmp_path / "runs", "churn", SampleReport(alarms=alarms), day=0)
    reports, files = _publish(tmp_path)
    sentence = (
        "SVM: Accuracy has changed from 90.0% in the reference runs, most likely since 2026-10-01."
    )

    assert reports["churn"].runs[0].alarms == (sentence,)
    assert reports["churn"].status == "no gates"
    for name in ("index.html", "status.html", "churn/archive.html"):
        assert sentence in page(files, name).text
        assert "⚑ alarm" in page(files, name).text


def test_the_site_shows_what_a_report_is_about(tmp_path: Path) -> None:
    """Owner, version, data, date and tags; filters offer owners and tags."""
    write_run(tmp_path / "runs", "churn", SampleReport(about=DESCRIBED), day=0)
    write_run(tmp_path / "runs", "spam", SampleReport(title="Spam"), day=0)
    reports, files = _publish(tmp_path)
    front = page(files, "index.html").text

    assert reports["churn"].about.owners == ("Risk", "Ops")
    assert (
        "About Release candidate Owner Risk, Ops Version rc3 Date 2026-11-17 Data CRM extract"
        " Tags churn, monthly"
    ) in front
    assert "Owner all Ops Risk" in front
    assert "Tag all churn monthly" in front
    assert "Owner Risk, Ops" in page(files, "churn/archive.html").text
    assert "Owner" not in page(files, "spam/archive.html").text


def test_pages_of_reports_lead_back_and_every_title_is_different(tmp_path: Path) -> None:
    """Two reports with the same title, one with two runs."""
    runs = tmp_path / "runs"
    write_run(runs, "a", SampleReport(page=PAGE), day=0)
    _publish(tmp_path)
    write_run(runs, "a", SampleReport(page=PAGE, finding="More."), day=1)
    write_run(runs, "b", SampleReport(page=PAGE), day=1)
    remember_failure(runs, "c", day=1, fault="no file")
    reports, files = _publish(tmp_path)
    pages = [path for path in files if path.endswith(".html")]
    titles = [re.findall("<title>(.*?)</title>", files[path].decode()) for path in pages]

    assert sorted(page(files, "a/index.html").links) == ["../index.html", "archive.html"]
    for run in reports["a"].runs:
        links = page(files, f"{run.address}/report.html").links
        assert sorted(links) == ["../../index.html", "../archive.html", "../index.html"]
    assert "Run of 2026-11-01 06:00 UTC" in page(files, f"{run.address}/report.html").text
    assert all(len(matches) == 1 for matches in titles)
    assert len({matches[0] for matches in titles}) == len(pages)
    assert publish_site(runs, str(tmp_path / "site")).written_files == ()


def _luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_badges_are_images_with_a_name_and_enough_contrast() -> None:
    """White text has a contrast of 4.5 on every tone; names are escaped and truncated."""
    for style in STATUS_STYLES.values():
        image = ET.fromstring(render_badge("<Churn> & " + "x" * 200, style.label, style.tone))  # noqa: S314  # ours
        assert image.get("aria-label", "").endswith(style.label)
        assert float(image.get("width", "0")) < 520
        assert 1.05 / (_luminance(TONE_COLOURS[style.tone]) + 0.05) >= 4.5


def test_files_next_to_the_latest_page_are_there(tmp_path: Path) -> None:
    """The page links to all files of single-file formats; tables and figures are in the archive."""
    assert set(LATEST_FILES) == {
        format_.files for format_ in FORMATS.values() if format_.is_single_file
    }
    write_run(tmp_path / "runs", "churn", SampleReport(), day=0)
    reports, files = _publish(tmp_path)

    assert reports["churn"].latest == ("churn/index.html", "churn/report.pdf", "churn/results.json")
    assert set(reports["churn"].latest) <= set(files)
