"""Label normalization: one spelling of each label, and the classes of a task."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, closest_match, did_you_mean
from reportgen.errors.data import (
    NEGATIVE_CLASS_UNKNOWN,
    POSITIVE_CLASS_ABSENT,
    TOO_MANY_LABELS,
    UNKNOWN_LABEL,
)
from reportgen.predictions.columns import encode_labels
from reportgen.predictions.diagnostics import LabelLocations
from reportgen.predictions.files import natural_sort_key
from reportgen.predictions.scores import apply_thresholds, read_probabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.spec import Spec, SpecFile, Task


_INTEGER = re.compile(r"([+-]?\d+)(\.0+)?")
_DECIMAL = re.compile(r"[+-]?\d+(\.\d+)?")
_MAX_LABELS = 1000
_MAX_LABELS_SHOWN = 10
_BINARY_CLASSES = 2


def canonicalize_labels(
    raw_labels: Iterable[str], known_labels: Iterable[str] = ()
) -> dict[str, str]:
    """Return the canonical spelling by label: 1.0 is 1 and True is true if all labels are such."""
    labels, classes = set(raw_labels), set(known_labels)
    if labels <= classes:
        return {label: label for label in labels}
    spellings = {label: _canonical_spelling(label) for label in labels}
    # Another label, such as 1.1, shows that 1.0 is a name and not a number.
    if None in spellings.values():
        return {label: label for label in labels}
    # A spelling of the spec, such as "True" or "1.0", takes precedence.
    by_spec = {_canonical_spelling(class_): class_ for class_ in classes}
    return {label: by_spec.get(new, new or label) for label, new in spellings.items()}


def _canonical_spelling(label: str) -> str | None:
    """Return the canonical spelling of an integer or a boolean, and None for other labels."""
    if _INTEGER.fullmatch(label):
        return label.partition(".")[0]
    return label.casefold() if label.casefold() in {"true", "false"} else None


def declared_labels(task: Task) -> tuple[str, ...]:
    """Return the labels of the spec: its classes and the positive class."""
    classes = () if task.classes is None else task.classes
    positive = () if task.positive is None else (task.positive,)
    return tuple(dict.fromkeys((*classes, *positive)))


def resolve_classes(
    task: Task,
    labels_by_classifier: Mapping[str, Counter[str]],
    locations: LabelLocations,
) -> tuple[str, ...]:
    """Return the classes in order, from the spec or from the labels of all classifiers."""
    labels: Counter[str] = sum(labels_by_classifier.values(), Counter())
    if task.classes is not None:
        _check_unknown_labels(task.classes, labels_by_classifier, locations)
        classes = tuple(task.classes)
    else:
        classes = _order_classes(task, labels)
    if task.kind == "binary":
        _check_binary_classes(task, classes, labels, locations)
    elif len(classes) > _MAX_LABELS:
        message = f"there are {len(classes)} different labels, such as {_format_labels(labels)}"
        help_text = "check the column; numeric values need a regression task"
        raise DataError(Diagnostic(TOO_MANY_LABELS, message, help=help_text))
    return classes


def _order_classes(task: Task, labels: Counter[str]) -> tuple[str, ...]:
    ordered = sorted(labels, key=_label_sort_key(labels))
    if task.positive is None or task.positive not in labels:
        return tuple(ordered)
    return (task.positive, *(label for label in ordered if label != task.positive))


def _label_sort_key(labels: Iterable[str]) -> Callable[[str], tuple[object, ...]]:
    """Return the sort key of labels: numeric if all are numbers, otherwise natural order."""
    numbers = all(_DECIMAL.fullmatch(label) for label in labels)
    return (lambda label: (float(label), label)) if numbers else natural_sort_key


def _check_unknown_labels(
    classes: tuple[str, ...],
    labels_by_classifier: Mapping[str, Counter[str]],
    locations: LabelLocations,
) -> None:
    diagnostics = [
        Diagnostic(
            UNKNOWN_LABEL,
            f"`{classifier}` has the label {label!r}, which is not in `classes`",
            locations.locate_label(label, classifier),
            did_you_mean(label, classes) or f"the classes are {_format_labels(classes)}",
        )
        for classifier, labels in labels_by_classifier.items()
        for label in sorted(set(labels) - set(classes), key=natural_sort_key)[:_MAX_LABELS_SHOWN]
    ]
    if diagnostics:
        raise DataError(*diagnostics)


def _check_binary_classes(
    task: Task, classes: tuple[str, ...], labels: Counter[str], locations: LabelLocations
) -> None:
    if task.positive is not None and labels and task.positive not in labels:
        message = f"the positive class {task.positive!r} does not occur in the data"
        suggestion = closest_match(task.positive, labels)
        occurring = f"found {_format_labels(labels)}"
        help_text = (
            occurring if suggestion is None else f"{occurring}; did you mean `{suggestion}`?"
        )
        raise DataError(
            Diagnostic(POSITIVE_CLASS_ABSENT, message, locations.locate_positive_class(), help_text)
        )
    if len(classes) > _BINARY_CLASSES:
        by_frequency = sorted(
            labels.items(), key=lambda item: (-item[1], natural_sort_key(item[0]))
        )
        listing = ", ".join(
            f"{name!r} ({count})" for name, count in by_frequency[:_MAX_LABELS_SHOWN]
        )
        message = f"a binary task has two labels, but {len(classes)} occur: {listing}"
        message += "".join(
            f"; {spelling}" for spelling in _describe_spellings(locations.labels_by_file())
        )
        help_text = "correct the spelling, or make it a multiclass task"
        location = locations.locate_label(by_frequency[-1][0])
        raise DataError(Diagnostic(TOO_MANY_LABELS, message, location, help_text))
    if len(classes) < _BINARY_CLASSES:
        message = f"only the label {_format_labels(classes)} occurs"
        help_text = f'list both classes in `classes`: ["{task.positive}", "…"]'
        raise DataError(
            Diagnostic(
                NEGATIVE_CLASS_UNKNOWN, message, locations.locate_positive_class(), help_text
            )
        )


def _describe_spellings(labels_by_file: Mapping[str, frozenset[str]]) -> list[str]:
    """Return the labels of each file, if every file by itself has two."""
    pairs = dict.fromkeys(labels_by_file.values())
    if len(pairs) == 1 or any(len(pair) > _BINARY_CLASSES for pair in pairs):
        return []
    return [
        f"{', '.join(files)}: {_format_labels(pair)}"
        for pair in pairs
        for files in ([name for name, labels in labels_by_file.items() if labels == pair],)
    ]


def _format_labels(labels: Iterable[str]) -> str:
    ordered = sorted(labels, key=natural_sort_key)
    n_more = len(ordered) - _MAX_LABELS_SHOWN
    listing = ", ".join(repr(label) for label in ordered[:_MAX_LABELS_SHOWN])
    return listing + (f" and {n_more} more" if n_more > 0 else "")


_LABEL_COLUMNS = ("truth", "prediction", "file_prediction")


def normalize_labels(
    spec_file: SpecFile, cases: Sequence[Cases]
) -> tuple[tuple[Cases, ...], tuple[str, ...]]:
    """Canonicalize labels, derive predictions from scores, and resolve the classes.

    Returns:
        The cases with encoded labels and class probabilities, and the classes.
    """
    spec = spec_file.spec
    if not cases:
        return (), tuple(spec.task.classes or ())
    cases = _canonicalize_cases(spec, cases)
    locations = LabelLocations(spec_file, cases)
    cases = apply_thresholds(spec.task, cases, locations)
    labels = {item.classifier: item.labels for item in cases}
    classes = resolve_classes(spec.task, labels, LabelLocations(spec_file, cases))
    cases = encode_labels(cases, classes)
    return read_probabilities(spec.task, cases, classes), classes


def _canonicalize_cases(spec: Spec, cases: Sequence[Cases]) -> tuple[Cases, ...]:
    labels: set[str] = set().union(*(item.labels for item in cases))
    spellings = canonicalize_labels(labels, declared_labels(spec.task))
    changed = {old: new for old, new in spellings.items() if old != new}
    if not changed:
        return tuple(cases)
    canonical = pl.col(_LABEL_COLUMNS).cast(pl.String).replace(changed).cast(pl.Categorical)
    return tuple(replace(item, frame=item.frame.with_columns(canonical)) for item in cases)
