"""Which files are written, and how they look."""

from typing import Literal

from pydantic import Field

from reportgen.choices import Detail, Format
from reportgen.spec.model import SpecModel
from reportgen.spec.texts import InputPath, Some
from reportgen.spec.theme import Theme


class Output(SpecModel):
    """Which files are written, and how they look."""

    formats: Some[Format] = Field(
        default=("html", "pdf", "json"), examples=[["html", "pdf", "json"]]
    )
    """The formats of the report and of its tables."""

    detail: Detail = Field(default="standard", examples=["summary"])
    """How much the report tells: the answer, all that helps to judge, or everything.

    Sections named one by one are shown whatever the detail. results.json always has everything.
    """

    theme: Theme = Theme()
    """Colour, logo, font, paper and the way numbers are written."""

    templates: InputPath | None = Field(default=None, examples=["templates"])
    """A folder of templates that stand in for shipped ones of the same name."""

    pdf: Literal["ua-1", "a-3a"] = Field(default="ua-1", examples=["a-3a"])
    """The standard the PDF keeps to: accessible (PDF/UA-1), or for archives (PDF/A-3a)."""
