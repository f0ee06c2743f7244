"""A report as Markdown with tables, as GitHub reads it."""

from __future__ import annotations

import re
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
from reportgen.render.number_format import SUPERSCRIPT_DIGITS, format_p_value
from reportgen.render.pagination import group_head_rows
from reportgen.render.plain_text import (
    block_anchor,
    capability_head,
    cell_text,
    code_text,
    estimate_text,
    interval_text,
    listing_text,
    short_measure_name,
)
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
    omit_details,
)
from reportgen.report.inline import (
    CapabilityName,
    CellGroup,
    Emphasis,
    Estimate,
    Hyperlink,
    InlineCode,
    MatrixCell,
    MeasureEstimate,
    MeasureName,
    RankRange,
    RatingMeasureName,
    Strong,
    VerdictBadge,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reportgen.evaluation.values import MeasureValue
    from reportgen.render.footnotes import Footnotes
    from reportgen.render.formats import RenderInput
    from reportgen.report.document import Block, Definition, Matrix, ReportDocument, Tile
    from reportgen.report.inline import Inline, TableCell

MARKDOWN_SPECIAL_CHARACTERS = re.compile(r"([\\`*_{}\[\]<>|#~$!&])")
CODE_REPLACEMENTS = str.maketrans("`|", "'¦")
SIGNIFICANCE_EMPHASIS = {True: "**", False: "*", None: ""}


def markdown_files(source: RenderInput) -> dict[str, bytes]:
    """Return report.md."""
    return {FORMATS["markdown"].files: render_markdown(source.document).encode()}


def render_markdown(report: ReportDocument) -> str:
    """Return the report as Markdown."""
    about = report.metadata
    imprint = [part for part in (about.date, about.version, ", ".join(about.authors)) if part]
    lines = [
        f"# {escape_markdown(report.title)}",
        *((escape_markdown(" · ".join(imprint)),) if imprint else ()),
        *((escape_markdown(about.description),) if about.description else ()),
        render_sentence(report.subtitle.parts),
        *((f"Data: {escape_markdown(about.data)}.",) if about.data else ()),
    ]
    for section in omit_details(report).sections:
        lines.append(f"## {escape_markdown(section.title)}")
        lines.extend(text for block in section.blocks for text in _render_block(block))
    lines.extend(["---", render_sentence(report.colophon.parts)])
    return "\n\n".join(lines) + "\n"


def _render_block(block: Block) -> Iterator[str]:  # noqa: PLR0915  # a case per kind
    match block:
        case Paragraph(parts=parts):
            yield render_sentence(parts)
        case Bullets(items=items, numbered=numbered, start=first):
            yield "\n".join(
                f"{f'{number}.' if numbered else '-'} {render_sentence(item.parts)}"
                for number, item in enumerate(items, first)
            )
        case Heading(text=text, level=level):
            yield f"{'#' * level} {escape_markdown(text)}"
        case Note(parts=parts, warning=warning):
            yield f"> [!{'WARNING' if warning else 'NOTE'}]\n> {render_sentence(parts)}"
        case Callout(title=title, paragraphs=paragraphs):
            yield f"**{render_sentence(title).replace('**', '')}**"
            yield from (render_sentence(paragraph.parts) for paragraph in paragraphs)
        case Tiles(items=items):
            yield "\n".join(map(_render_tile, items))
        case Table():
            yield from _render_table(block)
        case Matrices(items=items):
            if block.label:
                yield _caption(block, "Confusion matrices")
            yield from (text for item in items for text in _render_matrix(item))
        case Formulas(items=items):
            yield from (text for item in items for text in _render_definition(item, block))
            yield "\n".join(
                f"- `{quantity.symbol.text}`: {escape_markdown(quantity.meaning)}"
                for quantity in used_quantities(block)
            )
        case Figure():
            yield from _render_figure(block)
        case Listing(text=text, language=language):
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            yield f"{fence}{language}\n{listing_text(text)}\n{fence}"
        case Details(blocks=blocks):
            yield from (text for part in blocks for text in _render_block(part))
        case _:
            assert_never(block)


def _render_tile(tile: Tile) -> str:
    lines = "; ".join(render_sentence(line.parts) for line in tile.lines)
    value = render_sentence(tile.value)
    return f"- {render_sentence(tile.label)}: **{value}**{f' ({lines})' if lines else ''}"


def _render_figure(figure: Figure) -> Iterator[str]:
    yield _caption(figure, figure.title)
    yield f"[figure: {render_sentence(figure.description.parts)}]"
    if figure.note:
        yield render_sentence(figure.note.parts)


def _caption(block: Table | Matrices | Figure, text: str) -> str:
    """Return the number and the caption in bold, with an anchor."""
    label = f"{block.label}. " if block.label else ""
    return f'<a id="{block_anchor(block)}"></a>**{label}{escape_markdown(text)}**'


def _render_table(table: Table) -> Iterator[str]:
    notes = collect_footnotes(table)
    if table.caption:
        yield _caption(table, cell_text(table.caption))
    lines = [*_render_table_head(table)]
    for group in table.groups:
        if group.head is not None:
            lines.append(
                _table_row(
                    [
                        f"**{escape_markdown(cell_text(group.head))}**",
                        *[""] * (len(table.columns) - 1),
                    ]
                )
            )
        lines.extend(_table_row([_render_cell(cell, notes) for cell in row]) for row in group.rows)
    yield "\n".join(lines)
    if table.note:
        yield render_sentence(table.note.parts)
    if notes.legend:
        yield arrow_legend(notes)
    if legend := verdict_legend(notes):
        yield escape_markdown(legend)
    if notes.texts:
        yield "  \n".join(
            f"{str(number).translate(SUPERSCRIPT_DIGITS)} {escape_markdown(text)}"
            for number, text in enumerate(notes.texts, 1)
        )


def _render_table_head(table: Table) -> list[str]:
    """Return the head; heads above the column heads are the first row, others are bold rows."""
    rows = [
        [text for head, width in row for text in (_render_head(head), *[""] * (width - 1))]
        for row in group_head_rows(table)
    ]
    rows.append([_render_head(column.head) for column in table.columns])
    rule = _table_row(["---:" if column.numeric else "---" for column in table.columns])
    bold = [[f"**{text}**" if text else "" for text in row] for row in rows[1:]]
    return [_table_row(rows[0]), rule, *map(_table_row, bold)]


def _render_matrix(matrix: Matrix) -> Iterator[str]:
    yield f"**{escape_markdown(matrix.caption)}**"
    rows = [
        _table_row([escape_markdown(name), *(_render_matrix_cell(cell) for cell in row)])
        for name, row in zip(matrix.classes[: len(matrix.rows)], matrix.rows, strict=True)
    ]
    head = _table_row(["true ↓ predicted →", *map(escape_markdown, matrix.classes)])
    yield "\n".join([head, _table_row(["---", *["---:"] * len(matrix.classes)]), *rows])


def _render_definition(definition: Definition, block: Formulas) -> Iterator[str]:
    measure = definition.measure
    defined = frozenset(item.measure.name for item in block.items)
    yield f"### {escape_markdown(measure.title)}"
    yield escape_markdown(measure.question)
    for introduction, formula in definition_formulas(definition):
        if introduction:
            yield f"{introduction}:"
        yield f"```math\n{measure.symbol.latex} = {formula_as_latex(formula)}\n```"
    for name in auxiliary_definitions(definition, defined):
        yield f"where\n\n```math\n{name.symbol.latex} = {formula_as_latex(name.formula)}\n```"
    if not block.brief:
        yield escape_markdown(measure_facts(definition, block.interval_method))


def render_sentence(parts: Iterable[Inline]) -> str:
    """Return a sentence as Markdown."""
    return "".join(_render_inline(part) for part in parts).strip()


def _render_inline(part: Inline) -> str:
    match part:
        case Strong():
            return f"**{escape_markdown(cell_text(part))}**"
        case Emphasis():
            return f"*{escape_markdown(cell_text(part))}*"
        case Hyperlink(url=address):
            return f"[{escape_markdown(cell_text(part))}](<{address}>)"
        case InlineCode():
            return _render_code(part)
        case Estimate():
            return escape_markdown(estimate_text(part))
        case MeasureEstimate(value=score):
            return escape_markdown(estimate_text(part) + reason_in_brackets(score))
        case _:
            return escape_markdown(cell_text(part))


def _render_head(cell: TableCell) -> str:
    if isinstance(cell, MeasureName | RatingMeasureName):
        arrow = ORIENTATION_ARROWS.get(cell.measure.orientation, "")
        is_rating = isinstance(cell, RatingMeasureName)
        name = cell_text(cell) if is_rating else short_measure_name(cell.measure)
        return f"{escape_markdown(name)} {arrow}".strip()
    return escape_markdown(
        capability_head(cell) if isinstance(cell, CapabilityName) else cell_text(cell)
    )


def _render_cell(cell: TableCell, notes: Footnotes) -> str:
    match cell:
        case MeasureEstimate(value=score, best=best):
            text, interval = escape_markdown(cell_text(cell)), interval_text(cell)
            suffix = f" ({escape_markdown(interval)})" if interval else ""
            return (f"**{text}**" if best else text) + _footnote_mark(score, notes) + suffix
        case Estimate():
            return _render_inline(cell)
        case VerdictBadge(alternative_text=""):
            return _render_verdict(cell, notes)
        case VerdictBadge(text=text, significant=significant):
            return f"**{escape_markdown(text)}**" if significant else escape_markdown(text)
        case RankRange(estimate=estimate):
            mark = _footnote_mark(estimate.value, notes) if estimate else ""
            return escape_markdown(cell_text(cell)) + mark
        case CellGroup(items=items, in_row=in_row):
            return (" " if in_row else "<br>").join(
                _render_group_item(item, notes) for item in items
            )
        case MeasureName(measure=measure):
            arrow = ORIENTATION_ARROWS.get(measure.orientation, "")
            return f"{escape_markdown(measure.title)} {arrow}".strip()
        case MatrixCell():
            return _render_matrix_cell(cell)
        case InlineCode() | Hyperlink():
            return _render_inline(cell)
        case _:
            return escape_markdown(cell_text(cell))


def _render_group_item(item: TableCell, notes: Footnotes) -> str:
    """Return an element of a group: values are without interval."""
    if isinstance(item, MeasureEstimate):
        return escape_markdown(cell_text(item)) + _footnote_mark(item.value, notes)
    return _render_cell(item, notes)


def _render_verdict(verdict: VerdictBadge, notes: Footnotes) -> str:
    reasons = [
        escape_markdown(f"{symbol.text} = {cell_text(value)}") + _footnote_mark(value.value, notes)
        for symbol, value in verdict.estimates
    ]
    if verdict.p_adjusted is not None:
        reasons.append(escape_markdown(format_p_value(verdict.p_adjusted, with_symbol=True)))
    basis = f" ({', '.join(reasons)})" if reasons else ""
    emphasis = SIGNIFICANCE_EMPHASIS[verdict.significant]
    text = f"{emphasis}{escape_markdown(verdict.text)}{emphasis}"
    return f"{text} ({SIGNIFICANCE_MARKS[verdict.significant].label}){basis}"


def _footnote_mark(value: MeasureValue, notes: Footnotes) -> str:
    return str(notes.note_number(value) or "").translate(SUPERSCRIPT_DIGITS)


def _render_matrix_cell(cell: MatrixCell) -> str:
    text = escape_markdown(cell_text(cell))
    return f"**{text}**" if cell.correct else text


def _render_code(code: InlineCode) -> str:
    """Return code between backticks, with backticks and table bars escaped."""
    return f"`{code_text(code).translate(CODE_REPLACEMENTS)}`"


def _table_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escape_markdown(text: str) -> str:
    """Return text from data as one line of Markdown that shows it and nothing else."""
    return MARKDOWN_SPECIAL_CHARACTERS.sub(r"\\\1", cell_text(text)).replace("\\&", "&amp;")
