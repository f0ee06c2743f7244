"""Values per fold, their mean and variance, what tests make of them, and how the folds are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from reportgen.measures import Measure, Orientation, find_measure
from reportgen.report.detail import in_full, rest_elsewhere
from reportgen.report.document import Column, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.standing import mean_score
from reportgen.report.parts import Count, Interval, Plain, Value
from reportgen.report.sections.validation.fold_audit import fold_audit_blocks
from reportgen.report.sections.validation.fold_figure import fold_figure
from reportgen.report.sections.validation.fold_tests import fold_test_blocks
from reportgen.report.words.level import level_of
from reportgen.scores import Score, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.comparisons.folds.summaries import FoldSummary
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part

    Summaries: TypeAlias = Mapping[tuple[str, str], FoldSummary]

MEASURES_SHOWN_PER_FOLD = 2
MANY_FOLDS = 30
MEANS_IN_SHORT, MOST_LEFT_OUT = 4, 6
REST = "The values of every fold, and means and tests in all measures,"
SHOWN_FIRST = ("accuracy", "youden", "rmse", "pearson")
LEFT_OUT = (
    "Folds where a measure is undefined or infinite are left out of its mean, variance and tests."
)
CLASSIFIERS_ACROSS = 3
ALWAYS_SHOWN = {"Mean", "Variance", "Variance of the mean"}
INDEPENDENT = "The variance of the mean takes the folds to be independent"
SHARING = " interval allows for their sharing training cases (Nadeau and Bengio)."
INTERVAL = "Interval of the mean"
POOLED = (
    "The pooled value counts the cases of all folds together, so every case weighs the same; the"
    " mean gives every fold the same weight. They differ where folds differ in size, and for"
    " measures whose denominator changes from fold to fold, as the number of predicted positives"
    " in precision."
)


def folds(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the first measures fold by fold, all of them by mean and variance, tests and audit."""
    summaries = _summaries(evaluation)
    if not summaries:
        return ()
    shown = _measures(evaluation, summaries)
    first = shown[:MEASURES_SHOWN_PER_FOLD]
    pooled = any(evaluation.score(name, measure) for measure in first for _, name in summaries)
    many = any(summary.k > MANY_FOLDS for summary in summaries.values())
    whole = in_full(evaluation)
    drawn = [fold_figure(evaluation, measure) for measure in first[: None if whole else 1]]
    alone = len(shown) == 1
    by_fold = first[: 1 if many else None] if whole or alone or not any(drawn) else []
    return (
        *(figure for figure in drawn if figure is not None),
        *(_fold_by_fold(evaluation, measure, summaries) for measure in by_fold),
        *((Paragraph((POOLED,)),) if pooled else ()),
        *_means(evaluation, shown if whole else shown[:MEANS_IN_SHORT], summaries),
        *_left_out(shown, summaries, whole=whole),
        *fold_test_blocks(evaluation, first if whole else first[:1]),
        *fold_audit_blocks(evaluation),
        *(() if whole or alone else (rest_elsewhere(REST),)),
    )


def _summaries(evaluation: Evaluation) -> Summaries:
    return {
        (summary.measure, summary.classifier): summary
        for summary in evaluation.folds
        if summary.is_of_whole
    }


def _measures(evaluation: Evaluation, summaries: Summaries) -> list[Measure]:
    """Return the measures worth a mean over folds, the most telling ones first."""
    names = list(dict.fromkeys(measure for measure, _ in summaries))
    found = [measure for name in names if (measure := find_measure(name)) is not None]
    return sorted(
        (measure for measure in found if _is_shown(evaluation, measure)),
        key=lambda measure: (measure.name not in SHOWN_FIRST, found.index(measure)),
    )


def _is_shown(evaluation: Evaluation, measure: Measure) -> bool:
    """Tell whether a mean over folds is worth showing; of a p-value or a prevalence it is not."""
    given = any(
        find_measure(name) == measure
        for classifier in evaluation.spec.classifiers
        for name in classifier.fold_scores or {}
    )
    compares = measure.orientation is not Orientation.NEITHER
    return given or (compares and measure in evaluation.shown)


def _classifiers(evaluation: Evaluation, measure: Measure, summaries: Summaries) -> list[str]:
    names = [classifier.name for classifier in evaluation.spec.classifiers]
    return [name for name in names if (measure.name, name) in summaries]


def _fold_by_fold(evaluation: Evaluation, measure: Measure, summaries: Summaries) -> Table:
    classifiers = _classifiers(evaluation, measure, summaries)
    frame = evaluation.scores.of_folds().filter(pl.col("measure") == measure.name)
    # Without intervals: how much folds differ is what the table shows.
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
    found = [summaries[measure.name, name] for name in classifiers]
    statistics = [_cells(evaluation, measure, summary) for summary in found]
    columns = (Column("Fold"), *(Column(name, numeric=True) for name in classifiers))
    kept = [
        (head, *(cells[head] for cells in statistics)) for head in _heads_with_content(statistics)
    ]
    return Table(
        f"folds-{measure.name}",
        f"{measure.title}, fold by fold",
        columns,
        (RowGroup(tuple(rows)), RowGroup(tuple(kept), "Over the folds")),
        Paragraph(_about_means(evaluation, known=any(cells[INTERVAL] for cells in statistics))),
    )


def _about_means(evaluation: Evaluation, *, known: bool) -> tuple[Part, ...]:
    return (INDEPENDENT, *(("; the ", level_of(evaluation), SHARING) if known else (".",)))


def _means(
    evaluation: Evaluation, measures: Sequence[Measure], summaries: Summaries
) -> Iterator[Table]:
    """Set means and variances of all measures side by side, a few classifiers at a time."""
    if len(measures) <= 1:
        return
    names = [classifier.name for classifier in evaluation.spec.classifiers]
    names = [name for name in names if any(key[1] == name for key in summaries)]
    starts = range(0, len(names), CLASSIFIERS_ACROSS)
    for number, part in enumerate((names[at : at + CLASSIFIERS_ACROSS] for at in starts), start=1):
        heads = [f"{name}: {what}" for name in part for what in ("mean", "variance")]
        rows = tuple(
            (
                measure.title,
                *(
                    cell
                    for name in part
                    for cell in _mean(summaries.get((measure.name, name)), measure)
                ),
            )
            for measure in measures
        )
        yield Table(
            f"fold-means-{number}",
            "Mean and variance over the folds",
            (Column("Measure"), *(Column(head, numeric=True) for head in heads)),
            (RowGroup(rows),),
        )


def _mean(summary: FoldSummary | None, measure: Measure) -> tuple[Cell, Cell]:
    """Return the mean with its interval, and the variance between the folds."""
    if summary is None or summary.mean is None:
        return None, None
    return Value(mean_score(summary), measure), _plain(summary.variance)


def _left_out(
    measures: Sequence[Measure], summaries: Summaries, *, whole: bool
) -> tuple[Block, ...]:
    """Count the folds that say nothing of a measure."""
    rows = tuple(
        (classifier, measure.title, Count(summary.undefined_folds), Count(summary.k))
        for measure in measures
        for (name, classifier), summary in summaries.items()
        if name == measure.name and summary.undefined_folds
    )
    if not rows:
        return ()
    if len(rows) > MOST_LEFT_OUT and not whole:
        return (Note((f"{LEFT_OUT} This was done {len(rows)} times.",), warning=True),)
    columns = (
        Column("Classifier"),
        Column("Measure"),
        Column("Folds left out", numeric=True),
        Column("Folds", numeric=True),
    )
    table = Table("folds-left-out", "Folds without a finite value", columns, (RowGroup(rows),))
    return (Note((LEFT_OUT,), warning=True), table)


def _cells(evaluation: Evaluation, measure: Measure, summary: FoldSummary) -> dict[str, Cell]:
    """Return what the folds say together, by head."""
    return {
        "Mean": _plain(summary.mean),
        INTERVAL: _interval(measure, summary),
        "Variance": _plain(summary.variance),
        "Variance of the mean": _plain(summary.variance_of_mean),
        "Pooled": _pooled(evaluation, measure, summary),
    }


def _heads_with_content(rows: Sequence[Mapping[str, Cell]]) -> list[str]:
    """Return the heads under which there is anything; mean and variances are always shown."""
    return [
        head
        for head in rows[0]
        if head in ALWAYS_SHOWN or any(cells[head] is not None for cells in rows)
    ]


def _interval(measure: Measure, summary: FoldSummary) -> Interval | None:
    if summary.low is None or summary.high is None:
        return None
    return Interval(summary.low, summary.high, measure)


def _pooled(evaluation: Evaluation, measure: Measure, summary: FoldSummary) -> Value | None:
    score = evaluation.score(summary.classifier, measure)
    if score is None:
        return None
    return Value(Score(score.value, score.state, score.reason), measure)


def _plain(number: float | None) -> Plain | None:
    return None if number is None else Plain(number)
