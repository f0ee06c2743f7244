"""A report built from a spec written in a test, and what its sentences say."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from reportgen.pipeline import load_and_evaluate
from reportgen.render.plain_text import cell_text, estimate_text, number_text
from reportgen.report.document import (
    Bullets,
    Callout,
    Note,
    Paragraph,
    ReportSection,
    Table,
    iter_blocks,
)
from reportgen.report.inline import (
    Count,
    Emphasis,
    Estimate,
    Hyperlink,
    InlineCode,
    Interval,
    MathSymbol,
    MeasureDifference,
    MeasureEstimate,
    PlainNumber,
    PValue,
    Strong,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import ReportDocument
    from reportgen.report.inline import Inline

BINARY = 'kind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]'
MULTICLASS = 'kind = "multiclass"\nclasses = ["a", "b", "c"]'


def evaluated(
    folder: Path, classifiers: dict[str, str], task: str = BINARY, more: str = ""
) -> Evaluation:
    """Evaluate classifiers given by name and the keys of their table."""
    tables = (f'[[classifiers]]\nname = "{name}"\n{keys}\n' for name, keys in classifiers.items())
    path = folder / "spec.toml"
    path.write_text(f'title = "A test"\n[task]\n{task}\n{"".join(tables)}{more}', encoding="utf-8")
    return load_and_evaluate(path)


def confusion(*rows: tuple[int, ...]) -> str:
    """Return the key of a confusion matrix."""
    return f"confusion = {[list(row) for row in rows]}"


def section(report: ReportDocument, kind: str) -> ReportSection:
    """Return the section of a kind."""
    (result,) = (item for item in report.sections if item.kind == kind)
    return result


def sentences(report: ReportDocument, kind: str = "findings") -> list[str]:
    """Return what a section says in sentences, without its notes."""
    return list(_sentences(section(report, kind)))


def notes(report: ReportDocument, kind: str) -> list[str]:
    """Return the notes of a section."""
    return [
        "".join(map(_part_text, block.parts))
        for block in iter_blocks(section(report, kind).blocks)
        if isinstance(block, Note)
    ]


def read(parts: Sequence[Inline]) -> str:
    """Return parts of a sentence as they are printed."""
    return "".join(
        estimate_text(part) if isinstance(part, MeasureEstimate | Estimate) else cell_text(part)
        for part in parts
    )


def table(report: ReportDocument, name: str) -> Table:
    """Return a table by its name."""
    (result,) = (
        block
        for item in report.sections
        for block in iter_blocks(item.blocks)
        if isinstance(block, Table) and block.name == name
    )
    return result


def heads(table: Table) -> list[str]:
    """Return the heads of a table's columns."""
    return [cell_text(column.head) for column in table.columns]


def rows(table: Table) -> dict[str, list[str]]:
    """Return the rows of a table by their heads."""
    return {
        cell_text(row[0]): [cell_text(cell) for cell in row[1:]]
        for group in table.groups
        for row in group.rows
    }


def note_of(table: Table) -> str:
    """Return what stands under a table."""
    return read(table.note.parts) if table.note else ""


def _sentences(section: ReportSection) -> Iterator[str]:
    for block in iter_blocks(section.blocks):
        if isinstance(block, Bullets):
            yield from ("".join(map(_part_text, item.parts)) for item in block.items)
        elif isinstance(block, Paragraph):
            yield "".join(map(_part_text, block.parts))
        elif isinstance(block, Callout):
            title = "".join(map(_part_text, block.title))
            texts = ("".join(map(_part_text, paragraph.parts)) for paragraph in block.paragraphs)
            yield " ".join((f"{title}.", *texts))


def _part_text(part: Inline) -> str:
    match part:
        case str():
            return part
        case MeasureEstimate(value=score):
            return f"{score.state}" if score.value is None else f"{score.value:.3f}"
        case PlainNumber(number=number, unit=unit):
            return number_text(part) if unit else f"{number:.3f}"
        case Count(number):
            return str(number)
        case Strong(text) | InlineCode(text=text) | Emphasis(text) | Hyperlink(text=text):
            return text
        case MathSymbol(symbol):
            return symbol.text
        case PValue() | Interval() | MeasureDifference():
            return number_text(part)
        case Estimate():
            return estimate_text(part)
        case _:
            assert_never(part)
