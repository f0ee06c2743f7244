"""Cases that were predicted several times: a repetition is no new case."""

from __future__ import annotations

import math

import polars as pl
import pytest

from reportgen.evaluation.pairwise_tests import REPEATED_CASES_TEST, repeated_cases_test
from tests.evaluation.paired_tables import NO, PAIR, YES, answers_of, hypotheses, table

CLASSES = (YES, NO)
SMALL = table((200, 90, 60, 80), (60, 40, 72, 480))


def test_a_case_predicted_twice_is_one_case() -> None:
    """Every case twice at half the weight is every case once."""
    names = ("accuracy", "precision", "youden", "lr_negative", "kappa")
    doubled = answers_of(SMALL).with_columns(pl.col("count") * 2)
    once, twice = (
        repeated_cases_test(PAIR, frame, CLASSES, hypotheses(names), weight=weight)
        for frame, weight in ((answers_of(SMALL), 1.0), (doubled, 0.5))
    )

    assert once.tests[0] == REPEATED_CASES_TEST
    assert once.cases == twice.cases == 1082
    assert twice.statistics == pytest.approx(once.statistics)


def test_a_count_of_0_is_not_sure() -> None:
    """A has no false alarm in 30 cases, B one: infinite against finite, yet one case apart.

    On the log scale ρ+ differs by ln(1.5 / 0.5) = 1.10; the halves alone have a variance of
    0.5 / 0.5² + 0.5 / 1.5² = 2.2, so the statistic stays below 1.10 / √2.2 = 0.74.
    """
    frame = answers_of(table((20, 2, 2, 6), (0, 0, 1, 29))).with_columns(pl.col("count") * 5)
    names = ("lr_positive", "discriminant_power", "specificity")
    block = repeated_cases_test(PAIR, frame, CLASSES, hypotheses(names), weight=0.2)

    assert abs(block.statistics[0]) < math.log(3) / math.sqrt(2.2)
    assert abs(block.statistics).max() < 1.3


def test_repeated_cases_of_weight_1_agree_with_mcnemars_chi_square() -> None:
    """A alone is right on 90 + 72 cases, B alone on 60 + 40: z = 62 / √262 but for the halves."""
    block = repeated_cases_test(
        PAIR, answers_of(SMALL), CLASSES, hypotheses(["accuracy"]), weight=1.0
    )

    # The variance is taken around the difference found, so it is smaller by 62² / 1082.
    assert block.statistics[0] == pytest.approx(62 / math.sqrt(262 - 62**2 / 1082), rel=5e-3)
