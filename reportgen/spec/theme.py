"""How a report looks."""

from typing import Annotated, Literal

from pydantic import Field

from reportgen.spec.model import SpecModel
from reportgen.spec.texts import InputPath, Line

Paper = Literal["a4", "letter"]
NumberStyle = Literal["si", "en", "de", "fr", "ch"]
COLOUR_PATTERN = r"^#[0-9a-fA-F]{6}$"
Colour = Annotated[Line, Field(pattern=COLOUR_PATTERN)]


class Theme(SpecModel):
    """How a report looks."""

    accent: Colour | None = Field(default=None, examples=["#7a1f5c"])
    """The colour of headings, rules and marks, as #rrggbb."""

    logo: InputPath | None = Field(default=None, examples=["logo.svg"])
    """A picture for the title block: SVG, PNG or JPEG, relative to the spec."""

    font: InputPath | None = Field(default=None, examples=["fonts/Lato-Regular.ttf"])
    """A font file for text (TTF, OTF, WOFF or WOFF2), relative to the spec."""

    font_bold: InputPath | None = Field(default=None, examples=["fonts/Lato-Bold.ttf"])
    """The bold cut of the font."""

    font_italic: InputPath | None = Field(default=None, examples=["fonts/Lato-Italic.ttf"])
    """The italic cut of the font."""

    paper: Paper = Field(default="a4", examples=["letter"])
    """The size of the PDF's pages."""

    numbers: NumberStyle = Field(default="si", examples=["de"])
    """How the report writes 1234.5: "1 234.5" (si), "1,234.5" (en), "1.234,5" (de), "1 234,5" (fr)
    or "1'234.5" (ch); files for other programs are not touched.
    """
