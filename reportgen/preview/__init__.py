"""A report that is made anew whenever what it is made of changes, shown in a browser."""

from reportgen.preview.serving import Preview, serve

__all__ = ["Preview", "serve"]
