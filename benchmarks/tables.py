"""Tables of simulated rates, and the parts of documents that scripts write.

A document has parts between `<!-- part: NAME -->` and `<!-- end of part -->`; a script replaces its
own part and leaves the others as they are.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ALPHA = 0.05
ERROR_RATES = Path(__file__).parents[1] / "docs" / "error-rates.md"
COVERAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
_END = "<!-- end of part -->"


def head(*titles: str) -> tuple[str, str]:
    """Return the head of a table."""
    return row(*titles), row(*("---" for _ in titles))


def row(*cells: object) -> str:
    """Return the row of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def percent(proportion: float) -> str:
    """Return a proportion as text."""
    return f"{100 * proportion:.1f} %"


def simulation_error(repetitions: int, rate: float = ALPHA) -> str:
    """Return the half-width of the 95 % interval of an estimated rate, in percentage points."""
    return f"± {100 * 1.96 * math.sqrt(rate * (1 - rate) / repetitions):.1f}"


def write_part(document: Path, name: str, lines: Iterable[str]) -> None:
    """Replace a part of a document, or append it; the lines are printed as they are known.

    Raises:
        ValueError: the part does not end.
    """
    parts = []
    for line in lines:
        print(line, flush=True)
        parts.append(line)
    text = document.read_text(encoding="utf-8") if document.is_file() else ""
    document.write_text(replace_part(text, name, "\n".join(parts)), encoding="utf-8")


def known_rows(document: Path, cells: int = 1) -> dict[str, str]:
    """Return the rows of a document's tables by the text of their first cells."""
    if not document.is_file():
        return {}
    lines = document.read_text(encoding="utf-8").splitlines()
    return {
        " | ".join(part.strip() for part in line.split("|")[1 : cells + 1]): line
        for line in lines
        if line.startswith("| ")
    }


def replace_part(text: str, name: str, content: str) -> str:
    """Return a document with the content of one part replaced, or with the part appended.

    Raises:
        ValueError: the part does not end.
    """
    start = f"<!-- part: {name} -->"
    part = f"{start}\n{content.strip()}\n{_END}"
    before, marker, rest = text.partition(start)
    if not marker:
        return f"{text.rstrip()}\n\n{part}\n" if text.strip() else f"{part}\n"
    _, end, after = rest.partition(_END)
    if not end:
        message = f"part {name} does not end"
        raise ValueError(message)
    return before + part + after
