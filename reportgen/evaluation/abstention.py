"""Coverage: the share of cases that a classifier answers, and values by the other rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.statistics.proportions import wilson_intervals

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.values import MeasureValue, MeasureValues


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The share of cases that a classifier answers, with its Wilson interval."""

    classifier: str
    cases: int
    answered: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeValue:
    """A value by the other rule for unanswered cases: left out, or counted as wrong."""

    classifier: str
    average: str | None
    measure: str
    unanswered: str
    cases: int
    value: MeasureValue


@dataclass(frozen=True, slots=True)
class AbstentionResults:
    """What unanswered cases count as, the coverage, and the values by the other rule.

    `unanswered` is the number of cases that at least one classifier does not answer;
    `coverage_differs` whether some classifiers answer more cases than others.
    """

    policy: str
    unanswered: int
    coverage_differs: bool
    coverage: tuple[Coverage, ...]
    alternative_policy: str
    alternative_values: tuple[AlternativeValue, ...]


def evaluate_abstention(
    aggregates: Aggregates, level: float, evaluate: Callable[[Aggregates], MeasureValues]
) -> AbstentionResults | None:
    """Return the coverage and the values by the other rule; None if every case needs an answer.

    Args:
        aggregates: the aggregates, with the unanswered cases.
        level: the confidence level.
        evaluate: computes values with intervals, as for the main results.
    """
    unanswered = aggregates.unanswered
    if unanswered is None:
        return None
    coverage = []
    for answer in unanswered.answers:
        weight = aggregates.case_weight(answer.classifier)
        low, high = wilson_intervals(
            np.array([answer.answered * weight]), np.array([answer.cases * weight]), level
        )
        coverage.append(
            Coverage(
                classifier=answer.classifier,
                cases=answer.cases,
                answered=answer.answered,
                share=answer.answered / answer.cases,
                low=float(low[0]),
                high=float(high[0]),
            )
        )
    alternative = aggregates.alternative
    values = (
        ()
        if alternative is None
        else _overall_values(unanswered.alternative_policy, alternative, evaluate)
    )
    return AbstentionResults(
        policy=unanswered.policy,
        unanswered=unanswered.unanswered,
        coverage_differs=len({answer.answered for answer in unanswered.answers}) > 1,
        coverage=tuple(coverage),
        alternative_policy=unanswered.alternative_policy,
        alternative_values=values,
    )


def _overall_values(
    policy: str, aggregates: Aggregates, evaluate: Callable[[Aggregates], MeasureValues]
) -> tuple[AlternativeValue, ...]:
    return tuple(
        AlternativeValue(
            classifier=classifier,
            average=average,
            measure=measure,
            unanswered=policy,
            cases=aggregates.case_count or 0,
            value=value,
        )
        for (classifier, class_, average, measure), value in evaluate(aggregates).by_key().items()
        if class_ is None
    )
