"""From a spec to tallies: read, spell, join, count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.aggregates.aggregation import LoadedPredictions, aggregate
from reportgen.aggregates.model import Aggregates, Input, ScoreAggregates
from reportgen.predictions.cases import Cases, GroundTruth, read_cases, read_labels
from reportgen.predictions.diagnostics import format_count, map_collecting_errors
from reportgen.predictions.files import InputHashes
from reportgen.predictions.join import join_cases
from reportgen.predictions.labels import normalize_labels
from reportgen.predictions.memory import check_memory
from reportgen.predictions.remote import find_inputs
from reportgen.predictions.table import NO_FRAMES, InMemoryFrame

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.spec import Spec, SpecFile


@dataclass(frozen=True, slots=True)
class _FileContents:
    """Everything read, before it is joined."""

    cases: tuple[Cases, ...]
    ground_truths: dict[str, GroundTruth]
    input_hashes: InputHashes


def load_predictions(
    spec_file: SpecFile, frames: Mapping[str, InMemoryFrame] = NO_FRAMES, *, losses: bool = True
) -> Aggregates:
    """Read the files that a spec names, check them, join them by case and count.

    Instead of files a classifier may have a frame that a program gave. Without `losses` scores
    are only ranked: how good they are as probabilities is not asked for.
    """
    spec = spec_file.spec
    if spec.engine.kind == "spark":
        from reportgen.aggregates.backends.spark import count_on_spark

        return aggregate(spec, count_on_spark(spec_file, frames, losses=losses))
    files = _read_files(spec_file, frames)
    cases, classes = _join_labels(files.cases, files.ground_truths), tuple[str, ...]()
    if spec.task.kind != "regression":
        cases, classes = normalize_labels(spec_file, cases)
    joined, scores = None, ScoreAggregates()
    if cases:
        joined = join_cases(cases, files.ground_truths, identical=spec.data.cases == "identical")
    files.input_hashes.verify_unchanged()
    if joined is not None and _has_numeric_columns(spec, cases):
        from reportgen.aggregates.aggregation import aggregate_scores

        scores = aggregate_scores(spec.task, cases, joined, classes, losses=losses)
    warnings = tuple(_label_warnings(files))
    return aggregate(
        spec,
        LoadedPredictions(cases, classes, joined, tuple(_list_inputs(files)), warnings, scores),
    )


def _has_numeric_columns(spec: Spec, cases: Sequence[Cases]) -> bool:
    """Tell whether there is more to cases than labels."""
    scored = (each.data.score is not None or each.data.probabilities is not None for each in cases)
    return spec.task.kind == "regression" or any(scored)


def _read_files(spec_file: SpecFile, frames: Mapping[str, InMemoryFrame]) -> _FileContents:
    """Read every file, and tell the faults of all of them at once."""
    check_memory(spec_file)
    fingerprints = InputHashes()
    spec = spec_file.spec
    with_files = [
        number for number, each in enumerate(spec.classifiers) if each.predictions is not None
    ]
    read = map_collecting_errors(
        with_files, lambda number: _read_classifier(spec_file, number, fingerprints, frames)
    )
    cases = tuple(each for each, _ in read)
    return _FileContents(
        cases, {own.classifier: truths for own, truths in read if truths}, fingerprints
    )


def _read_classifier(
    spec_file: SpecFile,
    number: int,
    input_hashes: InputHashes,
    frames: Mapping[str, InMemoryFrame],
) -> tuple[Cases, GroundTruth | None]:
    """Read the predictions of a classifier, and the truth if it has a file of its own."""
    spec = spec_file.spec
    classifier = spec.classifiers[number]
    if classifier.name in frames:
        return read_cases(spec, classifier, (frames[classifier.name],)), None
    data = spec.data_settings_for(classifier)
    own = ("classifiers", number)
    keys, shared = (own, data) if classifier.labels is not None else (("data",), spec.data)
    named = (
        (classifier.predictions or (), lambda n: spec_file.locate(*own, "predictions", n)),
        ([data.labels] if data.labels else [], lambda _: spec_file.locate(*keys, "labels")),
    )
    found, labels = map_collecting_errors(
        zip(named, (data.remote, shared.remote), strict=True),
        lambda each: find_inputs(spec_file.folder, *each[0], remote=each[1]),
    )
    for file in (*found, *labels):
        input_hashes.submit(file.path)
    cases = read_cases(spec, classifier, found)
    return cases, read_labels(cases.data, spec.task, labels[0]) if labels else None


def _join_labels(
    cases: Sequence[Cases], ground_truths: dict[str, GroundTruth]
) -> tuple[Cases, ...]:
    """Give each case the truth of the labels file, where there is one."""
    return tuple(
        replace(
            each,
            frame=each.frame.drop("truth").join(
                ground_truths[each.classifier].frame, on="id", how="left", maintain_order="left"
            ),
        )
        if each.classifier in ground_truths
        else each
        for each in cases
    )


def _list_inputs(files: _FileContents) -> Iterable[Input]:
    for each in files.cases:
        for number, file in enumerate(each.files):
            sha256 = (
                file.sha256
                if isinstance(file, InMemoryFrame)
                else files.input_hashes.sha256(file.path)
            )
            yield Input(each.classifier, file.display_name, sha256, each.file_row_count(number))
        if each.classifier in files.ground_truths:
            truths = files.ground_truths[each.classifier]
            sha256 = files.input_hashes.sha256(truths.file.path)
            yield Input(each.classifier, truths.file.display_name, sha256, truths.rows)


def _label_warnings(files: _FileContents) -> list[str]:
    told = {
        f"`{truths.file.display_name}`: {format_count(truths.duplicate_count, 'row')} only repeating another row"
        for truths in files.ground_truths.values()
        if truths.duplicate_count
    }
    return sorted(told)
