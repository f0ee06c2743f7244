"""What the tests show, in plain sentences that claim no more than that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Finding
from reportgen.measures import Measure, Orientation, find_measure
from reportgen.report.findings.others import adjusted_too, other_findings
from reportgen.report.findings.standing import (
    sharing_the_first_place,
    standing_scores,
    standing_values,
)
from reportgen.report.parts import Count, Plain, PValue, Strong
from reportgen.report.words.differences import cases_in_words, margin_of
from reportgen.report.words.how_tested import is_one_sided
from reportgen.report.words.spoken import (
    spoken_difference,
    spoken_lead,
    spoken_values,
    spoken_with_interval,
)
from reportgen.report.words.wording import inside_a_sentence, some_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.difference import Difference
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part
    from reportgen.scores import Score

MAIN_MEASURE = {"binary": "accuracy", "multiclass": "accuracy", "regression": "rmse"}
TWO = 2
MOST_WITH_FIGURES = 2
OPEN, ONLY_SOME = "cannot be told apart from ", "only some of them are better than "
# A one-sided test of the other way round could have shown nothing else.
NOT_SHOWN = "is not shown to be better than "
CLAUSES = {
    Finding.SUPERIOR: "is better than ",
    Finding.EQUIVALENT: "is equivalent to ",
    None: "was not tested against ",
}
FIGURES = {CLAUSES[Finding.SUPERIOR]: "by ", OPEN: "difference "}


def main_measure(evaluation: Evaluation) -> Measure | None:
    """Return the declared measure, else accuracy or RMSE, else the first that was asked for."""
    primary = evaluation.spec.comparison.primary
    main = find_measure(primary or MAIN_MEASURE[evaluation.kind])
    directed = [
        measure
        for measure in evaluation.main_measures
        if measure.orientation is not Orientation.NEITHER
    ]
    # Of whom only scores per fold are known, no more measures are known than were given.
    known = [measure for measure in directed if standing_scores(evaluation, measure)]
    shown = known or directed
    return main if main in shown or primary or not shown else shown[0]


def comparison_findings(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Yield what is known of the differences: first in the main measure, then in the others."""
    measure = main_measure(evaluation)
    if measure is None:
        return
    values = standing_values(evaluation, measure) if evaluation.measured else {}
    if len(values) == 1:
        ((name, score),) = values.items()
        yield (
            f"The {inside_a_sentence(measure)} of ",
            Strong(name),
            " is ",
            *spoken_with_interval(measure, score),
            ".",
        )
    elif len(values) == TWO:
        yield from _of_two(evaluation, measure, values)
    elif values:
        yield from of_many(evaluation, measure, values, inside_a_sentence(measure))
    yield from _without_value(evaluation, measure, values)
    yield from other_findings(evaluation, measure)


def _without_value(
    evaluation: Evaluation, measure: Measure, values: dict[str, Score]
) -> Iterator[tuple[Part, ...]]:
    without = [name for name in evaluation.measured if name not in values]
    if values and without:
        yield (
            *some_names(without),
            f" {'has' if len(without) == 1 else 'have'} no {inside_a_sentence(measure)} and",
            f" {'was' if len(without) == 1 else 'were'} not compared in it.",
        )


def _of_two(
    evaluation: Evaluation, measure: Measure, values: dict[str, Score]
) -> Iterator[tuple[Part, ...]]:
    first, second = values
    tested = evaluation.evidence.about(first, second, None, measure.name)
    what = inside_a_sentence(measure)
    ahead, behind = spoken_values(measure, values[first], values[second])
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
            yield (*both, f" have the same {what}, ", *spoken_values(measure, values[first]), ".")
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
    found = spoken_difference(measure, tested.difference, tested.low, tested.high)
    parts: list[Part] = ["difference ", *found] if found else []
    if tested.verdict is Finding.UNDECIDED and adjusted_too(tested):
        parts += adjusted_too(tested)
    elif tested.p_adjusted is not None:
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
        " If that is the true difference, ",
        *(("about ", needed) if isinstance(needed, Count) else (needed,)),
        " cases would show it with a chance of ",
        Plain(80, unit="%"),
        ".",
    )


def of_many(
    evaluation: Evaluation, measure: Measure, values: dict[str, Score], what: str
) -> Iterator[tuple[Part, ...]]:
    """Name the best, or those that share the best value, and say whom they are better than."""
    best = sharing_the_first_place(values, measure)
    others = [name for name in values if name not in best]
    if not others:
        same = spoken_values(measure, values[best[0]])
        yield (*some_names(best), f" have the same {what}, ", *same, ".")
        return
    superlative = "highest" if measure.orientation is Orientation.HIGHER else "lowest"
    clauses: list[Part] = []
    said = list(_clauses(evaluation, measure, best, others))
    for number, (verb, *names) in enumerate(said):
        joint = ", and " if number == len(said) - 1 and number else ", "
        subject = "it " if len(best) == 1 else "each " if not number else ""
        clauses += [joint if number else ": ", subject if verb != ONLY_SOME else "", verb, *names]
    yield (
        *some_names(best),
        f" {'has' if len(best) == 1 else 'share'} the {superlative} {what}, ",
        *spoken_with_interval(measure, values[best[0]]),
        *clauses,
        ".",
    )
    if len(best) == 1 and len(others) == TWO:
        yield from _of_the_others(evaluation, measure, *others)


def _of_the_others(
    evaluation: Evaluation, measure: Measure, first: str, second: str
) -> Iterator[tuple[Part, ...]]:
    """Say of three classifiers how the second and the third stand to each other."""
    tested = evaluation.evidence.about(first, second, None, measure.name)
    if tested is None or tested.p is None or is_one_sided(evaluation, tested):
        return
    what = inside_a_sentence(measure)
    figures = _in_figures(tested, measure)
    match tested.verdict:
        case Finding.SUPERIOR | Finding.INFERIOR:
            one, other = (first, second) if tested.verdict is Finding.SUPERIOR else (second, first)
            yield (Strong(one), " is better than ", Strong(other), f" in {what}", *figures, ".")
        case Finding.UNDECIDED:
            both = (Strong(first), " and ", Strong(second))
            said = f" cannot be told apart in {what}"
            yield (*both, said, *figures, ".", *_planning(tested))
        case _:
            return


def _clauses(
    evaluation: Evaluation, measure: Measure, best: Sequence[str], others: Sequence[str]
) -> Iterator[tuple[Part, ...]]:
    """Yield what the best are shown to be; what is not so of each of them is open."""
    found = {
        other: [evaluation.evidence.about(name, other, None, measure.name) for name in best]
        for other in others
    }
    kinds: dict[str, list[str]] = {verb: [] for verb in (*CLAUSES.values(), OPEN, ONLY_SOME)}
    for other, each in found.items():
        verdicts = {None if test is None or test.p is None else test.verdict for test in each}
        alike = CLAUSES.get(next(iter(verdicts)), OPEN) if len(verdicts) == 1 else None
        differing = ONLY_SOME if Finding.SUPERIOR in verdicts else OPEN
        kinds[alike or differing].append(other)
    unknown = len(standing_scores(evaluation, measure)) > len(best) + len(others)
    everybody = "all others that have a value" if unknown else "all others"
    tests = [test for each in found.values() for test in each if test is not None]
    one_sided = any(is_one_sided(evaluation, test) for test in tests)
    for verb, names in kinds.items():
        said = NOT_SHOWN if verb == OPEN and one_sided else verb
        every = verb == CLAUSES[Finding.SUPERIOR] and len(names) == len(others) > 1
        if names and len(best) == 1 and len(names) <= MOST_WITH_FIGURES and verb in FIGURES:
            known = [test for name in names for test in found[name] if test is not None]
            yield (said, *_with_figures(measure, known, FIGURES[verb]))
        elif names:
            yield (said, *((everybody,) if every else some_names(names)))
    margin = margin_of(evaluation, measure.name)
    safe = [
        other for other in kinds[OPEN] if all(test and test.non_inferior for test in found[other])
    ]
    if safe and margin is not None:
        not_worse = ("is not worse than ", *some_names(safe))
        yield (*not_worse, " by more than the margin of ", Plain(margin))


def _with_figures(measure: Measure, tests: Sequence[Difference], by: str) -> Iterator[Part]:
    """Name the others, each with the difference to the best and its interval."""
    for number, test in enumerate(tests):
        # By how much the best is ahead, whichever way is better.
        shown = test.turned if (test.difference or 0.0) < 0 else test
        figures = spoken_lead(measure, shown.difference, shown.low, shown.high)
        yield " and " if number else ""
        yield Strong(test.second)
        unclear = adjusted_too(test) if test.verdict is Finding.UNDECIDED else ()
        yield from (" (", by, *figures, *unclear, ")") if figures else ()
