"""What changed between two runs, by their confusion matrices: the mix of classes, or the rates."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from reportgen.frozen import frozen
from reportgen.intervals.shares import share_limits
from reportgen.statistics.adjusting import holm
from reportgen.statistics.homogeneity import homogeneity
from reportgen.statistics.proportions import square_and_add_limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from reportgen.spec.evidence import Intervals
    from reportgen.statistics.homogeneity import Homogeneity

    Counts = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.float64]

# Whether the mix changed and whether the rates did are two questions: each has half the level.
QUESTIONS = 2


class Verdict(StrEnum):
    """What the tests show of a classifier since the run before."""

    CHANCE = "chance"
    MIX = "mix"
    RATES = "rates"
    BOTH = "mix and rates"
    NEW = "new"
    OTHER_CLASSES = "other classes"
    UNTESTED = "untested"


@frozen(kw_only=True)
class ShareChange:
    """A share of cases then and now: of a class among all, or of those recognised in a class.

    What has no cases in one of the runs has no share there, and no difference.
    """

    class_: str
    then: float | None
    now: float | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    is_shown: bool = False


@frozen
class MixTest:
    """Whether classes were as frequent then as now, for classifiers measured on the same cases."""

    classifiers: tuple[str, ...]
    test: Homogeneity
    p_adjusted: float
    is_shown: bool
    shares: tuple[ShareChange, ...]


@frozen(kw_only=True)
class Reason:
    """What a classifier's change is due to, as far as tests show it.

    `by_mix` and `by_rates` add up to the difference in accuracy.
    """

    classifier: str
    verdict: Verdict
    rates: tuple[ShareChange, ...] = ()
    by_mix: float | None = None
    by_rates: float | None = None
    more_classes: tuple[str, ...] = ()
    fewer_classes: tuple[str, ...] = ()

    @property
    def shown_rates(self) -> tuple[ShareChange, ...]:
        """The classes that it is shown to recognise more or less often."""
        return tuple(rate for rate in self.rates if rate.is_shown)


@frozen
class Matrices:
    """The confusion matrix of a classifier then and now; a count stands for its weight in cases."""

    classifier: str
    then: Counts
    now: Counts
    weights: tuple[float, float] = (1.0, 1.0)
    """Of then and now, below 1 where cases were predicted several times."""

    @property
    def sizes(self) -> tuple[Counts, Counts]:
        """How many cases each class has, then and now."""
        return self.then.sum(axis=1), self.now.sum(axis=1)

    @property
    def totals(self) -> tuple[Counts, Counts]:
        """How many cases there are in all, for each class, then and now."""
        then, now = self.sizes
        return np.full_like(then, then.sum()), np.full_like(now, now.sum())

    @property
    def right(self) -> tuple[Counts, Counts]:
        """How many of them were recognised, then and now."""
        return self.then.diagonal(), self.now.diagonal()

    def test_of_mix(self, seed: int) -> Homogeneity | None:
        """Test whether the classes had the same shares then; None: a run had no cases."""
        return homogeneity(*self.whole(self.sizes), seed)

    def whole(self, counts: tuple[Counts, Counts]) -> tuple[Counts, Counts]:
        """Return counts of then and now in whole cases."""
        then, now = (
            np.asarray(np.rint(count * weight), dtype=np.int64)
            for count, weight in zip(counts, self.weights, strict=True)
        )
        return then, now


def explain(
    pairs: Sequence[Matrices], classes: Sequence[str], asked: Intervals, alpha: float
) -> tuple[tuple[MixTest, ...], tuple[Reason, ...]]:
    """Test whether the mix of classes and whether the rates changed; no test: nothing counted.

    The chance of any false claim is at most alpha: half of it is for the mixes and half for the
    rates, and both are adjusted by Holm.
    """
    mixes = _mixes(pairs, classes, asked, alpha)
    rates = _rates(pairs, classes, asked, alpha)
    moved = {name for mix in mixes if mix.is_shown for name in mix.classifiers}
    return mixes, tuple(_reason(pair, rates[pair.classifier], moved) for pair in pairs)


def _mixes(
    pairs: Sequence[Matrices], classes: Sequence[str], asked: Intervals, alpha: float
) -> tuple[MixTest, ...]:
    truths: dict[tuple[object, ...], list[Matrices]] = {}
    for pair in pairs:
        truth = *(sizes.tobytes() for sizes in pair.sizes), *pair.weights
        truths.setdefault(truth, []).append(pair)
    tested = [
        (test, same)
        for same in truths.values()
        if (test := same[0].test_of_mix(asked.seed)) is not None
    ]
    adjusted = _adjusted([test.p for test, _ in tested])
    return tuple(
        MixTest(
            tuple(pair.classifier for pair in same),
            test,
            p,
            p <= alpha,
            _changed_shares(
                classes,
                same[0].sizes,
                same[0].totals,
                same[0].weights,
                asked,
            ),
        )
        for (test, same), p in zip(tested, adjusted, strict=True)
    )


def _rates(
    pairs: Sequence[Matrices], classes: Sequence[str], asked: Intervals, alpha: float
) -> Mapping[str, tuple[ShareChange, ...]]:
    found: dict[tuple[str, str], float] = {}
    for pair in pairs:
        counts = (*pair.whole(pair.right), *pair.whole(pair.sizes))
        for class_, then, now, of_then, of_now in zip(classes, *counts, strict=True):
            test = homogeneity((then, of_then - then), (now, of_now - now), asked.seed)
            if test is not None:
                found[pair.classifier, class_] = test.p
    adjusted = dict(zip(found, _adjusted(list(found.values())), strict=True))
    return {
        pair.classifier: tuple(
            _tested(share, found, adjusted, pair.classifier, alpha)
            for share in _changed_shares(classes, pair.right, pair.sizes, pair.weights, asked)
        )
        for pair in pairs
    }


def _tested(
    share: ShareChange,
    found: Mapping[tuple[str, str], float],
    adjusted: Mapping[tuple[str, str], float],
    classifier: str,
    alpha: float,
) -> ShareChange:
    key = classifier, share.class_
    if key not in found:
        return share
    return replace(share, p=found[key], p_adjusted=adjusted[key], is_shown=adjusted[key] <= alpha)


def _adjusted(p_values: Sequence[float]) -> list[float]:
    return [min(1.0, QUESTIONS * p) for p in holm(p_values)] if p_values else []


def _changed_shares(
    classes: Sequence[str],
    cases: tuple[Counts, Counts],
    among: tuple[Counts, Counts],
    weights: tuple[float, float],
    asked: Intervals,
) -> tuple[ShareChange, ...]:
    """Set shares of then and now against each other, as independent samples (Newcombe 1998)."""
    weight = np.array(weights[::-1])[:, np.newaxis]
    counted, of = (np.array(each[::-1]) * weight for each in (cases, among))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = counted / of
    limits = share_limits(counted, of, asked)
    low, high = square_and_add_limits(shares, limits.low, limits.high, (1.0, -1.0))
    columns = (shares[1], shares[0], shares[0] - shares[1], low, high)
    known = [[None if np.isnan(each) else float(each) for each in column] for column in columns]
    return tuple(
        ShareChange(class_=class_, then=then, now=now, difference=difference, low=least, high=most)
        for class_, then, now, difference, least, most in zip(classes, *known, strict=True)
    )


def _reason(pair: Matrices, rates: tuple[ShareChange, ...], moved: set[str]) -> Reason:
    by_mix, by_rates = _parts_of_change(pair)
    mix, rate = pair.classifier in moved, any(each.is_shown for each in rates)
    verdicts = {
        (True, True): Verdict.BOTH,
        (True, False): Verdict.MIX,
        (False, True): Verdict.RATES,
    }
    return Reason(
        classifier=pair.classifier,
        verdict=verdicts.get((mix, rate), Verdict.CHANCE),
        rates=rates,
        by_mix=by_mix,
        by_rates=by_rates,
    )


def _parts_of_change(pair: Matrices) -> tuple[float | None, float | None]:
    """Split the difference in accuracy into what the mix and what the rates did (Kitagawa 1955).

    A class without cases in one run has no rate there; the other run's stands for it, so that
    its coming or going counts as a change of the mix.
    """
    totals = [sizes.sum() for sizes in pair.sizes]
    if not all(totals):
        return None, None
    weights = [sizes / total for sizes, total in zip(pair.sizes, totals, strict=True)]
    with np.errstate(divide="ignore", invalid="ignore"):
        then, now = (right / sizes for right, sizes in zip(pair.right, pair.sizes, strict=True))
    then, now = np.where(np.isnan(then), now, then), np.where(np.isnan(now), then, now)
    then, now = np.nan_to_num(then), np.nan_to_num(now)
    by_mix = ((weights[1] - weights[0]) * (then + now) / 2).sum()
    by_rates = ((now - then) * (weights[0] + weights[1]) / 2).sum()
    return float(by_mix), float(by_rates)
