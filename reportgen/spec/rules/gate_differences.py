"""Gates that forbid to be worse name differences that can be tested, and a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.errors.spec_faults import GATE_UNTESTABLE, MEASURE_MISFIT, NEEDS_OTHER_KEY
from reportgen.spec.findings import Aim, Finding, quoted
from reportgen.spec.gates import LITERAL
from reportgen.spec.rules.comparison import is_tested
from reportgen.spec.texts import label_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.measures import Measure
    from reportgen.spec.draft import Draft, Table
    from reportgen.spec.findings import KeyPath

AS_A_WHOLE = "ask for a value of the classifier as a whole, or for `at_least`"


def of_measure(draft: Draft, gate: Table) -> Measure | None:
    """Return the measure of a gate, if there is such a one and it fits the task."""
    from reportgen.measures import find_measure

    name = gate.get("measure")
    measure = find_measure(name) if isinstance(name, str) else None
    fits = draft.probable_kind is None or (measure and measure.fits(draft.probable_kind))
    return measure if fits else None


def interval_findings(
    draft: Draft, path: KeyPath, gate: Table, measure: Measure
) -> Iterator[Finding]:
    """Yield why there is no interval whose end could clear anything."""
    from reportgen.measures.interval import NoInterval

    # Scores per fold have an interval of their mean, whatever they measure.
    if not isinstance(measure.interval, NoInterval) or _folds(draft, gate, "classifier"):
        return
    if gate.get("bound") in {"low", "high"} and any(key in gate for key in LITERAL):
        message = f"{quoted(gate.get('measure'))} has no interval"
        yield Finding(MEASURE_MISFIT, message, (*path, "bound"), "take `bound` out", Aim.KEY)


def difference_findings(
    draft: Draft, path: KeyPath, gate: Table, measure: Measure
) -> Iterator[Finding]:
    """Yield why it cannot be tested whether somebody is worse."""
    from reportgen.measures import Orientation

    key = next((key for key in ("not_worse_than", "not_worse_than_last") if key in gate), None)
    if key is None:
        return
    if measure.orientation is Orientation.NEITHER:
        message = f"{quoted(gate.get('measure'))} is neither better high nor low"
        help_line = "nobody can be worse in it: use `at_least` or `at_most`"
        yield Finding(MEASURE_MISFIT, message, (*path, "measure"), help_line)
        return
    if key == "not_worse_than_last":
        yield from _since_last(draft, path, gate)
    else:
        yield from _between_classifiers(draft, path, gate, measure)
    yield from _margin(draft, path, gate, measure, key)


def _margin(
    draft: Draft, path: KeyPath, gate: Table, measure: Measure, key: str
) -> Iterator[Finding]:
    margins = draft.table("comparison").get("margin")
    known = {*(margins if isinstance(margins, dict) else ())}
    if "margin" in gate or known & {measure.name, *measure.aliases}:
        return
    yield Finding(
        NEEDS_OTHER_KEY,
        f"`{key}` needs a `margin`: how much worse is still no worse",
        (*path, key),
        "for example `margin = 0.01`; without one nothing could ever be shown",
        absent=((*path, "margin"), ("comparison", "margin")),
    )


def _since_last(draft: Draft, path: KeyPath, gate: Table) -> Iterator[Finding]:
    if _folds(draft, gate, "classifier"):
        message = "of a mean over folds the history keeps no interval to test it by"
        help_line = "give predictions or counts instead of `fold_scores`, or use `at_least`"
        yield Finding(GATE_UNTESTABLE, message, (*path, "not_worse_than_last"), help_line, Aim.KEY)


def _between_classifiers(
    draft: Draft, path: KeyPath, gate: Table, measure: Measure
) -> Iterator[Finding]:
    one, other = _folds(draft, gate, "classifier"), _folds(draft, gate, "not_worse_than")
    label = label_text(gate.get("class"))
    if "average" in gate:
        message = "there is no test of a difference of averages over classes"
        yield Finding(GATE_UNTESTABLE, message, (*path, "average"), AS_A_WHOLE, Aim.KEY)
    elif draft.task_kind == "binary" and label not in {None, draft.positive}:
        message = "in a binary task differences are tested in the positive class"
        yield Finding(GATE_UNTESTABLE, message, (*path, "class"), "take `class` out", Aim.KEY)
    elif one is not None and other is not None:
        yield from _between_folds(path, one, other, measure)
    elif one is not None or other is not None:
        known_by = _source(draft, gate.get("classifier" if one is None else "not_worse_than"))
        if known_by == "confusion":
            message = "between scores per fold and counts no difference can be tested"
            help_line = "give predictions of both, or scores per fold of both"
            yield Finding(GATE_UNTESTABLE, message, (*path, "not_worse_than"), help_line)
    elif not is_tested(measure):
        message = f"there is no test of a difference in {quoted(gate.get('measure'))}"
        yield Finding(MEASURE_MISFIT, message, (*path, "measure"), "use `at_least` or `at_most`")


def _between_folds(path: KeyPath, one: Table, other: Table, measure: Measure) -> Iterator[Finding]:
    mine, theirs = _scores_of(one, measure), _scores_of(other, measure)
    if theirs is None:
        message = f"of this classifier no scores per fold of `{measure.name}` are known"
        yield Finding(GATE_UNTESTABLE, message, (*path, "not_worse_than"))
    elif mine is not None and len(mine) != len(theirs):
        message = f"they have {len(mine)} and {len(theirs)} scores per fold, so not the same folds"
        yield Finding(GATE_UNTESTABLE, message, (*path, "not_worse_than"))


def _scores_of(folds: Table, measure: Measure) -> list[object] | None:
    names = {measure.name, *measure.aliases}
    return next(
        (each for name, each in folds.items() if name in names and isinstance(each, list)), None
    )


def _folds(draft: Draft, gate: Table, key: str) -> Table | None:
    return draft.fold_scores(gate.get(key))


def _source(draft: Draft, classifier: object) -> str | None:
    tables = (table for _, table in draft.tables("classifiers") if table.get("name") == classifier)
    found = next(tables, {})
    return "confusion" if "confusion" in found else None
