"""What the probabilities that a classifier gave are worth, case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.tallies.scored import ClassifierScores, Places, ScoredCases

LOSSES = ("probability_errors", "log_losses", "information")


def shares_of(cases: ScoredCases) -> Numbers:
    """Return the share of cases that each class has."""
    return cases.sizes / max(cases.size, 1)


def losses_in(
    cases: ScoredCases, each: ClassifierScores, shares: Numbers, block: slice
) -> dict[str, Numbers]:
    """Return squared errors, log-losses and bits of information of some cases."""
    truth, own = cases.truth[block], own_probabilities(cases, each, block)
    with np.errstate(divide="ignore"):
        log_losses = -np.log(own)
    return {
        "probability_errors": _squared_errors(cases, each, block),
        # Not −0, which would be written with its sign.
        "log_losses": log_losses + 0.0,
        "information": information(shares, truth, own),
    }


def own_probabilities(cases: ScoredCases, each: ClassifierScores, block: slice) -> Numbers:
    """Return the probability that some cases were given of being what they are."""
    given, truth = _given(each, block), cases.truth[block]
    if given.shape[1] > 1:
        return np.asarray(given[np.arange(len(truth)), truth])
    positive = given[:, 0]
    return np.where(_is_positive(cases, truth), positive, 1 - positive)


def information(shares: Numbers, truth: Places, own: Numbers) -> Numbers:
    """Return the bits each answer gives, negative where it misleads (Kononenko and Bratko).

    They tell by how much less surprising the true class is than its share makes it.
    """
    useful = own >= shares[truth]
    with np.errstate(divide="ignore", invalid="ignore"):
        prior, rest = np.log2(shares), np.log2(1 - shares)
        before = np.where(useful, prior[truth], rest[truth])
        after = np.log2(np.where(useful, own, 1 - own))
        return np.where(useful, after - before, before - after)


def confidences(
    cases: ScoredCases, each: ClassifierScores, block: slice
) -> tuple[Numbers, npt.NDArray[np.bool_]]:
    """Return how sure the classifier was of some cases, and where that came true."""
    given, truth = _given(each, block), cases.truth[block]
    if len(cases.ranked) == 1:
        return _of_positive(cases, given), _is_positive(cases, truth)
    top = given.argmax(axis=1)
    return given[np.arange(len(top)), top], np.asarray(top == truth)


def _squared_errors(cases: ScoredCases, each: ClassifierScores, block: slice) -> Numbers:
    """Return the squared errors of some cases: of the positive class, or summed over all."""
    given, truth = _given(each, block), cases.truth[block]
    if len(cases.ranked) == 1:
        return np.asarray((_of_positive(cases, given) - _is_positive(cases, truth)) ** 2)
    is_true = np.eye(len(cases.classes))[truth]
    return np.asarray(((given - is_true) ** 2).sum(axis=1))


def _given(each: ClassifierScores, block: slice) -> Numbers:
    if each.probabilities is None:
        raise LookupError(each.classifier)
    return each.probabilities[block]


def _of_positive(cases: ScoredCases, given: Numbers) -> Numbers:
    return given[:, 0 if given.shape[1] == 1 else cases.classes.index(cases.ranked[0])]


def _is_positive(cases: ScoredCases, truth: Places) -> npt.NDArray[np.bool_]:
    return np.asarray(truth == cases.classes.index(cases.ranked[0]))
