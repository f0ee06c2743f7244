"""From a spec to tallies: read, spell, join, count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.predictions.assembling import Found, assemble
from reportgen.predictions.cases import Cases, read_cases
from reportgen.predictions.classifying import classify
from reportgen.predictions.collecting import read_each
from reportgen.predictions.given import NOTHING_GIVEN, GivenFrame
from reportgen.predictions.hashing import Fingerprints
from reportgen.predictions.joining import join_cases
from reportgen.predictions.memory import refuse_too_large
from reportgen.predictions.model import Input, Predictions, ScoreTallies
from reportgen.predictions.remote import find_inputs
from reportgen.predictions.truths import Truths, read_truths
from reportgen.predictions.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.spec import Spec, SpecFile


@frozen
class _Files:
    """Everything read, before it is joined."""

    cases: tuple[Cases, ...]
    truths: dict[str, Truths]
    fingerprints: Fingerprints


def read_predictions(
    spec_file: SpecFile, given: Mapping[str, GivenFrame] = NOTHING_GIVEN, *, losses: bool = True
) -> Predictions:
    """Read the files that a spec names, check them, join them by case and count.

    Instead of files a classifier may have a frame that a program gave. Without `losses` scores
    are only ranked: how good they are as probabilities is not asked for.
    """
    spec = spec_file.spec
    if spec.engine.kind == "spark":
        from reportgen.predictions.engines.spark import read_on_spark

        return assemble(spec, read_on_spark(spec_file, given, losses=losses))
    files = _read_files(spec_file, given)
    cases, classes = _with_truths(files.cases, files.truths), tuple[str, ...]()
    if spec.task.kind != "regression":
        cases, classes = classify(spec_file, cases)
    joined, scores = None, ScoreTallies()
    if cases:
        joined = join_cases(cases, files.truths, identical=spec.data.cases == "identical")
    files.fingerprints.refuse_changed()
    if joined is not None and _have_numbers(spec, cases):
        from reportgen.predictions.score_tallies import tally_scores

        scores = tally_scores(spec.task, cases, joined, classes, losses=losses)
    warnings = tuple(_truth_warnings(files))
    return assemble(spec, Found(cases, classes, joined, tuple(_inputs(files)), warnings, scores))


def _have_numbers(spec: Spec, cases: Sequence[Cases]) -> bool:
    """Tell whether there is more to cases than labels."""
    scored = (each.data.score is not None or each.data.probabilities is not None for each in cases)
    return spec.task.kind == "regression" or any(scored)


def _read_files(spec_file: SpecFile, given: Mapping[str, GivenFrame]) -> _Files:
    """Read every file, and tell the faults of all of them at once."""
    refuse_too_large(spec_file)
    fingerprints = Fingerprints()
    spec = spec_file.spec
    with_files = [
        number for number, each in enumerate(spec.classifiers) if each.predictions is not None
    ]
    read = read_each(
        with_files, lambda number: _read_classifier(spec_file, number, fingerprints, given)
    )
    cases = tuple(each for each, _ in read)
    return _Files(cases, {own.classifier: truths for own, truths in read if truths}, fingerprints)


def _read_classifier(
    spec_file: SpecFile,
    number: int,
    fingerprints: Fingerprints,
    given: Mapping[str, GivenFrame],
) -> tuple[Cases, Truths | None]:
    """Read the predictions of a classifier, and the truth if it has a file of its own."""
    spec = spec_file.spec
    classifier = spec.classifiers[number]
    if classifier.name in given:
        return read_cases(spec, classifier, (given[classifier.name],)), None
    data = spec.data_of(classifier)
    own = ("classifiers", number)
    keys, shared = (own, data) if classifier.labels is not None else (("data",), spec.data)
    named = (
        (classifier.predictions or (), lambda n: spec_file.place(*own, "predictions", n)),
        ([data.labels] if data.labels else [], lambda _: spec_file.place(*keys, "labels")),
    )
    found, labels = read_each(
        zip(named, (data.remote, shared.remote), strict=True),
        lambda each: find_inputs(spec_file.folder, *each[0], remote=each[1]),
    )
    for file in (*found, *labels):
        fingerprints.take(file.path)
    cases = read_cases(spec, classifier, found)
    return cases, read_truths(cases.data, spec.task, labels[0]) if labels else None


def _with_truths(cases: Sequence[Cases], truths: dict[str, Truths]) -> tuple[Cases, ...]:
    """Give each case the truth of the labels file, where there is one."""
    return tuple(
        replace(
            each,
            frame=each.frame.drop("truth").join(
                truths[each.classifier].frame, on="id", how="left", maintain_order="left"
            ),
        )
        if each.classifier in truths
        else each
        for each in cases
    )


def _inputs(files: _Files) -> Iterable[Input]:
    for each in files.cases:
        for number, file in enumerate(each.files):
            sha256 = (
                file.sha256
                if isinstance(file, GivenFrame)
                else files.fingerprints.sha256(file.path)
            )
            yield Input(each.classifier, file.written, sha256, each.rows_of(number))
        if each.classifier in files.truths:
            truths = files.truths[each.classifier]
            sha256 = files.fingerprints.sha256(truths.file.path)
            yield Input(each.classifier, truths.file.written, sha256, truths.rows)


def _truth_warnings(files: _Files) -> list[str]:
    told = {
        f"`{truths.file.written}`: {counted(truths.repeated, 'row')} only repeating another row"
        for truths in files.truths.values()
        if truths.repeated
    }
    return sorted(told)
