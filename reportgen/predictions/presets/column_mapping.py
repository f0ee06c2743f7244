"""Column mapping: from the roles of a spec and a preset to the columns of its files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location, RemoteUri
from reportgen.errors.data import TOOL_FORMAT_MISMATCH
from reportgen.predictions.labels import canonicalize_labels, declared_labels
from reportgen.predictions.presets.registry import PRESETS, detect_preset, open_preset
from reportgen.predictions.table import DerivedColumn, format_column_values, source_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from reportgen.predictions.presets.preset import Preset
    from reportgen.predictions.table import PredictionTable
    from reportgen.spec import DataSettings, Task
    from reportgen.spec.data import FormatName

_MAX_NAMES_SHOWN = 12
_MAX_LABELS = 1000


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """The columns of a classifier's files by role, and the files with derived columns."""

    data: DataSettings
    tables: tuple[PredictionTable, ...]


def open_preset_file(
    name: FormatName, path: Path | RemoteUri, data: DataSettings
) -> PredictionTable:
    """Open a file with the preset of a format."""
    try:
        truth = data.truth if _is_set(data, "truth") else None
        return open_preset(PRESETS[name], path, truth, data.sheet, data.table)
    except DataError as error:
        raise DataError(
            *(_suggest_preset(diagnostic, path) for diagnostic in error.diagnostics)
        ) from error


def _suggest_preset(diagnostic: Diagnostic, path: Path | RemoteUri) -> Diagnostic:
    """Add the detected preset to the diagnostic of a file that does not match the format."""
    if isinstance(path, RemoteUri) or diagnostic.error_code is not TOOL_FORMAT_MISMATCH:
        return diagnostic
    preset = detect_preset(path)
    if preset is None:
        return diagnostic
    help_text = f'this looks like {preset.title}: write `format = "{preset.name}"`'
    return replace(diagnostic, help=help_text)


def resolve_columns(
    data: DataSettings, tables: Sequence[PredictionTable], task: Task
) -> ColumnMapping:
    """Map roles to the columns of a preset's files; columns named in the spec are kept."""
    if data.format is None:
        return ColumnMapping(data, tuple(tables))
    preset = PRESETS[data.format]
    data = _map_columns(preset, data, tables)
    spellings = {} if task.kind == "regression" else _label_spellings(data, tables, task)
    labels = tuple(task.classes or _sort_labels(set(spellings.values())))
    diagnostics = preset.diagnose(tables, data, labels)
    if diagnostics:
        raise DataError(*diagnostics)
    if not spellings or data.score is not None or data.probabilities is not None:
        return ColumnMapping(data, tuple(tables))
    mapping = ColumnMapping(data, preset.finalize(tables, labels))
    return _map_probabilities(preset, mapping, task, labels) or _map_score(
        preset, mapping, task, [old for old, new in spellings.items() if new == task.positive]
    )


def _is_set(data: DataSettings, key: str) -> bool:
    return key in data.model_fields_set and getattr(data, key) is not None


def _map_columns(
    preset: Preset, data: DataSettings, tables: Sequence[PredictionTable]
) -> DataSettings:
    shared = [name for name in tables[0].names if all(name in table.names for table in tables)]
    columns: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    if data.labels is None and not _is_set(data, "truth"):
        truth = preset.column("truth", shared)
        diagnostics += [] if truth else _not_found_diagnostics(preset, "truth", tables)
        columns |= {"truth": truth} if truth else {}
    if data.threshold is None and not _is_set(data, "prediction"):
        prediction = preset.column("prediction", shared)
        diagnostics += [] if prediction else _not_found_diagnostics(preset, "prediction", tables)
        columns |= {"prediction": prediction} if prediction else {}
    if diagnostics:
        raise DataError(*diagnostics)
    all_names = [name for table in tables for name in table.names]
    id_, fold = preset.column("id", shared), preset.column("fold", all_names)
    columns |= {"id": id_} if id_ and not _is_set(data, "id") else {}
    columns |= {"fold": fold} if fold and not _is_set(data, "fold") else {}
    return data.model_copy(update=columns)


def _not_found_diagnostics(
    preset: Preset, role: str, tables: Sequence[PredictionTable]
) -> list[Diagnostic]:
    usual_names = preset.columns["truth" if role == "truth" else "prediction"]
    expected = ", ".join(f"`{name}`" for name in usual_names if " " not in name)
    diagnostics: list[Diagnostic] = []
    for table in tables:
        if not set(usual_names) & set(table.names):
            names = ", ".join(f"`{name}`" for name in table.names[:_MAX_NAMES_SHOWN])
            message = f"no {role} column of {preset.title} ({expected}); found {names}"
            help_text = f'name its column: `{role} = "…"`; `reportgen explain E227` says more'
            diagnostic = Diagnostic(TOOL_FORMAT_MISMATCH, message, Location(table.path), help_text)
            diagnostics.append(_suggest_preset(diagnostic, table.path))
    return diagnostics


def _label_spellings(
    data: DataSettings, tables: Sequence[PredictionTable], task: Task
) -> dict[str, str]:
    """Return the canonical spelling of each label that occurs as truth or prediction."""
    labels: set[str] = set()
    for table in tables:
        columns = (data.prediction,) if data.labels else (data.truth, data.prediction)
        names = [name for name in columns if table.names.count(name) == 1]
        if names:
            frame = table.read({f"c{number}": name for number, name in enumerate(names)}).drop(
                "row"
            )
            for column in frame:
                if not column.dtype.is_nested():
                    labels |= set(column.cast(pl.String).drop_nulls().unique())
    if len(labels) > _MAX_LABELS:
        return {}
    return canonicalize_labels(labels, declared_labels(task))


def _sort_labels(labels: Iterable[str]) -> list[str]:
    """Sort labels as scikit-learn does: numbers by value, texts alphabetically."""
    texts = pl.Series("label", sorted(labels), pl.String)
    numbers = texts.cast(pl.Float64, strict=False)
    return list(texts if numbers.null_count() else texts.gather(numbers.arg_sort()))


def _map_probabilities(
    preset: Preset, mapping: ColumnMapping, task: Task, labels: Sequence[str]
) -> ColumnMapping | None:
    """Map class probabilities, or return None if the files do not have those of all classes."""
    data, tables = mapping.data, mapping.tables
    for pattern in preset.probability_patterns:
        columns = [pattern.replace("{class}", label) for label in labels]
        if all(name in table.names for table in tables for name in columns):
            return ColumnMapping(_set_probability_pattern(data, pattern, task), tables)
    for pattern in preset.indexed_probability_patterns:
        columns_by_class = _name_by_class(pattern, tables, labels)
        if columns_by_class is not None:
            return ColumnMapping(
                _set_probability_pattern(data, _ordered_column_name(pattern, "{class}"), task),
                columns_by_class,
            )
    return None


def _map_score(
    preset: Preset, mapping: ColumnMapping, task: Task, positives: Sequence[str]
) -> ColumnMapping:
    """Map the score of a binary task, converted from the confidence if there is no other."""
    data, tables = mapping.data, mapping.tables
    if task.positive is None:
        return mapping
    shared = [name for name in tables[0].names if all(name in table.names for table in tables)]
    score = preset.column("score", shared)
    if score is not None:
        return ColumnMapping(data.model_copy(update={"score": score}), tables)
    confidence = preset.column("confidence", shared)
    if confidence is None or confidence == data.prediction:
        return mapping
    score = f"{confidence}, as that of {task.positive}"
    kind = data.score_kind or "probability"
    total = 1 if kind == "probability" else 0
    derived = {score: _positive_class_score(data.prediction, confidence, positives, total)}
    update = {"score": score, "score_kind": kind}
    return ColumnMapping(
        data.model_copy(update=update), tuple(t.with_derived(derived) for t in tables)
    )


def _set_probability_pattern(data: DataSettings, pattern: str, task: Task) -> DataSettings:
    update = {"probabilities": pattern}
    if task.positive is not None:
        update["score"] = pattern.replace("{class}", task.positive)
    return data.model_copy(update=update)


def _name_by_class(
    pattern: str, tables: Sequence[PredictionTable], labels: Sequence[str]
) -> tuple[PredictionTable, ...] | None:
    """Add columns by class for columns that are numbered in the order of the classes."""
    column_names = [pattern.replace("{number}", str(number)) for number in range(len(labels) + 1)]
    if all(set(column_names[:2]).isdisjoint(table.names) for table in tables):
        return None
    *column_names, last = column_names
    for table in tables:
        if last in table.names or not set(column_names) <= set(table.names):
            raise DataError(_class_count_diagnostic(table, column_names[0], labels))
    by_class = {
        _ordered_column_name(pattern, label): DerivedColumn((name,), source_column(name))
        for label, name in zip(_sort_labels(labels), column_names, strict=True)
    }
    return tuple(table.with_derived(by_class) for table in tables)


def _class_count_diagnostic(
    table: PredictionTable, first: str, labels: Sequence[str]
) -> Diagnostic:
    message = (
        f"the columns from `{first}` on are not as many as the {len(labels)} classes"
        f" {format_column_values(labels)}"
    )
    help_text = (
        "list all classes that the classifier knows: `classes = […]` under `[task]`; or name a"
        " `score`, or `probabilities`, yourself"
    )
    return Diagnostic(TOOL_FORMAT_MISMATCH, message, Location(table.path), help_text)


def _ordered_column_name(pattern: str, label: str) -> str:
    # Not only the class, because proba_1 may be the name of another class's column.
    return pattern.replace("{number}", f"{label} (by order)")


def _positive_class_score(
    prediction: str, confidence: str, positives: Sequence[str], total: int
) -> DerivedColumn:
    """Return the score of the positive class, derived from that of the predicted class.

    It is `total` minus the confidence where the other class is predicted: 1 for probabilities,
    which sum to 1, and 0 for scores that only rank.
    """
    text = source_column(confidence).cast(pl.String)
    other = (total - text.cast(pl.Float64, strict=False)).cast(pl.String)
    # Values that are not numbers are kept, to be reported as such.
    score = (
        pl.when(source_column(prediction).cast(pl.String).is_in(positives))
        .then(text)
        .otherwise(pl.coalesce(other, text))
    )
    return DerivedColumn((prediction, confidence), score)
