"""Which sections the report has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from pydantic import Field

from reportgen.errors.spec import INVALID_TEXT_SECTION
from reportgen.spec.fields import LocalPath, MultiLine, SingleLine, SpecModel
from reportgen.spec.issues import Highlight, RawSpec, ValidationIssue, quote_value

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
    """What the section tells."""

    title: SingleLine | None = Field(default=None, examples=["Who is better at what"])
    """The heading, instead of the usual one."""

    text: MultiLine | None = Field(default=None, examples=["We measured on *last year's* claims."])
    """Your own words in Markdown, for a section of kind "text"."""

    file: LocalPath | None = Field(default=None, examples=["introduction.md"])
    """A Markdown file with your own words, for a section of kind "text"."""

    after: SectionKind | None = Field(default=None, examples=["summary"])
    """The section that a section of kind "text" follows, if only such sections are listed.

    They then join the usual sections instead of replacing them.
    """


# Sections of a user's own words have words, and others have none.

TEXT_KEYS = ("text", "file")


def validate_sections(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield sections of text without words, with two sources of them, or words elsewhere."""
    for path, section in raw.tables("sections"):
        given = [key for key in TEXT_KEYS if key in section]
        is_text = section.get("kind") == "text"
        if is_text and not given:
            message = 'a section of kind "text" needs its words'
            yield ValidationIssue(
                INVALID_TEXT_SECTION, message, (*path, "kind"), "add `text` or `file`"
            )
        elif is_text and len(given) > 1:
            message = "the words are given twice: as `text` and as `file`"
            yield ValidationIssue(
                INVALID_TEXT_SECTION, message, (*path, "file"), "keep one of the two", Highlight.KEY
            )
        for key in () if is_text else (*given, *(key for key in ("after",) if key in section)):
            message = (
                f'`{key}` is for sections of kind "text", not {quote_value(section.get("kind"))}'
            )
            yield ValidationIssue(
                INVALID_TEXT_SECTION, message, (*path, key), "take it out", Highlight.KEY
            )
