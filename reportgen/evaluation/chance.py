"""Whether classifiers are better than guessing, and how far a test of independence can tell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.statistics.chance import p_value_vs_random_accuracy, pearson_chi2, prob_random_passes
from reportgen.statistics.distributions import chi2_sf

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.prevalence import PositiveClassCounts
    from reportgen.spec import ChanceSettings
    from reportgen.spec.chance import PublishedChanceTable

UNIFORM_GUESS = 0.5
# A printed value that was simulated is believed unless this unlikely, on either side.
MIN_SIMULATION_P = 0.005
# Half a unit of the last printed digit is exact in decimals but not in binary.
_ROUNDING_SLACK = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceComparison:
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
        return self.significant and self.accuracy > UNIFORM_GUESS

    @property
    def misleading(self) -> bool:
        """Whether chi-square is significant although the classifier is no better than chance."""
        return self.significant and (self.youden is None or self.youden <= 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceTableCell:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedChanceCheck:
    """A printed chance that guessing is as accurate as a classifier, and the exact one."""

    classifier: str
    guess: str
    published: float
    computed: float
    agrees: bool
    decimals: int
    source: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class ChanceAudit:
    """The rule applied to the classifiers, to tables of sizes, and to printed chances."""

    rows: tuple[ChanceComparison, ...] = ()
    cells: tuple[ChanceTableCell, ...] = ()
    checks: tuple[PublishedChanceCheck, ...] = ()


def compare_with_chance(
    rates: Sequence[PositiveClassCounts], alpha: float, asked: ChanceSettings | None
) -> ChanceAudit | None:
    """Audit the classifiers, if any has a matrix, and enumerate the tables that were asked for."""
    if not rates and asked is None:
        return None
    rows = tuple(_compare_classifier(each, alpha) for each in rates)
    if asked is None:
        return ChanceAudit(rows)
    return ChanceAudit(
        rows, tuple(_chance_table(asked)), tuple(_check_published_chances(asked, rows))
    )


def _compare_classifier(rates: PositiveClassCounts, alpha: float) -> ChanceComparison:
    positives, negatives = round(rates.positives), round(rates.negatives)
    total = rates.positives + rates.negatives
    table = [np.asarray(count) for count in rates.counts]
    chi_square = float(pearson_chi2(*table, corrected=True))
    known = math.isfinite(chi_square)
    right, said = rates.tp + rates.tn, rates.tp + rates.fp
    return ChanceComparison(
        classifier=rates.classifier,
        positives=positives,
        negatives=negatives,
        alpha=alpha,
        accuracy=right / total,
        youden=None if rates.unknown else rates.sensitivity + rates.specificity - 1,
        chi_square=chi_square if known else None,
        p=chi2_sf(chi_square) if known else None,
        chance_of_passing=prob_random_passes(positives, negatives, alpha, corrected=True),
        chance_even=p_value_vs_random_accuracy(positives, negatives, round(right), UNIFORM_GUESS),
        chance_same=p_value_vs_random_accuracy(positives, negatives, round(right), said / total),
    )


def _chance_table(asked: ChanceSettings) -> Iterator[ChanceTableCell]:
    printed = {table.alpha: table for table in asked.tables}
    for alpha in asked.alphas:
        for row, size in enumerate(asked.sizes):
            for column, share in enumerate(asked.shares):
                part = round(size * share)
                cell = ChanceTableCell(
                    size=size,
                    share=share,
                    alpha=alpha,
                    plain=prob_random_passes(part, size - part, alpha, corrected=False),
                    corrected=prob_random_passes(part, size - part, alpha, corrected=True),
                )
                table = printed.get(alpha)
                yield cell if table is None else _add_published_value(cell, table, row, column)


def _add_published_value(
    cell: ChanceTableCell, table: PublishedChanceTable, row: int, column: int
) -> ChanceTableCell:
    value, decimals = table.values[row][column], table.decimals[row][column]
    return ChanceTableCell(
        size=cell.size,
        share=cell.share,
        alpha=cell.alpha,
        plain=cell.plain,
        corrected=cell.corrected,
        published=value,
        decimals=decimals,
        source=table.source,
        plain_agrees=_agrees_with_exact(value, decimals, cell.plain, table.draws),
        corrected_agrees=_agrees_with_exact(value, decimals, cell.corrected, table.draws),
    )


def _agrees_with_exact(printed: float, decimals: int, exact: float, draws: int | None) -> bool:
    """Tell whether a printed chance is the exact one rounded, or a likely outcome of draws."""
    half_a_digit = 0.5 * 10.0**-decimals + _ROUNDING_SLACK
    if draws is None:
        return abs(printed - exact) <= half_a_digit
    from scipy.special import bdtr, bdtrc

    fewest = max(0, math.ceil((printed - half_a_digit) * draws))
    most = min(draws, math.floor((printed + half_a_digit) * draws))
    at_least = 1.0 if fewest == 0 else float(bdtrc(fewest - 1, draws, exact))
    at_most = float(bdtr(most, draws, exact))
    return fewest <= most and min(at_least, at_most) >= MIN_SIMULATION_P


def _check_published_chances(
    asked: ChanceSettings, rows: Sequence[ChanceComparison]
) -> Iterator[PublishedChanceCheck]:
    by_name = {row.classifier: row for row in rows}
    for entry in asked.published:
        row = by_name[entry.classifier]
        computed = row.chance_even if entry.guess == "even" else row.chance_same
        yield PublishedChanceCheck(
            classifier=entry.classifier,
            guess=entry.guess,
            published=entry.value,
            computed=computed,
            agrees=_agrees_with_exact(entry.value, entry.decimals, computed, None),
            decimals=entry.decimals,
            source=entry.source,
            note=entry.note,
        )
