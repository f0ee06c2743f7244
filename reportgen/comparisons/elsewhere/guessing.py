"""Whether classifiers are better than guessing, and how far a test of independence can tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from reportgen.frozen import frozen
from reportgen.statistics.guessing import chance_as_accurate, chi_squares, passing_chance
from reportgen.statistics.quantiles import chi_square_tail

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.elsewhere.prevalence import Rates
    from reportgen.spec import Guessing
    from reportgen.spec.guessing import PrintedTable

HALF = 0.5
# A printed value that was simulated is believed unless this unlikely, on either side.
UNLIKELY = 0.005
# Half a unit of the last printed digit is exact in decimals but not in binary.
ROUNDING_SLACK = 1e-9


@frozen(kw_only=True)
class GuessingRow:
    """What the rule "significant by chi-square and right in over half" says of a classifier.

    Numbers of cases are whole: repeated cases count once. Chi-square is None where the classifier,
    or the truth, knows only one class.
    """

    classifier: str
    positives: int
    negatives: int
    alpha: float
    accuracy: float
    youden: float | None
    chi_square: float | None
    p: float | None
    chance_of_passing: float
    """How often guessing each class with ½ passes the rule."""
    chance_even: float
    """How often guessing each class with ½ is right at least as often."""
    chance_same: float
    """How often guessing positive as often as the classifier says it is right as often."""

    @property
    def significant(self) -> bool:
        """Whether chi-square is."""
        return self.p is not None and self.p < self.alpha

    @property
    def passes(self) -> bool:
        """Whether the rule calls the classifier valid."""
        return self.significant and self.accuracy > HALF

    @property
    def misleading(self) -> bool:
        """Whether chi-square is significant although the classifier is no better than chance."""
        return self.significant and (self.youden is None or self.youden <= 0)


@frozen(kw_only=True)
class GuessingCell:
    """How often guessing passes the rule, for a number of cases and a share of one class."""

    size: int
    share: float
    alpha: float
    plain: float
    """Without Yates' correction."""
    corrected: float
    """With it."""
    published: float | None = None
    decimals: int = 3
    source: str | None = None
    plain_agrees: bool | None = None
    corrected_agrees: bool | None = None


@frozen(kw_only=True)
class GuessingCheck:
    """A printed chance that guessing is as accurate as a classifier, and the exact one."""

    classifier: str
    guess: str
    published: float
    computed: float
    agrees: bool
    decimals: int
    source: str | None
    note: str | None


@frozen
class GuessingAudit:
    """The rule applied to the classifiers, to tables of sizes, and to printed chances."""

    rows: tuple[GuessingRow, ...] = ()
    cells: tuple[GuessingCell, ...] = ()
    checks: tuple[GuessingCheck, ...] = ()


def audit_guessing(
    rates: Sequence[Rates], alpha: float, asked: Guessing | None
) -> GuessingAudit | None:
    """Audit the classifiers, if any has a matrix, and enumerate the tables that were asked for."""
    if not rates and asked is None:
        return None
    rows = tuple(_row(each, alpha) for each in rates)
    if asked is None:
        return GuessingAudit(rows)
    return GuessingAudit(rows, tuple(_cells(asked)), tuple(_checks(asked, rows)))


def _row(rates: Rates, alpha: float) -> GuessingRow:
    positives, negatives = round(rates.positives), round(rates.negatives)
    total = rates.positives + rates.negatives
    table = [np.asarray(count) for count in rates.counts]
    chi_square = float(chi_squares(*table, corrected=True))
    known = math.isfinite(chi_square)
    right, said = rates.tp + rates.tn, rates.tp + rates.fp
    return GuessingRow(
        classifier=rates.classifier,
        positives=positives,
        negatives=negatives,
        alpha=alpha,
        accuracy=right / total,
        youden=None if rates.unknown else rates.sensitivity + rates.specificity - 1,
        chi_square=chi_square if known else None,
        p=chi_square_tail(chi_square) if known else None,
        chance_of_passing=passing_chance(positives, negatives, alpha, corrected=True),
        chance_even=chance_as_accurate(positives, negatives, round(right), HALF),
        chance_same=chance_as_accurate(positives, negatives, round(right), said / total),
    )


def _cells(asked: Guessing) -> Iterator[GuessingCell]:
    printed = {table.alpha: table for table in asked.tables}
    for alpha in asked.alphas:
        for row, size in enumerate(asked.sizes):
            for column, share in enumerate(asked.shares):
                part = round(size * share)
                cell = GuessingCell(
                    size=size,
                    share=share,
                    alpha=alpha,
                    plain=passing_chance(part, size - part, alpha, corrected=False),
                    corrected=passing_chance(part, size - part, alpha, corrected=True),
                )
                table = printed.get(alpha)
                yield cell if table is None else _set_beside(cell, table, row, column)


def _set_beside(cell: GuessingCell, table: PrintedTable, row: int, column: int) -> GuessingCell:
    value, decimals = table.values[row][column], table.decimals[row][column]
    return GuessingCell(
        size=cell.size,
        share=cell.share,
        alpha=cell.alpha,
        plain=cell.plain,
        corrected=cell.corrected,
        published=value,
        decimals=decimals,
        source=table.source,
        plain_agrees=_agrees(value, decimals, cell.plain, table.draws),
        corrected_agrees=_agrees(value, decimals, cell.corrected, table.draws),
    )


def _agrees(printed: float, decimals: int, exact: float, draws: int | None) -> bool:
    """Tell whether a printed chance is the exact one rounded, or a likely outcome of draws."""
    half_a_digit = 0.5 * 10.0**-decimals + ROUNDING_SLACK
    if draws is None:
        return abs(printed - exact) <= half_a_digit
    from scipy.special import bdtr, bdtrc

    fewest = max(0, math.ceil((printed - half_a_digit) * draws))
    most = min(draws, math.floor((printed + half_a_digit) * draws))
    at_least = 1.0 if fewest == 0 else float(bdtrc(fewest - 1, draws, exact))
    at_most = float(bdtr(most, draws, exact))
    return fewest <= most and min(at_least, at_most) >= UNLIKELY


def _checks(asked: Guessing, rows: Sequence[GuessingRow]) -> Iterator[GuessingCheck]:
    by_name = {row.classifier: row for row in rows}
    for entry in asked.published:
        row = by_name[entry.classifier]
        computed = row.chance_even if entry.guess == "even" else row.chance_same
        yield GuessingCheck(
            classifier=entry.classifier,
            guess=entry.guess,
            published=entry.value,
            computed=computed,
            agrees=_agrees(entry.value, entry.decimals, computed, None),
            decimals=entry.decimals,
            source=entry.source,
            note=entry.note,
        )
