"""The report as plain data, which is all that templates see.

Sentences, cells, formulas and charts are markup already. Everything else is text, a number, a list
or a mapping from names to such values: no object of this program, no array and no function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, assert_never

from markupsafe import Markup, escape

from reportgen.measures import describe_interval_method
from reportgen.render.footnotes import ORIENTATION_TEXTS, collect_footnotes
from reportgen.render.glossary import (
    auxiliary_definitions,
    cited_references,
    definition_formulas,
    describe_undefined_cases,
    has_wide_formula,
    used_quantities,
)
from reportgen.render.number_format import format_percent, format_range, heat_level
from reportgen.render.page_script import cell_sort_key, is_sortable_table
from reportgen.render.pagination import (
    TableFit,
    choose_table_fit,
    fits_one_page,
    group_head_rows,
    has_numbered_classes,
    is_short_row_head,
    is_short_table,
    matrix_heads,
)
from reportgen.render.plain_text import block_anchor, cell_text
from reportgen.render.svg import render_figure, render_narrow_figure
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
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.render.footnotes import Footnotes
    from reportgen.render.inline_html import InlineRenderer
    from reportgen.report.document import (
        Block,
        Definition,
        Matrix,
        ReportDocument,
        ReportSection,
        RowGroup,
    )
    from reportgen.report.inline import TableCell
    from reportgen.report.what_if import WhatIfData

PlainValue: TypeAlias = (
    str | int | float | bool | Sequence["PlainValue"] | Mapping[str, "PlainValue"] | None
)
PlainData: TypeAlias = dict[str, PlainValue]


def report_data(
    report: ReportDocument, anchors: Sequence[str], renderer: InlineRenderer
) -> PlainData:
    """Return a report as plain data; `anchors` are those of its sections."""
    metadata = report.metadata
    return {
        "title": report.title,
        "subtitle": renderer.sentence(report.subtitle.parts),
        "sections": [
            _section_data(section, anchor, renderer)
            for section, anchor in zip(report.sections, anchors, strict=True)
        ],
        "colophon": renderer.sentence(report.colophon.parts),
        "what_if": None if report.what_if is None else _what_if_data(report.what_if),
        "description": metadata.description,
        "authors": list(metadata.authors),
        "date": metadata.date,
        "version": metadata.version,
        "data": metadata.data,
    }


def _what_if_data(what_if: WhatIfData) -> PlainData:
    return {
        "classes": list(what_if.classes or ()),
        "has_thresholds": bool(what_if.axes),
        "has_prevalence": bool(what_if.prevalence_measures),
        "thinned": bool(what_if.axes) and what_if.axes[0].thinned,
    }


def _section_data(section: ReportSection, anchor: str, renderer: InlineRenderer) -> PlainData:
    blocks = [_block_data(block, renderer) for block in section.blocks]
    return {
        "kind": section.kind,
        "title": section.title,
        "anchor": anchor,
        "chapter": {"name": section.chapter.name.lower(), "title": section.chapter.value},
        "landscape": any(block.get("fit") == TableFit.LANDSCAPE.value for block in blocks),
        "blocks": blocks,
    }


def _block_data(block: Block, renderer: InlineRenderer) -> PlainData:
    """Return a block; `kind` is the name of its template in blocks/."""
    return {"kind": type(block).__name__.lower(), **_block_content(block, renderer)}


def _block_content(block: Block, renderer: InlineRenderer) -> PlainData:
    match block:
        case Paragraph(parts=parts):
            return {"text": renderer.sentence(parts)}
        case Note(parts=parts, warning=warning):
            return {"text": renderer.sentence(parts), "warning": warning}
        case Heading(text=text, level=level):
            return {"text": text, "level": level}
        case Listing(text=text, language=language):
            return {"lines": text.split("\n"), "language": language}
        case Bullets(items=items, numbered=numbered, start=start):
            return {"entries": _sentences(items, renderer), "numbered": numbered, "start": start}
        case Callout(title=title, paragraphs=paragraphs, tone=tone):
            return {
                "title": renderer.sentence(title),
                "paragraphs": _sentences(paragraphs, renderer),
                "tone": tone.value,
            }
        case Tiles(items=items):
            return {
                "tiles": [
                    {
                        "label": renderer.sentence(tile.label),
                        "value": renderer.sentence(tile.value),
                        "lines": _sentences(tile.lines, renderer),
                    }
                    for tile in items
                ]
            }
        case Details(summary=summary, blocks=blocks):
            return {
                "summary": renderer.sentence(summary.parts),
                "blocks": [_block_data(part, renderer) for part in blocks],
            }
        case Figure():
            return _figure_data(block, renderer)
        case Matrices(items=items, label=label):
            return {
                "anchor": block_anchor(block),
                "label": label,
                "matrices": [_matrix_data(matrix, renderer) for matrix in items],
            }
        case Formulas():
            return _formulas_data(block, renderer)
        case Table():
            return _table_data(block, renderer)
        case _:
            assert_never(block)


def _sentences(paragraphs: Iterable[Paragraph], renderer: InlineRenderer) -> list[Markup]:
    return [renderer.sentence(paragraph.parts) for paragraph in paragraphs]


def _note(note: Paragraph | None, renderer: InlineRenderer) -> Markup:
    return Markup("") if note is None else renderer.sentence(note.parts)


def _figure_data(figure: Figure, renderer: InlineRenderer) -> PlainData:
    """Return a figure; on the page, `image` is one drawing for wide and one for narrow screens."""
    image = render_figure(figure, for_pdf=renderer.for_pdf)
    return {
        "name": figure.name,
        "anchor": block_anchor(figure),
        "label": figure.label,
        "title": figure.title,
        "image": image if renderer.for_pdf else image + render_narrow_figure(figure),
        "description": renderer.sentence(figure.description.parts),
        "note": _note(figure.note, renderer),
    }


def _matrix_data(matrix: Matrix, renderer: InlineRenderer) -> PlainData:
    column_heads, row_heads = matrix_heads(matrix)
    return {
        "name": matrix.name,
        "caption": matrix.caption,
        "classes": list(matrix.classes),
        "numbered": has_numbered_classes(matrix),
        "column_heads": [
            {"content": renderer.cell(head), "label": ""}
            if head == label
            else {"content": escape(head) + renderer.screen_reader_text(label), "label": label}
            for head, label in zip(column_heads, matrix.classes, strict=True)
        ],
        "rows": [
            {
                "head": renderer.cell(head),
                "cells": [
                    {
                        "content": renderer.cell(cell),
                        "count": cell.count,
                        "percent": format_percent(cell.row_proportion),
                        "heat_level": heat_level(cell.row_proportion),
                        "correct": cell.correct,
                    }
                    for cell in row
                ],
            }
            for head, row in zip(row_heads, matrix.rows, strict=True)
        ],
    }


def _formulas_data(formulas: Formulas, renderer: InlineRenderer) -> PlainData:
    return {
        "brief": formulas.brief,
        "quantities": [
            {"symbol": renderer.symbol(quantity.symbol), "meaning": quantity.meaning}
            for quantity in used_quantities(formulas)
        ],
        "definitions": [
            _definition_data(item, formulas.interval_method, renderer) for item in formulas.items
        ],
        "references": [
            {
                "authors": reference.authors,
                "year": reference.year,
                "title": reference.title,
                "publication": reference.publication,
            }
            for reference in cited_references(formulas)
        ],
    }


def _definition_data(
    definition: Definition, interval_method: str, renderer: InlineRenderer
) -> PlainData:
    measure = definition.measure
    return {
        "name": measure.name,
        "title": measure.title,
        "question": measure.question,
        "range": format_range(measure.range),
        "orientation": ORIENTATION_TEXTS[measure.orientation],
        "wide": has_wide_formula(definition),
        "formulas": [
            {"label": label, "equation": renderer.equation(measure.symbol, formula)}
            for label, formula in definition_formulas(definition)
        ],
        "auxiliary_equations": [
            renderer.equation(part.symbol, part.formula)
            for part in auxiliary_definitions(definition, renderer.linked_measures)
        ],
        "undefined_cases": describe_undefined_cases(definition),
        "caution": measure.caution,
        "interval_method": describe_interval_method(measure, interval_method),
        "source": measure.source.citation,
    }


def _table_data(table: Table, renderer: InlineRenderer) -> PlainData:
    notes = collect_footnotes(table)
    sortable = not renderer.for_pdf and is_sortable_table(table)
    return {
        "name": table.name,
        "anchor": block_anchor(table),
        "label": table.label,
        "caption": cell_text(table.caption),
        "fit": choose_table_fit(table).value,
        "short": is_short_table(table),
        "sortable": sortable,
        "group_heads": [
            [{"content": renderer.cell(head), "width": width} for head, width in row]
            for row in group_head_rows(table)
        ],
        "columns": [
            {"head": renderer.column_head(column.head), "numeric": column.numeric}
            for column in table.columns
        ],
        "groups": [
            _row_group_data(group, notes, renderer, sortable=sortable) for group in table.groups
        ],
        "note": _note(table.note, renderer),
        "marks": [{"symbol": symbol, "meaning": meaning} for symbol, meaning in notes.legend],
        "legend": _legend_entries(notes, renderer),
        "footnotes": list(notes.texts),
    }


def _row_group_data(
    group: RowGroup, notes: Footnotes, renderer: InlineRenderer, *, sortable: bool
) -> PlainData:
    def cell_data(cell: TableCell) -> PlainData:
        sort_key = cell_sort_key(cell) if sortable else ""
        return {"content": renderer.cell(cell, notes), "sort_key": sort_key}

    def head_data(head: TableCell, columns: int) -> PlainData:
        short = is_short_row_head(head, columns if renderer.for_pdf else None)
        return {"content": renderer.cell(head, notes), "short": short}

    return {
        "head": None if group.head is None else cell_text(group.head),
        "unbroken": fits_one_page(group),
        "rows": [
            {
                "head": head_data(head, len(cells) + 1),
                "cells": [cell_data(cell) for cell in cells],
            }
            for head, *cells in group.rows
        ],
    }


def _legend_entries(notes: Footnotes, renderer: InlineRenderer) -> list[Markup]:
    """Return the explanations of verdicts, rank ranges and marks in a table."""
    entries = [renderer.verdict_legend_entry(state) for state in notes.significance_states]
    entries += [renderer.rank_legend_entry()] if notes.has_rank_ranges else []
    entries += [renderer.mark_legend_entries(notes.mark_states)] if notes.mark_states else []
    return entries
