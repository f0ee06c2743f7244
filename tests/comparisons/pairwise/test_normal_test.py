"""Tests where cases cannot be exchanged: counts only, or cases predicted several times."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from reportgen.comparisons.pairwise.normal import (
    REPEATED,
    UNPAIRED,
    repeated_block,
    unpaired_block,
)
from reportgen.intervals.matrix import Matrix
from tests.comparisons.pairwise.pair_tables import NO, PAIR, YES, answers_of, hypotheses, table

CLASSES = (YES, NO)
# tp, fn, fp, tn of table 2 in Sokolova, Japkowicz and Szpakowicz 2006.
SVM, NB = (1242, 189, 390, 740), (1108, 323, 272, 858)
SMALL = table((200, 90, 60, 80), (60, 40, 72, 480))


def matrix(tp: int, fn: int, fp: int, tn: int) -> Matrix:
    """Return the confusion matrix of one classifier."""
    places = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    return Matrix(*places, np.array([tp, fn, fp, tn], dtype=np.float64), 2)


def unpaired_z(name: str) -> float:
    """Return the statistic of SVM against NB."""
    both = matrix(*SVM), matrix(*NB)
    block = unpaired_block(PAIR, both, CLASSES, hypotheses([name]), 0)
    assert (block.data, block.test, block.cases) == ("unpaired", UNPAIRED, 2561)
    return float(block.found[0])


def share(hits: float, of: float) -> tuple[float, float]:
    """Return a share and its variance, with ½ more of both kinds in the share."""
    found = (hits + 0.5) / (of + 1)
    return found, found * (1 - found)


def test_accuracy_of_counts_alone_is_the_two_sample_z_test() -> None:
    """Two independent shares, ½ added to each of the four counts."""
    cases = 2561
    one, other = (1242 + 740 + 1) / (cases + 2), (1108 + 858 + 1) / (cases + 2)
    variance = (one * (1 - one) + other * (1 - other)) / cases

    assert unpaired_z("accuracy") == pytest.approx((one - other) / math.sqrt(variance), rel=2e-3)


def test_nb_is_not_shown_to_avoid_failure_better() -> None:
    """γ is 0.5228 against 0.5336; by hand z = −0.454, p = 0.65: the paper's word has no backing."""
    values, variances = [], []
    for tp, fn, fp, tn in (SVM, NB):
        (s, of_s), (f, of_f) = share(tp, tp + fn), share(tn, fp + tn)
        values.append(s + f - 1)
        variances += [of_s / (tp + fn), of_f / (fp + tn)]
    by_hand = (values[0] - values[1]) / math.sqrt(sum(variances))
    both = matrix(*SVM), matrix(*NB)
    p = unpaired_block(PAIR, both, CLASSES, hypotheses(["youden"]), 0).p_values("exact").raw[0]

    assert unpaired_z("youden") == pytest.approx(by_hand, rel=2e-3)
    assert p == pytest.approx(0.6503, abs=5e-4)
    assert p == pytest.approx(2 * norm.sf(abs(unpaired_z("youden"))), abs=1e-12)


def test_likelihood_ratios_are_compared_by_their_logarithms() -> None:
    """SE(ln ρ+)² = 1/tp − 1/P + 1/fp − 1/M of each classifier (Simel, Samsa and Matchar 1991)."""
    logs, variance = [], 0.0
    for tp, fn, fp, tn in (SVM, NB):
        logs.append(math.log((tp / (tp + fn)) / (fp / (fp + tn))))
        variance += 1 / tp - 1 / (tp + fn) + 1 / fp - 1 / (fp + tn)

    assert unpaired_z("lr_positive") == pytest.approx(
        (logs[0] - logs[1]) / math.sqrt(variance), rel=0.01
    )


def test_a_case_predicted_twice_is_one_case() -> None:
    """Half the weight doubles the variance: statistics shrink by √2."""
    names = ("accuracy", "precision", "youden", "lr_negative", "kappa")
    once, twice = (
        repeated_block(PAIR, answers_of(SMALL), CLASSES, hypotheses(names), 0, weight=weight)
        for weight in (1.0, 0.5)
    )

    assert once.test == REPEATED
    assert (once.cases, twice.cases) == (1082, 541)
    assert twice.found == pytest.approx(once.found / math.sqrt(2))


def test_repeated_cases_of_weight_1_agree_with_mcnemars_chi_square() -> None:
    """A alone is right on 90 + 72 cases, B alone on 60 + 40: z = 62 / √262 but for the halves."""
    block = repeated_block(
        PAIR, answers_of(SMALL), CLASSES, hypotheses(["accuracy"]), 0, weight=1.0
    )

    # The variance is taken around the difference found, so it is smaller by 62² / 1082.
    assert block.found[0] == pytest.approx(62 / math.sqrt(262 - 62**2 / 1082), rel=5e-3)


def test_drawn_statistics_go_together_as_the_measures_do() -> None:
    """Youden's index and balanced accuracy are the same but for a scale: so are their draws."""
    both = matrix(*SVM), matrix(*NB)
    names = ("youden", "balanced_accuracy", "sensitivity")
    block = unpaired_block(PAIR, both, CLASSES, hypotheses(names), 0)
    together = np.asarray(np.corrcoef(block.null))

    assert together[0, 1] == pytest.approx(1)
    # The share of γ's variance that comes from sensitivity: 0.000202 of 0.000568.
    variances = [share(tp, tp + fn)[1] / (tp + fn) for tp, fn, _, _ in (SVM, NB)]
    rest = [share(tn, fp + tn)[1] / (fp + tn) for _, _, fp, tn in (SVM, NB)]
    of_sensitivity = sum(variances) / (sum(variances) + sum(rest))
    assert together[0, 2] == pytest.approx(math.sqrt(of_sensitivity), abs=0.03)
    stepped = block.p_values("exact")
    assert np.all(stepped.adjusted >= stepped.raw)
