"""A report as a LaTeX article."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from reportgen.formats import FORMATS
from reportgen.measures.formula.notation import formula_as_latex
from reportgen.render.footnotes import (
    ORIENTATION_ARROWS,
    SIGNIFICANCE_MARKS,
    arrow_legend,
    collect_footnotes,
    reason_in_brackets,
    verdict_legend,
)
from reportgen.render.glossary import (
    auxiliary_definitions,
    definition_formulas,
    measure_facts,
    used_quantities,
)
from reportgen.render.number_format import format_frequency, format_p_value
from reportgen.render.pagination import (
    TableFit,
    choose_table_fit,
    estimate_column_widths,
    group_head_rows,
    matrix_heads,
    split_wide_tables,
)
from reportgen.render.plain_text import (
    BREAK_INTERVAL,
    MAX_UNBROKEN_LETTERS,
    block_anchor,
    cell_text,
    escape_invisible,
    estimate_text,
    interval_text,
    listing_text,
    symbol_equals_title,
)
from reportgen.render.resources import read_resources
from reportgen.report.document import (
    Bullets,
    Callout,
    Details,
    Figure,
    Formulas,
    Heading,
    Listing,
    Matrices,
    Note,
    Paragraph,
    Table,
    Tiles,
    iter_blocks,
    omit_details,
)
from reportgen.report.inline import (
    CapabilityName,
    CellGroup,
    Emphasis,
    Estimate,
    Hyperlink,
    InlineCode,
    InlineText,
    MathSymbol,
    MatrixCell,
    MeasureEstimate,
    MeasureName,
    RankRange,
    RatingMeasureName,
    Strong,
    VerdictBadge,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reportgen.evaluation.values import MeasureValue
    from reportgen.render.footnotes import Footnotes
    from reportgen.render.formats import RenderInput
    from reportgen.report.document import Block, Definition, Matrix, ReportDocument, Tile
    from reportgen.report.inline import Inline, TableCell


# Escaping plain text for all LaTeX engines.

LAST_LATIN_CODE_POINT = 0x17F
TEXT_COMMANDS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2009": r"\,",
    "–": "--",
    "—": "---",
    "\u2018": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "·": r"\textperiodcentered{}",
    "²": "$^2$",
    "³": "$^3$",
    "ₖ": "$_k$",
    "ŷ": r"$\hat{y}$",
    "ȳ": r"$\bar{y}$",
    "✓": r"$\checkmark$",
    "✗": r"$\times$",
    "●": r"$\bullet$",
    "▲": r"$\blacktriangle$",
    "▼": r"$\blacktriangledown$",
}
MATH_COMMANDS = {
    "−": "-",
    "∞": r"\infty",
    "×": r"\times",
    "÷": r"\div",
    "±": r"\pm",
    "≥": r"\ge",
    "≤": r"\le",
    "≠": r"\ne",
    "≈": r"\approx",
    "√": r"\surd",
    "∑": r"\sum",
    "↑": r"\uparrow",
    "↓": r"\downarrow",
    "→": r"\rightarrow",
    "←": r"\leftarrow",
    "⁻": "^{-}",
    **{digit: f"^{number}" for number, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}
GREEK_COMMANDS = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "varepsilon",
    "η": "eta",
    "θ": "theta",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ν": "nu",
    "π": "pi",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "varphi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
    "Γ": "Gamma",
    "Δ": "Delta",
    "Σ": "Sigma",
    "Φ": "Phi",
    "Ω": "Omega",
}
LATEX_COMMANDS = {
    **{letter: f"${command}$" for letter, command in MATH_COMMANDS.items()},
    **{letter: rf"$\{name}$" for letter, name in GREEK_COMMANDS.items()},
    **TEXT_COMMANDS,
}


def escape_latex(text: str) -> str:
    """Return text with all characters escaped that LaTeX would interpret."""
    return "".join(_escape_character(character) for character in escape_invisible(text))


def escape_latex_breakable(text: str) -> str:
    """Return escaped text for a column; long words have break points."""
    return " ".join(
        r"\allowbreak{}".join(
            escape_latex(word[start : start + BREAK_INTERVAL])
            for start in range(0, len(word), BREAK_INTERVAL)
        )
        if len(word) > MAX_UNBROKEN_LETTERS
        else escape_latex(word)
        for word in escape_invisible(text).split(" ")
    )


def _escape_character(character: str) -> str:
    command = LATEX_COMMANDS.get(character)
    if command is not None:
        return command
    if ord(character) <= LAST_LATIN_CODE_POINT:
        return character
    return rf"\othercharacter{{{character}}}{{U+{ord(character):04X}}}"


LATEX_FONT_SIZES = {
    TableFit.REGULAR: r"\footnotesize",
    TableFit.SMALL: r"\scriptsize",
    TableFit.LANDSCAPE: r"\scriptsize",
}
MIN_SMALL_MATRIX = 8


def latex_files(source: RenderInput) -> dict[str, bytes]:
    """Return report.tex."""
    return {FORMATS["latex"].files: render_latex(source.document).encode()}


_INPUT_COMMENT = (
    r"% \input this file; the preamble needs array, booktabs, longtable, pdflscape, xcolor and"
    "\n% amssymb."
)


def latex_table_files(source: RenderInput) -> dict[str, bytes]:
    """Return each table of the report as a file to be input, named after its anchor."""
    files: dict[str, bytes] = {}
    for section in split_wide_tables(omit_details(source.document)).sections:
        for block in iter_blocks(section.blocks):
            if not isinstance(block, Table):
                continue
            name = block_anchor(block).removeprefix("table-")
            path = FORMATS["latex_tables"].files.replace("*", name)
            # Parts of a table that is too wide for a page stay in one file.
            parts = [files[path].decode()] if path in files else [_INPUT_COMMENT]
            files[path] = "\n".join([*parts, *_render_table(block), ""]).encode()
    return files


def render_latex(report: ReportDocument) -> str:
    """Return the report as a self-contained LaTeX article."""
    lines = [
        read_resources("preamble.tex"),
        rf"\title{{{escape_latex(report.title)}}}",
        r"\author{}\date{}",
        r"\begin{document}",
        r"\maketitle",
        rf"\noindent {_render_sentence(report.subtitle.parts)}",
    ]
    for section in split_wide_tables(omit_details(report)).sections:
        lines.append(rf"\section{{{escape_latex(section.title)}}}")
        lines.extend(text for block in section.blocks for text in _render_block(block))
    lines.extend(
        [r"\bigskip\noindent\small " + _render_sentence(report.colophon.parts), r"\end{document}"]
    )
    return "\n\n".join(lines) + "\n"


def _render_block(block: Block) -> Iterator[str]:  # noqa: PLR0915  # a case per kind
    match block:
        case Paragraph(parts=parts):
            yield _render_sentence(parts)
        case Bullets():
            yield _render_bullets(block)
        case Heading(text=text):
            yield rf"\subsection*{{{escape_latex(text)}}}"
        case Note(parts=parts, warning=warning):
            head = r"\textbf{Caution.} " if warning else ""
            yield rf"\begin{{quote}}{head}{_render_sentence(parts)}\end{{quote}}"
        case Callout(title=title, paragraphs=paragraphs):
            sentences = (_render_sentence(paragraph.parts) for paragraph in paragraphs)
            text = "\n\n".join((rf"\textbf{{{_render_sentence(title)}}}", *sentences))
            yield rf"\begin{{quote}}{text}\end{{quote}}"
        case Tiles(items=items):
            yield "\n".join([r"\begin{itemize}", *map(_render_tile, items), r"\end{itemize}"])
        case Table():
            yield "\n".join(_render_table(block))
        case Matrices(items=items):
            if block.label:
                yield rf"\noindent\textbf{{{block.label}. Confusion matrices}}"
            yield from ("\n".join(_render_matrix(item)) for item in items)
        case Formulas(items=items):
            yield from (text for item in items for text in _render_definition(item, block))
            quantities = [
                rf"\item[${quantity.symbol.latex}$] {escape_latex(quantity.meaning)}"
                for quantity in used_quantities(block)
            ]
            yield "\n".join([r"\begin{description}", *quantities, r"\end{description}"])
        case Figure():
            yield _render_figure(block)
        case Listing(text=text):
            yield _render_listing(text)
        case Details(blocks=blocks):
            yield from (text for part in blocks for text in _render_block(part))
        case _:
            assert_never(block)


def _render_tile(tile: Tile) -> str:
    lines = "; ".join(_render_sentence(line.parts) for line in tile.lines)
    value = rf"\textbf{{{_render_sentence(tile.value)}}}"
    return rf"\item {_render_sentence(tile.label)}: {value}{f' ({lines})' if lines else ''}"


def _render_bullets(bullets: Bullets) -> str:
    is_continued = bullets.numbered and bullets.start != 1
    counter = [rf"\setcounter{{enumi}}{{{bullets.start - 1}}}"] if is_continued else []
    items = [rf"\item {_render_sentence(item.parts)}" for item in bullets.items]
    kind = "enumerate" if bullets.numbered else "itemize"
    return "\n".join([rf"\begin{{{kind}}}", *counter, *items, rf"\end{{{kind}}}"])


def _render_figure(figure: Figure) -> str:
    """Return a figure in words, with its number and label."""
    paragraphs = (figure.description, figure.note)
    sentences = [_render_sentence(paragraph.parts) for paragraph in paragraphs if paragraph]
    anchor, label = "", ""
    if figure.number:
        counter = rf"\renewcommand{{\thefigure}}{{{figure.number}}}\refstepcounter{{figure}}"
        anchor = rf"{counter}\label{{{block_anchor(figure)}}}"
        label = f"{figure.label}. "
    title = rf"\textbf{{{label}{escape_latex(figure.title)}.}}"
    return rf"\begin{{quote}}{anchor}{title} {' '.join(sentences).strip()}\end{{quote}}"


def _render_listing(text: str) -> str:
    lines = [rf"\mbox{{}}{_listing_line(line)}" for line in listing_text(text).split("\n")]
    return "\n".join([r"{\scriptsize\ttfamily\raggedright", "\\\\\n".join(lines), "}"])


def _listing_line(line: str) -> str:
    """Return a line of a listing with its spaces preserved."""
    return escape_latex(line).replace("  ", "~~")


def _render_table(table: Table) -> Iterator[str]:
    notes = collect_footnotes(table)
    fit = choose_table_fit(table)
    yield r"\begin{landscape}" if fit is TableFit.LANDSCAPE else r"\begingroup"
    yield LATEX_FONT_SIZES[fit] + r"\setlength{\tabcolsep}{4pt}"
    if table.number:
        yield rf"\renewcommand{{\thetable}}{{{table.number}}}"
    yield rf"\begin{{longtable}}{{{_column_specs(table)}}}"
    heads = [_render_head(column.head) for column in table.columns]
    yield from _longtable_head(_caption_command(table), heads, _group_head_lines(table))
    for group in table.groups:
        if group.head is not None:
            head = rf"\textbf{{{escape_latex_breakable(cell_text(group.head))}}}"
            yield rf"\multicolumn{{{len(table.columns)}}}{{p{{0.95\linewidth}}}}{{{head}}} \\*"
        yield from (_table_row([_render_cell(cell, notes) for cell in row]) for row in group.rows)
    yield r"\bottomrule"
    yield r"\end{longtable}"
    yield from _table_notes(table, notes)
    yield r"\end{landscape}" if fit is TableFit.LANDSCAPE else r"\endgroup"


def _caption_command(table: Table) -> str:
    """Return the caption with the number and the label of the table, or an empty text."""
    if not table.caption:
        return ""
    caption = escape_latex_breakable(cell_text(table.caption))
    if not table.number:
        return rf"\caption*{{{caption}}}"
    return rf"\caption{{{caption}}}\label{{{block_anchor(table)}}}"


def _longtable_head(caption_command: str, heads: Sequence[str], above: str = "") -> list[str]:
    return [
        *([rf"{caption_command}\\"] if caption_command else []),
        rf"\toprule {above}{_table_row(heads)} \midrule \endfirsthead",
        rf"\toprule {above}{_table_row(heads)} \midrule \endhead",
    ]


def _group_head_lines(table: Table) -> str:
    """Return the rows of heads above the column heads, with rules below their columns."""
    lines = []
    for row in group_head_rows(table):
        cells, rules, start = [], [], 1
        for head, width in row:
            text = rf"\raggedright\arraybackslash {_render_head(head)}" if head else ""
            share = rf"\dimexpr{width / len(table.columns):.3f}\linewidth\relax"
            cells.append(rf"\multicolumn{{{width}}}{{p{{{share}}}}}{{{text}}}" if head else "")
            if head and width > 1:
                rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
            start += width
        lines.append(f"{_table_row(cells)} {''.join(rules)} ")
    return "".join(lines)


def _column_specs(table: Table) -> str:
    """Return the column specification: text wraps in widths by content, numbers align right."""
    widths = estimate_column_widths(table)
    return "".join(
        _column_spec(width / sum(widths), len(widths), numeric=column.numeric)
        for width, column in zip(widths, table.columns, strict=True)
    )


def _column_spec(fraction: float, columns: int, *, numeric: bool) -> str:
    alignment = r"\raggedleft" if numeric else r"\raggedright"
    width = rf"\dimexpr{fraction:.3f}\linewidth-{2 * columns * fraction:.3f}\tabcolsep\relax"
    return rf">{{{alignment}\arraybackslash}}p{{{width}}}"


def _table_notes(table: Table, notes: Footnotes) -> Iterator[str]:
    if table.note:
        yield rf"\noindent {_render_sentence(table.note.parts)}\par"
    if notes.legend:
        yield rf"\noindent {escape_latex(arrow_legend(notes))}\par"
    if verdicts := verdict_legend(notes):
        yield rf"\noindent {escape_latex(verdicts)}\par"
    for number, text in enumerate(notes.texts, 1):
        yield rf"\noindent\textsuperscript{{{number}}} {escape_latex(text)}\par"


def _render_matrix(matrix: Matrix) -> Iterator[str]:
    column_heads, row_heads = matrix_heads(matrix)
    is_large = len(column_heads) > MIN_SMALL_MATRIX
    size = r"\tiny\setlength{\tabcolsep}{2pt}" if is_large else r"\footnotesize"
    names_width, counts_width = (0.22, 0.78) if is_large else (0.3, 0.7)
    count, n_columns = len(column_heads), len(column_heads) + 1
    name_column = _column_spec(names_width, n_columns, numeric=False)
    count_columns = _column_spec(counts_width / count, n_columns, numeric=True) * count
    yield rf"\begingroup{size}"
    yield rf"\begin{{longtable}}{{{name_column}{count_columns}}}"
    corner = r"true $\downarrow$ predicted $\rightarrow$"
    caption = rf"\caption*{{{escape_latex_breakable(matrix.caption)}}}"
    yield from _longtable_head(caption, [corner, *map(escape_latex_breakable, column_heads)])
    for name, row in zip(row_heads, matrix.rows, strict=True):
        yield _table_row(
            [escape_latex_breakable(name), *(_render_matrix_cell(cell) for cell in row)]
        )
    yield r"\bottomrule"
    yield r"\end{longtable}\endgroup"


def _render_definition(definition: Definition, block: Formulas) -> Iterator[str]:
    measure = definition.measure
    defined = frozenset(item.measure.name for item in block.items)
    yield rf"\subsection*{{{escape_latex(measure.title)}}}"
    yield escape_latex(measure.question)
    for introduction, formula in definition_formulas(definition):
        label = rf" \qquad\text{{({introduction})}}" if introduction else ""
        yield rf"\[ {measure.symbol.latex} = {formula_as_latex(formula)}{label} \]"
    for name in auxiliary_definitions(definition, defined):
        yield rf"\[ \text{{where }} {name.symbol.latex} = {formula_as_latex(name.formula)} \]"
    if not block.brief:
        yield escape_latex(measure_facts(definition, block.interval_method))


def _render_sentence(parts: Iterable[Inline]) -> str:
    return "".join(_render_inline(part) for part in parts)


def _render_inline(part: Inline) -> str:
    match part:
        case Strong(text=text):
            return rf"\textbf{{{escape_latex_breakable(text)}}}"
        case Emphasis(text=text):
            return rf"\emph{{{escape_latex_breakable(text)}}}"
        case Hyperlink(text=text, url=address):
            return rf"{escape_latex_breakable(text)} (\texttt{{{escape_latex_breakable(address)}}})"
        case InlineCode():
            return rf"\texttt{{{escape_latex_breakable(cell_text(part))}}}"
        case MathSymbol(symbol=symbol):
            return f"${symbol.latex}$"
        case Estimate():
            return escape_latex(estimate_text(part))
        case MeasureEstimate(value=score):
            return escape_latex(estimate_text(part) + reason_in_brackets(score))
        case _:
            return escape_latex(cell_text(part))


def _render_head(cell: TableCell) -> str:
    if isinstance(cell, CapabilityName):
        title, question = cell.capability.title, cell.capability.question
        return rf"\textbf{{{escape_latex_breakable(title)}}} {escape_latex(question)}"
    if isinstance(cell, RatingMeasureName):
        arrow = ORIENTATION_ARROWS.get(cell.measure.orientation, "")
        return rf"\textbf{{{escape_latex_breakable(cell_text(cell))}}} {escape_latex(arrow)}"
    if not isinstance(cell, MeasureName):
        return rf"\textbf{{{escape_latex_breakable(cell_text(cell))}}}"
    measure = cell.measure
    name = (
        escape_latex(measure.title) if symbol_equals_title(measure) else f"${measure.symbol.latex}$"
    )
    return f"{name} {escape_latex(ORIENTATION_ARROWS.get(measure.orientation, ''))}"


def _render_cell(cell: TableCell, notes: Footnotes) -> str:
    match cell:
        case None:
            return ""
        case MeasureEstimate(value=score, best=best):
            text = escape_latex(cell_text(cell))
            content = rf"\textbf{{{text}}}" if best else text
            return content + _footnote_mark(score, notes) + _interval_line(cell)
        case Estimate():
            return escape_latex(cell_text(cell)) + _interval_line(cell)
        case VerdictBadge(alternative_text=""):
            return _render_verdict(cell, notes)
        case VerdictBadge(text=text, significant=significant):
            return rf"\textbf{{{escape_latex(text)}}}" if significant else escape_latex(text)
        case RankRange(estimate=estimate):
            mark = _footnote_mark(estimate.value, notes) if estimate else ""
            return escape_latex(cell_text(cell)) + mark
        case CellGroup(items=items, in_row=in_row):
            separator = "~" if in_row else r" \newline "
            return separator.join(_render_group_item(item, notes) for item in items)
        case MeasureName(measure=measure):
            arrow = ORIENTATION_ARROWS.get(measure.orientation, "")
            return f"{escape_latex(measure.title)} {escape_latex(arrow)}"
        case str():
            return escape_latex_breakable(cell)
        case InlineText(parts=parts):
            return _render_sentence(parts)
        case Strong() | Emphasis() | Hyperlink() | InlineCode() | MathSymbol():
            return _render_inline(cell)
        case _:
            return escape_latex(cell_text(cell))


def _render_group_item(item: TableCell, notes: Footnotes) -> str:
    """Return an element of a group: values are without interval."""
    if isinstance(item, MeasureEstimate):
        return escape_latex(cell_text(item)) + _footnote_mark(item.value, notes)
    return _render_cell(item, notes)


def _render_verdict(verdict: VerdictBadge, notes: Footnotes) -> str:
    reasons = [
        f"${symbol.latex}$ = {escape_latex(cell_text(value))}{_footnote_mark(value.value, notes)}"
        for symbol, value in verdict.estimates
    ]
    if verdict.p_adjusted is not None:
        reasons.append(escape_latex(format_p_value(verdict.p_adjusted, with_symbol=True)))
    text = escape_latex(verdict.text)
    if verdict.significant is not None:
        text = rf"\textbf{{{text}}}" if verdict.significant else rf"\textit{{{text}}}"
    basis = f" ({', '.join(reasons)})" if reasons else ""
    return f"{text} ({SIGNIFICANCE_MARKS[verdict.significant].label}){basis}"


def _interval_line(estimate: MeasureEstimate | Estimate) -> str:
    interval = escape_latex(interval_text(estimate))
    # A box, so that no line break separates the limits of an interval.
    return rf" \newline\mbox{{\tiny\textcolor{{gray}}{{{interval}}}}}" if interval else ""


def _footnote_mark(value: MeasureValue, notes: Footnotes) -> str:
    number = notes.note_number(value)
    return rf"\textsuperscript{{{number}}}" if number else ""


def _render_matrix_cell(cell: MatrixCell) -> str:
    text = escape_latex(format_frequency(cell.count))
    return rf"\textbf{{{text}}}" if cell.correct else text


def _table_row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"
