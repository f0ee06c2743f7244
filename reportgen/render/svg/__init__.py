"""Charts as compact SVG, with searchable text and reproducible bytes."""

from reportgen.render.svg.charts import render_figure, render_narrow_figure

__all__ = ["render_figure", "render_narrow_figure"]
