"""The registry of output formats: every entry can be rendered, and readers take all from it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import get_args

import pytest

from reportgen.formats import FORMATS, OUTPUT_FORMATS, OutputFormat, needs_document
from reportgen.jobs.publishing.bucket import CONTENT_TYPES
from reportgen.jobs.publishing.pages import FILE_LABELS
from reportgen.pipeline import load_and_evaluate
from reportgen.render.formats import load_renderer, render
from reportgen.render.theme import DEFAULT_THEME
from reportgen.report.build import build_report

GATES = Path(__file__).parents[2] / "specs" / "gates.toml"


def test_the_spec_accepts_exactly_the_registered_formats() -> None:
    """The names of a spec are those of the table."""
    assert get_args(OutputFormat) == OUTPUT_FORMATS == tuple(FORMATS)


@pytest.mark.parametrize("name", OUTPUT_FORMATS)
def test_every_format_has_a_renderer_label_and_content_type(name: str) -> None:
    """A site shows and uploads every format."""
    format_ = FORMATS[name]
    assert callable(load_renderer(format_))
    assert CONTENT_TYPES[format_.suffix.removeprefix(".")] == format_.content_type
    assert FILE_LABELS[format_.files] == format_.label


@pytest.mark.parametrize("name", OUTPUT_FORMATS)
def test_every_format_writes_the_files_it_is_registered_with(name: str) -> None:
    """Rendered alone, a format writes its own files and nothing else."""
    evaluation = load_and_evaluate(GATES)
    document = build_report(evaluation) if needs_document((name,)) else None
    rendered = render(evaluation, document, (name,), DEFAULT_THEME)
    paths = [PurePosixPath(path) for path in rendered.files if path != "manifest.json"]
    assert not rendered.diagnostics
    assert paths
    assert all(path.match(FORMATS[name].files) for path in paths)


def test_a_document_is_not_rendered_without_the_report() -> None:
    """The caller builds the report."""
    with pytest.raises(ValueError, match="needs the report"):
        render(load_and_evaluate(GATES), None, ("html",), DEFAULT_THEME)


def test_every_latex_table_can_be_input() -> None:
    """A file has one balanced table, the same as in the article, and no preamble."""
    evaluation = load_and_evaluate(GATES)
    document = build_report(evaluation)
    files = render(evaluation, document, ("latex", "latex_tables"), DEFAULT_THEME).files
    article = files["report.tex"].decode().replace("\n\n", "\n")
    for path, content in files.items():
        if not path.startswith("tables/"):
            continue
        text = content.decode()
        assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") >= 1
        assert r"\documentclass" not in text
        assert text.split("amssymb.\n", 1)[1].strip() in article
