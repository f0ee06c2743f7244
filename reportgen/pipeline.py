"""The whole flow on one screen: read, tally, score, compare, report, render."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.aggregates.datasets import aggregate_predictions
from reportgen.aggregates.model import Aggregates
from reportgen.evaluation.capabilities import (
    ComparisonIndex,
    add_capability_significance,
    add_relation_significance,
    capability_rows,
    relate_by_likelihood_ratios,
)
from reportgen.evaluation.chance import compare_with_chance
from reportgen.evaluation.comparisons import (
    comparability_warnings,
    dataset_primary_warnings,
    prespecified_measures,
    primary_measure_warnings,
)
from reportgen.evaluation.confidence.intervals import add_confidence_intervals
from reportgen.evaluation.evaluation import Evaluation
from reportgen.evaluation.gate_outcome import gate_warnings
from reportgen.evaluation.on_demand import (
    run_comparisons,
    run_drift_analysis,
    run_fold_summaries,
    run_gates,
    run_omnibus,
    run_prevalence_crossovers,
    run_published_checks,
    run_threshold_optimization,
)
from reportgen.evaluation.prevalence import (
    adjust_for_prevalence,
    compute_prevalence_curves,
    count_positive_class,
)
from reportgen.evaluation.previous_runs import EMPTY_HISTORY, UNREADABLE_HISTORY
from reportgen.evaluation.values import (
    MeasureValues,
    build_reported_fold_values,
    compute_count_values,
    compute_probability_values,
    compute_ranking_values,
    compute_regression_values,
    omitted_measure_warnings,
    select_measurable,
)
from reportgen.measures import CAPABILITIES, Measure, MeasureFamily, find_measure, select_measures
from reportgen.predictions.table import NO_FRAMES
from reportgen.spec import load_spec, spec_for_dataset
from reportgen.statistics.parallel import run_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from reportgen.errors import Diagnostic
    from reportgen.evaluation.datasets import DatasetComparison
    from reportgen.evaluation.previous_runs import RunHistory
    from reportgen.predictions.table import InMemoryFrame
    from reportgen.spec import DetailLevel, OutputFormat, Spec, SpecFile


def load_and_evaluate(path: Path) -> Evaluation:
    """Read a spec and everything it names, and work out all there is to say."""
    return evaluate_spec_file(load_spec(path))


def evaluate_spec_file(
    spec_file: SpecFile, in_memory_frames: Mapping[str, InMemoryFrame] = NO_FRAMES
) -> Evaluation:
    """Read everything that a spec names and is not given, and work out all there is to say."""
    from reportgen.render.theme import load_theme

    # What is wrong with the look is said before the work, not after it.
    load_theme(spec_file)
    return evaluate_aggregates(
        spec_file, aggregate_predictions(spec_file, in_memory_frames), UNREADABLE_HISTORY
    )


def evaluate_aggregates(
    spec_file: SpecFile, aggregates: Aggregates, history: RunHistory = EMPTY_HISTORY
) -> Evaluation:
    """Score and compare the classifiers, with each other and with what earlier runs found."""
    spec = spec_file.spec
    history = history.with_intervals_at(spec.intervals.level)
    # Their resamples take longest, and one core.
    thresholds = run_in_thread(run_threshold_optimization, spec, aggregates)
    shown = select_measurable(
        select_measures(spec.measures.show, spec.task.kind),
        aggregates,
        _measures_with_reported_values(spec),
    )
    scores = _add_intervals(
        spec, aggregates, _compute_values(spec, aggregates, _required_measures(spec, shown))
    )
    by_key = scores.by_key()
    counted = [item.name for item in spec.classifiers if item.fold_scores is None]
    if aggregates.confusion is None:
        counted = []
    classes: tuple[str | None, ...] = (None,) if spec.task.kind == "binary" else aggregates.classes
    differences = run_comparisons(spec, aggregates, scores, by_key, shown)
    evidence = ComparisonIndex.from_comparisons(differences)
    related = relate_by_likelihood_ratios(by_key, counted, classes) if counted else ()
    rows = add_capability_significance(
        capability_rows(by_key, counted, classes) if counted else (), by_key, related, evidence
    )
    folds = run_fold_summaries(spec, aggregates, scores)
    gates = run_gates(spec_file, aggregates, scores, differences, folds, history)
    over_datasets = _compare_over_datasets(spec, aggregates, shown)
    rates = count_positive_class(spec, aggregates, counted)
    targets = spec.prevalence.targets if spec.prevalence else ()
    used = rates if targets else ()
    return Evaluation(
        spec_file=spec_file,
        aggregates=aggregates,
        reported_measures=shown,
        values=scores,
        by_key=by_key,
        fold_summaries=folds,
        capabilities=rows,
        likelihood_relations=add_relation_significance(related, evidence),
        published=run_published_checks(spec, by_key, rows, folds, rates),
        prevalence_values=adjust_for_prevalence(used, targets, spec.intervals),
        prevalence_curves=compute_prevalence_curves(used),
        prevalence_crossovers=run_prevalence_crossovers(spec, aggregates, used),
        chance=compare_with_chance(rates, spec.comparison.alpha, spec.chance),
        comparison_index=evidence,
        comparisons=differences,
        omnibus_tests=run_omnibus(aggregates, counted),
        warnings=(
            *spec_file.warnings,
            *aggregates.warnings,
            *omitted_measure_warnings(spec.measures.show or (), shown),
            *comparability_warnings(aggregates.confusion, counted),
            *primary_measure_warnings(spec.comparison, differences),
            *dataset_primary_warnings(spec, over_datasets),
            *gate_warnings(gates),
        ),
        datasets=over_datasets,
        thresholds=thresholds.result(),
        gates=gates,
        drift=run_drift_analysis(spec_file, aggregates, by_key, shown, folds, history),
    )


def _add_intervals(spec: Spec, aggregates: Aggregates, values: MeasureValues) -> MeasureValues:
    """Give every score its interval."""
    limited = add_confidence_intervals(
        values,
        aggregates.confusion,
        aggregates.regression,
        spec.intervals,
        positive=spec.task.positive,
        weights={each.name: aggregates.case_weight(each.name) for each in spec.classifiers},
    )
    if aggregates.ranking is None and aggregates.probability_losses is None:
        return limited
    from reportgen.evaluation.confidence.scores import add_score_confidence_intervals

    return add_score_confidence_intervals(limited, aggregates, spec.intervals)


def _compare_over_datasets(
    spec: Spec, aggregates: Aggregates, reported_measures: tuple[Measure, ...]
) -> tuple[DatasetComparison, ...]:
    """Score every data set by itself, and compare the classifiers over all of them."""
    if not spec.dataset_names:
        return ()
    from reportgen.evaluation.datasets import compare_over_datasets

    given = [name for each in spec.classifiers for name in each.dataset_scores or {}]
    named = (find_measure(name) for name in (*given, spec.comparison.primary or ""))
    measures = tuple(
        dict.fromkeys([*reported_measures, *(measure for measure in named if measure)])
    )
    measured = {
        dataset.name: _compute_values(
            spec_for_dataset(spec, dataset), aggregates.datasets[dataset.name], measures
        )
        for dataset in spec.datasets
    }
    return compare_over_datasets(spec, reported_measures, measured)


def _required_measures(spec: Spec, reported_measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Return the measures to work out: shown, declared, published, or behind a gate or ability."""
    names = [published.measure for published in spec.published]
    names += [gate.measure for gate in spec.gates]
    names += [measure.name for measure in prespecified_measures(spec.comparison)]
    if spec.task.kind != "regression":
        names += [name for capability in CAPABILITIES.values() for name in capability.measures]
    others = (find_measure(name) for name in names)
    return tuple(dict.fromkeys([*reported_measures, *(measure for measure in others if measure)]))


def _compute_values(
    spec: Spec, aggregates: Aggregates, measures: tuple[Measure, ...]
) -> MeasureValues:
    parts = [
        build_reported_fold_values(classifier.name, _resolve_measure_names(classifier.fold_scores))
        for classifier in spec.classifiers
        if classifier.fold_scores is not None
    ]
    if aggregates.confusion is not None:
        parts.append(compute_count_values(aggregates.confusion, measures, spec.task.positive))
    if aggregates.ranking is not None:
        parts.append(compute_ranking_values(aggregates.ranking, measures, spec.task.positive))
    if aggregates.probability_losses is not None:
        parts.append(compute_probability_values(aggregates.probability_losses, measures))
    if aggregates.regression is not None:
        parts.append(compute_regression_values(aggregates.regression, measures))
    return MeasureValues.concat(parts)


def _measures_with_reported_values(spec: Spec) -> set[str]:
    """Return the measures whose values a classifier brings with it."""
    given = [
        name
        for each in spec.classifiers
        for table in (each.fold_scores, each.dataset_scores)
        for name in table or {}
    ]
    return {measure.name for name in given if (measure := find_measure(name)) is not None}


def _resolve_measure_names(
    values_by_name: Mapping[str, tuple[float, ...]],
) -> dict[Measure, tuple[float, ...]]:
    """Resolve aliases: recall and sensitivity are one measure."""
    found = {find_measure(name): values for name, values in values_by_name.items()}
    return {measure: values for measure, values in found.items() if measure is not None}


@dataclass(frozen=True, slots=True)
class BuiltReport:
    """A report that is ready to be written, and what of it could not be made."""

    evaluation: Evaluation
    folder: Path
    files: Mapping[str, bytes]
    diagnostics: tuple[Diagnostic, ...]
    warnings: tuple[str, ...]

    def write(self) -> tuple[str, ...]:
        """Put the report in the place of the earlier one; return the files gone with that."""
        from reportgen.output.write import write_report

        return write_report(self.folder, self.files)


def build_in_memory(
    spec_file: SpecFile,
    folder: Path,
    on_progress: Callable[[str], None] = lambda _step: None,
    history: RunHistory = EMPTY_HISTORY,
) -> BuiltReport:
    """Evaluate a spec and render its report for a folder; `tell` hears of each step."""
    from reportgen.output.write import check_writable
    from reportgen.render.formats import render
    from reportgen.render.theme import load_theme

    load_theme(spec_file)
    check_writable(folder)
    on_progress("reading predictions")
    predictions = aggregate_predictions(spec_file, losses=_needs_losses(spec_file.spec))
    on_progress("measuring and comparing")
    evaluation = evaluate_aggregates(spec_file, predictions, history)
    rendered = render(evaluation, evaluation.spec.output.formats, on_progress)
    return BuiltReport(evaluation, folder, rendered.files, rendered.diagnostics, rendered.warnings)


def build_and_write(
    path: Path,
    output: Path,
    formats: Collection[OutputFormat] | None = None,
    on_progress: Callable[[str], None] = lambda _step: None,
    *,
    detail: DetailLevel | None = None,
) -> BuiltReport:
    """Evaluate a spec and write its report into a folder of its own."""
    made = build_in_memory(
        override_output(load_spec(path), formats, detail), output / path.stem, on_progress
    )
    made.write()
    return made


def _needs_losses(spec: Spec) -> bool:
    """Tell whether anything that is written says how good scores are as probabilities."""
    if not set(spec.output.formats) <= {"json", "csv", "parquet"}:
        return True
    asked = _required_measures(spec, select_measures(spec.measures.show, spec.task.kind))
    return any(measure.family is MeasureFamily.PROBABILITY for measure in asked)


def override_output(
    spec_file: SpecFile, formats: Collection[OutputFormat] | None, detail: DetailLevel | None
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
