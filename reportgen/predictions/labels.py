"""Label normalization: one spelling of each label, and the classes of a task."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, closest_match, did_you_mean
from reportgen.errors.data import (
    LABEL_SPELLINGS,
    LABELS_DISJOINT,
    NEGATIVE_CLASS_UNKNOWN,
    NESTED_LABEL,
    POSITIVE_CLASS_ABSENT,
    TOO_MANY_LABELS,
    UNKNOWN_LABEL,
)
from reportgen.predictions.columns import encode_labels
from reportgen.predictions.diagnostics import LabelLocations
from reportgen.predictions.files import natural_sort_key
from reportgen.predictions.label_sets import resolve_label_sets
from reportgen.predictions.profiling import normalize_name
from reportgen.predictions.scores import apply_thresholds, read_probabilities
from reportgen.predictions.table import InMemoryFrame
from reportgen.predictions.unanswered import extended_classes
from reportgen.spec import TASK_KINDS
from reportgen.spec.toml import format_toml_pair

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.spec import Spec, SpecFile, Task


_INTEGER = re.compile(r"([+-]?\d+)(\.0+)?")
_DECIMAL = re.compile(r"[+-]?\d+(\.\d+)?")
_MAX_LABELS = 1000
_MAX_LABELS_SHOWN = 10
_BINARY_CLASSES = 2
_MAX_LABEL_LENGTH = 60
POSITIVE_LABELS = (
    *("1", "true", "yes", "positive", "pos", "malignant", "success", "y", "t", "case", "spam"),
    *("fraud", "churn", "churned", "disease", "diseased", "sick", "ill", "toxic", "attack"),
    *("anomaly", "defect", "ja", "oui", "positiv", "krank", "malade", "enfermo"),
)


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
        help_text = _advise_extra_labels(locations)
        pairs = [pair for pair in dict.fromkeys(locations.labels_by_file().values()) if pair]
        if len(pairs) == _BINARY_CLASSES and pairs[0].isdisjoint(pairs[1]):
            help_text = suggest_map(pairs[0], pairs[1], task.positive)
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
    if spec.task.kind == "multilabel":
        labels_in_order, sets = resolve_label_sets(spec.task, cases)
        return read_probabilities(spec.task, encode_labels(cases, sets), labels_in_order), sets
    _check_nested_labels(spec, cases, LabelLocations(spec_file, cases))
    cases = _canonicalize_cases(spec, cases)
    locations = LabelLocations(spec_file, cases)
    _check_spellings(spec, cases, locations)
    cases = apply_thresholds(spec.task, cases, locations)
    labels = {item.classifier: item.labels for item in cases}
    locations = LabelLocations(spec_file, cases)
    _check_common_labels(spec, cases, locations)
    classes = extended_classes(spec, resolve_classes(spec.task, labels, locations))
    cases = encode_labels(cases, classes)
    return read_probabilities(spec.task, cases, classes), classes


def _canonicalize_cases(spec: Spec, cases: Sequence[Cases]) -> tuple[Cases, ...]:
    cases = [_map_labels(item) for item in cases]
    labels: set[str] = set().union(*(item.labels for item in cases))
    spellings = canonicalize_labels(labels, declared_labels(spec.task))
    return tuple(_replace_labels(item, spellings) for item in cases)


def _map_labels(cases: Cases) -> Cases:
    """Replace labels by `map` of [data]; 1.0 is replaced as 1 is, and True as true."""
    classes = cases.data.map
    if classes is None:
        return cases
    return _replace_labels(
        cases,
        {
            label: classes.get(label, classes.get(_canonical_spelling(label) or "", label))
            for label in cases.labels
        },
    )


def _replace_labels(cases: Cases, new_labels: Mapping[str, str]) -> Cases:
    replacements = {old: new for old, new in new_labels.items() if old != new}
    if not replacements:
        return cases
    new_columns = pl.col(_LABEL_COLUMNS).cast(pl.String).replace(replacements).cast(pl.Categorical)
    return replace(cases, frame=cases.frame.with_columns(new_columns))


def _check_nested_labels(spec: Spec, cases: Sequence[Cases], locations: LabelLocations) -> None:
    """Raise if labels are lists or objects, as nested data write them."""
    declared = declared_labels(spec.task)
    for item in cases:
        for label in item.labels:
            if label in declared or label[:1] not in {"[", "{"}:
                continue
            column = _column_of_label(item, label)
            if (fields := _parse_object(label)) is not None:
                paths = ", ".join(f"`{column}.{key}`" for key in fields) or "one of its fields"
                kind, help_text = "an object", f"name the field: {paths}"
            elif _is_list(label):
                kind, help_text = "a list", _MULTILABEL_HELP
            else:
                continue
            message = f"column `{column}` holds {kind}, {_shorten(label)}, and no label"
            location = locations.locate_label(label, item.classifier)
            raise DataError(Diagnostic(NESTED_LABEL, message, location, help_text))


_MULTILABEL_HELP = (
    "several labels per case are a multilabel task"
    + (': set `kind = "multilabel"` in [task]' if "multilabel" in TASK_KINDS else "")
    + "; for a single one write the label itself, without brackets"
)


def _column_of_label(cases: Cases, label: str) -> str:
    in_truth = cases.frame.select((pl.col("truth").cast(pl.String) == label).any()).item()
    return cases.data.truth if in_truth else cases.data.prediction


def _parse_object(label: str) -> tuple[str, ...] | None:
    """Return the keys of a JSON object, None if the label is none."""
    try:
        value = json.loads(label)
    except ValueError:
        return None
    return tuple(value)[:_MAX_LABELS_SHOWN] if isinstance(value, dict) else None


def _is_list(label: str) -> bool:
    """Return whether a label is a list as JSON or Python writes it."""
    return (
        re.fullmatch(r"""\[\s*+(?:("[^"]*+"|'[^']*+'|[\w.+-]++)\s*+,?\s*+)*+\]""", label)
        is not None
    )


def _shorten(label: str) -> str:
    return label if len(label) <= _MAX_LABEL_LENGTH else f"{label[:_MAX_LABEL_LENGTH]}…"


def fold_spelling(label: str) -> str:
    """Return a label in lower case with single blanks, by which spellings are compared."""
    return " ".join(label.split()).casefold()


def _check_spellings(spec: Spec, cases: Sequence[Cases], locations: LabelLocations) -> None:
    """Raise if labels differ only in case or blanks, unless the spec lists them as classes."""
    counts: Counter[str] = sum((item.labels for item in cases), Counter())
    declared = declared_labels(spec.task)
    groups: dict[str, list[str]] = {}
    for label in counts:
        groups.setdefault(fold_spelling(label), []).append(label)
    diagnostics = []
    for labels in groups.values():
        if len(labels) == 1 or set(labels) <= set(declared):
            continue
        spelling = max(labels, key=lambda label: (label in declared, counts[label], label))
        others = sorted(label for label in labels if label != spelling)
        pairs = ", ".join(f"{quote_toml(label)} = {quote_toml(spelling)}" for label in others)
        spellings = " and ".join(f"{label!r} ({counts[label]})" for label in [spelling, *others])
        diagnostics.append(
            Diagnostic(
                LABEL_SPELLINGS,
                f"labels differ only in case or blanks: {spellings}",
                locations.locate_label(others[0]),
                f"write `map = {{ {pairs} }}` under `[data]`, or list both in `classes`",
            )
        )
    if diagnostics:
        raise DataError(*diagnostics)


def _advise_extra_labels(locations: LabelLocations) -> str:
    """Return the help text for more than two labels; those that are never true may be no answer."""
    truths, predictions = (
        {
            label
            for item in locations.cases
            for label in item.frame[role].drop_nulls().unique().cast(pl.String)
        }
        for role in ("truth", "prediction")
    )
    if any(isinstance(file, InMemoryFrame) for item in locations.cases for file in item.files):
        return "correct the spelling, or make it a multiclass task"
    extra = sorted(predictions - truths, key=natural_sort_key)
    if len(truths) != _BINARY_CLASSES or not 0 < len(extra) <= _MAX_LABELS_SHOWN:
        return 'correct the spelling, or write `kind = "multiclass"` under `[task]`'
    return (
        f"correct the spelling; if {_format_labels(extra)} is no answer, write"
        f" `{format_toml_pair('abstain', extra)}` under `[task]`; if it is a class,"
        ' `kind = "multiclass"`'
    )


def _advise_numbers(cases: Cases, predictions: Collection[str]) -> str | None:
    """Return the help text for predictions that are fractions, and therefore scores."""
    numbers = [float(label) for label in predictions if _FRACTION.fullmatch(label)]
    if len(numbers) < len(predictions) or all(number.is_integer() for number in numbers):
        return None
    score = format_toml_pair("score", cases.data.prediction)
    return (
        f"these are scores and no labels: write `{score}` and `threshold = 0.5` instead of"
        " `prediction`"
    )


_FRACTION = re.compile(r"(\d++(\.\d++)?|\.\d++)([eE][+-]?\d+)?")


def _check_common_labels(spec: Spec, cases: Sequence[Cases], locations: LabelLocations) -> None:
    """Raise if no prediction of a classifier is a label of its truth, in three labels or more."""
    for item in cases:
        truths, predictions = (
            set(item.frame[role].drop_nulls().unique().cast(pl.String))
            for role in ("truth", "prediction")
        )
        labels = truths | predictions
        if truths & predictions or len(labels) <= _BINARY_CLASSES or not (truths and predictions):
            continue
        if labels <= set(declared_labels(spec.task)):
            continue
        message = (
            f"`{item.classifier}`: the truth and the predictions have no label in common: the truth"
            f" has {_format_labels(truths)}, the predictions have {_format_labels(predictions)}"
        )
        location = locations.locate_label(next(iter(predictions)), item.classifier)
        raise DataError(
            Diagnostic(
                LABELS_DISJOINT,
                message,
                location,
                _advise_numbers(item, predictions)
                or suggest_map(truths, predictions, spec.task.positive),
            )
        )


def suggest_map(labels: Iterable[str], other_labels: Iterable[str], positive: str | None) -> str:
    """Return the help text that brings two sets of labels together, numbers to names."""
    first, second = (
        sorted(label_set, key=_label_sort_key(label_set))
        for label_set in (set(labels), set(other_labels))
    )
    numbers = all(_DECIMAL.fullmatch(label) for label in second)
    if positive in first or (numbers and positive not in second):
        first, second = second, first
    if len(first) != len(second) or len(first) > _MAX_LABELS_SHOWN:
        return 'write `map = { "label" = "class", … }` under `[data]`'
    pairs = ", ".join(
        f"{quote_toml(old)} = {quote_toml(new)}" for old, new in _pair_labels(first, second)
    )
    return (
        f"if these are the same classes, and in this order, write `map = {{ {pairs} }}` under"
        " `[data]`"
    )


def _pair_labels(first: list[str], second: list[str]) -> list[tuple[str, str]]:
    """Pair labels in their order, but a label that means yes with one that means yes."""
    if len(first) == _BINARY_CLASSES and all(map(find_positive_label, (first, second))):
        first, second = (
            sorted(label_set, key=find_positive_label(label_set).__eq__)
            for label_set in (first, second)
        )
    return list(zip(first, second, strict=True))


def find_positive_label(labels: Iterable[str]) -> str | None:
    """Return the label that means that something is there, None if none does by its name."""
    by_name = {normalize_name(label): label for label in labels}
    return next((by_name[name] for name in POSITIVE_LABELS if name in by_name), None)


def quote_toml(text: str) -> str:
    """Return a text in TOML quotes."""
    return json.dumps(text, ensure_ascii=False)
