"""The status badge of a report, or of a site, as SVG."""

from __future__ import annotations

from reportgen.render.plain_text import escape_invisible
from reportgen.render.svg.elements import format_coordinate, svg_element, svg_rect, svg_text
from reportgen.render.svg.labels import text_width, truncate_label

BADGE_HEIGHT, BADGE_FONT_SIZE, BADGE_PADDING, MAX_LABEL_WIDTH = 20.0, 11.0, 7.0, 24.0
LABEL_COLOUR, TEXT_COLOUR = "#44515c", "#ffffff"
_BADGE_BASELINE = BADGE_HEIGHT / 2 + BADGE_FONT_SIZE * 0.36
# Behind white text with a contrast of at least 4.5; a badge has no stylesheet and no dark mode.
TONE_COLOURS = {"good": "#0a5a94", "mixed": "#7a5a00", "bad": "#a8480a", "neutral": "#586672"}


def render_badge(label: str, message: str, tone: str) -> bytes:
    """Return a badge: a label (what), and a message (its status) on the colour of its tone."""
    label = truncate_label(escape_invisible(label), MAX_LABEL_WIDTH)
    widths = [_badge_field_width(label), _badge_field_width(message)]
    total = format_coordinate(sum(widths))
    height = format_coordinate(BADGE_HEIGHT)
    starts = (0.0, widths[0])
    colours = (LABEL_COLOUR, TONE_COLOURS[tone])
    fields = [
        svg_rect((start, 0.0), (width, BADGE_HEIGHT), {"fill": colour})
        for start, width, colour in zip(starts, widths, colours, strict=True)
    ]
    texts = [
        svg_text((start + width / 2, _BADGE_BASELINE), text, {}, "middle")
        for start, width, text in zip(starts, widths, (label, message), strict=True)
    ]
    clip = svg_element("rect", {"width": total, "height": height, "rx": "3"})
    text_style = {
        "fill": TEXT_COLOUR,
        "font-family": "Verdana, DejaVu Sans, Inter, sans-serif",
        "font-size": format_coordinate(BADGE_FONT_SIZE),
    }
    name = f"{label}: {message}"
    image = svg_element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": total,
            "height": height,
            "viewBox": f"0 0 {total} {height}",
            "role": "img",
            "aria-label": name,
        },
        svg_element("title", {}, name),
        svg_element("clipPath", {"id": "shape"}, clip),
        svg_element("g", {"clip-path": "url(#shape)"}, *fields),
        svg_element("g", text_style, *texts),
    )
    return f"{image}\n".encode()


def _badge_field_width(text: str) -> float:
    """Return the width of a field; badges are drawn in wider fonts than the report."""
    return round(text_width(text) * BADGE_FONT_SIZE * 1.12 + 2 * BADGE_PADDING)
