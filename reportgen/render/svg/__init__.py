"""Charts as compact SVG, with searchable text and reproducible bytes."""

from reportgen.render.svg.charts import print_height, render_figure, render_narrow_figure

__all__ = ["print_height", "render_figure", "render_narrow_figure"]
