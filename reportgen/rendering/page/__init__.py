"""The page and the PDF: templates, look, script."""
