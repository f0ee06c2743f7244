"""From joined cases to everything later steps need to know of them."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import polars as pl

from reportgen.frozen import frozen
from reportgen.predictions.class_warnings import class_warnings
from reportgen.predictions.files import natural_key
from reportgen.predictions.model import Predictions, ScoreTallies
from reportgen.predictions.score_readings import reading_warnings
from reportgen.predictions.thresholds import score_warnings
from reportgen.tallies.confusion import ConfusionTally, confusion_schema, count_confusion
from reportgen.tallies.pairs import PairTally, count_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.joining import Joined
    from reportgen.predictions.model import Input
    from reportgen.spec import Spec
    from reportgen.tallies.regression import RegressionTally
    from reportgen.tallies.scatter import ScatterTally


@frozen
class Found:
    """The cases of all classifiers, each by itself and joined, and what their scores gave."""

    cases: tuple[Cases, ...]
    classes: tuple[str, ...]
    joined: Joined | None
    inputs: tuple[Input, ...]
    warnings: tuple[str, ...] = ()
    scores: ScoreTallies = field(default_factory=ScoreTallies)


def assemble(spec: Spec, found: Found) -> Predictions:
    """Count what was found, and say what is odd about it."""
    cases, classes, joined, scores = found.cases, found.classes, found.joined, found.scores
    warnings = [
        *found.warnings,
        *score_warnings(spec.task, cases),
        *reading_warnings(spec.task, cases),
    ]
    confusion = _confusion(spec, classes, joined)
    if confusion is not None and joined is not None:
        warnings += class_warnings(confusion, [each.classifier for each in cases])
    return Predictions(
        classes=classes,
        confusion=confusion,
        regression=_regression(spec, joined),
        inputs=found.inputs,
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


def _confusion(
    spec: Spec, classes: tuple[str, ...], joined: Joined | None
) -> ConfusionTally | None:
    if spec.task.kind == "regression":
        return None
    counted = [] if joined is None else [count_confusion(joined.frames, classes, joined.counts)]
    given = [
        {"classifier": each.name, "truth": truth, "prediction": prediction, "count": count}
        for each in spec.classifiers
        if each.confusion is not None
        for truth, row in zip(classes, each.confusion, strict=True)
        for prediction, count in zip(classes, row, strict=True)
    ]
    if given:
        counted.append(pl.DataFrame(given, schema=confusion_schema(classes)))
    if not counted:
        return None
    frame = pl.concat(counted)
    classifier, fold = _group_order(spec, frame)
    place = classifier * (frame["fold"].n_unique() + 1) + fold
    # By one number, because sorting by four takes four times as long.
    for label in ("truth", "prediction"):
        place = place * len(classes) + pl.col(label).to_physical()
    return ConfusionTally(frame.sort(place), classes)


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
    from reportgen.tallies.regression import RegressionTally, sum_regression

    sums = sum_regression(joined.stacked()).collect()
    return RegressionTally(sums.sort(*_group_order(spec, sums)))


def _scatter(spec: Spec, joined: Joined | None) -> ScatterTally | None:
    if spec.task.kind != "regression" or joined is None:
        return None
    from reportgen.tallies.scatter import count_scatter

    return count_scatter(joined.stacked())


def _group_order(spec: Spec, frame: pl.DataFrame) -> tuple[pl.Expr, pl.Expr]:
    """Return the order of rows: classifiers as in the spec, all folds before each, 2 before 10."""
    names = [each.name for each in spec.classifiers]
    folds = sorted(frame["fold"].drop_nulls().unique(), key=natural_key)
    return _rank("classifier", names), _rank("fold", folds).fill_null(-1)


def _rank(column: str, values: Sequence[str]) -> pl.Expr:
    ranks = {value: rank for rank, value in enumerate(values)}
    return pl.col(column).replace_strict(ranks, default=None, return_dtype=pl.Int64)
