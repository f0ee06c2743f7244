"""The feed and the map of a site, read with a parser and checked against their rules."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree as ET

import pytest

from reportgen.jobs.publishing import pages
from reportgen.jobs.publishing.publisher import PublishOptions, publish_site
from tests.jobs.publishing.output_folder import SampleReport, write_run
from tests.jobs.publishing.site_reading import files_of, page

if TYPE_CHECKING:
    from pathlib import Path

ATOM = "{http://www.w3.org/2005/Atom}"
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
BASE = "https://example.org/deep/path/"
# RFC 3339, which Atom asks for (RFC 4287, section 3.3).
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def _publish(tmp_path: Path, base_url: str | None, days: int = 3) -> dict[str, bytes]:
    for day in range(days):
        failed = [(False, "The accuracy is < 0.9 & falls.")] if day == 1 else []
        write_run(tmp_path / "runs", "churn", SampleReport(page=f"{day}", gates=failed), day=day)
        publish_site(tmp_path / "runs", str(tmp_path / "site"), PublishOptions(base_url=base_url))
    return files_of(tmp_path / "site")


def _one(element: ET.Element, name: str) -> str:
    """Return the text of the only child of a name: Atom allows no second one."""
    (child,) = element.findall(f"{ATOM}{name}")
    return child.text or ""


@pytest.mark.parametrize("base_url", [BASE, None])
def test_the_feed_keeps_the_rules_of_atom(tmp_path: Path, base_url: str | None) -> None:
    """RFC 4287: one id, title and date each; ids unlike all others; an author; a link."""
    files = _publish(tmp_path, base_url)
    feed = ET.fromstring(files["feed.xml"])  # noqa: S314  # our own
    entries = feed.findall(f"{ATOM}entry")

    assert feed.tag == f"{ATOM}feed"
    assert len(entries) == 3
    ids = [_one(entry, "id") for entry in (feed, *entries)]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", entry) for entry in ids)
    dates = [_one(entry, "updated") for entry in (feed, *entries)]
    assert all(DATE.fullmatch(date) for date in dates)
    assert [datetime.fromisoformat(date).day for date in dates] == [3, 3, 2, 1]
    assert all(_one(entry, "title") for entry in (feed, *entries))
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "reportgen"
    assert _one(entries[1], "title") == "Churn: FAIL"
    assert _one(entries[1], "summary").startswith("SVM, accuracy: The accuracy is < 0.9 & falls.")


@pytest.mark.parametrize("base_url", [BASE, None])
def test_links_of_the_feed_lead_to_permanent_pages(tmp_path: Path, base_url: str | None) -> None:
    """Whole with a base; else relative to the feed, wherever that is."""
    files = _publish(tmp_path, base_url)
    feed = ET.fromstring(files["feed.xml"])  # noqa: S314  # our own
    links = [link.attrib["href"] for link in feed.iterfind(f"{ATOM}entry/{ATOM}link")]

    assert all(bool(urlsplit(link).scheme) == bool(base_url) for link in links)
    paths = [urljoin(f"{BASE}feed.xml", link).removeprefix(BASE) for link in links]
    assert [files[path] for path in paths] == [b"2", b"1", b"0"]
    selves = [element.attrib["href"] for element in feed.findall(f"{ATOM}link[@rel='self']")]
    assert selves == ([f"{BASE}feed.xml"] if base_url else [])


def test_entries_keep_their_ids_when_the_site_moves(tmp_path: Path) -> None:
    """Nobody reads old reports as new ones."""
    ids = []
    for place, base_url in (("here", BASE), ("there", "https://other.example/")):
        files = _publish(tmp_path / place, base_url, days=1)
        feed = ET.fromstring(files["feed.xml"])  # noqa: S314  # our own
        ids.append([_one(entry, "id") for entry in feed.findall(f"{ATOM}entry")])

    assert ids[0] == ids[1] != []


def test_the_feed_has_the_latest_runs_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of three; all stay in the archive, whose last line has a time as well."""
    monkeypatch.setattr(pages, "MAX_FEED_ENTRIES", 2)
    files = _publish(tmp_path, None)
    feed = ET.fromstring(files["feed.xml"])  # noqa: S314  # our own

    dates = [_one(entry, "updated") for entry in feed.findall(f"{ATOM}entry")]
    assert [datetime.fromisoformat(date).day for date in dates] == [3, 2]
    assert page(files, "churn/archive.html").elements.count("time") == 3 + 1


def test_the_map_names_pages_once_and_with_their_whole_address(tmp_path: Path) -> None:
    """Not the permanent ones, which are the same pages; and not the status."""
    files = _publish(tmp_path, BASE)
    urlset = ET.fromstring(files["sitemap.xml"])  # noqa: S314  # our own
    found_pages = {
        url.findtext(f"{MAP}loc"): url.findtext(f"{MAP}lastmod")
        for url in urlset.findall(f"{MAP}url")
    }

    assert list(found_pages) == [BASE, f"{BASE}churn/", f"{BASE}churn/archive.html"]
    assert set(found_pages.values()) == {"2026-11-03T06:00:30Z"}


def test_without_a_base_there_is_no_map_and_that_is_reported_once(tmp_path: Path) -> None:
    """A map without whole addresses is none; every night the same warning would hide others."""
    write_run(tmp_path / "runs", "churn", SampleReport(), day=0)
    first, second = (publish_site(tmp_path / "runs", str(tmp_path / "site")) for _ in range(2))

    assert not (tmp_path / "site/sitemap.xml").exists()
    assert any("sitemap.xml" in warning for warning in first.warnings)
    assert second.warnings == ()


def test_where_the_site_is_need_be_given_only_once(tmp_path: Path) -> None:
    """As its title: it stays where it is, and its map stays with it."""
    _publish(tmp_path, BASE)
    publication = publish_site(tmp_path / "runs", str(tmp_path / "site"))

    assert (publication.written_files, publication.removed_files) == ((), ())
    assert BASE in (tmp_path / "site/sitemap.xml").read_text(encoding="utf-8")


def test_a_page_that_is_missing_leads_home_only_if_the_way_is_known(tmp_path: Path) -> None:
    """It is shown at any depth, where a relative link would lead astray."""
    with_base = page(_publish(tmp_path / "here", BASE), "404.html").links
    without = page(_publish(tmp_path / "there", None), "404.html").links

    assert with_base
    assert all(link.startswith(BASE) for link in with_base)
    assert without == []


def test_robots_are_kept_from_what_is_no_content(tmp_path: Path) -> None:
    """The status and the missing page; all else may be found."""
    files = _publish(tmp_path, BASE)
    noindex = b'<meta name="robots" content="noindex">'

    assert {path for path in files if noindex in files[path]} == {"404.html", "status.html"}
