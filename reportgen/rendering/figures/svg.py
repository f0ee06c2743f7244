"""Elements of SVG, and the ink they are drawn with."""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from reportgen.rendering.texts import CONTINUED, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reportgen.report.charts.lines import Point

WIDTH, FONT_SIZE = 640.0, 11.5
# Okabe and Ito's colours, which the colour-blind tell apart, without the yellow.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#a8518a", "#b37400", "#3a93c9", "#1b2732")
# What grey print still tells apart; a colour that comes again has another pattern.
DASHES = ("", "7 3", "2 2.4", "9 3 2 3", "13 4", "5 2 1.5 2 1.5 2", "4 4")
SHAPES = 4
INKS: dict[str, dict[str, str]] = {
    "grid": {"stroke": "#e3e9ed", "stroke-width": "1", "fill": "none"},
    "axis": {"stroke": "#586672", "stroke-width": "1", "fill": "none"},
    "text": {"fill": "#1b2732"},
    "quiet": {"fill": "#586672"},
    "reference": {
        "stroke": "#7b8a96",
        "stroke-width": "1",
        "stroke-dasharray": "3 3",
        "fill": "none",
    },
    # Evidence: filled where tests show something, dashed where they do not, dotted if untested.
    "crown": {"fill": "#0a5a94"},
    "on-crown": {"fill": "#ffffff"},
    "tint": {"fill": "#0a5a94"},
    "shown": {"stroke": "#0a5a94", "stroke-width": "2.2", "fill": "none"},
    "open": {"stroke": "#586672", "stroke-width": "1.3", "fill": "none"},
    "equal": {"stroke": "#007a5a", "stroke-width": "1.8", "fill": "none"},
    "equal-mark": {"fill": "#007a5a"},
    "paper": {"fill": "#ffffff"},
    # Lines, marks and regions that belong to no classifier.
    "present": {"stroke": "#586672", "stroke-width": "1", "fill": "none"},
    "equal-ratio": {"stroke": "#1b2732", "stroke-width": "1.2", "fill": "none"},
    "mark": {"fill": "#ffffff", "stroke": "#1b2732", "stroke-width": "1.3"},
    "region": {"fill": "#dbe4e9"},
    "half-region": {"fill": "#eff3f5"},
    "ground": {"fill": "#f3f7f9"},
    "trend": {"stroke": "#1b2732", "stroke-width": "1.4", "fill": "none"},
    "thick": {"stroke": "#1b2732", "stroke-width": "4", "stroke-linecap": "round", "fill": "none"},
}
TINTS = {"right": "#1478be", "wrong": "#e16e14"}
# Widths of letters in ems.
WIDE, CAPITAL, LETTER = 1.0, 0.68, 0.55
ALMOST = 1e-9


@dataclass(frozen=True, slots=True)
class Drawn:
    """The parts of a drawing, and how tall it is."""

    parts: tuple[Markup, ...]
    height: float


@dataclass(frozen=True, slots=True)
class Ink:
    """Says how things are drawn; on a page the classes let the stylesheet darken everything."""

    for_pdf: bool = False

    def of(self, kind: str) -> dict[str, str]:
        """Return the attributes of a grid, an axis, a text and the like."""
        return {**self._class(f"ink-{kind}"), **INKS[kind]}

    def line(self, order: int) -> dict[str, str]:
        """Return the attributes of the line that is the n-th in order."""
        return {
            **self._class(f"line s{order % len(COLOURS)}"),
            "fill": "none",
            "stroke": colour(order),
            "stroke-width": "1.8",
            "stroke-linejoin": "round",
            **({"stroke-dasharray": dash(order)} if dash(order) else {}),
        }

    def solid(self, order: int) -> dict[str, str]:
        """Return the attributes of an unbroken line of the n-th colour."""
        whole = self.line(order)
        whole.pop("stroke-dasharray", None)
        return whole

    def area(self, order: int, opacity: str = "1") -> dict[str, str]:
        """Return the attributes of a filled area of the n-th colour."""
        return {
            **self._class(f"area s{order % len(COLOURS)}"),
            "fill": colour(order),
            **({"fill-opacity": opacity} if opacity != "1" else {}),
        }

    def tint(self, kind: str, opacity: str) -> dict[str, str]:
        """Return the attributes of a stroke that is a tint: of what is right, or wrong."""
        return {
            **self._class(f"tint-{kind}"),
            "fill": "none",
            "stroke": TINTS[kind],
            **({"stroke-opacity": opacity} if opacity != "1" else {}),
        }

    def _class(self, name: str) -> dict[str, str]:
        return {} if self.for_pdf else {"class": name}


def colour(order: int) -> str:
    """Return the n-th colour, beginning again after the last."""
    return COLOURS[order % len(COLOURS)]


def dash(order: int) -> str:
    """Return the n-th pattern of a line; where colours begin again, patterns are shifted."""
    return DASHES[(order + order // len(COLOURS)) % len(DASHES)]


def element(name: str, attributes: Mapping[str, str], *children: Markup | str) -> Markup:
    """Write an element; whatever is not markup is escaped, and what cannot be seen is shown."""
    written = Markup("").join(
        Markup(' {}="{}"').format(key, value) for key, value in attributes.items()
    )
    inner = Markup("").join(
        child if isinstance(child, Markup) else escape(visible(child)) for child in children
    )
    if not inner:
        return Markup("<{}{}/>").format(name, written)
    return Markup("<{}{}>{}</{}>").format(name, written, inner, name)


def text(at: Point, words: str, attributes: Mapping[str, str], anchor: str = "start") -> Markup:
    """Write words at a place."""
    place = {"x": coordinate(at[0]), "y": coordinate(at[1])}
    anchored = {} if anchor == "start" else {"text-anchor": anchor}
    return element("text", {**place, **anchored, **attributes}, words)


def name_text(
    at: Point, name: str, room: float, attributes: Mapping[str, str], anchor: str = "start"
) -> Markup:
    """Write a name in so much room; what does not fit is cut, and shown when pointed at."""
    shown = shortened(visible(name), room / FONT_SIZE)
    return cut_text(at, visible(name), shown, attributes, anchor)


def cut_text(
    at: Point, name: str, shown: str, attributes: Mapping[str, str], anchor: str = "start"
) -> Markup:
    """Write what is shown of a name; all of it is there for those who point at it."""
    place = {"x": coordinate(at[0]), "y": coordinate(at[1])}
    anchored = {} if anchor == "start" else {"text-anchor": anchor}
    # Only on the page, where there are classes: WeasyPrint would print it as a part of the text.
    hidden = shown != name and "class" in attributes
    whole = (element("title", {}, name),) if hidden else ()
    return element("text", {**place, **anchored, **attributes}, *whole, shown)


def line(start: Point, end: Point, attributes: Mapping[str, str]) -> Markup:
    """Write a straight line."""
    place = zip(("x1", "y1", "x2", "y2"), map(coordinate, (*start, *end)), strict=True)
    return element("line", {**dict(place), **attributes})


def shape(at: Point, order: int, attributes: Mapping[str, str], size: float = 4.0) -> Markup:
    """Write a mark: a disc, a square, a triangle or a diamond, by order."""
    x, y = at
    if order % SHAPES == 0:
        round_ = {"cx": coordinate(x), "cy": coordinate(y), "r": coordinate(size)}
        return element("circle", {**round_, **attributes})
    corners = {
        1: ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
        2: ((0.0, -1.15), (1.1, 0.85), (-1.1, 0.85)),
        3: ((0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)),
    }[order % SHAPES]
    points = " ".join(
        f"{coordinate(x + size * right)},{coordinate(y + size * down)}" for right, down in corners
    )
    return element("polygon", {"points": points, **attributes})


def coordinate(number: float) -> str:
    """Write a place on the drawing, to a tenth of its unit."""
    written = f"{number:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


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


def width_of(words: str) -> float:
    """Estimate how wide words are, in ems."""
    return sum(map(_width, words))


def _width(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return WIDE
    return CAPITAL if letter.isupper() or letter in "mwMW@%" else LETTER
