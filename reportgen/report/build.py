"""Build a report from an evaluation: requested or default sections, title and colophon."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, is_dataclass, replace
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar, cast

from reportgen import __version__
from reportgen.evaluation.cross_validation import Stratification
from reportgen.report.document import (
    Chapter,
    Details,
    DocumentMetadata,
    Figure,
    Listing,
    Matrices,
    Note,
    Paragraph,
    ReportDocument,
    ReportSection,
    Table,
)
from reportgen.report.findings.recommendation import case_noun
from reportgen.report.formatting import confidence_level
from reportgen.report.inline import Count, InlineCode, MeasureEstimate, Strong
from reportgen.report.markdown_section import parse_markdown_section
from reportgen.report.methods_paragraph import cite_inline, describe_methods
from reportgen.report.phrases import spell_number
from reportgen.report.phrases.recommendation import model_noun, prevalence_percentage
from reportgen.report.sections import SECTIONS
from reportgen.report.sections.checklist import build_checklist_section
from reportgen.report.selection import is_full_detail
from reportgen.report.what_if import build_what_if
from reportgen.spec.measures import with_spec_measures
from reportgen.spec.output import ADDED_SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.formats import DetailLevel
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, PlainNumber
    from reportgen.spec import SectionKind


# Selection of sections: those of the spec, or the default ones of the level of detail.

_DETAIL_LEVELS: tuple[DetailLevel, ...] = ("summary", "standard", "full")
_EMPTY_SECTION_NOTE = (Note(("No data for this section.",)),)
_DEFAULT_TEXT_TITLE = "Remarks"
# So many classes are listed with their cases.
_MAX_CLASSES_COUNTED = 5


def select_sections(evaluation: Evaluation) -> Iterator[ReportSection]:
    """Yield the requested sections; text sections alone are added to the default ones."""
    requested = evaluation.spec.sections
    if all(section.kind in ADDED_SECTIONS for section in requested):
        yield from _insert_text_sections(evaluation, list(_default_sections(evaluation)))
        return
    if evaluation.gates and all(section.kind != "gates" for section in requested):
        # A report must not omit the outcome of its gates.
        yield _build_section(evaluation, "gates")
    for index, section in enumerate(requested):
        if section.kind == "text":
            yield _build_text_section(evaluation, index, Chapter.RESULTS)
        else:
            section_ = _open_if_folded(_build_section(evaluation, section.kind, section.title))
            yield (
                section_
                if section_.blocks
                else ReportSection(
                    section_.kind, section_.title, _EMPTY_SECTION_NOTE, section_.chapter
                )
            )


def _default_sections(evaluation: Evaluation) -> Iterator[ReportSection]:
    detail = _DETAIL_LEVELS.index(evaluation.spec.output.detail)
    for kind, builder in SECTIONS.items():
        on_request = builder.on_request_for_binary and evaluation.task_kind == "binary"
        if _DETAIL_LEVELS.index(builder.minimum_detail) <= detail and not on_request:
            section = _build_section(evaluation, kind)
            if section.blocks:
                yield section


def _build_section(
    evaluation: Evaluation, kind: SectionKind, title: str | None = None
) -> ReportSection:
    builder = SECTIONS[kind]
    default = builder.title.replace("Per-class", f"Per-{evaluation.class_noun}")
    if kind == "folds" and evaluation.folds_are_repetitions:
        default = "Variability over repetitions"
    return ReportSection(kind, title or default, builder.build(evaluation), builder.chapter)


def _open_if_folded(section: ReportSection) -> ReportSection:
    """Return the section with its details unfolded if it has nothing else."""
    if all(isinstance(block, Details) for block in section.blocks):
        return unfold_details(section)
    return section


def _insert_text_sections(
    evaluation: Evaluation, default_sections: list[ReportSection]
) -> Iterator[ReportSection]:
    """Yield the sections with text sections after the section they name, or after the summary."""
    settings = evaluation.spec.sections
    default_kinds = {section.kind for section in default_sections}
    for chapter, sections in groupby(default_sections, key=lambda section: section.chapter):
        for section in sections:
            yield section
            for index, text_section in enumerate(settings):
                if text_section.after == section.kind:
                    yield _build_text_section(evaluation, index, chapter)
        for index, text_section in enumerate(settings):
            if text_section.kind != "text":
                continue
            if chapter is Chapter.SUMMARY and text_section.after not in default_kinds:
                yield _build_text_section(evaluation, index, chapter)


def _build_text_section(evaluation: Evaluation, index: int, chapter: Chapter) -> ReportSection:
    title = evaluation.spec.sections[index].title or _DEFAULT_TEXT_TITLE
    return ReportSection(
        "text", title, parse_markdown_section(evaluation.spec_file, index), chapter
    )


def answer_checklists(sections: list[ReportSection], evaluation: Evaluation) -> list[ReportSection]:
    """Return the sections with every item of a checklist referred to the section that answers it.

    Only the selection decides which sections a report has.
    """
    titles = {section.kind: section.title for section in sections if section.kind != "checklist"}
    return [
        replace(section, blocks=build_checklist_section(evaluation, titles))
        if section.kind == "checklist"
        else section
        for section in sections
    ]


# Details are unfolded in full detail; tables and figures are numbered.


def unfold_details(section: ReportSection) -> ReportSection:
    """Return the section with the blocks of its details in their place."""
    return replace(
        section,
        blocks=tuple(
            part
            for block in section.blocks
            for part in (_unfold(block) if isinstance(block, Details) else (block,))
        ),
    )


def _unfold(details: Details) -> Iterator[Block]:
    """Yield the sentence of details, unless a figure has it as its description, and the blocks."""
    if not any(
        isinstance(block, Figure) and block.description == details.summary
        for block in details.blocks
    ):
        yield details.summary
    yield from details.blocks


def number_blocks(sections: Sequence[ReportSection]) -> tuple[ReportSection, ...]:
    """Return the sections with tables and figures numbered in their order.

    Those of details have numbers of their own (S1, S2, …), so that a table has the same number on
    the page and in the PDF, which has no details.
    """
    counts: Counter[str] = Counter()
    return tuple(
        replace(section, blocks=tuple(_number_block(block, counts, "") for block in section.blocks))
        for section in sections
    )


def _number_block(block: Block, counts: Counter[str], prefix: str) -> Block:
    match block:
        case Details(blocks=blocks):
            return replace(block, blocks=tuple(_number_block(part, counts, "S") for part in blocks))
        case Table(caption=""):
            return block
        case Table() | Matrices() | Figure():
            kind = prefix + ("Figure" if isinstance(block, Figure) else "Table")
            counts[kind] += 1
            return replace(block, number=f"{prefix}{counts[kind]}")
        case _:
            return block


# The note on confidence intervals, under the first table that has some.


def add_confidence_interval_note(
    sections: Sequence[ReportSection], evaluation: Evaluation
) -> tuple[ReportSection, ...]:
    """Return the sections with a note under the first table with confidence intervals."""
    level = confidence_level(evaluation)
    methods_title = next((section.title for section in sections if section.kind == "method"), None)
    annotated: list[ReportSection] = []
    for index, section in enumerate(sections):
        block_index = next(
            (
                index
                for index, block in enumerate(section.blocks)
                if _has_confidence_intervals(block)
            ),
            None,
        )
        if block_index is None:
            annotated.append(section)
            continue
        blocks = list(section.blocks)
        blocks[block_index] = _add_note(blocks[block_index], level, methods_title)
        return (*annotated, replace(section, blocks=tuple(blocks)), *sections[index + 1 :])
    return tuple(annotated)


def _has_confidence_intervals(block: Block) -> bool:
    return isinstance(block, Table) and any(
        isinstance(cell, MeasureEstimate) and cell.value.method is not None
        for group in block.groups
        for row in group.rows
        for cell in row
    )


def _add_note(block: Block, level: PlainNumber, methods_title: str | None) -> Block:
    if not isinstance(block, Table):
        return block
    methods = f"“{methods_title}”" if methods_title else "results.json"
    sentence = ("Intervals: ", level, f" CI (methods: see {methods}).")
    before = (*block.note.parts, " ") if block.note else ()
    return replace(block, note=Paragraph((*before, *sentence)))


def _colophon(evaluation: Evaluation) -> str:
    text = f"Generated by reportgen {__version__} from {evaluation.spec_file.name}."
    # Remote inputs are not hashed, so that a change of them cannot be detected.
    if any(file.sha256 is None for file in evaluation.aggregates.inputs):
        return text
    return f"{text} Reproducible; input hashes in manifest.json."


@with_spec_measures
def build_report(evaluation: Evaluation) -> ReportDocument:
    """Return the report of an evaluation."""
    sections = answer_checklists(list(select_sections(evaluation)), evaluation)
    sections = [_with_methods_paragraph(section, evaluation) for section in sections]
    if is_full_detail(evaluation):
        sections = [unfold_details(section) for section in sections]
    report = ReportDocument(
        title=evaluation.spec.title,
        subtitle=Paragraph(tuple(describe_data(evaluation))),
        sections=number_blocks(add_confidence_interval_note(sections, evaluation)),
        colophon=Paragraph((_colophon(evaluation),)),
        what_if=build_what_if(evaluation),
        metadata=_metadata(evaluation),
    )
    return call_models(report, evaluation) if evaluation.task_kind == "regression" else report


# Blocks and fields that are no prose of ours: identifiers, and the text of the user.
_VERBATIM_BLOCKS, _VERBATIM_FIELDS = (Listing, InlineCode), {"name", "kind", "number", "measure"}
_PROSE_MODULES = ("reportgen.report.document", "reportgen.report.inline", "reportgen.report.charts")
_Part = TypeVar("_Part")


def call_models(report: ReportDocument, evaluation: Evaluation) -> ReportDocument:
    """Return the report of a regression, in which classifiers are called models.

    The names of the models, the title and text sections stay as the user wrote them.
    """
    own = [item.name for item in evaluation.spec.classifiers if "classifier" in item.name.lower()]
    sections = tuple(
        section if section.kind == "text" else _replace_noun(section, own)
        for section in report.sections
    )
    return replace(
        report,
        subtitle=_replace_noun(report.subtitle, own),
        sections=sections,
        colophon=_replace_noun(report.colophon, own),
    )


def _replace_noun(part: _Part, names: Sequence[str]) -> _Part:
    """Return a part of a document with "model" for "classifier", unless it has a user's name."""
    new_part: object = part
    if isinstance(part, StrEnum):
        return part
    if isinstance(part, str) and not any(name in part for name in names):
        new_part = part.replace("classifier", "model").replace("Classifier", "Model")
    elif isinstance(part, tuple):
        new_part = tuple(_replace_noun(item, names) for item in part)
    elif (
        is_dataclass(part)
        and not isinstance(part, (type, *_VERBATIM_BLOCKS))
        and type(part).__module__ in _PROSE_MODULES
    ):
        values = {
            field.name: _replace_noun(getattr(part, field.name), names)
            for field in fields(part)
            if field.name not in _VERBATIM_FIELDS
        }
        new_part = replace(part, **values)
    return cast("_Part", new_part)


def _with_methods_paragraph(section: ReportSection, evaluation: Evaluation) -> ReportSection:
    """Return the section on methods with the paragraph for a paper, folded at its end."""
    if section.kind != "method":
        return section
    sentences = describe_methods(evaluation, tuple(describe_data(evaluation)))
    summary = Paragraph(("Methods paragraph for a paper",))
    paragraph = Paragraph(tuple(cite_inline(sentences)))
    return replace(section, blocks=(*section.blocks, Details(summary, (paragraph,))))


def _metadata(evaluation: Evaluation) -> DocumentMetadata:
    about = evaluation.spec.about
    return DocumentMetadata(
        description=about.description or "",
        authors=about.authors,
        date="" if about.date is None else about.date.isoformat(),
        version=about.version or "",
        data=about.data or "",
    )


def describe_data(evaluation: Evaluation) -> Iterator[Inline]:
    """Yield the number of classifiers and of cases; "the same cases" only where that is known."""
    number, noun = len(evaluation.spec.classifiers), model_noun(evaluation)
    yield spell_number(number).capitalize()
    yield f" {noun}" if number == 1 else f" {noun}s"
    if evaluation.spec.dataset_names:
        yield from (", evaluated on ", Count(len(evaluation.spec.dataset_names)), " data sets.")
        return
    joined = [item for item in evaluation.spec.classifiers if item.predictions is not None]
    from_counts = [item for item in evaluation.spec.classifiers if item.confusion is not None]
    folds_only = number - len(joined) - len(from_counts)
    if len(joined) == number:
        yield from _describe_joined_cases(evaluation, same_cases=number > 1)
    elif len(from_counts) == number:
        yield from _describe_counted_cases(evaluation)
    elif folds_only == number:
        yield ", fold scores only"
    else:
        parts = (
            (len(joined), "predictions"),
            (len(from_counts), "confusion matrices"),
            (folds_only, "fold scores"),
        )
        yield ": " + ", ".join(f"{count} with {source}" for count, source in parts if count)
    yield "."
    yield from _describe_folds(evaluation)


def _describe_positive_class(evaluation: Evaluation, class_: str) -> Iterator[Inline]:
    if class_ != evaluation.spec.task.positive:
        return
    yield " (positive"
    prevalences = evaluation.observed_prevalences
    if len(prevalences) == 1:
        yield from (", ", prevalence_percentage(prevalences[0]))
    yield ")"


def _describe_folds(evaluation: Evaluation) -> Iterator[Inline]:
    """Yield the number of folds, where all classifiers share them."""
    if len(evaluation.fold_audits) == 1 and not evaluation.folds_are_repetitions:
        audit = evaluation.fold_audits[0]
        is_stratified = audit.verdict is Stratification.STRATIFIED
        yield f" {'Stratified' if is_stratified else 'Cross-validation with'} "
        yield Count(len(audit.folds))
        yield "-fold cross-validation." if is_stratified else " folds."


def _describe_joined_cases(evaluation: Evaluation, *, same_cases: bool) -> Iterator[Inline]:
    predictions = evaluation.aggregates
    yield ", evaluated on the same " if same_cases else ", evaluated on "
    if predictions.distinct_cases is not None:
        times = evaluation.predictions_per_case
        yield Count(predictions.distinct_cases)
        yield f" {case_noun(evaluation)}"
        if times is not None:
            yield from _describe_classes(evaluation)
            yield from (", each predicted ", Count(times), " times")
            return
        yield " with repeated predictions ("
        yield Count(predictions.case_count or 0)
        yield " predictions)"
        return
    yield Count(predictions.case_count or 0)
    yield f" {case_noun(evaluation)}"
    yield from _describe_classes(evaluation)


def _describe_counted_cases(evaluation: Evaluation) -> Iterator[Inline]:
    sizes = set(evaluation.class_sizes.values())
    totals = {sum(row) for row in sizes}
    if len(totals) > 1:
        yield ", evaluated on different cases"
        return
    yield ", evaluated on "
    yield Count(totals.pop())
    suffix = " each" if len(evaluation.measured_classifiers) > 1 else ""
    yield f" {case_noun(evaluation)}{suffix}"
    if len(sizes) == 1:
        yield from _describe_classes(evaluation)


def _describe_classes(evaluation: Evaluation) -> Iterator[Inline]:
    classes = evaluation.named_classes
    if evaluation.is_multiclass:
        yield f" {'with' if evaluation.task_kind == 'multilabel' else 'in'} {len(classes)}"
        yield f" {evaluation.class_noun_plural}"
        if evaluation.task_kind != "multilabel" and len(classes) <= _MAX_CLASSES_COUNTED:
            sizes = next(iter(evaluation.class_sizes.values()))[: len(classes)]
            for index, (class_, count) in enumerate(zip(classes, sizes, strict=True)):
                yield from (", " if index else ": ", Count(count), " ", Strong(class_))
    elif evaluation.task_kind == "binary":
        sizes = next(iter(evaluation.class_sizes.values()))
        for index, (class_, count) in enumerate(zip(classes, sizes, strict=True)):
            yield ", " if index else ": "
            yield Count(count)
            yield " " if class_.isalpha() else " of class "
            yield Strong(class_)
            yield from _describe_positive_class(evaluation, class_)
