"""Aggregation: from joined cases to the sufficient statistics of all measures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.calibration import fit_calibration
from reportgen.aggregates.confusion import ConfusionCounts, confusion_schema, count_confusion
from reportgen.aggregates.curves import count_curves
from reportgen.aggregates.delong import delong_covariances
from reportgen.aggregates.design import (
    SampleDesign,
    read_design,
    reduce_labels,
    weighted_counts,
)
from reportgen.aggregates.effective_shares import (
    accuracy_shares,
    regression_shares,
    score_shares,
)
from reportgen.aggregates.influence import correlation_covariances
from reportgen.aggregates.label_areas import macro_area_covariances
from reportgen.aggregates.label_sets import LabelSetCounts, build_membership
from reportgen.aggregates.mistakes import find_mistakes
from reportgen.aggregates.model import Aggregates, ScoreAggregates, SegmentAggregates
from reportgen.aggregates.operating_points import (
    OperatingPointPlan,
    aggregate_operating_points,
)
from reportgen.aggregates.paired import (
    PairedPredictionCounts,
    count_paired_predictions,
    sum_paired_probability_losses,
    sum_paired_regression_losses,
)
from reportgen.aggregates.precision_recall import pr_covariances
from reportgen.aggregates.probabilities import (
    calibration_error_covariances,
    count_calibration_bins,
    sum_probability_losses,
)
from reportgen.aggregates.ranking import (
    RankingStatistics,
    compute_ranking_statistics,
    inverted_score_warnings,
)
from reportgen.aggregates.score_views import merge_score_views
from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
from reportgen.aggregates.threshold_choice import choose_decision_thresholds
from reportgen.predictions.attributes import SEGMENT_PREFIX
from reportgen.predictions.files import natural_sort_key
from reportgen.predictions.label_sets import order_labels
from reportgen.predictions.load import LoadedPredictions, map_datasets
from reportgen.predictions.long_format import expand_models
from reportgen.predictions.scores import (
    find_probability_columns,
    infer_score_types,
    probability_column_names,
    score_type_warnings,
    score_warnings,
)
from reportgen.predictions.unanswered import NO_ANSWER
from reportgen.spec.measures import named_measures, with_spec_measures
from reportgen.spec.task import classes_of_label, spec_of_label

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.aggregates.backends.backend import AggregationBackend
    from reportgen.aggregates.mistakes import Mistakes
    from reportgen.aggregates.regression import RegressionSums, ScatterSummary
    from reportgen.predictions.audit import CaseAudit
    from reportgen.predictions.cases import Cases
    from reportgen.predictions.join import JoinedCases
    from reportgen.predictions.scores import ScoreType
    from reportgen.spec import Spec, SpecFile, Task


_MAX_CLASSES_SHOWN = 5


def class_warnings(confusion: ConfusionCounts, classifiers: Sequence[str]) -> list[str]:
    """Return warnings of classes that no case has, and that a classifier never predicts."""
    margins = confusion.margins.filter(pl.col("fold").is_null())
    never_true = margins.filter(pl.col("true") == 0, pl.col("predicted") > 0)
    never_predicted = margins.filter(pl.col("true") > 0, pl.col("predicted") == 0)
    class_totals = margins.group_by("class").agg(pl.col("true", "predicted").sum())
    absent_classes = _sort_classes(
        confusion, class_totals.filter(pl.col("true") + pl.col("predicted") == 0)
    )
    warnings = (
        [f"no case is or is predicted as {_format_classes(absent_classes)}"]
        if absent_classes
        else []
    )
    for name in classifiers:
        never_true_classes = [
            class_
            for class_ in _sort_classes(confusion, never_true.filter(pl.col("classifier") == name))
            if class_ != NO_ANSWER
        ]
        never_predicted_classes = _sort_classes(
            confusion, never_predicted.filter(pl.col("classifier") == name)
        )
        if never_true_classes:
            warnings.append(
                f"`{name}` predicts {_format_classes(never_true_classes)}, which is never true"
            )
        if never_predicted_classes:
            warnings.append(f"`{name}` never predicts {_format_classes(never_predicted_classes)}")
    return warnings


def _sort_classes(confusion: ConfusionCounts, rows: pl.DataFrame) -> list[str]:
    classes = set(rows["class"])
    return [label for label in confusion.classes if label in classes]


def _format_classes(labels: Sequence[str]) -> str:
    more = len(labels) - _MAX_CLASSES_SHOWN
    names = ", ".join(f"`{label}`" for label in labels[:_MAX_CLASSES_SHOWN])
    return names + (f" and {more} more" if more > 0 else "")


def list_models(spec_file: SpecFile) -> SpecFile:
    """Return the spec with a classifier for each model of a file in long format, if it has one."""
    if spec_file.spec.engine.kind != "spark":
        return expand_models(spec_file)
    from reportgen.aggregates.backends.spark import expand_models_on_spark

    return expand_models_on_spark(spec_file)


@with_spec_measures
def aggregate(spec_file: SpecFile, predictions: LoadedPredictions) -> Aggregates:
    """Reduce the cases of a spec to sufficient statistics, data set by data set if it has several.

    Args:
        spec_file: the spec that the predictions were loaded from.
        predictions: the joined cases. On Spark they hold nothing: equal cases are grouped here.
    """
    if spec_file.spec.engine.kind == "spark":
        from reportgen.aggregates.backends.spark import spark_backend

        with spark_backend(spec_file.spec.engine) as backend:
            return aggregate_distributed(spec_file, backend)
    return _aggregate_spec(spec_file, predictions)


def aggregate_distributed(spec_file: SpecFile, backend: AggregationBackend) -> Aggregates:
    """Group the cases of a spec on a back end, and reduce the groups as cases are reduced."""
    from reportgen.aggregates.backends.distributed import load_distributed

    return _aggregate_spec(spec_file, load_distributed(spec_file, backend))


def _aggregate_spec(spec_file: SpecFile, predictions: LoadedPredictions) -> Aggregates:
    if spec_file.spec.datasets:
        aggregates = _combine_datasets(
            map_datasets(
                spec_file,
                lambda part, dataset: _aggregate_dataset(part, predictions.datasets[dataset.name]),
            )
        )
    else:
        aggregates = _aggregate_dataset(spec_file, predictions)
        aggregates = replace(
            aggregates,
            segments=tuple(_aggregate_segments(spec_file, predictions)),
            unanswered=predictions.unanswered,
            alternative=_aggregate_alternative(spec_file, predictions),
            mistakes=_aggregate_mistakes(
                spec_file.spec,
                predictions,
                () if predictions.score_views else aggregates.score_types,
            ),
        )
    warnings = fold_setting_warnings(spec_file.spec, aggregates)
    return replace(aggregates, warnings=(*warnings, *aggregates.warnings))


def _aggregate_mistakes(
    spec: Spec, predictions: LoadedPredictions, score_types: Sequence[ScoreType]
) -> Mistakes | None:
    """Return the mistakes on shared cases; None for label sets and numbers."""
    joined = predictions.joined
    if joined is None:
        return None
    if spec.task.kind in {"multilabel", "regression"}:
        return None
    return find_mistakes(
        spec.task, joined, predictions.classes, score_types, spec.output.error_examples
    )


def _aggregate_alternative(
    spec_file: SpecFile, predictions: LoadedPredictions
) -> Aggregates | None:
    """Return the aggregates by the other rule for unanswered cases, if there are any."""
    unanswered = predictions.unanswered
    if unanswered is None or unanswered.alternative is None:
        return None
    # Where scores are binned, their views hold the cases by the rule of the spec only.
    part = replace(
        predictions,
        joined=unanswered.alternative,
        unanswered=None,
        score_views=(),
        predicted_at=None,
    )
    return _aggregate_dataset(_without_reported_matrices(spec_file), part)


def _without_reported_matrices(spec_file: SpecFile) -> SpecFile:
    """Return the spec of the classifiers with files: of others no part of the cases is known."""
    spec = spec_file.spec
    from_files = tuple(
        classifier for classifier in spec.classifiers if classifier.predictions is not None
    )
    return replace(spec_file, spec=spec.model_copy(update={"classifiers": from_files}))


def _aggregate_segments(
    spec_file: SpecFile, predictions: LoadedPredictions
) -> Iterator[SegmentAggregates]:
    """Yield the aggregates of each segment and of the cases outside it."""
    joined, spec = predictions.joined, spec_file.spec
    if joined is None:
        return
    spec_file = _without_reported_matrices(spec_file)
    for row in spec.segments:
        values = joined.attributes[f"{SEGMENT_PREFIX}{row.column}"].cast(pl.String)
        for segment in sorted(values.unique(), key=natural_sort_key):
            part, others = (
                None if selected is None else _aggregate_dataset(spec_file, selected)
                for selected in (
                    _select_segment(predictions, row.column, segment, inside=inside)
                    for inside in (True, False)
                )
            )
            if part is not None:
                yield SegmentAggregates(row.column, segment, part, others)


def _select_segment(
    predictions: LoadedPredictions, column: str, segment: str, *, inside: bool
) -> LoadedPredictions | None:
    """Return the cases of a segment, or those outside it; None if there are none."""
    joined = predictions.joined
    if joined is None:
        return None
    mask = joined.attributes[f"{SEGMENT_PREFIX}{column}"].cast(pl.String) == segment
    mask = mask if inside else ~mask
    if not mask.any():
        return None
    views = (
        _select_segment(view, column, segment, inside=inside) for view in predictions.score_views
    )
    predict = predictions.predicted_at

    def predict_segment(thresholds: Mapping[str, float]) -> LoadedPredictions:
        selected = predict and _select_segment(predict(thresholds), column, segment, inside=inside)
        return selected or LoadedPredictions()

    return replace(
        predictions,
        joined=joined.filter_rows(mask),
        score_views=tuple(view for view in views if view is not None),
        predicted_at=None if predict is None else predict_segment,
    )


def _aggregate_dataset(spec_file: SpecFile, predictions: LoadedPredictions) -> Aggregates:
    spec = spec_file.spec
    if spec.task.kind == "multilabel":
        return _aggregate_label_sets(spec_file, predictions)
    scores = ScoreAggregates()
    joined = predictions.joined
    design = None if joined is None else read_design(joined)
    if predictions.score_views:
        scores = merge_score_views(
            [_aggregate_scores_of(spec, view) for view in predictions.score_views]
        )
    elif joined is not None and _has_numeric_columns(spec, predictions.cases):
        scores = _aggregate_scores_of(spec, predictions)
    aggregates = _aggregate_labels(spec, predictions, scores, design)
    return replace(
        aggregates,
        score_case_count=_count_sampled_cases(predictions),
        at_thresholds=_count_at_thresholds(spec, predictions, scores, design),
        at_decision=_count_at_decision(spec, predictions, scores, design),
    )


def _count_sampled_cases(predictions: LoadedPredictions) -> int | None:
    """Return the number of cases of score views that hold a sample of the cases."""
    joined = predictions.joined
    sizes = [view.joined.case_count for view in predictions.score_views if view.joined is not None]
    if joined is None or not sizes or min(sizes) == joined.case_count:
        return None
    return min(sizes)


def _aggregate_scores_of(spec: Spec, predictions: LoadedPredictions) -> ScoreAggregates:
    """Return the statistics of the scores of joined cases."""
    joined = predictions.joined
    if joined is None:
        return ScoreAggregates()
    return aggregate_scores(
        spec.task,
        predictions.cases,
        joined,
        predictions.classes,
        design=read_design(joined),
        level=spec.intervals.level,
        operating_points=operating_point_plan(spec),
        pr_areas={measure.name for measure in named_measures(spec)},
    )


def _aggregate_label_sets(spec_file: SpecFile, predictions: LoadedPredictions) -> Aggregates:
    """Count label sets, and every label as the positive class of a binary task."""
    spec, joined, sets = spec_file.spec, predictions.joined, predictions.classes
    if joined is None:
        return build_aggregates(spec, predictions, ScoreAggregates())
    design = read_design(joined)
    aggregates = _aggregate_labels(spec, predictions, ScoreAggregates(), design)
    if aggregates.confusion is None:
        raise LookupError("no label sets were counted")
    labels = order_labels(spec.task, sets)
    membership = build_membership(sets, labels)
    rows = next(iter(joined.frames.values())).height
    counts = np.ones(rows) if joined.counts is None else joined.counts.cast(pl.Float64).to_numpy()
    own_design = SampleDesign(counts, None, None) if design is None else design
    label_predictions = {
        label: _predictions_of_label(predictions, membership[:, at], label, at)
        for at, label in enumerate(labels)
    }
    of_labels = {
        label: _aggregate_dataset(replace(spec_file, spec=spec_of_label(spec, label)), part)
        for label, part in label_predictions.items()
    }
    areas = _aggregate_macro_areas(spec, predictions, label_predictions, of_labels, design)
    return replace(
        aggregates,
        classes=labels,
        confusion=None,
        pairs=None,
        label_design=None,
        ranking=areas.ranking,
        auc_covariances=areas.auc_covariances,
        pr_covariances=areas.pr_covariances,
        shares=(*([] if areas.shares is None else [areas.shares]), *aggregates.shares),
        label_sets=LabelSetCounts(
            labels,
            aggregates.confusion,
            membership,
            reduce_labels(joined, own_design, sets),
            aggregates.pairs,
        ),
        labels=of_labels,
    )


def _aggregate_macro_areas(
    spec: Spec,
    predictions: LoadedPredictions,
    label_predictions: Mapping[str, LoadedPredictions],
    of_labels: Mapping[str, Aggregates],
    design: SampleDesign | None,
) -> ScoreAggregates:
    """Return the rankings of all labels, and the covariances of their macro averages."""
    joined = predictions.joined
    rankings = [part.ranking for part in of_labels.values() if part.ranking is not None]
    if joined is None or not rankings:
        return ScoreAggregates()
    truth = next(iter(joined.frames.values()))["truth"]
    areas = macro_area_covariances(
        (
            _build_scored_cases(
                spec_of_label(spec, label).task,
                replace(part.joined, counts=weighted_counts(part.joined, design)),
                part.classes,
                {score_type.classifier: score_type for score_type in of_labels[label].score_types},
            )
            for label, part in label_predictions.items()
            if part.joined is not None
        ),
        {measure.name for measure in named_measures(spec)},
        design,
        spec.intervals.level,
        truth.to_physical().cast(pl.Int64).to_numpy(),
    )
    return replace(
        areas or ScoreAggregates(),
        ranking=RankingStatistics(
            pl.concat(ranking.frame for ranking in rankings),
            pl.concat(ranking.multiclass for ranking in rankings),
        ),
    )


def _predictions_of_label(
    predictions: LoadedPredictions, has_label: npt.NDArray[np.bool_], label: str, at: int
) -> LoadedPredictions:
    """Return the predictions of one label: the case has it, or not."""
    joined = predictions.joined
    if joined is None:
        raise LookupError(label)
    classes = classes_of_label(label)
    of_set = np.array(classes)[np.where(has_label, 0, 1)]
    enumeration, column = pl.Enum(classes), f"p{at}"

    def of_label(frame: pl.DataFrame) -> pl.DataFrame:
        binary = [
            pl.Series(role, of_set[frame[role].to_physical().to_numpy()], dtype=enumeration)
            for role in ("truth", "prediction")
        ]
        binary_frame = frame.with_columns(binary)
        if column not in frame.columns:
            return binary_frame
        return binary_frame.with_columns(score=pl.col(column)).drop(
            find_probability_columns(frame.columns)
        )

    cases = tuple(
        replace(
            item,
            data=item.data.model_copy(
                update={"probabilities": None, "score": item.data.probabilities}
            ),
            frame=of_label(item.frame.drop_nulls(("truth", "prediction"))),
        )
        for item in predictions.cases
    )
    frames = {name: of_label(frame) for name, frame in joined.frames.items()}
    return replace(
        predictions,
        cases=cases,
        classes=classes,
        joined=replace(joined, frames=frames),
        warnings=(),
    )


def _aggregate_labels(
    spec: Spec,
    predictions: LoadedPredictions,
    scores: ScoreAggregates,
    design: SampleDesign | None,
) -> Aggregates:
    """Count labels, with a design also per cluster or by weight; add the statistics of scores."""
    joined = predictions.joined
    aggregates = build_aggregates(spec, predictions, scores, design)
    if joined is None or design is None:
        return aggregates
    labels = None if not predictions.classes else reduce_labels(joined, design, predictions.classes)
    shares = [
        *([] if scores.shares is None else [scores.shares]),
        *([] if labels is None else [accuracy_shares(labels, spec.intervals.level)]),
    ]
    aggregates = replace(aggregates, design=design, label_design=labels, shares=tuple(shares))
    if aggregates.pairs is None:
        return aggregates
    least = min(aggregates.case_weight(part.classifier) for part in predictions.cases)
    return replace(aggregates, pairs=replace(aggregates.pairs, weight=least, has_design=True))


def operating_point_plan(spec: Spec) -> OperatingPointPlan:
    """Return which operating points the measures of a spec need."""
    return OperatingPointPlan.from_measures(named_measures(spec), spec.intervals)


def _has_numeric_columns(spec: Spec, cases: Sequence[Cases]) -> bool:
    """Return whether cases have numbers besides labels: numeric targets, scores, probabilities."""
    return spec.task.kind == "regression" or any(
        part.data.score is not None or part.data.probabilities is not None for part in cases
    )


def build_aggregates(
    spec: Spec,
    predictions: LoadedPredictions,
    scores: ScoreAggregates,
    design: SampleDesign | None = None,
) -> Aggregates:
    """Count labels and sum residuals of joined cases, and add the statistics of their scores."""
    cases, classes, joined = predictions.cases, predictions.classes, predictions.joined
    warnings = [
        *predictions.warnings,
        *score_warnings(spec.task, cases),
        *score_type_warnings(spec.task, cases),
    ]
    confusion = _aggregate_confusion(spec, classes, joined, design)
    if confusion is not None and joined is not None and spec.task.kind != "multilabel":
        warnings += class_warnings(confusion, [part.classifier for part in cases])
    if scores.ranking is not None:
        warnings += inverted_score_warnings(scores.ranking)
    return Aggregates(
        classes=classes,
        confusion=confusion,
        regression=_aggregate_regression(spec, joined, design),
        inputs=predictions.inputs,
        audits=() if joined is None else joined.audits,
        joined_by=None if joined is None else joined.joined_by,
        case_count=None if joined is None else joined.case_count,
        warnings=(() if joined is None else joined.warnings) + tuple(warnings),
        distinct_cases=None if joined is None else joined.distinct_cases,
        fold_mismatches=0 if joined is None else joined.fold_mismatches,
        pairs=_aggregate_pairs(classes, cases, joined, design),
        score_types=scores.score_types,
        curves=scores.curves,
        ranking=scores.ranking,
        auc_covariances=scores.auc_covariances,
        pr_covariances=scores.pr_covariances,
        probability_losses=scores.probability_losses,
        calibration=scores.calibration,
        calibration_fits=scores.calibration_fits,
        influence_covariances=scores.influence_covariances,
        paired_losses=scores.paired_losses,
        operating_points=scores.operating_points,
        scatter=_aggregate_scatter(spec, joined),
    )


def _combine_datasets(datasets: Mapping[str, Aggregates]) -> Aggregates:
    """Return the aggregates of several data sets: nothing is counted over all of them."""
    join_keys = {part.joined_by for part in datasets.values()}
    return Aggregates(
        classes=(),
        confusion=None,
        regression=None,
        inputs=tuple(file for part in datasets.values() for file in part.inputs),
        audits=tuple(
            audit for name, part in datasets.items() for audit in _label_audits(name, part)
        ),
        joined_by=join_keys.pop() if len(join_keys) == 1 else None,
        case_count=None,
        warnings=tuple(
            f"data set `{name}`: {warning}"
            for name, part in datasets.items()
            for warning in part.warnings
        ),
        datasets=datasets,
    )


def _label_audits(name: str, aggregates: Aggregates) -> Iterator[CaseAudit]:
    """Yield the audits of a data set with its name: one if all classifiers have the same cases."""
    distinct = {replace(audit, classifier="") for audit in aggregates.audits}
    if len(distinct) == 1 < len(aggregates.audits):
        yield replace(distinct.pop(), classifier=f"{name}: all classifiers")
    else:
        yield from (
            replace(audit, classifier=f"{name}: {audit.classifier}") for audit in aggregates.audits
        )


def fold_setting_warnings(spec: Spec, aggregates: Aggregates) -> tuple[str, ...]:
    """Return a warning if the spec has [folds] but no classifier has two folds."""
    if "folds" not in spec.model_fields_set:
        return ()
    if aggregates.datasets:
        return ("[folds] has no effect where classifiers are compared over data sets",)
    has_fold_scores = any(classifier.fold_scores is not None for classifier in spec.classifiers)
    parts = [part for part in (aggregates.confusion, aggregates.regression) if part]
    if has_fold_scores or any(part.frame["fold"].drop_nulls().n_unique() > 1 for part in parts):
        return ()
    has_cases = aggregates.case_count is not None
    advice = (
        "name their column with `fold` in [data]" if has_cases else "give predictions with folds"
    )
    return (f"[folds] has no effect: no classifier has folds; {advice}, or take [folds] out",)


def _aggregate_confusion(
    spec: Spec,
    classes: tuple[str, ...],
    joined: JoinedCases | None,
    design: SampleDesign | None,
) -> ConfusionCounts | None:
    if spec.task.kind == "regression":
        return None
    parts = (
        []
        if joined is None
        else [count_confusion(joined.frames, classes, weighted_counts(joined, design))]
    )
    matrix_rows = [
        {"classifier": classifier.name, "truth": truth, "prediction": prediction, "count": count}
        for classifier in spec.classifiers
        if classifier.confusion is not None
        for truth, row in zip(classes, classifier.confusion, strict=True)
        for prediction, count in zip(classes, row, strict=True)
    ]
    if matrix_rows:
        weighted = bool(parts) and parts[0].schema["count"] == pl.Float64
        parts.append(pl.DataFrame(matrix_rows, schema=confusion_schema(classes, weighted=weighted)))
    if not parts:
        return None
    frame = pl.concat(parts)
    classifier, fold = _group_order(spec, frame)
    position = classifier * (frame["fold"].n_unique() + 1) + fold
    # By one integer, because sorting by four columns takes four times as long.
    for label in ("truth", "prediction"):
        position = position * len(classes) + pl.col(label).to_physical()
    return ConfusionCounts(frame.sort(position), classes)


def _aggregate_pairs(
    classes: tuple[str, ...],
    cases: Sequence[Cases],
    joined: JoinedCases | None,
    design: SampleDesign | None,
) -> PairedPredictionCounts | None:
    if joined is None or not classes or len(cases) < 2:  # noqa: PLR2004  # a pair is two
        return None
    paired_counts = count_paired_predictions(joined.frames, weighted_counts(joined, design))
    once = joined.distinct_cases or joined.case_count
    return PairedPredictionCounts(paired_counts, classes, once / joined.case_count)


def _count_at_thresholds(
    spec: Spec,
    predictions: LoadedPredictions,
    scores: ScoreAggregates,
    design: SampleDesign | None,
) -> dict[float, Aggregates]:
    """Count cases at the probability thresholds that measures of the spec name.

    Classifiers without probabilities count as predicted.
    """
    kind = spec.task.kind
    thresholds = {measure.threshold for measure in named_measures(spec) if measure.applies_to(kind)}
    probabilities = {
        score_type.classifier
        for score_type in scores.score_types
        if score_type.kind == "probability"
    }
    joined, classes = predictions.joined, predictions.classes
    by_threshold: dict[float, Aggregates] = {}
    for threshold in sorted(number for number in thresholds if number is not None):
        if predictions.predicted_at is not None:
            part = predictions.predicted_at(dict.fromkeys(probabilities, threshold))
            by_threshold[threshold] = _aggregate_predicted(spec, part)
            continue
        frames = {
            name: _predict_at_threshold(spec, frame, threshold, classes)
            if name in probabilities
            else frame
            for name, frame in (joined.frames if joined else {}).items()
            if name not in probabilities or "score" in frame.columns
        }
        at = replace(joined, frames=frames) if joined and frames else None
        part = replace(predictions, joined=at)
        by_threshold[threshold] = _aggregate_labels(spec, part, ScoreAggregates(), design)
    return by_threshold


def _count_at_decision(
    spec: Spec,
    predictions: LoadedPredictions,
    scores: ScoreAggregates,
    design: SampleDesign | None,
) -> Aggregates | None:
    """Count cases at the threshold of each classifier by the costs or the requirement."""
    joined = predictions.joined
    if joined is None or scores.curves is None or spec.task.kind != "binary":
        return None
    thresholds = choose_decision_thresholds(spec, scores.curves)
    if not thresholds:
        return None
    if predictions.predicted_at is not None:
        return _aggregate_predicted(spec, predictions.predicted_at(thresholds))
    frames = {
        name: _predict_at_threshold(spec, frame, thresholds[name], predictions.classes)
        if name in thresholds and "score" in frame.columns
        else frame
        for name, frame in joined.frames.items()
    }
    part = replace(predictions, joined=replace(joined, frames=frames))
    return _aggregate_labels(spec, part, ScoreAggregates(), design)


def _aggregate_predicted(spec: Spec, predictions: LoadedPredictions) -> Aggregates:
    """Count cases that an engine predicted at thresholds."""
    design = None if predictions.joined is None else read_design(predictions.joined)
    return _aggregate_labels(spec, predictions, ScoreAggregates(), design)


def _predict_at_threshold(
    spec: Spec, frame: pl.DataFrame, threshold: float, classes: tuple[str, ...]
) -> pl.DataFrame:
    """Return the cases with the positive class predicted from a probability on."""
    positive = spec.task.positive
    other = next(label for label in classes if label != positive)
    predicted = (
        pl.when(pl.col("score") >= threshold).then(pl.lit(positive)).otherwise(pl.lit(other))
    )
    return frame.with_columns(prediction=predicted.cast(frame.schema["prediction"]))


def _aggregate_regression(
    spec: Spec, joined: JoinedCases | None, design: SampleDesign | None
) -> RegressionSums | None:
    if spec.task.kind != "regression" or joined is None:
        return None
    from reportgen.aggregates.regression import (
        RegressionSums,
        sum_regression,
        sum_weighted_regression,
    )

    if design is not None and design.weights is not None:
        sums = sum_weighted_regression(joined.frames, design.weights)
    else:
        sums = sum_regression(joined.stack()).collect()
    return RegressionSums(sums.sort(*_group_order(spec, sums)))


def _aggregate_scatter(spec: Spec, joined: JoinedCases | None) -> ScatterSummary | None:
    if spec.task.kind != "regression" or joined is None:
        return None
    from reportgen.aggregates.regression import summarize_scatter

    return summarize_scatter(joined.stack())


def _group_order(spec: Spec, frame: pl.DataFrame) -> tuple[pl.Expr, pl.Expr]:
    """Return the sort keys of rows: classifiers as in the spec, and folds in natural order."""
    names = [classifier.name for classifier in spec.classifiers]
    folds = sorted(frame["fold"].drop_nulls().unique(), key=natural_sort_key)
    return _order_index("classifier", names), _order_index("fold", folds).fill_null(-1)


def _order_index(column: str, values: Sequence[str]) -> pl.Expr:
    ranks = {value: rank for rank, value in enumerate(values)}
    return pl.col(column).replace_strict(ranks, default=None, return_dtype=pl.Int64)


def aggregate_scores(  # noqa: PLR0913  # the cases, and what is asked of them
    task: Task,
    cases: Sequence[Cases],
    joined: JoinedCases,
    classes: tuple[str, ...],
    *,
    design: SampleDesign | None,
    level: float,
    operating_points: OperatingPointPlan,
    pr_areas: Collection[str],
) -> ScoreAggregates:
    """Return the statistics of scores and, where there are any, of probabilities.

    With a design also the effective numbers of cases, for intervals of a confidence level. Areas
    under precision-recall curves have variances if they are among `pr_areas`.
    """
    if task.kind == "regression":
        return ScoreAggregates(
            paired_losses=sum_paired_regression_losses(
                joined.frames, None if design is None else design.weights
            ),
            influence_covariances=correlation_covariances(
                joined.frames,
                None if joined.counts is None else joined.counts.cast(pl.Float64).to_numpy(),
            ),
            shares=None if design is None else regression_shares(joined.frames, design, level),
        )
    score_types = infer_score_types(task, cases)
    if not score_types:
        return ScoreAggregates()
    counts = weighted_counts(joined, design)
    scored = _build_scored_cases(task, replace(joined, counts=counts), classes, score_types)
    curves = count_curves(scored)
    aggregates = ScoreAggregates(
        score_types=tuple(score_types.values()),
        curves=curves,
        ranking=compute_ranking_statistics(scored, curves),
        auc_covariances=delong_covariances(scored, curves),
        pr_covariances=pr_covariances(scored, curves, pr_areas),
        shares=None if design is None else score_shares(scored, design, level),
        operating_points=aggregate_operating_points(scored, operating_points, design),
    )
    if all(scores.probabilities is None for scores in scored.classifiers):
        return aggregates
    bins = count_calibration_bins(scored)
    return replace(
        aggregates,
        probability_losses=sum_probability_losses(scored),
        calibration=bins,
        influence_covariances=calibration_error_covariances(scored, bins),
        calibration_fits=fit_calibration(scored, curves),
        paired_losses=sum_paired_probability_losses(scored),
    )


def _build_scored_cases(
    task: Task,
    joined: JoinedCases,
    classes: tuple[str, ...],
    score_types: dict[str, ScoreType],
) -> ScoredCases:
    truth = next(iter(joined.frames.values()))["truth"]
    return ScoredCases(
        classes=classes,
        ranked_classes=classes if task.positive is None else (task.positive,),
        truth=truth.to_physical().to_numpy(),
        classifiers=tuple(
            _build_classifier_scores(task, classes, joined.frames[name], score_type)
            for name, score_type in score_types.items()
        ),
        counts=None if joined.counts is None else joined.counts.cast(pl.Float64).to_numpy(),
    )


def _build_classifier_scores(
    task: Task, classes: tuple[str, ...], frame: pl.DataFrame, score_type: ScoreType
) -> ClassifierScores:
    fold = frame["fold"]
    folds = tuple(sorted(fold.drop_nulls().unique().cast(pl.String), key=natural_sort_key))
    columns = probability_column_names(classes)
    class_probabilities = (
        frame.select(columns).to_numpy() if set(columns) <= set(frame.columns) else None
    )
    if task.positive is None:
        ranking = np.empty((0, 0)) if class_probabilities is None else class_probabilities
        return ClassifierScores(score_type.classifier, fold, folds, ranking, class_probabilities)
    scores = frame["score"].to_numpy()[:, None]
    # A binary score is the probability of the positive class; the other one is its complement.
    probabilities = scores if class_probabilities is None else class_probabilities
    if score_type.kind == "ranking":
        return ClassifierScores(score_type.classifier, fold, folds, scores, None)
    return ClassifierScores(score_type.classifier, fold, folds, scores, probabilities)
