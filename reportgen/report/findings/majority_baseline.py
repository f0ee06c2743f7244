"""How the classifiers compare with the rule that always names the largest class."""

from __future__ import annotations

from dataclasses import dataclass
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
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.report.inline import Inline

# With a smaller share the rule is right too seldom for anybody to take it for a good one.
_MIN_MAJORITY_PREVALENCE = 0.6
_UNADJUSTED_INTERVALS_NOTE = (
    " Each interval stands for itself: it is not adjusted for the number of classifiers."
)


@dataclass(frozen=True, slots=True)
class MajorityBaseline:
    """The largest class, its share of the cases, and whose interval of accuracy lies where."""

    class_: str
    prevalence: float
    accuracy: Measure
    interval_above: dict[str, MeasureValue]
    interval_below: dict[str, MeasureValue]
    interval_containing: dict[str, MeasureValue]


def majority_baseline_findings(evaluation: Evaluation) -> Iterator[tuple[Inline, ...]]:
    """Say who is not shown to be better than naming the largest class, if accuracy decides."""
    found = compare_with_majority_class(evaluation)
    main = primary_measure(evaluation)
    if (
        found is None
        or main != found.accuracy
        or not (found.interval_below or found.interval_containing)
    ):
        return
    yield tuple(_baseline_sentence(found, include_better=False))


def majority_baseline_sentence(evaluation: Evaluation) -> tuple[Inline, ...]:
    """Say of everybody how they compare with naming the largest class; nothing if it is small."""
    found = compare_with_majority_class(evaluation)
    return (
        ()
        if found is None
        else (*_baseline_sentence(found, include_better=True), _UNADJUSTED_INTERVALS_NOTE)
    )


def compare_with_majority_class(evaluation: Evaluation) -> MajorityBaseline | None:
    """Compare the intervals of accuracy with the share of the largest class, if that is large.

    The share is no estimate: it is what the rule reaches on these very cases.
    """
    accuracy = get_measure("accuracy")
    sizes = set(evaluation.class_sizes.values())
    if len(sizes) != 1:
        return None
    (counts,) = sizes
    share = max(counts) / sum(counts) if sum(counts) else 0.0
    # Where all cases are of one class there is nothing to tell apart.
    if not _MIN_MAJORITY_PREVALENCE <= share < 1:
        return None
    values = values_best_first(evaluation, accuracy)
    known = {
        name: (score, score.low, score.high)
        for name, score in values.items()
        if score.low is not None and score.high is not None
    }
    if not known:
        return None
    above = {name: score for name, (score, low, _) in known.items() if low > share}
    below = {name: score for name, (score, _, high) in known.items() if high < share}
    around = {
        name: score
        for name, (score, _, _) in known.items()
        if name not in above and name not in below
    }
    class_ = evaluation.aggregates.classes[counts.index(max(counts))]
    return MajorityBaseline(class_, share, accuracy, above, below, around)


def _baseline_sentence(baseline: MajorityBaseline, *, include_better: bool) -> Iterator[Inline]:
    yield "Always saying "
    yield Strong(baseline.class_)
    yield " would be right in "
    yield inline_number(baseline.accuracy, baseline.prevalence)
    yield " of these cases"
    clauses = [
        *_interval_clause(
            baseline, "better", "above", baseline.interval_above if include_better else {}
        ),
        *_interval_clause(baseline, "worse", "below", baseline.interval_below),
        *_undecided_clause(baseline),
    ]
    for number, clause in enumerate(clauses):
        yield "; " if not number else ", and " if number == len(clauses) - 1 else ", "
        yield from clause
    yield "."


def _interval_clause(
    baseline: MajorityBaseline, comparative: str, position: str, values: dict[str, MeasureValue]
) -> Iterator[tuple[Inline, ...]]:
    """Say who is better or worse, and that this is what the interval shows."""
    if len(values) == 1:
        ((name, score),) = values.items()
        spoken = inline_value_with_interval(baseline.accuracy, score)
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


def _undecided_clause(baseline: MajorityBaseline) -> Iterator[tuple[Inline, ...]]:
    if baseline.interval_containing:
        yield (
            *join_names_abbreviated(list(baseline.interval_containing)),
            " cannot be told apart from that rule",
        )
