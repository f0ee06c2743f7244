"""Grouped cases of one classifier: rows of a distributed back end, counted by label and score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from reportgen.aggregates.backends.backend import (
    GROUP_COLUMNS,
    FileSet,
    ScoreBins,
    choose_bins,
    count_scores,
    encode_row,
    flag_threshold_reached,
    profile_rows,
)
from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import (
    DUPLICATE_IDS,
    NO_ROWS,
    NOT_A_PROBABILITY,
    NOT_FINITE,
    TOO_MANY_LABELS,
    VALUE_MISSING,
)
from reportgen.predictions.cases import Cases, GroundTruth, required_columns, validate_columns
from reportgen.predictions.columns import MISSING_MARKERS
from reportgen.predictions.diagnostics import format_count
from reportgen.predictions.duplicates import group_count
from reportgen.predictions.labels import declared_labels

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from reportgen.aggregates.backends.backend import AggregationBackend
    from reportgen.errors import ErrorCode
    from reportgen.predictions.table import PredictionTable
    from reportgen.spec import Classifier, DataSettings, SpecFile


# Checks of grouped rows. A row on a cluster has no line number that a message could name.

# More combinations of folds, truths and predictions mean that a column holds something else.
MAX_COMBINATIONS = 2_000_000
_FILL_HELP = "fill the cells, or remove the rows"
_FIX_HELP = "correct the values, or remove the rows"
_SCORE_CHECKS = {
    "scores_missing": (VALUE_MISSING, "have no score, or one that is not a number", _FILL_HELP),
    "scores_infinite": (NOT_FINITE, "have a score that is not finite", _FIX_HELP),
}
_PROBABILITY_CHECKS = {
    "scores_outside": (
        NOT_A_PROBABILITY,
        "have a score that is not between 0 and 1",
        'if these scores are not probabilities, write `score_kind = "ranking"`',
    )
}


def check_missing_values(
    table: PredictionTable,
    data: DataSettings,
    group_counts: pl.DataFrame,
    columns: Mapping[str, str],
    known: Collection[str],
) -> None:
    """Raise if required columns (role -> column) have missing or invalid values."""
    if group_counts.is_empty():
        raise DataError(Diagnostic(NO_ROWS, "there are no rows", Location(table.path)))
    diagnostics = list(_missing_text_diagnostics(table, group_counts, columns, known))
    scores = {**_SCORE_CHECKS, **(_PROBABILITY_CHECKS if data.score_kind == "probability" else {})}
    if "score" in columns:
        diagnostics += _number_diagnostics(table, columns["score"], group_counts, scores)
    if "id" in columns:
        missing = {"ids_missing": (VALUE_MISSING, "have no id", _FILL_HELP)}
        diagnostics += _number_diagnostics(table, columns["id"], group_counts, missing)
    if diagnostics:
        raise DataError(*diagnostics)


def _missing_text_diagnostics(
    table: PredictionTable,
    group_counts: pl.DataFrame,
    columns: Mapping[str, str],
    known: Collection[str],
) -> Iterator[Diagnostic]:
    rows = int(group_counts["count"].sum())
    for role in ("fold", "truth", "prediction"):
        if role not in columns:
            continue
        # Only labels: a fold may well be called None.
        missing_markers = sorted(MISSING_MARKERS.difference(known)) if role != "fold" else []
        empty = pl.col(role).is_null() | pl.col(role).is_in(["", *missing_markers])
        affected = group_counts.filter(empty)
        if affected.is_empty():
            continue
        markers = sorted({value for value in affected[role].drop_nulls() if value})
        number = format_count(int(affected["count"].sum()), "row")
        note = f" ({', '.join(map(repr, markers))} is a missing-value marker)"
        message = f"{table.describe_column(columns[role])}: {number} of {rows} without a value"
        help_text = _FILL_HELP
        if markers:
            help_text += (
                "; if it is the name of a class, list it:"
                f' `classes = ["{markers[0]}", …]` under `[task]`'
            )
        yield Diagnostic(
            VALUE_MISSING, message + (note if markers else ""), Location(table.path), help_text
        )


def _number_diagnostics(
    table: PredictionTable,
    name: str,
    group_counts: pl.DataFrame,
    checks: Mapping[str, tuple[ErrorCode, str, str]],
) -> Iterator[Diagnostic]:
    rows = int(group_counts["count"].sum())
    for column, (code, description, help_text) in checks.items():
        number = int(group_counts[column].sum())
        if number:
            verb = description if number > 1 else description.replace("have", "has", 1)
            message = (
                f"{table.describe_column(name)}: {format_count(number, 'row')} of {rows} {verb}"
            )
            yield Diagnostic(code, message, Location(table.path), help_text)


def check_cardinality(
    table: PredictionTable, columns: Mapping[str, str], group_counts: pl.DataFrame
) -> None:
    """Raise if there are too many combinations of folds, truths and predictions."""
    if group_counts.height <= MAX_COMBINATIONS:
        return
    names = ", ".join(
        f"`{columns[role]}`" for role in ("fold", "truth", "prediction") if role in columns
    )
    message = (
        f"the columns {names} have more than {MAX_COMBINATIONS} different combinations of values"
    )
    help_text = "do they hold folds and classes, and not numbers or ids?"
    raise DataError(Diagnostic(TOO_MANY_LABELS, message, Location(table.path), help_text))


GroupValues = tuple[tuple[str | bool | None, ...], ...]


@dataclass(frozen=True, slots=True)
class CountedCases:
    """The rows of a classifier on the back end, and their counts.

    `group_values` are the distinct folds, truths, predictions and `reached` flags, from whose
    positions the `group_code` of the cases is computed.
    """

    rows: pl.LazyFrame
    group_values: GroupValues
    cases: Cases
    ground_truth: GroundTruth | None
    bins: ScoreBins | None = None


def count_classifier(
    spec_file: SpecFile, classifier: Classifier, backend: AggregationBackend
) -> CountedCases:
    """Count the rows of a classifier by fold, truth and prediction, and by score if it has any."""
    spec = spec_file.spec
    data = spec.data_settings_for(classifier)
    files = FileSet(spec_file.folder, classifier.predictions or ())
    table = files.table(backend.column_names(files))
    columns = required_columns(data)
    validate_columns(table, data, columns)
    if data.threshold is not None and data.prediction in table.names:
        columns["prediction"] = data.prediction
    rows = _scan_rows(backend, files, columns)
    ground_truth = None
    if data.labels is not None:
        ground_truth, labels = _scan_labels(spec_file, data, backend)
        rows = _join_labels(rows, labels, backend)
    rows = flag_threshold_reached(rows, data.threshold, backend.namespace)
    group_counts = backend.collect(profile_rows(rows, backend.namespace), MAX_COMBINATIONS + 1)
    check_cardinality(table, columns, group_counts)
    needed = {role: name for role, name in columns.items() if not _is_overridden(role, data)}
    check_missing_values(table, data, group_counts, needed, declared_labels(spec.task))
    bins, counts = None, group_counts.select(*GROUP_COLUMNS, "count")
    if data.score is not None and spec.task.kind == "binary":
        bins = _choose_score_bins(spec_file, backend, rows, group_counts)
        counts = count_by_score(backend, rows, bins)
    values = _group_values(group_counts)
    frame = _as_case_frame(counts, values, data)
    cases = Cases(classifier.name, data, (files.input(),), (table,), frame, (frame.height,))
    return CountedCases(rows, values, cases, ground_truth, bins)


def _is_overridden(role: str, data: DataSettings) -> bool:
    """Return whether the threshold on scores replaces a column."""
    return role == "prediction" and data.threshold is not None


def _scan_rows(
    backend: AggregationBackend, files: FileSet, columns: Mapping[str, str]
) -> pl.LazyFrame:
    of = backend.namespace
    rows = backend.scan(files, columns)
    absent = {role: of.lit(None, of.String) for role in ("id", "fold", "truth", "prediction")}
    absent["score"] = of.lit(None, of.Float64)
    return rows.select(
        **{role: of.col(role) if role in columns else none for role, none in absent.items()}
    )


def _scan_labels(
    spec_file: SpecFile, data: DataSettings, backend: AggregationBackend
) -> tuple[GroundTruth, pl.LazyFrame]:
    """Scan the labels file, and raise if an id occurs more than once."""
    files = FileSet(spec_file.folder, (data.labels or "",))
    table = files.table(backend.column_names(files))
    columns = {"id": data.id or "", "truth": data.truth}
    diagnostics = table.missing_column_diagnostics(
        {f"data.{role}": name for role, name in columns.items()}
    )
    if diagnostics:
        raise DataError(*diagnostics)
    of = backend.namespace
    labels = backend.scan(files, columns)
    missing = of.col("id").is_null().cast(of.Int64).sum()
    group_counts = backend.collect(
        group_count(labels, ("truth",), of, ids_missing=missing), MAX_COMBINATIONS + 1
    )
    check_cardinality(table, {"truth": data.truth}, group_counts)
    check_missing_values(table, data, group_counts, columns, declared_labels(spec_file.spec.task))
    repeats = group_count(labels, ("id",), of).filter(of.col("count") > 1)
    repeated = int(backend.collect(repeats.select(ids=of.len()))["ids"].sum())
    if repeated:
        raise DataError(repeated_ids_diagnostic(table, data, repeated))
    return GroundTruth(
        files.input(), table, pl.DataFrame(), int(group_counts["count"].sum())
    ), labels


def repeated_ids_diagnostic(table: PredictionTable, data: DataSettings, number: int) -> Diagnostic:
    """Return the diagnostic of ids that occur in more than one row."""
    verb = "occurs" if number == 1 else "occur"
    column, ids = table.describe_column(data.id or ""), format_count(number, "id")
    message = f"{column}: {ids} {verb} in more than one row"
    help_text = (
        "drop duplicate rows; for repeated predictions combine case and repetition in the id"
    )
    return Diagnostic(DUPLICATE_IDS, message, Location(table.path), help_text)


def _join_labels(
    rows: pl.LazyFrame, labels: pl.LazyFrame, backend: AggregationBackend
) -> pl.LazyFrame:
    """Add the truth of the labels file to rows, null where it has none."""
    rows, labels = unify_id_types((rows, labels), backend)
    return rows.drop("truth").join(labels, on="id", how="left")


def unify_id_types(
    frames: tuple[pl.LazyFrame, ...], backend: AggregationBackend
) -> tuple[pl.LazyFrame, ...]:
    """Cast ids to text in all frames unless all have the same type."""
    of = backend.namespace
    if len({str(frame.collect_schema()["id"]) for frame in frames}) == 1:
        return frames
    return tuple(frame.with_columns(id=of.col("id").cast(of.String)) for frame in frames)


def _choose_score_bins(
    spec_file: SpecFile, backend: AggregationBackend, rows: pl.LazyFrame, group_counts: pl.DataFrame
) -> ScoreBins | None:
    settings = spec_file.spec.engine
    distinct = int(group_counts["count"].sum())
    if distinct > settings.most_scores:
        distinct = backend.approx_n_unique(rows, "score")
    low, high = group_counts.select(pl.col("low").min(), pl.col("high").max()).row(0)
    return choose_bins(settings, low, high, distinct)


def count_by_score(
    backend: AggregationBackend, rows: pl.LazyFrame, bins: ScoreBins | None
) -> pl.DataFrame:
    """Count groups by score; the score of a bin is the midpoint of the scores in it.

    `is_binned` marks bins with different scores in them.
    """
    counted = backend.collect(count_scores(rows, bins, backend.namespace))
    if bins is None:
        return counted.with_columns(is_binned=pl.lit(value=False))
    low, high = pl.col("low").min().over("bin"), pl.col("high").max().over("bin")
    # Half of each, because the sum of two scores may overflow.
    middle = pl.when(low == high).then(low).otherwise(low / 2 + high / 2)
    return counted.select(*GROUP_COLUMNS, "count", score=middle, is_binned=low < high)


def _group_values(group_counts: pl.DataFrame) -> GroupValues:
    return tuple(tuple(group_counts[name].unique().sort()) for name in GROUP_COLUMNS)


def _as_case_frame(counted: pl.DataFrame, values: GroupValues, data: DataSettings) -> pl.DataFrame:
    """Return counted rows with the columns of cases, sorted by group code and score."""
    groups = counted.select(GROUP_COLUMNS).unique()
    codes = pl.Series("group_code", [encode_row(row, values) for row in groups.rows()], pl.Int64)
    order = ["group_code", "score"] if "score" in counted.columns else ["group_code"]
    frame = counted.join(groups.with_columns(codes), on=GROUP_COLUMNS, how="left", nulls_equal=True)
    frame = frame.sort(order).with_columns(
        pl.col("fold", "truth", "prediction").cast(pl.Categorical),
        pl.lit(None).alias("id"),
        row=pl.lit(None, pl.UInt32),
    )
    if "score" not in frame.columns:
        frame = frame.with_columns(score=pl.lit(None))
    if data.threshold is None:
        return frame.drop("reached").with_columns(file_prediction=pl.lit(None))
    return frame.rename({"prediction": "file_prediction"}).with_columns(prediction=pl.lit(None))


def recount_by_score(
    backend: AggregationBackend, counted_cases: CountedCases, rows: pl.LazyFrame
) -> pl.DataFrame:
    """Count some rows of a classifier by score, in the same bins as all of them."""
    return _as_case_frame(
        count_by_score(backend, rows, counted_cases.bins),
        counted_cases.group_values,
        counted_cases.cases.data,
    )
