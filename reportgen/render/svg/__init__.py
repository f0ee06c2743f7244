"""Figures as lean SVG: drawn by hand, so that text stays text and bytes stay equal."""

from reportgen.render.svg.charts import render_figure

__all__ = ["render_figure"]
