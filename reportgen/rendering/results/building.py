"""results.json from an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from reportgen.rendering.results.changes import change_rows
from reportgen.rendering.results.contract import (
    SCHEMA_NAME,
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
from reportgen.rendering.results.many import (
    ConfusionRows,
    ManyRows,
    ScoreRows,
    VerdictRows,
    in_json,
)
from reportgen.rendering.results.rows import (
    ComparisonResult,
    FoldResult,
    GateResult,
    InputResult,
    OmnibusResult,
    PublishedResult,
    RelationResult,
    ResultModel,
)
from reportgen.rendering.results.thresholds import curve_rows, threshold_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.comparisons.elsewhere.prevalence import PrevalenceRow
    from reportgen.report.evaluation import Evaluation

    Rows: TypeAlias = ManyRows | tuple[str | ResultModel, ...]
    Part: TypeAlias = str | ResultModel | Rows | Mapping[str, Rows]


def results_of(evaluation: Evaluation) -> Results:
    """Put everything that was found into the shape other programs rely on."""
    return Results.model_validate(
        {name: _validated(part) for name, part in parts_of(evaluation).items()}
    )


def results_json(evaluation: Evaluation) -> str:
    """Write the results with one row a line, so that two runs can be compared line by line."""
    return "".join((*_pieces(parts_of(evaluation), "\n"), "\n"))


def parts_of(evaluation: Evaluation) -> dict[str, Part]:
    """Return everything that was found, by its name in results.json."""
    task, datasets = evaluation.spec.task, evaluation.datasets
    return {
        "schema": SCHEMA_NAME,
        "title": evaluation.spec.title,
        "task": TaskResult(
            kind=task.kind, classes=evaluation.predictions.classes, positive=task.positive
        ),
        "inputs": tuple(map(InputResult.model_validate, evaluation.predictions.inputs)),
        "confusion": _confusion(evaluation),
        "scores": _scores(evaluation),
        "folds": tuple(map(FoldResult.model_validate, evaluation.folds)),
        "comparisons": tuple(map(ComparisonResult.model_validate, evaluation.differences)),
        "omnibus": tuple(map(OmnibusResult.model_validate, evaluation.omnibus)),
        "capabilities": {
            "traditional": _verdicts(TraditionalResult, evaluation),
            "discriminant": _verdicts(DiscriminantResult, evaluation),
        },
        "likelihood_relations": tuple(map(RelationResult.model_validate, evaluation.relations)),
        "dataset_scores": tuple(row for each in datasets for row in dataset_scores(each)),
        "dataset_ranks": tuple(row for each in datasets for row in dataset_ranks(each)),
        "dataset_tests": tuple(row for each in datasets for row in dataset_tests(each)),
        "prevalence": tuple(map(_at_prevalence, evaluation.prevalence)),
        "prevalence_crossings": tuple(map(CrossingResult.model_validate, evaluation.crossings)),
        "guessing": _guessing(evaluation),
        "curves": tuple(curve_rows(evaluation)),
        "thresholds": tuple(threshold_rows(evaluation)),
        "gates": tuple(map(GateResult.model_validate, evaluation.gates)),
        "changes": tuple(change_rows(evaluation.changes)),
        "published": tuple(map(PublishedResult.model_validate, evaluation.published)),
        "warnings": evaluation.warnings,
    }


def _confusion(evaluation: Evaluation) -> Rows:
    tally = evaluation.predictions.confusion
    return () if tally is None else ConfusionRows(tally, evaluation.measured)


def _scores(evaluation: Evaluation) -> ScoreRows:
    # A value per class and fold would multiply the file; `folds` has their mean and variance.
    frame = evaluation.scores.frame
    return ScoreRows(frame.filter(frame["class"].is_null() | frame["fold"].is_null()))


def _verdicts(kind: type[TraditionalResult | DiscriminantResult], evaluation: Evaluation) -> Rows:
    rows = evaluation.capabilities
    return VerdictRows(kind, rows) if rows else ()


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


def _validated(part: Part) -> object:
    """Return a part with every row as a model."""
    match part:
        case ManyRows():
            return tuple(part.models())
        case dict():
            return {name: _validated(rows) for name, rows in part.items()}
        case _:
            return part


def _pieces(part: object, line: str) -> Iterator[str]:
    """Yield the JSON of a part, one row a line; what has no rows stays on one line."""
    match part:
        case ResultModel():
            yield from _pieces(_plain(part), line)
        case dict() if any(_has_rows(value) for value in part.values()):
            start = "{"
            for name, value in part.items():
                yield f"{start}{line}  {in_json(name)}: "
                yield from _pieces(value, f"{line}  ")
                start = ","
            yield f"{line}}}"
        case ManyRows():
            yield from _rows(part.lines(), line)
        case tuple() | list():
            yield from _rows([in_json(_plain(row)) for row in part], line)
        case _:
            yield in_json(part)


def _rows(rows: Sequence[str], line: str) -> Iterator[str]:
    between = f",{line}  "
    yield from (f"[{line}  ", between.join(rows), f"{line}]") if rows else ("[]",)


def _has_rows(value: object) -> bool:
    return isinstance(value, (tuple, list, ManyRows)) and bool(value)


def _plain(row: object) -> object:
    return row.model_dump(mode="json", by_alias=True) if isinstance(row, ResultModel) else row
