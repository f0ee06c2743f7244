"""Labels of charts: estimated widths, and truncation that keeps labels distinct."""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from reportgen.render.plain_text import ELLIPSIS, escape_invisible
from reportgen.render.svg.elements import SVG_FONT_SIZE, svg_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from markupsafe import Markup

    from reportgen.report.charts import Point

# Widths of letters in ems, as in the widest font a page may be shown in (DejaVu Sans).
_WIDE_EM, _BROAD_EM, _CAPITAL_EM, _LETTER_EM, _NARROW_EM = 1.0, 0.9, 0.71, 0.61, 0.4
_BROAD_LETTERS, _NARROW_LETTERS = "mwMWGOQ@%&+=<>~#", " .,:;!|'/\\()[]{}-ijlftrIJ"
_BOLD_FACTOR = 1.12
_TOLERANCE = 1e-9


def svg_label(
    position: Point,
    name: str,
    max_width: float,
    attributes: Mapping[str, str],
    anchor: str = "start",
) -> Markup:
    """Return a label truncated to a width; the full text is its tooltip."""
    font_size = SVG_FONT_SIZE * (_BOLD_FACTOR if "font-weight" in attributes else 1.0)
    text = truncate_label(escape_invisible(name), max_width / font_size)
    return svg_truncated_label(position, escape_invisible(name), text, attributes, anchor)


def svg_truncated_label(
    position: Point, name: str, truncated: str, attributes: Mapping[str, str], anchor: str = "start"
) -> Markup:
    """Return a truncated label with the full text as tooltip."""
    # Only on the page, where there are classes: WeasyPrint would print it as a part of the text.
    hidden = truncated != name and "class" in attributes
    return svg_text(position, truncated, attributes, anchor, title=name if hidden else "")


def max_text_width(texts: Iterable[str], font_size: float = SVG_FONT_SIZE) -> float:
    """Return the estimated width of the widest text in SVG units; 0 without texts."""
    return max((text_width(escape_invisible(name)) for name in texts), default=0.0) * font_size


def text_width(text: str) -> float:
    """Return the estimated width of a text in ems."""
    return sum(map(_character_width, text))


def truncate_label(name: str, max_width: float) -> str:
    """Truncate a label to a width in ems."""
    if _fits(name, max_width):
        return name
    return _fitting_prefix(name, max_width - text_width(ELLIPSIS)).rstrip() + ELLIPSIS


def truncate_labels_distinctly(names: Iterable[str], max_width: float) -> dict[str, str]:
    """Truncate labels to a width in ems; those that would be equal, at another place."""
    labels = {name: truncate_label(name, max_width) for name in names}
    for truncate in (_truncate_middle, _truncate_start):
        counts = Counter(labels.values())
        labels = {
            name: truncate(name, max_width) if counts[label] > 1 else label
            for name, label in labels.items()
        }
    return labels


def _truncate_middle(name: str, max_width: float) -> str:
    available = max_width - text_width(ELLIPSIS)
    end = _fitting_prefix(name[::-1], available / 2)[::-1]
    return _fitting_prefix(name, available - text_width(end)).rstrip() + ELLIPSIS + end.lstrip()


def _truncate_start(name: str, max_width: float) -> str:
    return ELLIPSIS + _fitting_prefix(name[::-1], max_width - text_width(ELLIPSIS))[::-1].lstrip()


def _fitting_prefix(name: str, max_width: float) -> str:
    """Return the longest prefix that fits."""
    widths = itertools.accumulate(map(_character_width, name))
    return name[: sum(width <= max_width for width in widths)]


def _fits(name: str, max_width: float) -> bool:
    # A tolerance, so that a label fits the width measured for it.
    return text_width(name) <= max_width + _TOLERANCE


def _character_width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE_EM
    if character in _BROAD_LETTERS or character == ELLIPSIS:
        return _BROAD_EM
    if character in _NARROW_LETTERS:
        return _NARROW_EM
    return _CAPITAL_EM if character.isupper() else _LETTER_EM
