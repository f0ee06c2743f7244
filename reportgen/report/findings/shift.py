"""What becomes of the classifiers where positives are rarer or commoner, said in short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import get_measure
from reportgen.report.formatting import inline_value_with_interval, inline_values
from reportgen.report.inline import Count, Interval, PlainNumber, Strong
from reportgen.report.phrases import (
    join_names,
    join_names_abbreviated,
    last_run_label,
    measure_phrase,
    recall_change_phrase,
)
from reportgen.report.ranks import tied_for_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.drift import DriftAnalysis
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.prevalence import PrevalenceCrossover
    from reportgen.report.inline import Inline


CROSSOVER_CLAUSES = {"accuracy": "is more accurate", "kappa": "has the higher kappa"}
_MAX_CROSSOVERS = 3
# An interval as wide as this says nothing of where two classifiers change places.
_UNINFORMATIVE_WIDTH = 0.95


def prevalence_findings(evaluation: Evaluation) -> tuple[tuple[Inline, ...], ...]:
    """Say for the summary what precision becomes at the targets, and whose order turns."""
    here = evaluation.observed_prevalences if evaluation.prevalence_values else ()
    if len(here) != 1:
        return ()
    targets = target_prevalences(evaluation)
    # Rarer positives are where precision is lost, so they are told first.
    rarest = min(targets)
    told = rarest if rarest < here[0] else max(targets)
    turning = [
        crossing
        for crossing in evaluation.prevalence_crossovers
        if crossing.measure == "accuracy"
        and crossing.prevalence is not None
        and is_crossover_identifiable(crossing)
        and any((crossing.prevalence - here[0]) * (crossing.prevalence - q) < 0 for q in targets)
    ]
    return (
        *_precision_at_target(evaluation, told),
        *(
            (*crossover_sentence(crossing), " In the data it is ", PlainNumber(here[0], 3), ".")
            for crossing in turning[:_MAX_CROSSOVERS]
        ),
    )


def target_prevalences(evaluation: Evaluation) -> tuple[float, ...]:
    """Return the prevalences where the classifiers will be used."""
    return tuple(dict.fromkeys(row.target for row in evaluation.prevalence_values))


def is_crossover_identifiable(crossover: PrevalenceCrossover) -> bool:
    """Tell whether the interval of a crossing leaves out any prevalence worth speaking of."""
    return (
        crossover.low is None
        or crossover.high is None
        or crossover.high - crossover.low < _UNINFORMATIVE_WIDTH
    )


def crossover_sentence(crossover: PrevalenceCrossover) -> Iterator[Inline]:
    """Say who is better below and above the prevalence where two change places."""
    if not is_crossover_identifiable(crossover):
        yield f"Where {measure_phrase(get_measure(crossover.measure))} ranks "
        yield from join_names((crossover.first, crossover.second))
        yield " the other way round cannot be located: by the values found it is a prevalence of "
        yield PlainNumber(crossover.prevalence or 0.0, 3)
        yield ", but it may as well be any other."
        return
    yield "By the values found, below a prevalence of "
    yield PlainNumber(crossover.prevalence or 0.0, 3)
    if crossover.low is not None:
        yield " ("
        yield Interval(crossover.low, crossover.high)
        yield ")"
    yield " "
    yield Strong(crossover.below or "")
    yield f" {CROSSOVER_CLAUSES[crossover.measure]}, above it "
    yield Strong(crossover.above or "")
    yield "."


def _precision_at_target(evaluation: Evaluation, target: float) -> Iterator[tuple[Inline, ...]]:
    """Say how precise the best would be, all of the best if several are equal."""
    measure = get_measure("precision")
    found = {
        row.classifier: row.values["precision"]
        for row in evaluation.prevalence_values
        if row.target == target and row.values["precision"].number is not None
    }
    if not found:
        return
    best = tied_for_first(found, measure)
    there, here = found[best[0]], evaluation.value(best[0], measure)
    alike = all((found[name].low, found[name].high) == (there.low, there.high) for name in best)
    figures = (inline_value_with_interval if alike else inline_values)(measure, there)
    whose: tuple[Inline, ...] = (
        " the precision of ",
        *join_names_abbreviated(best),
        " would be ",
        *figures,
    )
    if len(best) < len(found):
        whose = (
            " the highest precision would be ",
            *figures,
            ", that of ",
            *join_names_abbreviated(best),
        )
    today = () if here is None or here.number is None else inline_values(measure, here)
    yield (
        "At a prevalence of ",
        PlainNumber(target),
        *whose,
        *((", instead of ", *today, " in the data.") if today else (".",)),
    )


# What changed since the last run, said in short and only as far as tests show it.

_MAX_CLASSIFIERS = 3


def drift_findings(evaluation: Evaluation) -> Iterator[tuple[Inline, ...]]:
    """Say for the summary that something changed beyond chance, if it did."""
    changes = evaluation.drift
    clauses = [] if changes is None else list(_drift_clauses(changes))
    if changes is None or not clauses:
        return
    parts: list[Inline] = [f"Since the run of {last_run_label(changes)} "]
    for number, clause in enumerate(clauses):
        parts += ["; " if number else "", *clause]
    yield (*parts, ".")


def _drift_clauses(changes: DriftAnalysis) -> Iterator[tuple[Inline, ...]]:
    shown = [mix for mix in changes.label_shift_tests if mix.is_significant]
    if shown:
        names = [name for mix in shown for name in mix.classifiers]
        yield ("the mix of classes changed", *(_affected_classifiers(changes, names)))
    changed = [reason for reason in changes.attributions if reason.significant_recall_changes]
    for reason in changed[:_MAX_CLASSIFIERS]:
        yield Strong(reason.classifier), " ", *recall_change_phrase(reason, with_values=False)
    rest = len(changed) - _MAX_CLASSIFIERS
    if rest > 0:
        how = "more or less often"
        others = " other classifier recognises" if rest == 1 else " other classifiers recognise"
        yield Count(rest), f"{others} some class {how}"


def _affected_classifiers(changes: DriftAnalysis, names: Sequence[str]) -> Iterator[Inline]:
    """Name those who are measured on other cases than the rest."""
    if len(changes.label_shift_tests) > 1:
        yield " for "
        yield from join_names_abbreviated(names)
