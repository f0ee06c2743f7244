"""How the classifiers compare with the rule that always names the largest class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import get_measure
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.formatting import inline_number, inline_value_with_interval
from reportgen.report.inline import Interval, Strong
from reportgen.report.phrases import join_names_abbreviated
from reportgen.report.ranks import values_best_first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.majority_baseline import MajorityBaseline
    from reportgen.evaluation.values import MeasureValue
    from reportgen.report.inline import Inline

# With a smaller share the rule is right too seldom for anybody to take it for a good one.
_MIN_MAJORITY_PREVALENCE = 0.6
_UNADJUSTED_INTERVALS_NOTE = (
    " Each interval stands for itself: it is not adjusted for the number of classifiers."
)


def majority_baseline_findings(evaluation: Evaluation) -> Iterator[tuple[Inline, ...]]:
    """Say who is not shown to be better than naming the largest class, if accuracy decides."""
    baseline = tempting_baseline(evaluation)
    if (
        baseline is None
        or primary_measure(evaluation) != get_measure("accuracy")
        or all(each.position == "above" for each in baseline.comparisons)
    ):
        return
    yield tuple(_baseline_sentence(evaluation, baseline, include_better=False))


def majority_baseline_sentence(evaluation: Evaluation) -> tuple[Inline, ...]:
    """Say of everybody how they compare with naming the largest class; nothing if it is small."""
    baseline = tempting_baseline(evaluation)
    if baseline is None:
        return ()
    said = _baseline_sentence(evaluation, baseline, include_better=True)
    return (*said, _UNADJUSTED_INTERVALS_NOTE)


def tempting_baseline(evaluation: Evaluation) -> MajorityBaseline | None:
    """Return the comparison with the largest class, if that class is large."""
    baseline = evaluation.majority_baseline
    if baseline is None or baseline.proportion < _MIN_MAJORITY_PREVALENCE:
        return None
    return baseline


def _values_by_position(
    evaluation: Evaluation, baseline: MajorityBaseline
) -> dict[str, dict[str, MeasureValue]]:
    """Return the accuracies whose interval lies above, below or around the baseline's."""
    positions = {each.classifier: each.position for each in baseline.comparisons}
    values = values_best_first(evaluation, get_measure("accuracy"))
    return {
        position: {name: value for name, value in values.items() if positions.get(name) == position}
        for position in ("above", "below", "containing")
    }


def _baseline_sentence(
    evaluation: Evaluation, baseline: MajorityBaseline, *, include_better: bool
) -> Iterator[Inline]:
    values = _values_by_position(evaluation, baseline)
    yield "Always saying "
    yield Strong(baseline.class_)
    yield " would be right in "
    yield inline_number(get_measure("accuracy"), baseline.proportion)
    yield " of these cases"
    clauses = [
        *_interval_clause("better", "above", values["above"] if include_better else {}),
        *_interval_clause("worse", "below", values["below"]),
        *_undecided_clause(values["containing"]),
    ]
    for number, clause in enumerate(clauses):
        yield "; " if not number else ", and " if number == len(clauses) - 1 else ", "
        yield from clause
    yield "."


def _interval_clause(
    comparative: str, position: str, values: dict[str, MeasureValue]
) -> Iterator[tuple[Inline, ...]]:
    """Say who is better or worse, and that this is what the interval shows."""
    if len(values) == 1:
        ((name, score),) = values.items()
        spoken = inline_value_with_interval(get_measure("accuracy"), score)
        (interval,) = (part for part in spoken if isinstance(part, Interval))
        yield (
            Strong(name),
            f" is {comparative} (its interval, ",
            interval,
            f", lies {position} that)",
        )
    elif values:
        yield (
            *join_names_abbreviated(list(values)),
            f" are {comparative} (their intervals lie {position} that)",
        )


def _undecided_clause(values: dict[str, MeasureValue]) -> Iterator[tuple[Inline, ...]]:
    if values:
        yield (
            *join_names_abbreviated(list(values)),
            " cannot be told apart from that rule",
        )
