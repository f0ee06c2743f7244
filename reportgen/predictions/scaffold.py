"""Scaffolding of a spec from prediction files: file groups, column roles and TOML text."""

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


_FOLD_PATTERN = re.compile(
    r"(?<![a-z])(folds?|cv|splits?|rep(eat)?s?|parts?)(?![a-z])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, eq=False)
class FileGroup:
    """The files of one classifier, one or one per fold, with the paths or pattern for the spec."""

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
    paths_as_text = [path.as_posix() for path in paths]
    files = find_files(Path(), paths_as_text, lambda number: Location(paths[number]))
    groups: dict[tuple[str, str], list[Path]] = {}
    for file in dict.fromkeys(file.path for file in files):
        folder = (
            _mask_digits(str(file.parent))
            if _FOLD_PATTERN.search(file.parent.name)
            else file.parent
        )
        groups.setdefault((str(folder), _mask_digits(file.name)), []).append(file)
    return tuple(file_group for group in groups.values() for file_group in _split_group(group))


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
    several_folders = len({file.parent for file in files}) > 1
    if several_folders or _FOLD_PATTERN.search(files[0].name.split(".")[0]):
        return True
    # Files such as m1.csv and m2.csv are folds only if they have no ids in common.
    return (
        have_common_cases([_read_columns([path], detect_preset(path)) for path in files]) is False
    )


def _fold_group(files: list[Path]) -> FileGroup:
    pattern = _build_glob([path.as_posix() for path in files])
    matched = find_files(Path(), [pattern], lambda _: Location(files[0]))
    is_exact = {file.path for file in matched} == set(files)
    stem = pattern.rpartition("/")[2].split(".")[0]
    name = _FOLD_PATTERN.sub("", stem).replace("*", "").strip("_-. ")
    spec_paths = (pattern,) if is_exact else tuple(path.as_posix() for path in files)
    return _build_group(name or files[0].resolve().parent.name, spec_paths, files)


def _build_glob(paths: Sequence[str]) -> str:
    columns = zip(*(re.split(r"(\d+)", path) for path in paths), strict=True)
    return "".join(parts[0] if len(set(parts)) == 1 else "*" for parts in columns)


def _build_group(name: str, spec_paths: tuple[str, ...], files: Sequence[Path]) -> FileGroup:
    preset = detect_preset(files[0])
    texts = _read_columns(files, preset)
    display_name = "".join(
        "\N{REPLACEMENT CHARACTER}" if is_invisible(character) else character for character in name
    )
    description = profile_columns(texts)
    names = [column.name for column in description.columns]
    fold = infer_fold_column(description) if preset is None else preset.column("fold", names)
    return FileGroup(
        display_name, spec_paths, files[0], texts.with_folds(fold), description, fold, preset
    )


def _read_columns(files: Sequence[Path], preset: Preset | None) -> TextColumns:
    """Read the columns of files as text, with a preset if one was detected."""
    return read_text_columns(
        [open_table(path) if preset is None else open_preset(preset, path) for path in files]
    )


_MAX_COLUMNS_SHOWN = 20
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_START_HELP = "start from `reportgen init` and name the columns in [data]"


@dataclass(frozen=True, slots=True)
class InferredClassifier:
    """A classifier of the spec: its name, its files, and its settings of [data]."""

    name: str
    predictions: tuple[str, ...]
    settings: Mapping[str, str | float]


@dataclass(frozen=True, slots=True)
class InferredSpec:
    """The content of a scaffolded spec."""

    kind: TaskKind
    is_certain: bool
    positive: str | None
    classifiers: tuple[InferredClassifier, ...]


def infer_spec(groups: Sequence[FileGroup]) -> InferredSpec:
    """Return the spec inferred from file groups, or raise if column roles are ambiguous."""
    truths = {group: truth for group in groups if (truth := _truth_column(group))}
    if not truths:
        _raise_no_truth(groups[0])
    target = _infer_common_target(truths)
    labels = None if len(truths) == len(groups) else next(iter(truths))
    non_id_columns = [
        name for group in groups if group.preset for name in group.preset.non_id_columns
    ]
    non_id_columns += [group.fold for group in groups if group.fold]
    id_ = infer_id_column([group.text_columns for group in groups], target.column, non_id_columns)
    if labels is not None and (id_ is None or len(truths) > 1):
        _raise_no_truth(next(group for group in groups if group not in truths))
    roles = {
        group: (ColumnRoles(None, None),)
        if group.preset
        else infer_roles(group.profile, target, (truths.get(group), id_, group.fold))
        for group in groups
    }
    for group, classifier_roles in roles.items():
        if not classifier_roles and group is not labels:
            _raise_no_predictions(group, target, (truths.get(group), id_, group.fold))
    common = {"id": id_, "labels": labels.spec_paths[0] if labels else None}
    by_name = _name_classifiers(
        [
            (group, column_roles)
            for group, classifier_roles in roles.items()
            for column_roles in classifier_roles
        ]
    )
    classifiers = tuple(
        InferredClassifier(
            name,
            group.spec_paths,
            _classifier_settings(group, column_roles, truths.get(group, target.column), common),
        )
        for name, (group, column_roles) in by_name.items()
    )
    scores = [column_roles.score for _, column_roles in by_name.values()]
    positive = infer_positive_label(target, scores) if target.kind == "binary" else None
    return InferredSpec(target.kind, target.is_certain, positive, classifiers)


def _truth_column(group: FileGroup) -> str | None:
    if group.preset is None:
        return infer_truth_column(group.profile)
    return group.preset.column("truth", group.names) or infer_truth_column(group.profile)


def _infer_common_target(truth_columns: Mapping[FileGroup, str]) -> TargetColumn:
    columns = [_column_profile(group, truth) for group, truth in truth_columns.items()]
    for group, column in zip(truth_columns, columns, strict=True):
        example = next(
            (value for value in column.examples if _DECIMAL_COMMA.fullmatch(value)), None
        )
        if column.kind == "text" and example is not None:
            message = f"column `{column.name}` has decimal commas, as in {example!r}"
            help_text = suggest_number(example)
            raise DataError(Diagnostic(NOT_A_NUMBER, message, Location(group.path), help_text))
    target = infer_target(columns)
    if target is None or (target.kind != "regression" and not target.labels):
        count = max(column.distinct_count for column in columns)
        message = f"column `{columns[0].name}` has {count} different texts, which are no classes"
        location = Location(next(iter(truth_columns)).path)
        raise DataError(
            Diagnostic(
                COLUMN_ROLES_AMBIGUOUS, message, location, f"is it the truth? if not, {_START_HELP}"
            )
        )
    return target


def _column_profile(group: FileGroup, name: str) -> ColumnProfile:
    return next(column for column in group.profile.columns if column.name == name)


def _name_classifiers(
    roles: Sequence[tuple[FileGroup, ColumnRoles]],
) -> dict[str, tuple[FileGroup, ColumnRoles]]:
    """Return the columns of each classifier, named uniquely by file, column or both."""
    groups = {group for group, _ in roles}
    names = [
        " ".join(part for part in (group.name if len(groups) > 1 else None, own_roles.name) if part)
        or group.name
        for group, own_roles in roles
    ]
    counts = Counter(names)
    by_name: dict[str, tuple[FileGroup, ColumnRoles]] = {}
    for name, (group, own_roles) in zip(names, roles, strict=True):
        unique_name = name if counts[name] == 1 else f"{group.path.parent.name} {name}".strip()
        is_free = unique_name.strip() and unique_name not in by_name
        by_name[unique_name if is_free else f"{unique_name} {len(by_name) + 1}".strip()] = (
            group,
            own_roles,
        )
    return by_name


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
    """Return the format, and the columns that the preset does not have."""
    settings: dict[str, str | float] = {"format": preset.name}
    if preset.column("truth", group.names) is None:
        settings["truth"] = truth
    if id_ is not None and normalize_name(id_) in ID_NAMES and not preset.column("id", group.names):
        settings["id"] = id_
    return settings


def _raise_no_truth(group: FileGroup) -> NoReturn:
    message = "the columns of the truth and the prediction cannot be inferred"
    names = ", ".join(column.name for column in group.profile.columns[:_MAX_COLUMNS_SHOWN])
    help_text = f"call them `truth` and `prediction`, or {_START_HELP}"
    diagnostic = Diagnostic(
        COLUMN_ROLES_AMBIGUOUS, f"{message}; found {names}", Location(group.path), help_text
    )
    raise DataError(diagnostic)


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
        " `threshold` from which on the positive class is predicted"
    )
    diagnostic = Diagnostic(
        COLUMN_ROLES_AMBIGUOUS, message + ", ".join(numbers), Location(group.path), help_text
    )
    raise DataError(diagnostic)


_DATA_KEYS = (
    *("format", "truth", "prediction", "score", "probabilities", "fold", "id", "labels"),
    "threshold",
)
_KEY_COMMENTS = {"threshold": "a guess: there are no predictions, so they come from the score"}
_MAX_PROBLEMS_SHOWN = 3
_MAX_NAMES_IN_TITLE = 4


@dataclass(frozen=True, slots=True)
class ScaffoldedSpec:
    """The text of a spec, and the problems for which it cannot be built unchanged."""

    text: str
    problems: tuple[str, ...] = ()


def scaffold_spec(paths: Sequence[Path], folder: Path) -> ScaffoldedSpec:
    """Return a spec for prediction files, with paths relative to the folder of the spec."""
    inferred = infer_spec(group_files(paths))
    problems = tuple(_find_problems(inferred, paths))
    return ScaffoldedSpec("\n".join(_render_lines(inferred, folder, problems)) + "\n", problems)


def _find_problems(inferred: InferredSpec, paths: Sequence[Path]) -> list[str]:
    """Return the problems for which the spec cannot be built unchanged."""
    # With paths relative to the working directory: the spec's folder may not exist yet.
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
            f"{diagnostic.error_code.code}: {diagnostic.message}"
            + (f" ({diagnostic.help})" if diagnostic.help else "")
            for diagnostic in error.diagnostics[:_MAX_PROBLEMS_SHOWN]
        ]
    return []


def _render_lines(inferred: InferredSpec, folder: Path, problems: Sequence[str]) -> Iterator[str]:
    yield "# Written by `reportgen init` from the columns of the prediction files: please check it."
    if problems:
        yield "# It cannot be built unchanged, because of:"
        yield from (f"# - {json.dumps(problem, ensure_ascii=False)[1:-1]}" for problem in problems)
    yield ""
    yield format_toml_pair(
        "title", _build_title([classifier.name for classifier in inferred.classifiers])
    )
    yield ""
    yield "[task]"
    comment = "" if inferred.is_certain else "    # a guess: the truth is made of whole numbers"
    yield f"{format_toml_pair('kind', inferred.kind)}{comment}"
    if inferred.positive is not None:
        positive = format_toml_pair("positive", inferred.positive)
        yield f"{positive}    # a guess: name the class you look for"
    settings = [
        _relative_labels(classifier.settings, folder) for classifier in inferred.classifiers
    ]
    shared = {
        key: value
        for key, value in settings[0].items()
        if all(classifier_settings.get(key) == value for classifier_settings in settings)
    }
    yield ""
    yield "[data]"
    yield from _render_settings(shared)
    for classifier, classifier_settings in zip(inferred.classifiers, settings, strict=True):
        yield ""
        yield "[[classifiers]]"
        yield format_toml_pair("name", classifier.name)
        paths = [_relative_path(path, folder) for path in classifier.predictions]
        yield format_toml_pair("predictions", paths[0] if len(paths) == 1 else paths)
        yield from _render_settings(
            {key: classifier_settings[key] for key in classifier_settings if key not in shared}
        )


def _render_settings(settings: Mapping[str, str | float]) -> Iterator[str]:
    for key in _DATA_KEYS:
        if key in settings:
            if key == "format":
                yield from _preset_comments(settings[key])
            comment = f"    # {_KEY_COMMENTS[key]}" if key in _KEY_COMMENTS else ""
            yield f"{format_toml_pair(key, settings[key])}{comment}"


def _preset_comments(name: str | float) -> Iterator[str]:
    """Yield the comments on a preset."""
    preset = PRESETS[str(name)]
    yield f"# {preset.title}:"
    yield f"# {preset.description}."
    yield "# Other keys, such as `truth`, override it."


def _build_title(names: Sequence[str]) -> str:
    listing = (
        list(names) if len(names) <= _MAX_NAMES_IN_TITLE else list(names[: _MAX_NAMES_IN_TITLE - 1])
    )
    n_more = len(names) - len(listing)
    *first, last = (*listing, f"{n_more} more") if n_more else listing
    return f"Evaluation of {', '.join(first)} and {last}" if first else f"Evaluation of {last}"


def _relative_labels(settings: Mapping[str, str | float], folder: Path) -> dict[str, str | float]:
    relative = dict(settings)
    if "labels" in relative:
        relative["labels"] = _relative_path(str(relative["labels"]), folder)
    return relative


def _relative_path(path: str, folder: Path) -> str:
    relative = Path(os.path.relpath(Path(path).resolve(), folder.resolve())).as_posix()
    # With a dot, because `data:x.csv` would be taken for a URI.
    return f"./{relative}" if ":" in relative else relative


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
    """Return an example that builds unchanged."""
    return EXAMPLE_SPEC
