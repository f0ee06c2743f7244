"""Cochran's Q: are several classifiers right equally often on the same cases?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt


@frozen
class CochranQ:
    """Cochran's Q with its degrees of freedom; None: all are right on the same cases."""

    statistic: float | None
    df: int
    p: float | None


def cochran_q(right_by_classifier: npt.ArrayLike, squares_by_case: float) -> CochranQ:
    """Test right answers per classifier, given the sum over cases of (how many are right)²."""
    from scipy.special import chdtrc

    right = np.asarray(right_by_classifier, dtype=np.float64)
    classifiers = right.size
    total = float(right.sum())
    df = classifiers - 1
    spread = classifiers * total - squares_by_case
    if spread <= 0:
        return CochranQ(None, df, None)
    statistic = df * (classifiers * float(right @ right) - total**2) / spread
    return CochranQ(statistic, df, float(chdtrc(df, statistic)))
