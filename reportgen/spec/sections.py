"""Which sections the report has."""

from typing import Literal, get_args

from pydantic import Field

from reportgen.spec.model import SpecModel
from reportgen.spec.texts import InputPath, Line, Lines

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
    "crowns",
    "comparisons",
    "likelihood_relations",
    "regression",
    "residuals",
    "prevalence",
    "guessing",
    "published",
    "method",
    "definitions",
    "reproduction",
    "text",
]
SECTION_KINDS: tuple[SectionKind, ...] = get_args(SectionKind)


class Section(SpecModel):
    """A section of the report."""

    kind: SectionKind = Field(examples=["capabilities"])
    """What the section tells."""

    title: Line | None = Field(default=None, examples=["Who is better at what"])
    """The heading, instead of the usual one."""

    text: Lines | None = Field(default=None, examples=["We measured on *last year's* claims."])
    """Your own words in Markdown, for a section of kind "text"."""

    file: InputPath | None = Field(default=None, examples=["introduction.md"])
    """A Markdown file with your own words, for a section of kind "text"."""

    after: SectionKind | None = Field(default=None, examples=["summary"])
    """The section that a section of kind "text" follows, if only such sections are listed.

    They then join the usual sections instead of replacing them.
    """
