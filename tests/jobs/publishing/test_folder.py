"""A site in a folder: whole at any time, readable for others, and beside what is not its own."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode, LockedError, OutputError, SpecError
from reportgen.jobs.publishing.folder import FolderTarget
from reportgen.jobs.publishing.publisher import PublishOptions, publish_site
from tests.jobs.publishing.output_folder import SampleReport, write_report
from tests.jobs.publishing.site_reading import (
    broken_links,
    files_of,
    index_of,
    named_but_missing,
    page,
)

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "<!DOCTYPE html><title>{}</title>"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Return an output folder of two reports without a history."""
    folder = tmp_path / "runs"
    write_report(folder, "churn", SampleReport(title="Churn of customers"))
    write_report(folder, "spam", SampleReport(title="Spam in the mail", pdf=None))
    return folder


def test_every_report_has_a_latest_and_a_permanent_address(runs: Path, tmp_path: Path) -> None:
    """The run is named by the first 12 hex digits of its manifest, as no history knows it."""
    site = tmp_path / "site"
    publish_site(runs, str(site))
    files = files_of(site)
    run = index_of(files).reports[0].run

    assert run is not None
    assert len(run) == 12
    page = (runs / "churn" / "report.html").read_bytes()
    assert files["churn/index.html"] == files[f"churn/{run}/report.html"] == page
    assert {path for path in files if path.startswith("churn/")} == {
        *("churn/index.html", "churn/report.pdf", "churn/results.json", "churn/archive.html"),
        "churn/badge.svg",
        *(f"churn/{run}/{name}" for name in ("report.html", "report.pdf", "results.json")),
        f"churn/{run}/manifest.json",
    }
    assert "spam/report.pdf" not in files


def test_every_link_is_relative_and_leads_to_a_file(runs: Path, tmp_path: Path) -> None:
    """So the site works under any path and from a disk."""
    site = tmp_path / "site"
    publish_site(runs, str(site))
    files = files_of(site)

    assert len(page(files, "index.html").links) > 6
    assert broken_links(files) == []
    assert named_but_missing(files) == []


def test_the_same_inputs_give_the_same_bytes(runs: Path, tmp_path: Path) -> None:
    """Two folders, published at different times."""
    publish_site(runs, str(tmp_path / "one"))
    publish_site(runs, str(tmp_path / "two"))

    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_publishing_again_writes_nothing(runs: Path, tmp_path: Path) -> None:
    """What is there already is left alone."""
    first = publish_site(runs, str(tmp_path / "site"))
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*")}
    again = publish_site(runs, str(tmp_path / "site"))

    assert again.written_files == ()
    assert again.unchanged_count == len(first.written_files) > 10
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*")}
    assert after == before


def test_a_file_that_was_lost_comes_back(runs: Path, tmp_path: Path) -> None:
    """The index says it is there; the folder knows better."""
    site = tmp_path / "site"
    publish_site(runs, str(site))
    (site / "churn" / "report.pdf").unlink()

    assert publish_site(runs, str(site)).written_files == ("churn/report.pdf",)
    assert (site / "churn" / "report.pdf").is_file()


def test_others_may_read_what_is_published(runs: Path, tmp_path: Path) -> None:
    """Whatever the umask of the job: 0644 for files, 0755 for folders."""
    before = os.umask(0o077)
    try:
        publish_site(runs, str(tmp_path / "deep" / "site"))
    finally:
        os.umask(before)
    modes = {
        (path.is_dir(), oct(path.stat().st_mode & 0o777)) for path in (tmp_path / "deep").rglob("*")
    }

    assert modes == {(True, "0o755"), (False, "0o644")}


def test_earlier_runs_stay_and_the_archive_lists_them(runs: Path, tmp_path: Path) -> None:
    """Three different reports of one name, published one after the other."""
    site = tmp_path / "site"
    for number in range(3):
        write_report(runs, "churn", SampleReport(page=PAGE.format(number)))
        publish_site(runs, str(site))
    files = files_of(site)
    report = index_of(files).report("churn")

    assert report is not None
    addresses = [run.address for run in report.runs]
    pages = [files[f"{address}/report.html"].decode() for address in addresses]
    assert pages == [PAGE.format(number) for number in (2, 1, 0)]
    assert files["churn/index.html"].decode() == PAGE.format(2)
    links = page(files, "churn/archive.html").links
    assert {f"../{address}/report.html" for address in addresses} < set(links)


def test_what_others_put_there_stays(runs: Path, tmp_path: Path) -> None:
    """Also inside the folders of reports, and while a report goes."""
    site = tmp_path / "site"
    foreign = {"CNAME": b"example.org", ".nojekyll": b"", "churn/notes.txt": b"mine"}
    for path, content in foreign.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_bytes(content)
    publish_site(runs, str(site))
    shutil.rmtree(runs / "churn")
    publish_site(runs, str(site))

    files = files_of(site)
    assert {path: files[path] for path in foreign} == foreign


def test_only_latest_pages_go_with_a_report(runs: Path, tmp_path: Path) -> None:
    """Permanent addresses stay; the front page and the page of the latest run lead to them."""
    site = tmp_path / "site"
    publish_site(runs, str(site))
    before = files_of(site)
    shutil.rmtree(runs / "churn")
    gone = publish_site(runs, str(site)).removed_files
    files = files_of(site)

    assert gone == ("churn/report.pdf", "churn/results.json")
    assert files["churn/index.html"] == files["churn/archive.html"]
    assert b">churn: archived<" in files["churn/badge.svg"].replace(b"Churn of customers", b"churn")
    assert set(before) - set(files) == set(gone)
    assert "churn/archive.html" in page(files, "index.html").links
    assert broken_links(files) == []
    assert publish_site(runs, str(site)).written_files == ()


def test_a_latest_page_that_somebody_changed_is_not_removed(runs: Path, tmp_path: Path) -> None:
    """What is there is not what was published, so it is somebody's."""
    site = tmp_path / "site"
    publish_site(runs, str(site))
    (site / "churn" / "report.pdf").write_bytes(b"mine")
    shutil.rmtree(runs / "churn")

    assert "churn/report.pdf" not in publish_site(runs, str(site)).removed_files
    assert (site / "churn" / "report.pdf").read_bytes() == b"mine"


@pytest.mark.parametrize("path", ["index.html", "churn/index.html", "index.json"])
def test_a_page_of_others_is_never_overwritten(runs: Path, tmp_path: Path, path: str) -> None:
    """A home page that was there first ends it before anything is written."""
    site = tmp_path / "site"
    (site / path).parent.mkdir(parents=True)
    (site / path).write_text("my home page")

    with pytest.raises(OutputError) as error:
        publish_site(runs, str(site))
    assert [fault.error_code.code for fault in error.value.diagnostics] == ["E522"]
    assert path in error.value.diagnostics[0].message
    assert files_of(site) == {path: b"my home page"}


def test_a_link_to_another_folder_is_rejected(runs: Path, tmp_path: Path) -> None:
    """As the target, and as a folder in it."""
    other_folder = tmp_path / "elsewhere"
    other_folder.mkdir()
    (tmp_path / "linked").symlink_to(other_folder)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "churn").symlink_to(other_folder)

    for site in ("linked", "site"):
        with pytest.raises(OutputError, match="is a symbolic link to another folder"):
            publish_site(runs, str(tmp_path / site))
    assert list(other_folder.iterdir()) == []


@pytest.mark.parametrize("target", ["runs", "runs/churn", "runs/../runs"])
def test_the_output_folder_is_no_target(runs: Path, tmp_path: Path, target: str) -> None:
    """Pages among the inputs would be published the next time."""
    before = files_of(runs)
    with pytest.raises(SpecError, match="the folder of the reports"):
        publish_site(runs, str(tmp_path / target))
    assert files_of(runs) == before


def test_without_reports_a_site_stays_as_it_is(runs: Path, tmp_path: Path) -> None:
    """A wrong folder must not take a site away."""
    site = tmp_path / "site"
    publish_site(runs, str(site))
    before = files_of(site)
    (tmp_path / "empty").mkdir()

    for wrong in ("empty", "misspelt"):
        with pytest.raises(SpecError) as error:
            publish_site(tmp_path / wrong, str(site))
        assert error.value.diagnostics[0].error_code.code == "E520"
    assert files_of(site) == before


def test_a_dry_run_only_reports(runs: Path, tmp_path: Path) -> None:
    """It names what would be written, in that order, and makes no folder."""
    publication = publish_site(runs, str(tmp_path / "site"), PublishOptions(dry_run=True))

    assert not (tmp_path / "site").exists()
    assert publish_site(runs, str(tmp_path / "site")).written_files == publication.written_files
    assert publication.written_files[-2:] == ("index.html", "index.json")


def test_a_second_publication_at_the_same_time_ends_at_once(runs: Path, tmp_path: Path) -> None:
    """Exit code 6; the first one is not disturbed."""
    target = FolderTarget(tmp_path / "site")
    with target.lock(), pytest.raises(LockedError) as error:
        publish_site(runs, str(tmp_path / "site"))

    assert error.value.exit_code is ExitCode.LOCKED
    assert publish_site(runs, str(tmp_path / "site")).diagnostics == ()
