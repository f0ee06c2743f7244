"""One history of several teams: a site tells of its own runs only, and of no folder of anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.jobs.publishing.publisher import PublishOptions, publish_site
from tests.jobs.publishing.output_folder import SampleReport, remember_failure, write_run
from tests.jobs.publishing.site_reading import files_of, index_of

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.jobs.publishing.publisher import PublishResult


def _publish(tmp_path: Path, runs: str) -> PublishResult:
    wishes = PublishOptions(history=str(tmp_path / "shared.sqlite"))
    return publish_site(tmp_path / runs, str(tmp_path / "site"), wishes)


def test_runs_of_another_folder_do_not_count(tmp_path: Path) -> None:
    """Both have a churn; that of the others failed later, and so did a spec only they have."""
    shared = tmp_path / "shared.sqlite"
    first = write_run(tmp_path / "ours", "churn", SampleReport(page="ours"), day=0, history=shared)
    theirs = SampleReport(page="theirs", accuracies={"SVM": 0.1})
    write_run(tmp_path / "theirs", "churn", theirs, day=1, history=shared)
    for name in ("churn", "secret"):
        remember_failure(tmp_path / "theirs", name, day=2, fault="E301 theirs", history=shared)
    remember_failure(tmp_path / "ours", "spam", day=0, fault="E301 ours", history=shared)
    publication = _publish(tmp_path, "ours")
    files = files_of(tmp_path / "site")

    assert {report.name: report.status for report in publication.reports} == {
        "churn": "no gates",
        "spam": "ERROR",
    }
    assert index_of(files).reports[1].run == first
    assert not [path for path, content in files.items() if b"E301 theirs" in content]
    # One run of ours is no line: that of the others is no point of it.
    assert b"<svg" not in files["index.html"]


def test_that_gates_compare_with_the_run_of_another_folder_is_reported(tmp_path: Path) -> None:
    """Both are kept under one name; told is whose run is the newest, and the way out."""
    shared = tmp_path / "shared.sqlite"
    write_run(tmp_path / "ours", "churn", SampleReport(), day=0, history=shared)
    quiet = _publish(tmp_path, "ours").warnings
    write_run(tmp_path / "theirs", "churn", SampleReport(page="theirs"), day=1, history=shared)
    (warning,) = set(_publish(tmp_path, "ours").warnings) - set(quiet)

    assert warning.startswith("churn: the newest run that the history keeps as churn is another's")
    assert str(tmp_path / "theirs/churn") in warning
    assert "[history]" in warning


def test_a_folder_that_was_moved_keeps_its_runs(tmp_path: Path) -> None:
    """Or is mounted elsewhere: its reports tell where they were made, failures are known, too."""
    shared = tmp_path / "shared.sqlite"
    run = write_run(tmp_path / "before", "churn", SampleReport(), day=0, history=shared)
    remember_failure(tmp_path / "before", "churn", day=1, fault="E301 ours", history=shared)
    remember_failure(tmp_path / "theirs", "churn", day=2, fault="E301 theirs", history=shared)
    (tmp_path / "before").rename(tmp_path / "after")
    (report,) = _publish(tmp_path, "after").reports

    assert (report.run, report.status, report.errors) == (run, "ERROR", ("E301 ours",))


def test_the_line_goes_on_when_the_folder_was_moved(tmp_path: Path) -> None:
    """What the site has published already are its own runs, wherever they ran."""
    shared = tmp_path / "shared.sqlite"
    for day, folder in enumerate(("before", "after")):
        reached = {"SVM": 0.8 + 0.1 * day}
        run = SampleReport(page=folder, accuracies=reached)
        write_run(tmp_path / folder, "churn", run, day=day, history=shared)
        _publish(tmp_path, folder)
    front = files_of(tmp_path / "site")["index.html"].decode()

    assert "Accuracy of SVM over 2 runs: first 80.0%, last 90.0%" in front


def test_the_report_of_another_folder_is_known_by_its_manifest(tmp_path: Path) -> None:
    """Copied here after something else was built here: when it ran is known all the same."""
    shared = tmp_path / "shared.sqlite"
    write_run(tmp_path / "ours", "spam", SampleReport(title="Spam"), day=0, history=shared)
    run = write_run(tmp_path / "theirs", "churn", SampleReport(), day=1, history=shared)
    (tmp_path / "theirs/churn").rename(tmp_path / "ours/churn")
    reports = {report.name: report.run for report in _publish(tmp_path, "ours").reports}

    assert reports["churn"] == run


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("there is no file `{}/data/gone.csv`", "there is no file `data/gone.csv`"),
        ("there is no file `/home/al ice/secret/gone.csv`", "there is no file `gone.csv`"),
        ("/home/al ice/secret/gone.csv: no column `a/b`", "gone.csv: no column `a/b`"),
        ("[Errno 2] No such file: '/srv/secret/x y.csv'", "[Errno 2] No such file: 'x y.csv'"),
        ("from /srv/secret/a.csv and /srv/secret/b.csv", "from a.csv and b.csv"),
        ("(/srv/secret/a.csv)", "(a.csv)"),
        ("file:///srv/secret/a.csv is no table", "a.csv is no table"),
        ("s3://bucket/run/a.csv and/or 1/2", "s3://bucket/run/a.csv and/or 1/2"),
        ("{}/runs/churn/report.pdf: no space", "churn/report.pdf: no space"),
    ],
)
def test_no_page_shows_a_folder_of_the_machine(tmp_path: Path, fault: str, message: str) -> None:
    """Files are named as the spec names them, or by their name alone."""
    runs = tmp_path / "runs"
    write_run(runs, "spam", SampleReport(title="Spam"), day=0)
    remember_failure(runs, "churn", day=0, fault=fault.format(tmp_path))
    publication = publish_site(runs, str(tmp_path / "site"))
    files = files_of(tmp_path / "site")

    assert publication.reports[0].errors == (message,)
    assert not [path for path, content in files.items() if b"secret" in content]
    assert not [path for path, content in files.items() if str(tmp_path).encode() in content]
