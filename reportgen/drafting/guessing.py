"""What files hold, as far as names and values tell, or why it cannot be told."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NoReturn

from reportgen.drafting.roles import (
    Part,
    Target,
    TaskKind,
    find_parts,
    find_target,
    find_truth,
    positive_label,
)
from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import NOT_A_NUMBER, ROLES_UNCLEAR
from reportgen.frozen import frozen
from reportgen.predictions.columns import advice_on_number
from reportgen.predictions.ids import ID_NAMES, plain, shared_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.drafting.units import Unit
    from reportgen.predictions.inspection import ColumnDescription
    from reportgen.predictions.presets.preset import Preset

_MOST_NAMES = 20
_COMMA = re.compile(r"[+-]?\d+,\d+")
_START = "start from `reportgen init` and name the columns in [data]"


@frozen
class GuessedClassifier:
    """A classifier: its name, its files, and the settings that [data] could have too."""

    name: str
    predictions: tuple[str, ...]
    settings: Mapping[str, str | float]


@frozen
class Guess:
    """What a spec for the files says."""

    kind: TaskKind
    certain: bool
    positive: str | None
    classifiers: tuple[GuessedClassifier, ...]


def guess(units: Sequence[Unit]) -> Guess:
    """Return what the files hold, or raise if that cannot be told."""
    truths = {unit: truth for unit in units if (truth := _truth(unit))}
    if not truths:
        _refuse_without_truth(units[0])
    target = _target(truths)
    labels = None if len(truths) == len(units) else next(iter(truths))
    no_ids = [name for unit in units if unit.preset for name in unit.preset.no_ids]
    no_ids += [unit.fold for unit in units if unit.fold]
    id_ = shared_id([unit.texts for unit in units], target.column, no_ids)
    if labels is not None and (id_ is None or len(truths) > 1):
        _refuse_without_truth(next(unit for unit in units if unit not in truths))
    parts = {
        unit: (Part(None, None),)
        if unit.preset
        else find_parts(unit.description, target, (truths.get(unit), id_, unit.fold))
        for unit in units
    }
    for unit, found in parts.items():
        if not found and unit is not labels:
            _refuse_without_predictions(unit, target, (truths.get(unit), id_, unit.fold))
    common = {"id": id_, "labels": labels.written[0] if labels else None}
    named = _named([(unit, part) for unit, found in parts.items() for part in found])
    classifiers = tuple(
        GuessedClassifier(
            name, unit.written, _settings(unit, part, truths.get(unit, target.column), common)
        )
        for name, (unit, part) in named.items()
    )
    scores = [part.score for _, part in named.values()]
    positive = positive_label(target, scores) if target.kind == "binary" else None
    return Guess(target.kind, target.certain, positive, classifiers)


def _truth(unit: Unit) -> str | None:
    if unit.preset is None:
        return find_truth(unit.description)
    return unit.preset.column("truth", unit.names) or find_truth(unit.description)


def _target(truths: Mapping[Unit, str]) -> Target:
    columns = [_column(unit, truth) for unit, truth in truths.items()]
    for unit, column in zip(truths, columns, strict=True):
        found = next((each for each in column.examples if _COMMA.fullmatch(each)), None)
        if column.kind == "text" and found is not None:
            message = f"column `{column.name}` has decimal commas, as in {found!r}"
            help_text = advice_on_number(found)
            raise DataError(Fault(NOT_A_NUMBER, message, Place(unit.path), help_text))
    target = find_target(columns)
    if target is None or (target.kind != "regression" and not target.labels):
        count = max(column.distinct for column in columns)
        message = f"column `{columns[0].name}` has {count} different texts, which are no classes"
        place = Place(next(iter(truths)).path)
        raise DataError(Fault(ROLES_UNCLEAR, message, place, f"is it the truth? if not, {_START}"))
    return target


def _column(unit: Unit, name: str) -> ColumnDescription:
    return next(column for column in unit.description.columns if column.name == name)


def _named(parts: Sequence[tuple[Unit, Part]]) -> dict[str, tuple[Unit, Part]]:
    """Name the classifiers by file, column or both, each name once."""
    units = {unit for unit, _ in parts}
    names = [
        " ".join(each for each in (unit.name if len(units) > 1 else None, part.name) if each)
        or unit.name
        for unit, part in parts
    ]
    times = Counter(names)
    named: dict[str, tuple[Unit, Part]] = {}
    for name, (unit, part) in zip(names, parts, strict=True):
        own = name if times[name] == 1 else f"{unit.path.parent.name} {name}".strip()
        is_free = own.strip() and own not in named
        named[own if is_free else f"{own} {len(named) + 1}".strip()] = (unit, part)
    return named


def _settings(
    unit: Unit, part: Part, truth: str, common: Mapping[str, str | None]
) -> dict[str, str | float]:
    if unit.preset is not None:
        return _settings_of_tool(unit, unit.preset, truth, common["id"])
    settings: dict[str, str | float | None] = {
        "truth": truth,
        "prediction": part.prediction,
        "score": part.score,
        "probabilities": part.probabilities,
        "fold": unit.fold,
        **common,
        "threshold": 0.5 if part.prediction is None else None,
    }
    return {key: value for key, value in settings.items() if value is not None}


def _settings_of_tool(
    unit: Unit, preset: Preset, truth: str, id_: str | None
) -> dict[str, str | float]:
    """Return that the tool is known, and the columns that it does not know itself."""
    settings: dict[str, str | float] = {"format": preset.name}
    if preset.column("truth", unit.names) is None:
        settings["truth"] = truth
    if id_ is not None and plain(id_) in ID_NAMES and not preset.column("id", unit.names):
        settings["id"] = id_
    return settings


def _refuse_without_truth(unit: Unit) -> NoReturn:
    message = "cannot tell which columns are the truth and the prediction"
    names = ", ".join(column.name for column in unit.description.columns[:_MOST_NAMES])
    help_text = f"call them `truth` and `prediction`, or {_START}"
    fault = Fault(ROLES_UNCLEAR, f"{message}; found {names}", Place(unit.path), help_text)
    raise DataError(fault)


def _refuse_without_predictions(
    unit: Unit, target: Target, taken: tuple[str | None, ...]
) -> NoReturn:
    numbers = [
        f"`{column.name}`"
        for column in unit.description.columns
        if column.kind in {"integer", "number"} and column.name not in taken
    ][:_MOST_NAMES]
    if target.kind == "regression" or not numbers:
        _refuse_without_truth(unit)
    message = f"there is a truth, `{target.column}`, but no prediction; numbers are in "
    help_text = (
        f"if they are scores, {_START}: a classifier for each, with its `score` and the"
        " `threshold` from which on it says positive"
    )
    fault = Fault(ROLES_UNCLEAR, message + ", ".join(numbers), Place(unit.path), help_text)
    raise DataError(fault)
