"""What the classifiers were asked to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from reportgen.errors import did_you_mean
from reportgen.errors.spec import MISSING_KEY, NOT_APPLICABLE_TO_TASK, OUT_OF_RANGE, UNKNOWN_CLASS
from reportgen.spec.datasets import is_positive_class_optional
from reportgen.spec.fields import LabelText, ListOf, SpecModel, TaskKind, format_label
from reportgen.spec.issues import Highlight, RawSpec, ValidationIssue, quote_value


class Task(SpecModel):
    """What the classifiers were asked to do."""

    kind: TaskKind = Field(examples=["binary"])
    """The kind of task: two classes, several classes, or a number."""

    positive: LabelText | None = Field(default=None, examples=["success"])
    """The positive class; needed for a binary task, where it is never guessed."""

    classes: Annotated[ListOf[LabelText], Field(min_length=2)] | None = Field(
        default=None, examples=[["success", "failure"]]
    )
    """All classes in the order the report shows them; needed with `confusion`."""


# The task's own keys fit each other.

BINARY_CLASS_COUNT = 2


def validate_task(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield what is wrong with positive and classes, given the kind of task."""
    task, kind = raw.table("task"), raw.task_kind
    path = ("task", "positive")
    if kind == "binary" and "positive" not in task and not is_positive_class_optional(raw):
        yield ValidationIssue(
            MISSING_KEY,
            "`positive` is missing in [task]: which class is the positive one is never guessed",
            path,
            _suggest_positive(raw),
            Highlight.TABLE,
            missing_keys=(path,),
        )
    if kind not in {"binary", None} and "positive" in task:
        message = f"`positive` does not fit a {kind} task"
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK, message, path, "take `positive` out", Highlight.KEY
        )
    if kind == "binary" and raw.classes is not None and len(raw.classes) > BINARY_CLASS_COUNT:
        yield ValidationIssue(
            OUT_OF_RANGE,
            f"`classes` has {len(raw.classes)} items, but a binary task has two classes",
            ("task", "classes"),
            'for more classes write kind = "multiclass"',
        )
    if kind == "regression" and "classes" in task:
        message = "`classes` does not fit a regression task"
        yield ValidationIssue(
            NOT_APPLICABLE_TO_TASK,
            message,
            ("task", "classes"),
            "take `classes` out",
            Highlight.KEY,
        )
    if kind == "binary":
        yield from _validate_positive_in_classes(raw)


def _suggest_positive(raw: RawSpec) -> str:
    example = raw.classes[0] if raw.classes else "success"
    return f'for example `positive = "{quote_value(example)[1:-1]}"`'


def _validate_positive_in_classes(raw: RawSpec) -> Iterator[ValidationIssue]:
    positive = format_label(raw.table("task").get("positive"))
    if positive is not None and raw.classes is not None and positive not in raw.classes:
        yield unknown_class_issue(raw.classes, positive, ("task", "positive"))


def unknown_class_issue(
    classes: tuple[str, ...], label: str, path: tuple[str | int, ...]
) -> ValidationIssue:
    """Return the finding for a class that is not among the classes."""
    return ValidationIssue(
        UNKNOWN_CLASS,
        f"{quote_value(label)} is not among the classes",
        path,
        did_you_mean(label, classes)
        or f"`classes` in [task] has {', '.join(map(quote_value, classes[:10]))}",
    )
