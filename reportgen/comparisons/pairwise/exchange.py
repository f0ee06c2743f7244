"""Two classifiers that are exchangeable: each case on which they differ is a fair coin.

If neither is better, either is equally likely to be the one who said the class. So the numbers of
split cases are binomial with ½, and what the difference in any measure would look like can be
enumerated exactly, for all measures at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.comparisons.pairwise.block import Block, Outcomes
from reportgen.comparisons.pairwise.many_tables import Splits
from reportgen.comparisons.pairwise.studentised import studentised_draws

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.comparisons.pairwise.block import Draws, Hypothesis
    from reportgen.formulas.as_numpy import Numbers
    from reportgen.statistics.paired_table import PairedTable

EXACT, SAMPLED = "exchange, exact", "exchange, sampled"
# Up to here every outcome is looked at; beyond, outcomes are drawn.
MOST_OUTCOMES = 60_000
DRAWS = 40_000
# Outcomes so far out that together they weigh less than this are not looked at; their weight is
# added to every p-value instead.
REMOTE = 1e-9


def exchange_block(
    pair: tuple[str, str],
    table: PairedTable,
    hypotheses: Sequence[Hypothesis],
    draws: Draws,
) -> Block:
    """Test all measures of one class against the rest at once."""
    measures = [hypothesis.measure for hypothesis in hypotheses]
    splits, outcomes = possible_splits(table, draws)
    ((found, null),) = studentised_draws([measures], [table], [splits])
    return Block(
        pair=pair,
        data="paired",
        test=EXACT if outcomes.exact else SAMPLED,
        cases=table.positives.total + table.negatives.total,
        hypotheses=tuple(hypotheses),
        found=found,
        nulls=(null,),
        outcomes=outcomes,
    )


def possible_splits(table: PairedTable, draws: Draws) -> tuple[Splits, Outcomes]:
    """Return all splits that exchangeable classifiers may show, or many drawn ones."""
    split_hits = table.positives.first_only + table.positives.second_only
    split_alarms = table.negatives.first_only + table.negatives.second_only
    hits, hit_weights = _likely(split_hits)
    alarms, alarm_weights = _likely(split_alarms)
    if len(hits) * len(alarms) <= MOST_OUTCOMES:
        weights = np.outer(hit_weights, alarm_weights).ravel()
        splits = Splits(np.repeat(hits, len(alarms)), np.tile(alarms, len(hits)))
        uncovered = max(0.0, 1.0 - float(weights.sum()))
        return splits, Outcomes(weights, uncovered, exact=True)
    random, many = draws.random(), max(DRAWS, draws.least)
    drawn = Splits(
        random.binomial(split_hits, 0.5, many).astype(np.float64),
        random.binomial(split_alarms, 0.5, many).astype(np.float64),
    )
    return drawn, Outcomes.drawn(many)


def _likely(coins: int) -> tuple[Numbers, Numbers]:
    """Return the numbers of heads that are not too remote, and their probabilities."""
    from scipy.special import bdtr, gammaln

    # By Hoeffding's bound all that are farther from the middle are too remote.
    farthest = np.sqrt(coins / 2 * np.log(2 / REMOTE))
    fewest = max(0, int(coins / 2 - farthest))
    heads = np.arange(fewest, coins - fewest + 1, dtype=np.float64)
    if coins:
        below = bdtr(heads, coins, 0.5)
        heads = heads[(below > REMOTE / 2) & (below[::-1] > REMOTE / 2)]
    logs = gammaln(coins + 1) - gammaln(heads + 1) - gammaln(coins - heads + 1)
    return heads, np.exp(logs - coins * np.log(2.0))
