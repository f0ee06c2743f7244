"""Published values fit what they are values of."""

from collections.abc import Iterator

from reportgen.errors.spec_faults import (
    MEASURE_MISFIT,
    NEEDS_OTHER_KEY,
    PUBLISHED_VALUE,
    TASK_MISFIT,
)
from reportgen.measures import CAPABILITIES, find_measure
from reportgen.measures.rates import follows_from_rates
from reportgen.spec.draft import Draft, Table
from reportgen.spec.findings import Aim, Finding, KeyPath, quoted, words
from reportgen.spec.rules.measures import measure_finding
from reportgen.spec.rules.prevalence import has_no_matrix
from reportgen.spec.rules.task import unknown_class
from reportgen.spec.texts import label_text


def published_findings(draft: Draft) -> Iterator[Finding]:
    """Yield what is wrong with measures, values and classes of published numbers."""
    for path, published in draft.tables("published"):
        name = published.get("measure")
        if isinstance(name, str) and name in CAPABILITIES:
            yield from _capability(draft, path, published, name)
        elif isinstance(name, str) and name.strip():
            yield from _measure(draft, path, published, name)
        yield from _class_or_folds(draft, path, published)
        if "prevalence" in published:
            yield from _at_prevalence(draft, path, published)
        label = label_text(published.get("class"))
        if label is not None and draft.classes is not None and label not in draft.classes:
            yield unknown_class(draft.classes, label, (*path, "class"))


def _class_or_folds(draft: Draft, path: KeyPath, published: Table) -> Iterator[Finding]:
    """Yield why there is nothing the published value could be set against."""
    name, label = published.get("measure"), label_text(published.get("class"))
    measure = find_measure(name) if isinstance(name, str) else None
    is_capability = isinstance(name, str) and name in CAPABILITIES
    has_whole = measure is None or measure.whole is not None
    folds = draft.fold_scores(published.get("classifier"))
    if folds is not None and label is not None:
        message = "scores per fold are known for the classifier as a whole, not for a class"
        yield Finding(NEEDS_OTHER_KEY, message, (*path, "class"), "take `class` out", Aim.KEY)
    elif folds is not None and (is_capability or measure is not None):
        known = {find_measure(key) for key in folds}
        if is_capability or measure not in known:
            message = (
                f"of this classifier only the scores per fold of {words(tuple(folds))} are known"
            )
            yield Finding(MEASURE_MISFIT, message, (*path, "measure"))
    elif is_capability and draft.task_kind == "binary" and label not in {None, draft.positive}:
        message = "in a binary task capabilities are those of the positive class"
        yield Finding(NEEDS_OTHER_KEY, message, (*path, "class"), "take `class` out", Aim.KEY)
    elif draft.task_kind == "multiclass" and label is None and (is_capability or not has_whole):
        message = f"{quoted(name)} has a value per class: name the `class`"
        yield Finding(NEEDS_OTHER_KEY, message, (*path, "measure"))


def _at_prevalence(draft: Draft, path: KeyPath, published: Table) -> Iterator[Finding]:
    """Yield why there is no such value at another prevalence."""
    name, key = published.get("measure"), (*path, "prevalence")
    measure = find_measure(name) if isinstance(name, str) else None
    take_out = "take `prevalence` out"
    if draft.task_kind not in {"binary", None}:
        message = f"`prevalence` does not fit a {draft.task_kind} task: it needs a positive class"
        yield Finding(TASK_MISFIT, message, key, take_out, Aim.KEY)
    elif has_no_matrix(draft, published.get("classifier")):
        message = "scores alone do not tell what the classifier does at another prevalence"
        yield Finding(NEEDS_OTHER_KEY, message, key, take_out, Aim.KEY)
    elif isinstance(name, str) and name in CAPABILITIES:
        message = "a capability is a word for the data as they are"
        yield Finding(NEEDS_OTHER_KEY, message, key, take_out, Aim.KEY)
    elif measure is not None and measure.fits("binary") and not follows_from_rates(measure):
        message = f"{quoted(name)} does not follow from sensitivity, specificity and prevalence"
        yield Finding(MEASURE_MISFIT, message, (*path, "measure"), take_out)
    elif published.get("class") is not None:
        message = "`prevalence` is that of the positive class, so the value is of no other class"
        yield Finding(NEEDS_OTHER_KEY, message, (*path, "class"), "take `class` out", Aim.KEY)


def _capability(draft: Draft, path: KeyPath, published: Table, name: str) -> Iterator[Finding]:
    value = published.get("value")
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield Finding(
            PUBLISHED_VALUE,
            f"the value of the capability {quoted(name)} must be a word, not a number",
            (*path, "value"),
            'for example `value = "superior"`',
        )
    elif "unit" in published:
        message = "`unit` needs a number, and a capability has a word"
        yield Finding(NEEDS_OTHER_KEY, message, (*path, "unit"), "take `unit` out", Aim.KEY)
    if draft.task_kind == "regression":
        message = f"the capability {quoted(name)} does not fit a regression task"
        yield Finding(MEASURE_MISFIT, message, (*path, "measure"))


def _measure(draft: Draft, path: KeyPath, published: Table, name: str) -> Iterator[Finding]:
    found = list(
        measure_finding(draft, name, (*path, "measure"), groups=dict.fromkeys(CAPABILITIES, ()))
    )
    yield from found
    if not found and isinstance(published.get("value"), str):
        yield Finding(
            PUBLISHED_VALUE,
            f"the value of the measure {quoted(name)} must be a number, not a word",
            (*path, "value"),
            'for example `value = 77.4` with `unit = "%"`',
        )
