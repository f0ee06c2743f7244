"""Which files are written, and how they look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, get_args

from pydantic import Field

from reportgen.errors import did_you_mean
from reportgen.spec.fields import LocalPath, NonEmpty, SingleLine, SpecModel

if TYPE_CHECKING:
    from collections.abc import Iterable


# How a report looks.

PaperSize = Literal["a4", "letter"]
NumberLocale = Literal["si", "en", "de", "fr", "ch"]
COLOUR_PATTERN = r"^#[0-9a-fA-F]{6}$"
HexColour = Annotated[SingleLine, Field(pattern=COLOUR_PATTERN)]


class ThemeSettings(SpecModel):
    """How a report looks."""

    accent: HexColour | None = Field(default=None, examples=["#7a1f5c"])
    """The colour of headings, rules and marks, as #rrggbb."""

    logo: LocalPath | None = Field(default=None, examples=["logo.svg"])
    """A picture for the title block: SVG, PNG or JPEG, relative to the spec."""

    font: LocalPath | None = Field(default=None, examples=["fonts/Lato-Regular.ttf"])
    """A font file for text (TTF, OTF, WOFF or WOFF2), relative to the spec."""

    font_bold: LocalPath | None = Field(default=None, examples=["fonts/Lato-Bold.ttf"])
    """The bold cut of the font."""

    font_italic: LocalPath | None = Field(default=None, examples=["fonts/Lato-Italic.ttf"])
    """The italic cut of the font."""

    paper: PaperSize = Field(default="a4", examples=["letter"])
    """The size of the PDF's pages."""

    numbers: NumberLocale = Field(default="si", examples=["de"])
    """How the report writes 1234.5: "1 234.5" (si), "1,234.5" (en), "1.234,5" (de), "1 234,5" (fr)
    or "1'234.5" (ch); files for other programs are not touched.
    """


# What specs and commands choose by name: the formats of a report, and how much it tells.

OutputFormat = Literal["html", "pdf", "json", "csv", "parquet", "latex", "markdown"]
DetailLevel = Literal["summary", "standard", "full"]
OUTPUT_FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)
DETAIL_LEVELS: tuple[DetailLevel, ...] = get_args(DetailLevel)


class UnknownChoiceError(ValueError):
    """A name that there is not; the hint says which was meant, or which there are."""

    def __init__(self, kind: str, name: str, choices: tuple[str, ...]) -> None:
        super().__init__(f"there is no {kind} `{name}`")
        self.hint = did_you_mean(name, choices) or f"there are {', '.join(choices)}"


def parse_output_formats(names: Iterable[str]) -> tuple[OutputFormat, ...]:
    """Return the formats that are named, in their usual order, or raise because of the others."""
    named = tuple(names)
    unknown = next((name for name in named if name not in OUTPUT_FORMATS), None)
    if unknown is not None:
        raise UnknownChoiceError("format", unknown, OUTPUT_FORMATS)
    return tuple(format_ for format_ in OUTPUT_FORMATS if format_ in named)


def parse_detail_level(name: str) -> DetailLevel:
    """Return the detail that is named, or raise because there is none of that name."""
    for detail in DETAIL_LEVELS:
        if detail == name:
            return detail
    raise UnknownChoiceError("detail", name, DETAIL_LEVELS)


class OutputSettings(SpecModel):
    """Which files are written, and how they look."""

    formats: NonEmpty[OutputFormat] = Field(
        default=("html", "pdf", "json"), examples=[["html", "pdf", "json"]]
    )
    """The formats of the report and of its tables."""

    detail: DetailLevel = Field(default="standard", examples=["summary"])
    """How much the report tells: the answer, all that helps to judge, or everything.

    Sections named one by one are shown whatever the detail. results.json always has everything.
    """

    theme: ThemeSettings = ThemeSettings()
    """Colour, logo, font, paper and the way numbers are written."""

    templates: LocalPath | None = Field(default=None, examples=["templates"])
    """A folder of templates that stand in for shipped ones of the same name."""

    pdf: Literal["ua-1", "a-3a"] = Field(default="ua-1", examples=["a-3a"])
    """The standard the PDF keeps to: accessible (PDF/UA-1), or for archives (PDF/A-3a)."""
