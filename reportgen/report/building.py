"""A report from an evaluation: the sections asked for, or all that have something to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen import __version__
from reportgen.report.document import Count, Note, Paragraph, Report, Section, Strong
from reportgen.report.sections import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.document import Part
    from reportgen.report.evaluation import Evaluation
    from reportgen.spec import SectionKind

NOTHING_TO_SAY = (Note(("The data of this report hold nothing for this section.",)),)


def build_report(evaluation: Evaluation) -> Report:
    """Put the report together."""
    return Report(
        title=evaluation.spec.title,
        subtitle=Paragraph(tuple(_data_in_a_line(evaluation))),
        sections=tuple(_sections(evaluation)),
        colophon=Paragraph(
            (
                (
                    f"Made by reportgen {__version__} from {evaluation.spec_file.path.name}."
                    " The same inputs give the same report; manifest.json names them by hash."
                ),
            )
        ),
    )


def _sections(evaluation: Evaluation) -> Iterator[Section]:
    for kind, title in _wanted(evaluation):
        builder = SECTIONS[kind]
        blocks = builder.build(evaluation)
        if blocks or evaluation.spec.sections:
            yield Section(kind, title or builder.title, blocks or NOTHING_TO_SAY)


def _wanted(evaluation: Evaluation) -> Iterator[tuple[SectionKind, str | None]]:
    asked = evaluation.spec.sections
    if asked:
        yield from ((section.kind, section.title) for section in asked)
        return
    for kind, builder in SECTIONS.items():
        if not (builder.on_request_for_binary and evaluation.kind == "binary"):
            yield kind, None


def _data_in_a_line(evaluation: Evaluation) -> Iterator[Part]:
    number = len(evaluation.spec.classifiers)
    yield Count(number)
    yield " classifier" if number == 1 else " classifiers"
    totals = set(_totals(evaluation).values())
    if not totals:
        yield ", known by their scores per fold."
        return
    if len(totals) == 1:
        (total,) = totals
        together = evaluation.predictions.joined_by is not None and number > 1
        yield " on the same " if together else " on "
        yield Count(total)
        yield " cases" if together or number == 1 else " cases each"
    else:
        yield " on different numbers of cases"
    yield from _classes_in_a_line(evaluation, same_cases=len(totals) == 1)
    yield "."


def _totals(evaluation: Evaluation) -> dict[str, int]:
    tally = evaluation.predictions.confusion
    if tally is not None:
        return {name: sum(map(sum, tally.matrix(name))) for name in evaluation.measured}
    sums = evaluation.predictions.regression
    if sums is None:
        return {}
    pooled = sums.frame.filter(sums.frame["fold"].is_null())
    return {name: int(cases) for name, cases in pooled.select("classifier", "cases").rows()}


def _classes_in_a_line(evaluation: Evaluation, *, same_cases: bool) -> Iterator[Part]:
    tally, classes = evaluation.predictions.confusion, evaluation.predictions.classes
    if tally is None:
        return
    if evaluation.kind == "multiclass":
        yield f" in {len(classes)} classes"
        return
    rows = {tuple(map(sum, tally.matrix(name))) for name in evaluation.measured}
    if same_cases and len(rows) == 1:
        (row,) = rows
        for index, (class_, count) in enumerate(zip(classes, row, strict=True)):
            yield ", " if index else ": "
            yield Count(count)
            yield " "
            yield Strong(class_)
