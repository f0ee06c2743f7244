"""Names on drawings: how wide they are, what of them fits, and what tells the cut ones apart."""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from reportgen.rendering.figures.svg import FONT_SIZE, text
from reportgen.rendering.texts import CONTINUED, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from markupsafe import Markup

    from reportgen.report.charts.lines import Point

# Widths of letters in ems, as in the widest font a page may be shown in (DejaVu Sans).
WIDE, BROAD, CAPITAL, LETTER, NARROW = 1.0, 0.9, 0.71, 0.61, 0.4
BROAD_LETTERS, NARROW_LETTERS = "mwMWGOQ@%&+=<>~#", " .,:;!|'/\\()[]{}-ijlftrIJ"
BOLDER = 1.12
ALMOST = 1e-9


def name_text(
    at: Point, name: str, room: float, attributes: Mapping[str, str], anchor: str = "start"
) -> Markup:
    """Write a name in so much room; what does not fit is cut, and shown when pointed at."""
    letter = FONT_SIZE * (BOLDER if "font-weight" in attributes else 1.0)
    shown = shortened(visible(name), room / letter)
    return cut_text(at, visible(name), shown, attributes, anchor)


def cut_text(
    at: Point, name: str, shown: str, attributes: Mapping[str, str], anchor: str = "start"
) -> Markup:
    """Write what is shown of a name; all of it is there for those who point at it."""
    # Only on the page, where there are classes: WeasyPrint would print it as a part of the text.
    hidden = shown != name and "class" in attributes
    return text(at, shown, attributes, anchor, title=name if hidden else "")


def widest(names: Iterable[str], size: float = FONT_SIZE) -> float:
    """Estimate how much room the widest of some names takes on the drawing; none takes none."""
    return max((width_of(visible(name)) for name in names), default=0.0) * size


def width_of(words: str) -> float:
    """Estimate how wide words are, in ems."""
    return sum(map(_width, words))


def shortened(name: str, ems: float) -> str:
    """Cut a name to so many ems."""
    if _fits(name, ems):
        return name
    return _as_fits(name, ems - width_of(CONTINUED)).rstrip() + CONTINUED


def told_apart(names: Iterable[str], ems: float) -> dict[str, str]:
    """Cut names to so many ems; those that would look alike keep their ends or what differs."""
    found = {name: shortened(name, ems) for name in names}
    for cut in (_middle_cut, _start_cut):
        seen = Counter(found.values())
        found = {
            name: cut(name, ems) if seen[short] > 1 else short for name, short in found.items()
        }
    return found


def _middle_cut(name: str, ems: float) -> str:
    room = ems - width_of(CONTINUED)
    end = _as_fits(name[::-1], room / 2)[::-1]
    return _as_fits(name, room - width_of(end)).rstrip() + CONTINUED + end.lstrip()


def _start_cut(name: str, ems: float) -> str:
    return CONTINUED + _as_fits(name[::-1], ems - width_of(CONTINUED))[::-1].lstrip()


def _as_fits(name: str, ems: float) -> str:
    """Return as many letters as fit, from the first on."""
    widths = itertools.accumulate(map(_width, name))
    return name[: sum(width <= ems for width in widths)]


def _fits(name: str, ems: float) -> bool:
    # What was measured as the room of this very name must not fail by the last bit.
    return width_of(name) <= ems + ALMOST


def _width(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return WIDE
    if letter in BROAD_LETTERS or letter == CONTINUED:
        return BROAD
    if letter in NARROW_LETTERS:
        return NARROW
    return CAPITAL if letter.isupper() else LETTER
