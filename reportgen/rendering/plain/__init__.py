"""Documents that are plain text: Markdown and LaTeX."""
