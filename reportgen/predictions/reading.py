"""From a spec to tallies: read, spell, join, count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.predictions.cases import Cases, read_cases
from reportgen.predictions.class_places import as_places
from reportgen.predictions.class_warnings import class_warnings
from reportgen.predictions.collecting import read_each
from reportgen.predictions.files import find_files, natural_key
from reportgen.predictions.given import NOTHING_GIVEN, GivenFrame
from reportgen.predictions.hashing import Fingerprints
from reportgen.predictions.joining import Joined, join_cases
from reportgen.predictions.label_places import LabelPlaces
from reportgen.predictions.labels import canonical_spellings, known_labels, resolve_classes
from reportgen.predictions.model import Input, Predictions
from reportgen.predictions.probabilities import read_probabilities
from reportgen.predictions.score_tallies import ScoreTallies, reading_warnings, tally_scores
from reportgen.predictions.thresholds import derive_predictions, score_warnings
from reportgen.predictions.truths import Truths, read_truths
from reportgen.predictions.wording import counted
from reportgen.tallies.confusion import CONFUSION_SCHEMA, ConfusionTally, count_confusion
from reportgen.tallies.pairs import PairTally, count_pairs
from reportgen.tallies.regression import RegressionTally, sum_regression
from reportgen.tallies.scatter import ScatterTally, count_scatter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.spec import Spec, SpecFile

_LABEL_COLUMNS = ("truth", "prediction", "written")


@dataclass(frozen=True, slots=True)
class _Files:
    """Everything read, before it is joined."""

    cases: tuple[Cases, ...]
    truths: dict[str, Truths]
    fingerprints: Fingerprints


def read_predictions(
    spec_file: SpecFile, given: Mapping[str, GivenFrame] = NOTHING_GIVEN
) -> Predictions:
    """Read the files that a spec names, check them, join them by case and count.

    Instead of files a classifier may have a frame that a program gave.
    """
    spec = spec_file.spec
    files = _read_files(spec_file, given)
    classes: tuple[str, ...] = ()
    if spec.task.kind == "regression":
        cases = _with_truths(files.cases, files.truths)
    else:
        cases, classes = _classify(spec_file, files)
    joined = None
    if cases:
        joined = join_cases(cases, files.truths, identical=spec.data.cases == "identical")
    files.fingerprints.refuse_changed()
    warnings = [
        *_truth_warnings(files),
        *score_warnings(spec.task, cases),
        *reading_warnings(spec.task, cases),
    ]
    confusion = _confusion(spec, classes, joined)
    if confusion is not None and joined is not None:
        warnings += class_warnings(confusion, [each.classifier for each in cases])
    scores = ScoreTallies() if joined is None else tally_scores(spec.task, cases, joined, classes)
    return Predictions(
        classes=classes,
        confusion=confusion,
        regression=_regression(spec, joined),
        inputs=tuple(_inputs(files)),
        audits=() if joined is None else joined.audits,
        joined_by=None if joined is None else joined.joined_by,
        case_count=None if joined is None else joined.case_count,
        warnings=(() if joined is None else joined.warnings) + tuple(warnings),
        distinct_cases=None if joined is None else joined.distinct_cases,
        moved_between_folds=0 if joined is None else joined.moved_between_folds,
        pairs=_pairs(classes, cases, joined),
        score_readings=scores.readings,
        curves=scores.curves,
        ranking=scores.ranking,
        placements=scores.placements,
        probability=scores.probability,
        calibration=scores.calibration,
        paired_losses=scores.paired_losses,
        scatter=_scatter(spec, joined),
    )


def _read_files(spec_file: SpecFile, given: Mapping[str, GivenFrame]) -> _Files:
    """Read every file, and tell the faults of all of them at once."""
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
    alone = sum(each.predictions is not None for each in spec.classifiers) == 1
    if classifier.name in given:
        return read_cases(spec, classifier, (given[classifier.name],), alone=alone), None
    data = spec.data_of(classifier)
    own = ("classifiers", number)
    keys = own if classifier.labels is not None else ("data",)
    found, labels = read_each(
        (
            (classifier.predictions or (), lambda n: spec_file.place(*own, "predictions", n)),
            ([data.labels] if data.labels else [], lambda _: spec_file.place(*keys, "labels")),
        ),
        lambda paths: find_files(spec_file.folder, *paths),
    )
    for file in (*found, *labels):
        fingerprints.take(file.path)
    cases = read_cases(spec, classifier, found, alone=alone)
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


def _classify(spec_file: SpecFile, files: _Files) -> tuple[tuple[Cases, ...], tuple[str, ...]]:
    """Spell labels alike, derive predictions from scores, and settle the classes."""
    spec = spec_file.spec
    if not files.cases:
        return (), tuple(spec.task.classes or ())
    cases = _respell(spec, _with_truths(files.cases, files.truths))
    places = LabelPlaces(spec_file, cases)
    cases = derive_predictions(spec.task, cases, places)
    found = {each.classifier: each.labels() for each in cases}
    classes = resolve_classes(spec.task, found, LabelPlaces(spec_file, cases))
    cases = as_places(cases, classes)
    return read_probabilities(spec.task, cases, classes), classes


def _respell(spec: Spec, cases: Sequence[Cases]) -> tuple[Cases, ...]:
    written: set[str] = set().union(*(each.labels() for each in cases))
    spellings = canonical_spellings(written, known_labels(spec.task))
    changed = {old: new for old, new in spellings.items() if old != new}
    if not changed:
        return tuple(cases)
    spelled = pl.col(_LABEL_COLUMNS).cast(pl.String).replace(changed).cast(pl.Categorical)
    return tuple(replace(each, frame=each.frame.with_columns(spelled)) for each in cases)


def _confusion(
    spec: Spec, classes: tuple[str, ...], joined: Joined | None
) -> ConfusionTally | None:
    if spec.task.kind == "regression":
        return None
    counted = [] if joined is None else [count_confusion(joined.frames, joined.counts)]
    given = [
        {"classifier": each.name, "truth": truth, "prediction": prediction, "count": count}
        for each in spec.classifiers
        if each.confusion is not None
        for truth, row in zip(classes, each.confusion, strict=True)
        for prediction, count in zip(classes, row, strict=True)
    ]
    if given:
        counted.append(pl.DataFrame(given, schema=CONFUSION_SCHEMA))
    if not counted:
        return None
    frame = pl.concat(counted)
    by_class = (_rank(name, classes) for name in ("truth", "prediction"))
    return ConfusionTally(frame.sort(*_group_order(spec, frame), *by_class), classes)


def _pairs(
    classes: tuple[str, ...], cases: Sequence[Cases], joined: Joined | None
) -> PairTally | None:
    if joined is None or not classes or len(cases) < 2:  # noqa: PLR2004  # a pair is two
        return None
    counted = count_pairs(joined.frames, joined.counts)
    once = joined.distinct_cases or joined.case_count
    return PairTally(counted, classes, once / joined.case_count)


def _regression(spec: Spec, joined: Joined | None) -> RegressionTally | None:
    if spec.task.kind != "regression" or joined is None:
        return None
    sums = sum_regression(joined.stacked()).collect()
    return RegressionTally(sums.sort(*_group_order(spec, sums)))


def _scatter(spec: Spec, joined: Joined | None) -> ScatterTally | None:
    if spec.task.kind != "regression" or joined is None:
        return None
    return count_scatter(joined.stacked())


def _group_order(spec: Spec, frame: pl.DataFrame) -> tuple[pl.Expr, pl.Expr]:
    """Return the order of rows: classifiers as in the spec, all folds before each, 2 before 10."""
    names = [each.name for each in spec.classifiers]
    folds = sorted(frame["fold"].drop_nulls().unique(), key=natural_key)
    return _rank("classifier", names), _rank("fold", folds).fill_null(-1)


def _rank(column: str, values: Sequence[str]) -> pl.Expr:
    ranks = {value: rank for rank, value in enumerate(values)}
    return pl.col(column).replace_strict(ranks, default=None, return_dtype=pl.Int64)


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
