"""Names from data: they become safe addresses and are shown as text, whatever they are."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import SpecError
from reportgen.jobs.publishing.index import is_safe_path, slugify, validate_base_url
from reportgen.jobs.publishing.publisher import PublishOptions, publish_site
from tests.jobs.publishing.output_folder import (
    SampleReport,
    remember_failure,
    write_report,
    write_run,
)
from tests.jobs.publishing.site_reading import broken_links, files_of, index_of, page

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "</title><script>alert(1)</script>\"'&\u202e<img src=x onerror=alert(1)>"
FOLDERS = (
    *("a b", "50%", "a#b?c", "größe", "<b>", "'\"", "index.html", "feed.xml", "a.", "日本"),
    *("x" * 150, "a\nb", "&amp;"),
)


@given(st.text(min_size=1))
def test_an_address_needs_no_quoting_and_never_changes(name: str) -> None:
    """The same name has the same address; it stays in its folder on any system."""
    address = slugify(name)

    assert quote(address) == address == slugify(name)
    assert is_safe_path(address)
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", address)


@given(st.lists(st.text(min_size=1), unique=True, max_size=20))
def test_two_names_never_share_an_address(names: list[str]) -> None:
    """What is not plain ends in a part of the hash of the name."""
    assert len({slugify(name) for name in names}) == len(names)


@pytest.mark.parametrize("name", ["churn", "churn-2", "v1.2_final"])
def test_plain_names_are_their_own_address(name: str) -> None:
    """Nobody wants a hash in an address without need."""
    assert slugify(name) == name


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../b", "a//b", "", "a\\b", ".git/x"])
def test_paths_that_lead_elsewhere_are_not_plain(path: str) -> None:
    """A manifest may name anything."""
    assert not is_safe_path(path)


def test_folders_of_any_name_are_published(tmp_path: Path) -> None:
    """Every link leads to its file."""
    for name in FOLDERS:
        write_report(tmp_path / "runs", name, SampleReport(title=name))
    publication = publish_site(tmp_path / "runs", str(tmp_path / "site"))
    files = files_of(tmp_path / "site")

    assert publication.diagnostics == ()
    assert {report.name for report in index_of(files).reports} == set(FOLDERS)
    assert broken_links(files) == []
    assert all(is_safe_path(path) for path in files)


def test_text_from_data_never_becomes_markup(tmp_path: Path) -> None:
    """In titles, classifiers, findings, faults and the plans of a scheduler."""
    runs = tmp_path / "runs"
    run = SampleReport(
        title=HOSTILE,
        accuracies={HOSTILE: 0.8},
        gates=[(False, HOSTILE)],
        finding=HOSTILE,
    )
    write_run(runs, "churn", run, day=0)
    write_run(runs, "churn", SampleReport(title=HOSTILE, accuracies={HOSTILE: 0.9}), day=1)
    remember_failure(runs, "spam", day=1, fault=HOSTILE)
    reasons = {"spec": HOSTILE, "state": "suspended", "reason": HOSTILE}
    plans = {
        "schema": "reportgen/schedule/1",
        "pid": 1,
        "heartbeat": "2026-11-02T05:59:30+00:00",
        "specs": [{"name": HOSTILE, **reasons}, {"name": "churn", **reasons}],
    }
    (runs / "schedule.json").write_text(json.dumps(plans))
    publish_site(runs, str(tmp_path / "site"), PublishOptions(title=HOSTILE))
    shutil.rmtree(runs / "churn")
    publish_site(runs, str(tmp_path / "other"), PublishOptions(title=HOSTILE))
    files = files_of(tmp_path / "site") | files_of(tmp_path / "other")
    pages = [path for path in files if path.endswith(".html") and b"made up" not in files[path]]

    for path in pages:
        html = page(files, path)
        assert "img" not in html.elements, path
        assert html.elements.count("script") <= 1, path
        assert "\u202e" not in files[path].decode(), path
        assert b"alert(1)</script>" not in files[path], path
    assert "<script>alert(1)</script>" in page(files, "index.html").text


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("https://example.org", "https://example.org/"),
        ("http://localhost:8000/a/b/", "http://localhost:8000/a/b/"),
    ],
)
def test_a_base_url_ends_with_a_slash(base_url: str, expected: str) -> None:
    """So that paths can follow."""
    assert validate_base_url(base_url) == expected


@pytest.mark.parametrize(
    "base_url",
    [
        *("example.org", "ftp://example.org", "https://", "javascript:alert(1)"),
        *("https://e.org/?a", "https://e.org/#a", "https://user:secret@e.org", "https://e.org/a b"),
        'https://e.org/"><script>',
    ],
)
def test_other_base_urls_are_rejected(base_url: str) -> None:
    """Before anything is read, and without repeating a password."""
    with pytest.raises(SpecError, match="absolute URL of the site") as error:
        validate_base_url(base_url)
    assert "secret" not in str(error.value)
