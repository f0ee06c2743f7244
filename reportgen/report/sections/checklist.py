"""Reporting checklist: what the report answers, what the spec declares, what is not provided."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.inline import Count, Emphasis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import TableCell
    from reportgen.spec.about import About
    from reportgen.spec.output import ChecklistName

CHECKLIST_FOLDER = Path(__file__).parents[1] / "checklists"
_NOTE = (
    "Items in our own words and numbering, after the document cited. “Answered here” says where the"
    " report has something on the item, not that it is complete; the guideline itself decides."
)


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """An item of a guideline: the sections and keys of [about] that have something on it."""

    number: str
    text: str
    sections: tuple[str, ...] = ()
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checklist:
    """A reporting guideline with its items."""

    title: str
    citation: str
    items: tuple[ChecklistItem, ...]


def read_checklist(name: ChecklistName) -> Checklist:
    """Return a guideline from its data file."""
    content = tomllib.loads((CHECKLIST_FOLDER / f"{name}.toml").read_text("utf-8"))
    items = tuple(
        ChecklistItem(
            item["number"],
            item["text"],
            tuple(item.get("sections", ())),
            tuple(item.get("about", ())),
        )
        for item in content["items"]
    )
    return Checklist(content["title"], content["citation"], items)


def build_checklist_section(
    evaluation: Evaluation, titles: Mapping[str, str] | None = None
) -> tuple[Block, ...]:
    """Return the items of the guideline that the spec names, if it names one.

    Args:
        evaluation: All results.
        titles: The titles of the report's sections by kind; None: not known yet.
    """
    names = [item.standard for item in evaluation.spec.sections if item.standard is not None]
    if not names:
        return ()
    checklist, about = read_checklist(names[0]), evaluation.spec.about
    states = [_state(item, titles or {}, about) for item in checklist.items]
    rows = tuple(
        (item.number, item.text, state) for item, state in zip(checklist.items, states, strict=True)
    )
    missing = sum(isinstance(state, Emphasis) for state in states)
    introduction = Paragraph(
        (
            f"{checklist.title} ({checklist.citation}). ",
            Count(len(rows) - missing),
            " of ",
            Count(len(rows)),
            " items are answered here or declared; ",
            Count(missing),
            " are not provided.",
        )
    )
    columns = (Column("Item"), Column("Content"), Column("Where"))
    caption = f"Checklist: {checklist.title}"
    table = Table("checklist", caption, columns, (RowGroup(rows),), Paragraph((_NOTE,)))
    return introduction, table


def _state(item: ChecklistItem, titles: Mapping[str, str], about: About) -> TableCell:
    section_titles = [f"“{titles[kind]}”" for kind in item.sections if kind in titles]
    if section_titles:
        return f"answered here: {', '.join(section_titles)}"
    declared = [key for key in item.about if getattr(about, key)]
    if declared:
        return f"declared: [about] {', '.join(declared)}"
    return Emphasis("not provided")
