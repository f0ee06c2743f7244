"""Figures as lean SVG: drawn by hand, so that text stays text and bytes stay equal."""

from reportgen.rendering.figures.drawing import drawing

__all__ = ["drawing"]
