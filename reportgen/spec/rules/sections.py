"""Sections of a user's own words have words, and others have none."""

from collections.abc import Iterator

from reportgen.errors.spec_faults import OWN_TEXT
from reportgen.spec.draft import Draft
from reportgen.spec.findings import Aim, Finding, quoted

WORDS = ("text", "file")


def section_findings(draft: Draft) -> Iterator[Finding]:
    """Yield sections of text without words, with two sources of them, or words elsewhere."""
    for path, section in draft.tables("sections"):
        given = [key for key in WORDS if key in section]
        is_text = section.get("kind") == "text"
        if is_text and not given:
            message = 'a section of kind "text" needs its words'
            yield Finding(OWN_TEXT, message, (*path, "kind"), "add `text` or `file`")
        elif is_text and len(given) > 1:
            message = "the words are given twice: as `text` and as `file`"
            yield Finding(OWN_TEXT, message, (*path, "file"), "keep one of the two", Aim.KEY)
        for key in () if is_text else (*given, *(key for key in ("after",) if key in section)):
            message = f'`{key}` is for sections of kind "text", not {quoted(section.get("kind"))}'
            yield Finding(OWN_TEXT, message, (*path, key), "take it out", Aim.KEY)
