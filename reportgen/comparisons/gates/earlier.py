"""What an earlier run found, and how far this one is from it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Difference
from reportgen.comparisons.pairwise.limits import combined_limits
from reportgen.frozen import frozen
from reportgen.scores import State

if TYPE_CHECKING:
    from reportgen.comparisons.over_time.past import Past, PastRun, ScoreKey
    from reportgen.scores import Score

TEST = "square and add"
NO_RUN = "there is no earlier run yet that it could be worse than"
NONE_PUBLISHED = "no run was published yet that it could be worse than"
SAME_DATA = "all earlier runs were on the data of this one, so there is nothing to compare with"
NEW = "no earlier run that is looked at has this value, so it cannot be compared"


@frozen
class Earlier:
    """A value that an earlier run found."""

    run: PastRun
    score: Score

    @property
    def day(self) -> str:
        """The day on which the run ended."""
        return f"{self.run.ended:%Y-%m-%d}"


def find_earlier(past: Past, which: str, key: ScoreKey, data: str) -> Earlier | str:
    """Return the latest value of its kind; or, in words, that there is none yet.

    The last run is the last one on other data, so that running again changes no gate. An undefined
    value says nothing, and the one before it counts.
    """
    runs = past.runs
    if which == "published":
        runs = tuple(run for run in past.runs if run.published)
    if not runs:
        return NO_RUN if not past.runs else NONE_PUBLISHED
    if which == "run":
        runs = tuple(run for run in runs if not data or run.data != data)
    if not runs:
        return SAME_DATA
    for run in reversed(runs):
        score = run.scores.get(key)
        if score is not None and score.state is not State.UNDEFINED:
            return Earlier(run, score)
    return NEW


def difference_since(key: ScoreKey, now: Score, earlier: Earlier, data: str) -> Difference | str:
    """Return the value of now less the earlier one, or why there is no such difference.

    The runs are taken as independent, which is on the safe side where they share cases: both
    intervals are squared and added (Newcombe 1998; Zou and Donner 2008). The same data leave
    nothing to chance.
    """
    then = earlier.score
    if now.value is None or then.value is None:
        whose = "the value" if now.value is None else f"the value of the run of {earlier.day}"
        return f"{whose} is infinite, so that the difference is no number"
    difference = now.value - then.value
    row = Difference(
        first=key[0],
        second=earlier.run.id,
        class_=key[1],
        average=key[2],
        measure=key[3],
        test=TEST,
        data="unpaired",
        difference=difference,
        decisive=True,
    )
    if data and earlier.run.data == data:
        return replace(row, low=difference, high=difference)
    limits = combined_limits(now, then, None)
    if limits is None or not all(map(math.isfinite, (limits.low, limits.high))):
        whose = "the value" if _has_no_ends(now) else f"the value of the run of {earlier.day}"
        return f"{whose} has no interval with two finite ends to test the difference by"
    return replace(row, low=limits.low, high=limits.high)


def _has_no_ends(score: Score) -> bool:
    return score.low is None or score.high is None
