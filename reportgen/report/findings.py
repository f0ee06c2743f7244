"""What the tests show, in plain sentences that claim no more than that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons import Finding
from reportgen.comparisons.ranking import places
from reportgen.measures import Measure, Orientation, find_measure
from reportgen.report.document import (
    Count,
    DifferenceOf,
    Interval,
    Plain,
    PValue,
    Strong,
    Value,
)
from reportgen.report.other_findings import other_findings
from reportgen.report.wording import inside_a_sentence, names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons import Difference
    from reportgen.report.document import Part
    from reportgen.report.evaluation import Evaluation
    from reportgen.scores import Score

MAIN_MEASURE = {"binary": "accuracy", "multiclass": "accuracy", "regression": "rmse"}
TWO = 2
MOST_NAMES = 4


def main_measure(evaluation: Evaluation) -> Measure | None:
    """Return the declared measure, else accuracy or RMSE, else the first that was asked for."""
    primary = evaluation.spec.comparison.primary
    main = find_measure(primary or MAIN_MEASURE[evaluation.kind])
    shown = [
        measure
        for measure in evaluation.main_measures
        if measure.orientation is not Orientation.NEITHER
    ]
    return main if main in shown or primary or not shown else shown[0]


def comparison_findings(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Yield what is known of the differences: first in the main measure, then in the others."""
    measure = main_measure(evaluation)
    if measure is None:
        return
    values = known_values(evaluation, measure)
    if len(values) == 1:
        ((name, score),) = values.items()
        yield (
            f"The {inside_a_sentence(measure)} of ",
            Strong(name),
            " is ",
            Value(score, measure, with_interval=True),
            ".",
        )
    elif len(values) == TWO:
        yield from _of_two(evaluation, measure, values)
    elif values:
        yield from _of_many(evaluation, measure, values)
    yield from _without_value(evaluation, measure, values)
    yield from other_findings(evaluation, measure)


def _without_value(
    evaluation: Evaluation, measure: Measure, values: dict[str, Score]
) -> Iterator[tuple[Part, ...]]:
    without = [name for name in evaluation.measured if name not in values]
    if values and without:
        yield (
            *_some(without),
            f" {'has' if len(without) == 1 else 'have'} no {inside_a_sentence(measure)} and",
            f" {'was' if len(without) == 1 else 'were'} not compared in it.",
        )


def known_values(evaluation: Evaluation, measure: Measure) -> dict[str, Score]:
    """Return the values that can be compared, by classifier, the best first."""
    found = {
        classifier: score
        for classifier in evaluation.measured
        if (score := evaluation.score(classifier, measure)) is not None and score.number is not None
    }
    numbers = {name: score.number for name, score in found.items() if score.number is not None}
    ranks = places(numbers, measure.orientation)
    return dict(sorted(found.items(), key=lambda item: ranks[item[0]]))


def _of_two(
    evaluation: Evaluation, measure: Measure, values: dict[str, Score]
) -> Iterator[tuple[Part, ...]]:
    first, second = values
    tested = evaluation.evidence.about(first, second, None, measure.name)
    what = inside_a_sentence(measure)
    against: tuple[Part, ...] = (
        Value(values[first], measure),
        " against ",
        Value(values[second], measure),
    )
    if tested is None:
        yield (Strong(first), f" and {what}: ", *against, " (not tested).")
        return
    both = (Strong(first), " and ", Strong(second))
    match tested.verdict:
        case Finding.SUPERIOR | Finding.INFERIOR:
            yield (
                Strong(first),
                " is better than ",
                Strong(second),
                f" in {what}: ",
                *against,
                *_in_figures(tested, measure),
                ".",
            )
        case Finding.EQUIVALENT:
            yield (
                *both,
                f" are equivalent in {what}: ",
                *against,
                ", and the margin of ",
                Plain((evaluation.spec.comparison.margin or {}).get(measure.name, 0.0)),
                " is not reached",
                *_in_figures(tested, measure),
                ".",
            )
        case Finding.TIED:
            yield (*both, f" have the same {what}, ", Value(values[first], measure), ".")
        case Finding.UNDECIDED:
            yield (
                *both,
                f" cannot be told apart in {what}: ",
                *against,
                *_in_figures(tested, measure),
                ".",
                *_planning(tested),
            )


def _in_figures(tested: Difference, measure: Measure) -> tuple[Part, ...]:
    """Give the difference, its interval and its p-value in brackets."""
    parts: list[Part] = []
    if tested.difference is not None:
        parts += ["difference ", DifferenceOf(measure, tested.difference)]
    if tested.low is not None and tested.high is not None:
        parts += [", ", Interval(tested.low, tested.high, measure)]
    if tested.p_adjusted is not None:
        parts += ["; " if parts else "", PValue(tested.p_adjusted, named=True)]
    return (" (", *parts, ")") if parts else ()


def _planning(tested: Difference) -> tuple[Part, ...]:
    if tested.cases_needed is None:
        return ()
    return (
        " If the true difference is the one found, about ",
        Count(_rounded(tested.cases_needed)),
        " cases would show it with a chance of 80 %.",
    )


def _rounded(cases: int) -> int:
    """Round up to two digits: more would pretend to know more."""
    unit = int(10 ** max(0, len(str(cases)) - 2))
    return -(-cases // unit) * unit


def _of_many(
    evaluation: Evaluation, measure: Measure, values: dict[str, Score]
) -> Iterator[tuple[Part, ...]]:
    best, *others = values
    about = {other: evaluation.evidence.about(best, other, None, measure.name) for other in others}
    beaten = [
        other for other, tested in about.items() if tested and tested.verdict is Finding.SUPERIOR
    ]
    equivalent = [
        other for other, tested in about.items() if tested and tested.verdict is Finding.EQUIVALENT
    ]
    level = [other for other in others if other not in {*beaten, *equivalent} and about[other]]
    superlative = "highest" if measure.orientation is Orientation.HIGHER else "lowest"
    said: list[tuple[Part, ...]] = []
    if beaten:
        every = (" all others",) if len(beaten) == len(others) else (" ", *_some(beaten))
        said.append(("it is better than", *every))
    if equivalent:
        said.append(("it is equivalent to ", *_some(equivalent)))
    if level:
        said.append(("it cannot be told apart from ", *_some(level)))
    untested = [other for other in others if about[other] is None]
    if untested:
        said.append(("it was not tested against ", *_some(untested)))
    clauses: list[Part] = []
    for number, clause in enumerate(said):
        joint = ", and " if number == len(said) - 1 and number else ", "
        clauses += [joint if number else ": ", *clause]
    yield (
        Strong(best),
        f" has the {superlative} {inside_a_sentence(measure)}, ",
        Value(values[best], measure, with_interval=True),
        *clauses,
        ".",
    )


def _some(names: Sequence[str]) -> Iterator[Part]:
    if len(names) <= MOST_NAMES:
        yield from names_in_a_row(names)
        return
    for place, name in enumerate(names[: MOST_NAMES - 1]):
        yield from (", ",) if place else ()
        yield Strong(name)
    yield " and "
    yield Count(len(names) - MOST_NAMES + 1)
    yield " others"
