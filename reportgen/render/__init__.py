"""Rendering reports: HTML, PDF, Markdown, LaTeX and data files."""
