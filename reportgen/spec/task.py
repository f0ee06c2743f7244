"""The table [task]: the kind of task, its classes and the positive class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from reportgen.errors.spec import (
    DUPLICATE_VALUE,
    INVALID_FORMAT,
    MISSING_KEY,
    NOT_APPLICABLE_TO_TASK,
    OUT_OF_RANGE,
    UNKNOWN_CLASS,
)
from reportgen.spec.datasets import is_positive_class_optional
from reportgen.spec.fields import (
    MULTICLASS_KINDS,
    LabelText,
    ListOf,
    SpecModel,
    TaskKind,
    with_article,
)
from reportgen.spec.issues import (
    Highlight,
    KeyPath,
    ValidationIssue,
    format_example,
    key_issue,
    quote_value,
    suggest_one_of,
)

if TYPE_CHECKING:
    from reportgen.spec.spec import Spec

BINARY_CLASS_COUNT = 2
# Between the labels of a set.
LABEL_SEPARATOR = "|"


class Task(SpecModel):
    """The prediction task of the classifiers."""

    kind: TaskKind = Field(examples=["binary"])
    """The kind of task: two classes, several, several in an order, sets of labels, or a number."""

    positive: LabelText | None = Field(default=None, examples=["success"])
    """The positive class; required for a binary task, never guessed."""

    classes: Annotated[ListOf[LabelText], Field(min_length=2)] | None = Field(
        default=None, examples=[["success", "failure"]]
    )
    """All classes in the order of the report; required with `confusion`.

    An ordinal task needs them, from the lowest to the highest.
    """

    abstain: Annotated[ListOf[LabelText], Field(min_length=1)] | None = Field(
        default=None, examples=[["unclear"]]
    )
    """Predictions that are no class: the classifier gives no answer for the case.

    They are treated as `missing` of [data] says; "drop" by default.
    """

    @property
    def is_multiclass(self) -> bool:
        """Whether measures have a value per class, and some a value over all classes."""
        return self.kind in MULTICLASS_KINDS


def validate_task(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield issues of `positive` and `classes`, which depend on the kind of task."""
    task, path = spec.task, ("task", "positive")
    if task.kind == "binary" and task.positive is None and not is_positive_class_optional(spec):
        example = task.classes[0] if task.classes else "success"
        yield key_issue(
            MISSING_KEY,
            path,
            "is missing: a binary task needs its positive class, which is never guessed",
            f"for example `positive = {format_example(example)}`",
            Highlight.TABLE,
            depends_on=(path, ("task", "kind")),
        )
    if task.kind != "binary" and task.positive is not None:
        yield _inapplicable_to_task(path, task.kind)
    if task.kind == "binary" and len(task.classes or ()) > BINARY_CLASS_COUNT:
        yield key_issue(
            OUT_OF_RANGE,
            ("task", "classes"),
            f"has {len(task.classes or ())} classes, but a binary task has two",
            'for more than two classes the kind of task is "multiclass"',
        )
    if task.kind == "ordinal" and task.classes is None:
        yield key_issue(
            MISSING_KEY,
            ("task", "classes"),
            "is missing: an ordinal task needs its classes in order, which is never guessed",
            'from the lowest to the highest, such as `classes = ["mild", "moderate", "severe"]`',
            Highlight.TABLE,
            depends_on=(("task", "classes"), ("task", "kind")),
        )
    if task.kind == "multilabel":
        yield from _validate_multilabel(spec)
    if task.kind == "regression" and task.classes is not None:
        yield _inapplicable_to_task(("task", "classes"), task.kind)
    if task.kind == "binary" and task.positive is not None:
        yield from validate_known_class(task.classes, task.positive, path)
    if task.kind == "regression" and task.abstain is not None:
        yield _inapplicable_to_task(("task", "abstain"), task.kind)
    for index, label in enumerate(task.abstain or ()):
        if label in {*(task.classes or ()), task.positive}:
            message = f"{quote_value(label)} is a class, so it cannot be an abstention"
            help_text = "remove it from `classes` or from `abstain`"
            yield ValidationIssue(DUPLICATE_VALUE, message, ("task", "abstain", index), help_text)


def _validate_multilabel(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield sources of classifiers that sets of labels are not supported with."""
    for index, classifier in enumerate(spec.classifiers):
        for key in ("confusion", "fold_scores"):
            if getattr(classifier, key) is not None:
                yield key_issue(
                    NOT_APPLICABLE_TO_TASK,
                    ("classifiers", index, key),
                    "is not supported with a multilabel task",
                    f"give `predictions`, or make each label a binary task and give its `{key}`",
                    Highlight.KEY,
                )
    for index, label in enumerate(spec.task.classes or ()):
        if LABEL_SEPARATOR in label:
            message = f"{quote_value(label)} has a {LABEL_SEPARATOR}, which separates labels"
            location = ("task", "classes", index)
            yield ValidationIssue(INVALID_FORMAT, message, location, "rename the label")


def _inapplicable_to_task(path: KeyPath, kind: TaskKind) -> ValidationIssue:
    message = f"does not apply to {with_article(kind)} task"
    return key_issue(NOT_APPLICABLE_TO_TASK, path, message, f"remove `{path[-1]}`", Highlight.KEY)


def validate_known_class(
    classes: tuple[str, ...] | None, label: str | None, path: KeyPath
) -> Iterator[ValidationIssue]:
    """Yield an issue if a class is not among the classes, where these are listed."""
    if label is not None and classes is not None and label not in classes:
        message = f"{quote_value(label)} is not one of the classes"
        yield ValidationIssue(UNKNOWN_CLASS, message, path, suggest_one_of(label, classes))


def classes_of_label(label: str) -> tuple[str, str]:
    """Return the classes of a label of a multilabel task: a case has it, or not."""
    return label, f"not {label}"


def spec_of_label(spec: Spec, label: str) -> Spec:
    """Return the spec of the binary task of one label."""
    task = Task(kind="binary", positive=label, classes=classes_of_label(label))
    return spec.model_copy(update={"task": task, "segments": ()})
