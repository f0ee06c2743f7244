"""The page and the PDF: templates, look, what fits where."""
