"""What the tests show, in plain sentences that claim no more than that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.measures import Measure, Orientation, find_measure, get_measure, representative_of
from reportgen.report.formatting import (
    equivalence_margin,
    inline_absolute_difference,
    inline_difference,
    inline_required_cases,
    inline_value_with_interval,
    inline_values,
)
from reportgen.report.inline import Count, MathSymbol, PlainNumber, PValue, Strong
from reportgen.report.phrases import (
    ABILITY_PHRASES,
    ability_phrase,
    is_one_sided_test,
    join_names,
    join_names_abbreviated,
    measure_phrase,
)
from reportgen.report.ranks import (
    classifier_values,
    is_significantly_better,
    tied_for_first,
    values_best_first,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.report.inline import Inline


# What classifiers are shown to do better than others, beyond the main measure.

_LIKELIHOOD_RATIOS = ("lr_positive", "lr_negative")
_PAIR_SIZE, _MAX_PAIRWISE_CLASSIFIERS = 2, 3
_MAX_ABILITIES, _MAX_UNDECIDED, _MAX_LEADERS = 3, 2, 3


@dataclass(frozen=True, slots=True)
class SuperiorityFinding:
    """That one classifier is shown to be better than others in a measure."""

    measure: Measure
    winner: str
    losers: tuple[str, ...]


def secondary_findings(evaluation: Evaluation, primary: Measure) -> Iterator[tuple[Inline, ...]]:
    """Yield what each does better than which others, then what is open; among many, who leads."""
    names = evaluation.measured_classifiers
    measures = list(_distinct_measures(evaluation, primary))
    if len(names) <= 1 or not measures:
        return
    if len(names) > _MAX_PAIRWISE_CLASSIFIERS:
        yield from _leaders_findings(evaluation, measures)
        return
    claims = [claim for measure in measures for claim in _superiority_findings(evaluation, measure)]
    if not claims:
        yield tuple(_no_difference_finding(names, measures))
        return
    for winner in names:
        groups: dict[tuple[str, ...], list[Measure]] = {}
        for claim in claims:
            if claim.winner == winner:
                groups.setdefault(claim.losers, []).append(claim.measure)
        if groups:
            yield tuple(_superiority_sentence(evaluation, winner, groups))
    if len(names) == _PAIR_SIZE:
        yield from _undecided_finding(evaluation, measures)


def _distinct_measures(evaluation: Evaluation, primary: Measure) -> Iterator[Measure]:
    """Yield the tested measures that ask something new, those that have plain words first."""
    asked = {representative_of(primary)}
    # Below 1 likelihood ratios are swapped before they are compared: too much for a sentence.
    swapped = any(relation.swapped for relation in evaluation.likelihood_relations)
    worded = [get_measure(name) for name in ABILITY_PHRASES]
    for measure in dict.fromkeys([*worded, *evaluation.overall_measures]):
        question = representative_of(measure)
        if question in asked or (swapped and measure.name in _LIKELIHOOD_RATIOS):
            continue
        if any(row.p is not None for row in _primary_tests(evaluation, measure)):
            asked.add(question)
            yield measure


def _primary_tests(evaluation: Evaluation, measure: Measure) -> Iterator[Comparison]:
    for row in evaluation.comparisons:
        if row.primary_test and row.key[2:] == (None, None, measure.name) and row.data != "folds":
            yield row


def _superiority_findings(evaluation: Evaluation, measure: Measure) -> Iterator[SuperiorityFinding]:
    for winner in evaluation.measured_classifiers:
        losers = tuple(
            other
            for other in evaluation.measured_classifiers
            if other != winner and is_significantly_better(evaluation, measure, winner, [other])
        )
        if losers:
            yield SuperiorityFinding(measure, winner, losers)


def _superiority_sentence(
    evaluation: Evaluation, winner: str, groups: dict[tuple[str, ...], list[Measure]]
) -> Iterator[Inline]:
    """Say what one does better: first than all others, then than one of them."""
    ordered = sorted(groups.items(), key=lambda group: -len(group[0]))
    yield Strong(winner)
    for number, (losers, measures) in enumerate(ordered):
        yield "; it " if number else " "
        said = measures[: 1 if number else _MAX_ABILITIES]
        for place, measure in enumerate(said):
            yield "" if not place else " and " if place == len(said) - 1 else ", "
            words = ability_phrase(measure)
            yield words.comparative
            if not place:
                yield " than "
                yield from join_names(losers)
            yield words.suffix
            yield from _compared_values(evaluation, measure, winner, losers)
    yield "."


def _compared_values(
    evaluation: Evaluation, measure: Measure, winner: str, losers: Sequence[str]
) -> Iterator[Inline]:
    """Give the values of the winner and of the best of the losers."""
    values = values_best_first(evaluation, measure)
    behind_it = [name for name in values if name in losers]
    if winner not in values or not behind_it:
        return
    ahead, behind = inline_values(measure, values[winner], values[behind_it[0]])
    yield " ("
    yield from _symbol_prefix(measure)
    yield ahead
    yield " against "
    yield behind
    yield ")" if len(losers) == 1 else " at best)"


def _symbol_prefix(measure: Measure, separator: str = " ") -> tuple[Inline, ...]:
    """Name a measure briefly before its value, unless that has just been done."""
    if measure.name not in ABILITY_PHRASES:
        return ()
    return (MathSymbol(measure.symbol), separator)


def adjusted_p_note(row: Comparison) -> tuple[Inline, ...]:
    """Say why a difference is open although its own interval leaves 0 out."""
    if row.low is None or row.high is None or row.low <= 0 <= row.high:
        return ()
    return ("; adjusted ", PValue(row.p_adjusted, with_symbol=True))


def _undecided_finding(
    evaluation: Evaluation, measures: Sequence[Measure]
) -> Iterator[tuple[Inline, ...]]:
    """Say of two classifiers in what they cannot be told apart, in plain words."""
    first, second = evaluation.measured_classifiers
    rows = [
        (measure, row)
        for measure in measures
        if (row := evaluation.comparison_index.find(first, second, None, measure.name)) is not None
        and row.p is not None
        and row.verdict is Decision.UNDECIDED
    ]
    if not rows:
        return
    parts: list[Inline] = []
    said, more = rows[:_MAX_UNDECIDED], len(rows) - _MAX_UNDECIDED
    for place, (measure, row) in enumerate(said):
        figures = inline_difference(measure, row.difference, row.low, row.high)
        joint = " or " if place == len(said) - 1 and more <= 0 else ", "
        parts += [joint if place else "", ability_phrase(measure).gerund]
        parts += [" (", *_symbol_prefix(measure, ": "), "difference ", *figures] if figures else []
        parts += [*adjusted_p_note(row), ")"] if figures else []
    if more > 0:
        parts.append(f" or {more} further measure{'s' if more > 1 else ''}")
    yield (Strong(first), " and ", Strong(second), " cannot be told apart in ", *parts, ".")


def _no_difference_finding(names: Sequence[str], measures: Sequence[Measure]) -> Iterator[Inline]:
    if len(measures) == 1:
        yield f"In {measure_phrase(measures[0])} "
    else:
        yield f"In none of the {len(measures)} other measures compared "
    one = len(measures) == 1
    if len(names) == _PAIR_SIZE:
        yield "" if one else "are "
        yield from join_names(names)
        yield " are not shown to differ either." if one else " shown to differ."
    else:
        yield "no two of them are shown to differ either." if one else "do any two of them differ"
        yield "" if one else " by more than may be chance."


def _leaders_findings(
    evaluation: Evaluation, measures: Sequence[Measure]
) -> Iterator[tuple[Inline, ...]]:
    """Say of those with the best values among many than how many others they are shown better."""
    led: dict[str, list[SuperiorityFinding]] = {}
    for measure in measures:
        for claim in _superiority_findings(evaluation, measure):
            if measure.name in ABILITY_PHRASES and _is_sole_leader(evaluation, claim):
                led.setdefault(claim.winner, []).append(claim)
    others = len(evaluation.measured_classifiers) - 1
    for winner, claims in sorted(led.items(), key=lambda item: -len(item[1]))[:_MAX_LEADERS]:
        parts: list[Inline] = [Strong(winner), " "]
        said = claims[:_MAX_ABILITIES]
        for place, claim in enumerate(said):
            score = evaluation.value(winner, claim.measure)
            if score is None:
                continue
            words = ability_phrase(claim.measure)
            than = _losers_phrase(len(claim.losers), others, abbreviated=place > 0)
            joint = " and " if place == len(said) - 1 else ", "
            parts += [
                joint if place else "",
                words.comparative,
                f" than {than}",
                words.suffix,
                " (",
            ]
            parts += [*_symbol_prefix(claim.measure), *inline_values(claim.measure, score), ")"]
        yield (*parts, ".")


def _losers_phrase(n_losers: int, n_others: int, *, abbreviated: bool) -> str:
    """Say than how many of the others one is better, the second time without naming them."""
    whom = "of them" if abbreviated else "others"
    if n_losers == n_others:
        return f"all {whom if abbreviated else f'{n_others} {whom}'}"
    return f"{n_losers} {whom if abbreviated else f'of the {n_others} {whom}'}"


def _is_sole_leader(evaluation: Evaluation, finding: SuperiorityFinding) -> bool:
    """Tell whether nobody has as good a value as the one who is said to lead."""
    scores = classifier_values(evaluation, finding.measure)
    return tied_for_first(scores, finding.measure) == [finding.winner]


DEFAULT_PRIMARY_MEASURE = {"binary": "accuracy", "multiclass": "accuracy", "regression": "rmse"}
_TWO_CLASSIFIERS = 2
_MAX_WITH_FIGURES = 2
_UNDECIDED_CLAUSE, _MIXED_CLAUSE = (
    "cannot be told apart from ",
    "only some of them are better than ",
)
# A one-sided test of the other way round could have shown nothing else.
_NOT_SUPERIOR_CLAUSE = "is not shown to be better than "
_DECISION_CLAUSES = {
    Decision.SUPERIOR: "is better than ",
    Decision.EQUIVALENT: "is equivalent to ",
    None: "was not tested against ",
}
_FIGURE_PREFIXES = {_DECISION_CLAUSES[Decision.SUPERIOR]: "by ", _UNDECIDED_CLAUSE: "difference "}


def primary_measure(evaluation: Evaluation) -> Measure | None:
    """Return the declared measure, else accuracy or RMSE, else the first that was asked for."""
    primary = evaluation.spec.comparison.primary
    main = find_measure(primary or DEFAULT_PRIMARY_MEASURE[evaluation.task_kind])
    directed = [
        measure
        for measure in evaluation.overall_measures
        if measure.orientation is not Orientation.NEITHER
    ]
    # Of whom only scores per fold are known, no more measures are known than were given.
    known = [measure for measure in directed if classifier_values(evaluation, measure)]
    shown = known or directed
    return main if main in shown or primary or not shown else shown[0]


def comparison_findings(evaluation: Evaluation) -> Iterator[tuple[Inline, ...]]:
    """Yield what is known of the differences: first in the main measure, then in the others."""
    measure = primary_measure(evaluation)
    if measure is None:
        return
    values = values_best_first(evaluation, measure) if evaluation.measured_classifiers else {}
    if len(values) == 1:
        ((name, score),) = values.items()
        yield (
            f"The {measure_phrase(measure)} of ",
            Strong(name),
            " is ",
            *inline_value_with_interval(measure, score),
            ".",
        )
    elif len(values) == _TWO_CLASSIFIERS:
        yield from _two_classifier_finding(evaluation, measure, values)
    elif values:
        yield from leader_findings(evaluation, measure, values, measure_phrase(measure))
    yield from _undefined_value_finding(evaluation, measure, values)
    yield from secondary_findings(evaluation, measure)


def _undefined_value_finding(
    evaluation: Evaluation, measure: Measure, values: dict[str, MeasureValue]
) -> Iterator[tuple[Inline, ...]]:
    without = [name for name in evaluation.measured_classifiers if name not in values]
    if values and without:
        yield (
            *join_names_abbreviated(without),
            f" {'has' if len(without) == 1 else 'have'} no {measure_phrase(measure)} and",
            f" {'was' if len(without) == 1 else 'were'} not compared in it.",
        )


def _two_classifier_finding(
    evaluation: Evaluation, measure: Measure, values: dict[str, MeasureValue]
) -> Iterator[tuple[Inline, ...]]:
    first, second = values
    tested = evaluation.comparison_index.find(first, second, None, measure.name)
    what = measure_phrase(measure)
    ahead, behind = inline_values(measure, values[first], values[second])
    against: tuple[Inline, ...] = (ahead, " against ", behind)
    both = (Strong(first), " and ", Strong(second))
    if tested is None or tested.p is None:
        yield (*both, f" were not tested against each other in {what}: ", *against, ".")
        return
    match tested.verdict:
        case Decision.SUPERIOR | Decision.INFERIOR:
            yield (
                Strong(first),
                " is better than ",
                Strong(second),
                f" in {what}: ",
                *against,
                *_difference_in_parentheses(tested, measure),
                ".",
            )
        case Decision.EQUIVALENT:
            yield (
                *both,
                f" are equivalent in {what}: ",
                *against,
                ", and the margin of ",
                PlainNumber(equivalence_margin(evaluation, measure.name) or 0.0),
                " is not reached",
                *_difference_in_parentheses(tested, measure),
                ".",
            )
        case Decision.TIED:
            yield (*both, f" have the same {what}, ", *inline_values(measure, values[first]), ".")
        case Decision.UNDECIDED:
            yield (
                *both,
                f" cannot be told apart in {what}: ",
                *against,
                *_difference_in_parentheses(tested, measure),
                ".",
                *_non_inferiority_sentence(evaluation, tested, measure),
                *_sample_size_sentence(tested),
            )


def _difference_in_parentheses(comparison: Comparison, measure: Measure) -> tuple[Inline, ...]:
    """Give the difference, its interval and its p-value in brackets."""
    found = inline_difference(measure, comparison.difference, comparison.low, comparison.high)
    parts: list[Inline] = ["difference ", *found] if found else []
    if comparison.verdict is Decision.UNDECIDED and adjusted_p_note(comparison):
        parts += adjusted_p_note(comparison)
    elif comparison.p_adjusted is not None:
        parts += ["; " if parts else "", PValue(comparison.p_adjusted, with_symbol=True)]
    return (" (", *parts, ")") if parts else ()


def _non_inferiority_sentence(
    evaluation: Evaluation, comparison: Comparison, measure: Measure
) -> Iterator[Inline]:
    """Say who is shown to be not worse by more than the margin, where nothing more is shown."""
    margin = equivalence_margin(evaluation, measure.name)
    for name, other, shown in (
        (comparison.first, comparison.second, comparison.non_inferior),
        (comparison.second, comparison.first, comparison.reverse_non_inferior),
    ):
        if shown and margin is not None:
            yield " "
            yield Strong(name)
            yield " is not worse than "
            yield Strong(other)
            yield " by more than the margin of "
            yield PlainNumber(margin)
            yield "."


def _sample_size_sentence(comparison: Comparison) -> tuple[Inline, ...]:
    if comparison.required_cases is None:
        return ()
    needed = inline_required_cases(comparison.required_cases)
    return (
        " If that is the true difference, ",
        *(("about ", needed) if isinstance(needed, Count) else (needed,)),
        " cases would show it with a chance of ",
        PlainNumber(80, unit="%"),
        ".",
    )


def leader_findings(
    evaluation: Evaluation, measure: Measure, values: dict[str, MeasureValue], quantity: str
) -> Iterator[tuple[Inline, ...]]:
    """Name the best, or those that share the best value, and say whom they are better than."""
    best = tied_for_first(values, measure)
    others = [name for name in values if name not in best]
    if not others:
        same = inline_values(measure, values[best[0]])
        yield (*join_names_abbreviated(best), f" have the same {quantity}, ", *same, ".")
        return
    superlative = "highest" if measure.orientation is Orientation.HIGHER else "lowest"
    clauses: list[Inline] = []
    said = list(_leader_clauses(evaluation, measure, best, others))
    for number, (verb, *names) in enumerate(said):
        joint = ", and " if number == len(said) - 1 and number else ", "
        subject = "it " if len(best) == 1 else "each " if not number else ""
        clauses += [
            joint if number else ": ",
            subject if verb != _MIXED_CLAUSE else "",
            verb,
            *names,
        ]
    yield (
        *join_names_abbreviated(best),
        f" {'has' if len(best) == 1 else 'share'} the {superlative} {quantity}, ",
        *inline_value_with_interval(measure, values[best[0]]),
        *clauses,
        ".",
    )
    if len(best) == 1 and len(others) == _TWO_CLASSIFIERS:
        yield from _runner_up_finding(evaluation, measure, *others)


def _runner_up_finding(
    evaluation: Evaluation, measure: Measure, first: str, second: str
) -> Iterator[tuple[Inline, ...]]:
    """Say of three classifiers how the second and the third stand to each other."""
    tested = evaluation.comparison_index.find(first, second, None, measure.name)
    if tested is None or tested.p is None or is_one_sided_test(evaluation, tested):
        return
    what = measure_phrase(measure)
    figures = _difference_in_parentheses(tested, measure)
    match tested.verdict:
        case Decision.SUPERIOR | Decision.INFERIOR:
            one, other = (first, second) if tested.verdict is Decision.SUPERIOR else (second, first)
            yield (Strong(one), " is better than ", Strong(other), f" in {what}", *figures, ".")
        case Decision.UNDECIDED:
            both = (Strong(first), " and ", Strong(second))
            said = f" cannot be told apart in {what}"
            yield (*both, said, *figures, ".", *_sample_size_sentence(tested))
        case _:
            return


def _leader_clauses(
    evaluation: Evaluation, measure: Measure, best: Sequence[str], others: Sequence[str]
) -> Iterator[tuple[Inline, ...]]:
    """Yield what the best are shown to be; what is not so of each of them is open."""
    found = {
        other: [evaluation.comparison_index.find(name, other, None, measure.name) for name in best]
        for other in others
    }
    kinds: dict[str, list[str]] = {
        verb: [] for verb in (*_DECISION_CLAUSES.values(), _UNDECIDED_CLAUSE, _MIXED_CLAUSE)
    }
    for other, each in found.items():
        verdicts = {None if test is None or test.p is None else test.verdict for test in each}
        alike = (
            _DECISION_CLAUSES.get(next(iter(verdicts)), _UNDECIDED_CLAUSE)
            if len(verdicts) == 1
            else None
        )
        differing = _MIXED_CLAUSE if Decision.SUPERIOR in verdicts else _UNDECIDED_CLAUSE
        kinds[alike or differing].append(other)
    unknown = len(classifier_values(evaluation, measure)) > len(best) + len(others)
    everybody = "all others that have a value" if unknown else "all others"
    tests = [test for each in found.values() for test in each if test is not None]
    one_sided = any(is_one_sided_test(evaluation, test) for test in tests)
    for verb, names in kinds.items():
        said = _NOT_SUPERIOR_CLAUSE if verb == _UNDECIDED_CLAUSE and one_sided else verb
        every = verb == _DECISION_CLAUSES[Decision.SUPERIOR] and len(names) == len(others) > 1
        if (
            names
            and len(best) == 1
            and len(names) <= _MAX_WITH_FIGURES
            and verb in _FIGURE_PREFIXES
        ):
            known = [test for name in names for test in found[name] if test is not None]
            yield (said, *_names_with_differences(measure, known, _FIGURE_PREFIXES[verb]))
        elif names:
            yield (said, *((everybody,) if every else join_names_abbreviated(names)))
    margin = equivalence_margin(evaluation, measure.name)
    safe = [
        other
        for other in kinds[_UNDECIDED_CLAUSE]
        if all(test and test.non_inferior for test in found[other])
    ]
    if safe and margin is not None:
        not_worse = ("is not worse than ", *join_names_abbreviated(safe))
        yield (*not_worse, " by more than the margin of ", PlainNumber(margin))


def _names_with_differences(
    measure: Measure, tests: Sequence[Comparison], prefix: str
) -> Iterator[Inline]:
    """Name the others, each with the difference to the best and its interval."""
    for number, test in enumerate(tests):
        # By how much the best is ahead, whichever way is better.
        shown = test.reversed if (test.difference or 0.0) < 0 else test
        figures = inline_absolute_difference(measure, shown.difference, shown.low, shown.high)
        yield " and " if number else ""
        yield Strong(test.second)
        unclear = adjusted_p_note(test) if test.verdict is Decision.UNDECIDED else ()
        yield from (" (", prefix, *figures, *unclear, ")") if figures else ()
