"""Comparison with chance and majority-class baselines, and the chi-square rule of El Emam et al."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import get_measure
from reportgen.report.document import Column, Details, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.comparisons import majority_class_finding
from reportgen.report.formatting import inline_number
from reportgen.report.inline import CheckMark, Count, InlineText, PlainNumber, PValue, Strong
from reportgen.report.phrases.findings import UNADJUSTED_CIS, majority_baseline_sentence
from reportgen.report.selection import classifiers_best_first, is_full_detail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.chance import ChanceComparison, ChanceTableCell, PublishedChanceCheck
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell

_CHANCE_MODELS = {"uniform": "coin flip", "same_rate": "at the classifier's rate"}
_PROBABILITY_DECIMALS, _TWO = 4, 2


def build_chance_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the chi-square rule by classifier, and the probability that guessing passes it.

    Where all classifiers pass the rule, the table is folded.
    """
    audit = evaluation.chance
    if audit is None:
        return ()
    has_repeats = evaluation.aggregates.distinct_cases is not None
    baseline = tuple(_majority_baseline_paragraph(evaluation))
    blocks: list[Block] = []
    if audit.comparisons:
        rule: list[Block] = [
            _introduction(evaluation.spec.comparison.alpha),
            _chance_table(evaluation, audit.comparisons),
        ]
        rule += _misleading_chi_square_note(audit.comparisons)
        if has_repeats:
            rule.append(Note(("Repeated predictions of a case count once.",)))
        if all(row.passes for row in audit.comparisons):
            rule += (*baseline, *_baseline_tests_table(evaluation))
            blocks.append(Details(_all_pass_sentence(audit.comparisons), tuple(rule)))
        else:
            blocks += (*rule, *baseline)
            if is_full_detail(evaluation):
                blocks += _baseline_tests_table(evaluation)
    else:
        blocks += baseline
    full_detail = is_full_detail(evaluation)
    for alpha in dict.fromkeys(cell.alpha for cell in audit.table_cells):
        cells = [cell for cell in audit.table_cells if cell.alpha == alpha]
        blocks += _enumeration_blocks(alpha, cells, full_detail=full_detail)
    if audit.published_checks:
        blocks.append(_published_checks_table(audit.published_checks))
    return tuple(blocks)


def _all_pass_sentence(rows: Sequence[ChanceComparison]) -> Paragraph:
    """Return that all classifiers pass the rule, and the largest probability of guessing."""
    count = len(rows)
    everybody = "Both classifiers" if count == _TWO else f"All {count} classifiers"
    subject = f"{rows[0].classifier} meets" if count == 1 else f"{everybody} meet"
    accuracy_phrase = "guessing at the same rate would be as accurate with "
    return Paragraph(
        (
            f"{subject} the χ² rule of El Emam et al.; {accuracy_phrase}",
            PValue(max(row.p_value_vs_same_rate for row in rows), with_symbol=True),
            ".",
        )
    )


def _introduction(alpha: float) -> Paragraph:
    return Paragraph(
        (
            "Rule of El Emam et al.: χ² significant (p < ",
            PlainNumber(alpha),
            (
                ") and accuracy > 50%; χ² alone is the same for a classifier and its inverse. Last"
                " columns: exact probability that random guessing does as well."
            ),
        )
    )


def _chance_table(evaluation: Evaluation, rows: Sequence[ChanceComparison]) -> Table:
    best_first = classifiers_best_first(evaluation)
    accuracy = get_measure("accuracy")
    heads = ("χ²", "p", "Accuracy")
    chances = (
        "P(coin-flip passes)",
        "P(coin-flip ≥ accuracy)",
        "P(guessing at the same rate ≥ accuracy)",
    )
    columns = (
        Column("Classifier"),
        *(Column(head, numeric=True) for head in heads),
        Column("Meets rule"),
        *(Column(head, numeric=True) for head in chances),
    )
    cells = tuple(
        (
            row.classifier,
            "undefined" if row.chi_square is None else PlainNumber(row.chi_square, 2),
            None if row.p is None else PValue(row.p),
            inline_number(accuracy, row.accuracy),
            "yes" if row.passes else "no",
            PValue(row.prob_random_passes),
            PValue(row.p_value_vs_uniform),
            PValue(row.p_value_vs_same_rate),
        )
        for row in sorted(rows, key=lambda row: best_first.index(row.classifier))
    )
    caption = "Association with the truth (Yates-corrected χ²) and comparison with random guessing"
    return Table("chance", caption, columns, (RowGroup(cells),))


def _misleading_chi_square_note(rows: Sequence[ChanceComparison]) -> Iterator[Block]:
    misleading = [row.classifier for row in rows if row.misleading]
    if misleading:
        parts: list[Inline] = []
        for index, name in enumerate(misleading):
            parts += [Strong(name), ", " if index + 1 < len(misleading) else ""]
        plural = len(misleading) > 1
        yield Note(
            (
                *parts,
                " have" if plural else " has",
                " a significant χ² but Youden's J ≤ 0: the association with the truth is in the",
                " wrong direction.",
            ),
            warning=True,
        )


def _majority_baseline_paragraph(evaluation: Evaluation) -> Iterator[Block]:
    """Yield the comparison with always predicting the majority class."""
    baseline = majority_class_finding(evaluation)
    if baseline is not None:
        yield Paragraph((*majority_baseline_sentence(baseline), UNADJUSTED_CIS))


def _baseline_tests_table(evaluation: Evaluation) -> Iterator[Table]:
    """Yield the tests of each classifier against the no-information rate and a kappa of 0."""
    baseline = evaluation.majority_baseline
    if baseline is None:
        return
    accuracy = get_measure("accuracy")
    heads = ("Accuracy", "No-information rate", "p (accuracy > rate)", "κ", "p (κ = 0)")
    rows = tuple(
        (
            row.classifier,
            None if row.value.value is None else inline_number(accuracy, row.value.value),
            inline_number(accuracy, baseline.proportion),
            PValue(row.p),
            None if row.kappa is None else PlainNumber(row.kappa.kappa, 3),
            None if row.kappa is None else PValue(row.kappa.p),
        )
        for row in baseline.comparisons
    )
    note = Paragraph(
        (
            (
                "No-information rate: the proportion of the largest class; one-sided exact binomial"
                " test. κ: two-sided normal test (Fleiss, Cohen and Everitt 1969). p-values are"
                " not adjusted."
            ),
        )
    )
    columns = (Column("Classifier"), *(Column(head, numeric=True) for head in heads))
    yield Table("baseline_tests", "Tests against baselines", columns, (RowGroup(rows),), note)


def _enumeration_blocks(
    alpha: float, cells: Sequence[ChanceTableCell], *, full_detail: bool
) -> Iterator[Block]:
    shares = list(dict.fromkeys(cell.share for cell in cells))
    source = next((cell.source for cell in cells if cell.source), None)
    has_published = any(cell.published is not None for cell in cells)
    columns = (
        Column("Cases"),
        *(
            Column(InlineText(("Class share ", PlainNumber(share))), numeric=True)
            for share in shares
        ),
    )
    groups = [RowGroup(_enumeration_rows(cells, "plain"), "Exact, without Yates' correction")]
    if full_detail or not has_published:
        groups.append(
            RowGroup(_enumeration_rows(cells, "corrected"), "Exact, with Yates' correction")
        )
    if has_published:
        groups.insert(
            0, RowGroup(_enumeration_rows(cells, "published"), f"Published{_source_phrase(source)}")
        )
        yield _agreement_paragraph(alpha, cells, source)
    yield Table(
        f"chance-{alpha:g}".replace(".", "-"),
        InlineText(("Probability that guessing meets the rule at α = ", PlainNumber(alpha))),
        columns,
        tuple(groups),
    )


def _source_phrase(source: str | None) -> str:
    return f" in {source}" if source else ""


def _enumeration_rows(
    cells: Sequence[ChanceTableCell], variant: str
) -> tuple[tuple[TableCell, ...], ...]:
    rows: dict[int, list[TableCell]] = {}
    for cell in cells:
        table_cell: TableCell
        match variant:
            case "plain":
                table_cell = PlainNumber(cell.plain, _PROBABILITY_DECIMALS)
            case "corrected":
                table_cell = PlainNumber(cell.corrected, _PROBABILITY_DECIMALS)
            case _:
                table_cell = (
                    None if cell.published is None else PlainNumber(cell.published, cell.decimals)
                )
        rows.setdefault(cell.size, []).append(table_cell)
    return tuple((Count(size), *row) for size, row in rows.items())


def _agreement_paragraph(
    alpha: float, cells: Sequence[ChanceTableCell], source: str | None
) -> Paragraph:
    published_cells = [cell for cell in cells if cell.published is not None]
    n_plain = sum(cell.plain_agrees is True for cell in published_cells)
    corrected = sum(cell.corrected_agrees is True for cell in published_cells)
    if n_plain == len(published_cells) and corrected < n_plain:
        meaning = " The published values were computed without the correction."
    elif corrected == len(published_cells) and n_plain < corrected:
        meaning = " The published values were computed with the correction."
    else:
        meaning = ""
    return Paragraph(
        (
            f"Of {len(published_cells)} values published{_source_phrase(source)} for α = ",
            PlainNumber(alpha),
            ", ",
            Count(n_plain),
            " agree with the exact probabilities without Yates' correction and ",
            Count(corrected),
            f" with the correction (simulated values within their 99% limits).{meaning}",
        )
    )


def _published_checks_table(checks: Sequence[PublishedChanceCheck]) -> Table:
    columns = (
        Column("Source"),
        Column("Classifier"),
        Column("Chance model"),
        Column("Published", numeric=True),
        Column("Exact", numeric=True),
        Column("Agrees"),
        Column("Reason"),
    )
    rows = tuple(
        (
            check.source or "",
            check.classifier,
            _CHANCE_MODELS[check.guess],
            PlainNumber(check.published, check.decimals),
            _exact_cell(check),
            CheckMark(check.agrees),
            check.note or "",
        )
        for check in checks
    )
    caption = "Published probabilities that guessing is as accurate"
    return Table("chance-published", caption, columns, (RowGroup(rows),))


def _exact_cell(check: PublishedChanceCheck) -> PlainNumber:
    """Return the exact value with one digit more than published, or as many as it needs."""
    decimals = check.decimals + 1
    return PlainNumber(check.computed, decimals if check.computed >= 10.0**-decimals else None)
