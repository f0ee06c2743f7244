"""Colours that can be read: told from the paper as clearly as accessibility asks for."""

from __future__ import annotations

from typing import TypeAlias

Rgb: TypeAlias = tuple[float, float, float]

# What WCAG 2.2 asks for between text and paper; a little more, for rounding.
LEAST_CONTRAST = 4.6
STEPS = 50
# Up to here sRGB is linear.
DARKEST = 0.04045
BLACK: Rgb = (0.0, 0.0, 0.0)
WHITE: Rgb = (255.0, 255.0, 255.0)


def readable(colour: str, on: str, *, dark: bool = False) -> str:
    """Return a colour, darker (on dark paper lighter) by as much as reading it needs."""
    start, towards, paper = _rgb(colour), WHITE if dark else BLACK, _rgb(on)
    mixed = (
        tuple(a + (b - a) * step / STEPS for a, b in zip(start, towards, strict=True))
        for step in range(STEPS + 1)
    )
    found = next((each for each in mixed if _contrast(each, paper) >= LEAST_CONTRAST), towards)
    return "#" + "".join(f"{round(part):02x}" for part in found)


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours: 1 for equal ones, 21 for black on white."""
    return _contrast(_rgb(first), _rgb(second))


def _contrast(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(rgb: tuple[float, ...]) -> float:
    """Return how bright a colour is to the eye (WCAG 2.2, relative luminance)."""
    shares = (part / 255 for part in rgb)
    linear = [
        share / 12.92 if share <= DARKEST else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _rgb(colour: str) -> Rgb:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return float(red), float(green), float(blue)
