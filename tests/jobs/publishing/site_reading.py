"""A published site as a visitor finds it: its files, and what its pages link to."""

from __future__ import annotations

import json
import posixpath
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from reportgen.jobs.publishing.index import SiteIndex

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class PageReader(HTMLParser):
    """Collects links, elements and words of a page."""

    def __init__(self, page: str) -> None:
        """Read a page."""
        super().__init__()
        self.links: list[str] = []
        self.elements: list[str] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element and what it leads to."""
        self.elements.append(tag)
        self.links += [value or "" for name, value in attrs if name in {"href", "src"}]

    def handle_data(self, data: str) -> None:
        """Note words."""
        self.words.append(data)

    @property
    def text(self) -> str:
        """All words with single spaces."""
        return " ".join(" ".join(self.words).split())


def files_of(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def index_of(files: Mapping[str, bytes]) -> SiteIndex:
    """Return the index of a site."""
    return SiteIndex.model_validate(json.loads(files["index.json"]))


def page(files: Mapping[str, bytes], path: str) -> PageReader:
    """Return a page of a site."""
    return PageReader(files[path].decode())


def broken_links(files: Mapping[str, bytes]) -> list[str]:
    """Return the links of all pages that lead to nothing, or out of the site."""
    return [
        f"{path}: {link}"
        for path in files
        if path.endswith(".html")
        for link in page(files, path).links
        if _leads_to(path, link) not in files
    ]


def named_but_missing(files: Mapping[str, bytes]) -> list[str]:
    """Return what the index names and is not there."""
    return [path for path in index_of(files).files if path not in files]


def _leads_to(path: str, link: str) -> str:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc or link.startswith("/"):
        return link
    if not parts.path:
        return path
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(parts.path)))
