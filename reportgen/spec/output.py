"""The tables [output], [output.theme] and [[sections]]: files, look and sections of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, get_args

from pydantic import Field

from reportgen.errors.spec import DUPLICATE_VALUE, INVALID_TEXT_SECTION, REQUIRES_OTHER_KEY
from reportgen.formats import DetailLevel, OutputFormat
from reportgen.spec.fields import LocalPath, MultiLine, NonEmpty, SingleLine, SpecModel
from reportgen.spec.issues import Highlight, ValidationIssue, key_issue, quote_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.spec.spec import Spec

MAX_ERROR_EXAMPLES = 50
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

    error_examples: Annotated[int, Field(ge=0, le=MAX_ERROR_EXAMPLES)] = Field(
        default=0, examples=[5]
    )
    """The number of cases listed by id in each table of the error analysis, at most 50.

    Without it, the report and results.json have counts only, because ids may be private.
    """

    pdf: Literal["ua-1", "a-3a"] = Field(default="ua-1", examples=["a-3a"])
    """The PDF standard: accessible (PDF/UA-1), or also archival (PDF/A-3a)."""


SectionKind = Literal[
    "gates",
    "summary",
    "limits",
    "findings",
    "history",
    "monitoring",
    "inputs",
    "confusion",
    "errors",
    "traditional",
    "discriminant",
    "measures",
    "curves",
    "calibration",
    "decision",
    "per_class",
    "averages",
    "segments",
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
    "checklist",
    "text",
]
ChecklistName = Literal["stard2015", "tripod_ai", "iso4213", "model_card"]
# Sections that are added to the default ones if no others are listed.
ADDED_SECTIONS: tuple[SectionKind, ...] = ("text", "checklist")
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

    standard: ChecklistName | None = Field(default=None, examples=["stard2015"])
    """The reporting guideline, for a section of kind "checklist"."""


def validate_sections(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield text sections without text or with two sources of it, and text in other sections."""
    previous_kinds: set[str] = set()
    for index, section in enumerate(spec.sections):
        path = ("sections", index)
        sources = [key for key in ("text", "file") if getattr(section, key) is not None]
        yield from _checklist_issues(section, path)
        if section.kind != "text":
            unused = sources if section.after is None else [*sources, "after"]
            for key in unused:
                message = f'applies to sections of kind "text", not {quote_value(section.kind)}'
                yield key_issue(
                    INVALID_TEXT_SECTION, (*path, key), message, f"remove `{key}`", Highlight.KEY
                )
            if section.kind in previous_kinds:
                message = f"duplicate section {quote_value(section.kind)}"
                key_path = (*path, "kind")
                yield ValidationIssue(DUPLICATE_VALUE, message, key_path, "keep one of the two")
            previous_kinds.add(section.kind)
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


def _checklist_issues(section: SectionSettings, path: tuple[str, int]) -> Iterator[ValidationIssue]:
    """Yield a checklist without a standard, and a standard of another section."""
    if section.kind == "checklist" and section.standard is None:
        yield ValidationIssue(
            REQUIRES_OTHER_KEY,
            'a section of kind "checklist" needs `standard`',
            (*path, "kind"),
            'add `standard = "stard2015"`, or another of its values',
            depends_on=((*path, "standard"),),
        )
    elif section.kind != "checklist" and section.standard is not None:
        message = f'applies to sections of kind "checklist", not {quote_value(section.kind)}'
        yield key_issue(
            REQUIRES_OTHER_KEY, (*path, "standard"), message, "remove `standard`", Highlight.KEY
        )
