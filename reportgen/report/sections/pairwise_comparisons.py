"""Pairwise comparisons: differences with confidence intervals, adjusted p-values and decisions."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.evaluation.named_tests import MCNEMAR_RANGE
from reportgen.measures import get_measure
from reportgen.report.document import Bullets, Column, Details, Paragraph, RowGroup, Table
from reportgen.report.findings.comparisons import is_one_sided_test, primary_measure
from reportgen.report.formatting import (
    comparison_title,
    confidence_level,
    difference_cells,
    equivalence_margin,
    inline_margin,
    inline_required_cases,
    percentage_points_note,
)
from reportgen.report.inline import (
    Count,
    InlineText,
    PlainNumber,
    PValue,
    Strong,
    Tone,
    VerdictBadge,
)
from reportgen.report.phrases import (
    NOT_SIGNIFICANT,
    describe_tests,
    measure_phrase,
    uncompared_measures_sentence,
)
from reportgen.report.sections.forest_plot import build_forest_plot
from reportgen.report.selection import is_full_detail, is_section_included

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# Classical tests, secondary to the primary ones.

_CLASSICAL_TESTS_NOTE = (
    "Classical tests for comparison with the literature; unadjusted, not used for any conclusion."
)
_NOT_TESTED_PREFIX = "not tested: "
_MAX_UNTESTED_NAMED = 4
_OMNIBUS_PHRASES = {
    "accuracy": ("accuracies", "Cochran's Q"),
    "roc_auc": ("areas under the ROC curve", "DeLong's χ²"),
}
_MCNEMAR_BOUNDS_NOTE = (
    "Case-level data would allow paired tests. Bounds on McNemar's p from the marginal counts:"
)


def omnibus_test_paragraphs(evaluation: Evaluation) -> Iterator[Paragraph]:
    """Yield the omnibus tests of equal accuracies and equal areas under the ROC curve.

    They are not part of the families of hypotheses, so nothing is called significant by them.
    """
    for test in evaluation.omnibus_tests:
        if test.statistic is None or test.p is None:
            continue
        quantities, statistic = _OMNIBUS_PHRASES[test.measure]
        parts: tuple[Inline, ...] = (
            f"Omnibus test of equal {quantities} (unadjusted): {statistic} = ",
            PlainNumber(test.statistic, 2),
            f", df {test.df}, ",
            PValue(test.p, with_symbol=True),
            ".",
        )
        yield Paragraph(parts)


def untested_reasons(rows: Sequence[Comparison]) -> Iterator[str]:
    """Yield the reasons for missing tests, each once."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.p is None:
            reason = (row.note or "no variation").removeprefix(_NOT_TESTED_PREFIX)
            contrast = f"{get_measure(row.measure).title} ({row.first} − {row.second})"
            reasons.setdefault(reason, []).append(contrast)
    for reason, contrasts in reasons.items():
        n_more = len(contrasts) - _MAX_UNTESTED_NAMED
        others = f" and {n_more} more" if n_more > 0 else ""
        yield f"Not tested ({reason}): {', '.join(contrasts[:_MAX_UNTESTED_NAMED])}{others}."


def _secondary_tests(evaluation: Evaluation) -> list[Comparison]:
    return [
        row
        for row in evaluation.comparisons
        if not row.primary_test and row.data == "paired" and row.class_ is None
    ]


def classical_tests_table(evaluation: Evaluation) -> Iterator[Table]:
    """Yield the table of p-values of the classical tests, a column for each pair."""
    rows = _secondary_tests(evaluation)
    if not rows:
        return
    pairs = dict.fromkeys((row.first, row.second) for row in rows)
    by_test = {
        (row.measure, row.test, row.first, row.second): "not tested"
        if row.p is None
        else PValue(row.p)
        for row in rows
    }
    columns = (
        Column("Test"),
        *(Column(f"{first} − {second}: p", numeric=True) for first, second in pairs),
    )
    # Grouped by measure, so that the names of the tests fit on one line.
    groups: dict[str, dict[str, tuple[TableCell, ...]]] = {}
    for row in rows:
        groups.setdefault(get_measure(row.measure).title, {})[row.test] = (
            f"{row.test[:1].upper()}{row.test[1:]}".replace("Mcnemar", "McNemar"),
            *(by_test.get((row.measure, row.test, *pair)) for pair in pairs),
        )
    yield Table(
        "named-tests",
        "Classical tests",
        columns,
        tuple(RowGroup(tuple(tests.values()), title) for title, tests in groups.items()),
        Paragraph((" ".join((_CLASSICAL_TESTS_NOTE, *untested_reasons(rows))),)),
    )


def mcnemar_bounds_blocks(evaluation: Evaluation) -> Iterator[Block]:
    """Yield the bounds on McNemar's p-value where only counts are known."""
    rows = [
        row for row in evaluation.comparisons if row.test == MCNEMAR_RANGE and row.class_ is None
    ]
    if rows:
        yield Paragraph((_MCNEMAR_BOUNDS_NOTE,))
        yield Bullets(
            tuple(
                Paragraph(
                    (
                        f"{get_measure(row.measure).title} of ",
                        Strong(row.first),
                        " and ",
                        Strong(row.second),
                        f": {row.note}.",
                    )
                )
                for row in rows
            )
        )


# Up to so many pairs all measures are shown; beyond, the main ones with a row for each pair.
_MAX_PAIRS_DETAILED = 3
_MAX_MEASURES = 4
_MAX_ROWS, _MAX_ROWS_BRIEF = 60, 15
_MAX_FIGURE_GROUPS_BRIEF, _MAX_FIGURE_ROWS_BRIEF = 3, 18
_MAX_CLASS_ROWS, _MAX_CLASS_ROWS_BRIEF = 30, 12
_OTHER_MAIN_MEASURES = ("youden", "roc_auc")
_DECISION_WORDS = {
    Decision.TIED: "tied",
    Decision.UNDECIDED: NOT_SIGNIFICANT,
    Decision.EQUIVALENT: "equivalent",
}
_REQUIRED_CASES_NOTE = (
    "Cases needed: sample size to detect the observed difference with 80% power, if it is the true"
    " one; rounded up to one digit."
)
_OTHER_MEASURES_NOTE = "Differences in all other measures: results.json, “comparisons”."
_SIMULTANEOUS_INTERVALS_NOTE = (
    "CIs are simultaneous: they hold for all comparisons at once. Unadjusted CIs: results.json."
)


def build_pairwise_comparisons_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the comparisons by pair or, if there are many pairs, by measure.

    Below full detail, tables of what the figure does not need are folded.
    """
    primary = [row for row in evaluation.comparisons if row.primary_test]
    if not primary:
        return ()
    pairs = dict.fromkeys((row.first, row.second) for row in primary)
    overall = [row for row in primary if row.class_ is None]
    figure = (
        build_forest_plot(evaluation)
        if is_full_detail(evaluation)
        else build_forest_plot(
            evaluation, max_groups=_MAX_FIGURE_GROUPS_BRIEF, max_rows=_MAX_FIGURE_ROWS_BRIEF
        )
    )
    few_pairs = len(pairs) <= _MAX_PAIRS_DETAILED
    return (
        *_tests_paragraph(evaluation),
        *((figure,) if figure is not None else ()),
        *(
            _few_pairs_blocks(evaluation, overall, fold=figure is not None)
            if few_pairs
            else _many_pairs_blocks(evaluation, overall, fold=figure is not None)
        ),
        *_class_comparison_blocks(evaluation, [row for row in primary if row.class_ is not None]),
        *(mcnemar_bounds_blocks(evaluation) if few_pairs else ()),
    )


def _few_pairs_blocks(
    evaluation: Evaluation, rows: Sequence[Comparison], *, fold: bool
) -> Iterator[Block]:
    """Yield the differences in the headline measures, and folded all others and other tests.

    Where a figure shows the main differences, those in the headline measures are folded too.
    """
    if is_full_detail(evaluation):
        yield from omnibus_test_paragraphs(evaluation)
        yield from _pair_tables(evaluation, rows)
        yield from classical_tests_table(evaluation)
        return
    headline = _headline_comparisons(evaluation, rows)
    tables = tuple(_pair_tables(evaluation, headline))
    if fold:
        sentence = _significant_count_sentence(headline, "main differences are significant")
        yield Details(sentence, tables)
    else:
        yield from tables
    others = [row for row in rows if row not in headline]
    details: list[Block] = list(omnibus_test_paragraphs(evaluation))
    if others:
        details += _pair_tables(evaluation, others, ("differences-other", "Other differences"))
    details += classical_tests_table(evaluation)
    if details:
        yield Details(_significant_count_sentence(others), tuple(details))


def _many_pairs_blocks(
    evaluation: Evaluation, rows: Sequence[Comparison], *, fold: bool
) -> Iterator[Block]:
    """Yield the differences of all pairs, folded where a figure shows the most important."""
    tables = tuple(_measure_tables(evaluation, rows))
    omnibus = tuple(omnibus_test_paragraphs(evaluation))
    if not fold or not tables:
        yield from omnibus
        yield from tables
        return
    main = primary_measure(evaluation)
    selected = [row for row in rows if main is not None and row.measure == main.name]
    yield Details(
        _significant_count_sentence(selected, f"pairs differ in {measure_phrase(main)}")
        if main
        else _significant_count_sentence(rows),
        (*omnibus, *tables),
    )


def _headline_comparisons(evaluation: Evaluation, rows: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons in the primary measure and in the area under the ROC curve."""
    main = primary_measure(evaluation)
    names = {"roc_auc", *((main.name,) if main else ())}
    if len({row.measure for row in rows}) <= _MAX_MEASURES:
        return list(rows)
    averages = {None, evaluation.primary_measure.average if evaluation.primary_measure else None}
    return [row for row in rows if row.measure in names and row.average in averages]


def _significant_count_sentence(
    rows: Sequence[Comparison], phrase: str = "other differences are significant"
) -> Paragraph:
    """Return how many comparisons are significant after adjustment."""
    tested = [row for row in rows if row.is_tested]
    if not tested:
        return Paragraph(("Classical tests, for comparison with the literature.",))
    significant = sum(row.verdict.is_decided for row in tested)
    if "significant" not in phrase:
        phrase = phrase.replace("differ", "differ significantly", 1)
    parts = (Count(significant), " of ", Count(len(tested)), f" {phrase}")
    return Paragraph((*parts, " (adjusted for all comparisons)."))


def _tests_paragraph(evaluation: Evaluation) -> Iterator[Paragraph]:
    """Yield the description of the tests, unless the methods section has it."""
    if not is_section_included(evaluation, "method"):
        yield Paragraph((*describe_tests(evaluation), *uncompared_measures_sentence(evaluation)))


def _pair_tables(
    evaluation: Evaluation,
    rows: Sequence[Comparison],
    name_and_caption: tuple[str, str] = ("differences", "Pairwise differences"),
) -> Iterator[Table]:
    by_pair = groupby(rows, key=lambda row: (row.first, row.second))
    groups: dict[tuple[str, str], list[tuple[TableCell, ...]]] = {}
    for pair, members in by_pair:
        groups.setdefault(pair, []).extend(
            _comparison_row(evaluation, row, comparison_title(row)) for row in members
        )
    yield _comparison_table(
        evaluation,
        (*name_and_caption, "Measure"),
        rows,
        tuple(
            RowGroup(tuple(cells), f"{first} − {second}")
            for (first, second), cells in groups.items()
        ),
    )


def _measure_tables(evaluation: Evaluation, rows: Sequence[Comparison]) -> Iterator[Table]:
    main = primary_measure(evaluation)
    full_detail = is_full_detail(evaluation)
    max_rows = _MAX_ROWS if full_detail else _MAX_ROWS_BRIEF
    names = dict.fromkeys(
        [main.name if main else "", *(_OTHER_MAIN_MEASURES if full_detail else ())]
    )
    for name in names:
        selected = sorted(
            (row for row in rows if row.measure == name),
            key=lambda row: (row.p_adjusted is None, row.p_adjusted, row.p),
        )
        if not selected:
            continue
        n_more = len(selected) - max_rows
        omission = f" {n_more} more pairs: results.json." if n_more > 0 else ""
        measure = get_measure(name)
        displayed = selected[:max_rows]
        yield _comparison_table(
            evaluation,
            (
                f"differences-{name}",
                f"Differences in {measure_phrase(measure)}, sorted by p-value",
                "Pair",
            ),
            displayed,
            (
                RowGroup(
                    tuple(
                        _comparison_row(evaluation, row, f"{row.first} − {row.second}")
                        for row in displayed
                    )
                ),
            ),
            f"{_OTHER_MEASURES_NOTE}{omission}",
        )


def _comparison_table(
    evaluation: Evaluation,
    name_caption_head: tuple[str, str, str],
    rows: Sequence[Comparison],
    groups: tuple[RowGroup, ...],
    extra_note: str = "",
) -> Table:
    """Return a table of comparisons; the column of required cases only if there are any."""
    name, caption, head = name_caption_head
    has_required_cases = any(row.required_cases is not None for row in rows)
    columns = (
        Column(head),
        Column("Difference", numeric=True),
        Column(InlineText((confidence_level(evaluation), " CI")), numeric=True),
        Column(_p_value_heading(evaluation), numeric=True),
        Column("Favours"),
        Column("Cases needed (80% power)", numeric=True),
    )
    note = (
        "" if evaluation.spec.comparison.correction == "none" else _SIMULTANEOUS_INTERVALS_NOTE,
        _REQUIRED_CASES_NOTE if has_required_cases else "",
        *untested_reasons(rows),
        extra_note,
        percentage_points_note(get_measure(row.measure) for row in rows),
    )
    end = None if has_required_cases else -1
    return Table(
        name,
        caption,
        columns[:end],
        tuple(RowGroup(tuple(cells[:end] for cells in group.rows), group.head) for group in groups),
        Paragraph((" ".join(filter(None, note)),)),
    )


def _p_value_heading(evaluation: Evaluation) -> str:
    return "p" if evaluation.spec.comparison.correction == "none" else "Adjusted p"


def _comparison_row(
    evaluation: Evaluation, row: Comparison, head: TableCell
) -> tuple[TableCell, ...]:
    measure = get_measure(row.measure)
    difference, interval = difference_cells(measure, row.difference, *row.reported_limits)
    return (
        head,
        "∞" if difference is None else difference,
        interval,
        PValue(row.p_adjusted),
        _decision_cell(evaluation, row),
        None if row.required_cases is None else inline_required_cases(row.required_cases),
    )


def _decision_cell(evaluation: Evaluation, row: Comparison) -> TableCell:
    """Return the favoured classifier or the outcome, and who is non-inferior."""
    better = {Decision.SUPERIOR: row.first, Decision.INFERIOR: row.second}
    if row.verdict in better:
        return VerdictBadge(better[row.verdict], Tone.GOOD, significant=True)
    if row.p is None:
        return "not tested"
    if row.verdict is not Decision.UNDECIDED:
        return _DECISION_WORDS[row.verdict]
    if is_one_sided_test(evaluation, row):
        return f"{NOT_SIGNIFICANT} (one-sided)"
    safe = row.first if row.non_inferior else row.second if row.reverse_non_inferior else None
    margin = equivalence_margin(evaluation, row.measure)
    if safe is None or margin is None:
        return _DECISION_WORDS[row.verdict]
    return InlineText(
        (
            f"{_DECISION_WORDS[row.verdict]}; {safe} non-inferior (margin ",
            inline_margin(get_measure(row.measure), margin),
            ")",
        )
    )


def _class_comparison_blocks(evaluation: Evaluation, rows: Sequence[Comparison]) -> Iterator[Block]:
    """Yield the significant differences by class."""
    if not rows:
        return
    significant = [row for row in rows if row.verdict.is_decided]
    tested = sum(row.is_tested for row in rows)
    not_tested = (" ", Count(len(rows) - tested), " more not tested (reasons: results.json).")
    sentence = Paragraph(
        (
            "By class: ",
            Count(len(significant)),
            " of ",
            Count(tested),
            " comparisons significant.",
            *(not_tested if tested < len(rows) else ()),
        )
    )
    if not significant:
        yield sentence
        return
    max_rows = _MAX_CLASS_ROWS if is_full_detail(evaluation) else _MAX_CLASS_ROWS_BRIEF
    ordered = sorted(significant, key=lambda row: (row.p_adjusted or 0.0, row.p or 0.0))[:max_rows]
    by_class = {
        class_: [row for row in ordered if row.class_ == class_]
        for class_ in evaluation.aggregates.classes
    }
    columns = (
        Column("Pair"),
        Column("Measure"),
        Column("Difference", numeric=True),
        Column(InlineText((confidence_level(evaluation), " CI")), numeric=True),
        Column(_p_value_heading(evaluation), numeric=True),
        Column("Favours"),
    )
    groups = tuple(
        RowGroup(
            tuple(_class_comparison_row(evaluation, row) for row in members),
            f"{evaluation.class_noun.capitalize()} {class_}",
        )
        for class_, members in by_class.items()
        if members
    )
    n_more = len(significant) - len(ordered)
    note = f"The {max_rows} smallest p-values; {n_more} more: results.json." if n_more else None
    table = Table(
        "differences-by-class",
        "Significant per-class differences",
        columns,
        groups,
        Paragraph((note,)) if note else None,
    )
    yield Details(sentence, (table,))


def _class_comparison_row(evaluation: Evaluation, row: Comparison) -> tuple[TableCell, ...]:
    pair, difference, interval, p, finding, _ = _comparison_row(
        evaluation, row, f"{row.first} − {row.second}"
    )
    return pair, get_measure(row.measure).title, difference, interval, p, finding
