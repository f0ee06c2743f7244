"""Output formats and levels of detail: their names, without the import of the spec models.

The table of formats is their only list: the spec, the command line, the Python API and the
published site take names, labels and media types from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from reportgen.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class FormatInfo:
    """An output format: its files, and the function that renders it.

    Args:
        name: The name in the spec and on the command line.
        files: The path of its file within the report, or a pattern of its files.
        label: What links to the file are called.
        content_type: The media type of its files.
        renderer: "module:function". The function takes a `RenderInput` and returns the files by
            path. It is imported when the format is rendered, so that no other format pays for it.
        is_document: Whether it shows the report's sections; otherwise it holds data only.
    """

    name: str
    files: str
    label: str
    content_type: str
    renderer: str
    is_document: bool = False

    @property
    def suffix(self) -> str:
        """The file name extension, with its dot."""
        return PurePosixPath(self.files).suffix

    @property
    def is_single_file(self) -> bool:
        """Whether the format is one file of a fixed name."""
        return "*" not in self.files


HTML_FILE, PDF_FILE, RESULTS_FILE = "report.html", "report.pdf", "results.json"
_ROWS = (
    FormatInfo(
        "html",
        HTML_FILE,
        "HTML",
        "text/html; charset=utf-8",
        "reportgen.render.html:html_files",
        is_document=True,
    ),
    FormatInfo(
        "pdf",
        PDF_FILE,
        "PDF",
        "application/pdf",
        "reportgen.render.pdf:pdf_files",
        is_document=True,
    ),
    FormatInfo(
        "json",
        RESULTS_FILE,
        "JSON",
        "application/json",
        "reportgen.render.formats:json_files",
    ),
    FormatInfo(
        "csv",
        "tables/*.csv",
        "CSV",
        "text/csv; charset=utf-8",
        "reportgen.render.formats:csv_table_files",
    ),
    FormatInfo(
        "parquet",
        "tables/*.parquet",
        "Parquet",
        "application/vnd.apache.parquet",
        "reportgen.render.formats:parquet_table_files",
    ),
    FormatInfo(
        "latex",
        "report.tex",
        "LaTeX",
        "text/x-tex; charset=utf-8",
        "reportgen.render.latex:latex_files",
        is_document=True,
    ),
    FormatInfo(
        "latex_tables",
        "tables/*.tex",
        "LaTeX tables",
        "text/x-tex; charset=utf-8",
        "reportgen.render.latex:latex_table_files",
        is_document=True,
    ),
    FormatInfo(
        "bibtex",
        "references.bib",
        "BibTeX",
        "application/x-bibtex",
        "reportgen.render.methods:bibtex_files",
    ),
    FormatInfo(
        "methods",
        "methods.md",
        "Methods paragraph",
        "text/markdown; charset=utf-8",
        "reportgen.render.methods:methods_markdown_files",
    ),
    FormatInfo(
        "methods_latex",
        "methods.tex",
        "Methods paragraph (LaTeX)",
        "text/x-tex; charset=utf-8",
        "reportgen.render.methods:methods_latex_files",
    ),
    FormatInfo(
        "figures",
        "figures/*",
        "Figures",
        "application/octet-stream",
        "reportgen.render.figures:figure_files",
        is_document=True,
    ),
    FormatInfo(
        "markdown",
        "report.md",
        "Markdown",
        "text/markdown; charset=utf-8",
        "reportgen.render.markdown:markdown_files",
        is_document=True,
    ),
    FormatInfo(
        "model_card",
        "model_cards/*.md",
        "Model cards",
        "text/markdown; charset=utf-8",
        "reportgen.render.model_card:model_card_files",
    ),
)
FORMATS: dict[str, FormatInfo] = {format_.name: format_ for format_ in _ROWS}
OUTPUT_FORMATS: tuple[OutputFormat, ...] = tuple(FORMATS)
if TYPE_CHECKING:
    OutputFormat: TypeAlias = str
else:
    # A Literal, so that an unknown name in a spec is answered with the names there are.
    OutputFormat = Literal[OUTPUT_FORMATS]


def needs_document(formats: Iterable[OutputFormat]) -> bool:
    """Return whether any of the formats shows the report's sections."""
    return any(FORMATS[name].is_document for name in formats)


# How much a report contains.

DetailLevel = Literal["summary", "standard", "full"]
DETAIL_LEVELS: tuple[DetailLevel, ...] = get_args(DetailLevel)


class UnknownChoiceError(ValueError):
    """An unknown name; `hint` has the closest choice, or all of them."""

    def __init__(self, kind: str, name: str, choices: tuple[str, ...]) -> None:
        super().__init__(f"unknown {kind} `{name}`")
        self.hint = did_you_mean(name, choices) or f"expected one of {', '.join(choices)}"


def parse_output_formats(names: Iterable[str]) -> tuple[OutputFormat, ...]:
    """Return the formats of these names in canonical order; raise `UnknownChoiceError`."""
    requested = tuple(names)
    unknown = next((name for name in requested if name not in OUTPUT_FORMATS), None)
    if unknown is not None:
        raise UnknownChoiceError("format", unknown, OUTPUT_FORMATS)
    return tuple(format_ for format_ in OUTPUT_FORMATS if format_ in requested)


def parse_detail_level(name: str) -> DetailLevel:
    """Return the level of detail of this name; raise `UnknownChoiceError`."""
    for detail in DETAIL_LEVELS:
        if detail == name:
            return detail
    raise UnknownChoiceError("detail", name, DETAIL_LEVELS)
