"""Cross-validation variability: values per fold, means, fold-level tests, stratification.

Folds that have all cases are repeated predictions, of which no interval and no test is shown.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from reportgen.evaluation.cross_validation import (
    HODGES_LEHMANN_NOTE,
    TEST_TRAIN_RATIO_NOTE,
    WILCOXON_SIGNED_RANK,
    FoldAudit,
    FoldPair,
    Stratification,
)
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import Measure, Orientation, find_measure
from reportgen.measures.ordering import competition_ranks
from reportgen.report.charts import FoldPlot, FoldRow
from reportgen.report.document import Column, Details, Figure, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.cross_validation import correction_disagreement_findings
from reportgen.report.findings.recommendation import case_noun
from reportgen.report.formatting import (
    EN_DASH,
    TO_PERCENT,
    confidence_level,
    difference_cells,
    difference_unit,
    inline_percentage,
    inline_range,
    inline_values,
    value_unit,
)
from reportgen.report.inline import (
    Count,
    InlineText,
    Interval,
    MeasureEstimate,
    MeasureName,
    PlainNumber,
    PValue,
    Strong,
)
from reportgen.report.phrases import join_names, measure_phrase
from reportgen.report.phrases.findings import describe_finding
from reportgen.report.ranks import fold_summary_value
from reportgen.report.selection import classifier_color, is_full_detail, omitted_in_results_note
from reportgen.statistics.t_tests import CORRECTED_RESAMPLED_T, F_5X2CV, PAIRED_T, T_5X2CV

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.cross_validation import (
        FoldDifferences,
        FoldSummary,
        FoldTestDetail,
    )
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# Dot plot of the values per fold, with the mean and its confidence interval.

# Up to so many rows and folds, lines connect the values of the same fold.
_MAX_JOINED_ROWS, _MAX_JOINED_FOLDS, _MAX_ROWS = 4, 12, 30
_MIN_FOLDS, _MIN_JOINED_ROWS = 2, 2
# Rows whose means differ by more than this share of the axis are not connected.
_MAX_MEAN_GAP = 0.3


def fold_figure(evaluation: Evaluation, measure: Measure) -> Figure | None:
    """Return the values per fold of every classifier; None where there are no folds."""
    summaries = [
        summary
        for classifier in evaluation.spec.classifiers
        for summary in evaluation.fold_summaries
        if summary.classifier == classifier.name
        and summary.measure == measure.name
        and summary.is_overall
        and summary.k >= _MIN_FOLDS
    ]
    values = _fold_values(evaluation, measure)
    rows = [
        _fold_row(evaluation, summary, values[summary.classifier])
        for summary in summaries[:_MAX_ROWS]
    ]
    if not rows or all(row.mean is None for row in rows):
        return None
    same = len({tuple(values[summary.classifier]) for summary in summaries}) == 1
    joined = same and _can_join_folds(rows)
    return Figure(
        f"folds-drawn-{measure.name}",
        f"{measure.title} per {evaluation.fold_noun}",
        FoldPlot(measure.title, tuple(rows), connect_folds=joined, unit=value_unit(measure)),
        Paragraph(tuple(_figure_description(measure, rows, evaluation.fold_noun))),
        Paragraph(tuple(_figure_note(evaluation, rows, len(summaries), connect_folds=joined))),
    )


def fold_difference_figure(evaluation: Evaluation, measure: Measure) -> Figure | None:
    """Return the differences per fold from the best classifier or the baseline, if there are."""
    pairs = [pair for pair in evaluation.fold_differences if pair.measure == measure.name]
    values = fold_figure(evaluation, measure)
    if not pairs or values is None or len(pairs[0].differences) < _MIN_FOLDS:
        return None
    baseline = evaluation.spec.comparison.baseline
    is_baseline = all(pair.second == baseline for pair in pairs)
    reference = pairs[0].second if is_baseline else pairs[0].first
    rows = tuple(
        FoldRow(
            pair.first if is_baseline else pair.second,
            classifier_color(evaluation, pair.first if is_baseline else pair.second),
            tuple(pair.differences.values()),
            pair.mean,
            *_corrected_limits(evaluation, pair),
        )
        for pair in pairs[:_MAX_ROWS]
    )
    others = "others" if len(pairs) > 1 else rows[0].label
    first, second = (others, reference) if is_baseline else (reference, others)
    higher = measure.orientation is Orientation.HIGHER
    left, right = (second, first) if higher else (first, second)
    return Figure(
        f"fold-differences-{measure.name}",
        f"{measure.title} per {evaluation.fold_noun}: {first} − {second}",
        FoldPlot(
            f"Difference in {measure_phrase(measure)} ({first} − {second})",
            rows,
            reference=0.0,
            favours_left=f"← {left} better",
            favours_right=f"{right} better →",
            unit=difference_unit(measure),
        ),
        values.description,
        Paragraph(tuple(_difference_note(evaluation, rows, len(pairs)))),
    )


def _difference_note(
    evaluation: Evaluation, rows: Sequence[FoldRow], total: int
) -> Iterator[Inline]:
    yield f"Dots: difference in each {evaluation.fold_noun}; marker: mean"
    if any(row.low is not None for row in rows):
        yield from (" with corrected ", confidence_level(evaluation), " CI, not adjusted")
    yield "."
    if total > len(rows):
        yield from (" First ", Count(len(rows)), " of ", Count(total), " shown.")


def _can_join_folds(rows: Sequence[FoldRow]) -> bool:
    """Return whether lines that connect folds would be few and readable."""
    means = [row.mean for row in rows if row.mean is not None]
    values = [value for row in rows for value in row.values if value is not None]
    has_few_rows = (
        _MIN_JOINED_ROWS <= len(rows) <= _MAX_JOINED_ROWS
        and len(rows[0].values) <= _MAX_JOINED_FOLDS
    )
    max_gap = max(
        (abs(previous - following) for previous, following in pairwise(means)), default=0.0
    )
    return has_few_rows and max_gap <= _MAX_MEAN_GAP * (max(values) - min(values))


def _fold_values(evaluation: Evaluation, measure: Measure) -> dict[str, dict[str, float | None]]:
    """Return the finite values by classifier and fold; None where there is none."""
    frame = evaluation.values.per_fold().filter(pl.col("measure") == measure.name)
    values: dict[str, dict[str, float | None]] = {}
    for classifier, fold, value, state in frame.select(
        "classifier", "fold", "value", "state"
    ).rows():
        number = value if state == ValueState.DEFINED.value else None
        values.setdefault(classifier, {})[fold] = number
    return values


def _fold_row(
    evaluation: Evaluation, summary: FoldSummary, values: dict[str, float | None]
) -> FoldRow:
    return FoldRow(
        summary.classifier,
        classifier_color(evaluation, summary.classifier),
        tuple(values.values()),
        summary.mean,
        *_corrected_limits(evaluation, summary),
    )


def _corrected_limits(
    evaluation: Evaluation, estimate: FoldSummary | FoldDifferences
) -> tuple[float | None, float | None]:
    """Return the limits that are corrected for overlapping training sets, if there are any."""
    if evaluation.folds_are_repetitions:
        return None, None
    return estimate.low, estimate.high


def _figure_description(measure: Measure, rows: Sequence[FoldRow], noun: str) -> Iterator[Inline]:
    """Yield mean and range of the best classifier, and the number of folds it wins."""
    means = {row.label: row.mean for row in rows if row.mean is not None}
    ranks = competition_ranks(means, measure.orientation)
    best = next(row for row in rows if ranks.get(row.label) == 1)
    finite = [value for value in best.values if value is not None]
    numbers = (best.mean, min(finite), max(finite))
    values = (MeasureValue(number, ValueState.DEFINED) for number in numbers)
    mean, low, high = inline_values(measure, *values)
    yield from (Strong(best.label), f" has a mean {measure_phrase(measure)} of ", mean)
    yield from (f" ({noun}s: ", *inline_range(low, high), ")")
    folds = len(best.values)
    others = [row for row in rows if row is not best]
    if others and all(len(row.values) == folds for row in others):
        wins = sum(_is_sole_best(measure, best, others, fold) for fold in range(folds))
        yield from ("; best in ", Count(wins), " of ", Count(folds), f" {noun}s")
    yield "."


def _is_sole_best(measure: Measure, best: FoldRow, others: Sequence[FoldRow], fold: int) -> bool:
    fold_values = {row.label: row.values[fold] for row in (best, *others)}
    defined = {name: value for name, value in fold_values.items() if value is not None}
    ranks = competition_ranks(defined, measure.orientation)
    return ranks.get(best.label) == 1 and list(ranks.values()).count(1) == 1


def _figure_note(
    evaluation: Evaluation, rows: Sequence[FoldRow], total: int, *, connect_folds: bool
) -> Iterator[Inline]:
    yield f"Dots: {evaluation.fold_noun}s; marker: mean"
    if any(row.low is not None for row in rows):
        yield from (" with corrected ", confidence_level(evaluation), " CI")
    yield f"; lines connect the same {evaluation.fold_noun}." if connect_folds else "."
    if total > len(rows):
        yield from (" First ", Count(len(rows)), " of ", Count(total), " classifiers shown.")


# Fold-level tests: standard and corrected t-test, Wilcoxon signed-rank test.

_MAX_DETAILED_PAIRS = 6
_TEST_TITLES = {
    PAIRED_T: "Standard paired t-test",
    CORRECTED_RESAMPLED_T: "Corrected t-test",
    WILCOXON_SIGNED_RANK: "Wilcoxon signed-rank",
    T_5X2CV: "5×2cv t-test",
    F_5X2CV: "5×2cv F-test",
}
_TESTS_NOTE = (
    "The standard t-test ignores overlapping training sets; use the Nadeau–Bengio corrected test."
    " The Wilcoxon signed-rank test, with the Hodges–Lehmann estimate, also assumes independent"
    " folds. p-values not adjusted for multiplicity."
)
_REPEATED_NOTES = (TEST_TRAIN_RATIO_NOTE, HODGES_LEHMANN_NOTE)
_ONE_TAIL_PREFIX = "one tail"
_ONE_SIDED_NOTE = " One-sided tests (spec): is the first classifier better?"
_RATIO_SOURCES = {
    "spec": "from the spec",
    "sizes": "from the fold sizes",
    "number of folds": "from the number of folds",
}


def fold_test_blocks(evaluation: Evaluation, measures: Sequence[Measure]) -> tuple[Block, ...]:
    """Return the fold-level tests of every pair, and where they disagree."""
    pairs = evaluation.fold_pairs
    untested = tuple(_untested_pairs_notes(evaluation, pairs))
    tables = [table for measure in measures for table in _fold_test_tables(evaluation, measure)]
    if not tables:
        return untested
    one_sided = (_ONE_SIDED_NOTE,) if evaluation.spec.folds.tails == "one" else ()
    return (
        Paragraph((_TESTS_NOTE, *one_sided, *_fold_design_note(pairs))),
        *tables,
        *(
            Paragraph(describe_finding(finding))
            for finding in correction_disagreement_findings(evaluation, measures)
        ),
        *untested,
    )


def _untested_pairs_notes(evaluation: Evaluation, pairs: Sequence[FoldPair]) -> Iterator[Note]:
    """Yield the pairs without fold-level tests, with the reason."""
    tested = {(row.first, row.second) for row in evaluation.comparisons if row.data == "folds"}
    reasons: dict[str, list[FoldPair]] = {}
    for pair in pairs:
        if pair.mismatch_reason is not None:
            reasons.setdefault(pair.mismatch_reason, []).append(pair)
        elif (pair.first, pair.second) not in tested:
            reasons.setdefault("no common measure", []).append(pair)
    for reason, untested in reasons.items():
        parts: list[Inline] = []
        for number, pair in enumerate(untested):
            parts += ["; " if number else "", *join_names((pair.first, pair.second))]
        yield Note(("No fold-level tests of ", *parts, f": {reason}."), warning=True)


def _fold_design_note(pairs: Sequence[FoldPair]) -> Iterator[Inline]:
    """Yield the assumed cross-validation designs and correction ratios."""
    for design in dict.fromkeys(pair.design for pair in pairs if pair.design is not None):
        if design.repeats > 1:
            yield f" Design: {design.repeats} repeats of "
            yield from (PlainNumber(design.folds / design.repeats), " folds.")
        if design.test_train_ratio is not None and design.ratio_source is not None:
            yield " Correction uses n_test/n_train = "
            yield PlainNumber(design.test_train_ratio, 3)
            yield f" ({_RATIO_SOURCES[design.ratio_source]})."


def _fold_test_tables(evaluation: Evaluation, measure: Measure) -> Iterator[Table]:
    pairs: dict[tuple[str, str], dict[str, Comparison]] = {}
    for row in evaluation.comparisons:
        if row.data == "folds" and row.key[2:] == (None, None, measure.name):
            pairs.setdefault((row.first, row.second), {})[row.test] = row
    if not pairs:
        return
    name, caption = f"fold-tests-{measure.name}", f"Fold-level tests of {measure_phrase(measure)}"
    level = _confidence_level_note(evaluation, pairs)
    if len(pairs) > _MAX_DETAILED_PAIRS:
        headings = (
            "Difference",
            "Corrected CI",
            "p (uncorrected)",
            "p (corrected)",
            "p (Wilcoxon)",
        )
        rows = tuple(_brief_row(measure, tests) for tests in pairs.values())
        columns = (Column(MeasureName(measure)), *(Column(head, numeric=True) for head in headings))
        yield Table(
            name,
            caption,
            columns,
            (RowGroup(rows),),
            _test_notes(pairs, {CORRECTED_RESAMPLED_T}, level),
        )
        return
    heads = ("Difference", "Standard error", "CI", "Statistic", "df", "p")
    groups = tuple(
        RowGroup(
            tuple(
                _detailed_row(evaluation, measure, tests[test])
                for test in _TEST_TITLES
                if test in tests
            ),
            f"{first} − {second}",
        )
        for (first, second), tests in pairs.items()
    )
    columns = (Column("Test"), *(Column(head, numeric=True) for head in heads))
    note = (*level, *_critical_value_note(evaluation, pairs))
    yield Table(name, caption, columns, groups, _test_notes(pairs, set(_TEST_TITLES), note))


def _confidence_level_note(
    evaluation: Evaluation, pairs: Mapping[tuple[str, str], Mapping[str, Comparison]]
) -> tuple[Inline, ...]:
    """Return the confidence level of the intervals, if there are any."""
    has_limits = any(row.low is not None for tests in pairs.values() for row in tests.values())
    return ("Confidence level: ", confidence_level(evaluation), ". ") if has_limits else ()


def _detailed_row(
    evaluation: Evaluation, measure: Measure, row: Comparison
) -> tuple[TableCell, ...]:
    difference, interval = difference_cells(measure, row.difference, row.low, row.high)
    return (
        _TEST_TITLES[row.test],
        difference,
        _standard_error_cell(evaluation, row),
        interval,
        None if row.statistic is None else PlainNumber(row.statistic, 2),
        "10, 5" if row.test == F_5X2CV else None if row.df is None else PlainNumber(row.df),
        PValue(row.p),
    )


def _standard_error_cell(evaluation: Evaluation, row: Comparison) -> PlainNumber | None:
    """Return the standard error of a t-test; None for other tests."""
    for detail in evaluation.fold_test_details:
        key = detail.first, detail.second, detail.measure, detail.test
        if key == (row.first, row.second, row.measure, row.test):
            return None if detail.standard_error is None else PlainNumber(detail.standard_error)
    return None


def _brief_row(measure: Measure, tests: Mapping[str, Comparison]) -> tuple[TableCell, ...]:
    row = tests[CORRECTED_RESAMPLED_T]
    return (
        f"{row.first} − {row.second}",
        *difference_cells(measure, row.difference, row.low, row.high),
        *(
            PValue(tests[test].p)
            for test in (PAIRED_T, CORRECTED_RESAMPLED_T, WILCOXON_SIGNED_RANK)
        ),
    )


def _details(evaluation: Evaluation, tests: Mapping[str, Comparison]) -> Iterator[FoldTestDetail]:
    """Yield the statistics of the uncorrected t-test other than its p-value."""
    row = tests.get(PAIRED_T)
    for detail in evaluation.fold_test_details:
        key = detail.first, detail.second, detail.measure, detail.test
        if row is not None and key == (row.first, row.second, row.measure, row.test):
            yield detail


def _critical_value_note(
    evaluation: Evaluation, pairs: Mapping[tuple[str, str], Mapping[str, Comparison]]
) -> tuple[Inline, ...]:
    """Return the critical value of t, if it is the same for all pairs."""
    degrees = {row.df for rows in pairs.values() for row in rows.values() if row.test == PAIRED_T}
    critical_values = {
        detail.critical_value for rows in pairs.values() for detail in _details(evaluation, rows)
    }
    if len(degrees) != 1 or len(critical_values) != 1:
        return ()
    (df,), (critical_value,) = degrees, critical_values
    if df is None:
        return ()
    alpha, is_one_sided = evaluation.spec.comparison.alpha, evaluation.spec.folds.tails == "one"
    return (
        "Critical t: ",
        PlainNumber(critical_value, 3),
        " (df ",
        PlainNumber(df),
        ", α = ",
        inline_percentage(alpha),
        ", one-sided). " if is_one_sided else ", two-sided). ",
    )


def _test_notes(
    pairs: Mapping[tuple[str, str], Mapping[str, Comparison]],
    tests: set[str],
    prefix: tuple[Inline, ...],
) -> Paragraph | None:
    """Return the notes on the tests, each once with the pairs it refers to."""
    notes: dict[str, list[str]] = {}
    for (first, second), rows in pairs.items():
        for row in rows.values():
            parts = (row.note or "").split("; ")
            clauses = [
                part
                for part in parts
                if part
                and not part.endswith(_REPEATED_NOTES)
                and not part.startswith(_ONE_TAIL_PREFIX)
            ]
            if clauses and row.test in tests:
                text = f"{_TEST_TITLES[row.test]}: {'; '.join(clauses)}"
                notes.setdefault(text, []).append(f"{first} − {second}")
    sentences = [
        f"{note}." if len(pair_names) == len(pairs) else f"{note} ({', '.join(pair_names)})."
        for note, pair_names in notes.items()
    ]
    note: tuple[Inline, ...] = (*prefix, " ".join(sentences))
    return Paragraph(note) if any(note) else None


# Fold sizes and stratification.

_STRATIFICATION_SENTENCES = {
    Stratification.STRATIFIED: (" Folds are stratified by class."),
    Stratification.NOT_STRATIFIED: (" Folds are not stratified by class."),
    Stratification.TOO_SMALL: (" Too few cases for stratified folds."),
}
_MAX_FOLDS_NAMED = 5


def fold_audit_blocks(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return fold sizes and stratification of all classifiers with case-level data."""
    audits = evaluation.fold_audits
    return tuple(
        block
        for number, audit in enumerate(audits, start=1)
        if len(audit.folds) > 1
        for block in _audit_blocks(
            audit, number, only_audit=len(audits) == 1, full_detail=is_full_detail(evaluation)
        )
    )


def _audit_blocks(
    audit: FoldAudit, number: int, *, only_audit: bool, full_detail: bool
) -> Iterator[Block]:
    yield Paragraph(tuple(_fold_sizes_sentence(audit, only_audit=only_audit)))
    if full_detail:
        yield _class_distribution_table(audit, number)
    yield from _missing_class_notes(audit)


def _class_distribution_table(audit: FoldAudit, number: int) -> Table:
    columns = (
        Column("Class"),
        Column("Overall frequency", numeric=True),
        Column("Minimum over folds", numeric=True),
        Column("Maximum over folds", numeric=True),
        Column("Folds without the class", numeric=True),
    )
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            distribution.class_,
            PlainNumber(TO_PERCENT * distribution.proportion, 1, "%"),
            PlainNumber(TO_PERCENT * distribution.min_proportion, 1, "%"),
            PlainNumber(TO_PERCENT * distribution.max_proportion, 1, "%"),
            Count(len(distribution.folds_without_class)),
        )
        for distribution in audit.classes
    )
    return Table(
        f"fold-classes-{number}", "Class distribution over folds", columns, (RowGroup(rows),)
    )


def _fold_sizes_sentence(audit: FoldAudit, *, only_audit: bool) -> Iterator[Inline]:
    smallest, largest = min(audit.sizes), max(audit.sizes)
    if not only_audit:
        yield from (*join_names(audit.classifiers), ": ")
    yield Count(len(audit.folds))
    yield " folds of "
    if smallest != largest:
        yield Count(smallest)
        yield EN_DASH
    yield Count(largest)
    yield " cases."
    if not audit.has_equal_sizes:
        yield " Folds of unequal size are weighted equally in the mean."
    yield _STRATIFICATION_SENTENCES[audit.verdict]
    if audit.chi_square is None:
        return
    yield " χ² test of fold by class: χ² = "
    yield PlainNumber(audit.chi_square, 2)
    yield ", df "
    yield Count(audit.df)
    if audit.p is None:
        yield " (no p-value: cases occur in several folds)."
        return
    yield ", "
    yield PValue(audit.p, with_symbol=True)
    yield "."


def _missing_class_notes(audit: FoldAudit) -> Iterator[Note]:
    """Yield a caution for each class that is missing from a fold."""
    for distribution in audit.classes:
        if distribution.folds_without_class:
            folds = ", ".join(distribution.folds_without_class[:_MAX_FOLDS_NAMED])
            ellipsis = ", …" if len(distribution.folds_without_class) > _MAX_FOLDS_NAMED else ""
            noun = "Fold" if len(distribution.folds_without_class) == 1 else "Folds"
            verb = "has" if len(distribution.folds_without_class) == 1 else "have"
            yield Note(
                (
                    f"{noun} {folds}{ellipsis} {verb} no case of class ",
                    Strong(distribution.class_),
                    "; some measures are undefined there.",
                ),
                warning=True,
            )


if TYPE_CHECKING:
    _SummaryIndex: TypeAlias = Mapping[tuple[str, str], FoldSummary]

_MAX_FOLD_MEASURES = 2
_MANY_FOLDS = 30
_MAX_BRIEF_MEANS, _MAX_EXCLUDED = 4, 6
_OMITTED_TABLES = "Values per fold, and means and tests for all measures"
_FOLDED_STATISTICS = (
    "Means, variances and tests over folds; the tests over cases decide, not those over folds."
)
_PREFERRED_FOLD_MEASURES = ("accuracy", "youden", "rmse", "pearson")
_EXCLUDED_FOLDS_NOTE = (
    "Folds where a measure is undefined or infinite are excluded from its mean, variance and tests."
)
_MAX_CLASSIFIERS_PER_TABLE = 3
_REQUIRED_STATISTICS = {"Mean", "Variance", "Variance of the mean"}
_INDEPENDENCE_NOTE = "The variance of the mean assumes independent folds"
_CORRECTED_INTERVAL_NOTE = " CI is corrected for overlapping training sets (Nadeau–Bengio)."
_INTERVAL_HEADING = "CI of the mean"
_POOLED_NOTE = (
    "Pooled: computed from the cases of all folds together; mean: every fold weighted equally. They"
    " differ if fold sizes or denominators (e.g. predicted positives for precision) vary."
)


def build_cross_validation_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return values per fold, means and variances, fold-level tests and the fold audit."""
    summaries = _index_summaries(evaluation)
    if not summaries:
        return ()
    displayed = _displayed_measures(evaluation, summaries)
    first = displayed[:_MAX_FOLD_MEASURES]
    pooled = any(evaluation.value(name, measure) for measure in first for _, name in summaries)
    has_many_folds = any(summary.k > _MANY_FOLDS for summary in summaries.values())
    full_detail = is_full_detail(evaluation)
    figures = [
        fold_difference_figure(evaluation, measure) or fold_figure(evaluation, measure)
        for measure in first[: None if full_detail else 1]
    ]
    if evaluation.folds_are_repetitions:
        return (
            *(figure for figure in figures if figure is not None),
            Paragraph(tuple(_describe_repetitions(evaluation))),
        )
    is_single = len(displayed) == 1
    by_fold = (
        first[: 1 if has_many_folds else None]
        if full_detail or is_single or not any(figures)
        else []
    )
    statistics: tuple[Block, ...] = (
        *((Paragraph((_POOLED_NOTE,)),) if pooled else ()),
        *_mean_tables(
            evaluation, displayed if full_detail else displayed[:_MAX_BRIEF_MEANS], summaries
        ),
        *_excluded_folds_blocks(displayed, summaries, full_detail=full_detail),
        *fold_test_blocks(evaluation, first if full_detail else first[:1]),
    )
    in_details = any(figures) and _cases_decide(evaluation) and not full_detail
    return (
        *(figure for figure in figures if figure is not None),
        *(_per_fold_table(evaluation, measure, summaries) for measure in by_fold),
        *(() if in_details else statistics),
        *_with_omission_note(
            fold_audit_blocks(evaluation), omits_tables=not (full_detail or is_single)
        ),
        *((Details(Paragraph((_FOLDED_STATISTICS,)), statistics),) if in_details else ()),
    )


def _describe_repetitions(evaluation: Evaluation) -> Iterator[Inline]:
    yield Count(evaluation.predictions_per_case or 0)
    yield from (" repetitions of ", Count(evaluation.aggregates.distinct_cases or 0))
    yield f" {case_noun(evaluation)}. In intervals and tests all predictions of a case count as one"
    yield " case. Values per repetition: results.json."


def _with_omission_note(blocks: tuple[Block, ...], *, omits_tables: bool) -> tuple[Block, ...]:
    """Return the blocks, the last paragraph with where the omitted tables are."""
    if not omits_tables:
        return blocks
    note = omitted_in_results_note(_OMITTED_TABLES)
    if blocks and isinstance(blocks[-1], Paragraph):
        return (*blocks[:-1], Paragraph((*blocks[-1].parts, " ", *note.parts)))
    return (*blocks, note)


def _cases_decide(evaluation: Evaluation) -> bool:
    """Return whether tests over cases decide, so that those over folds do not."""
    tested = [row for row in evaluation.comparisons if row.is_tested]
    return bool(tested) and all(row.data != "folds" for row in tested)


def _index_summaries(evaluation: Evaluation) -> _SummaryIndex:
    return {
        (summary.measure, summary.classifier): summary
        for summary in evaluation.fold_summaries
        if summary.is_overall
    }


def _displayed_measures(evaluation: Evaluation, summaries: _SummaryIndex) -> list[Measure]:
    """Return the measures to summarise over folds, the preferred ones first."""
    names = list(dict.fromkeys(measure for measure, _ in summaries))
    measures = [measure for name in names if (measure := find_measure(name)) is not None]
    return sorted(
        (measure for measure in measures if _is_displayed(evaluation, measure)),
        key=lambda measure: (measure.name not in _PREFERRED_FOLD_MEASURES, measures.index(measure)),
    )


def _is_displayed(evaluation: Evaluation, measure: Measure) -> bool:
    """Return whether a measure is summarised over folds: it has an orientation or was given."""
    has_fold_scores = any(
        find_measure(name) == measure
        for classifier in evaluation.spec.classifiers
        for name in classifier.fold_scores or {}
    )
    compares = measure.orientation is not Orientation.NEITHER
    return has_fold_scores or (compares and measure in evaluation.reported_measures)


def _summarized_classifiers(
    evaluation: Evaluation, measure: Measure, summaries: _SummaryIndex
) -> list[str]:
    names = [classifier.name for classifier in evaluation.spec.classifiers]
    return [name for name in names if (measure.name, name) in summaries]


def _per_fold_table(evaluation: Evaluation, measure: Measure, summaries: _SummaryIndex) -> Table:
    classifiers = _summarized_classifiers(evaluation, measure, summaries)
    frame = evaluation.values.per_fold().filter(pl.col("measure") == measure.name)
    # Without intervals: the table shows the variability between folds.
    scores = {
        (classifier, fold): MeasureEstimate(MeasureValue(value, ValueState(state), reason), measure)
        for classifier, fold, value, state, reason in frame.select(
            "classifier", "fold", "value", "state", "reason"
        ).rows()
    }
    fold_names = list(dict.fromkeys(fold for _, fold in scores))
    rows: list[tuple[TableCell, ...]] = [
        (f"Fold {fold}", *(scores.get((name, fold)) for name in classifiers)) for fold in fold_names
    ]
    classifier_summaries = [summaries[measure.name, name] for name in classifiers]
    statistics = [_summary_cells(evaluation, measure, summary) for summary in classifier_summaries]
    columns = (Column("Fold"), *(Column(name, numeric=True) for name in classifiers))
    table_rows = [
        (head, *(cells[head] for cells in statistics)) for head in _nonempty_headings(statistics)
    ]
    return Table(
        f"folds-{measure.name}",
        f"{measure.title} per fold",
        columns,
        (RowGroup(tuple(rows)), RowGroup(tuple(table_rows), "Across folds")),
        Paragraph(
            _means_note(
                evaluation, has_interval=any(cells[_INTERVAL_HEADING] for cells in statistics)
            )
        ),
    )


def _means_note(evaluation: Evaluation, *, has_interval: bool) -> tuple[Inline, ...]:
    return (
        _INDEPENDENCE_NOTE,
        *(
            ("; the ", confidence_level(evaluation), _CORRECTED_INTERVAL_NOTE)
            if has_interval
            else (".",)
        ),
    )


def _mean_tables(
    evaluation: Evaluation, measures: Sequence[Measure], summaries: _SummaryIndex
) -> Iterator[Table]:
    """Yield tables of means, variances and SDs of all measures, a few classifiers at a time."""
    if len(measures) <= 1:
        return
    names = [classifier.name for classifier in evaluation.spec.classifiers]
    names = [name for name in names if any(key[1] == name for key in summaries)]
    starts = range(0, len(names), _MAX_CLASSIFIERS_PER_TABLE)
    for number, part in enumerate(
        (names[start : start + _MAX_CLASSIFIERS_PER_TABLE] for start in starts), start=1
    ):
        heads = [f"{name}: {statistic}" for name in part for statistic in ("mean", "variance (SD)")]
        rows = tuple(
            (
                measure.title,
                *(
                    cell
                    for name in part
                    for cell in _mean_cells(summaries.get((measure.name, name)), measure)
                ),
            )
            for measure in measures
        )
        yield Table(
            f"fold-means-{number}",
            "Mean, variance and standard deviation (SD) across folds",
            (Column("Measure"), *(Column(head, numeric=True) for head in heads)),
            (RowGroup(rows),),
        )


def _mean_cells(summary: FoldSummary | None, measure: Measure) -> tuple[TableCell, TableCell]:
    """Return the mean with its confidence interval, and variance and SD across folds."""
    if summary is None or summary.mean is None:
        return None, None
    mean = MeasureEstimate(fold_summary_value(summary), measure)
    if summary.variance is None or summary.standard_deviation is None:
        return mean, None
    deviation = PlainNumber(summary.standard_deviation)
    return mean, InlineText((PlainNumber(summary.variance), " (", deviation, ")"))


def _excluded_folds_blocks(
    measures: Sequence[Measure], summaries: _SummaryIndex, *, full_detail: bool
) -> tuple[Block, ...]:
    """Return the number of excluded folds by classifier and measure."""
    rows = tuple(
        (classifier, measure.title, Count(summary.undefined_folds), Count(summary.k))
        for measure in measures
        for (name, classifier), summary in summaries.items()
        if name == measure.name and summary.undefined_folds
    )
    if not rows:
        return ()
    if len(rows) > _MAX_EXCLUDED and not full_detail:
        return (Note((f"{_EXCLUDED_FOLDS_NOTE} This occurred {len(rows)} times.",), warning=True),)
    columns = (
        Column("Classifier"),
        Column("Measure"),
        Column("Excluded folds", numeric=True),
        Column("Folds", numeric=True),
    )
    table = Table("folds-left-out", "Excluded folds (no finite value)", columns, (RowGroup(rows),))
    return (Note((_EXCLUDED_FOLDS_NOTE,), warning=True), table)


def _summary_cells(
    evaluation: Evaluation, measure: Measure, summary: FoldSummary
) -> dict[str, TableCell]:
    """Return the summary statistics across folds, by row head."""
    return {
        "Mean": _mean_cell(measure, summary),
        _INTERVAL_HEADING: _interval_cell(measure, summary),
        "Variance": _number_cell(summary.variance),
        "Standard deviation": _number_cell(summary.standard_deviation),
        "Variance of the mean": _number_cell(summary.variance_of_mean),
        "Pooled": _pooled_cell(evaluation, measure, summary),
    }


def _nonempty_headings(rows: Sequence[Mapping[str, TableCell]]) -> list[str]:
    """Return the row heads with any value; mean and variances are always shown."""
    return [
        head
        for head in rows[0]
        if head in _REQUIRED_STATISTICS or any(cells[head] is not None for cells in rows)
    ]


def _mean_cell(measure: Measure, summary: FoldSummary) -> MeasureEstimate | None:
    if summary.mean is None:
        return None
    return MeasureEstimate(MeasureValue(summary.mean, ValueState.DEFINED, None), measure)


def _interval_cell(measure: Measure, summary: FoldSummary) -> Interval | None:
    if summary.low is None or summary.high is None:
        return None
    return Interval(summary.low, summary.high, measure)


def _pooled_cell(
    evaluation: Evaluation, measure: Measure, summary: FoldSummary
) -> MeasureEstimate | None:
    score = evaluation.value(summary.classifier, measure)
    if score is None:
        return None
    return MeasureEstimate(MeasureValue(score.value, score.state, score.reason), measure)


def _number_cell(number: float | None) -> PlainNumber | None:
    return None if number is None else PlainNumber(number)
