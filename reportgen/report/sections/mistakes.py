"""Error analysis of classifications: mistakes alone, in common and confident, with examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.aggregates.mistakes import CONFIDENT_PROBABILITY
from reportgen.report.document import Column, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.recommendation import case_noun
from reportgen.report.formatting import TO_PERCENT
from reportgen.report.inline import Count, InlineCode, PlainNumber
from reportgen.report.selection import (
    MAX_ROWS,
    classifiers_best_first,
    is_full_detail,
    omitted_classifiers_phrase,
    top_classifiers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.aggregates.mistakes import (
        ClassifierMistakes,
        MistakeExample,
        MistakeKind,
        Mistakes,
    )
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell

_MAX_CLASSIFIERS, _TWO = 4, 2
# With more examples of each classifier, its name is a head above them instead of a column.
_MAX_UNGROUPED = 3
_CONFIDENT_NOTE = "Confident: the probability of the predicted class is at least 90%."
_CONFIDENCE_DECIMALS = 1
_NO_IDS_NOTE = (
    "Examples were requested, but need ids and scores of the cases: name the columns with "
)
_RANKING_NOTE = (
    "Confidence of a ranking score: the proportion of cases with a lower score or, for a negative"
    " prediction, a higher one."
)
_PROBABILITY_NOTE = "Confidence: the probability of the predicted class."
_MEAN_NOTE = "Confidence: the mean probability that the wrong classifiers give their predictions."


def build_mistakes_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return how many mistakes are shared, and the cases listed by id on request."""
    mistakes = evaluation.aggregates.mistakes
    if mistakes is None or not any(row.wrong for row in mistakes.classifiers):
        return ()
    return (
        Paragraph(tuple(_shared_sentence(evaluation, mistakes))),
        _counts_table(evaluation, mistakes),
        *_example_blocks(evaluation, mistakes),
    )


def _shared_sentence(evaluation: Evaluation, mistakes: Mistakes) -> Iterator[Inline]:
    number = len(mistakes.classifiers)
    has_repeats = evaluation.aggregates.distinct_cases is not None
    unit = "predictions" if has_repeats else case_noun(evaluation)
    if number == 1:
        row = mistakes.classifiers[0]
        yield from (f"{row.classifier} is wrong on ", Count(row.wrong), " of ")
        yield from (Count(mistakes.cases), f" {unit}.")
        return
    everybody = "Both classifiers are" if number == _TWO else f"All {number} classifiers are"
    yield from (f"{everybody} right on ", Count(mistakes.all_right), " of ")
    yield from (Count(mistakes.cases), f" {unit} and wrong on ", Count(mistakes.all_wrong))
    yield (
        ", which no choice between them can correct: look there for unusual cases and wrong labels."
        if mistakes.all_wrong
        else "."
    )


def _counts_table(evaluation: Evaluation, mistakes: Mistakes) -> Table:
    best_first = classifiers_best_first(evaluation)
    ordered = sorted(mistakes.classifiers, key=lambda row: best_first.index(row.classifier))
    rows = ordered if is_full_detail(evaluation) else ordered[:MAX_ROWS]
    compared = len(rows) > 1
    has_confidence = any(row.confident is not None for row in rows)
    heads = ["Wrong"]
    if has_confidence:
        heads.append(f"Wrong, confident (≥\u00a0{CONFIDENT_PROBABILITY:.0%})")
    if compared:
        heads += ["Right where all others are wrong", "Wrong where all others are right"]
    note: tuple[Inline, ...] = (_CONFIDENT_NOTE,) if has_confidence else ()
    omission = omitted_classifiers_phrase(evaluation, len(rows), len(ordered))
    note += (" " if note else "", *omission, ".") if omission else ()
    return Table(
        "mistakes",
        "Mistakes by classifier, best classifier first",
        (Column("Classifier"), *(Column(head, numeric=True) for head in heads)),
        (
            RowGroup(
                tuple(
                    (row.classifier, *_count_cells(row, with_confidence=has_confidence))
                    for row in rows
                )
            ),
        ),
        Paragraph(note) if note else None,
    )


def _count_cells(row: ClassifierMistakes, *, with_confidence: bool) -> Iterator[TableCell]:
    yield Count(row.wrong)
    if with_confidence:
        yield "no probabilities" if row.confident is None else Count(row.confident)
    if row.only_right is not None and row.only_wrong is not None:
        yield Count(row.only_right)
        yield Count(row.only_wrong)


def _example_blocks(evaluation: Evaluation, mistakes: Mistakes) -> Iterator[Block]:
    """Yield the tables of cases by id, if the spec requests them."""
    if not evaluation.spec.output.error_examples:
        return
    if not mistakes.has_ids:
        yield Note((_NO_IDS_NOTE, InlineCode("id"), " and ", InlineCode("score"), "."))
        return
    displayed = top_classifiers(evaluation, _MAX_CLASSIFIERS)
    has_ranking_scores = any(
        score_type.kind == "ranking" for score_type in evaluation.aggregates.score_types
    )
    is_pair = len(mistakes.classifiers) == _TWO
    tables: tuple[tuple[MistakeKind, str, str], ...] = (
        (
            "confident",
            "Most confident mistakes of each classifier",
            f"{_PROBABILITY_NOTE} {_RANKING_NOTE}" if has_ranking_scores else _PROBABILITY_NOTE,
        ),
        (
            "only_right",
            f"Right by one classifier alone, {'the other one' if is_pair else 'all others'} wrong",
            _MEAN_NOTE,
        ),
        ("all_wrong", f"Wrong by {'both' if is_pair else 'all'} classifiers", _MEAN_NOTE),
    )
    for kind, caption, note in tables:
        yield from _example_table(evaluation, mistakes, kind, displayed, caption, note)
    hidden = len(mistakes.classifiers) - len(displayed)
    if hidden:
        yield Paragraph(("Examples of ", Count(hidden), " more classifiers are in results.json."))


def _example_table(  # noqa: PLR0913, PLR0917  # the cases, and the words around them
    evaluation: Evaluation,
    mistakes: Mistakes,
    kind: MistakeKind,
    displayed: tuple[str, ...],
    caption: str,
    note: str,
) -> Iterator[Table]:
    """Yield the table of the cases of a kind, by classifier, the most confident first."""
    by_classifier: dict[str | None, list[MistakeExample]] = {}
    for example in mistakes.examples:
        if example.kind == kind and (example.classifier is None or example.classifier in displayed):
            by_classifier.setdefault(example.classifier, []).append(example)
    if not by_classifier:
        return
    has_confidence = any(
        row.confidence is not None for rows in by_classifier.values() for row in rows
    )
    has_groups = evaluation.spec.output.error_examples > _MAX_UNGROUPED
    has_classifiers = not has_groups and None not in by_classifier
    columns = (
        *((Column("Classifier"),) if has_classifiers else ()),
        Column("Id"),
        Column(f"True {evaluation.class_noun}"),
        Column("Predicted"),
        *((Column("Confidence", numeric=True),) if has_confidence else ()),
    )
    groups = tuple(
        RowGroup(
            tuple(
                (
                    *((classifier,) if has_classifiers else ()),
                    row.id,
                    row.truth,
                    row.predicted,
                    *((_confidence_cell(row.confidence),) if has_confidence else ()),
                )
                for row in rows
            ),
            classifier if has_groups else None,
        )
        for classifier, rows in by_classifier.items()
    )
    explanation = Paragraph((note,)) if has_confidence else None
    yield Table(f"mistakes-{kind.replace('_', '-')}", caption, columns, groups, explanation)


def _confidence_cell(confidence: float | None) -> TableCell:
    if confidence is None:
        return None
    return PlainNumber(TO_PERCENT * confidence, _CONFIDENCE_DECIMALS, "%")
