"""The task's own keys fit each other."""

from collections.abc import Iterator

from reportgen.errors import did_you_mean
from reportgen.errors.spec_faults import MISSING_KEY, OUT_OF_RANGE, TASK_MISFIT, UNKNOWN_CLASS
from reportgen.spec.draft import Draft
from reportgen.spec.findings import Aim, Finding, quoted
from reportgen.spec.rules.datasets import named_per_dataset
from reportgen.spec.texts import label_text

TWO = 2


def task_findings(draft: Draft) -> Iterator[Finding]:
    """Yield what is wrong with positive and classes, given the kind of task."""
    task, kind = draft.table("task"), draft.task_kind
    path = ("task", "positive")
    if kind == "binary" and "positive" not in task and not named_per_dataset(draft):
        yield Finding(
            MISSING_KEY,
            "`positive` is missing in [task]: which class is the positive one is never guessed",
            path,
            _positive_help(draft),
            Aim.TABLE,
            absent=(path,),
        )
    if kind not in {"binary", None} and "positive" in task:
        message = f"`positive` does not fit a {kind} task"
        yield Finding(TASK_MISFIT, message, path, "take `positive` out", Aim.KEY)
    if kind == "binary" and draft.classes is not None and len(draft.classes) > TWO:
        yield Finding(
            OUT_OF_RANGE,
            f"`classes` has {len(draft.classes)} items, but a binary task has two classes",
            ("task", "classes"),
            'for more classes write kind = "multiclass"',
        )
    if kind == "regression" and "classes" in task:
        message = "`classes` does not fit a regression task"
        yield Finding(TASK_MISFIT, message, ("task", "classes"), "take `classes` out", Aim.KEY)
    if kind == "binary":
        yield from _positive_among_classes(draft)


def _positive_help(draft: Draft) -> str:
    example = draft.classes[0] if draft.classes else "success"
    return f'for example `positive = "{quoted(example)[1:-1]}"`'


def _positive_among_classes(draft: Draft) -> Iterator[Finding]:
    positive = label_text(draft.table("task").get("positive"))
    if positive is not None and draft.classes is not None and positive not in draft.classes:
        yield unknown_class(draft.classes, positive, ("task", "positive"))


def unknown_class(classes: tuple[str, ...], written: str, path: tuple[str | int, ...]) -> Finding:
    """Return the finding for a class that is not among the classes."""
    return Finding(
        UNKNOWN_CLASS,
        f"{quoted(written)} is not among the classes",
        path,
        did_you_mean(written, classes)
        or f"`classes` in [task] has {', '.join(map(quoted, classes[:10]))}",
    )
