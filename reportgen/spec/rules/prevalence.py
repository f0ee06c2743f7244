"""Another prevalence is asked for where there is one: in a task of two classes."""

from collections.abc import Iterator

from reportgen.errors.spec_faults import REPEATED, TASK_MISFIT
from reportgen.spec.draft import Draft
from reportgen.spec.findings import Aim, Finding, quoted

ONE_AGAINST_THE_REST = 'for one class against the rest, write a spec of kind = "binary"'


def prevalence_findings(draft: Draft) -> Iterator[Finding]:
    """Yield why targets of prevalence cannot be used."""
    if "prevalence" not in draft.document:
        return
    if draft.task_kind not in {"binary", None}:
        message = f"[prevalence] does not fit a {draft.task_kind} task: it needs a positive class"
        way_out = ONE_AGAINST_THE_REST if draft.task_kind == "multiclass" else "take it out"
        yield Finding(TASK_MISFIT, message, ("prevalence",), way_out, Aim.KEY)
    targets = draft.table("prevalence").get("targets")
    numbers = targets if isinstance(targets, list) else []
    seen: set[float] = set()
    for index, target in enumerate(numbers):
        if not isinstance(target, float):
            continue
        if target in seen:
            message = f"the target {quoted(float(target))} is listed twice"
            path = ("prevalence", "targets", index)
            yield Finding(REPEATED, message, path, "keep one of the two")
        seen.add(target)


def has_no_matrix(draft: Draft, classifier: object) -> bool:
    """Tell whether only scores are known of a classifier, not how it answered."""
    return any(
        table.get("name") == classifier and not {"fold_scores", "dataset_scores"}.isdisjoint(table)
        for _, table in draft.tables("classifiers")
    )
