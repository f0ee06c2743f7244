"""A report as a LaTeX article."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from reportgen.formulas.written import as_latex
from reportgen.rendering.explained import auxiliaries_of, facts_of, formulas_of, quantities_of
from reportgen.rendering.fitting import Fit, class_heads, fit_of, parted
from reportgen.rendering.footnotes import (
    ARROWS,
    BACKING,
    arrow_legend,
    footnotes_of,
    in_brackets,
    verdict_legend,
)
from reportgen.rendering.numbers import count_text, p_text
from reportgen.rendering.plain.latex_text import escaped, narrow
from reportgen.rendering.shipped import shipped_text
from reportgen.rendering.sizes import widths_of
from reportgen.rendering.texts import (
    cell_text,
    has_plain_symbol,
    lines_text,
    narrow_interval,
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
    Math,
    MeasureName,
    Share,
    Strong,
    Value,
    Verdict,
    Words,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reportgen.rendering.footnotes import Footnotes
    from reportgen.report.document import Block, Definition, Matrix, Report
    from reportgen.report.parts import Cell, Part
    from reportgen.scores import Score

SIZES = {Fit.ROOMY: r"\footnotesize", Fit.SMALL: r"\scriptsize", Fit.LANDSCAPE: r"\scriptsize"}
MANY_CLASSES = 8


def render_latex(report: Report) -> str:
    """Return the report as an article that compiles by itself."""
    lines = [
        shipped_text("preamble.tex"),
        rf"\title{{{escaped(report.title)}}}",
        r"\author{}\date{}",
        r"\begin{document}",
        r"\maketitle",
        rf"\noindent {_sentence(report.subtitle.parts)}",
    ]
    for section in parted(report).sections:
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
        case Bullets(items=items, numbered=numbered, first=first):
            counter = [rf"\setcounter{{enumi}}{{{first - 1}}}"] if numbered and first != 1 else []
            bullets = [*counter, *(rf"\item {_sentence(item.parts)}" for item in items)]
            kind = "enumerate" if numbered else "itemize"
            yield "\n".join([rf"\begin{{{kind}}}", *bullets, rf"\end{{{kind}}}"])
        case Heading(text=text):
            yield rf"\subsection*{{{escaped(text)}}}"
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
        case Figure(title=title, reading=reading, note=note):
            said = f"{_sentence(reading.parts)} {_sentence(note.parts) if note else ''}".strip()
            yield rf"\begin{{quote}}\textbf{{{escaped(title)}.}} {said}\end{{quote}}"
        case Listing(text=text):
            lines = [rf"\mbox{{}}{_listed(line)}" for line in lines_text(text).split("\n")]
            yield "\n".join([r"{\scriptsize\ttfamily\raggedright", "\\\\\n".join(lines), "}"])
        case _:
            assert_never(block)


def _listed(line: str) -> str:
    """Write a line of a listing; its spaces count, also those it begins with."""
    return escaped(line).replace("  ", "~~")


def _table(table: Table) -> Iterator[str]:
    notes = footnotes_of(table)
    fit = fit_of(table)
    yield r"\begin{landscape}" if fit is Fit.LANDSCAPE else r"\begingroup"
    yield SIZES[fit] + r"\setlength{\tabcolsep}{4pt}"
    yield rf"\begin{{longtable}}{{{_alignment(table)}}}"
    yield from _long_head(
        cell_text(table.caption), [_head(column.head) for column in table.columns]
    )
    for group in table.groups:
        if group.head is not None:
            head = rf"\textbf{{{narrow(cell_text(group.head))}}}"
            yield rf"\multicolumn{{{len(table.columns)}}}{{p{{0.95\linewidth}}}}{{{head}}} \\*"
        yield from (_row([_cell(cell, notes) for cell in row]) for row in group.rows)
    yield r"\bottomrule"
    yield r"\end{longtable}"
    yield from _under(table, notes)
    yield r"\end{landscape}" if fit is Fit.LANDSCAPE else r"\endgroup"


def _long_head(caption: str, heads: Sequence[str]) -> list[str]:
    return [
        *([rf"\caption{{{narrow(caption)}}}\\"] if caption else []),
        rf"\toprule {_row(heads)} \midrule \endfirsthead",
        rf"\toprule {_row(heads)} \midrule \endhead",
    ]


def _alignment(table: Table) -> str:
    """Share the line among the columns as they need it; text wraps, numbers stand to the right."""
    widths = widths_of(table)
    return "".join(
        _wrapped(width / sum(widths), len(widths), numeric=column.numeric)
        for width, column in zip(widths, table.columns, strict=True)
    )


def _wrapped(share: float, columns: int, *, numeric: bool) -> str:
    ragged = r"\raggedleft" if numeric else r"\raggedright"
    room = rf"\dimexpr{share:.3f}\linewidth-{2 * columns * share:.3f}\tabcolsep\relax"
    return rf">{{{ragged}\arraybackslash}}p{{{room}}}"


def _under(table: Table, notes: Footnotes) -> Iterator[str]:
    if table.note:
        yield rf"\noindent {_sentence(table.note.parts)}\par"
    if notes.legend:
        yield rf"\noindent {escaped(arrow_legend(notes))}\par"
    if verdicts := verdict_legend(notes):
        yield rf"\noindent {escaped(verdicts)}\par"
    for number, text in enumerate(notes.texts, 1):
        yield rf"\noindent\textsuperscript{{{number}}} {escaped(text)}\par"


def _matrix(matrix: Matrix) -> Iterator[str]:
    over, beside = class_heads(matrix)
    many = len(over) > MANY_CLASSES
    size = r"\tiny\setlength{\tabcolsep}{2pt}" if many else r"\footnotesize"
    names, room = (0.22, 0.78) if many else (0.3, 0.7)
    columns = _wrapped(room / len(over), len(over) + 1, numeric=True) * len(over)
    yield rf"\begingroup{size}"
    yield rf"\begin{{longtable}}{{{_wrapped(names, len(over) + 1, numeric=False)}{columns}}}"
    corner = r"true $\downarrow$ predicted $\rightarrow$"
    yield from _long_head(matrix.caption, [corner, *map(narrow, over)])
    for name, row in zip(beside, matrix.rows, strict=True):
        yield _row([narrow(name), *(_share(cell) for cell in row)])
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
    for name in auxiliaries_of(definition, defined):
        yield rf"\[ \text{{where }} {name.symbol.latex} = {as_latex(name.formula)} \]"
    if not block.brief:
        yield escaped(facts_of(definition, block.interval_method))


def _sentence(parts: Iterable[Part]) -> str:
    return "".join(_part(part) for part in parts)


def _part(part: Part) -> str:
    match part:
        case Strong(text=text):
            return rf"\textbf{{{narrow(text)}}}"
        case Emphasis(text=text):
            return rf"\emph{{{narrow(text)}}}"
        case Link(text=text, address=address):
            return rf"{narrow(text)} (\texttt{{{narrow(address)}}})"
        case Code():
            return rf"\texttt{{{narrow(cell_text(part))}}}"
        case Math(symbol=symbol):
            return f"${symbol.latex}$"
        case Estimate():
            return escaped(value_text(part))
        case Value(score=score):
            return escaped(value_text(part) + in_brackets(score))
        case _:
            return escaped(cell_text(part))


def _head(cell: Cell) -> str:
    if not isinstance(cell, MeasureName):
        return rf"\textbf{{{narrow(cell_text(cell))}}}"
    measure = cell.measure
    name = escaped(measure.title) if has_plain_symbol(measure) else f"${measure.symbol.latex}$"
    return f"{name} {escaped(ARROWS.get(measure.orientation, ''))}"


def _cell(cell: Cell, notes: Footnotes) -> str:
    match cell:
        case None:
            return ""
        case Value(score=score, best=best):
            written = escaped(cell_text(cell))
            shown = rf"\textbf{{{written}}}" if best else written
            return shown + _mark(score, notes) + _under_value(cell)
        case Estimate():
            return escaped(cell_text(cell)) + _under_value(cell)
        case Verdict():
            return _verdict(cell, notes)
        case MeasureName(measure=measure):
            return f"{escaped(measure.title)} {escaped(ARROWS.get(measure.orientation, ''))}"
        case str():
            return narrow(cell)
        case Words(parts=parts):
            return _sentence(parts)
        case Strong() | Emphasis() | Link() | Code() | Math():
            return _part(cell)
        case _:
            return escaped(cell_text(cell))


def _verdict(verdict: Verdict, notes: Footnotes) -> str:
    reasons = [
        f"${symbol.latex}$ = {escaped(cell_text(value))}{_mark(value.score, notes)}"
        for symbol, value in verdict.because
    ]
    if verdict.p_adjusted is not None:
        reasons.append(escaped(p_text(verdict.p_adjusted, named=True)))
    word = escaped(verdict.word)
    if verdict.backed is not None:
        word = rf"\textbf{{{word}}}" if verdict.backed else rf"\textit{{{word}}}"
    stands_on = f" ({', '.join(reasons)})" if reasons else ""
    return f"{word} ({BACKING[verdict.backed].words}){stands_on}"


def _under_value(value: Value | Estimate) -> str:
    interval = escaped(narrow_interval(value))
    # A box, because an end of an interval does not go alone into the next line.
    return rf" \newline\mbox{{\tiny\textcolor{{gray}}{{{interval}}}}}" if interval else ""


def _mark(score: Score, notes: Footnotes) -> str:
    number = notes.number(score)
    return rf"\textsuperscript{{{number}}}" if number else ""


def _share(share: Share) -> str:
    written = escaped(count_text(share.count))
    return rf"\textbf{{{written}}}" if share.right else written


def _row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"
