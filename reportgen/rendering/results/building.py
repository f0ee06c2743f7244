"""results.json from an evaluation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from reportgen.measures import CAPABILITIES
from reportgen.rendering.results.contract import (
    CapabilitiesResult,
    CellResult,
    DiscriminantResult,
    Results,
    TaskResult,
    TraditionalResult,
)
from reportgen.rendering.results.datasets import dataset_ranks, dataset_scores, dataset_tests
from reportgen.rendering.results.elsewhere import (
    CrossingResult,
    GuessingCellResult,
    GuessingCheckResult,
    GuessingResult,
    GuessingRowResult,
    PrevalenceResult,
)
from reportgen.rendering.results.rows import (
    ComparisonResult,
    ConfusionResult,
    FoldResult,
    InputResult,
    OmnibusResult,
    PublishedResult,
    RelationResult,
    ScoreResult,
)
from reportgen.rendering.results.thresholds import curve_rows, threshold_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.comparisons.elsewhere.prevalence import PrevalenceRow
    from reportgen.comparisons.verdicts.capabilities import CapabilityRow
    from reportgen.report.evaluation import Evaluation


def results_of(evaluation: Evaluation) -> Results:
    """Put everything that was found into the shape other programs rely on."""
    task = evaluation.spec.task
    return Results(
        title=evaluation.spec.title,
        task=TaskResult(
            kind=task.kind, classes=evaluation.predictions.classes, positive=task.positive
        ),
        inputs=tuple(map(InputResult.model_validate, evaluation.predictions.inputs)),
        confusion=tuple(_confusion(evaluation)),
        scores=tuple(_scores(evaluation)),
        folds=tuple(map(FoldResult.model_validate, evaluation.folds)),
        comparisons=tuple(map(ComparisonResult.model_validate, evaluation.differences)),
        omnibus=tuple(map(OmnibusResult.model_validate, evaluation.omnibus)),
        capabilities=CapabilitiesResult(
            traditional=tuple(
                TraditionalResult.model_validate(_cells(row, "traditional"))
                for row in evaluation.capabilities
            ),
            discriminant=tuple(
                DiscriminantResult.model_validate(_cells(row, "discriminant"))
                for row in evaluation.capabilities
            ),
        ),
        likelihood_relations=tuple(map(RelationResult.model_validate, evaluation.relations)),
        prevalence=tuple(map(_at_prevalence, evaluation.prevalence)),
        prevalence_crossings=tuple(map(CrossingResult.model_validate, evaluation.crossings)),
        guessing=_guessing(evaluation),
        dataset_scores=tuple(row for each in evaluation.datasets for row in dataset_scores(each)),
        dataset_ranks=tuple(row for each in evaluation.datasets for row in dataset_ranks(each)),
        dataset_tests=tuple(row for each in evaluation.datasets for row in dataset_tests(each)),
        curves=tuple(curve_rows(evaluation)),
        thresholds=tuple(threshold_rows(evaluation)),
        published=tuple(map(PublishedResult.model_validate, evaluation.published)),
        warnings=evaluation.warnings,
    )


_in_json = json.JSONEncoder(ensure_ascii=False).encode


def results_json(results: Results) -> str:
    """Write the results with one row a line, so that two runs can be compared line by line."""
    written = results.model_dump(mode="json", by_alias=True)
    keys = (f"  {json.dumps(key)}: {_lines(value, '  ')}" for key, value in written.items())
    return "{\n" + ",\n".join(keys) + "\n}\n"


def _lines(value: object, indent: str) -> str:
    inner = f"{indent}  "
    if isinstance(value, list) and value:
        rows = ",\n".join(f"{inner}{_in_json(row)}" for row in value)
        return f"[\n{rows}\n{indent}]"
    if isinstance(value, dict) and any(isinstance(part, list) and part for part in value.values()):
        parts = (f"{inner}{json.dumps(key)}: {_lines(part, inner)}" for key, part in value.items())
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
    return _in_json(value)


def _confusion(evaluation: Evaluation) -> Iterator[ConfusionResult]:
    tally = evaluation.predictions.confusion
    if tally is None:
        return
    for classifier in evaluation.measured:
        folds = tally.folds(classifier)
        for fold in (None, *folds):
            yield ConfusionResult(
                classifier=classifier,
                fold=fold,
                classes=tally.classes,
                counts=tally.matrix(classifier, fold),
            )


def _scores(evaluation: Evaluation) -> Iterator[ScoreResult]:
    # A value per class and fold would multiply the file; `folds` has their mean and variance.
    frame = evaluation.scores.frame.filter(
        evaluation.scores.frame["class"].is_null() | evaluation.scores.frame["fold"].is_null()
    )
    for row in frame.iter_rows(named=True):
        yield ScoreResult.model_validate(row)


def _at_prevalence(row: PrevalenceRow) -> PrevalenceResult:
    values: dict[str, float | None] = {}
    for name, score in row.scores.items():
        values |= {name: score.value, f"{name}_low": score.low, f"{name}_high": score.high}
    return PrevalenceResult.model_validate(
        {"classifier": row.classifier, "target": row.target, **values}
    )


def _guessing(evaluation: Evaluation) -> GuessingResult:
    audit = evaluation.guessing
    if audit is None:
        return GuessingResult()
    return GuessingResult(
        classifiers=tuple(map(GuessingRowResult.model_validate, audit.rows)),
        tables=tuple(map(GuessingCellResult.model_validate, audit.cells)),
        published=tuple(map(GuessingCheckResult.model_validate, audit.checks)),
    )


def _cells(row: CapabilityRow, table: str) -> dict[str, object]:
    cells = {
        name: CellResult.model_validate(cell)
        for name, cell in row.cells.items()
        if CAPABILITIES[name].table == table
    }
    return {"classifier": row.classifier, "class": row.class_, **cells}
