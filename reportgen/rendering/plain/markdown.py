"""A report as Markdown with tables, as GitHub reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, assert_never

from reportgen.formulas.written import as_latex
from reportgen.rendering.explained import auxiliaries_of, facts_of, formulas_of, quantities_of
from reportgen.rendering.footnotes import (
    ARROWS,
    BACKING,
    arrow_legend,
    footnotes_of,
    in_brackets,
    verdict_legend,
)
from reportgen.rendering.numbers import RAISED, p_text
from reportgen.rendering.texts import (
    cell_text,
    code_text,
    interval_text,
    lines_text,
    short_name,
    value_text,
)
from reportgen.report.document import (
    Bullets,
    Figure,
    Formulas,
    Heading,
    Listing,
    Matrices,
    Note,
    Paragraph,
    Table,
)
from reportgen.report.parts import (
    Code,
    Emphasis,
    Estimate,
    Link,
    MeasureName,
    Share,
    Strong,
    Value,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reportgen.rendering.footnotes import Footnotes
    from reportgen.report.document import Block, Column, Definition, Matrix, Report
    from reportgen.report.parts import Cell, Part
    from reportgen.scores import Score

SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$!&])")
NOT_IN_CODE = str.maketrans("`|", "'¦")
EMPHASIS = {True: "**", False: "*", None: ""}


def render_markdown(report: Report) -> str:
    """Return the report as Markdown."""
    lines = [f"# {escaped(report.title)}", _sentence(report.subtitle.parts)]
    for section in report.sections:
        lines.append(f"## {escaped(section.title)}")
        lines.extend(text for block in section.blocks for text in _block(block))
    lines.extend(["---", _sentence(report.colophon.parts)])
    return "\n\n".join(lines) + "\n"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(parts=parts):
            yield _sentence(parts)
        case Bullets(items=items, numbered=numbered, first=first):
            yield "\n".join(
                f"{f'{number}.' if numbered else '-'} {_sentence(item.parts)}"
                for number, item in enumerate(items, first)
            )
        case Heading(text=text, level=level):
            yield f"{'#' * level} {escaped(text)}"
        case Note(parts=parts, warning=warning):
            yield f"> [!{'WARNING' if warning else 'NOTE'}]\n> {_sentence(parts)}"
        case Table():
            yield from _table(block)
        case Matrices(items=items):
            yield from (text for item in items for text in _matrix(item))
        case Formulas(items=items):
            yield from (text for item in items for text in _definition(item, block))
            yield "\n".join(
                f"- `{quantity.symbol.text}`: {escaped(quantity.meaning)}"
                for quantity in quantities_of(block)
            )
        case Figure(title=title, reading=reading, note=note):
            yield f"**{escaped(title)}**"
            yield f"[figure: {_sentence(reading.parts)}]"
            if note:
                yield _sentence(note.parts)
        case Listing(text=text, language=language):
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            yield f"{fence}{language}\n{lines_text(text)}\n{fence}"
        case _:
            assert_never(block)


def _table(table: Table) -> Iterator[str]:
    notes = footnotes_of(table)
    if table.caption:
        yield f"**{escaped(cell_text(table.caption))}**"
    lines = [*_table_head(table.columns)]
    for group in table.groups:
        if group.head is not None:
            lines.append(
                _row([f"**{escaped(cell_text(group.head))}**", *[""] * (len(table.columns) - 1)])
            )
        lines.extend(_row([_cell(cell, notes) for cell in row]) for row in group.rows)
    yield "\n".join(lines)
    if table.note:
        yield _sentence(table.note.parts)
    if notes.legend:
        yield arrow_legend(notes)
    if legend := verdict_legend(notes):
        yield escaped(legend)
    if notes.texts:
        yield "  \n".join(
            f"{str(number).translate(RAISED)} {escaped(text)}"
            for number, text in enumerate(notes.texts, 1)
        )


def _table_head(columns: Sequence[Column]) -> list[str]:
    return [
        _row([_head(column.head) for column in columns]),
        _row(["---:" if column.numeric else "---" for column in columns]),
    ]


def _matrix(matrix: Matrix) -> Iterator[str]:
    yield f"**{escaped(matrix.caption)}**"
    rows = [
        _row([escaped(name), *(_share(cell) for cell in row)])
        for name, row in zip(matrix.classes, matrix.rows, strict=True)
    ]
    head = _row(["true ↓ predicted →", *map(escaped, matrix.classes)])
    yield "\n".join([head, _row(["---", *["---:"] * len(matrix.classes)]), *rows])


def _definition(definition: Definition, block: Formulas) -> Iterator[str]:
    measure = definition.measure
    defined = frozenset(item.measure.name for item in block.items)
    yield f"### {escaped(measure.title)}"
    yield escaped(measure.answers)
    for words, formula in formulas_of(definition):
        if words:
            yield f"{words}:"
        yield f"```math\n{measure.symbol.latex} = {as_latex(formula)}\n```"
    for name in auxiliaries_of(definition, defined):
        yield f"where\n\n```math\n{name.symbol.latex} = {as_latex(name.formula)}\n```"
    if not block.brief:
        yield escaped(facts_of(definition, block.interval_method))


def _sentence(parts: Iterable[Part]) -> str:
    return "".join(_part(part) for part in parts).strip()


def _part(part: Part) -> str:
    match part:
        case Strong():
            return f"**{escaped(cell_text(part))}**"
        case Emphasis():
            return f"*{escaped(cell_text(part))}*"
        case Link(address=address):
            return f"[{escaped(cell_text(part))}](<{address}>)"
        case Code():
            return _code(part)
        case Estimate():
            return escaped(value_text(part))
        case Value(score=score):
            return escaped(value_text(part) + in_brackets(score))
        case _:
            return escaped(cell_text(part))


def _head(cell: Cell) -> str:
    if isinstance(cell, MeasureName):
        arrow = ARROWS.get(cell.measure.orientation, "")
        return f"{escaped(short_name(cell.measure))} {arrow}".strip()
    return escaped(cell_text(cell))


def _cell(cell: Cell, notes: Footnotes) -> str:
    match cell:
        case Value(score=score, best=best):
            written, interval = escaped(cell_text(cell)), interval_text(cell)
            beside = f" ({escaped(interval)})" if interval else ""
            return (f"**{written}**" if best else written) + _mark(score, notes) + beside
        case Estimate():
            return _part(cell)
        case Verdict():
            return _verdict(cell, notes)
        case MeasureName(measure=measure):
            arrow = ARROWS.get(measure.orientation, "")
            return f"{escaped(measure.title)} {arrow}".strip()
        case Share():
            return _share(cell)
        case Code() | Link():
            return _part(cell)
        case _:
            return escaped(cell_text(cell))


def _verdict(verdict: Verdict, notes: Footnotes) -> str:
    reasons = [
        escaped(f"{symbol.text} = {cell_text(value)}") + _mark(value.score, notes)
        for symbol, value in verdict.because
    ]
    if verdict.p_adjusted is not None:
        reasons.append(escaped(p_text(verdict.p_adjusted, named=True)))
    stands_on = f" ({', '.join(reasons)})" if reasons else ""
    emphasis = EMPHASIS[verdict.backed]
    word = f"{emphasis}{escaped(verdict.word)}{emphasis}"
    return f"{word} ({BACKING[verdict.backed].words}){stands_on}"


def _mark(score: Score, notes: Footnotes) -> str:
    return str(notes.number(score) or "").translate(RAISED)


def _share(share: Share) -> str:
    written = escaped(cell_text(share))
    return f"**{written}**" if share.right else written


def _code(code: Code) -> str:
    """Write code between backticks, which it must not hold itself, nor the bars of a table."""
    return f"`{code_text(code).translate(NOT_IN_CODE)}`"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """Return text from data as one line of Markdown that shows it and nothing else."""
    return SPECIAL.sub(r"\\\1", cell_text(text)).replace("\\&", "&amp;")
