"""Which sections a report has: those the spec lists, or the usual ones of its detail."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.report.document import Chapter, Note, Section
from reportgen.report.own_text import own_blocks
from reportgen.report.sections import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.evaluation import Evaluation
    from reportgen.spec import Detail, SectionKind

LEVELS: tuple[Detail, ...] = ("summary", "standard", "full")
NOTHING_TO_SAY = (Note(("The data of this report hold nothing for this section.",)),)
OWN_TITLE = "Remarks"


def chosen_sections(evaluation: Evaluation) -> Iterator[Section]:
    """Yield the sections; a user's own words alone join the usual ones."""
    asked = evaluation.spec.sections
    if all(section.kind == "text" for section in asked):
        yield from _with_own_texts(evaluation, list(_usual(evaluation)))
        return
    if evaluation.gates and all(section.kind != "gates" for section in asked):
        # A report that says nothing of a failed gate would look as if all were well.
        yield _built(evaluation, "gates")
    for at, section in enumerate(asked):
        if section.kind == "text":
            yield _own(evaluation, at, Chapter.DETAILS)
        else:
            built = _built(evaluation, section.kind, section.title)
            yield (
                built
                if built.blocks
                else Section(built.kind, built.title, NOTHING_TO_SAY, built.chapter)
            )


def _usual(evaluation: Evaluation) -> Iterator[Section]:
    detail = LEVELS.index(evaluation.spec.output.detail)
    for kind, builder in SECTIONS.items():
        on_request = builder.on_request_for_binary and evaluation.kind == "binary"
        if LEVELS.index(builder.least) <= detail and not on_request:
            section = _built(evaluation, kind)
            if section.blocks:
                yield section


def _built(evaluation: Evaluation, kind: SectionKind, title: str | None = None) -> Section:
    builder = SECTIONS[kind]
    return Section(kind, title or builder.title, builder.build(evaluation), builder.chapter)


def _with_own_texts(evaluation: Evaluation, usual: list[Section]) -> Iterator[Section]:
    """Put words of one's own after the section they name, or where the answer ends."""
    asked = evaluation.spec.sections
    present = {section.kind for section in usual}
    for chapter, sections in groupby(usual, key=lambda section: section.chapter):
        for section in sections:
            yield section
            for at, own in enumerate(asked):
                if own.after == section.kind:
                    yield _own(evaluation, at, chapter)
        for at, own in enumerate(asked):
            if chapter is Chapter.ANSWER and own.after not in present:
                yield _own(evaluation, at, chapter)


def _own(evaluation: Evaluation, at: int, chapter: Chapter) -> Section:
    title = evaluation.spec.sections[at].title or OWN_TITLE
    return Section("text", title, own_blocks(evaluation.spec_file, at), chapter)
