"""A site in a bucket, against a store that speaks S3: what is sent, in which order, and how."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode, OutputError
from reportgen.jobs.publishing.bucket import content_type
from reportgen.jobs.publishing.publisher import publish_site
from tests.jobs.publishing.output_folder import SampleReport, write_report, write_run
from tests.jobs.publishing.site_reading import broken_links, index_of, named_but_missing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.object_store import ObjectStore

FOREIGN = {"site/CNAME": b"mine", "elsewhere/index.html": b"mine too"}
PAGE = "<!DOCTYPE html><title>{}</title>"


@pytest.fixture
def store(store: ObjectStore) -> ObjectStore:
    """Serve a bucket with somebody's objects."""
    store.objects.update(FOREIGN)
    return store


def _site(store: ObjectStore) -> dict[str, bytes]:
    return {
        key.removeprefix("site/"): content
        for key, content in store.objects.items()
        if key.startswith("site/") and key not in FOREIGN
    }


def _uploaded_paths(store: ObjectStore) -> list[str]:
    begin = f"/bucket-{store.port}/site/"
    return [path.removeprefix(begin) for method, path in store.requests if method == "PUT"]


def test_the_same_site_as_in_a_folder(store: ObjectStore, tmp_path: Path) -> None:
    """Byte for byte, below the prefix; what else is in the bucket stays."""
    runs = tmp_path / "runs"
    write_run(runs, "churn", SampleReport(), day=0)
    publish_site(runs, f"{store.bucket}/site")
    publish_site(runs, str(tmp_path / "site"))

    folder = tmp_path / "site"
    assert _site(store) == {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert {key: store.objects[key] for key in FOREIGN} == FOREIGN
    assert broken_links(_site(store)) == []


def test_pages_come_first_and_the_index_last(store: ObjectStore, tmp_path: Path) -> None:
    """Permanent pages, latest pages, pages of the site, front page, index."""
    runs = tmp_path / "runs"
    run = write_run(runs, "churn", SampleReport(), day=0)
    publish_site(runs, f"{store.bucket}/site")
    uploaded = _uploaded_paths(store)

    assert uploaded[0] == ".publishing.json"
    assert sorted(uploaded[1:5]) == [
        f"churn/{run}/{name}"
        for name in ("manifest.json", "report.html", "report.pdf", "results.json")
    ]
    assert sorted(uploaded[5:8]) == ["churn/index.html", "churn/report.pdf", "churn/results.json"]
    assert sorted(uploaded[8:14]) == [
        *("404.html", "badge.svg", "churn/archive.html", "churn/badge.svg"),
        *("feed.xml", "status.html"),
    ]
    assert uploaded[14:] == ["index.html", "index.json"]


def test_browsers_learn_what_it_is_and_how_long_it_holds(
    store: ObjectStore, tmp_path: Path
) -> None:
    """Permanent pages may be kept for a year (31,536,000 seconds), all others are asked for."""
    runs = tmp_path / "runs"
    run = write_run(runs, "churn", SampleReport(), day=0)
    publish_site(runs, f"{store.bucket}/site")
    headers = {key.removeprefix("site/"): fields for key, fields in store.headers.items()}
    lasting = "public, max-age=31536000, immutable"

    assert headers[f"churn/{run}/report.pdf"] == {
        "Content-Type": "application/pdf",
        "Cache-Control": lasting,
    }
    assert headers["index.html"] == {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-cache",
    }
    assert headers["feed.xml"]["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert {path for path, fields in headers.items() if fields["Cache-Control"] == lasting} == {
        path for path in headers if path.startswith(f"churn/{run}/")
    }


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("results.json", "application/json"),
        ("tables/scores.csv", "text/csv; charset=utf-8"),
        ("sitemap.xml", "application/xml"),
        ("churn/feed.xml", "application/atom+xml; charset=utf-8"),
        ("noending", "application/octet-stream"),
    ],
)
def test_every_file_has_its_type(name: str, kind: str) -> None:
    """By its ending; the feed is XML of its own kind."""
    assert content_type(name) == kind


def test_only_what_changed_is_sent(store: ObjectStore, tmp_path: Path) -> None:
    """Nothing the second time; then one report of two."""
    runs = tmp_path / "runs"
    write_report(runs, "churn")
    write_report(runs, "spam", SampleReport(title="Spam"))
    publish_site(runs, f"{store.bucket}/site")
    store.requests.clear()
    publish_site(runs, f"{store.bucket}/site")

    assert [method for method, _ in store.requests] == ["GET", "GET"]
    write_report(runs, "spam", SampleReport(title="Spam", page="new"))
    publish_site(runs, f"{store.bucket}/site")
    assert [path for path in _uploaded_paths(store) if path.startswith("churn/")] == []
    assert "spam/index.html" in _uploaded_paths(store)


def _refusing_put(number: int) -> Callable[[str, str], bool]:
    """Return a store's mood: the n-th object is refused."""
    left = iter(range(number + 1))
    return lambda method, _key: method == "PUT" and next(left, None) == number


@pytest.mark.slow
def test_an_interrupted_upload_leaves_the_index_and_can_be_repeated(
    store: ObjectStore, tmp_path: Path
) -> None:
    """Put n fails, for every n, first onto nothing and then onto a site that is there."""
    for has_site in (False, True):
        number, failed = 0, True
        while failed:
            runs = tmp_path / f"runs {has_site} {number}"
            store.objects = dict(FOREIGN)
            store.fails = lambda _method, _key: False
            write_run(runs, "churn", SampleReport(page=PAGE.format("old")), day=0)
            if has_site:
                publish_site(runs, f"{store.bucket}/site")
                write_run(runs, "churn", SampleReport(page=PAGE.format("new")), day=1)
            index = store.objects.get("site/index.json")
            store.fails = _refusing_put(number)
            failed = _publish_fails(runs, store)
            if failed:
                _check_interrupted(store, index)
                publish_site(runs, f"{store.bucket}/site")
            expected = PAGE.format("new" if has_site else "old")
            assert store.objects["site/churn/index.html"].decode() == expected
            assert broken_links(_site(store)) == named_but_missing(_site(store)) == []
            assert "site/.publishing.json" not in store.objects
            assert {key: store.objects[key] for key in FOREIGN} == FOREIGN
            number += 1
        # Names, 4 permanent, 3 latest (or the one that changed), 4 pages, with 2 badges the first
        # time, front page and index.
        assert number - 1 == (12 if has_site else 16)


def _publish_fails(runs: Path, store: ObjectStore) -> bool:
    try:
        publish_site(runs, f"{store.bucket}/site")
    except OutputError as error:
        return [fault.error_code.code for fault in error.diagnostics] == ["E524"]
    return False


def _check_interrupted(store: ObjectStore, index: bytes | None) -> None:
    """The index is the old one, and whatever it or the front page names is there."""
    assert store.objects.get("site/index.json") == index
    files = _site(store)
    if "index.html" in files:
        assert broken_links(files) == []
    if index is not None:
        assert named_but_missing(files) == []


def test_after_an_interruption_what_the_index_says_is_not_believed(
    store: ObjectStore, tmp_path: Path
) -> None:
    """The new page was there already when it ended, and then the old report came back."""
    runs = tmp_path / "runs"
    write_report(runs, "churn", SampleReport(page="old"))
    publish_site(runs, f"{store.bucket}/site")
    write_report(runs, "churn", SampleReport(page="new"))
    store.fails = lambda method, key: method == "PUT" and key == "site/index.html"
    assert _publish_fails(runs, store)
    assert store.objects["site/churn/index.html"] == b"new"
    store.fails = lambda _method, _key: False
    write_report(runs, "churn", SampleReport(page="old"))
    publish_site(runs, f"{store.bucket}/site")

    assert store.objects["site/churn/index.html"] == b"old"


def test_only_latest_pages_of_a_report_that_is_gone_are_deleted(
    store: ObjectStore, tmp_path: Path
) -> None:
    """Its runs stay, and so does what was never published."""
    runs = tmp_path / "runs"
    write_report(runs, "churn")
    write_report(runs, "spam")
    publish_site(runs, f"{store.bucket}/site")
    before = set(store.objects)
    shutil.rmtree(runs / "spam")
    store.objects["site/spam/notes.txt"] = b"mine"
    publication = publish_site(runs, f"{store.bucket}/site")

    assert publication.removed_files == ("spam/report.pdf", "spam/results.json")
    assert before - set(store.objects) == {f"site/{path}" for path in publication.removed_files}
    assert store.objects["site/spam/notes.txt"] == b"mine"
    assert store.objects.items() >= FOREIGN.items()


def _refusing_index(number: int) -> Callable[[str, str], bool]:
    """Return a store's mood: the n-th index is refused."""
    refuses = _refusing_put(number)
    return lambda method, key: key == "site/index.json" and refuses(method, key)


def test_pages_that_are_gone_are_asked_for_no_more(store: ObjectStore, tmp_path: Path) -> None:
    """Once they are deleted the index forgets them, also if that was interrupted."""
    runs = tmp_path / "runs"
    for name in ("churn", "spam", "loans"):
        write_report(runs, name)
    publish_site(runs, f"{store.bucket}/site")
    for name, is_interrupted in (("spam", True), ("loans", False)):
        shutil.rmtree(runs / name)
        # The second time that the index is put is when what was deleted is struck off.
        store.fails = _refusing_index(1) if is_interrupted else lambda _method, _key: False
        publish_site(runs, f"{store.bucket}/site")
    assert index_of(_site(store)).removed == {}
    store.requests.clear()
    write_report(runs, "churn", SampleReport(page="new"))
    publish_site(runs, f"{store.bucket}/site")

    assert [path for method, path in store.requests if method == "GET" and "/spam/" in path] == []


def test_pages_that_cannot_be_deleted_are_reported_and_tried_again(
    store: ObjectStore, tmp_path: Path
) -> None:
    """The site is up by then: exit code 5, and the next time they go."""
    runs = tmp_path / "runs"
    write_report(runs, "churn")
    write_report(runs, "spam")
    publish_site(runs, f"{store.bucket}/site")
    shutil.rmtree(runs / "spam")
    store.fails = lambda method, _key: method in {"DELETE", "POST"}
    publication = publish_site(runs, f"{store.bucket}/site")

    assert [fault.error_code.code for fault in publication.diagnostics] == ["E527"]
    assert publication.exit_code is ExitCode.OUTPUT
    spam = index_of(_site(store)).report("spam")
    assert spam is not None
    assert (spam.status, spam.latest) == ("archived", ())
    store.fails = lambda _method, _key: False
    again = publish_site(runs, f"{store.bucket}/site")
    assert again.diagnostics == ()
    assert len(again.removed_files) == 2
    assert "site/spam/report.pdf" not in store.objects


def test_an_object_of_others_is_never_overwritten(store: ObjectStore, tmp_path: Path) -> None:
    """A bucket that serves a home page already."""
    write_report(tmp_path / "runs", "churn")
    store.objects["site/index.html"] = b"my home page"
    before = dict(store.objects)

    with pytest.raises(OutputError) as error:
        publish_site(tmp_path / "runs", f"{store.bucket}/site")
    assert error.value.diagnostics[0].error_code.code == "E522"
    assert store.objects == before


def test_large_reports_are_sent_in_parts(store: ObjectStore, tmp_path: Path) -> None:
    """More than 5 MB (5,242,880 bytes) arrive whole."""
    pdf = b"%PDF" + os.urandom(6_000_000)
    write_report(tmp_path / "runs", "churn", SampleReport(pdf=pdf))
    publish_site(tmp_path / "runs", f"{store.bucket}/site")

    assert store.objects["site/churn/report.pdf"] == pdf
    assert any("partNumber=2" in path for _, path in store.requests)
    assert store.headers["site/churn/report.pdf"]["Content-Type"] == "application/pdf"
    assert store.parts == {}
