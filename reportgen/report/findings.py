"""What the tests show, in plain sentences that claim no more than that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons import Finding
from reportgen.comparisons.verdicts.ranking import places
from reportgen.measures import Measure, Orientation, find_measure
from reportgen.report.differences import (
    cases_in_words,
    difference_cells,
    margin_of,
    values_told_apart,
    with_its_interval,
)
from reportgen.report.document import Count, Plain, PValue, Strong, Value
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
OPEN, ONLY_SOME = "cannot be told apart from ", "only some of them are better than "
CLAUSES = {
    Finding.SUPERIOR: "is better than ",
    Finding.EQUIVALENT: "is equivalent to ",
    None: "was not tested against ",
}


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
            with_its_interval(score, measure),
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
    ahead, behind = values_told_apart(measure, values[first], values[second])
    against: tuple[Part, ...] = (ahead, " against ", behind)
    both = (Strong(first), " and ", Strong(second))
    if tested is None or tested.p is None:
        yield (*both, f" were not tested against each other in {what}: ", *against, ".")
        return
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
                Plain(margin_of(evaluation, measure.name) or 0.0),
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
                *_not_worse(evaluation, tested, measure),
                *_planning(tested),
            )


def _in_figures(tested: Difference, measure: Measure) -> tuple[Part, ...]:
    """Give the difference, its interval and its p-value in brackets."""
    parts: list[Part] = []
    difference, interval = difference_cells(measure, tested.difference, tested.low, tested.high)
    if difference is not None:
        parts += ["difference ", difference]
    if interval is not None:
        parts += [", ", interval]
    if tested.p_adjusted is not None:
        parts += ["; " if parts else "", PValue(tested.p_adjusted, named=True)]
    return (" (", *parts, ")") if parts else ()


def _not_worse(evaluation: Evaluation, tested: Difference, measure: Measure) -> Iterator[Part]:
    """Say who is shown to be not worse by more than the margin, where nothing more is shown."""
    margin = margin_of(evaluation, measure.name)
    for name, other, shown in (
        (tested.first, tested.second, tested.non_inferior),
        (tested.second, tested.first, tested.reverse_non_inferior),
    ):
        if shown and margin is not None:
            yield " "
            yield Strong(name)
            yield " is not worse than "
            yield Strong(other)
            yield " by more than the margin of "
            yield Plain(margin)
            yield "."


def _planning(tested: Difference) -> tuple[Part, ...]:
    if tested.cases_needed is None:
        return ()
    needed = cases_in_words(tested.cases_needed)
    return (
        " If the true difference is the one found, ",
        *(("about ", needed) if isinstance(needed, Count) else (needed,)),
        " cases would show it with a chance of 80 %.",
    )


def _of_many(
    evaluation: Evaluation, measure: Measure, values: dict[str, Score]
) -> Iterator[tuple[Part, ...]]:
    """Name the best, or those that share the best value, and say whom they are better than."""
    ranks = places(
        {name: score.number for name, score in values.items() if score.number is not None},
        measure.orientation,
    )
    best = [name for name in values if ranks[name] == 1]
    others = [name for name in values if name not in best]
    if not others:
        same = values_told_apart(measure, values[best[0]])
        yield (*_some(best), f" have the same {inside_a_sentence(measure)}, ", *same, ".")
        return
    superlative = "highest" if measure.orientation is Orientation.HIGHER else "lowest"
    clauses: list[Part] = []
    said = list(_clauses(evaluation, measure, best, others))
    for number, (verb, *names) in enumerate(said):
        joint = ", and " if number == len(said) - 1 and number else ", "
        subject = "it " if len(best) == 1 else "each " if not number else ""
        clauses += [joint if number else ": ", subject if verb != ONLY_SOME else "", verb, *names]
    yield (
        *_some(best),
        f" {'has' if len(best) == 1 else 'share'} the {superlative} {inside_a_sentence(measure)}, ",
        with_its_interval(values[best[0]], measure),
        *clauses,
        ".",
    )


def _clauses(
    evaluation: Evaluation, measure: Measure, best: Sequence[str], others: Sequence[str]
) -> Iterator[tuple[Part, ...]]:
    """Yield what the best are shown to be; what is not so of each of them is open."""
    found = {
        other: [evaluation.evidence.about(name, other, None, measure.name) for name in best]
        for other in others
    }
    kinds: dict[str, list[str]] = {verb: [] for verb in (*CLAUSES.values(), OPEN, ONLY_SOME)}
    for other, tests in found.items():
        verdicts = {None if test is None else test.verdict for test in tests}
        alike = CLAUSES.get(next(iter(verdicts)), OPEN) if len(verdicts) == 1 else None
        differing = ONLY_SOME if Finding.SUPERIOR in verdicts else OPEN
        kinds[alike or differing].append(other)
    for verb, names in kinds.items():
        every = verb == CLAUSES[Finding.SUPERIOR] and len(names) == len(others)
        if names:
            yield (verb, *(("all others",) if every else _some(names)))
    margin = margin_of(evaluation, measure.name)
    safe = [
        other for other in kinds[OPEN] if all(test and test.non_inferior for test in found[other])
    ]
    if safe and margin is not None:
        yield ("is not worse than ", *_some(safe), " by more than the margin of ", Plain(margin))


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
