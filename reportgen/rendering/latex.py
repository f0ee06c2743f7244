"""A report as a LaTeX article."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from reportgen.formulas.written import as_latex
from reportgen.rendering.explained import (
    auxiliary_names,
    facts_of,
    formulas_of,
    quantities_of,
)
from reportgen.rendering.fitting import Fit, fit_of
from reportgen.rendering.footnotes import ARROWS, footnotes_of, in_brackets
from reportgen.rendering.latex_text import escaped
from reportgen.rendering.numbers import count_text, score_text
from reportgen.rendering.templates import stylesheet
from reportgen.rendering.texts import cell_text, has_plain_symbol
from reportgen.report.document import (
    Bullets,
    Code,
    Formulas,
    Math,
    Matrices,
    MeasureName,
    Note,
    Paragraph,
    Share,
    Strong,
    Table,
    Value,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reportgen.rendering.footnotes import Footnotes
    from reportgen.report.document import Block, Cell, Column, Definition, Matrix, Part, Report

BACKING = {True: " (backed)", False: " (not backed)", None: ""}


def render_latex(report: Report) -> str:
    """Return the report as an article that compiles by itself."""
    lines = [
        stylesheet("preamble.tex"),
        rf"\title{{{escaped(report.title)}}}",
        r"\author{}\date{}",
        r"\begin{document}",
        r"\maketitle",
        rf"\noindent {_sentence(report.subtitle.parts)}",
    ]
    for section in report.sections:
        lines.append(rf"\section{{{escaped(section.title)}}}")
        lines.extend(text for block in section.blocks for text in _block(block))
    lines.extend(
        [r"\bigskip\noindent\small " + _sentence(report.colophon.parts), r"\end{document}"]
    )
    return "\n\n".join(lines) + "\n"


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(parts=parts):
            yield _sentence(parts)
        case Bullets(items=items):
            bullets = [rf"\item {_sentence(item.parts)}" for item in items]
            yield "\n".join([r"\begin{itemize}", *bullets, r"\end{itemize}"])
        case Note(parts=parts, warning=warning):
            head = r"\textbf{Take care.} " if warning else ""
            yield rf"\begin{{quote}}{head}{_sentence(parts)}\end{{quote}}"
        case Table():
            yield "\n".join(_table(block))
        case Matrices(items=items):
            yield from ("\n".join(_matrix(item)) for item in items)
        case Formulas(items=items):
            yield from (text for item in items for text in _definition(item, block))
            quantities = [
                rf"\item[${quantity.symbol.latex}$] {escaped(quantity.meaning)}"
                for quantity in quantities_of(block)
            ]
            yield "\n".join([r"\begin{description}", *quantities, r"\end{description}"])
        case _:
            assert_never(block)


def _table(table: Table) -> Iterator[str]:
    notes = footnotes_of(table)
    wide = fit_of(table) is Fit.LANDSCAPE
    yield r"\begin{landscape}" if wide else r"\begingroup"
    yield (r"\scriptsize" if wide else r"\small") + r"\setlength{\tabcolsep}{4pt}"
    yield rf"\begin{{longtable}}{{{_alignment(table.columns)}}}"
    yield from _long_head(table.caption, [_head(column.head) for column in table.columns])
    for group in table.groups:
        if group.head is not None:
            head = rf"\textbf{{{escaped(group.head)}}}"
            yield rf"\multicolumn{{{len(table.columns)}}}{{l}}{{{head}}} \\*"
        yield from (_row([_cell(cell, notes) for cell in row]) for row in group.rows)
    yield r"\bottomrule"
    yield r"\end{longtable}"
    yield from _under(table, notes)
    yield r"\end{landscape}" if wide else r"\endgroup"


def _long_head(caption: str, heads: Sequence[str]) -> list[str]:
    return [
        rf"\caption{{{escaped(caption)}}}\\",
        rf"\toprule {_row(heads)} \midrule \endfirsthead",
        rf"\toprule {_row(heads)} \midrule \endhead",
    ]


def _alignment(columns: Sequence[Column]) -> str:
    """Give text room to wrap and keep numbers to the right."""
    texts = sum(not column.numeric for column in columns)
    room = max(0.12, (0.92 - 0.07 * (len(columns) - texts)) / max(texts, 1))
    wrapped = rf">{{\raggedright\arraybackslash}}p{{{room:.2f}\linewidth}}"
    return "".join("r" if column.numeric else wrapped for column in columns)


def _under(table: Table, notes: Footnotes) -> Iterator[str]:
    if table.note:
        yield rf"\noindent {_sentence(table.note.parts)}\par"
    if notes.legend:
        legend = ", ".join(f"{mark} {meaning}" for mark, meaning in notes.legend if mark in "↑↓")
        yield rf"\noindent {escaped(legend)}\par"
    for number, text in enumerate(notes.texts, 1):
        yield rf"\noindent\textsuperscript{{{number}}} {escaped(text)}\par"


def _matrix(matrix: Matrix) -> Iterator[str]:
    size = r"\tiny\setlength{\tabcolsep}{2pt}" if len(matrix.classes) > 8 else r"\small"  # noqa: PLR2004
    yield rf"\begingroup{size}"
    yield rf"\begin{{longtable}}{{l{'r' * len(matrix.classes)}}}"
    corner = r"true $\downarrow$ predicted $\rightarrow$"
    yield from _long_head(matrix.caption, [corner, *map(escaped, matrix.classes)])
    for name, row in zip(matrix.classes, matrix.rows, strict=True):
        yield _row([escaped(name), *(_share(cell) for cell in row)])
    yield r"\bottomrule"
    yield r"\end{longtable}\endgroup"


def _definition(definition: Definition, block: Formulas) -> Iterator[str]:
    measure = definition.measure
    defined = frozenset(item.measure.name for item in block.items)
    yield rf"\subsection*{{{escaped(measure.title)}}}"
    yield escaped(measure.answers)
    for words, formula in formulas_of(definition):
        label = rf" \qquad\text{{({words})}}" if words else ""
        yield rf"\[ {measure.symbol.latex} = {as_latex(formula)}{label} \]"
    for name in auxiliary_names(definition, defined):
        yield rf"\[ \text{{where }} {name.symbol.latex} = {as_latex(name.formula)} \]"
    yield escaped(facts_of(measure))


def _sentence(parts: Iterable[Part]) -> str:
    return "".join(_part(part) for part in parts)


def _part(part: Part) -> str:
    match part:
        case Strong():
            return rf"\textbf{{{escaped(cell_text(part))}}}"
        case Code():
            return rf"\texttt{{{escaped(cell_text(part))}}}"
        case Math(symbol=symbol):
            return f"${symbol.latex}$"
        case Value(score=score):
            return escaped(cell_text(part) + in_brackets(score))
        case _:
            return escaped(cell_text(part))


def _head(cell: Cell) -> str:
    if not isinstance(cell, MeasureName):
        return rf"\textbf{{{escaped(cell_text(cell))}}}"
    measure = cell.measure
    name = escaped(measure.title) if has_plain_symbol(measure) else f"${measure.symbol.latex}$"
    return f"{name} {escaped(ARROWS.get(measure.orientation, ''))}"


def _cell(cell: Cell, notes: Footnotes) -> str:
    match cell:
        case None:
            return ""
        case Value(score=score, best=best):
            written = escaped(cell_text(cell))
            number = notes.number(score)
            mark = rf"\textsuperscript{{{number}}}" if number else ""
            return (rf"\textbf{{{written}}}" if best else written) + mark
        case Verdict(word=word, backed=backed, because=because):
            values = ", ".join(
                f"${symbol.latex}$ = {escaped(score_text(score, measure))}"
                for symbol, score, measure in because
            )
            return f"{escaped(word)}{BACKING[backed]}" + (f" ({values})" if values else "")
        case MeasureName(measure=measure):
            return f"{escaped(measure.title)} {escaped(ARROWS.get(measure.orientation, ''))}"
        case str() | Strong() | Code() | Math():
            return _part(cell)
        case _:
            return escaped(cell_text(cell))


def _share(share: Share) -> str:
    written = escaped(count_text(share.count))
    return rf"\textbf{{{written}}}" if share.right else written


def _row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"
