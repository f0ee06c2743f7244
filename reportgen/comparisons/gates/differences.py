"""The differences that gates are about, also where the report does not compare them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.comparing import compare
from reportgen.comparisons.folds.tests import fold_tests
from reportgen.measures import known_measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.comparisons.difference import Difference
    from reportgen.measures import Measure
    from reportgen.predictions import Predictions
    from reportgen.scores import Score, Scores
    from reportgen.spec import Gate, Spec


def gate_differences(
    spec: Spec,
    predictions: Predictions,
    scores: Scores,
    by_key: Mapping[tuple[str, str | None, str | None, str], Score],
    differences: Sequence[Difference],
) -> tuple[Difference, ...]:
    """Return the decisive differences of the report, and those that only gates ask for.

    The latter stay out of the family of the report's tests: a gate is a question of its own and
    makes no other answer less sure.
    """
    wanted: dict[tuple[str, str], list[Measure]] = {}
    for gate in spec.gates:
        if gate.not_worse_than is None:
            continue
        if difference_of(gate, differences, spec.task.positive) is None:
            pair = gate.classifier, gate.not_worse_than
            wanted.setdefault(pair, []).append(known_measure(gate.measure))
    asked = [
        row
        for pair, measures in wanted.items()
        for row in _tested(spec, predictions, scores, by_key, (pair, tuple(measures)))
    ]
    return tuple(row for row in (*differences, *asked) if row.decisive)


def difference_of(
    gate: Gate, differences: Sequence[Difference], positive: str | None
) -> Difference | None:
    """Return the tested difference of a gate, its classifier less the other one."""
    pair = gate.classifier, gate.not_worse_than
    # The positive class of a binary task goes unnamed in tests.
    class_ = None if gate.class_ == positive else gate.class_
    what = known_measure(gate.measure).name, class_, gate.average
    for row in differences:
        if row.decisive and (row.measure, row.class_, row.average) == what:
            if (row.first, row.second) == pair:
                return row
            if (row.second, row.first) == pair:
                return row.turned
    return None


def _tested(
    spec: Spec,
    predictions: Predictions,
    scores: Scores,
    by_key: Mapping[tuple[str, str | None, str | None, str], Score],
    asked: tuple[tuple[str, str], tuple[Measure, ...]],
) -> tuple[Difference, ...]:
    """Compare two classifiers as if nobody else were there."""
    pair, measures = asked
    both = tuple(each for each in spec.classifiers if each.name in pair)
    plain = spec.comparison.model_copy(
        update={"baseline": None, "primary": None, "margin": None, "correction": "none"}
    )
    alone = spec.model_copy(update={"classifiers": both, "comparison": plain})
    return compare(alone, predictions, by_key, measures, fold_tests(scores, alone, predictions))
