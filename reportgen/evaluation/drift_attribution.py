"""Attribution of a change between two runs to label shift and to changed recall."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.confidence.counts import proportion_confint
from reportgen.statistics.contingency import homogeneity_test
from reportgen.statistics.multiplicity import holm
from reportgen.statistics.proportions import mover_intervals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from reportgen.spec.inference import IntervalSettings
    from reportgen.statistics.contingency import HomogeneityTest

    _IntArray = npt.NDArray[np.int64]

# Label shift, recall by class and overall measures are three families: each has a third of alpha.
DRIFT_FAMILIES = 3


class DriftVerdict(StrEnum):
    """The decision about a classifier's change since the previous run.

    `SIGNIFICANT_CHANGE`: a measure changed, but neither the class mix nor the recall of a class.
    """

    NO_SIGNIFICANT_CHANGE = "no significant change"
    SIGNIFICANT_CHANGE = "significant change"
    LABEL_SHIFT = "class mix"
    PERFORMANCE_SHIFT = "recall"
    BOTH = "class mix and recall"
    NEW_CLASSIFIER = "new"
    CLASSES_CHANGED = "other classes"
    UNTESTED = "not tested"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProportionChange:
    """A proportion in the previous and the current run: a class's prevalence or its recall.

    Without cases in a run there is no proportion there, and no difference.
    """

    class_: str
    then: float | None
    now: float | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    is_significant: bool = False


@dataclass(frozen=True, slots=True)
class LabelShiftTest:
    """The test of label shift for classifiers measured on the same cases."""

    classifiers: tuple[str, ...]
    test: HomogeneityTest
    p_adjusted: float
    is_significant: bool
    prevalence_changes: tuple[ProportionChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftAttribution:
    """The attribution of a classifier's change.

    `label_shift_effect` and `performance_effect` add up to the difference in accuracy.
    """

    classifier: str
    verdict: DriftVerdict
    recall_changes: tuple[ProportionChange, ...] = ()
    label_shift_effect: float | None = None
    performance_effect: float | None = None
    added_classes: tuple[str, ...] = ()
    removed_classes: tuple[str, ...] = ()

    @property
    def significant_recall_changes(self) -> tuple[ProportionChange, ...]:
        """The classes with a significant change in recall."""
        return tuple(rate for rate in self.recall_changes if rate.is_significant)


@dataclass(frozen=True, slots=True)
class ConfusionMatrixPair:
    """The previous and the current confusion matrix; a count has the weight of its cases."""

    classifier: str
    then: _IntArray
    now: _IntArray
    weights: tuple[float, float] = (1.0, 1.0)
    """Of then and now, below 1 where cases were predicted several times."""

    @property
    def class_sizes(self) -> tuple[_IntArray, _IntArray]:
        """The class sizes, previous and current."""
        return self.then.sum(axis=1), self.now.sum(axis=1)

    @property
    def totals(self) -> tuple[_IntArray, _IntArray]:
        """The numbers of cases, previous and current."""
        then, now = self.class_sizes
        return np.full_like(then, then.sum()), np.full_like(now, now.sum())

    @property
    def correct(self) -> tuple[_IntArray, _IntArray]:
        """The correct predictions per class, previous and current."""
        return self.then.diagonal(), self.now.diagonal()

    def test_label_shift(self, seed: int) -> HomogeneityTest | None:
        """Test whether the class proportions are equal; None if a run has no cases."""
        return homogeneity_test(*self.round_to_cases(self.class_sizes), seed)

    def round_to_cases(self, counts: tuple[_IntArray, _IntArray]) -> tuple[_IntArray, _IntArray]:
        """Return the previous and current counts in whole cases."""
        then, now = (
            np.asarray(np.rint(count * weight), dtype=np.int64)
            for count, weight in zip(counts, self.weights, strict=True)
        )
        return then, now


def attribute_drift(
    pairs: Sequence[ConfusionMatrixPair],
    classes: Sequence[str],
    settings: IntervalSettings,
    alpha: float,
) -> tuple[tuple[LabelShiftTest, ...], tuple[DriftAttribution, ...]]:
    """Test for label shift and for changed recall.

    Each of the two has a third of alpha, within which it is adjusted by Holm's procedure; the
    last third is that of the overall measures (`test_value_changes`).
    """
    label_shift_tests = _label_shift_tests(pairs, classes, settings, alpha)
    recall_changes = _recall_changes(pairs, classes, settings, alpha)
    label_shifted = {
        name for test in label_shift_tests if test.is_significant for name in test.classifiers
    }
    return label_shift_tests, tuple(
        _attribution(pair, recall_changes[pair.classifier], label_shifted) for pair in pairs
    )


def _label_shift_tests(
    pairs: Sequence[ConfusionMatrixPair],
    classes: Sequence[str],
    settings: IntervalSettings,
    alpha: float,
) -> tuple[LabelShiftTest, ...]:
    by_class_sizes: dict[tuple[object, ...], list[ConfusionMatrixPair]] = {}
    for pair in pairs:
        key = *(sizes.tobytes() for sizes in pair.class_sizes), *pair.weights
        by_class_sizes.setdefault(key, []).append(pair)
    tested = [
        (test, same)
        for same in by_class_sizes.values()
        if (test := same[0].test_label_shift(settings.seed)) is not None
    ]
    adjusted = holm_in_family([test.p for test, _ in tested], DRIFT_FAMILIES)
    return tuple(
        LabelShiftTest(
            tuple(pair.classifier for pair in same),
            test,
            p,
            p <= alpha,
            _proportion_changes(
                classes,
                same[0].class_sizes,
                same[0].totals,
                same[0].weights,
                settings,
            ),
        )
        for (test, same), p in zip(tested, adjusted, strict=True)
    )


def _recall_changes(
    pairs: Sequence[ConfusionMatrixPair],
    classes: Sequence[str],
    settings: IntervalSettings,
    alpha: float,
) -> Mapping[str, tuple[ProportionChange, ...]]:
    p_values: dict[tuple[str, str], float] = {}
    for pair in pairs:
        counts = (*pair.round_to_cases(pair.correct), *pair.round_to_cases(pair.class_sizes))
        for class_, then, now, of_then, of_now in zip(classes, *counts, strict=True):
            test = homogeneity_test((then, of_then - then), (now, of_now - now), settings.seed)
            if test is not None:
                p_values[pair.classifier, class_] = test.p
    adjusted = holm_in_family(list(p_values.values()), DRIFT_FAMILIES)
    adjusted_p_values = dict(zip(p_values, adjusted, strict=True))
    return {
        pair.classifier: tuple(
            _add_p_values(change, p_values, adjusted_p_values, pair.classifier, alpha)
            for change in _proportion_changes(
                classes, pair.correct, pair.class_sizes, pair.weights, settings
            )
        )
        for pair in pairs
    }


def _add_p_values(
    change: ProportionChange,
    p_values: Mapping[tuple[str, str], float],
    adjusted_p_values: Mapping[tuple[str, str], float],
    classifier: str,
    alpha: float,
) -> ProportionChange:
    key = classifier, change.class_
    if key not in p_values:
        return change
    return replace(
        change,
        p=p_values[key],
        p_adjusted=adjusted_p_values[key],
        is_significant=adjusted_p_values[key] <= alpha,
    )


def holm_in_family(p_values: Sequence[float], n_families: int) -> list[float]:
    """Adjust the p-values of one of several families with equal shares of alpha."""
    return [min(1.0, n_families * p) for p in holm(p_values)] if p_values else []


def _proportion_changes(
    classes: Sequence[str],
    successes: tuple[_IntArray, _IntArray],
    trials: tuple[_IntArray, _IntArray],
    weights: tuple[float, float],
    settings: IntervalSettings,
) -> tuple[ProportionChange, ...]:
    """Compare previous and current proportions as independent samples (Newcombe 1998)."""
    weight = np.array(weights[::-1])[:, np.newaxis]
    weighted_successes, weighted_trials = (
        np.array(counts[::-1]) * weight for counts in (successes, trials)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        proportions = weighted_successes / weighted_trials
    limits = proportion_confint(weighted_successes, weighted_trials, settings)
    low, high = mover_intervals(proportions, limits.low, limits.high, (1.0, -1.0))
    now, then = proportions
    columns = (then, now, now - then, low, high)
    finite = [[None if np.isnan(value) else float(value) for value in column] for column in columns]
    return tuple(
        ProportionChange(
            class_=class_, then=before, now=after, difference=difference, low=least, high=most
        )
        for class_, before, after, difference, least, most in zip(classes, *finite, strict=True)
    )


def _attribution(
    pair: ConfusionMatrixPair, recall_changes: tuple[ProportionChange, ...], label_shifted: set[str]
) -> DriftAttribution:
    label_shift_effect, performance_effect = _kitagawa_decomposition(pair)
    has_label_shift = pair.classifier in label_shifted
    has_recall_change = any(change.is_significant for change in recall_changes)
    verdicts = {
        (True, True): DriftVerdict.BOTH,
        (True, False): DriftVerdict.LABEL_SHIFT,
        (False, True): DriftVerdict.PERFORMANCE_SHIFT,
    }
    return DriftAttribution(
        classifier=pair.classifier,
        verdict=verdicts.get(
            (has_label_shift, has_recall_change), DriftVerdict.NO_SIGNIFICANT_CHANGE
        ),
        recall_changes=recall_changes,
        label_shift_effect=label_shift_effect,
        performance_effect=performance_effect,
    )


def _kitagawa_decomposition(pair: ConfusionMatrixPair) -> tuple[float | None, float | None]:
    """Decompose the change in accuracy into effects of class mix and of recall (Kitagawa 1955).

    A class without cases in one run takes the recall of the other run, so that its appearance or
    disappearance counts as a change of the class mix.
    """
    totals = [sizes.sum() for sizes in pair.class_sizes]
    if not all(totals):
        return None, None
    weights = [sizes / total for sizes, total in zip(pair.class_sizes, totals, strict=True)]
    with np.errstate(divide="ignore", invalid="ignore"):
        then, now = (
            correct / sizes for correct, sizes in zip(pair.correct, pair.class_sizes, strict=True)
        )
    then, now = np.where(np.isnan(then), now, then), np.where(np.isnan(now), then, now)
    then, now = np.nan_to_num(then), np.nan_to_num(now)
    label_shift_effect = ((weights[1] - weights[0]) * (then + now) / 2).sum()
    performance_effect = ((now - then) * (weights[0] + weights[1]) / 2).sum()
    return float(label_shift_effect), float(performance_effect)
