"""Labels: one spelling for each, and the classes of a task."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from reportgen.errors import DataError, Fault, did_you_mean, nearest
from reportgen.errors.data_faults import (
    CLASS_UNKNOWN,
    LABEL_UNKNOWN,
    POSITIVE_ABSENT,
    TOO_MANY_LABELS,
)
from reportgen.predictions.files import natural_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from reportgen.predictions.label_places import LabelPlaces
    from reportgen.spec import Task

_WHOLE = re.compile(r"([+-]?\d+)(\.0+)?")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_MOST_LABELS = 1000
_SHOWN_LABELS = 10
_TWO = 2


def canonical_spellings(written: Iterable[str], known: Iterable[str] = ()) -> dict[str, str]:
    """Return the one spelling of each label: 1.0 is 1 and True is true, if all labels are such."""
    labels, classes = set(written), set(known)
    if labels <= classes:
        return {label: label for label in labels}
    spelled = {label: _canonical(label) for label in labels}
    # One other label, such as 1.1, shows that 1.0 is a name and not a number.
    if None in spelled.values():
        return {label: label for label in labels}
    # The spec may itself say "True" or "1.0": then that is the spelling.
    by_spec = {_canonical(each): each for each in classes}
    return {label: by_spec.get(new, new or label) for label, new in spelled.items()}


def _canonical(label: str) -> str | None:
    """Return the one spelling of a whole number or a truth value, and None for other labels."""
    if _WHOLE.fullmatch(label):
        return label.partition(".")[0]
    return label.casefold() if label.casefold() in {"true", "false"} else None


def known_labels(task: Task) -> tuple[str, ...]:
    """Return the labels that the spec itself spells."""
    given = () if task.classes is None else task.classes
    positive = () if task.positive is None else (task.positive,)
    return tuple(dict.fromkeys((*given, *positive)))


def resolve_classes(
    task: Task,
    found: Mapping[str, Counter[str]],
    places: LabelPlaces,
) -> tuple[str, ...]:
    """Return the classes in order, from the spec or from the labels found by each classifier."""
    labels: Counter[str] = sum(found.values(), Counter())
    if task.classes is not None:
        _refuse_unknown(task.classes, found, places)
        classes = tuple(task.classes)
    else:
        classes = _order(task, labels)
    if task.kind == "binary":
        _refuse_odd_pair(task, classes, labels, places)
    elif len(classes) > _MOST_LABELS:
        message = f"there are {len(classes)} different labels, such as {_listed(labels)}"
        help_text = 'is it the right column, or is `kind = "regression"` meant?'
        raise DataError(Fault(TOO_MANY_LABELS, message, help=help_text))
    return classes


def _order(task: Task, labels: Counter[str]) -> tuple[str, ...]:
    ordered = sorted(labels, key=_label_key(labels))
    if task.positive is None or task.positive not in labels:
        return tuple(ordered)
    return (task.positive, *(label for label in ordered if label != task.positive))


def _label_key(labels: Iterable[str]) -> Callable[[str], tuple[object, ...]]:
    """Return the order of labels: by value if all are numbers, and else numbers inside by value."""
    numbers = all(_NUMBER.fullmatch(label) for label in labels)
    return (lambda label: (float(label), label)) if numbers else natural_key


def _refuse_unknown(
    classes: tuple[str, ...],
    found: Mapping[str, Counter[str]],
    places: LabelPlaces,
) -> None:
    faults = [
        Fault(
            LABEL_UNKNOWN,
            f"`{classifier}` has the label {label!r}, which is not in `task.classes`",
            places.of_label(label, classifier),
            did_you_mean(label, classes) or f"the classes are {_listed(classes)}",
        )
        for classifier, labels in found.items()
        for label in sorted(set(labels) - set(classes), key=natural_key)[:_SHOWN_LABELS]
    ]
    if faults:
        raise DataError(*faults)


def _refuse_odd_pair(
    task: Task, classes: tuple[str, ...], labels: Counter[str], places: LabelPlaces
) -> None:
    if task.positive is not None and labels and task.positive not in labels:
        message = f"the positive class {task.positive!r} occurs in no file"
        guess = nearest(task.positive, labels)
        found = f"found {_listed(labels)}"
        help_text = found if guess is None else f"{found}; did you mean `{guess}`?"
        raise DataError(Fault(POSITIVE_ABSENT, message, places.of_positive(), help_text))
    if len(classes) > _TWO:
        often = sorted(labels.items(), key=lambda item: (-item[1], natural_key(item[0])))
        listed = ", ".join(f"{name!r} ({count})" for name, count in often[:_SHOWN_LABELS])
        message = f"a binary task has two labels, but {len(classes)} occur: {listed}"
        message += "".join(f"; {said}" for said in _spellings(places.by_file()))
        help_text = 'mend the spellings, or write `kind = "multiclass"`'
        place = places.of_label(often[-1][0])
        raise DataError(Fault(TOO_MANY_LABELS, message, place, help_text))
    if len(classes) < _TWO:
        message = f"only the label {_listed(classes)} occurs"
        help_text = f'name the other class: `classes = ["{task.positive}", "…"]` under `[task]`'
        raise DataError(Fault(CLASS_UNKNOWN, message, places.of_positive(), help_text))


def _spellings(by_file: Mapping[str, frozenset[str]]) -> list[str]:
    """Tell which files spell labels in which way, if each file by itself has only two."""
    pairs = dict.fromkeys(by_file.values())
    if len(pairs) == 1 or any(len(pair) > _TWO for pair in pairs):
        return []
    return [
        f"{', '.join(name for name, own in by_file.items() if own == pair)}: {_listed(pair)}"
        for pair in pairs
    ]


def _listed(labels: Iterable[str]) -> str:
    ordered = sorted(labels, key=natural_key)
    more = len(ordered) - _SHOWN_LABELS
    shown = ", ".join(repr(label) for label in ordered[:_SHOWN_LABELS])
    return shown + (f" and {more} more" if more > 0 else "")
