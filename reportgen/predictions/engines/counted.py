"""One classifier's cases, counted by an engine: few rows, each standing for many cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import IDS_REPEATED
from reportgen.frozen import frozen
from reportgen.predictions.cases import Cases, names_wanted, refuse_missing
from reportgen.predictions.engines.aggregation import (
    ANSWERS,
    Bins,
    bins_for,
    count_alike,
    count_scores,
    number_of,
    survey,
    with_reached,
)
from reportgen.predictions.engines.engine import Files
from reportgen.predictions.engines.gaps import MOST_ANSWERS, refuse_gaps, refuse_too_many
from reportgen.predictions.labels import known_labels
from reportgen.predictions.truths import Truths
from reportgen.predictions.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.predictions.engines.engine import CountingEngine
    from reportgen.predictions.table import Table
    from reportgen.spec import Classifier, Data, SpecFile

Values = tuple[tuple[str | bool | None, ...], ...]


@frozen
class Counted:
    """A classifier's rows where they are, and what was counted of them.

    `values` are the folds, truths, predictions and whether a threshold is reached, as they are
    written: the answers of a row have a number among them, which the cases have as `answer`.
    """

    rows: pl.LazyFrame
    values: Values
    cases: Cases
    truths: Truths | None
    bins: Bins | None = None


def count_classifier(
    spec_file: SpecFile, classifier: Classifier, engine: CountingEngine
) -> Counted:
    """Count the rows of a classifier by its answers and, if it has any, by score."""
    spec = spec_file.spec
    data = spec.data_of(classifier)
    files = Files(spec_file.folder, classifier.predictions or ())
    table = files.table(engine.names(files))
    columns = names_wanted(data)
    refuse_missing(table, data, columns)
    if data.threshold is not None and data.prediction in table.names:
        columns["prediction"] = data.prediction
    rows = _scan(engine, files, columns)
    truths = None
    if data.labels is not None:
        truths, labels = _labels(spec_file, data, engine)
        rows = _joined(rows, labels, engine)
    rows = with_reached(rows, data.threshold, engine.of)
    answers = engine.collect(survey(rows, engine.of), MOST_ANSWERS + 1)
    refuse_too_many(table, columns, answers)
    needed = {role: name for role, name in columns.items() if not _is_hint(role, data)}
    refuse_gaps(table, data, answers, needed, known_labels(spec.task))
    bins, found = None, answers.select(*ANSWERS, "count")
    if data.score is not None and spec.task.kind == "binary":
        bins = _bins(spec_file, engine, rows, answers)
        found = by_score(engine, rows, bins)
    values = _values(answers)
    frame = _as_cases(found, values, data)
    cases = Cases(classifier.name, data, (files.input(),), (table,), frame, (frame.height,))
    return Counted(rows, values, cases, truths, bins)


def _is_hint(role: str, data: Data) -> bool:
    """Tell whether a column only says what the threshold decides anyway."""
    return role == "prediction" and data.threshold is not None


def _scan(engine: CountingEngine, files: Files, columns: Mapping[str, str]) -> pl.LazyFrame:
    of = engine.of
    rows = engine.scan(files, columns)
    absent = {role: of.lit(None, of.String) for role in ("id", "fold", "truth", "prediction")}
    absent["score"] = of.lit(None, of.Float64)
    return rows.select(
        **{role: of.col(role) if role in columns else none for role, none in absent.items()}
    )


def _labels(spec_file: SpecFile, data: Data, engine: CountingEngine) -> tuple[Truths, pl.LazyFrame]:
    """Scan the file of labels, in which every id stands once."""
    files = Files(spec_file.folder, (data.labels or "",))
    table = files.table(engine.names(files))
    columns = {"id": data.id or "", "truth": data.truth}
    faults = table.missing({f"data.{role}": name for role, name in columns.items()})
    if faults:
        raise DataError(*faults)
    of = engine.of
    labels = engine.scan(files, columns)
    missing = of.col("id").is_null().cast(of.Int64).sum()
    answers = engine.collect(
        count_alike(labels, ("truth",), of, ids_missing=missing), MOST_ANSWERS + 1
    )
    refuse_too_many(table, {"truth": data.truth}, answers)
    refuse_gaps(table, data, answers, columns, known_labels(spec_file.spec.task))
    several = count_alike(labels, ("id",), of).filter(of.col("count") > 1)
    repeated = int(engine.collect(several.select(ids=of.len()))["ids"].sum())
    if repeated:
        raise DataError(repeated_ids(table, data, repeated))
    return Truths(files.input(), table, pl.DataFrame(), int(answers["count"].sum())), labels


def repeated_ids(table: Table, data: Data, number: int) -> Fault:
    """Return that ids stand in more than one row."""
    said = "stands" if number == 1 else "stand"
    message = f"{table.said(data.id or '')}: {counted(number, 'id')} {said} in more than one row"
    help_text = "drop what only repeats another row; make an id of the case and its repetition"
    return Fault(IDS_REPEATED, message, Place(table.path), help_text)


def _joined(rows: pl.LazyFrame, labels: pl.LazyFrame, engine: CountingEngine) -> pl.LazyFrame:
    """Give rows the truth of the labels, null where they have none."""
    rows, labels = with_same_ids((rows, labels), engine)
    return rows.drop("truth").join(labels, on="id", how="left")


def with_same_ids(
    frames: tuple[pl.LazyFrame, ...], engine: CountingEngine
) -> tuple[pl.LazyFrame, ...]:
    """Let ids be text in all frames, unless they are whole numbers in all."""
    of = engine.of
    if len({str(frame.collect_schema()["id"]) for frame in frames}) == 1:
        return frames
    return tuple(frame.with_columns(id=of.col("id").cast(of.String)) for frame in frames)


def _bins(
    spec_file: SpecFile, engine: CountingEngine, rows: pl.LazyFrame, answers: pl.DataFrame
) -> Bins | None:
    settings = spec_file.spec.engine
    different = int(answers["count"].sum())
    if different > settings.most_scores:
        different = engine.different(rows, "score")
    low, high = answers.select(pl.col("low").min(), pl.col("high").max()).row(0)
    return bins_for(settings, low, high, different)


def by_score(engine: CountingEngine, rows: pl.LazyFrame, bins: Bins | None) -> pl.DataFrame:
    """Count answers by score; one of a bin is the middle of those in it.

    `blurred` says where different scores were counted as one.
    """
    found = engine.collect(count_scores(rows, bins, engine.of))
    if bins is None:
        return found.with_columns(blurred=pl.lit(value=False))
    low, high = pl.col("low").min().over("bin"), pl.col("high").max().over("bin")
    # Half of each, because the sum of two scores may be too large for a number.
    middle = pl.when(low == high).then(low).otherwise(low / 2 + high / 2)
    return found.select(*ANSWERS, "count", score=middle, blurred=low < high)


def _values(answers: pl.DataFrame) -> Values:
    return tuple(tuple(answers[name].unique().sort()) for name in ANSWERS)


def _as_cases(found: pl.DataFrame, values: Values, data: Data) -> pl.DataFrame:
    """Return counted rows in the columns that cases have, in an order of their own."""
    answers = found.select(ANSWERS).unique()
    numbers = pl.Series("answer", [number_of(row, values) for row in answers.rows()], pl.Int64)
    order = ["answer", "score"] if "score" in found.columns else ["answer"]
    frame = found.join(answers.with_columns(numbers), on=ANSWERS, how="left", nulls_equal=True)
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


def counted_again(engine: CountingEngine, each: Counted, rows: pl.LazyFrame) -> pl.DataFrame:
    """Count some of a classifier's rows by score, as all of them were."""
    return _as_cases(by_score(engine, rows, each.bins), each.values, each.cases.data)
