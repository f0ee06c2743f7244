"""How a report looks: as a page, a PDF, Markdown, LaTeX and data."""
