"""What changed since the last run, said in short and only as far as tests show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.parts import Count, Strong
from reportgen.report.words.over_time import last_run, rates_in_words
from reportgen.report.words.wording import some_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.over_time.changes import Changes
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

MOST_TOLD = 3


def over_time_findings(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Say for the summary that something changed beyond chance, if it did."""
    changes = evaluation.changes
    clauses = [] if changes is None else list(_clauses(changes))
    if changes is None or not clauses:
        return
    parts: list[Part] = [f"Since the run of {last_run(changes)} "]
    for number, clause in enumerate(clauses):
        parts += ["; " if number else "", *clause]
    yield (*parts, ".")


def _clauses(changes: Changes) -> Iterator[tuple[Part, ...]]:
    shown = [mix for mix in changes.mixes if mix.is_shown]
    if shown:
        names = [name for mix in shown for name in mix.classifiers]
        yield ("the mix of classes changed", *(_of_whom(changes, names)))
    changed = [reason for reason in changes.reasons if reason.shown_rates]
    for reason in changed[:MOST_TOLD]:
        yield Strong(reason.classifier), " ", *rates_in_words(reason, figures=False)
    rest = len(changed) - MOST_TOLD
    if rest > 0:
        how = "more or less often"
        others = " other classifier recognises" if rest == 1 else " other classifiers recognise"
        yield Count(rest), f"{others} some class {how}"


def _of_whom(changes: Changes, names: Sequence[str]) -> Iterator[Part]:
    """Name those who are measured on other cases than the rest."""
    if len(changes.mixes) > 1:
        yield " for "
        yield from some_names(names)
