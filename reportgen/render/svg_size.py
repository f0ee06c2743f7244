"""How many elements of an SVG picture are drawn, with those that others refer to."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

_REFERENCE = re.compile(r"url\(\s*[\"']?#([^\"')\s]+)")
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
# Elements that refer to others without drawing them.
_NOT_DRAWING = frozenset(
    {"a", "animate", "animateColor", "animateMotion", "animateTransform", "discard", "mpath", "set"}
)
_NESTED_PICTURE = re.compile(r"\s*data:\s*image/svg", re.IGNORECASE)


def drawn_elements(content: bytes, limit: int) -> int | None:
    """Return the number of elements that are drawn, up to a little over the limit.

    Each `use`, and each pattern, mask, clip path and marker, is drawn again for every reference in
    an attribute. None if the picture refers to itself, or contains another SVG picture.
    """
    try:
        root = ET.fromstring(content)  # noqa: S314  # Expat limits the expansion of entities
    except ET.ParseError:
        # The reader reports the damaged picture.
        return 0
    by_id = {element.get("id", ""): element for element in root.iter()}
    counts: dict[ET.Element, int] = {}
    open_elements: set[ET.Element] = set()
    pending = [root]
    while pending:
        element = pending[-1]
        parts = [*element, *(by_id[name] for name in _references(element) if name in by_id)]
        if element in counts:
            pending.pop()
        elif element in open_elements:
            pending.pop()
            open_elements.remove(element)
            counts[element] = min(1 + sum(counts[part] for part in parts), limit + 1)
        elif any(part in open_elements for part in parts) or _has_nested_picture(element):
            return None
        else:
            open_elements.add(element)
            pending += [part for part in parts if part not in counts]
    return counts[root]


def _references(element: ET.Element) -> list[str]:
    """Return the ids of the elements that an element draws, or draws with."""
    names = [name for value in element.attrib.values() for name in _REFERENCE.findall(value)]
    address = element.get("href") or element.get(_XLINK_HREF) or ""
    is_drawing = element.tag.rpartition("}")[2] not in _NOT_DRAWING
    return [*names, *([address[1:]] if address.startswith("#") and is_drawing else [])]


def _has_nested_picture(element: ET.Element) -> bool:
    return any(_NESTED_PICTURE.match(value) for value in element.attrib.values())
