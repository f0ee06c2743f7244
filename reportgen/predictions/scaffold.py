"""A spec to start from that fits given prediction files."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from reportgen.errors import DataError, Diagnostic, Location, SpecError
from reportgen.errors.data import COLUMN_ROLES_AMBIGUOUS, NOT_A_NUMBER
from reportgen.predictions.columns import suggest_number
from reportgen.predictions.files import find_files, natural_sort_key
from reportgen.predictions.load import load_predictions
from reportgen.predictions.presets.registry import PRESETS, detect_preset, open_preset
from reportgen.predictions.profiling import (
    ID_NAMES,
    FileProfile,
    TextColumns,
    have_common_cases,
    infer_id_column,
    normalize_name,
    profile_columns,
    read_text_columns,
)
from reportgen.predictions.roles import (
    ColumnRoles,
    TargetColumn,
    TaskKind,
    infer_fold_column,
    infer_positive_label,
    infer_roles,
    infer_target,
    infer_truth_column,
)
from reportgen.predictions.table import open_table
from reportgen.spec import parse_spec
from reportgen.spec.fields import is_invisible
from reportgen.spec.toml import format_toml_pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.predictions.presets.preset import Preset
    from reportgen.predictions.profiling import ColumnProfile


# Which files belong to one classifier: a file each, or one per fold.

_FOLD_PATTERN = re.compile(
    r"(?<![a-z])(folds?|cv|splits?|rep(eat)?s?|parts?)(?![a-z])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, eq=False)
class FileGroup:
    """Files that are read as one, and the path or pattern that names them all."""

    name: str
    spec_paths: tuple[str, ...]
    path: Path
    text_columns: TextColumns
    profile: FileProfile
    fold: str | None
    preset: Preset | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.profile.columns)


def group_files(paths: Sequence[Path]) -> tuple[FileGroup, ...]:
    """Group files whose names differ only in a number and whose cases differ, as folds do."""
    written = [path.as_posix() for path in paths]
    found = find_files(Path(), written, lambda number: Location(paths[number]))
    groups: dict[tuple[str, str], list[Path]] = {}
    for file in dict.fromkeys(file.path for file in found):
        folder = (
            _mask_digits(str(file.parent))
            if _FOLD_PATTERN.search(file.parent.name)
            else file.parent
        )
        groups.setdefault((str(folder), _mask_digits(file.name)), []).append(file)
    return tuple(unit for group in groups.values() for unit in _split_group(group))


def _mask_digits(name: str) -> str:
    return re.sub(r"\d+", "*", name)


def _split_group(files: list[Path]) -> list[FileGroup]:
    if len(files) > 1 and _are_folds(files):
        return [_fold_group(sorted(files, key=lambda path: natural_sort_key(str(path))))]
    return [
        _build_group(path.name.split(".")[0] or path.name, (path.as_posix(),), [path])
        for path in files
    ]


def _are_folds(files: list[Path]) -> bool:
    in_folders = len({file.parent for file in files}) > 1
    if in_folders or _FOLD_PATTERN.search(files[0].name.split(".")[0]):
        return True
    # Files such as m1.csv and m2.csv are folds only if their ids show that the cases differ.
    return (
        have_common_cases([_read_columns([path], detect_preset(path)) for path in files]) is False
    )


def _fold_group(files: list[Path]) -> FileGroup:
    pattern = _build_glob([path.as_posix() for path in files])
    matched = find_files(Path(), [pattern], lambda _: Location(files[0]))
    whole = {file.path for file in matched} == set(files)
    stem = pattern.rpartition("/")[2].split(".")[0]
    name = _FOLD_PATTERN.sub("", stem).replace("*", "").strip("_-. ")
    written = (pattern,) if whole else tuple(path.as_posix() for path in files)
    return _build_group(name or files[0].resolve().parent.name, written, files)


def _build_glob(paths: Sequence[str]) -> str:
    columns = zip(*(re.split(r"(\d+)", path) for path in paths), strict=True)
    return "".join(parts[0] if len(set(parts)) == 1 else "*" for parts in columns)


def _build_group(name: str, spec_paths: tuple[str, ...], files: Sequence[Path]) -> FileGroup:
    preset = detect_preset(files[0])
    texts = _read_columns(files, preset)
    shown = "".join("\N{REPLACEMENT CHARACTER}" if is_invisible(sign) else sign for sign in name)
    description = profile_columns(texts)
    names = [column.name for column in description.columns]
    fold = infer_fold_column(description) if preset is None else preset.column("fold", names)
    return FileGroup(shown, spec_paths, files[0], texts.with_folds(fold), description, fold, preset)


def _read_columns(files: Sequence[Path], preset: Preset | None) -> TextColumns:
    """Read files as the tool wrote them, if a tool is recognised."""
    return read_text_columns(
        [open_table(path) if preset is None else open_preset(preset, path) for path in files]
    )


# What files hold, as far as names and values tell, or why it cannot be told.

_MAX_COLUMNS_SHOWN = 20
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_START_HELP = "start from `reportgen init` and name the columns in [data]"


@dataclass(frozen=True, slots=True)
class InferredClassifier:
    """A classifier: its name, its files, and the settings that [data] could have too."""

    name: str
    predictions: tuple[str, ...]
    settings: Mapping[str, str | float]


@dataclass(frozen=True, slots=True)
class InferredSpec:
    """What a spec for the files says."""

    kind: TaskKind
    is_certain: bool
    positive: str | None
    classifiers: tuple[InferredClassifier, ...]


def infer_spec(groups: Sequence[FileGroup]) -> InferredSpec:
    """Return what the files hold, or raise if that cannot be told."""
    truths = {unit: truth for unit in groups if (truth := _truth_column(unit))}
    if not truths:
        _raise_no_truth(groups[0])
    target = _infer_common_target(truths)
    labels = None if len(truths) == len(groups) else next(iter(truths))
    no_ids = [name for unit in groups if unit.preset for name in unit.preset.non_id_columns]
    no_ids += [unit.fold for unit in groups if unit.fold]
    id_ = infer_id_column([unit.text_columns for unit in groups], target.column, no_ids)
    if labels is not None and (id_ is None or len(truths) > 1):
        _raise_no_truth(next(unit for unit in groups if unit not in truths))
    parts = {
        unit: (ColumnRoles(None, None),)
        if unit.preset
        else infer_roles(unit.profile, target, (truths.get(unit), id_, unit.fold))
        for unit in groups
    }
    for unit, found in parts.items():
        if not found and unit is not labels:
            _raise_no_predictions(unit, target, (truths.get(unit), id_, unit.fold))
    common = {"id": id_, "labels": labels.spec_paths[0] if labels else None}
    named = _name_classifiers([(unit, part) for unit, found in parts.items() for part in found])
    classifiers = tuple(
        InferredClassifier(
            name,
            unit.spec_paths,
            _classifier_settings(unit, part, truths.get(unit, target.column), common),
        )
        for name, (unit, part) in named.items()
    )
    scores = [part.score for _, part in named.values()]
    positive = infer_positive_label(target, scores) if target.kind == "binary" else None
    return InferredSpec(target.kind, target.is_certain, positive, classifiers)


def _truth_column(group: FileGroup) -> str | None:
    if group.preset is None:
        return infer_truth_column(group.profile)
    return group.preset.column("truth", group.names) or infer_truth_column(group.profile)


def _infer_common_target(truth_columns: Mapping[FileGroup, str]) -> TargetColumn:
    columns = [_column_profile(unit, truth) for unit, truth in truth_columns.items()]
    for unit, column in zip(truth_columns, columns, strict=True):
        found = next((each for each in column.examples if _DECIMAL_COMMA.fullmatch(each)), None)
        if column.kind == "text" and found is not None:
            message = f"column `{column.name}` has decimal commas, as in {found!r}"
            help_text = suggest_number(found)
            raise DataError(Diagnostic(NOT_A_NUMBER, message, Location(unit.path), help_text))
    target = infer_target(columns)
    if target is None or (target.kind != "regression" and not target.labels):
        count = max(column.distinct_count for column in columns)
        message = f"column `{columns[0].name}` has {count} different texts, which are no classes"
        place = Location(next(iter(truth_columns)).path)
        raise DataError(
            Diagnostic(
                COLUMN_ROLES_AMBIGUOUS, message, place, f"is it the truth? if not, {_START_HELP}"
            )
        )
    return target


def _column_profile(group: FileGroup, name: str) -> ColumnProfile:
    return next(column for column in group.profile.columns if column.name == name)


def _name_classifiers(
    roles: Sequence[tuple[FileGroup, ColumnRoles]],
) -> dict[str, tuple[FileGroup, ColumnRoles]]:
    """Name the classifiers by file, column or both, each name once."""
    units = {unit for unit, _ in roles}
    names = [
        " ".join(each for each in (unit.name if len(units) > 1 else None, part.name) if each)
        or unit.name
        for unit, part in roles
    ]
    times = Counter(names)
    named: dict[str, tuple[FileGroup, ColumnRoles]] = {}
    for name, (unit, part) in zip(names, roles, strict=True):
        own = name if times[name] == 1 else f"{unit.path.parent.name} {name}".strip()
        is_free = own.strip() and own not in named
        named[own if is_free else f"{own} {len(named) + 1}".strip()] = (unit, part)
    return named


def _classifier_settings(
    group: FileGroup, roles: ColumnRoles, truth: str, common: Mapping[str, str | None]
) -> dict[str, str | float]:
    if group.preset is not None:
        return _preset_settings(group, group.preset, truth, common["id"])
    settings: dict[str, str | float | None] = {
        "truth": truth,
        "prediction": roles.prediction,
        "score": roles.score,
        "probabilities": roles.probabilities,
        "fold": group.fold,
        **common,
        "threshold": 0.5 if roles.prediction is None else None,
    }
    return {key: value for key, value in settings.items() if value is not None}


def _preset_settings(
    group: FileGroup, preset: Preset, truth: str, id_: str | None
) -> dict[str, str | float]:
    """Return that the tool is known, and the columns that it does not know itself."""
    settings: dict[str, str | float] = {"format": preset.name}
    if preset.column("truth", group.names) is None:
        settings["truth"] = truth
    if id_ is not None and normalize_name(id_) in ID_NAMES and not preset.column("id", group.names):
        settings["id"] = id_
    return settings


def _raise_no_truth(group: FileGroup) -> NoReturn:
    message = "cannot tell which columns are the truth and the prediction"
    names = ", ".join(column.name for column in group.profile.columns[:_MAX_COLUMNS_SHOWN])
    help_text = f"call them `truth` and `prediction`, or {_START_HELP}"
    fault = Diagnostic(
        COLUMN_ROLES_AMBIGUOUS, f"{message}; found {names}", Location(group.path), help_text
    )
    raise DataError(fault)


def _raise_no_predictions(
    group: FileGroup, target: TargetColumn, assigned: tuple[str | None, ...]
) -> NoReturn:
    numbers = [
        f"`{column.name}`"
        for column in group.profile.columns
        if column.kind in {"integer", "number"} and column.name not in assigned
    ][:_MAX_COLUMNS_SHOWN]
    if target.kind == "regression" or not numbers:
        _raise_no_truth(group)
    message = f"there is a truth, `{target.column}`, but no prediction; numbers are in "
    help_text = (
        f"if they are scores, {_START_HELP}: a classifier for each, with its `score` and the"
        " `threshold` from which on it says positive"
    )
    fault = Diagnostic(
        COLUMN_ROLES_AMBIGUOUS, message + ", ".join(numbers), Location(group.path), help_text
    )
    raise DataError(fault)


_DATA_KEYS = (
    *("format", "truth", "prediction", "score", "probabilities", "fold", "id", "labels"),
    "threshold",
)
_KEY_COMMENTS = {"threshold": "a guess: there are no predictions, so they come from the score"}
_MAX_PROBLEMS_SHOWN = 3
_MAX_NAMES_IN_TITLE = 4


@dataclass(frozen=True, slots=True)
class ScaffoldedSpec:
    """A spec to start from, and why it cannot be built as it is, if that is so."""

    text: str
    problems: tuple[str, ...] = ()


def scaffold_spec(paths: Sequence[Path], folder: Path) -> ScaffoldedSpec:
    """Return a spec for prediction files, with paths relative to the folder it will be in."""
    guessed = infer_spec(group_files(paths))
    troubles = tuple(_find_problems(guessed, paths))
    return ScaffoldedSpec("\n".join(_render_lines(guessed, folder, troubles)) + "\n", troubles)


def _find_problems(inferred: InferredSpec, paths: Sequence[Path]) -> list[str]:
    """Return why the spec cannot be built as it is, if that is so."""
    # With paths from here, because the folder of the spec may not exist yet.
    text = "\n".join(_render_lines(inferred, Path(), []))
    try:
        load_predictions(parse_spec(Path("reportgen.toml"), text.encode()))
    except SpecError as error:
        message = f"a spec cannot name this file or what is in it: {error.diagnostics[0].message}"
        help_text = "rename the file, the column or the label"
        raise DataError(
            Diagnostic(COLUMN_ROLES_AMBIGUOUS, message, Location(paths[0]), help_text)
        ) from error
    except DataError as error:
        return [
            f"{fault.error_code.code}: {fault.message}" + (f" ({fault.help})" if fault.help else "")
            for fault in error.diagnostics[:_MAX_PROBLEMS_SHOWN]
        ]
    return []


def _render_lines(inferred: InferredSpec, folder: Path, problems: Sequence[str]) -> Iterator[str]:
    yield "# Written by `reportgen init` from the columns of the prediction files: please check it."
    if problems:
        yield "# It cannot be built as it is, because of:"
        yield from (f"# - {json.dumps(trouble, ensure_ascii=False)[1:-1]}" for trouble in problems)
    yield ""
    yield format_toml_pair("title", _build_title([each.name for each in inferred.classifiers]))
    yield ""
    yield "[task]"
    unsure = "" if inferred.is_certain else "    # a guess: the truth is made of whole numbers"
    yield f"{format_toml_pair('kind', inferred.kind)}{unsure}"
    if inferred.positive is not None:
        positive = format_toml_pair("positive", inferred.positive)
        yield f"{positive}    # a guess: name the class you look for"
    settings = [_relative_labels(each.settings, folder) for each in inferred.classifiers]
    shared = {
        key: value
        for key, value in settings[0].items()
        if all(own.get(key) == value for own in settings)
    }
    yield ""
    yield "[data]"
    yield from _render_settings(shared)
    for classifier, own in zip(inferred.classifiers, settings, strict=True):
        yield ""
        yield "[[classifiers]]"
        yield format_toml_pair("name", classifier.name)
        written = [_relative_path(path, folder) for path in classifier.predictions]
        yield format_toml_pair("predictions", written[0] if len(written) == 1 else written)
        yield from _render_settings({key: own[key] for key in own if key not in shared})


def _render_settings(settings: Mapping[str, str | float]) -> Iterator[str]:
    for key in _DATA_KEYS:
        if key in settings:
            if key == "format":
                yield from _preset_comments(settings[key])
            comment = f"    # {_KEY_COMMENTS[key]}" if key in _KEY_COMMENTS else ""
            yield f"{format_toml_pair(key, settings[key])}{comment}"


def _preset_comments(name: str | float) -> Iterator[str]:
    """Yield what a tool's format means, and that it can be overruled."""
    preset = PRESETS[str(name)]
    yield f"# {preset.title}:"
    yield f"# {preset.description}."
    yield "# Keys beside it, as `truth`, count more."


def _build_title(names: Sequence[str]) -> str:
    shown = (
        list(names) if len(names) <= _MAX_NAMES_IN_TITLE else list(names[: _MAX_NAMES_IN_TITLE - 1])
    )
    more = len(names) - len(shown)
    *first, last = (*shown, f"{more} more") if more else shown
    return f"Evaluation of {', '.join(first)} and {last}" if first else f"Evaluation of {last}"


def _relative_labels(settings: Mapping[str, str | float], folder: Path) -> dict[str, str | float]:
    own = dict(settings)
    if "labels" in own:
        own["labels"] = _relative_path(str(own["labels"]), folder)
    return own


def _relative_path(path: str, folder: Path) -> str:
    relative = Path(os.path.relpath(Path(path).resolve(), folder.resolve())).as_posix()
    # With a dot, because `data:x.csv` would be taken for an address.
    return f"./{relative}" if ":" in relative else relative


# A spec to start from without any files.

EXAMPLE_SPEC = """\
# An evaluation by reportgen. Build it with: reportgen build reportgen.toml
# Every key is explained in the schema above and by `reportgen schema`.

title = "E-negotiation outcomes"

[task]
kind = "binary"                      # binary | multiclass | regression
positive = "success"                 # the class that is looked for
classes = ["success", "failure"]     # the order in tables and matrices

# Each classifier is known by its predictions, or by its counts, as here:
# rows are the truth, columns what was predicted, both in the order of `classes`.
[[classifiers]]
name = "SVM"
confusion = [[1242, 189], [390, 740]]

[[classifiers]]
name = "Naive Bayes"
confusion = [[1108, 323], [272, 858]]

# With predictions in files, name the columns once and the files per classifier
# (`reportgen init predictions.csv` writes this part for you):
#
# [data]
# id = "case"
# truth = "outcome"
# prediction = "predicted"
#
# [[classifiers]]
# name = "SVM"
# predictions = "svm.csv"

[measures]
show = ["traditional", "discriminant"]   # `reportgen measures` lists names and groups

[output]
formats = ["html", "pdf", "json"]        # also csv, parquet, latex, markdown
"""


def example_spec() -> str:
    """Return an example that builds as it is."""
    return EXAMPLE_SPEC
