"""Loading predictions: read the files that a spec names, normalize labels, join and audit cases."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from reportgen.errors import DataError, Diagnostic
from reportgen.errors.spec import NOT_SUPPORTED_BY_ENGINE
from reportgen.predictions.attributes import attribute_columns, attribute_warnings
from reportgen.predictions.cases import Cases, GroundTruth, read_cases, read_labels
from reportgen.predictions.diagnostics import format_count, map_collecting_errors
from reportgen.predictions.files import InputHashes, verify_pinned_hashes
from reportgen.predictions.join import JoinedCases, cluster_fold_warnings, join_cases
from reportgen.predictions.labels import normalize_labels
from reportgen.predictions.memory import check_memory
from reportgen.predictions.pooling import check_pooled_cases
from reportgen.predictions.remote import find_inputs
from reportgen.predictions.table import NO_FRAMES, GroupedRows, InMemoryFrame
from reportgen.predictions.unanswered import UnansweredCases, resolve_unanswered
from reportgen.spec import spec_file_for_dataset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from reportgen.spec import DataSet, SpecFile

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a classifier; `sha256` is None for remote files and on Spark: not hashed.

    `rows` counts the rows read, without those that `where` leaves out.
    """

    classifier: str
    path: str
    sha256: str | None
    rows: int


@dataclass(frozen=True, slots=True)
class LoadedPredictions:
    """The cases of all classifiers: of each classifier by itself, and joined.

    `joined` is None where no classifier has predictions, only confusion matrices or fold values.
    With several data sets all cases are in `datasets`. On Spark nothing is loaded here: equal rows
    are grouped where the files are by `reportgen.aggregates.aggregation.aggregate`.
    """

    cases: tuple[Cases, ...] = ()
    classes: tuple[str, ...] = ()
    joined: JoinedCases | None = None
    inputs: tuple[Input, ...] = ()
    warnings: tuple[str, ...] = ()
    datasets: Mapping[str, LoadedPredictions] = field(default_factory=dict)
    unanswered: UnansweredCases | None = None
    """The cases without an answer; None if the spec allows none."""
    score_views: tuple[LoadedPredictions, ...] = ()
    """Where an engine binned scores: the cases by the score of one classifier, or of two."""
    predicted_at: Callable[[Mapping[str, float]], LoadedPredictions] | None = None
    """Where an engine binned scores: the cases predicted at thresholds by classifier."""


@dataclass(frozen=True, slots=True)
class _FileContents:
    """The cases and labels of all files before they are joined."""

    cases: tuple[Cases, ...]
    ground_truths: dict[str, GroundTruth]
    input_hashes: InputHashes


def load_predictions(
    spec_file: SpecFile, frames: Mapping[str, InMemoryFrame] = NO_FRAMES
) -> LoadedPredictions:
    """Read the prediction files of a spec, check them and join them by case.

    Args:
        spec_file: the spec, with the folder that paths are relative to.
        frames: in-memory predictions by classifier, used instead of the classifier's files.

    Raise a DataError with the diagnostics of all files if any has invalid content.
    """
    if spec_file.spec.engine.kind == "spark":
        _check_no_frames(frames)
        return LoadedPredictions()
    if spec_file.spec.datasets:
        return LoadedPredictions(
            datasets=map_datasets(spec_file, lambda part, _dataset: _load_joined_cases(part))
        )
    return _load_joined_cases(spec_file, frames)


def map_datasets(
    spec_file: SpecFile, function: Callable[[SpecFile, DataSet], _Result]
) -> dict[str, _Result]:
    """Return the results of a function for the spec of each data set, by the data set's name.

    Raise a DataError with the diagnostics of all data sets if the function raises any. Each
    message names its data set, because all data sets share their locations in the spec.
    """
    datasets = spec_file.spec.datasets

    def call(dataset: DataSet) -> _Result:
        try:
            return function(spec_file_for_dataset(spec_file, dataset), dataset)
        except DataError as error:
            raise DataError(
                *(
                    replace(diagnostic, message=f"data set `{dataset.name}`: {diagnostic.message}")
                    for diagnostic in error.diagnostics
                )
            ) from None

    results = map_collecting_errors(datasets, call)
    return {dataset.name: result for dataset, result in zip(datasets, results, strict=True)}


def load_grouped_rows(
    spec_file: SpecFile,
    rows: Mapping[str, GroupedRows],
    audit_join: Callable[[Sequence[Cases], JoinedCases], JoinedCases],
) -> LoadedPredictions:
    """Read rows that an engine joined and grouped, as `load_predictions` reads files.

    Args:
        spec_file: the spec; it names the columns of id and count of the rows.
        rows: the rows by classifier.
        audit_join: returns the join with the audits of all rows, of which some were left out.
    """
    return _load_joined_cases(spec_file, rows, audit_join)


def _load_joined_cases(
    spec_file: SpecFile,
    frames: Mapping[str, InMemoryFrame | GroupedRows] = NO_FRAMES,
    audit_join: Callable[[Sequence[Cases], JoinedCases], JoinedCases] = lambda _, joined: joined,
) -> LoadedPredictions:
    spec = spec_file.spec
    files = _read_files(spec_file, frames)
    warnings = [
        *_label_warnings(files),
        *attribute_warnings(files.cases),
        *(warning for item in files.cases for warning in check_pooled_cases(spec, item)),
    ]
    cases, classes = _join_labels(files.cases, files.ground_truths), tuple[str, ...]()
    if spec.task.kind != "regression":
        cases, classes = normalize_labels(spec_file, cases)
    joined = unanswered = None
    if cases:
        joined = join_cases(cases, files.ground_truths, identical=spec.data.cases == "identical")
        joined = audit_join(cases, joined)
        joined, unanswered = resolve_unanswered(spec, joined, classes)
        warnings += cluster_fold_warnings(joined)
    files.input_hashes.verify_unchanged()
    return LoadedPredictions(
        cases,
        classes,
        joined,
        tuple(_list_inputs(files)),
        tuple(dict.fromkeys(warnings)),
        unanswered=unanswered,
    )


def _check_no_frames(frames: Mapping[str, InMemoryFrame | GroupedRows]) -> None:
    """Raise if there are in-memory frames, which Spark cannot count."""
    if frames:
        message = "in-memory frames cannot be evaluated on Spark"
        raise DataError(
            Diagnostic(NOT_SUPPORTED_BY_ENGINE, message, help="take `[engine]` out of the spec")
        )


def _read_files(
    spec_file: SpecFile, frames: Mapping[str, InMemoryFrame | GroupedRows]
) -> _FileContents:
    """Read the files of all classifiers, or raise the diagnostics of all of them together."""
    if not any(isinstance(frame, GroupedRows) for frame in frames.values()):
        if not frames:
            verify_pinned_hashes(spec_file)
        check_memory(spec_file)
    input_hashes = InputHashes()
    spec = spec_file.spec
    with_files = [
        number for number, item in enumerate(spec.classifiers) if item.predictions is not None
    ]
    cases_and_truths = map_collecting_errors(
        with_files, lambda number: _read_classifier(spec_file, number, input_hashes, frames)
    )
    cases = tuple(item for item, _ in cases_and_truths)
    return _FileContents(
        cases,
        {item.classifier: truths for item, truths in cases_and_truths if truths},
        input_hashes,
    )


def _read_classifier(
    spec_file: SpecFile,
    number: int,
    input_hashes: InputHashes,
    frames: Mapping[str, InMemoryFrame | GroupedRows],
) -> tuple[Cases, GroundTruth | None]:
    """Return the cases of a classifier, and its labels file if it has one."""
    spec = spec_file.spec
    classifier = spec.classifiers[number]
    if classifier.name in frames:
        return read_cases(spec, classifier, (frames[classifier.name],)), None
    data = spec.data_settings_for(classifier)
    key_path, files_path = ("classifiers", number), spec.predictions_path(number)
    keys, shared = (key_path, data) if classifier.labels is not None else (("data",), spec.data)
    sources = (
        (classifier.predictions or (), lambda n: spec_file.locate(*files_path, n)),
        ([data.labels] if data.labels else [], lambda _: spec_file.locate(*keys, "labels")),
    )
    files, labels = map_collecting_errors(
        zip(sources, (data.remote, shared.remote), strict=True),
        lambda item: find_inputs(spec_file.folder, *item[0], remote=item[1]),
    )
    for file in (*files, *labels):
        input_hashes.submit(file.path)
    cases = read_cases(spec, classifier, files)
    if not labels:
        return cases, None
    columns = {
        role: name
        for role, name in attribute_columns(spec, cases.data).items()
        if name not in cases.tables[0].names
    }
    return cases, read_labels(cases.data, spec.task, labels[0], columns)


def _join_labels(
    cases: Sequence[Cases], ground_truths: dict[str, GroundTruth]
) -> tuple[Cases, ...]:
    """Replace the truth of cases by that of the labels file, where there is one."""
    return tuple(
        replace(
            item,
            frame=item.frame.drop("truth").join(
                ground_truths[item.classifier].frame,
                on="id",
                how="left",
                maintain_order="left",
            ),
        )
        if item.classifier in ground_truths
        else item
        for item in cases
    )


def _list_inputs(files: _FileContents) -> Iterable[Input]:
    for item in files.cases:
        for number, file in enumerate(item.files):
            match file:
                case InMemoryFrame():
                    sha256: str | None = file.sha256
                case GroupedRows():
                    sha256 = None
                case _:
                    sha256 = files.input_hashes.sha256(file.path)
            yield Input(
                item.classifier,
                file.display_name,
                sha256,
                item.file_row_count(number),
            )
        if item.classifier in files.ground_truths:
            labels = files.ground_truths[item.classifier]
            sha256 = files.input_hashes.sha256(labels.file.path)
            yield Input(item.classifier, labels.file.display_name, sha256, labels.rows)


def _label_warnings(files: _FileContents) -> list[str]:
    warnings = {
        f"`{labels.file.display_name}`: {format_count(labels.duplicate_count, 'duplicate row')}"
        for labels in files.ground_truths.values()
        if labels.duplicate_count
    }
    return sorted(warnings)
