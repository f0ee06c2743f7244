"""What an earlier run found, and how far this one is from it."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC
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
SAME_DATA_OR_FAILED = (
    "all earlier runs were on the data of this one, or failed it, so there is nothing to compare"
    " with"
)
ALL_FAILED = (
    "it failed in every earlier run that it could be compared with, and what failed is no standard;"
    " to accept what was found, build once without this gate"
)
NO_ENDS = "has no interval with two finite ends to test the difference by"
NEW = "no earlier run that is looked at has this value, so it cannot be compared"


@frozen
class Earlier:
    """A value that an earlier run found."""

    run: PastRun
    score: Score

    @property
    def moment(self) -> str:
        """When the run ended."""
        return f"{self.run.ended.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


@frozen
class NoneToCompare:
    """That no earlier run can be compared with, and why."""

    why: str
    is_first: bool = False
    """Whether that is because nothing was found yet: somebody has to be first."""
    has_failed: bool = False
    """Whether that is because the gate failed in all of them."""


@frozen
class Asked:
    """What is to be compared: with which kind of run, the value, and on what it was found."""

    which: str
    key: ScoreKey
    data: str
    classes: tuple[str, ...]
    positive: str | None


def find_earlier(past: Past, asked: Asked) -> Earlier | NoneToCompare:
    """Return the latest value that now can be held against; or why there is none.

    A run on the data of now does not count, so that running again changes no gate, and neither
    does one that failed the gate: what was refused is no standard. An undefined value says nothing,
    and the one before it counts.
    """
    runs = past.runs
    if asked.which == "published":
        runs = tuple(run for run in past.runs if run.published)
    if not runs:
        return NoneToCompare(NONE_PUBLISHED if past.runs else NO_RUN, is_first=True)
    others = [run for run in runs if not asked.data or run.data != asked.data]
    sound = [run for run in others if asked.key not in run.failed]
    if not sound:
        failed = [asked.key in run.failed for run in runs]
        # One that did not fail was on the data of now.
        why = SAME_DATA_OR_FAILED if any(failed) else SAME_DATA
        has_failed = all(failed)
        return NoneToCompare(
            ALL_FAILED if has_failed else why, is_first=not has_failed, has_failed=has_failed
        )
    reasons: list[str] = []
    for run in reversed(sound):
        score = run.scores.get(asked.key)
        if score is None or score.state is State.UNDEFINED:
            continue
        earlier = Earlier(run, score)
        hindrance = _hindrance(earlier, asked)
        if hindrance is None:
            return earlier
        reasons.append(hindrance)
    return NoneToCompare(reasons[0] if reasons else NEW)


def _hindrance(earlier: Earlier, asked: Asked) -> str | None:
    """Say why an earlier value cannot be compared with."""
    run = earlier.run
    if set(run.classes) != set(asked.classes):
        return (
            f"the run of {earlier.moment} had other classes;"
            " `classes` in [task] keeps them the same"
        )
    if run.positive is None and asked.positive is not None:
        return f"of the run of {earlier.moment} it is not known which class was the positive one"
    if run.positive != asked.positive:
        return f"the run of {earlier.moment} had another positive class"
    if earlier.score.value is not None and _has_no_ends(earlier.score):
        return f"the value of the run of {earlier.moment} {NO_ENDS}"
    return None


def difference_since(key: ScoreKey, now: Score, earlier: Earlier) -> Difference | str:
    """Return the value of now less the earlier one, or why there is no such difference.

    The runs are taken as independent, which is on the safe side where they share cases: both
    intervals are squared and added (Newcombe 1998; Zou and Donner 2008).
    """
    then = earlier.score
    if now.value is None or then.value is None:
        whose = "the value" if now.value is None else f"the value of the run of {earlier.moment}"
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
    limits = combined_limits(now, then, None)
    if limits is None or not all(map(math.isfinite, (limits.low, limits.high))):
        whose = "the value" if _has_no_ends(now) else f"the value of the run of {earlier.moment}"
        return f"{whose} {NO_ENDS}"
    return replace(row, low=limits.low, high=limits.high)


def _has_no_ends(score: Score) -> bool:
    return score.low is None or score.high is None
