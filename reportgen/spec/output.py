"""Which files are written, and how they look."""

from collections.abc import Iterable
from typing import Literal, get_args

from pydantic import Field

from reportgen.errors import did_you_mean
from reportgen.spec.model import SpecModel
from reportgen.spec.texts import InputPath, Some
from reportgen.spec.theme import Theme

Format = Literal["html", "pdf", "json", "csv", "parquet", "latex", "markdown"]
Detail = Literal["summary", "standard", "full"]
FORMATS: tuple[Format, ...] = get_args(Format)
DETAILS: tuple[Detail, ...] = get_args(Detail)


class UnknownNameError(ValueError):
    """A name that there is not; the hint says which was meant, or which there are."""

    def __init__(self, kind: str, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"there is no {kind} `{name}`")
        self.hint = did_you_mean(name, known) or f"there are {', '.join(known)}"


def known_formats(names: Iterable[str]) -> tuple[Format, ...]:
    """Return the formats that are named, in their usual order, or raise because of the others."""
    named = tuple(names)
    unknown = next((name for name in named if name not in FORMATS), None)
    if unknown is not None:
        raise UnknownNameError("format", unknown, FORMATS)
    return tuple(format_ for format_ in FORMATS if format_ in named)


def known_detail(name: str) -> Detail:
    """Return the detail that is named, or raise because there is none of that name."""
    for detail in DETAILS:
        if detail == name:
            return detail
    raise UnknownNameError("detail", name, DETAILS)


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
