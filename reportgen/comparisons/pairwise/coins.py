"""Heads among fair coins, drawn many times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from reportgen.formulas.as_numpy import Numbers
    from reportgen.intervals.matrix import Places

# So many coins NumPy itself turns into heads by a single uniform number.
MOST_INVERTED = 60


def heads(random: np.random.Generator, coins: Places, many: int) -> Numbers:
    """Draw the heads among so many fair coins: a row per number of coins, a column per draw.

    These are the numbers that `random.binomial` draws. It begins anew whenever the number of coins
    changes, which here is for every number; so few coins are thrown row by row, five times faster.
    """
    if coins.max(initial=0) > MOST_INVERTED:
        return random.binomial(coins, 0.5, (many, len(coins))).T.astype(np.float64)
    from scipy.special import bdtr

    uniform = np.ascontiguousarray(random.random((many, len(coins))).T)
    found = np.zeros(uniform.shape, dtype=np.int8)
    for place, number in enumerate(coins):
        for at_most in bdtr(np.arange(number), number, 0.5):
            found[place] += (uniform[place] > at_most).view(np.int8)
    return found.astype(np.float64)
