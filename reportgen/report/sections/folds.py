"""Values per fold, with their mean and variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.measures import Measure, Orientation, find_measure
from reportgen.report.document import Column, Count, Note, Paragraph, Plain, RowGroup, Table, Value
from reportgen.scores import Score, State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.comparisons import FoldSummary
    from reportgen.report.document import Block, Cell
    from reportgen.report.evaluation import Evaluation

MEASURES_SHOWN_PER_FOLD = 2
SHOWN_FIRST = ("accuracy", "youden", "rmse", "pearson")
CLASSIFIERS_ACROSS = 3
LEFT_OUT = "Folds where a measure has no finite value are left out of its mean and variance."


def folds(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the first measures fold by fold and all of them by mean and variance."""
    summaries = {
        (summary.measure, summary.classifier): summary
        for summary in evaluation.folds
        if summary.class_ is None and summary.average is None
    }
    if not summaries:
        return ()
    names = list(dict.fromkeys(measure for measure, _ in summaries))
    measures = [measure for name in names if (measure := find_measure(name)) is not None]
    shown = sorted(
        (measure for measure in measures if _is_shown(evaluation, measure)),
        key=lambda measure: (measure.name not in SHOWN_FIRST, measures.index(measure)),
    )
    classifiers = [
        name for name in _all_names(evaluation) if any(key[1] == name for key in summaries)
    ]
    return (
        *(
            _fold_by_fold(evaluation, measure, classifiers, summaries)
            for measure in shown[:MEASURES_SHOWN_PER_FOLD]
        ),
        *_summary_tables(shown, classifiers, summaries),
        *_left_out(list(summaries.values())),
    )


def _all_names(evaluation: Evaluation) -> list[str]:
    return [classifier.name for classifier in evaluation.spec.classifiers]


def _is_shown(evaluation: Evaluation, measure: Measure) -> bool:
    """Tell whether a mean over folds is worth showing; of a p-value or a prevalence it is not."""
    given = any(
        find_measure(name) == measure
        for classifier in evaluation.spec.classifiers
        for name in classifier.fold_scores or {}
    )
    compares = measure.orientation is not Orientation.NEITHER
    return given or (compares and measure in evaluation.shown)


def _fold_by_fold(
    evaluation: Evaluation,
    measure: Measure,
    classifiers: Sequence[str],
    summaries: Mapping[tuple[str, str], FoldSummary],
) -> Table:
    frame = evaluation.scores.frame.filter(
        pl.col("fold").is_not_null(),
        pl.col("class").is_null(),
        pl.col("average").is_null(),
        pl.col("measure") == measure.name,
    )
    scores = {
        (classifier, fold): Value(Score(value, State(state), reason), measure)
        for classifier, fold, value, state, reason in frame.select(
            "classifier", "fold", "value", "state", "reason"
        ).rows()
    }
    fold_names = list(dict.fromkeys(fold for _, fold in scores))
    rows: list[tuple[Cell, ...]] = [
        (f"Fold {fold}", *(scores.get((name, fold)) for name in classifiers)) for fold in fold_names
    ]
    found = [summaries.get((measure.name, name)) for name in classifiers]
    statistics: tuple[tuple[Cell, ...], ...] = (
        ("Mean", *(_plain(summary.mean if summary else None) for summary in found)),
        ("Variance", *(_plain(summary.variance if summary else None) for summary in found)),
        (
            "Variance of the mean",
            *(_plain(summary.variance_of_mean if summary else None) for summary in found),
        ),
    )
    columns = (Column("Fold"), *(Column(name, numeric=True) for name in classifiers))
    return Table(
        f"folds-{measure.name}",
        f"{measure.title}, fold by fold",
        columns,
        (RowGroup(tuple(rows)), RowGroup(statistics, "Over the folds")),
    )


def _summary_tables(
    measures: Sequence[Measure],
    classifiers: Sequence[str],
    summaries: Mapping[tuple[str, str], FoldSummary],
) -> tuple[Table, ...]:
    if len(measures) <= 1:
        return ()
    parts = [
        classifiers[start : start + CLASSIFIERS_ACROSS]
        for start in range(0, len(classifiers), CLASSIFIERS_ACROSS)
    ]
    note = Paragraph(("Mean over the folds and variance between them.",))
    return tuple(
        Table(
            f"fold-means-{number}",
            "Mean and variance over the folds",
            (
                Column("Measure"),
                *(
                    Column(f"{name}: {what}", numeric=True)
                    for name in part
                    for what in ("mean", "variance")
                ),
            ),
            (RowGroup(tuple(_summary_row(measure, part, summaries) for measure in measures)),),
            note,
        )
        for number, part in enumerate(parts, start=1)
    )


def _summary_row(
    measure: Measure,
    classifiers: Sequence[str],
    summaries: Mapping[tuple[str, str], FoldSummary],
) -> tuple[Cell, ...]:
    found = [summaries.get((measure.name, name)) for name in classifiers]
    values = [
        _plain(value)
        for summary in found
        for value in ((summary.mean, summary.variance) if summary else (None, None))
    ]
    return (measure.title, *values)


def _plain(number: float | None) -> Plain | None:
    return None if number is None else Plain(number)


def _left_out(summaries: Sequence[FoldSummary]) -> tuple[Block, ...]:
    affected = [summary for summary in summaries if summary.undefined_folds]
    if not affected:
        return ()
    columns = (
        Column("Classifier"),
        Column("Measure"),
        Column("Folds left out", numeric=True),
        Column("Folds", numeric=True),
    )
    rows = tuple(
        (
            summary.classifier,
            _title(summary.measure),
            Count(summary.undefined_folds),
            Count(summary.k),
        )
        for summary in affected
    )
    table = Table("folds-left-out", "Folds without a finite value", columns, (RowGroup(rows),))
    return (Note((LEFT_OUT,), warning=True), table)


def _title(name: str) -> str:
    measure = find_measure(name)
    return measure.title if measure else name
