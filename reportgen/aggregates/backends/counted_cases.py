"""One classifier's cases, counted by an engine: few rows, each standing for many cases."""

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


# What is missing or odd in counted rows; on a cluster no row has a place that could be named.

# More combinations of folds, truths and predictions are those of another column.
MAX_COMBINATIONS = 2_000_000
_FILL_HELP = "fill the cells, or remove the rows"
_FIX_HELP = "mend whatever wrote them, or remove the rows"
_SCORE_CHECKS = {
    "scores_missing": (VALUE_MISSING, "have no score, or one that is no number", _FILL_HELP),
    "scores_infinite": (NOT_FINITE, "have a score that is not finite", _FIX_HELP),
}
_PROBABILITY_CHECKS = {
    "scores_outside": (
        NOT_A_PROBABILITY,
        "have a score that is not between 0 and 1",
        'if these scores are no probabilities, write `score_kind = "ranking"`',
    )
}


def check_missing_values(
    table: PredictionTable,
    data: DataSettings,
    group_counts: pl.DataFrame,
    columns: Mapping[str, str],
    known: Collection[str],
) -> None:
    """Raise all that is missing or odd in the rows (role -> column) of a classifier."""
    if group_counts.is_empty():
        raise DataError(Diagnostic(NO_ROWS, "there are no rows", Location(table.path)))
    faults = list(_missing_text_diagnostics(table, group_counts, columns, known))
    scores = {**_SCORE_CHECKS, **(_PROBABILITY_CHECKS if data.score_kind == "probability" else {})}
    if "score" in columns:
        faults += _number_diagnostics(table, columns["score"], group_counts, scores)
    if "id" in columns:
        missing = {"ids_missing": (VALUE_MISSING, "have no id", _FILL_HELP)}
        faults += _number_diagnostics(table, columns["id"], group_counts, missing)
    if faults:
        raise DataError(*faults)


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
        signs = sorted(MISSING_MARKERS.difference(known)) if role != "fold" else []
        empty = pl.col(role).is_null() | pl.col(role).is_in(["", *signs])
        found = group_counts.filter(empty)
        if found.is_empty():
            continue
        written = sorted({value for value in found[role].drop_nulls() if value})
        number = format_count(int(found["count"].sum()), "row")
        said = f" ({', '.join(map(repr, written))} is how a missing value is written)"
        message = f"{table.describe_column(columns[role])}: {number} of {rows} without a value"
        help_text = _FILL_HELP
        if written:
            help_text += (
                "; if it is the name of a class, list it:"
                f' `classes = ["{written[0]}", …]` under `[task]`'
            )
        yield Diagnostic(
            VALUE_MISSING, message + (said if written else ""), Location(table.path), help_text
        )


def _number_diagnostics(
    table: PredictionTable,
    name: str,
    group_counts: pl.DataFrame,
    checks: Mapping[str, tuple[ErrorCode, str, str]],
) -> Iterator[Diagnostic]:
    rows = int(group_counts["count"].sum())
    for column, (kind, said, way_out) in checks.items():
        number = int(group_counts[column].sum())
        if number:
            verb = said if number > 1 else said.replace("have", "has", 1)
            message = (
                f"{table.describe_column(name)}: {format_count(number, 'row')} of {rows} {verb}"
            )
            yield Diagnostic(kind, message, Location(table.path), way_out)


def check_cardinality(
    table: PredictionTable, columns: Mapping[str, str], group_counts: pl.DataFrame
) -> None:
    """Raise if folds, truths and predictions are so many that they can be no such thing."""
    if group_counts.height <= MAX_COMBINATIONS:
        return
    told = ", ".join(
        f"`{columns[role]}`" for role in ("fold", "truth", "prediction") if role in columns
    )
    message = (
        f"the columns {told} have more than {MAX_COMBINATIONS} different combinations of values"
    )
    help_text = "do they hold folds and classes, and not numbers or ids?"
    raise DataError(Diagnostic(TOO_MANY_LABELS, message, Location(table.path), help_text))


GroupValues = tuple[tuple[str | bool | None, ...], ...]


@dataclass(frozen=True, slots=True)
class CountedCases:
    """A classifier's rows where they are, and what was counted of them.

    `values` are the folds, truths, predictions and whether a threshold is reached, as they are
    written: the answers of a row have a number among them, which the cases have as `answer`.
    """

    rows: pl.LazyFrame
    group_values: GroupValues
    cases: Cases
    ground_truth: GroundTruth | None
    bins: ScoreBins | None = None


def count_classifier(
    spec_file: SpecFile, classifier: Classifier, backend: AggregationBackend
) -> CountedCases:
    """Count the rows of a classifier by its answers and, if it has any, by score."""
    spec = spec_file.spec
    data = spec.data_settings_for(classifier)
    files = FileSet(spec_file.folder, classifier.predictions or ())
    table = files.table(backend.column_names(files))
    columns = required_columns(data)
    validate_columns(table, data, columns)
    if data.threshold is not None and data.prediction in table.names:
        columns["prediction"] = data.prediction
    rows = _scan_rows(backend, files, columns)
    truths = None
    if data.labels is not None:
        truths, labels = _scan_labels(spec_file, data, backend)
        rows = _join_labels(rows, labels, backend)
    rows = flag_threshold_reached(rows, data.threshold, backend.namespace)
    answers = backend.collect(profile_rows(rows, backend.namespace), MAX_COMBINATIONS + 1)
    check_cardinality(table, columns, answers)
    needed = {role: name for role, name in columns.items() if not _is_overridden(role, data)}
    check_missing_values(table, data, answers, needed, declared_labels(spec.task))
    bins, found = None, answers.select(*GROUP_COLUMNS, "count")
    if data.score is not None and spec.task.kind == "binary":
        bins = _choose_score_bins(spec_file, backend, rows, answers)
        found = count_by_score(backend, rows, bins)
    values = _group_values(answers)
    frame = _as_case_frame(found, values, data)
    cases = Cases(classifier.name, data, (files.input(),), (table,), frame, (frame.height,))
    return CountedCases(rows, values, cases, truths, bins)


def _is_overridden(role: str, data: DataSettings) -> bool:
    """Tell whether a column only says what the threshold decides anyway."""
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
    """Scan the file of labels, in which every id stands once."""
    files = FileSet(spec_file.folder, (data.labels or "",))
    table = files.table(backend.column_names(files))
    columns = {"id": data.id or "", "truth": data.truth}
    faults = table.missing_column_diagnostics(
        {f"data.{role}": name for role, name in columns.items()}
    )
    if faults:
        raise DataError(*faults)
    of = backend.namespace
    labels = backend.scan(files, columns)
    missing = of.col("id").is_null().cast(of.Int64).sum()
    answers = backend.collect(
        group_count(labels, ("truth",), of, ids_missing=missing), MAX_COMBINATIONS + 1
    )
    check_cardinality(table, {"truth": data.truth}, answers)
    check_missing_values(table, data, answers, columns, declared_labels(spec_file.spec.task))
    several = group_count(labels, ("id",), of).filter(of.col("count") > 1)
    repeated = int(backend.collect(several.select(ids=of.len()))["ids"].sum())
    if repeated:
        raise DataError(repeated_ids_diagnostic(table, data, repeated))
    return GroundTruth(files.input(), table, pl.DataFrame(), int(answers["count"].sum())), labels


def repeated_ids_diagnostic(table: PredictionTable, data: DataSettings, number: int) -> Diagnostic:
    """Return that ids stand in more than one row."""
    said = "stands" if number == 1 else "stand"
    message = f"{table.describe_column(data.id or '')}: {format_count(number, 'id')} {said} in more than one row"
    help_text = "drop what only repeats another row; make an id of the case and its repetition"
    return Diagnostic(DUPLICATE_IDS, message, Location(table.path), help_text)


def _join_labels(
    rows: pl.LazyFrame, labels: pl.LazyFrame, backend: AggregationBackend
) -> pl.LazyFrame:
    """Give rows the truth of the labels, null where they have none."""
    rows, labels = unify_id_types((rows, labels), backend)
    return rows.drop("truth").join(labels, on="id", how="left")


def unify_id_types(
    frames: tuple[pl.LazyFrame, ...], backend: AggregationBackend
) -> tuple[pl.LazyFrame, ...]:
    """Let ids be text in all frames, unless they are whole numbers in all."""
    of = backend.namespace
    if len({str(frame.collect_schema()["id"]) for frame in frames}) == 1:
        return frames
    return tuple(frame.with_columns(id=of.col("id").cast(of.String)) for frame in frames)


def _choose_score_bins(
    spec_file: SpecFile, backend: AggregationBackend, rows: pl.LazyFrame, group_counts: pl.DataFrame
) -> ScoreBins | None:
    settings = spec_file.spec.engine
    different = int(group_counts["count"].sum())
    if different > settings.most_scores:
        different = backend.approx_n_unique(rows, "score")
    low, high = group_counts.select(pl.col("low").min(), pl.col("high").max()).row(0)
    return choose_bins(settings, low, high, different)


def count_by_score(
    backend: AggregationBackend, rows: pl.LazyFrame, bins: ScoreBins | None
) -> pl.DataFrame:
    """Count answers by score; one of a bin is the middle of those in it.

    `blurred` says where different scores were counted as one.
    """
    found = backend.collect(count_scores(rows, bins, backend.namespace))
    if bins is None:
        return found.with_columns(blurred=pl.lit(value=False))
    low, high = pl.col("low").min().over("bin"), pl.col("high").max().over("bin")
    # Half of each, because the sum of two scores may be too large for a number.
    middle = pl.when(low == high).then(low).otherwise(low / 2 + high / 2)
    return found.select(*GROUP_COLUMNS, "count", score=middle, blurred=low < high)


def _group_values(group_counts: pl.DataFrame) -> GroupValues:
    return tuple(tuple(group_counts[name].unique().sort()) for name in GROUP_COLUMNS)


def _as_case_frame(counted: pl.DataFrame, values: GroupValues, data: DataSettings) -> pl.DataFrame:
    """Return counted rows in the columns that cases have, in an order of their own."""
    answers = counted.select(GROUP_COLUMNS).unique()
    numbers = pl.Series("answer", [encode_row(row, values) for row in answers.rows()], pl.Int64)
    order = ["answer", "score"] if "score" in counted.columns else ["answer"]
    frame = counted.join(
        answers.with_columns(numbers), on=GROUP_COLUMNS, how="left", nulls_equal=True
    )
    frame = frame.sort(order).with_columns(
        pl.col("fold", "truth", "prediction").cast(pl.Categorical),
        pl.lit(None).alias("id"),
        row=pl.lit(None, pl.UInt32),
    )
    if "score" not in frame.columns:
        frame = frame.with_columns(score=pl.lit(None))
    if data.threshold is None:
        return frame.drop("reached").with_columns(written=pl.lit(None))
    return frame.rename({"prediction": "written"}).with_columns(prediction=pl.lit(None))


def recount_by_score(
    backend: AggregationBackend, counted_cases: CountedCases, rows: pl.LazyFrame
) -> pl.DataFrame:
    """Count some of a classifier's rows by score, as all of them were."""
    return _as_case_frame(
        count_by_score(backend, rows, counted_cases.bins),
        counted_cases.group_values,
        counted_cases.cases.data,
    )
