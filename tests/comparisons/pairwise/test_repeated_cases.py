"""Cases that were predicted several times: a repetition is no new case."""

from __future__ import annotations

import math

import pytest

from reportgen.comparisons.pairwise.block import Draws
from reportgen.comparisons.pairwise.repeated import REPEATED, repeated_block
from tests.comparisons.pairwise.pair_tables import NO, PAIR, YES, answers_of, hypotheses, table

CLASSES = (YES, NO)
SMALL = table((200, 90, 60, 80), (60, 40, 72, 480))


def test_a_case_predicted_twice_is_one_case() -> None:
    """Half the weight doubles the variance: statistics shrink by √2."""
    names = ("accuracy", "precision", "youden", "lr_negative", "kappa")
    once, twice = (
        repeated_block(PAIR, answers_of(SMALL), CLASSES, hypotheses(names), Draws(0), weight=weight)
        for weight in (1.0, 0.5)
    )

    assert once.test == REPEATED
    assert (once.cases, twice.cases) == (1082, 541)
    assert twice.found == pytest.approx(once.found / math.sqrt(2))


def test_repeated_cases_of_weight_1_agree_with_mcnemars_chi_square() -> None:
    """A alone is right on 90 + 72 cases, B alone on 60 + 40: z = 62 / √262 but for the halves."""
    block = repeated_block(
        PAIR, answers_of(SMALL), CLASSES, hypotheses(["accuracy"]), Draws(0), weight=1.0
    )

    # The variance is taken around the difference found, so it is smaller by 62² / 1082.
    assert block.found[0] == pytest.approx(62 / math.sqrt(262 - 62**2 / 1082), rel=5e-3)
