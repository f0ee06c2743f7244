"""Two processes that publish to one bucket: the second learns of the first and begins anew."""

from __future__ import annotations

import shutil
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from hashlib import sha256
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import LockedError, OutputError
from reportgen.jobs.publishing import publisher
from reportgen.jobs.publishing.publisher import publish_site
from tests.jobs.publishing.output_folder import SampleReport, write_report
from tests.jobs.publishing.site_reading import broken_links, index_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.object_store import ObjectStore


def _check_whole(store: ObjectStore) -> None:
    """Every object is one of the index, as the index says; nothing is claimed any more."""
    files = {key.removeprefix("site/"): content for key, content in store.objects.items()}
    hashes = {path: sha256(content).hexdigest() for path, content in files.items()}
    del hashes["index.json"]

    assert index_of(files).files == hashes
    assert index_of(files).removed == {}
    assert broken_links(files) == []


def _meanwhile(store: ObjectStore, path: str, happens: Callable[[], object]) -> None:
    """Let something happen, once, when an object is about to be put."""
    left = iter([happens])

    def mood(method: str, key: str) -> bool:
        if (method, key) == ("PUT", f"site/{path}"):
            for remaining in left:
                remaining()
        return False

    store.fails = mood


@pytest.mark.parametrize("path", [".publishing.json", "churn/index.html", "index.json"])
def test_a_new_report_of_another_publication_is_not_lost(
    store: ObjectStore, tmp_path: Path, path: str
) -> None:
    """It is built and published by another process at whatever moment; its next version is, too."""
    runs, target = tmp_path / "runs", f"{store.bucket}/site"
    write_report(runs, "churn")

    def other() -> None:
        write_report(runs, "spam", SampleReport(title="Spam", page="first"))
        publish_site(runs, target)

    _meanwhile(store, path, other)
    publication = publish_site(runs, target)

    assert [report.name for report in publication.reports] == ["churn", "spam"]
    _check_whole(store)
    write_report(runs, "spam", SampleReport(title="Spam", page="second"))
    publish_site(runs, target)
    assert store.objects["site/spam/index.html"] == b"second"
    _check_whole(store)


def test_what_another_publication_is_just_writing_is_not_of_others(
    store: ObjectStore, tmp_path: Path
) -> None:
    """Its page is there, and its index is not yet: a moment later both are."""
    runs, target = tmp_path / "runs", f"{store.bucket}/site"
    write_report(runs, "churn", SampleReport(page="old"))

    def other() -> None:
        shutil.copytree(runs, tmp_path / "later")
        write_report(tmp_path / "later", "churn", SampleReport(page="new"))
        publish_site(tmp_path / "later", target)

    _meanwhile(store, "index.json", other)
    publish_site(runs, target)

    assert store.objects["site/churn/index.html"] == b"old"
    _check_whole(store)


def test_names_that_another_publication_has_claimed_stay_claimed(
    store: ObjectStore, tmp_path: Path
) -> None:
    """The first ends while the second writes; the second breaks off, and can be repeated."""
    runs, target = tmp_path / "runs", f"{store.bucket}/site"
    write_report(runs, "churn")
    both = tmp_path / "both"
    shutil.copytree(runs, both)
    write_report(both, "spam", SampleReport(title="Spam", page="first"))

    def mood(method: str, key: str) -> bool:
        if (method, key) == ("PUT", "site/status.html"):
            store.fails = lambda _method, _key: False
            publish_site(runs, target)
            store.fails = lambda method, _key: method == "PUT"
            return True
        return False

    store.fails = mood
    with pytest.raises(OutputError):
        publish_site(both, target)
    store.fails = lambda _method, _key: False
    write_report(both, "spam", SampleReport(title="Spam", page="second"))
    publish_site(both, target)

    assert store.objects["site/spam/index.html"] == b"second"


def test_two_at_once_leave_what_the_index_says(store: ObjectStore, tmp_path: Path) -> None:
    """The same reports in different versions, published at the same time again and again."""
    target, start = f"{store.bucket}/site", Barrier(2)

    def publish_often(publisher: str) -> None:
        runs = tmp_path / publisher
        for number in range(5):
            for name in ("churn", "loans"):
                write_report(runs, name, SampleReport(title=name, page=f"{publisher} {number}"))
            start.wait(timeout=60)
            assert publish_site(runs, target).diagnostics == ()

    with ThreadPoolExecutor(2) as pool:
        publishers = [pool.submit(publish_often, name) for name in ("one", "two")]
        # One that fails must not leave the other waiting for it.
        wait(publishers, return_when=FIRST_EXCEPTION)
        start.abort()
        for publisher_ in publishers:
            publisher_.result()

    _check_whole(store)
    site = {key.removeprefix("site/"): content for key, content in store.objects.items()}
    assert [len(report.runs) for report in index_of(site).reports] == [10, 10]


def test_who_is_overtaken_all_the_time_gives_up(
    store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With exit code 6, as in a folder where another process publishes."""
    monkeypatch.setattr(publisher, "MAX_PUBLISH_ATTEMPTS", 3)
    write_report(tmp_path / "runs", "churn")
    publish_site(tmp_path / "runs", f"{store.bucket}/site")
    write_report(tmp_path / "runs", "churn", SampleReport(page="new"))

    def mood(method: str, key: str) -> bool:
        if (method, key) == ("PUT", "site/index.json"):
            store.objects[key] += b" "
        return False

    store.fails = mood
    with pytest.raises(LockedError, match="published to this target 3 times"):
        publish_site(tmp_path / "runs", f"{store.bucket}/site")


def test_a_store_without_conditions_is_reported(store: ObjectStore, tmp_path: Path) -> None:
    """Rather than that the last index wins."""
    write_report(tmp_path / "runs", "churn")
    store.knows_conditions = False

    with pytest.raises(OutputError, match="the store does not support conditional writes"):
        publish_site(tmp_path / "runs", f"{store.bucket}/site")
    assert store.objects == {}
