"""The whole flow on one screen: read, tally, score, compare, report, render."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.comparisons.comparability import comparability_warnings
from reportgen.comparisons.declared import (
    dataset_warnings,
    declared_measures,
    primary_warnings,
)
from reportgen.comparisons.elsewhere.guessing import audit_guessing
from reportgen.comparisons.elsewhere.prevalence import (
    prevalence_curves,
    prevalence_rows,
    rates_of,
)
from reportgen.comparisons.gates.outcome import gate_warnings
from reportgen.comparisons.on_demand import (
    best_thresholds,
    changes_since,
    fold_summaries,
    gate_outcomes,
    omnibus_tests,
    prevalence_crossings,
    published_checks,
    tested_differences,
)
from reportgen.comparisons.over_time.past import NO_PAST, UNKNOWN_PAST
from reportgen.comparisons.verdicts.backing import Evidence, back_capabilities, back_relations
from reportgen.comparisons.verdicts.capabilities import capability_rows
from reportgen.comparisons.verdicts.relations import likelihood_relations
from reportgen.frozen import frozen
from reportgen.intervals.attaching import with_intervals
from reportgen.measures import CAPABILITIES, Family, Measure, chosen_measures, find_measure
from reportgen.predictions import Predictions, read_predictions
from reportgen.predictions.given import NOTHING_GIVEN
from reportgen.report.evaluation import Evaluation
from reportgen.scores import (
    Scores,
    score_counts,
    score_given_folds,
    score_probabilities,
    score_ranking,
    score_regression,
)
from reportgen.scores.measurable import left_out_warnings, measurable
from reportgen.spec import read_spec, spec_of
from reportgen.tallies.blocks import beside

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from reportgen.comparisons.datasets.ranking import DatasetComparison
    from reportgen.comparisons.over_time.past import Past
    from reportgen.errors import Fault
    from reportgen.predictions import GivenFrame
    from reportgen.spec import Detail, Format, Spec, SpecFile


def evaluate_spec(path: Path) -> Evaluation:
    """Read a spec and everything it names, and work out all there is to say."""
    return evaluate_file(read_spec(path))


def evaluate_file(
    spec_file: SpecFile, given: Mapping[str, GivenFrame] = NOTHING_GIVEN
) -> Evaluation:
    """Read everything that a spec names and is not given, and work out all there is to say."""
    from reportgen.rendering.page.look import read_look

    # What is wrong with the look is said before the work, not after it.
    read_look(spec_file)
    return measure_and_compare(spec_file, read_predictions(spec_file, given), UNKNOWN_PAST)


def measure_and_compare(
    spec_file: SpecFile, predictions: Predictions, past: Past = NO_PAST
) -> Evaluation:
    """Score and compare the classifiers, with each other and with what earlier runs found."""
    spec = spec_file.spec
    past = past.at_level(spec.intervals.level)
    # Their resamples take longest, and one core.
    thresholds = beside(best_thresholds, spec, predictions)
    shown = measurable(
        chosen_measures(spec.measures.show, spec.task.kind), predictions, _given_measures(spec)
    )
    scores = _limited(spec, predictions, _scores(spec, predictions, _needed(spec, shown)))
    by_key = scores.by_key()
    counted = [item.name for item in spec.classifiers if item.fold_scores is None]
    if predictions.confusion is None:
        counted = []
    classes: tuple[str | None, ...] = (None,) if spec.task.kind == "binary" else predictions.classes
    differences = tested_differences(spec, predictions, scores, by_key, shown)
    evidence = Evidence.of(differences)
    related = likelihood_relations(by_key, counted, classes) if counted else ()
    rows = back_capabilities(
        capability_rows(by_key, counted, classes) if counted else (), by_key, related, evidence
    )
    folds = fold_summaries(spec, predictions, scores)
    gates = gate_outcomes(spec_file, predictions, scores, differences, folds, past)
    over_datasets = _over_datasets(spec, predictions, shown)
    rates = rates_of(spec, predictions, counted)
    targets = spec.prevalence.targets if spec.prevalence else ()
    used = rates if targets else ()
    return Evaluation(
        spec_file=spec_file,
        predictions=predictions,
        shown=shown,
        scores=scores,
        by_key=by_key,
        folds=folds,
        capabilities=rows,
        relations=back_relations(related, evidence),
        published=published_checks(spec, by_key, rows, folds, rates),
        prevalence=prevalence_rows(used, targets, spec.intervals),
        prevalence_curves=prevalence_curves(used),
        crossings=prevalence_crossings(spec, predictions, used),
        guessing=audit_guessing(rates, spec.comparison.alpha, spec.guessing),
        evidence=evidence,
        differences=differences,
        omnibus=omnibus_tests(predictions, counted),
        warnings=(
            *spec_file.warnings,
            *predictions.warnings,
            *left_out_warnings(spec.measures.show or (), shown),
            *comparability_warnings(predictions.confusion, counted),
            *primary_warnings(spec.comparison, differences),
            *dataset_warnings(spec, over_datasets),
            *gate_warnings(gates),
        ),
        datasets=over_datasets,
        thresholds=thresholds.result(),
        gates=gates,
        changes=changes_since(spec_file, predictions, by_key, shown, folds, past),
    )


def _limited(spec: Spec, predictions: Predictions, scores: Scores) -> Scores:
    """Give every score its interval."""
    limited = with_intervals(
        scores,
        predictions.confusion,
        predictions.regression,
        spec.intervals,
        positive=spec.task.positive,
        weights={each.name: predictions.weight_of(each.name) for each in spec.classifiers},
    )
    if predictions.ranking is None and predictions.probability is None:
        return limited
    from reportgen.intervals.scores import with_score_intervals

    return with_score_intervals(limited, predictions, spec.intervals)


def _over_datasets(
    spec: Spec, predictions: Predictions, shown: tuple[Measure, ...]
) -> tuple[DatasetComparison, ...]:
    """Score every data set by itself, and compare the classifiers over all of them."""
    if not spec.dataset_names:
        return ()
    from reportgen.comparisons.datasets.ranking import compare_datasets

    given = [name for each in spec.classifiers for name in each.dataset_scores or {}]
    named = (find_measure(name) for name in (*given, spec.comparison.primary or ""))
    measures = tuple(dict.fromkeys([*shown, *(measure for measure in named if measure)]))
    measured = {
        dataset.name: _scores(spec_of(spec, dataset), predictions.datasets[dataset.name], measures)
        for dataset in spec.datasets
    }
    return compare_datasets(spec, shown, measured)


def _needed(spec: Spec, shown: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Return the measures to work out: shown, declared, published, or behind a gate or ability."""
    names = [published.measure for published in spec.published]
    names += [gate.measure for gate in spec.gates]
    names += [measure.name for measure in declared_measures(spec.comparison)]
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
    if predictions.ranking is not None:
        parts.append(score_ranking(predictions.ranking, measures, spec.task.positive))
    if predictions.probability is not None:
        parts.append(score_probabilities(predictions.probability, measures))
    if predictions.regression is not None:
        parts.append(score_regression(predictions.regression, measures))
    return Scores.concat(parts)


def _given_measures(spec: Spec) -> set[str]:
    """Return the measures whose values a classifier brings with it."""
    given = [
        name
        for each in spec.classifiers
        for table in (each.fold_scores, each.dataset_scores)
        for name in table or {}
    ]
    return {measure.name for name in given if (measure := find_measure(name)) is not None}


def _by_measure(given: Mapping[str, tuple[float, ...]]) -> dict[Measure, tuple[float, ...]]:
    """Resolve aliases: recall and sensitivity are one measure."""
    found = {find_measure(name): values for name, values in given.items()}
    return {measure: values for measure, values in found.items() if measure is not None}


@frozen
class Made:
    """A report that is ready to be written, and what of it could not be made."""

    evaluation: Evaluation
    folder: Path
    files: Mapping[str, bytes]
    faults: tuple[Fault, ...]
    warnings: tuple[str, ...]

    def write(self) -> tuple[str, ...]:
        """Put the report in the place of the earlier one; return the files gone with that."""
        from reportgen.rendering.writing import write_report

        return write_report(self.folder, self.files)


def make(
    spec_file: SpecFile,
    folder: Path,
    tell: Callable[[str], None] = lambda _step: None,
    past: Past = NO_PAST,
) -> Made:
    """Evaluate a spec and render its report for a folder; `tell` hears of each step."""
    from reportgen.rendering.formats import render
    from reportgen.rendering.page.look import read_look
    from reportgen.rendering.writing import ensure_writable

    read_look(spec_file)
    ensure_writable(folder)
    tell("reading predictions")
    predictions = read_predictions(spec_file, losses=_asks_for_losses(spec_file.spec))
    tell("measuring and comparing")
    evaluation = measure_and_compare(spec_file, predictions, past)
    rendered = render(evaluation, evaluation.spec.output.formats, tell)
    return Made(evaluation, folder, rendered.files, rendered.faults, rendered.warnings)


def build(
    path: Path,
    output: Path,
    formats: Collection[Format] | None = None,
    tell: Callable[[str], None] = lambda _step: None,
    *,
    detail: Detail | None = None,
) -> Made:
    """Evaluate a spec and write its report into a folder of its own."""
    made = make(with_options(read_spec(path), formats, detail), output / path.stem, tell)
    made.write()
    return made


def _asks_for_losses(spec: Spec) -> bool:
    """Tell whether anything that is written says how good scores are as probabilities."""
    if not set(spec.output.formats) <= {"json", "csv", "parquet"}:
        return True
    asked = _needed(spec, chosen_measures(spec.measures.show, spec.task.kind))
    return any(measure.family is Family.PROBABILITY for measure in asked)


def with_options(
    spec_file: SpecFile, formats: Collection[Format] | None, detail: Detail | None
) -> SpecFile:
    """Return a spec with other formats and another detail than it asks for, if they are named."""
    named: dict[str, object] = {}
    options: list[str] = []
    if detail is not None:
        named["detail"], options = detail, ["--detail", detail]
    if formats:
        named["formats"] = tuple(formats)
        options += ["--format", ",".join(formats)]
    output = spec_file.spec.output.model_copy(update=named)
    spec = spec_file.spec.model_copy(update={"output": output})
    return replace(spec_file, spec=spec, options=tuple(options))
