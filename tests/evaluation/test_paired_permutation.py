"""The exchange test: every case on which two classifiers differ is a fair coin."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given, settings
from scipy.stats import binom, binomtest, norm
from statsmodels.stats.contingency_tables import mcnemar

from reportgen.evaluation import permutation_tests
from reportgen.evaluation.contingency_tables import PairedTables
from reportgen.evaluation.multiple_testing import MAX_PERMUTED_PAIRS, PermutationPlan
from reportgen.evaluation.permutation_tests import (
    PAIRED_EXACT,
    PAIRED_MONTE_CARLO,
    PAIRED_SCORE,
    paired_permutation_test,
    paired_permutation_tests,
    permute_discordant_pairs,
)
from reportgen.evaluation.studentized import studentized_paired
from reportgen.statistics.paired_tests import AgreementTable, PairedContingencyTable
from tests.evaluation.paired_tables import (
    PAIR,
    exchange_classifiers,
    hypotheses,
    measure,
    table,
    tables,
)

SHARES = ("accuracy", "sensitivity", "specificity")
MANY = (*SHARES, "precision", "npv", "youden", "lr_positive", "lr_negative", "kappa", "f1", "mcc")
# What two classifiers said of 40 positives and 70 negatives.
SMALL = table((20, 9, 3, 8), (6, 4, 12, 48))
LARGE = table((800, 190, 240, 270), (60, 150, 130, 1160))


def right_alone(table: PairedContingencyTable, share: str) -> tuple[int, int]:
    """Return on how many cases A alone and B alone are right."""
    positives, negatives = table.positives, table.negatives
    on_positives = positives.first_only, positives.second_only
    # On negatives, whoever did not say yes is right.
    on_negatives = negatives.second_only, negatives.first_only
    if share == "sensitivity":
        return on_positives
    if share == "specificity":
        return on_negatives
    return on_positives[0] + on_negatives[0], on_positives[1] + on_negatives[1]


def mid_p(one: int, other: int) -> float:
    """Return McNemar's mid-p: 2 P(X ≤ min) − P(X = min), at most 1; 1 for no difference."""
    discordant, fewer = one + other, min(one, other)
    if one == other:
        return 1.0
    chances = [comb(discordant, heads) * 0.5**discordant for heads in range(fewer + 1)]
    return 2 * sum(chances) - chances[-1]


@settings(max_examples=100, deadline=None)
@given(tables)
def test_of_shares_it_is_mcnemars_exact_test(table: PairedContingencyTable) -> None:
    """Sensitivity, specificity and accuracy count right answers: SciPy's binomial test of ½."""
    block = paired_permutation_test(PAIR, table, hypotheses(SHARES), PermutationPlan(0))

    assert set(block.tests) == {PAIRED_EXACT}
    for share, p in zip(SHARES, block.p_values, strict=True):
        one, other = right_alone(table, share)
        expected = binomtest(one, one + other).pvalue if one + other else 1.0
        assert p == pytest.approx(expected, abs=2e-9)


@settings(max_examples=100, deadline=None)
@given(tables)
def test_of_shares_it_is_mcnemars_mid_p_test(table: PairedContingencyTable) -> None:
    """The outcome found counts half (Fagerland, Lydersen and Laake 2013)."""
    plan = PermutationPlan(0, "mid-p")
    raw = paired_permutation_test(PAIR, table, hypotheses(SHARES), plan).p_values

    for share, p in zip(SHARES, raw, strict=True):
        assert p == pytest.approx(mid_p(*right_alone(table, share)), abs=2e-9)


def test_the_p_value_of_a_known_table_is_that_of_statsmodels() -> None:
    """25 against 12 of 200 cases: mid-p 0.033552 (intervals of Bonett and Price's example)."""
    result = table((100, 25, 12, 63), (0, 0, 0, 10))
    exact, middle = (
        paired_permutation_test(PAIR, result, hypotheses(["sensitivity"]), plan).p_values[0]
        for plan in (PermutationPlan(0), PermutationPlan(0, "mid-p"))
    )
    outside = mcnemar([[100, 25], [12, 63]], exact=True).pvalue

    assert exact == pytest.approx(outside)
    assert middle == pytest.approx(0.033552, abs=5e-7)


@pytest.mark.parametrize("name", ["accuracy", "precision", "npv", "lr_positive", "kappa", "f1"])
def test_it_looks_at_every_way_to_exchange_the_answers(name: str) -> None:
    """7 cases on which they differ, exchanged one by one in all 2^7 = 128 ways."""
    result = table((5, 3, 1, 2), (2, 1, 2, 9))
    observed = abs(statistic(name, result))
    as_large = 0
    for swaps in product((0, 1), repeat=7):
        # 4 coins for the positives, 3 for the negatives: heads if A is the one who said yes.
        hits, alarms = sum(swaps[:4]), sum(swaps[4:])
        other = table((5, hits, 4 - hits, 2), (2, alarms, 3 - alarms, 9))
        as_large += abs(statistic(name, other)) >= observed - 1e-9
    block = paired_permutation_test(PAIR, result, hypotheses([name]), PermutationPlan(0))

    assert block.p_values[0] == pytest.approx(as_large / 128, abs=1e-9)


def statistic(name: str, table: PairedContingencyTable) -> float:
    """Return the studentised difference of a table."""
    return float(studentized_paired(measure(name), PairedTables.stack([table]))[0])


def test_the_statistic_is_the_difference_by_its_standard_error() -> None:
    """Sensitivity with ½ more hits and misses, 29.5 and 23.5 of 41, by the delta method."""
    result = table((20, 9, 3, 8), (6, 4, 12, 48))
    hits, other_hits, positives, cases = 29.5, 23.5, 41, 110
    # A hit moves a share tp / (tp + fn) by fn / (tp + fn)², a miss by −tp / (tp + fn)².
    hit, miss = (positives - hits) / positives**2, -hits / positives**2
    other_hit, other_miss = (positives - other_hits) / positives**2, -other_hits / positives**2
    moves = [
        (20, hit - other_hit),
        (9, hit - other_miss),
        (3, miss - other_hit),
        (8, miss - other_miss),
    ]
    drift = sum(count * move for count, move in moves)
    variance = sum(count * move**2 for count, move in moves) - drift**2 / cases

    assert statistic("sensitivity", result) == pytest.approx(6 / positives / variance**0.5)


@settings(max_examples=40, deadline=None)
@given(tables)
def test_exchanging_the_classifiers_turns_signs_and_leaves_p_values(
    table: PairedContingencyTable,
) -> None:
    """Whoever is named first makes no difference."""
    family = paired_permutation_test(PAIR, table, hypotheses(MANY), PermutationPlan(0))
    other = paired_permutation_test(
        PAIR, exchange_classifiers(table), hypotheses(MANY), PermutationPlan(0)
    )

    assert family.statistics == pytest.approx(-other.statistics, abs=1e-9)
    assert family.p_values == pytest.approx(other.p_values, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(tables)
def test_yes_for_no_exchanges_what_is_stated_of_the_two_classes(
    table: PairedContingencyTable,
) -> None:
    """NPV is precision, and specificity sensitivity, if the negatives are the class asked about."""
    assume(table.positives.total and table.negatives.total)
    here = paired_permutation_test(
        PAIR, table, hypotheses(["npv", "specificity"]), PermutationPlan(0)
    )
    there = paired_permutation_test(
        PAIR, table.swapped_classes, hypotheses(["precision", "sensitivity"]), PermutationPlan(0)
    )

    assert here.statistics == pytest.approx(there.statistics, abs=1e-9)
    assert here.p_values == pytest.approx(there.p_values, abs=1e-9)


def test_two_that_never_differ_are_not_distinguished() -> None:
    """Without a coin there is one outcome, and its p-value is 1."""
    same = table((30, 0, 0, 5), (4, 0, 0, 40))
    block = paired_permutation_test(PAIR, same, hypotheses(MANY), PermutationPlan(0))

    assert block.p_values.tolist() == [1.0] * len(MANY)


def test_drawn_outcomes_come_close_to_all_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 draws: a p-value has a standard error of √(p (1 − p) / 20,000) ≤ 0.0036."""
    exact = paired_permutation_test(PAIR, SMALL, hypotheses(MANY), PermutationPlan(0))
    monkeypatch.setattr(permutation_tests, "MAX_ENUMERATED", 10)
    pair_tests = paired_permutation_test(PAIR, SMALL, hypotheses(MANY), PermutationPlan(0))

    # Proportions are tested by McNemar's formula whatever the number of outcomes.
    assert pair_tests.tests == (*[PAIRED_EXACT] * 3, *[PAIRED_MONTE_CARLO] * (len(MANY) - 3))
    assert set(exact.tests) == {PAIRED_EXACT}
    assert pair_tests.statistics.tolist() == exact.statistics.tolist()
    assert pair_tests.p_values == pytest.approx(exact.p_values, abs=4 * 0.0036)


def test_many_differing_cases_are_drawn_by_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed gives the same numbers, another seed others; both are near McNemar's."""
    monkeypatch.setattr(permutation_tests, "MAX_ENUMERATED", 1000)
    one, again, other = (
        paired_permutation_test(PAIR, LARGE, hypotheses(MANY), PermutationPlan(seed)).p_values
        for seed in (1, 1, 2)
    )

    assert one.tolist() == again.tolist()
    assert one.tolist() != other.tolist()
    for place, share in enumerate(SHARES):
        first, second = right_alone(LARGE, share)
        assert one[place] == pytest.approx(binomtest(first, first + second).pvalue, abs=0.01)


def test_many_pairs_with_many_differing_cases_have_normal_p_values() -> None:
    """Near the p-values by all outcomes; proportions keep McNemar's exact test."""
    plan = PermutationPlan(0, pairs=MAX_PERMUTED_PAIRS + 1)
    pair_tests = paired_permutation_test(PAIR, LARGE, hypotheses(MANY), PermutationPlan(0))
    many = paired_permutation_test(PAIR, LARGE, hypotheses(MANY), plan)

    assert many.tests == (*[PAIRED_EXACT] * 3, *[PAIRED_SCORE] * (len(MANY) - 3))
    assert many.statistics == pytest.approx(pair_tests.statistics)
    assert many.p_values[:3].tolist() == pair_tests.p_values[:3].tolist()
    assert many.p_values == pytest.approx(pair_tests.p_values, rel=0.05, abs=0.002)


def test_few_differing_cases_are_enumerated_whatever_the_number_of_pairs() -> None:
    """The normal approximation is not used below 100 discordant cases on a side."""
    plan = PermutationPlan(0, pairs=10**6)

    block = paired_permutation_test(PAIR, SMALL, hypotheses(MANY), plan)

    assert set(block.tests) == {PAIRED_EXACT}


def test_pairs_tested_together_have_the_tests_of_each_pair() -> None:
    """Large and small tables in turn, with different hypotheses."""
    plan = PermutationPlan(0, pairs=10**6)
    by_pair = {("A", "B"): LARGE, ("A", "C"): SMALL, ("B", "C"): exchange_classifiers(LARGE)}
    tested = {("A", "B"): MANY, ("A", "C"): SHARES, ("B", "C"): MANY[2:]}
    chosen = {pair: hypotheses(names) for pair, names in tested.items()}

    for block in paired_permutation_tests(by_pair, chosen, plan):
        alone = paired_permutation_test(block.pair, by_pair[block.pair], chosen[block.pair], plan)
        assert block.tests == alone.tests
        assert block.p_values == pytest.approx(alone.p_values, rel=1e-12)
        assert block.cases == alone.cases


def test_a_sampled_p_value_is_not_bounded_by_the_number_of_samples() -> None:
    """1200 of 1200 discordant cases: J differs by √1200 = 34.6 standard errors."""
    one_sided = table((0, 600, 0, 0), (0, 0, 600, 0))
    block = paired_permutation_test(PAIR, one_sided, hypotheses(["youden"]), PermutationPlan(0))

    assert 0 < block.p_values[0] < 1e-200


def test_counts_of_any_size_are_tested_in_bounded_memory() -> None:
    """10¹⁵ discordant cases, of which nothing is listed."""
    huge = table((5, 10**15, 10**15 + 10**8, 0), (3, 10**9, 10**9, 0))
    block = paired_permutation_test(PAIR, huge, hypotheses(MANY), PermutationPlan(0))

    # z = 10⁸ / √(2 · 10¹⁵) = 2.24 for sensitivity.
    assert block.p_values[1] == pytest.approx(2 * norm.sf(10**8 / (2 * 10**15) ** 0.5), rel=1e-3)
    assert np.all(np.isfinite(block.p_values))


def test_a_difference_in_the_class_alone_says_nothing_of_the_rest() -> None:
    """Sensitivity is significant, specificity, where nobody differs, has nothing to show."""
    paired_contingency_table = PairedContingencyTable(
        AgreementTable(50, 40, 5, 5), AgreementTable(10, 0, 0, 90)
    )
    raw = paired_permutation_test(
        PAIR, paired_contingency_table, hypotheses(SHARES), PermutationPlan(0)
    ).p_values

    assert raw[1] == pytest.approx(binomtest(5, 45).pvalue)
    assert raw[2] == 1


@pytest.mark.parametrize("draws", [1, 2, 31, 1000, 30_001])
def test_no_outcome_is_left_out_that_is_not_too_remote(draws: int) -> None:
    """By SciPy's binomial distribution, of which all outcomes are looked at here."""
    all_heads = np.arange(draws + 1)
    reached = np.minimum(binom.cdf(all_heads, draws, 0.5), binom.sf(all_heads - 1, draws, 0.5))
    expected = all_heads[reached > permutation_tests.TAIL_CUTOFF / 2]

    splits, outcomes = permute_discordant_pairs(
        table((5, draws, 0, 5), (5, 0, 0, 5)), PermutationPlan(0)
    )

    assert outcomes.exact
    assert splits.positives.tolist() == expected.tolist()
    assert outcomes.weights == pytest.approx(binom.pmf(expected, draws, 0.5), rel=1e-8)
