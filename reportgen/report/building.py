"""A report from an evaluation: the sections asked for, or all that have something to say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen import __version__
from reportgen.report.choosing_sections import chosen_sections
from reportgen.report.document import Paragraph, Report, Section
from reportgen.report.explorer import explorer_of
from reportgen.report.parts import Count, Strong
from reportgen.report.sections.answer.figure import answer_figure
from reportgen.report.words.interval_note import with_interval_note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

ANSWERING = ("summary", "capabilities")


def build_report(evaluation: Evaluation) -> Report:
    """Put the report together."""
    return Report(
        title=evaluation.spec.title,
        subtitle=Paragraph(tuple(_data_in_a_line(evaluation))),
        sections=with_interval_note(
            _with_figure(evaluation, list(chosen_sections(evaluation))), evaluation
        ),
        colophon=Paragraph(
            (
                (
                    f"Made by reportgen {__version__} from {evaluation.spec_file.name}."
                    " The same inputs give the same report; manifest.json names them by hash."
                ),
            )
        ),
        explorer=explorer_of(evaluation),
    )


def _with_figure(evaluation: Evaluation, sections: list[Section]) -> tuple[Section, ...]:
    """End the answer with its figure."""
    places = [at for at, each in enumerate(sections) if each.kind in ANSWERING]
    figure = answer_figure(evaluation) if places else None
    if figure is not None:
        last = sections[places[-1]]
        sections[places[-1]] = replace(last, blocks=(*last.blocks, figure))
    return tuple(sections)


def _data_in_a_line(evaluation: Evaluation) -> Iterator[Part]:
    """Say how many classifiers were measured on what; the same cases only where that is known."""
    number, thing = len(evaluation.spec.classifiers), _thing(evaluation)
    yield Count(number)
    yield f" {thing}" if number == 1 else f" {thing}s"
    if evaluation.spec.dataset_names:
        yield from (" on ", Count(len(evaluation.spec.dataset_names)), " data sets.")
        return
    joined = [item for item in evaluation.spec.classifiers if item.predictions is not None]
    counted = [item for item in evaluation.spec.classifiers if item.confusion is not None]
    folds_only = number - len(joined) - len(counted)
    if len(joined) == number:
        yield from _joined_cases(evaluation, same=number > 1)
    elif len(counted) == number:
        yield from _counted_cases(evaluation)
    elif folds_only == number:
        yield ", known by their scores per fold" if number > 1 else ", known by its scores per fold"
    else:
        parts = (
            (len(joined), "predictions"),
            (len(counted), "counts"),
            (folds_only, "fold scores"),
        )
        yield ": " + ", ".join(f"{many} known by {what}" for many, what in parts if many)
    yield "."


def _thing(evaluation: Evaluation) -> str:
    return "model" if evaluation.kind == "regression" else "classifier"


def _joined_cases(evaluation: Evaluation, *, same: bool) -> Iterator[Part]:
    predictions = evaluation.predictions
    yield " on the same " if same else " on "
    if predictions.distinct_cases is not None:
        yield Count(predictions.distinct_cases)
        yield " cases, each predicted several times: "
        yield Count(predictions.case_count or 0)
        yield " predictions"
        return
    yield Count(predictions.case_count or 0)
    yield " case" if predictions.case_count == 1 else " cases"
    yield from _classes_in_a_line(evaluation)


def _counted_cases(evaluation: Evaluation) -> Iterator[Part]:
    sizes = set(evaluation.class_sizes.values())
    totals = {sum(row) for row in sizes}
    if len(totals) > 1:
        yield " on different numbers of cases"
        return
    yield " on "
    yield Count(totals.pop())
    yield " cases each" if len(evaluation.measured) > 1 else " cases"
    if len(sizes) == 1:
        yield from _classes_in_a_line(evaluation)


def _classes_in_a_line(evaluation: Evaluation) -> Iterator[Part]:
    classes = evaluation.predictions.classes
    if evaluation.kind == "multiclass":
        yield f" in {len(classes)} classes"
    elif evaluation.kind == "binary":
        sizes = next(iter(evaluation.class_sizes.values()))
        for index, (class_, count) in enumerate(zip(classes, sizes, strict=True)):
            yield ", " if index else ": "
            yield Count(count)
            yield " " if class_.isalpha() else " of class "
            yield Strong(class_)
            yield " (positive)" if class_ == evaluation.spec.task.positive else ""
