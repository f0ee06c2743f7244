"""Inference of the layout of prediction files: file groups, structure and column roles."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location, RemoteUri, did_you_mean
from reportgen.errors.data import (
    COLUMN_MISSING,
    COLUMN_ROLES_AMBIGUOUS,
    POSITIVE_CLASS_ABSENT,
    TABLE_UNKNOWN,
)
from reportgen.predictions.attributes import is_cluster_name
from reportgen.predictions.columns import MISSING_MARKERS
from reportgen.predictions.files import find_files, natural_sort_key
from reportgen.predictions.formats import FileFormat, detect_format, is_zip
from reportgen.predictions.labels import (
    canonicalize_labels,
    find_positive_label,
    fold_spelling,
)
from reportgen.predictions.packed_files import unpack_member
from reportgen.predictions.pooling import MODEL_NAMES, REPEAT_NAMES
from reportgen.predictions.presets.evaluation_logs import OUTCOMES
from reportgen.predictions.presets.registry import detect_preset, open_preset
from reportgen.predictions.profiling import (
    ID_NAMES,
    FileProfile,
    TextColumns,
    have_common_cases,
    id_name_rank,
    infer_id_column,
    normalize_name,
    profile_columns,
    read_text_columns,
)
from reportgen.predictions.roles import (
    ABSTENTIONS,
    MAX_INTEGER_LABELS,
    ColumnOptions,
    ColumnRoles,
    LabelColumns,
    Question,
    TargetColumn,
    TaskKind,
    UndecidedError,
    answered_labels,
    find_by_name,
    has_prediction_name,
    has_score_name,
    has_truth_name,
    higher_scored_label,
    infer_fold_column,
    infer_label_columns,
    infer_model_column,
    infer_positive_label,
    infer_repeat_column,
    infer_repeated_id,
    infer_roles,
    infer_subset,
    infer_target,
    infer_truth_column,
    is_confidence,
    is_unit,
    split_words,
)
from reportgen.predictions.stored_tables import (
    STORED_FORMATS,
    check_part,
    list_parts,
    list_postgres_tables,
    part_key,
)
from reportgen.predictions.table import open_encoded_table, open_table
from reportgen.predictions.text_files import find_encoding
from reportgen.spec.fields import POSTGRES_SCHEMES, is_invisible
from reportgen.spec.task import LABEL_SEPARATOR
from reportgen.spec.toml import format_toml_pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.predictions.presets.preset import Preset, PresetRole
    from reportgen.predictions.profiling import ColumnProfile

NO_OPTIONS = ColumnOptions()
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?")
_FOLD_PATTERN = re.compile(
    r"(?<![a-z])(folds?|cv|splits?|rep(eat)?s?|parts?)(?![a-z])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, eq=False)
class FileGroup:
    """The files of one classifier, one or one per fold, with the paths or pattern for the spec."""

    name: str
    spec_paths: tuple[str, ...]
    path: Path | RemoteUri
    text_columns: TextColumns
    profile: FileProfile
    fold: str | None
    preset: Preset | None = None
    where: Mapping[str, str] | None = None
    part: Mapping[str, str] = field(default_factory=dict)
    """The sheet or table, where the file has several; the encoding, where it is not UTF-8."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.profile.columns)


def group_files(paths: Sequence[Path | RemoteUri], options: ColumnOptions) -> tuple[FileGroup, ...]:
    """Group files whose names differ only in a number and whose cases differ, as folds do.

    Sheets or tables of one file with the same columns are groups as well. Raise UndecidedError if
    a file has several, with different columns.
    """
    remote = [path for path in paths if isinstance(path, RemoteUri)]
    local = [path for path in paths if not isinstance(path, RemoteUri)]
    groups = [group for path in remote for group in _remote_groups(path, options)]
    return (*groups, *(_group_local_files(local, options) if local else ()))


def _remote_groups(path: RemoteUri, options: ColumnOptions) -> list[FileGroup]:
    """Return the group of a remote file, or those of the tables of a PostgreSQL database."""
    if path.scheme not in POSTGRES_SCHEMES:
        return [_build_group(path.name.split(".")[0], (str(path),), [path])]
    tables: Sequence[str] = [options.table] if options.table else []
    if not tables:
        columns = list_postgres_tables(path)
        tables = tuple(columns)
        if len(set(columns.values())) > 1:
            text = f"which table of `{path}` has the predictions?"
            raise UndecidedError(Question("table", text, tuple(tables)))
    return [_build_group(table, (str(path),), [path], {"table": table}) for table in tables]


def _find_encoding(path: Path) -> str | None:
    """Return the likely encoding of a text, or of the only table of an archive, if not UTF-8."""
    if not is_zip(path) or detect_format(path) is not FileFormat.ZIP:
        return find_encoding(path)
    parts = list_parts(path, FileFormat.ZIP)
    if len(parts) != 1:
        return None
    with TemporaryDirectory() as folder:
        return find_encoding(unpack_member(path, parts[0], Path(folder)))


def _group_local_files(paths: Sequence[Path], options: ColumnOptions) -> tuple[FileGroup, ...]:
    paths_as_text = [path.as_posix() for path in paths]
    files = find_files(Path(), paths_as_text, lambda number: Location(paths[number]))
    encodings = {file.path: encoding for file in files if (encoding := _find_encoding(file.path))}
    utf8_paths = [file.path for file in files if file.path not in encodings]
    if utf8_paths:
        _check_parts(utf8_paths, options)
    logs = [] if encodings else _find_logs(utf8_paths)
    if logs:
        name = logs[0].name.split(".")[0]
        return (_build_group(name, tuple(path.as_posix() for path in logs), logs),)
    groups: dict[tuple[str, str], list[Path]] = {}
    for file in dict.fromkeys(file.path for file in files):
        folder = (
            _mask_digits(str(file.parent))
            if _FOLD_PATTERN.search(file.parent.name)
            else file.parent
        )
        groups.setdefault((str(folder), _mask_digits(file.name)), []).append(file)
    return tuple(
        file_group
        for group in groups.values()
        for file_group in _split_group(group, options, encodings)
    )


def _check_parts(files: Sequence[Path], options: ColumnOptions) -> None:
    """Raise if a sheet or table is named on the command line, and no file may have it."""
    keys = {part_key(kind) for kind in map(detect_format, files) if kind in STORED_FORMATS}
    sheet = options.sheet if "sheet" not in keys else None
    table = options.table if "table" not in keys else None
    check_part(files[0], sheet, table)


def _find_logs(files: Sequence[Path]) -> list[Path]:
    """Return the files if all are logs of one tool, which name their models themselves."""
    presets = [detect_preset(files[0])]
    if presets[0] is None or not presets[0].is_log:
        return []
    presets += [detect_preset(path) for path in files[1:]]
    return list(dict.fromkeys(files)) if len({id(preset) for preset in presets}) == 1 else []


def _mask_digits(name: str) -> str:
    return re.sub(r"\d+", "*", name)


def _split_group(
    files: list[Path], options: ColumnOptions, encodings: Mapping[Path, str]
) -> list[FileGroup]:
    parts = {
        path: [{"encoding": encodings[path]}] if path in encodings else _choose_parts(path, options)
        for path in files
    }
    has_parts = any(part for choices in parts.values() for part in choices)
    if len(files) > 1 and not has_parts and _are_folds(files):
        return [_fold_group(sorted(files, key=lambda path: natural_sort_key(str(path))))]
    return [
        _build_group(
            path.name.split(".")[0] or path.name
            if len(choices) == 1
            else next(iter(part.values())),
            (path.as_posix(),),
            [path],
            part,
        )
        for path, choices in parts.items()
        for part in choices
    ]


def _choose_parts(path: Path, options: ColumnOptions) -> list[dict[str, str]]:
    """Return the sheets or tables to read of a file; an empty choice if there is only one."""
    file_format = detect_format(path)
    if file_format not in STORED_FORMATS:
        return [{}]
    key = part_key(file_format)
    part_name = options.sheet if key == "sheet" else options.table
    if part_name is not None:
        return [{key: part_name}]
    parts = list_parts(path, file_format)
    if len(parts) <= 1:
        return [{}]
    columns = {frozenset(open_table(path, (), part, part).names) for part in parts}
    if len(columns) == 1 and file_format is not FileFormat.ZIP:
        return [{key: part} for part in parts]
    candidates = [part for part in parts if _has_inferable_roles(path, {key: part}, options)]
    if len(columns) == 1 and len(candidates) == len(parts):
        return [{key: part} for part in parts]
    if file_format is FileFormat.ZIP:
        message = (
            "the archive has several files, which are not all predictions with the truth:"
            f" {', '.join(parts)}"
        )
        help_text = "unpack it, and give `init` the files of the truth and the predictions"
        raise DataError(Diagnostic(TABLE_UNKNOWN, message, Location(path), help_text))
    # A legend has few rows, and a text in each that no other has.
    candidates = candidates or [part for part in parts if _has_labels(path, {key: part})]
    if len(candidates) == 1:
        return [{key: candidates[0]}]
    text = f"which {key} of `{path.name}` has the predictions?"
    choices = tuple(candidates) or parts
    raise UndecidedError(Question("sheet" if key == "sheet" else "table", text, choices))


def _has_labels(path: Path, part: Mapping[str, str]) -> bool:
    """Return whether a sheet or table has at least ten rows and two columns of labels."""
    profile = _build_group(path.stem, (path.as_posix(),), [path], part).profile
    labels = [column for column in profile.columns if 1 < column.distinct_count < profile.rows / 2]
    return profile.rows >= _MIN_SEGMENT_CASES and len(labels) > 1


def _has_inferable_roles(path: Path, part: Mapping[str, str], options: ColumnOptions) -> bool:
    """Return whether a sheet or table has a truth and predictions by names and contents."""
    try:
        infer_spec([_build_group(path.stem, (path.as_posix(),), [path], part)], options)
    except (UndecidedError, DataError):
        return False
    return True


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
    matching_files = find_files(Path(), [pattern], lambda _: Location(files[0]))
    is_exact = {file.path for file in matching_files} == set(files)
    stem = pattern.rpartition("/")[2].split(".")[0]
    name = _FOLD_PATTERN.sub("", stem).replace("*", "").strip("_-. ")
    spec_paths = (pattern,) if is_exact else tuple(path.as_posix() for path in files)
    return _build_group(name or files[0].resolve().parent.name, spec_paths, files)


def _build_glob(paths: Sequence[str]) -> str:
    columns = zip(*(re.split(r"(\d+)", path) for path in paths), strict=True)
    return "".join(parts[0] if len(set(parts)) == 1 else "*" for parts in columns)


def _build_group(
    name: str,
    spec_paths: tuple[str, ...],
    files: Sequence[Path | RemoteUri],
    part: Mapping[str, str] = MappingProxyType({}),
) -> FileGroup:
    first = files[0]
    preset = None
    if not isinstance(first, RemoteUri) and "encoding" not in part:
        preset = detect_preset(first, **part)
    texts = _read_columns(files, preset, part)
    if preset is not None and preset.is_plain and _has_more_than_preset(preset, texts):
        # What the tool does not write, such as models in long format, is inferred.
        preset = None
        texts = _read_columns(files, None, part)
    display_name = "".join(
        "\N{REPLACEMENT CHARACTER}" if is_invisible(character) else character for character in name
    )
    description = profile_columns(texts)
    names = [column.name for column in description.columns]
    _check_header(first, texts)
    _check_is_predictions(first, texts.frame)
    fold = infer_fold_column(description) if preset is None else preset.column("fold", names)
    return FileGroup(
        display_name,
        spec_paths,
        files[0],
        texts.with_folds(fold),
        description,
        fold,
        preset,
        part=part,
    )


_HEADER_HELP = "add a first line with the names of the columns, such as `id,truth,prediction`"


def _check_header(path: Path | RemoteUri, texts: TextColumns) -> None:
    """Raise if the first row has values and no names, or if the header occurs among the rows."""
    frame = texts.frame
    names = frame.columns
    message, help_text = None, _HEADER_HELP
    if names and all(_NUMBER.fullmatch(name) for name in names):
        # Names that occur twice are left out, so that one number alone is no name either.
        codes = {name for name in names if name.isdecimal()}
        if len(codes) == len(names) > 1 and codes <= set(map(str, range(len(names) + 1))):
            return
        message = f"the first row has numbers only ({', '.join(names[:3])}), so there is no header"
    elif len(names) < 2 and texts.repeated_names:  # noqa: PLR2004
        message = f"the first row has `{texts.repeated_names[0]}` twice, so it may be no header"
    else:
        values = [
            name
            for name in names
            if not _NUMBER.fullmatch(name) and frame[name].is_in([name]).any()
        ]
        # A label may have the name of its column.
        if len(values) > 1 and len(values) == len(names):
            message = "the header occurs again among the rows, as after joining files with `cat`"
            help_text = "remove these rows"
        elif len(values) > 1:
            listing = ", ".join(values[:3])
            message = f"the first row has values of its columns ({listing}): there is no header"
    if message is not None:
        raise DataError(Diagnostic(COLUMN_ROLES_AMBIGUOUS, message, Location(path), help_text))


def _has_role_name(name: str) -> bool:
    return has_truth_name(name) or has_prediction_name(name) or has_score_name(name)


_MEASURE_NAMES = frozenset(("precision", "recall", "f1score", "f1", "support"))


def _check_is_predictions(path: Path | RemoteUri, frame: pl.DataFrame) -> None:
    """Raise for a confusion matrix, and for a table of measures, as of `classification_report`."""
    names = frame.columns
    measures = [name for name in names if normalize_name(name) in _MEASURE_NAMES]
    if len(measures) > 2:  # noqa: PLR2004
        message = f"the table has values of measures ({', '.join(measures)}), not predictions"
        help_text = "export the predictions: a row per case, with its truth and its prediction"
        raise DataError(Diagnostic(COLUMN_ROLES_AMBIGUOUS, message, Location(path), help_text))
    # The column with the names of the rows often has none itself.
    classes = names[1:] if frame.height == len(names) - 1 else names
    counts = frame.select(pl.col(classes).cast(pl.Int64, strict=False))
    is_square = frame.height == len(classes) > 1
    if not is_square or any(column.null_count() for column in counts):
        return
    rows = frame.get_column(names[0]).to_list() if len(classes) < len(names) else classes
    if set(rows) != set(classes) or any(map(_has_role_name, classes)):
        return
    message = "the table is a confusion matrix, which belongs into the spec and not into a file"
    help_text = (
        f"if rows are the truth: `classes = {json.dumps(rows, ensure_ascii=False)}` under `[task]`,"
        f" `confusion = {[list(row) for row in counts.select(rows).rows()]}` under"
        " `[[classifiers]]`"
    )
    raise DataError(Diagnostic(COLUMN_ROLES_AMBIGUOUS, message, Location(path), help_text))


def _has_more_than_preset(preset: Preset, texts: TextColumns) -> bool:
    """Return whether columns divide the rows, or are scores that the preset does not know."""
    if any(map(_divides_rows, texts.frame)):
        return True
    profiles = {column.name: column for column in profile_columns(texts).columns}
    prediction = profiles.get(preset.column("prediction", list(profiles)) or "")
    truth = profiles.get(preset.column("truth", list(profiles)) or "")
    is_binary = truth is not None and truth.distinct_count == 2  # noqa: PLR2004
    # `y_pred` of Keras is a probability.
    if prediction is not None and is_binary and is_unit(prediction) and not prediction.is_integral:
        return True
    patterns = (*preset.probability_patterns, *preset.indexed_probability_patterns)
    known = [re.escape(name) for name in preset.known_columns]
    known += [re.sub(r"\\{\w+\\}", ".+", re.escape(pattern)) for pattern in patterns]
    return preset.column("score", list(profiles)) is None and any(
        column.kind == "number"
        and has_score_name(column.name)
        and not re.fullmatch("|".join(known), column.name)
        for column in profiles.values()
    )


def _divides_rows(column: pl.Series) -> bool:
    """Return whether a column is called a model, a repetition or a cluster, and has several."""
    name = normalize_name(column.name)
    is_named = name in (*MODEL_NAMES, *REPEAT_NAMES) or is_cluster_name(column.name)
    return is_named and 1 < column.n_unique() < len(column)


def _read_columns(
    files: Sequence[Path | RemoteUri],
    preset: Preset | None,
    part: Mapping[str, str] = MappingProxyType({}),
) -> TextColumns:
    """Read the columns of files as text, with a preset if one was detected."""
    return read_text_columns(
        [
            open_encoded_table(path, part["encoding"])
            if "encoding" in part and not isinstance(path, RemoteUri)
            else open_table(path, (), **part)
            if preset is None
            else open_preset(preset, path, None, **part)
            for path in files
        ]
    )


MAX_COLUMNS_SHOWN = 20
Setting = str | float | bool | Mapping[str, str]
_MAX_SEGMENT_VALUES = 12
_MIN_SEGMENT_CASES = 10
_MAX_ID_REPEATED_SHARE = 0.05
_WEIGHT_NAMES = ("weight", "weights", "sampleweight", "samplingweight", "surveyweight")


@dataclass(frozen=True, slots=True)
class InferredClassifier:
    """A classifier of the spec: its name, its files, and its settings of [data]."""

    name: str
    predictions: tuple[str, ...]
    settings: Mapping[str, Setting]
    preset_roles: frozenset[str] = frozenset()
    """What the columns of a preset are, which the spec does not name."""


@dataclass(frozen=True, slots=True)
class InferredSpec:
    """The content of a scaffolded spec; with `model` the classifiers are values of that column."""

    kind: TaskKind
    is_certain: bool
    positive: str | None
    is_positive_certain: bool
    classifiers: tuple[InferredClassifier, ...]
    labels: tuple[str, ...] = ()
    model: str | None = None
    models: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    abstain: tuple[str, ...] = ()
    """Predicted labels that name no class."""
    missing: EmptyPredictions | None = None
    segments: tuple[ColumnProfile, ...] = ()
    """Unused columns with a few values, each of several cases."""
    weight: str | None = None
    """An unused column that is called a weight."""
    cases: int = 0
    map: Mapping[str, str] = field(default_factory=dict)
    """The class of each label that is spelled otherwise."""
    proposed_map: LabelAgreement | None = None
    """Labels that may be classes of the truth, by how often they coincide."""
    has_ranking_scores: bool = False
    """Whether scores are no probabilities, because some are below 0 or above 1."""
    has_fold_files: bool = False
    """Whether every file of a classifier is a fold."""


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """The class that each label coincides with most often, and the share of rows that agree."""

    classes: Mapping[str, str]
    share: float


@dataclass(frozen=True, slots=True)
class EmptyPredictions:
    """How many rows have no prediction or score, and what `missing` is proposed to count them."""

    rows: int
    total: int
    policy: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Structure:
    """How the rows of a file are divided: by models, repetitions, folds, clusters, or counted."""

    truth: str | None
    settings: Mapping[str, Setting]
    model: str | None = None

    @property
    def repeated_by(self) -> tuple[str, ...]:
        """The columns for each value of which a case has a row."""
        columns = (self.model, self.settings.get("repeat"))
        return tuple(column for column in columns if isinstance(column, str))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are no predictions, scores or features."""
        role_columns = (
            value
            for key, value in self.settings.items()
            if isinstance(value, str) and key in {"fold", "repeat", "cluster", "count"}
        )
        where = self.settings.get("where")
        filter_columns = tuple(where) if isinstance(where, Mapping) else ()
        return (*role_columns, *filter_columns, *((self.model,) if self.model else ()))


def infer_spec(groups: Sequence[FileGroup], options: ColumnOptions) -> InferredSpec:
    """Return the spec inferred from file groups; raise UndecidedError if roles stay open."""
    _check_option_columns(groups, options)
    groups = [_keep_test_rows(group) for group in groups]
    if (columns := _find_label_columns(groups, options)) is not None:
        return _spec_of_label_columns(groups, columns, options)
    truth_file = _find_truth_file(groups, options)
    structures = _infer_structures(groups, options, truth_file)
    truths = {group: item.truth for group, item in structures.items() if item.truth is not None}
    if not truths:
        raise UndecidedError(_ask_for_truth(groups))
    target = _infer_common_target(truths)
    labels = truth_file or _labels_file(groups, truths)
    model = next((item.model for item in structures.values() if item.model), None)
    id_ = (
        options.id
        or _log_id(groups)
        or _infer_id(groups, structures, "" if truth_file else target.column)
    )
    if labels is not None and id_ is None:
        names = [name for name in groups[0].names if all(name in item.names for item in groups)]
        text = f"which column has the ids, by which `{labels.path.name}` is joined?"
        raise UndecidedError(Question("id", text, tuple(names)))
    role_columns = {group: (truths.get(group), id_, *structures[group].columns) for group in groups}
    roles = {
        group: _classifiers_of_file(group, target, role_columns[group], options)
        for group in groups
        if group is not labels or _has_predictions(group, truths, id_)
    }
    notes: list[str] = []
    if id_ is None:
        structures = {
            group: _keep_first_repetition(group, structure, notes)
            for group, structure in structures.items()
        }
    if target.kind == "binary":
        roles = {
            group: tuple(
                _check_score(group, item, truths.get(group), notes) for item in classifier_roles
            )
            for group, classifier_roles in roles.items()
        }
    common = {
        "id": id_,
        "labels": labels.spec_paths[0] if labels else None,
        "separator": None if target.separator == LABEL_SEPARATOR else target.separator,
    }
    by_name = _name_classifiers(
        [(group, item) for group, classifier_roles in roles.items() for item in classifier_roles]
    )
    classifiers = tuple(
        InferredClassifier(
            name,
            group.spec_paths,
            _classifier_settings(
                group, classifier_roles, truths.get(group, target.column), common, structures[group]
            ),
            _preset_roles(group, target),
        )
        for name, (group, classifier_roles) in by_name.items()
    )
    positive, is_positive_certain = _infer_positive(target, roles, truths, options, notes)
    unused = _unused_columns(groups, classifiers, target, model)
    notes += _percentage_notes(groups, unused)
    return InferredSpec(
        kind=target.kind,
        is_certain=target.is_certain,
        positive=positive,
        is_positive_certain=is_positive_certain,
        classifiers=classifiers,
        labels=target.labels,
        model=model,
        models=() if model is None else tuple(groups[0].text_columns.distinct(model)),
        unused=unused,
        notes=tuple(notes),
        abstain=_find_abstentions(roles, target),
        missing=_find_empty_predictions(roles, target),
        segments=_propose_segments(groups, structures, unused),
        weight=find_by_name(unused, _WEIGHT_NAMES),
        cases=_count_cases(groups[0], structures[groups[0]], id_),
        map=_infer_map(roles, truths, target),
        proposed_map=_propose_map(roles, truths, target),
        has_ranking_scores=any(
            not is_unit(_column_profile(group, item.score))
            for group, classifier_roles in roles.items()
            for item in classifier_roles
            if item.score in group.names and item.score is not None
        ),
        has_fold_files=any(
            group.fold is None and group.text_columns.folds.n_unique() > 1 for group in groups
        ),
    )


def _find_label_columns(groups: Sequence[FileGroup], options: ColumnOptions) -> LabelColumns | None:
    """Return the columns of 0 and 1 for labels that all files have, unless roles are named."""
    if options.truth or options.prediction or options.score or options.model:
        return None
    columns_by_file = [
        None if group.preset else infer_label_columns(group.profile, (options.id, group.fold))
        for group in groups
    ]
    return columns_by_file[0] if len(set(columns_by_file)) == 1 else None


def _spec_of_label_columns(
    groups: Sequence[FileGroup], columns: LabelColumns, options: ColumnOptions
) -> InferredSpec:
    """Return the spec of a multilabel task with a column of 0 and 1 for each label."""
    role_columns = [name for group in groups for name in (*columns.names, group.fold) if name]
    id_ = options.id or infer_id_column([group.text_columns for group in groups], "", role_columns)
    target = TargetColumn(columns.truth, "multilabel", columns.labels)
    roles = ColumnRoles(None, columns.prediction, probabilities=columns.probabilities)
    classifiers = tuple(
        InferredClassifier(
            name,
            group.spec_paths,
            _classifier_settings(
                group,
                own_roles,
                columns.truth,
                {"id": id_},
                _Structure(columns.truth, {"fold": fold} if (fold := group.fold) else {}),
            ),
        )
        for name, (group, own_roles) in _name_classifiers(
            [(group, roles) for group in groups]
        ).items()
    )
    frame = groups[0].text_columns.frame
    truths = [columns.truth.replace("{class}", label) for label in columns.labels]
    is_set = [pl.col(name).str.to_lowercase().is_in(["1", "1.0", "true", "yes"]) for name in truths]
    listing = ", ".join(columns.labels)
    note = f"columns of 0 and 1 are read as the labels {listing} of one multilabel task"
    notes = [f"{note}; --truth and --prediction choose one of them"]
    if frame.select((pl.sum_horizontal(is_set) == 1).all()).item():
        notes.append(
            "every case has exactly one label: if the labels exclude each other, the task is"
            " multiclass, with the class in one column"
        )
    used = {id_, *columns.names}
    return InferredSpec(
        kind="multilabel",
        is_certain=True,
        positive=None,
        is_positive_certain=True,
        classifiers=classifiers,
        labels=target.labels,
        unused=tuple(name for name in groups[0].names if name not in used),
        notes=tuple(notes),
        cases=frame.height,
    )


def _propose_map(
    roles: Mapping[FileGroup, Sequence[ColumnRoles]],
    truths: Mapping[FileGroup, str],
    target: TargetColumn,
) -> LabelAgreement | None:
    """Return a one-to-one map of predicted labels and classes that have no label in common.

    Each label is the class that most of its rows have, and no other label's.
    """
    if target.kind not in {"binary", "multiclass"}:
        return None
    for group, classifier_roles in roles.items():
        prediction = classifier_roles[0].prediction
        truth = truths.get(group)
        if prediction not in group.names or truth is None or group.preset is not None:
            continue
        pairs = (
            group.text_columns.frame.select(truth=truth, label=prediction)
            .drop_nulls()
            .filter(pl.col("label") != "")
            .group_by("truth", "label")
            .len("size")
        )
        labels = answered_labels(pairs["label"].unique().sort(), target.labels)
        canonical = canonicalize_labels(labels, target.labels)
        if len(labels) != len(target.labels) or set(canonical.values()) & set(target.labels):
            continue
        best = (
            pairs.filter(pl.col("label").is_in(labels))
            .filter(pl.col("size") == pl.col("size").max().over("label"))
            .sort("label")
        )
        # A tie leaves a label twice, a class that two labels have most of leaves another out.
        if best.height != len(labels) or best["truth"].n_unique() != len(labels):
            continue
        by_label = dict(zip(best["label"], best["truth"], strict=True))
        are_codes = all(label.lstrip("-").isdecimal() for label in target.labels)
        if target.kind == "multiclass" and are_codes:
            by_label = {code: label for label, code in sorted(by_label.items(), key=_second)}
        return LabelAgreement(by_label, int(best["size"].sum()) / int(pairs["size"].sum()))
    return None


def _second(pair: tuple[str, str]) -> str:
    return pair[1]


def _infer_map(
    roles: Mapping[FileGroup, Sequence[ColumnRoles]],
    truths: Mapping[FileGroup, str],
    target: TargetColumn,
) -> dict[str, str]:
    """Return the class of labels that differ in case or blanks, or mean yes and no otherwise."""
    if target.kind == "regression":
        return {}
    labels = [
        label
        for group, classifier_roles in roles.items()
        for column in (truths.get(group), *(item.prediction for item in classifier_roles))
        if column in group.names and group.preset is None
        for label in group.text_columns.distinct(column or "")
    ]
    classes = {fold_spelling(label): label for label in target.labels}
    canonical = canonicalize_labels(labels, target.labels)
    new_labels = {
        label: classes[fold_spelling(label)]
        for label in labels
        if fold_spelling(label) in classes and canonical[label] not in target.labels
    }
    unknown = answered_labels(
        {canonical[label] for label in labels if fold_spelling(canonical[label]) not in classes},
        target.labels,
    )
    positive, target_positive = find_positive_label(unknown), find_positive_label(target.labels)
    if len(unknown) == len(target.labels) == 2 and positive and target_positive:  # noqa: PLR2004
        # Otherwise which label is which class would be a guess.
        (negative,) = (label for label in target.labels if label != target_positive)
        new_labels |= {
            label: target_positive if label == positive else negative for label in unknown
        }
    return new_labels


def _count_cases(group: FileGroup, structure: _Structure, id_: str | None) -> int:
    """Return the number of cases of the first file: rows of one model and one repetition."""
    frame = group.text_columns.frame
    count = structure.settings.get("count")
    if isinstance(count, str):
        return int(frame[count].cast(pl.Float64, strict=False).fill_null(0).sum())
    if id_ is not None and id_ in frame.columns:
        return frame[id_].n_unique()
    return _first_repetition(group, structure).height


def _first_repetition(group: FileGroup, structure: _Structure) -> pl.DataFrame:
    """Return the rows of the first model and the first repetition."""
    frame = group.text_columns.frame
    where = structure.settings.get("where")
    if isinstance(where, Mapping):
        frame = frame.filter(
            pl.col(column) == value for column, value in where.items() if column in frame.columns
        )
    for column in structure.repeated_by:
        frame = frame.filter(pl.col(column) == frame[column][0])
    return frame


def _find_abstentions(
    roles: Mapping[FileGroup, Sequence[ColumnRoles]], target: TargetColumn
) -> tuple[str, ...]:
    """Return predicted labels that are no class of the truth and are called no answer."""
    if target.kind == "regression":
        return ()
    labels = {
        label
        for group, classifier_roles in roles.items()
        for item in classifier_roles
        if item.prediction in group.names
        for label in group.text_columns.distinct(item.prediction)
        if label not in target.labels and normalize_name(label) in ABSTENTIONS
    }
    return tuple(sorted(labels))


def _find_empty_predictions(
    roles: Mapping[FileGroup, Sequence[ColumnRoles]], target: TargetColumn
) -> EmptyPredictions | None:
    """Return the number of empty predictions, and what they should count as."""
    empty = total = 0
    is_scored = False
    for group, classifier_roles in roles.items():
        frame = group.text_columns.frame
        for item in classifier_roles:
            names = [name for name in (item.prediction, item.score) if name in frame.columns]
            missing = [pl.col(name).is_null() | pl.col(name).is_in(_EMPTY) for name in names]
            if not missing or (group.preset is not None and not group.preset.is_log):
                continue
            empty += int(frame.select(pl.any_horizontal(missing).sum()).item())
            total += frame.height
            in_score = names[-1] == item.score and bool(frame.select(missing[-1].any()).item())
            is_scored = is_scored or in_score or item.probabilities is not None
    # An empty cell of a multilabel task is the empty set.
    if not empty or target.kind == "multilabel":
        return None
    if target.kind == "regression":
        return EmptyPredictions(empty, total, "drop", "a missing number has no error")
    if is_scored:
        reason = "scores are missing as well; these cases are left out for all classifiers"
        return EmptyPredictions(empty, total, "drop", reason)
    reason = 'an empty prediction is no right answer; "drop" would leave the cases out'
    return EmptyPredictions(empty, total, "wrong", reason)


_EMPTY = ["", *sorted(MISSING_MARKERS)]


def _propose_segments(
    groups: Sequence[FileGroup],
    structures: Mapping[FileGroup, _Structure],
    unused: Sequence[str],
) -> tuple[ColumnProfile, ...]:
    """Return unused columns with a few values that all files have, each of several cases."""
    if any(group.preset for group in groups):
        return ()
    rows = _first_repetition(groups[0], structures[groups[0]])
    segments = []
    for column in groups[0].profile.columns:
        values = rows[column.name] if column.name in rows.columns else pl.Series()
        if (
            column.name in unused
            and all(column.name in group.names for group in groups)
            and 1 < column.distinct_count <= _MAX_SEGMENT_VALUES
            and column.kind != "number"
            and id_name_rank(column.name) is None
            and not values.null_count()
            and int(str(values.value_counts()["count"].min())) >= _MIN_SEGMENT_CASES
        ):
            segments.append(column)
    return tuple(segments)


def _keep_first_repetition(group: FileGroup, structure: _Structure, notes: list[str]) -> _Structure:
    """Return the structure with one repetition: without ids the others are no further cases."""
    repeat = structure.settings.get("repeat")
    if not isinstance(repeat, str):
        return structure
    first = group.text_columns.distinct(repeat)[0]
    notes.append(
        f"only repetition {first} of column `{repeat}` is evaluated, because no column of ids tells"
        " which cases are the same; with one, `repeat` and `id` evaluate all of them"
    )
    settings = {key: value for key, value in structure.settings.items() if key != "repeat"}
    where = settings.get("where")
    settings["where"] = {**(where if isinstance(where, Mapping) else {}), repeat: first}
    return replace(structure, settings=settings)


_PERCENTAGE = r"^\s*\d+([.,]\d+)?\s*%\s*$"


def _percentage_notes(groups: Sequence[FileGroup], unused: Sequence[str]) -> Iterator[str]:
    """Yield a note for each unused column of texts such as 12.5%."""
    names = dict.fromkeys(name for name in unused for group in groups if name in group.names)
    for name in names:
        values = next(g for g in groups if name in g.names).text_columns.distinct(name)
        if values and all(re.match(_PERCENTAGE, value) for value in values):
            yield (
                f"`{name}` has percent signs, so it is no score: write fractions, such as"
                f" {float(values[0].strip(' %').replace(',', '.')) / 100:g} for {values[0]}"
            )


def _labels_file(groups: Sequence[FileGroup], truths: Mapping[FileGroup, str]) -> FileGroup | None:
    """Return the only file with the truth where others have none, None if all have it."""
    if len(truths) == len(groups):
        return None
    if len(truths) > 1:
        raise UndecidedError(_ask_for_truth([group for group in groups if group not in truths]))
    return next(iter(truths))


def _log_id(groups: Sequence[FileGroup]) -> str | None:
    preset = groups[0].preset
    return preset.column("id", groups[0].names) if preset is not None and preset.is_log else None


def _infer_id(
    groups: Sequence[FileGroup], structures: Mapping[FileGroup, _Structure], truth: str
) -> str | None:
    """Return the column of ids by its name or, if cases repeat in a file, by its contents."""
    id_ = infer_id_column(
        [_divide_rows(group, structures[group]) for group in groups],
        truth,
        _non_id_columns(groups, structures),
    )
    repeated_by = structures[groups[0]].repeated_by
    if id_ is None and repeated_by and len(groups) == 1:
        return infer_repeated_id(groups[0].text_columns.frame, repeated_by, truth)
    return id_


def _classifiers_of_file(
    group: FileGroup,
    target: TargetColumn,
    role_columns: Sequence[str | None],
    options: ColumnOptions,
) -> tuple[ColumnRoles, ...]:
    """Return the columns of each classifier of a file; raise if there are none."""
    if group.preset and group.preset.is_log:
        is_outcome = target.column == (group.preset.outcome_columns or ("",))[0]
        role = group.preset.outcome_columns if is_outcome else None
        return (ColumnRoles(None, role[1] if role else "answer"),)
    is_known = group.preset and group.preset.column("prediction", group.names)
    if is_known and not options.prediction:
        return (ColumnRoles(None, None),)
    # A file without the truth may have its name for the predictions.
    own_target = target if target.column in role_columns else replace(target, column="")
    frame = group.text_columns.frame
    roles = infer_roles(group.profile, frame, own_target, role_columns, options)
    if not roles:
        raise UndecidedError(_ask_for_prediction(group, target, role_columns))
    return roles


def _check_option_columns(groups: Sequence[FileGroup], options: ColumnOptions) -> None:
    """Raise if no file has a column that is named on the command line."""
    names = tuple(dict.fromkeys(name for group in groups for name in group.names))
    files = {path for group in groups for path in group.spec_paths}
    diagnostics = [
        Diagnostic(
            COLUMN_MISSING,
            f"no file has the column `{name}`; there are {', '.join(names[:MAX_COLUMNS_SHOWN])}",
            Location(groups[0].path),
            did_you_mean(name, names),
        )
        for name in options.columns
        if name not in names and not (name == options.truth and name in files)
    ]
    if diagnostics:
        raise DataError(*diagnostics)


def _keep_test_rows(group: FileGroup) -> FileGroup:
    """Return a file without its training rows, where a column says which they are."""
    subset = None if group.preset else infer_subset(group.profile)
    if subset is None:
        return group
    rows = group.text_columns.frame[subset[0]] == subset[1]
    columns = group.text_columns
    texts = replace(columns, frame=columns.frame.filter(rows), folds=columns.folds.filter(rows))
    return replace(group, text_columns=texts, profile=profile_columns(texts), where=dict([subset]))


def _divide_rows(group: FileGroup, structure: _Structure) -> TextColumns:
    """Return the columns with rows divided by models and repetitions, within which ids differ."""
    texts = group.text_columns
    for column in structure.repeated_by:
        texts = texts.with_folds(column)
    return texts


_TRUTH_FILE_WORDS = frozenset(
    ("solution", "truth", "truths", "labels", "label", "answers", "answer", "gold", "groundtruth")
) | frozenset(("actual", "actuals", "target", "targets", "reference", "key", "ytest"))


def _find_truth_file(groups: Sequence[FileGroup], options: ColumnOptions) -> FileGroup | None:
    """Return the file of the truth where all files have the same columns, as on Kaggle."""
    for group in groups:
        if options.truth in group.spec_paths:
            return group
    columns = {frozenset(group.names) for group in groups}
    if len(groups) < 2 or any(group.preset for group in groups):  # noqa: PLR2004
        return None
    if len(columns) > 1:
        return _find_longer_truth_file(groups)
    values = [
        name
        for name in groups[0].names
        if id_name_rank(name) is None and name not in {options.id, options.fold}
    ]
    if len(values) != 1 or len(groups[0].names) > 2:  # noqa: PLR2004
        return None
    truth_groups = [group for group in groups if _has_truth_file_name(group)]
    if len(truth_groups) == 1:
        return truth_groups[0]
    integral = [g for g in groups if _column_profile(g, values[0]).is_integral]
    if len(integral) == 1:
        return integral[0]
    text = "which file has the truth?"
    choices = tuple(path for group in groups for path in group.spec_paths)
    raise UndecidedError(Question("truth", text, choices))


def _find_longer_truth_file(groups: Sequence[FileGroup]) -> FileGroup | None:
    """Return the file called a solution that has the two columns of all others, and more."""
    truth_groups = [group for group in groups if _has_truth_file_name(group)]
    others = {frozenset(group.names) for group in groups if group not in truth_groups}
    if len(truth_groups) != 1 or len(others) != 1:
        return None
    (columns,) = others
    is_longer = columns < set(truth_groups[0].names) and len(columns) == 2  # noqa: PLR2004
    has_id = any(id_name_rank(name) is not None for name in columns)
    return truth_groups[0] if is_longer and has_id else None


def _has_truth_file_name(group: FileGroup) -> bool:
    return bool(_TRUTH_FILE_WORDS & set(split_words(group.path.name.split(".")[0])))


def _infer_structures(
    groups: Sequence[FileGroup], options: ColumnOptions, truth_file: FileGroup | None
) -> dict[FileGroup, _Structure]:
    """Return the structure of each file; the truth is in columns that all files share."""
    shared = frozenset.intersection(*(frozenset(group.names) for group in groups))
    return {group: _infer_structure(group, options, truth_file, shared) for group in groups}


def _infer_structure(
    group: FileGroup,
    options: ColumnOptions,
    truth_file: FileGroup | None,
    shared: frozenset[str],
) -> _Structure:
    """Return the truth of a file, and the columns that divide its rows.

    The truth in a file of its own is one of the columns that all files share.
    """
    if group.preset is not None and group.preset.is_log:
        return _log_structure(group, group.preset)
    if group.preset is not None:
        return _Structure(_preset_truth(group, options), {})
    file, frame = group.profile, group.text_columns.frame
    role_columns: tuple[str | None, ...] = (
        options.id,
        options.fold,
        options.model,
        options.cluster,
    )
    truth = None
    if options.truth in group.names:
        truth = options.truth
    elif truth_file is None:
        truth = infer_truth_column(file, options, role_columns)
    elif truth_file is group:
        columns = tuple(column for column in file.columns if column.name in shared)
        truth = infer_truth_column(replace(file, columns=columns), options, role_columns) or next(
            (column.name for column in columns if id_name_rank(column.name) is None), None
        )
    settings: dict[str, Setting | None] = {"fold": options.fold or group.fold}
    settings["where"] = group.where
    role_columns = (
        *role_columns,
        truth,
        *(value for value in settings.values() if isinstance(value, str)),
    )
    model = options.model or infer_model_column(file, frame, truth, role_columns)
    rows = frame if model is None else frame.filter(pl.col(model) == frame[model][0])
    settings["repeat"] = infer_repeat_column(file, rows, truth, (*role_columns, model))
    settings["count"] = _infer_count_column(file, frame, (*role_columns, model))
    settings["cluster"] = options.cluster or _infer_cluster_column(
        group, (*role_columns, settings["count"]), (model, settings["repeat"])
    )
    return _Structure(
        truth, {key: value for key, value in settings.items() if value is not None}, model
    )


def _log_structure(group: FileGroup, preset: Preset) -> _Structure:
    """Return the columns of a log: models, epochs and questions that occur several times."""
    frame = group.text_columns.frame
    model = preset.column("model", group.names)
    repeat = preset.column("repeat", group.names)
    cluster = preset.column("cluster", group.names)
    settings: dict[str, Setting] = {}
    if repeat is not None and frame[repeat].n_unique() > 1:
        # Answers to one question in several epochs depend on each other.
        settings |= {"repeat": repeat, "cluster": preset.column("id", group.names) or repeat}
    keys = [name for name in (model, repeat, "scorer", "task") if name in frame.columns]
    if cluster is not None and frame.select(cluster, *keys).is_duplicated().any():
        settings["cluster"] = cluster
    if "scorer" in frame.columns and frame["scorer"].n_unique() > frame["task"].n_unique():
        settings["where"] = {"scorer": str(frame["scorer"].drop_nulls()[0])}
    truth, prediction = (
        preset.column("truth", group.names),
        preset.column("prediction", group.names),
    )
    if preset.outcome_columns and not _are_classes(frame, truth, prediction):
        truth, settings["prediction"] = preset.outcome_columns
    return _Structure(truth, settings, model)


def _are_classes(frame: pl.DataFrame, target: str | None, answer: str | None) -> bool:
    """Return whether the targets are classes: few, and no other text is an answer."""
    if target is None or answer is None or frame[target].null_count():
        return False
    targets = set(frame[target])
    others = {
        text
        for text in frame[answer].drop_nulls()
        if text not in targets and normalize_name(text) not in ABSTENTIONS
    }
    is_class = 1 < len(targets) <= min(_MAX_LOG_CLASSES, frame["case"].n_unique() // 2)
    return is_class and not others


_MAX_LOG_CLASSES = 26


def _infer_cluster_column(
    group: FileGroup, role_columns: Sequence[Setting | None], repeat_keys: Sequence[Setting | None]
) -> str | None:
    """Return the only column that is called a cluster and whose values repeat within folds."""
    frame = group.text_columns.frame
    repeat_columns = [name for name in repeat_keys if isinstance(name, str)]
    rows = frame.with_columns(group.text_columns.folds.alias(_FOLDS))
    candidates = [
        column.name
        for column in group.profile.columns
        if is_cluster_name(column.name)
        and column.name not in {*role_columns, *repeat_columns}
        and not frame[column.name].null_count()
        and rows.select(column.name, _FOLDS, *repeat_columns).n_unique()
        < (1 - _MAX_ID_REPEATED_SHARE) * rows.height
        and column.distinct_count > _MAX_SEGMENT_VALUES
    ]
    return candidates[0] if len(candidates) == 1 else None


_FOLDS = "= folds"
_COUNT_NAMES = ("n", "count", "counts", "freq", "frequency", "cases", "ncases", "num")


def _infer_count_column(
    file: FileProfile, frame: pl.DataFrame, role_columns: Sequence[str | None]
) -> str | None:
    """Return the column of counts of a table in which each combination of labels occurs once."""
    integral = [
        column.name
        for column in file.columns
        if column.kind == "integer"
        and (column.minimum or 0) >= 0
        and column.name not in role_columns
    ]
    name = find_by_name(integral, _COUNT_NAMES)
    if name is None or frame.drop(name).is_duplicated().any():
        return None
    labels = [column for column in file.columns if column.name != name]
    has_few_labels = all(column.distinct_count <= MAX_INTEGER_LABELS for column in labels)
    return name if has_few_labels and len(labels) > 1 and file.rows > 1 else None


def _preset_truth(group: FileGroup, options: ColumnOptions) -> str | None:
    if group.preset is None:
        return None
    if options.truth in group.names:
        return options.truth
    return group.preset.column("truth", group.names) or infer_truth_column(
        group.profile, options, ()
    )


def _non_id_columns(
    groups: Sequence[FileGroup], structures: Mapping[FileGroup, _Structure]
) -> list[str]:
    names = [name for group in groups if group.preset for name in group.preset.non_id_columns]
    names += [name for structure in structures.values() for name in structure.columns]
    return names + [group.fold for group in groups if group.fold]


def _has_predictions(group: FileGroup, truths: Mapping[FileGroup, str], id_: str | None) -> bool:
    """Return whether a file with the truth has predictions as well."""
    return any(
        has_prediction_name(name) and name not in {truths.get(group), id_} for name in group.names
    )


def _infer_common_target(truth_columns: Mapping[FileGroup, str]) -> TargetColumn:
    columns = [_column_profile(group, truth) for group, truth in truth_columns.items()]
    group, truth = next(iter(truth_columns.items()))
    if group.preset is not None and truth in (group.preset.outcome_columns or ()):
        return TargetColumn(truth, "binary", OUTCOMES)
    target = infer_target(columns)
    if target is None or (target.kind != "regression" and not target.labels):
        count = max(column.distinct_count for column in columns)
        text = (
            f"column `{columns[0].name}` has {count} different texts, which are no classes:"
            " which column is the truth?"
        )
        others = tuple(name for name in group.names if name != columns[0].name)
        raise UndecidedError(Question("truth", text, others))
    return target


def _column_profile(group: FileGroup, name: str) -> ColumnProfile:
    return next(column for column in group.profile.columns if column.name == name)


def _check_score(
    group: FileGroup, roles: ColumnRoles, truth: str | None, notes: list[str]
) -> ColumnRoles:
    """Return the roles without a score that is not the score of one class."""
    frame = group.text_columns.frame
    if roles.score is None or roles.prediction is None or roles.score not in frame.columns:
        return roles
    if is_confidence(frame, roles.score, roles.prediction):
        notes.append(
            f"`{roles.score}` is never below 0.5, so it is the confidence in the prediction and not"
            " the score of the positive class; it is not used"
        )
        return replace(roles, score=None)
    by_prediction = higher_scored_label(frame, roles.score, roles.prediction)
    by_truth = None if truth is None else higher_scored_label(frame, roles.score, truth)
    # 1 and 1.0 are one label.
    labels = canonicalize_labels([label for label in (by_prediction, by_truth) if label])
    if by_prediction is not None and by_truth is not None and len(set(labels.values())) > 1:
        notes.append(
            f"`{roles.score}` is higher where `{roles.prediction}` is {by_prediction}, but where"
            f" the truth is {by_truth}: check what it is the score of"
        )
    return roles


def _infer_positive(
    target: TargetColumn,
    roles: Mapping[FileGroup, Sequence[ColumnRoles]],
    truths: Mapping[FileGroup, str],
    options: ColumnOptions,
    notes: list[str],
) -> tuple[str | None, bool]:
    """Return the positive class, and whether it is certain; add what speaks against it."""
    if target.kind != "binary":
        return None, True
    if target.labels == OUTCOMES and options.positive is None:
        return OUTCOMES[0], True
    if options.positive is not None:
        _check_positive(options.positive, target, next(iter(truths)))
        return options.positive, True
    scored = [
        (group, column_roles)
        for group, classifier_roles in roles.items()
        for column_roles in classifier_roles
        if column_roles.score is not None and group.preset is None
    ]
    higher = {
        label
        for group, column_roles in scored
        for column in (column_roles.prediction or truths.get(group),)
        if column is not None
        and (
            label := higher_scored_label(group.text_columns.frame, column_roles.score or "", column)
        )
    }
    higher = {canonicalize_labels(target.labels).get(label, label) for label in higher}
    known_label = find_positive_label(target.labels)
    by_name = infer_positive_label(target, [column_roles.score for _, column_roles in scored])
    if len(higher) == 1 and (label := higher.pop()) in target.labels:
        if label == by_name or known_label != by_name:
            return label, True
        score = scored[0][1].score
        if all(column_roles.prediction is None for _, column_roles in scored):
            # A bad classifier would look like a good one of the other class.
            notes.append(
                f"`{score}` is higher where the truth is {label}: if it is the score of {label},"
                f" write `{format_toml_pair('positive', label)}`; as a score of {by_name} it has an"
                " area under the ROC curve below 0.5"
            )
            return by_name, False
        notes.append(
            f"`{score}` is higher where {label} is predicted, so {label} is the positive class: if"
            f" {by_name} is the class you look for, a score of it is needed"
        )
        return label, False
    return by_name, known_label is not None and known_label == by_name


def _check_positive(positive: str, target: TargetColumn, group: FileGroup) -> None:
    if positive not in target.labels:
        listing = ", ".join(target.labels[:MAX_COLUMNS_SHOWN])
        message = f"the positive class `{positive}` is no label of `{target.column}`: {listing}"
        help_text = did_you_mean(positive, target.labels)
        raise DataError(Diagnostic(POSITIVE_CLASS_ABSENT, message, Location(group.path), help_text))


def _unused_columns(
    groups: Sequence[FileGroup],
    classifiers: Sequence[InferredClassifier],
    target: TargetColumn,
    model: str | None,
) -> tuple[str, ...]:
    used = {target.column, model}
    patterns = []
    for classifier in classifiers:
        for key, value in classifier.settings.items():
            used |= set(value) if isinstance(value, Mapping) else {str(value)}
            patterns += [str(value)] if key == "probabilities" else []
    used |= {pattern.replace("{class}", label) for pattern in patterns for label in target.labels}
    table_groups = [group for group in groups if group.preset is None]
    # An object is used if one of its fields is.
    used |= {name.partition(".")[0] for name in used if name is not None and "." in name}
    return tuple(
        dict.fromkeys(name for group in table_groups for name in group.names if name not in used)
    )


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
    shared = {split_words(name)[:1] == ["submission"] for name in names}
    if len(names) > 1 and shared == {True}:
        # What the files of a competition are all called names no classifier.
        short_names = [re.sub(r"(?i)^submission[\W_]*", "", name) for name in names]
        names = short_names if all(short_names) else names
    counts = Counter(names)
    by_name: dict[str, tuple[FileGroup, ColumnRoles]] = {}
    for name, (group, own_roles) in zip(names, roles, strict=True):
        folder = "" if isinstance(group.path, RemoteUri) else group.path.parent.name
        unique_name = name if counts[name] == 1 else f"{folder} {name}".strip()
        is_free = unique_name.strip() and unique_name not in by_name
        by_name[unique_name if is_free else f"{unique_name} {len(by_name) + 1}".strip()] = (
            group,
            own_roles,
        )
    return by_name


def _classifier_settings(
    group: FileGroup,
    roles: ColumnRoles,
    truth: str,
    common: Mapping[str, str | None],
    structure: _Structure,
) -> dict[str, Setting]:
    if group.preset is not None:
        return {
            **_preset_settings(group, group.preset, truth, roles, common["id"]),
            **structure.settings,
        }
    settings: dict[str, Setting | None] = {
        "truth": truth,
        "prediction": roles.prediction,
        "score": roles.score,
        "probabilities": roles.probabilities,
        **structure.settings,
        **common,
        "decimal": "," if group.text_columns.has_decimal_commas else None,
        **group.part,
        "remote": True if isinstance(group.path, RemoteUri) else None,
        "threshold": roles.threshold,
    }
    return {key: value for key, value in settings.items() if value is not None}


def _preset_roles(group: FileGroup, target: TargetColumn) -> frozenset[str]:
    """Return which roles the columns of a preset have: score, probabilities, fold or id."""
    preset = group.preset
    if preset is None:
        return frozenset()
    # The probability of the predicted class is a score where there are two.
    score: tuple[PresetRole, ...] = ("score", "confidence") if target.kind == "binary" else ()
    columns = {
        pattern.replace("{class}", label)
        for pattern in preset.probability_patterns
        for label in target.labels
    }
    columns |= {
        pattern.replace("{number}", str(number))
        for pattern in preset.indexed_probability_patterns
        for number in range(len(target.labels))
    }
    roles = {
        "score": any(preset.column(role, group.names) for role in score),
        "probabilities": bool(columns & set(group.names)),
        "fold": group.fold is not None,
        "id": preset.column("id", group.names) is not None,
    }
    return frozenset(role for role, is_present in roles.items() if is_present)


def _preset_settings(
    group: FileGroup, preset: Preset, truth: str, roles: ColumnRoles, id_: str | None
) -> dict[str, Setting]:
    """Return the format, and the columns that the preset does not have."""
    settings: dict[str, Setting] = {"format": preset.name, **group.part}
    if preset.column("truth", group.names) != truth:
        settings["truth"] = truth
    if roles.prediction is not None and not preset.is_log:
        settings["prediction"] = roles.prediction
    if roles.score is not None and not preset.column("score", group.names):
        settings["score"] = roles.score
    if id_ is not None and normalize_name(id_) in ID_NAMES and not preset.column("id", group.names):
        settings["id"] = id_
    return settings


def _ask_for_truth(groups: Sequence[FileGroup]) -> Question:
    names = dict.fromkeys(name for group in groups for name in group.names)
    files = ", ".join(f"`{group.path.name}`" for group in groups[:3])
    return Question("truth", f"which column of {files} is the truth?", tuple(names))


def _ask_for_prediction(
    group: FileGroup, target: TargetColumn, role_columns: Sequence[str | None]
) -> Question:
    others = [column for column in group.profile.columns if column.name not in role_columns]
    numbers = [column.name for column in others if column.kind in {"integer", "number"}]
    if target.kind == "binary" and numbers:
        text = (
            f"`{group.path.name}` has no predictions beside the truth `{target.column}`: which"
            " numbers are scores of the positive class?"
        )
        return Question("score", text, tuple(numbers))
    text = f"which column of `{group.path.name}` is the prediction?"
    return Question("prediction", text, tuple(column.name for column in others))
