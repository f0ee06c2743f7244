"""Distributed aggregation: count the files of a spec on a back end, and join the counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from reportgen.aggregates.aggregation import aggregate_scores, operating_point_plan
from reportgen.aggregates.backends.backend import (
    FileSet,
    count_case_patterns,
    encode_rows,
    group_by_case,
    inner_join_ids,
)
from reportgen.aggregates.backends.counted_cases import (
    count_classifier,
    recount_by_score,
    repeated_ids_diagnostic,
    unify_id_types,
)
from reportgen.aggregates.calibration import CalibrationFits
from reportgen.aggregates.curves import ScoreCurves
from reportgen.aggregates.delong import DeLongCovariances
from reportgen.aggregates.model import ScoreAggregates
from reportgen.aggregates.operating_points import (
    NO_OPERATING_POINTS,
    OperatingPointPlan,
    OperatingPointStatistics,
)
from reportgen.aggregates.paired import PairedLossSums
from reportgen.aggregates.precision_recall import PrCovariances
from reportgen.aggregates.probabilities import CalibrationBins, ProbabilityLossSums
from reportgen.aggregates.ranking import RankingStatistics
from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import CONFLICTING_CASES, NO_COMMON_CASES
from reportgen.predictions.audit import CaseAudit, check_same_cases
from reportgen.predictions.diagnostics import format_count, map_collecting_errors
from reportgen.predictions.join import JoinedCases, audit_warnings, fold_assignment_warnings
from reportgen.predictions.labels import normalize_labels
from reportgen.predictions.load import Input, LoadedPredictions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.aggregates.backends.backend import AggregationBackend, ScoreBins
    from reportgen.aggregates.backends.counted_cases import CountedCases
    from reportgen.predictions.cases import Cases
    from reportgen.spec import SpecFile, Task


_DECODED_COLUMNS = ("fold", "truth", "prediction")


@dataclass(frozen=True, slots=True)
class CountedJoin:
    """The joined cases of all classifiers, and the counts of each classifier by score."""

    joined: JoinedCases
    score_counts: tuple[pl.DataFrame, ...]


def join_counted_cases(
    backend: AggregationBackend,
    counted_cases: Sequence[CountedCases],
    cases: Sequence[Cases],
    *,
    identical: bool,
) -> CountedJoin:
    """Join classifiers by id; without ids, which only one classifier may lack, a row is a case."""
    if cases[0].data.id is None:
        return _single_classifier(cases[0])
    of, size = backend.namespace, len(counted_cases)
    rows = unify_id_types(tuple(part.rows for part in counted_cases), backend)
    coded = [
        encode_rows(own, part.group_values, of)
        for own, part in zip(rows, counted_cases, strict=True)
    ]
    by_id = group_by_case(coded, of)
    patterns = _decode_patterns(backend.collect(count_case_patterns(by_id, size, of)), cases)
    _check_repeated_ids(counted_cases, patterns)
    _check_conflicting_truth(cases, patterns)
    shared = patterns.filter(_is_shared(range(size)) & _is_labelled(range(size)))
    audits = tuple(
        _audit_classifier(number, counted_cases, patterns, shared) for number in range(size)
    )
    ground_truths = {
        part.cases.classifier: part.ground_truth
        for part in counted_cases
        if part.ground_truth is not None
    }
    if identical:
        check_same_cases(audits, ground_truths)
    if shared.is_empty():
        raise DataError(_no_shared_case_diagnostic(counted_cases, cases))
    count = int(shared["count"].sum())
    mismatches = _count_fold_differences(shared, size)
    joined = JoinedCases(
        frames={
            part.classifier: shared.select(
                pl.col(f"{name} {at}").alias(name) for name in _DECODED_COLUMNS
            )
            for at, part in enumerate(cases)
        },
        audits=audits,
        joined_by="id",
        case_count=count,
        warnings=(
            *audit_warnings(audits, ground_truths, count),
            *fold_assignment_warnings(mismatches),
        ),
        fold_mismatches=mismatches,
        counts=shared["count"],
    )
    shared_ids = inner_join_ids(by_id, size, of)
    score_counts = tuple(
        own.frame
        if "is_binned" not in own.frame.columns or own.size == count
        else _recount_scores(backend, part, own, own_rows.join(shared_ids, on="id", how="semi"))
        for part, own, own_rows in zip(counted_cases, cases, rows, strict=True)
    )
    return CountedJoin(joined, score_counts)


def _single_classifier(cases: Cases) -> CountedJoin:
    size = cases.size
    joined = JoinedCases(
        frames={cases.classifier: cases.frame},
        audits=(CaseAudit(cases.classifier, size, size, 0, 0, 0, 0),),
        joined_by=None,
        case_count=size,
        counts=cases.frame["count"],
    )
    return CountedJoin(joined, (cases.frame,))


def _decode_patterns(patterns: pl.DataFrame, cases: Sequence[Cases]) -> pl.DataFrame:
    """Add the folds and classes of each classifier's group code to patterns."""
    for at, part in enumerate(cases):
        known = part.frame.select("group_code", *_DECODED_COLUMNS).unique(
            "group_code", keep="first"
        )
        names = {name: f"{name} {at}" for name in (*_DECODED_COLUMNS, "group_code")}
        patterns = patterns.join(known.rename(names), on=f"group_code {at}", how="left")
    return patterns.sort(pl.col("^group_code .*$"), pl.col("^rows .*$"))


def _is_shared(indices: range) -> pl.Expr:
    return pl.all_horizontal(pl.col(f"rows {at}") == 1 for at in indices)


def _is_labelled(indices: range) -> pl.Expr:
    return pl.all_horizontal(pl.col(f"truth {at}").is_not_null() for at in indices)


def _count_where(patterns: pl.DataFrame, condition: pl.Expr) -> int:
    return int(patterns.filter(condition)["count"].sum())


def _check_repeated_ids(counted_cases: Sequence[CountedCases], patterns: pl.DataFrame) -> None:
    diagnostics = [
        repeated_ids_diagnostic(part.cases.tables[0], part.cases.data, number)
        for at, part in enumerate(counted_cases)
        if (number := _count_where(patterns, pl.col(f"rows {at}") > 1))
    ]
    if diagnostics:
        raise DataError(*diagnostics)


def _check_conflicting_truth(cases: Sequence[Cases], patterns: pl.DataFrame) -> None:
    diagnostics = []
    for first, second in combinations(range(len(cases)), 2):
        differs = patterns.filter(pl.col(f"truth {first}") != pl.col(f"truth {second}"))
        if differs.is_empty():
            continue
        one, other = cases[first], cases[second]
        first_truth, second_truth = differs.select(f"truth {first}", f"truth {second}").row(0)
        number = int(differs["count"].sum())
        verb = "has" if number == 1 else "have"
        message = (
            f"{format_count(number, 'id')} {verb} another truth for `{one.classifier}` than for"
            f" `{other.classifier}`, such as {first_truth} and {second_truth}"
        )
        help_text = f"are ids of column `{one.data.id}` used for two cases?"
        diagnostics.append(
            Diagnostic(CONFLICTING_CASES, message, Location(other.tables[0].path), help_text)
        )
    if diagnostics:
        raise DataError(*diagnostics)


def _audit_classifier(
    index: int, counted_cases: Sequence[CountedCases], patterns: pl.DataFrame, shared: pl.DataFrame
) -> CaseAudit:
    own = counted_cases[index]
    truths, rows = own.ground_truth, own.cases.size
    if truths is None:
        missing = _count_where(patterns, pl.col(f"rows {index}") == 0)
        extra = _count_where(
            patterns, (pl.col(f"rows {index}") == 1) & ~_is_shared(range(len(counted_cases)))
        )
    else:
        extra = _count_where(
            patterns, (pl.col(f"rows {index}") == 1) & pl.col(f"truth {index}").is_null()
        )
        missing = truths.rows - (rows - extra)
    cases = int(shared["count"].sum())
    return CaseAudit(own.cases.classifier, rows, cases, missing, extra, 0, 0)


def _no_shared_case_diagnostic(
    counted_cases: Sequence[CountedCases], cases: Sequence[Cases]
) -> Diagnostic:
    message = "no case is shared by all classifiers"
    if any(part.ground_truth is not None for part in counted_cases):
        message += " and the labels"
    columns = ", ".join(f"`{part.data.id}` of `{part.classifier}`" for part in cases)
    return Diagnostic(NO_COMMON_CASES, message, help=f"do the columns {columns} hold the same ids?")


def _count_fold_differences(shared: pl.DataFrame, size: int) -> int:
    """Return the number of cases whose fold differs between classifiers that have folds."""
    folds = [shared[f"fold {at}"] for at in range(size)]
    having = [f"fold {at}" for at, fold in enumerate(folds) if fold.null_count() < len(fold)]
    if len(having) < 2:  # noqa: PLR2004  # one cannot differ from itself
        return 0
    first, *others = having
    return _count_where(
        shared, pl.any_horizontal(pl.col(first) != pl.col(other) for other in others)
    )


def _recount_scores(
    backend: AggregationBackend, counted_cases: CountedCases, cases: Cases, rows: pl.LazyFrame
) -> pl.DataFrame:
    """Count the scores of shared cases, with normalized folds and classes."""
    labelled = rows.filter(~backend.namespace.col("truth").is_null())
    counted = recount_by_score(backend, counted_cases, labelled).select(
        "group_code", "score", "is_binned", "count"
    )
    known = cases.frame.select("group_code", *_DECODED_COLUMNS).unique("group_code", keep="first")
    return counted.join(known, on="group_code", how="left", maintain_order="left")


UNPAIRED_SCORES_WARNING = (
    "on Spark the scores of a case are not set side by side, so areas under curves and losses of"
    " different classifiers are not tested against each other; each has its own interval"
)


def aggregate_scores_separately(  # as `aggregate_scores`
    task: Task,
    cases: Sequence[Cases],
    frames: Sequence[pl.DataFrame],
    classes: tuple[str, ...],
    *,
    operating_points: OperatingPointPlan = NO_OPERATING_POINTS,
) -> ScoreAggregates:
    """Aggregate the scores of each classifier (fold, truth, score, count) without pairing cases."""
    parts = []
    for classifier_cases, frame in zip(cases, frames, strict=True):
        size = int(frame["count"].sum())
        joined = JoinedCases(
            {classifier_cases.classifier: frame}, (), None, size, counts=frame["count"]
        )
        parts.append(
            aggregate_scores(
                task, [classifier_cases], joined, classes, operating_points=operating_points
            )
        )
    return _concat_aggregates([part for part in parts if part.score_types])


def _concat_aggregates(parts: Sequence[ScoreAggregates]) -> ScoreAggregates:
    if not parts:
        return ScoreAggregates()
    curves = [part.curves.curves for part in parts if part.curves]
    rankings = [part.ranking for part in parts if part.ranking]
    probabilities = [part.probability_losses.frame for part in parts if part.probability_losses]
    calibrations = [part.calibration.frame for part in parts if part.calibration]
    fits = [part.calibration_fits for part in parts if part.calibration_fits]
    paired = [part.paired_losses.frame for part in parts if part.paired_losses]
    return ScoreAggregates(
        score_types=tuple(reading for part in parts for reading in part.score_types),
        curves=ScoreCurves({key: steps for own in curves for key, steps in own.items()}),
        ranking=RankingStatistics(
            pl.concat(ranking.frame for ranking in rankings),
            pl.concat(ranking.multiclass for ranking in rankings),
        ),
        auc_covariances=DeLongCovariances(
            pl.concat(part.auc_covariances.frame for part in parts if part.auc_covariances)
        ),
        pr_covariances=PrCovariances(
            pl.concat(part.pr_covariances.frame for part in parts if part.pr_covariances)
        ),
        probability_losses=ProbabilityLossSums(pl.concat(probabilities)) if probabilities else None,
        calibration=CalibrationBins(pl.concat(calibrations)) if calibrations else None,
        calibration_fits=CalibrationFits.concat(fits) if fits else None,
        paired_losses=PairedLossSums(pl.concat(paired)) if paired else None,
        operating_points=OperatingPointStatistics.concat(
            [part.operating_points for part in parts if part.operating_points]
        ),
    )


def binning_warning(
    classifier: str, bins: ScoreBins, frame: pl.DataFrame, positive: str | None
) -> str:
    """Return the warning that scores were binned, with the error bound of the AUC."""
    bound = auc_error_bound(frame, positive)
    counted = f"scores of `{classifier}` were counted in {bins.bin_count} bins"
    if not bound:
        return f"{counted}: none has different scores of both classes, so the area is exact"
    return f"{counted}: the area under the ROC curve is exact to ±{_round_up(bound)}"


def _round_up(bound: float) -> str:
    """Format a bound with one significant digit, rounded up."""
    digits = max(0, -math.floor(math.log10(bound)))
    return f"{math.ceil(bound * 10**digits) / 10**digits:.{digits}f}"


def auc_error_bound(frame: pl.DataFrame, positive: str | None) -> float:
    """Return the largest possible error of the AUC that binning causes.

    Pairs within a bin count one half, as ties do, but contribute between 0 and 1 to the exact
    area: a bin is off by at most half of its pairs.
    """
    is_positive = pl.col("truth") == positive
    positives, negatives = (
        pl.col("count").filter(side).sum().cast(pl.Float64) for side in (is_positive, ~is_positive)
    )
    sides = frame.select(positives=positives, negatives=negatives).row(0)
    pairs = sides[0] * sides[1]
    in_bins = (
        frame.filter("is_binned")
        .group_by("score")
        .agg(positives=positives, negatives=negatives)
        .sort("score")
    )
    return (
        float((in_bins["positives"] * in_bins["negatives"]).sum()) / (2 * pairs) if pairs else 0.0
    )


def count_files(
    spec_file: SpecFile, backend: AggregationBackend
) -> tuple[LoadedPredictions, ScoreAggregates]:
    """Count the cases of all classifiers, and their scores, on the cluster; collect the counts."""
    spec = spec_file.spec
    named = [classifier for classifier in spec.classifiers if classifier.predictions is not None]
    counted = map_collecting_errors(
        named, lambda classifier: count_classifier(spec_file, classifier, backend)
    )
    cases, classes = normalize_labels(spec_file, [part.cases for part in counted])
    if not cases:
        return LoadedPredictions(classes=classes), ScoreAggregates()
    join = join_counted_cases(backend, counted, cases, identical=spec.data.cases == "identical")
    scores = aggregate_scores_separately(
        spec.task,
        cases,
        join.score_counts,
        classes,
        operating_points=operating_point_plan(spec),
    )
    warnings = [
        *_multiple_file_warnings(spec_file),
        *([UNPAIRED_SCORES_WARNING] if len(scores.score_types) > 1 else []),
    ]
    warnings += [
        binning_warning(part.cases.classifier, part.bins, frame, spec.task.positive)
        for part, frame in zip(counted, join.score_counts, strict=True)
        if part.bins is not None
    ]
    inputs = tuple(item for part in counted for item in _list_inputs(part))
    return LoadedPredictions(cases, classes, join.joined, inputs, tuple(warnings)), scores


def _list_inputs(counted_cases: CountedCases) -> Iterator[Input]:
    """Yield the inputs; files on a cluster are not downloaded to be hashed."""
    name = counted_cases.cases.classifier
    yield Input(name, counted_cases.cases.files[0].display_name, None, counted_cases.cases.size)
    if counted_cases.ground_truth is not None:
        yield Input(
            name,
            counted_cases.ground_truth.file.display_name,
            None,
            counted_cases.ground_truth.rows,
        )


def _multiple_file_warnings(spec_file: SpecFile) -> Iterator[str]:
    for classifier in spec_file.spec.classifiers:
        files = FileSet(spec_file.folder, classifier.predictions or ("",))
        if files.may_match_several and spec_file.spec.data_settings_for(classifier).fold is None:
            yield (
                f"`{classifier.name}`: on Spark the files of `{files.name}` are parts of one table,"
                " not folds; name a column with `fold` if they are"
            )
