"""The whole flow on one screen: read, tally, score, compare, report, render."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.comparisons import (
    capability_rows,
    check_published,
    comparability_warnings,
    likelihood_relations,
    summarise_folds,
)
from reportgen.measures import CAPABILITIES, Measure, chosen_measures, find_measure
from reportgen.predictions import Predictions, read_predictions
from reportgen.report import Evaluation
from reportgen.scores import Scores, score_counts, score_given_folds, score_regression
from reportgen.spec import read_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from reportgen.errors import Fault
    from reportgen.spec import Format, Spec, SpecFile


def evaluate(path: Path) -> Evaluation:
    """Read a spec and everything it names, and work out all there is to say."""
    spec_file = read_spec(path)
    return evaluate_spec(spec_file, read_predictions(spec_file))


def evaluate_spec(spec_file: SpecFile, predictions: Predictions) -> Evaluation:
    """Score and compare the classifiers."""
    spec = spec_file.spec
    shown = chosen_measures(spec.measures.show, spec.task.kind)
    scores = _scores(spec, predictions, _needed(spec, shown))
    by_key = scores.by_key()
    counted = [item.name for item in spec.classifiers if item.fold_scores is None]
    if predictions.confusion is None:
        counted = []
    classes: tuple[str | None, ...] = (None,) if spec.task.kind == "binary" else predictions.classes
    rows = capability_rows(by_key, counted, classes) if counted else ()
    folds = summarise_folds(scores)
    return Evaluation(
        spec_file=spec_file,
        predictions=predictions,
        shown=shown,
        scores=scores,
        by_key=by_key,
        folds=folds,
        capabilities=rows,
        relations=likelihood_relations(by_key, counted, classes) if counted else (),
        published=check_published(spec.published, by_key, rows, folds),
        warnings=(
            *spec_file.warnings,
            *predictions.warnings,
            *comparability_warnings(predictions.confusion, counted),
        ),
    )


def _needed(spec: Spec, shown: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Return the measures to work out: shown, published, or behind a capability."""
    names = [published.measure for published in spec.published]
    if spec.task.kind != "regression":
        names += [name for capability in CAPABILITIES.values() for name in capability.measures]
    others = (find_measure(name) for name in names)
    return tuple(dict.fromkeys([*shown, *(measure for measure in others if measure)]))


def _scores(spec: Spec, predictions: Predictions, measures: tuple[Measure, ...]) -> Scores:
    parts = [
        score_given_folds(classifier.name, _by_measure(classifier.fold_scores))
        for classifier in spec.classifiers
        if classifier.fold_scores is not None
    ]
    if predictions.confusion is not None:
        parts.append(score_counts(predictions.confusion, measures, spec.task.positive))
    if predictions.regression is not None:
        parts.append(score_regression(predictions.regression, measures))
    return Scores.concat(parts)


def _by_measure(given: Mapping[str, tuple[float, ...]]) -> dict[Measure, tuple[float, ...]]:
    """Resolve aliases: recall and sensitivity are one measure."""
    found = {find_measure(name): values for name, values in given.items()}
    return {measure: values for measure, values in found.items() if measure is not None}


@dataclass(frozen=True, slots=True)
class Built:
    """A report that was written, and what of it could not be made."""

    evaluation: Evaluation
    folder: Path
    files: tuple[str, ...]
    removed: tuple[str, ...]
    faults: tuple[Fault, ...]
    warnings: tuple[str, ...]


def build(
    path: Path,
    output: Path,
    formats: Collection[Format] | None = None,
    tell: Callable[[str], None] = lambda _step: None,
) -> Built:
    """Evaluate a spec and write its report into a folder of its own; `tell` hears of each step."""
    from reportgen.rendering.formats import render
    from reportgen.rendering.writing import ensure_writable, write_report

    spec_file = read_spec(path)
    folder = output / path.stem
    ensure_writable(folder)
    tell("reading predictions")
    predictions = read_predictions(spec_file)
    tell("measuring and comparing")
    evaluation = evaluate_spec(spec_file, predictions)
    rendered = render(evaluation, formats or evaluation.spec.output.formats, tell)
    tell("writing")
    return Built(
        evaluation=evaluation,
        folder=folder,
        removed=write_report(folder, rendered.files),
        files=tuple(rendered.files),
        faults=rendered.faults,
        warnings=rendered.warnings,
    )
