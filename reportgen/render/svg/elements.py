"""SVG elements and their styles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from reportgen.render.plain_text import escape_invisible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.report.charts import Point

SVG_WIDTH, SVG_FONT_SIZE = 640.0, 11.5
# The width of charts drawn a second time, for phones.
NARROW_SVG_WIDTH, MAX_LABEL_SHARE = 340.0, 0.36
# Blue, vermilion and bluish green of Okabe and Ito (2008), and three colours that stay apart from
# them for readers with protanopia, deuteranopia or tritanopia (docs/adr/0018); a test simulates it.
SERIES_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#984878", "#8a9a4a", "#1b2732")
DARK_SERIES_COLOURS = ("#5cb0ea", "#f58a4b", "#3fc9a0", "#b070a8", "#f5e08a", "#dfe7ec")
MUTED_COLOUR, DARK_MUTED_COLOUR = "#87929a", "#6c7b86"
# Dash patterns distinguish lines in greyscale; a colour that repeats has another pattern.
SERIES_DASHES = ("", "7 3", "2 2.4", "9 3 2 3", "13 4", "5 2 1.5 2 1.5 2")
LINE_WIDTH, MUTED_LINE_WIDTH, MUTED_MARKER_SCALE = "1.8", "0.9", 0.7
MARKER_SHAPE_COUNT = 4
# Corners of square, triangle and diamond around their centre; the first shape is a disc.
MARKER_CORNERS = {
    1: ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    2: ((0.0, -1.15), (1.1, 0.85), (-1.1, 0.85)),
    3: ((0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)),
}
STYLE_ATTRIBUTES: dict[str, dict[str, str]] = {
    "grid": {"stroke": "#e3e9ed", "stroke-width": "1", "fill": "none"},
    "axis": {"stroke": "#586672", "stroke-width": "1", "fill": "none"},
    "text": {"fill": "#1b2732"},
    "muted": {"fill": "#586672"},
    "reference": {
        "stroke": "#7b8a96",
        "stroke-width": "1",
        "stroke-dasharray": "3 3",
        "fill": "none",
    },
    # Significance: filled if significant, dashed if not, dotted if not tested.
    "significant": {"fill": "#0a5a94"},
    "on-significant": {"fill": "#ffffff"},
    "tint": {"fill": "#0a5a94"},
    "significant-line": {"stroke": "#0a5a94", "stroke-width": "2.2", "fill": "none"},
    "not-significant": {"stroke": "#586672", "stroke-width": "1.3", "fill": "none"},
    "equivalent": {"stroke": "#007a5a", "stroke-width": "1.8", "fill": "none"},
    "equivalent-marker": {"fill": "#007a5a"},
    "background": {"fill": "#ffffff"},
    # Lines, markers and regions that belong to no classifier.
    "study-value": {"stroke": "#586672", "stroke-width": "1", "fill": "none"},
    "equal-ratio": {"stroke": "#1b2732", "stroke-width": "1.2", "fill": "none"},
    "neutral-marker": {"fill": "#ffffff", "stroke": "#1b2732", "stroke-width": "1.3"},
    "limit": {
        "stroke": "#b3261e",
        "stroke-width": "1.2",
        "stroke-dasharray": "8 3",
        "fill": "none",
    },
    "failing": {"stroke": "#b3261e", "stroke-width": "1.8", "fill": "none"},
    "region": {"fill": "#dbe4e9"},
    "half-region": {"fill": "#eff3f5"},
    "plot-area": {"fill": "#f3f7f9"},
    "trend": {"stroke": "#1b2732", "stroke-width": "1.4", "fill": "none"},
    "clique-dot": {"fill": "#1b2732"},
    "clique": {"stroke": "#1b2732", "stroke-width": "4", "stroke-linecap": "round", "fill": "none"},
}
TINT_COLOURS = {"correct": "#1478be", "error": "#e16e14"}


@dataclass(frozen=True, slots=True)
class SvgDrawing:
    """The SVG elements of a chart, and its height."""

    elements: tuple[Markup, ...]
    height: float


@dataclass(frozen=True, slots=True)
class SvgStyle:
    """Attributes of SVG elements and the size of a drawing; HTML also has CSS classes."""

    for_pdf: bool = False
    width: float = SVG_WIDTH
    # The height of the plots, as a share of their full height.
    height_scale: float = 1.0

    @property
    def is_narrow(self) -> bool:
        """Whether the drawing is one for phones."""
        return self.width < SVG_WIDTH

    def label_width(self, maximum: float) -> float:
        """Return the width of labels beside a plot, which leave most of the drawing to it."""
        return min(maximum, MAX_LABEL_SHARE * self.width)

    def attributes(self, kind: str) -> dict[str, str]:
        """Return the attributes of a named style, such as "grid", "axis" or "text"."""
        return {**self.css_class(f"svg-{kind}"), **STYLE_ATTRIBUTES[kind]}

    def line(self, order: int) -> dict[str, str]:
        """Return the attributes of the line of the n-th series."""
        return {
            **self.css_class(f"line {series_class(order)}"),
            "fill": "none",
            "stroke": series_colour(order),
            "stroke-width": LINE_WIDTH if order >= 0 else MUTED_LINE_WIDTH,
            "stroke-linejoin": "round",
            **({"stroke-dasharray": series_dash(order)} if series_dash(order) else {}),
        }

    def solid_line(self, order: int) -> dict[str, str]:
        """Return the attributes of a solid line of the n-th colour."""
        attributes = self.line(order)
        attributes.pop("stroke-dasharray", None)
        return attributes

    def area(self, order: int, opacity: str = "1") -> dict[str, str]:
        """Return the attributes of a filled area of the n-th colour."""
        return {
            **self.css_class(f"area {series_class(order)}"),
            "fill": series_colour(order),
            **({"fill-opacity": opacity} if opacity != "1" else {}),
        }

    def tint(self, kind: str, opacity: str) -> dict[str, str]:
        """Return the attributes of a stroke in the tint of correct cells or of errors."""
        return {
            **self.css_class(f"tint-{kind}"),
            "fill": "none",
            "stroke": TINT_COLOURS[kind],
            **({"stroke-opacity": opacity} if opacity != "1" else {}),
        }

    def css_class(self, name: str) -> dict[str, str]:
        """Return the class attribute; the PDF has none."""
        return {} if self.for_pdf else {"class": name}


def series_colour(order: int) -> str:
    """Return the n-th colour; colours repeat after the last, and below 0 it is grey."""
    return SERIES_COLOURS[order % len(SERIES_COLOURS)] if order >= 0 else MUTED_COLOUR


def series_class(order: int) -> str:
    """Return the CSS class of the n-th colour, or of the grey one below 0."""
    return f"s{order % len(SERIES_COLOURS)}" if order >= 0 else "s-muted"


def series_dash(order: int) -> str:
    """Return the n-th dash pattern; patterns are shifted where colours repeat."""
    if order < 0:
        return ""
    return SERIES_DASHES[(order + order // len(SERIES_COLOURS)) % len(SERIES_DASHES)]


def merge_styles(*styles: Mapping[str, str]) -> dict[str, str]:
    """Return merged attributes: later ones take precedence, and all CSS classes are kept."""
    merged = {key: value for style in styles for key, value in style.items()}
    classes = [style["class"] for style in styles if "class" in style]
    return {**merged, "class": " ".join(classes)} if classes else merged


def svg_element(name: str, attributes: Mapping[str, str], *children: Markup | str) -> Markup:
    """Return an element; children that are not markup are escaped."""
    # Not by Markup.format, which would take most of the drawing time.
    attribute_text = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    content = "".join(
        child if isinstance(child, Markup) else escape(escape_invisible(child))
        for child in children
    )
    if not content:
        return Markup(f"<{name}{attribute_text}/>")  # noqa: S704  # all that is not ours is escaped
    return Markup(f"<{name}{attribute_text}>{content}</{name}>")  # noqa: S704


def svg_box(corner: Point, size: Point, style: SvgStyle, *elements: Markup) -> Markup:
    """Return a part of a drawing that the page's script may move, on screens too narrow for all.

    The boxes of a drawing contain all of it, in reading order. The PDF has none.
    """
    if style.for_pdf:
        return Markup("").join(elements)
    place = " ".join(map(format_coordinate, (*corner, *size)))
    return svg_element("g", {"data-box": place}, *elements)


def svg_text(
    position: Point,
    text: str,
    attributes: Mapping[str, str],
    anchor: str = "start",
    *,
    title: str = "",
) -> Markup:
    """Return a text element, with a tooltip if `title` is given."""
    coordinates = {"x": format_coordinate(position[0]), "y": format_coordinate(position[1])}
    anchor_attributes = {} if anchor == "start" else {"text-anchor": anchor}
    title_element = (svg_element("title", {}, title),) if title else ()
    return svg_element(
        "text", {**coordinates, **anchor_attributes, **attributes}, *title_element, text
    )


def svg_line(start: Point, end: Point, attributes: Mapping[str, str]) -> Markup:
    """Return a line element."""
    coordinates = zip(("x1", "y1", "x2", "y2"), map(format_coordinate, (*start, *end)), strict=True)
    return svg_element("line", {**dict(coordinates), **attributes})


def svg_rect(
    corner: Point, size: Point, attributes: Mapping[str, str], *children: Markup
) -> Markup:
    """Return a rectangle, given by its upper left corner and its size."""
    coordinates = zip(
        ("x", "y", "width", "height"), map(format_coordinate, (*corner, *size)), strict=True
    )
    return svg_element("rect", {**dict(coordinates), **attributes}, *children)


def svg_marker(
    center: Point, order: int, attributes: Mapping[str, str], size: float = 4.0
) -> Markup:
    """Return a marker: a disc, square, triangle or diamond, by order."""
    x, y = center
    size = size if order >= 0 else MUTED_MARKER_SCALE * size
    if order < 0 or order % MARKER_SHAPE_COUNT == 0:
        round_ = {
            "cx": format_coordinate(x),
            "cy": format_coordinate(y),
            "r": format_coordinate(size),
        }
        return svg_element("circle", {**round_, **attributes})
    points = " ".join(
        f"{format_coordinate(x + size * dx)},{format_coordinate(y + size * dy)}"
        for dx, dy in MARKER_CORNERS[order % MARKER_SHAPE_COUNT]
    )
    return svg_element("polygon", {"points": points, **attributes})


def format_coordinate(number: float) -> str:
    """Return a coordinate as text, with one decimal."""
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
