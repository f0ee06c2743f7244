"""The registry of sections and the kinds that a spec may name are the same."""

from __future__ import annotations

from typing import get_args

from reportgen.report.sections import SECTIONS
from reportgen.spec import SectionKind

TEXT = "text"


def test_every_kind_of_the_spec_has_a_builder_and_the_other_way_round() -> None:
    """Only text sections are built from the spec itself."""
    assert set(SECTIONS) == set(get_args(SectionKind)) - {TEXT}


def test_every_section_has_a_title_of_its_own() -> None:
    """Equal titles could not be distinguished in the table of contents."""
    titles = [builder.title for builder in SECTIONS.values()]

    assert len(set(titles)) == len(titles)
