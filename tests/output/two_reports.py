"""Two reports of one place: each has a file and a folder that the other has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

OLD = {
    "report.html": b"old page",
    "report.pdf": b"old pdf",
    "figures/roc.svg": b"old figure",
    "manifest.json": b'{"outputs": [{"path": "report.html"}, {"path": "report.pdf"},'
    b' {"path": "figures/roc.svg"}]}',
}
NEW = {
    "report.html": b"new page",
    "tables/values.csv": b"new table",
    "manifest.json": b'{"outputs": [{"path": "report.html"}, {"path": "tables/values.csv"}]}',
}
# What an earlier report has and the new one has not stays.
AFTER = {**OLD, **NEW}


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder, stages included."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
