"""The tables [output], [output.theme] and [[sections]]: files, look and sections of the report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, get_args

from pydantic import Field

from reportgen.errors import did_you_mean
from reportgen.errors.spec import DUPLICATE_VALUE, INVALID_TEXT_SECTION
from reportgen.spec.fields import LocalPath, MultiLine, NonEmpty, SingleLine, SpecModel
from reportgen.spec.issues import Highlight, ValidationIssue, key_issue, quote_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reportgen.spec.spec import Spec

PaperSize = Literal["a4", "letter"]
NumberLocale = Literal["si", "en", "de", "fr", "ch"]
COLOUR_PATTERN = r"^#[0-9a-fA-F]{6}$"
HexColour = Annotated[SingleLine, Field(pattern=COLOUR_PATTERN)]


class ThemeSettings(SpecModel):
    """The look of a report: colour, logo, fonts, paper and number format."""

    accent: HexColour | None = Field(default=None, examples=["#7a1f5c"])
    """The accent colour of headings, rules and marks, as #rrggbb."""

    logo: LocalPath | None = Field(default=None, examples=["logo.svg"])
    """A logo for the title block: SVG, PNG or JPEG, relative to the spec."""

    font: LocalPath | None = Field(default=None, examples=["fonts/Lato-Regular.ttf"])
    """A font file for text (TTF, OTF, WOFF or WOFF2), relative to the spec."""

    font_bold: LocalPath | None = Field(default=None, examples=["fonts/Lato-Bold.ttf"])
    """The bold font file."""

    font_italic: LocalPath | None = Field(default=None, examples=["fonts/Lato-Italic.ttf"])
    """The italic font file."""

    paper: PaperSize = Field(default="a4", examples=["letter"])
    """The page size of the PDF."""

    numbers: NumberLocale = Field(default="si", examples=["de"])
    """The number format, as of 1234.5: "1 234.5" (si), "1,234.5" (en), "1.234,5" (de),
    "1 234,5" (fr) or "1'234.5" (ch); machine-readable files are not affected.
    """


# Output formats. This table is their only list: the spec, the command line, the Python API and the
# published site take names, labels and media types from it.


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

    @property
    def needs_losses(self) -> bool:
        """Whether it needs the losses of scores as probabilities even if no measure does.

        Documents show calibration, which is computed with them.
        """
        return self.is_document


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
        "reportgen.render.data:json_files",
    ),
    FormatInfo(
        "csv",
        "tables/*.csv",
        "CSV",
        "text/csv; charset=utf-8",
        "reportgen.render.data:csv_table_files",
    ),
    FormatInfo(
        "parquet",
        "tables/*.parquet",
        "Parquet",
        "application/vnd.apache.parquet",
        "reportgen.render.data:parquet_table_files",
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
        "markdown",
        "report.md",
        "Markdown",
        "text/markdown; charset=utf-8",
        "reportgen.render.markdown:markdown_files",
        is_document=True,
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


class OutputSettings(SpecModel):
    """The files that are written, and their look."""

    formats: NonEmpty[OutputFormat] = Field(
        default=("html", "pdf", "json"), examples=[["html", "pdf", "json"]]
    )
    """The output formats of the report and of its tables."""

    detail: DetailLevel = Field(default="standard", examples=["summary"])
    """The level of detail of the report.

    Sections listed in [[sections]] are shown at any level. results.json is always complete.
    """

    theme: ThemeSettings = ThemeSettings()
    """Colour, logo, font, paper and number format."""

    templates: LocalPath | None = Field(default=None, examples=["templates"])
    """A folder of templates that override built-in ones of the same name."""

    pdf: Literal["ua-1", "a-3a"] = Field(default="ua-1", examples=["a-3a"])
    """The PDF standard: accessible (PDF/UA-1), or archival (PDF/A-3a)."""


SectionKind = Literal[
    "gates",
    "summary",
    "history",
    "inputs",
    "confusion",
    "traditional",
    "discriminant",
    "measures",
    "curves",
    "thresholds",
    "per_class",
    "averages",
    "folds",
    "datasets",
    "capabilities",
    "verdicts",
    "ranks",
    "comparisons",
    "likelihood_relations",
    "regression",
    "residuals",
    "prevalence",
    "chance",
    "published",
    "method",
    "definitions",
    "reproduction",
    "text",
]
SECTION_KINDS: tuple[SectionKind, ...] = get_args(SectionKind)


class SectionSettings(SpecModel):
    """A section of the report."""

    kind: SectionKind = Field(examples=["capabilities"])
    """The content of the section."""

    title: SingleLine | None = Field(default=None, examples=["Capabilities of the classifiers"])
    """The heading, instead of the default one."""

    text: MultiLine | None = Field(default=None, examples=["The data are *last year's* claims."])
    """Markdown text, for a section of kind "text"."""

    file: LocalPath | None = Field(default=None, examples=["introduction.md"])
    """A Markdown file, for a section of kind "text"."""

    after: SectionKind | None = Field(default=None, examples=["summary"])
    """The default section that a "text" section follows, if only such sections are listed."""


def validate_sections(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield text sections without text or with two sources of it, and text in other sections."""
    seen: set[str] = set()
    for index, section in enumerate(spec.sections):
        path = ("sections", index)
        sources = [key for key in ("text", "file") if getattr(section, key) is not None]
        if section.kind != "text":
            unused = sources if section.after is None else [*sources, "after"]
            for key in unused:
                message = f'applies to sections of kind "text", not {quote_value(section.kind)}'
                yield key_issue(
                    INVALID_TEXT_SECTION, (*path, key), message, f"remove `{key}`", Highlight.KEY
                )
            if section.kind in seen:
                message = f"duplicate section {quote_value(section.kind)}"
                own = (*path, "kind")
                yield ValidationIssue(DUPLICATE_VALUE, message, own, "keep one of the two")
            seen.add(section.kind)
        elif not sources:
            yield ValidationIssue(
                INVALID_TEXT_SECTION,
                'a section of kind "text" needs `text` or `file`',
                (*path, "kind"),
                "add `text` or `file`",
                depends_on=((*path, "text"), (*path, "file")),
            )
        elif len(sources) > 1:
            message = "cannot be combined with `text`"
            help_text = "keep one of the two"
            yield key_issue(
                INVALID_TEXT_SECTION, (*path, "file"), message, help_text, Highlight.KEY
            )
