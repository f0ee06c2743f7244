"""Comparison with chance: the validity rule of El Emam et al. (2000) and exact probabilities."""

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
# A simulated published value agrees unless its tail probability is below this.
MIN_SIMULATION_P = 0.005
# Tolerance: half a unit of the last printed digit is exact in decimals, not in binary.
_ROUNDING_SLACK = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceComparison:
    """The rule "chi-square significant and accuracy above 50%" applied to a classifier.

    Numbers of cases are integers: repeated cases count once. Chi-square is None where the
    predictions, or the truth, have only one class.
    """

    classifier: str
    positives: int
    negatives: int
    alpha: float
    accuracy: float
    youden: float | None
    chi_square: float | None
    p: float | None
    prob_random_passes: float
    """How often guessing each class with ½ passes the rule."""
    p_value_vs_uniform: float
    """How often guessing each class with ½ is right at least as often."""
    p_value_vs_same_rate: float
    """How often guessing positive as often as the classifier says it is right as often."""

    @property
    def significant(self) -> bool:
        """Whether chi-square is significant."""
        return self.p is not None and self.p < self.alpha

    @property
    def passes(self) -> bool:
        """Whether the classifier meets the rule."""
        return self.significant and self.accuracy > UNIFORM_GUESS

    @property
    def misleading(self) -> bool:
        """Whether chi-square is significant although the accuracy does not exceed chance."""
        return self.significant and (self.youden is None or self.youden <= 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceTableCell:
    """The probability that a coin flip meets the rule, for a sample size and a class share."""

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
    """A published probability that guessing is as accurate as a classifier, and the exact one."""

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
    """The rule applied to the classifiers, to tables of sample sizes, and to published values."""

    comparisons: tuple[ChanceComparison, ...] = ()
    table_cells: tuple[ChanceTableCell, ...] = ()
    published_checks: tuple[PublishedChanceCheck, ...] = ()


def compare_with_chance(
    rates: Sequence[PositiveClassCounts], alpha: float, settings: ChanceSettings | None
) -> ChanceAudit | None:
    """Compare the classifiers with chance, and enumerate the tables of the spec."""
    if not rates and settings is None:
        return None
    rows = tuple(_compare_classifier(rate, alpha) for rate in rates)
    if settings is None:
        return ChanceAudit(rows)
    return ChanceAudit(
        rows, tuple(_chance_table(settings)), tuple(_check_published_chances(settings, rows))
    )


def _compare_classifier(rates: PositiveClassCounts, alpha: float) -> ChanceComparison:
    positives, negatives = round(rates.positives), round(rates.negatives)
    total = rates.positives + rates.negatives
    table = [np.asarray(count) for count in rates.counts]
    chi_square = float(pearson_chi2(*table, yates_correction=True))
    has_chi_square = math.isfinite(chi_square)
    correct, predicted_positives = rates.tp + rates.tn, rates.tp + rates.fp
    return ChanceComparison(
        classifier=rates.classifier,
        positives=positives,
        negatives=negatives,
        alpha=alpha,
        accuracy=correct / total,
        youden=None if rates.undefined_reason else rates.sensitivity + rates.specificity - 1,
        chi_square=chi_square if has_chi_square else None,
        p=chi2_sf(chi_square) if has_chi_square else None,
        prob_random_passes=prob_random_passes(positives, negatives, alpha, yates_correction=True),
        p_value_vs_uniform=p_value_vs_random_accuracy(
            positives, negatives, round(correct), UNIFORM_GUESS
        ),
        p_value_vs_same_rate=p_value_vs_random_accuracy(
            positives, negatives, round(correct), predicted_positives / total
        ),
    )


def _chance_table(settings: ChanceSettings) -> Iterator[ChanceTableCell]:
    tables_by_alpha = {table.alpha: table for table in settings.tables}
    for alpha in settings.alphas:
        for row, size in enumerate(settings.sizes):
            for column, share in enumerate(settings.shares):
                part = round(size * share)
                cell = ChanceTableCell(
                    size=size,
                    share=share,
                    alpha=alpha,
                    plain=prob_random_passes(part, size - part, alpha, yates_correction=False),
                    corrected=prob_random_passes(part, size - part, alpha, yates_correction=True),
                )
                table = tables_by_alpha.get(alpha)
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


def _agrees_with_exact(
    published: float, decimals: int, exact: float, n_simulations: int | None
) -> bool:
    """Return whether a published value is the rounded exact one, or a likely simulated one."""
    half_a_digit = 0.5 * 10.0**-decimals + _ROUNDING_SLACK
    if n_simulations is None:
        return abs(published - exact) <= half_a_digit
    from scipy.special import bdtr, bdtrc

    fewest = max(0, math.ceil((published - half_a_digit) * n_simulations))
    most = min(n_simulations, math.floor((published + half_a_digit) * n_simulations))
    at_least = 1.0 if fewest == 0 else float(bdtrc(fewest - 1, n_simulations, exact))
    at_most = float(bdtr(most, n_simulations, exact))
    return fewest <= most and min(at_least, at_most) >= MIN_SIMULATION_P


def _check_published_chances(
    settings: ChanceSettings, rows: Sequence[ChanceComparison]
) -> Iterator[PublishedChanceCheck]:
    by_name = {row.classifier: row for row in rows}
    for entry in settings.published:
        row = by_name[entry.classifier]
        computed = row.p_value_vs_uniform if entry.guess == "uniform" else row.p_value_vs_same_rate
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
