"""Tests of three or more classifiers together: do they all do equally well on the same cases?"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from reportgen.comparisons.pairwise.score_tests import area_values
from reportgen.comparisons.pairwise.tables import right_answers
from reportgen.frozen import frozen
from reportgen.statistics.cochran import cochran_q

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions import Predictions
    from reportgen.tallies.pairs import PairTally

COCHRAN, DELONG = "cochran q", "delong chi-square"
FEWEST = 3


@frozen
class Omnibus:
    """One test of all classifiers together; no statistic: all are right on the same cases."""

    test: str
    measure: str
    statistic: float | None
    df: int
    p: float | None
    classifiers: int
    cases: int


def omnibus(predictions: Predictions, names: Sequence[str]) -> tuple[Omnibus, ...]:
    """Test by Cochran's Q whether all are right equally often, by DeLong whether areas differ.

    Neither test is made of fewer than three classifiers.
    """
    right = None if predictions.pairs is None else _right_equally_often(predictions.pairs, names)
    return tuple(each for each in (right, _equal_areas(predictions, names)) if each is not None)


def _right_equally_often(pairs: PairTally, names: Sequence[str]) -> Omnibus | None:
    """Return None where not all were measured on the same cases, or several times on them."""
    if len(names) < FEWEST or pairs.weight < 1:
        return None
    every_pair = list(combinations(names, 2))
    counted = {pair: right_answers(pairs.of(*pair)) for pair in every_pair if pairs.has(*pair)}
    if len(counted) < len(every_pair):
        return None
    with_first = [counted[names[0], name] for name in names[1:]]
    right = [with_first[0].first, *(answers.second for answers in with_first)]
    # The square of how many are right on a case counts each ordered pair that is right on it.
    squares = sum(right) + 2 * sum(answers.both for answers in counted.values())
    found = cochran_q(right, squares)
    return Omnibus(
        test=COCHRAN,
        measure="accuracy",
        statistic=found.statistic,
        df=found.df,
        p=found.p,
        classifiers=len(names),
        cases=with_first[0].total,
    )


def _equal_areas(predictions: Predictions, names: Sequence[str]) -> Omnibus | None:
    """Test the areas under the ROC curves of those with scores.

    None if they do not vary, or if a class has too few cases to tell how they do.
    """
    from scipy.special import chdtrc

    areas = area_values(predictions, None)
    scored = [name for name in names if name in areas]
    if predictions.placements is None or predictions.case_count is None or len(scored) < FEWEST:
        return None
    if predictions.has_few(scored[0]):
        return None
    covariances = predictions.placements.covariances(scored, None)
    if covariances is None:
        return None
    contrasts = np.eye(len(scored))[1:] - np.eye(len(scored))[0]
    # Those with scores were all read case by case, and on the same cases.
    varying = contrasts @ (covariances / predictions.weight_of(scored[0])) @ contrasts.T
    df = int(np.linalg.matrix_rank(varying))
    if df == 0:
        return None
    differences = contrasts @ np.array([areas[name] for name in scored])
    statistic = float(differences @ np.linalg.pinv(varying) @ differences)
    return Omnibus(
        test=DELONG,
        measure="roc_auc",
        statistic=statistic,
        df=df,
        p=float(chdtrc(df, statistic)),
        classifiers=len(scored),
        cases=predictions.case_count,
    )
