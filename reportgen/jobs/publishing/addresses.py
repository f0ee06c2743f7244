"""Addresses on the site: made from names, and safe wherever they are put."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from urllib.parse import urlsplit

from reportgen.errors import Fault, SpecError
from reportgen.errors.job_faults import TARGET_UNUSABLE

# Letters that no file system, store or address reads differently.
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
_OTHERS = re.compile(r"[^A-Za-z0-9]+")
_LONGEST_BEGINNING = 40
# What stands in the same folder as reports or as runs.
_TAKEN = re.compile(r".*\.(html|json|xml|pdf|txt)|assets", re.IGNORECASE)


def address_of(name: str) -> str:
    """Return the folder of a report or a run: its name, or something like it that is safe.

    It depends on nothing but the name, so that it never changes.
    """
    if _PLAIN.fullmatch(name) and not name.endswith(".") and not _TAKEN.fullmatch(name):
        return name
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    beginning = _OTHERS.sub("-", plain).strip("-")[:_LONGEST_BEGINNING].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{beginning}-{digest}" if beginning else digest


def is_plain_path(path: str) -> bool:
    """Tell whether a path stays where it is put, and needs no quoting."""
    return bool(path) and all(
        _PLAIN.fullmatch(part) and not part.endswith(".") for part in path.split("/")
    )


def checked_base_url(written: str) -> str:
    """Return the address of a site with a slash at its end, or raise why it is none."""
    parts = urlsplit(written)
    if (
        parts.scheme not in {"http", "https"}
        or not parts.hostname
        or parts.query
        or parts.fragment
        or "@" in parts.netloc
        or not re.fullmatch(r"[!-;=?-~]+", written)
    ):
        fault = Fault(
            TARGET_UNUSABLE,
            "--base-url must be the whole address of the site, without ?, # and @",
            help="for example https://example.org/reports/",
        )
        raise SpecError(fault)
    return written if written.endswith("/") else f"{written}/"
