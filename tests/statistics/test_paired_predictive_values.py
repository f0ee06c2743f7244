"""Paired tests of predictive values and likelihood ratios against DTComPair and GEE.

DTComPair's documentation prints its results for the data set Paired1, version 1.2.6.
"""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from reportgen.statistics.paired_tests import (
    AgreementTable,
    PairedContingencyTable,
    compare_lr_negative,
    compare_lr_positive,
    npv_score_test,
    ppv_score_test,
)

LEVEL = 0.95
PAIRED1 = PairedContingencyTable(AgreementTable(319, 78, 22, 32), AgreementTable(31, 53, 22, 155))

answers = st.builds(AgreementTable, *[st.integers(1, 60)] * 4)
tables = st.builds(PairedContingencyTable, answers, answers)


def exchanged(table: PairedContingencyTable) -> PairedContingencyTable:
    """Return the table with the classifiers in the other order."""
    return PairedContingencyTable(
        *(
            AgreementTable(item.both, item.second_only, item.first_only, item.neither)
            for item in (table.positives, table.negatives)
        )
    )


def test_the_generalised_score_gives_what_dtcompair_prints() -> None:
    """Its function pv.gs, the statistic of Leisenring, Alonzo and Pepe."""
    ppv, npv = ppv_score_test(PAIRED1), npv_score_test(PAIRED1)

    assert (ppv.first, ppv.second) == pytest.approx((397 / 481, 341 / 394))
    assert ppv.statistic == pytest.approx(5.71124070, abs=5e-9)
    assert ppv.p == pytest.approx(0.01685662, abs=5e-9)
    assert (npv.first, npv.second) == pytest.approx((177 / 231, 208 / 318))
    assert npv.statistic == pytest.approx(17.78567, abs=5e-6)
    assert npv.p == pytest.approx(2.472383e-05, abs=5e-12)


def test_the_likelihood_regression_gives_what_dtcompair_prints() -> None:
    """Its function dlr.regtest, after Gu and Pepe."""
    positive, negative = (
        compare(PAIRED1, LEVEL) for compare in (compare_lr_positive, compare_lr_negative)
    )
    assert positive is not None
    assert negative is not None

    assert positive.ratio == pytest.approx(0.7345692, abs=5e-8)
    assert positive.standard_error == pytest.approx(0.1326086, abs=5e-8)
    assert positive.statistic == pytest.approx(-2.326177, abs=5e-7)
    assert positive.p == pytest.approx(0.0200091, abs=5e-8)
    assert positive.interval.low == pytest.approx(0.5664428, abs=5e-8)
    assert positive.interval.high == pytest.approx(0.9525973, abs=5e-8)
    assert negative.ratio == pytest.approx(0.5768875, abs=5e-8)
    assert negative.standard_error == pytest.approx(0.137376, abs=5e-7)
    assert negative.statistic == pytest.approx(-4.004396, abs=5e-7)
    assert negative.p == pytest.approx(6.217627e-05, abs=5e-12)
    assert negative.interval.low == pytest.approx(0.4407136, abs=5e-8)
    assert negative.interval.high == pytest.approx(0.7551371, abs=5e-8)


def test_the_regression_is_a_gee_of_the_truth_on_who_predicted_yes() -> None:
    """A marginal logistic model with robust variance, clustered by case, in statsmodels."""
    table = PairedContingencyTable(AgreementTable(30, 9, 4, 6), AgreementTable(5, 8, 3, 25))
    truth, by_second, case = _yes_answers(table)
    design = np.column_stack([np.ones_like(by_second), 1 - by_second])
    fitted = sm.GEE(truth, design, groups=case, family=sm.families.Binomial(), cov_struct=None).fit(
        ctol=1e-12
    )
    likelihood_ratio_test = compare_lr_positive(table, LEVEL)
    assert likelihood_ratio_test is not None

    assert np.log(likelihood_ratio_test.ratio) == pytest.approx(fitted.params[1], abs=1e-8)
    assert likelihood_ratio_test.standard_error == pytest.approx(fitted.bse[1], rel=1e-8)


def test_the_score_is_that_of_the_same_gee() -> None:
    """Leisenring's statistic tests the slope of the same model, by its score at slope 0."""
    table = PairedContingencyTable(AgreementTable(30, 9, 4, 6), AgreementTable(5, 8, 3, 25))
    truth, by_second, case = _yes_answers(table)
    contributions = (truth - truth.mean()) * (by_second - by_second.mean())
    by_case = np.bincount(case, weights=contributions)

    statistic = by_case.sum() ** 2 / (by_case**2).sum()

    assert ppv_score_test(table).statistic == pytest.approx(statistic, rel=1e-12)


@given(tables)
def test_the_order_of_classifiers_does_not_matter(table: PairedContingencyTable) -> None:
    """Each p-value is the same the other way round, and the ratio of ratios is turned."""
    other = exchanged(table)
    for test in (ppv_score_test, npv_score_test):
        assert test(table).p == pytest.approx(test(other).p, rel=1e-6)
    for compare in (compare_lr_positive, compare_lr_negative):
        comparison, reversed_comparison = compare(table, LEVEL), compare(other, LEVEL)
        assert comparison is not None
        assert reversed_comparison is not None
        assert comparison.ratio == pytest.approx(1 / reversed_comparison.ratio)
        assert comparison.p == pytest.approx(reversed_comparison.p)


def test_equal_classifiers_are_called_different_in_five_percent() -> None:
    """4000 tables of 400 cases, both right on 80 % of either class, errors partly shared."""
    rng = np.random.default_rng(20)
    positives = rng.multinomial(160, [0.70, 0.10, 0.10, 0.10], size=4000)
    negatives = rng.multinomial(240, [0.10, 0.10, 0.10, 0.70], size=4000)
    tables = [
        PairedContingencyTable(AgreementTable(*map(int, p)), AgreementTable(*map(int, n)))
        for p, n in zip(positives, negatives, strict=True)
    ]

    for test in (ppv_score_test, npv_score_test):
        claims = [(test(table).p or 1) < 0.05 for table in tables]
        assert np.mean(claims) == pytest.approx(0.05, abs=0.012)
    for compare in (compare_lr_positive, compare_lr_negative):
        result = [compare(table, LEVEL) for table in tables]
        assert np.mean([(item.p or 1) < 0.05 for item in result if item]) == pytest.approx(
            0.05, abs=0.012
        )


def test_what_cannot_be_compared_is_stated_to_be_so() -> None:
    """No yes of the second: no precision; no false positive: no finite likelihood ratio."""
    silent = PairedContingencyTable(AgreementTable(0, 5, 0, 5), AgreementTable(0, 2, 0, 8))
    perfect = PairedContingencyTable(AgreementTable(6, 2, 1, 1), AgreementTable(0, 0, 2, 8))

    assert ppv_score_test(silent).second is None
    assert ppv_score_test(silent).p is None
    assert compare_lr_positive(silent, LEVEL) is None
    assert compare_lr_positive(perfect, LEVEL) is None
    assert compare_lr_negative(perfect, LEVEL) is not None


def test_classifiers_that_answer_alike_are_not_tested() -> None:
    """0/0 is undefined, and the ratio of two equal ratios is 1."""
    alike = PairedContingencyTable(AgreementTable(8, 0, 0, 2), AgreementTable(3, 0, 0, 7))
    ratio = compare_lr_positive(alike, LEVEL)

    assert ppv_score_test(alike).p is None
    assert ratio is not None
    assert (ratio.ratio, ratio.p) == (1.0, None)


def _yes_answers(table: PairedContingencyTable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return truth, whether by the second, and case of every single yes."""
    kinds = [
        (truth, who)
        for truth, item in ((1.0, table.positives), (0.0, table.negatives))
        for who, count in (
            ((0.0, 1.0), item.both),
            ((0.0,), item.first_only),
            ((1.0,), item.second_only),
        )
        for _ in range(count)
    ]
    rows = [
        (truth, by_second, case) for case, (truth, who) in enumerate(kinds) for by_second in who
    ]
    truth, by_second, case = (np.array(column) for column in zip(*rows, strict=True))
    return truth, by_second, case
