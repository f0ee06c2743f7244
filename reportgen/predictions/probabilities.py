"""Probabilities: one column per class, between 0 and 1, adding up to 1."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError
from reportgen.errors.data_faults import NOT_A_PROBABILITY
from reportgen.predictions.collecting import read_each
from reportgen.predictions.columns import number_column
from reportgen.predictions.compact import read_compact

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reportgen.errors import Fault
    from reportgen.predictions.cases import Cases
    from reportgen.predictions.compact import Kind
    from reportgen.predictions.table import Table
    from reportgen.spec import Task

_TOLERANCE = 1e-3
_PERCENT = 100
_RANKING = 'if these scores are no probabilities, write `score_kind = "ranking"`'
_NO_PROBABILITIES = (
    "mend whatever wrote it; if these are no probabilities, take `probabilities` out"
)
_WHOLE = (
    "every class has a column, and the classes of a case have 1 between them: divide weights by"
    " their sum, or take `probabilities` out"
)
_COLUMN = re.compile(r"p\d+")


def read_probabilities(
    task: Task, cases: Sequence[Cases], classes: Sequence[str]
) -> tuple[Cases, ...]:
    """Give the cases their probabilities (p0, p1, …), and check scores that are said to be some."""
    return read_each(cases, lambda each: _with_probabilities(task, each, classes))


def probability_columns(classes: Sequence[str]) -> list[str]:
    """Return the columns that hold the classes' probabilities."""
    return [f"p{number}" for number in range(len(classes))]


def probability_names(columns: Sequence[str]) -> list[str]:
    """Return which of a frame's columns hold probabilities."""
    return [name for name in columns if _COLUMN.fullmatch(name)]


def _with_probabilities(task: Task, cases: Cases, classes: Sequence[str]) -> Cases:
    pattern = cases.data.probabilities
    if pattern is None:
        _refuse_other_scores(cases)
        return cases
    read = read_each(cases.tables, lambda table: _read_table(table, pattern, classes))
    frame = cases.frame.hstack(pl.concat(read))
    if task.positive is None or cases.data.score is not None:
        return replace(cases, frame=frame)
    column = pattern.replace("{class}", task.positive)
    return replace(
        cases,
        data=cases.data.model_copy(update={"score": column}),
        frame=frame.with_columns(score=f"p{list(classes).index(task.positive)}"),
    )


def _refuse_other_scores(cases: Cases) -> None:
    """Raise if scores that are said to be probabilities are not between 0 and 1."""
    if cases.data.score is None or cases.data.score_kind != "probability":
        return
    name = cases.data.score
    advise = _advice(cases.frame["score"], _RANKING)
    if cases.frame["score"].is_between(0, 1).all():
        return
    faults = [
        fault
        for table in cases.tables
        for fault in _outside(table, _scores(table, name), name, advise)
    ]
    if faults:
        raise DataError(*faults)


def _scores(table: Table, name: str) -> pl.DataFrame:
    """Read the scores of a file once more, row by row."""
    read = table.read({"score": name})
    values, _ = number_column(table, read, "score", name)
    return pl.DataFrame({"row": read["row"], "value": values})


def _read_table(table: Table, pattern: str, classes: Sequence[str]) -> pl.DataFrame:
    """Read the probabilities of a file."""
    columns = {label: pattern.replace("{class}", label) for label in classes}
    faults = table.missing({f"data.probabilities of {label}": n for label, n in columns.items()})
    if faults:
        raise DataError(*faults)
    named = {f"p{number}": name for number, name in enumerate(columns.values())}
    kinds: dict[str, Kind] = dict.fromkeys(named, "number")
    frame = read_compact(table, named, kinds)
    if frame is not None and _are_sound(frame.select(*named)):
        return frame.select(*named)
    return _read_closely(table, columns)


def _are_sound(frame: pl.DataFrame) -> bool:
    inside = pl.all_horizontal(pl.all().is_between(0, 1).all())
    whole = ((pl.sum_horizontal(pl.all()).round(6) - 1).abs() <= _TOLERANCE).all()
    return bool(frame.select(inside & whole).item())


def _read_closely(table: Table, columns: dict[str, str]) -> pl.DataFrame:
    """Read probabilities value by value, and raise all faults with their places."""
    faults: list[Fault] = []
    read = table.read({f"p{number}": name for number, name in enumerate(columns.values())})
    cast: list[pl.Series] = [read["row"]]
    for number, name in enumerate(columns.values()):
        values, found = number_column(table, read, f"p{number}", name)
        faults.extend(found)
        if len(values) == read.height:
            cast.append(values)
    frame = pl.DataFrame(cast)
    advise = _advice(pl.concat([pl.Series([], dtype=pl.Float64), *cast[1:]]), _NO_PROBABILITIES)
    for number, name in enumerate(columns.values()):
        if f"p{number}" in frame.columns:
            faults += _outside(table, frame.select("row", value=f"p{number}"), name, advise)
    faults += _not_one(table, frame) if len(cast) == len(columns) + 1 else []
    if faults:
        raise DataError(*faults)
    return frame.drop("row")


def _outside(
    table: Table, values: pl.DataFrame, name: str, advise: Callable[[str], str]
) -> list[Fault]:
    return table.faults_at(
        NOT_A_PROBABILITY,
        values.filter(pl.col("value").is_finite() & ~pl.col("value").is_between(0, 1)),
        lambda value: f"{table.said(name)}: {value} is not between 0 and 1",
        advise,
    )


def _advice(values: pl.Series, otherwise: str) -> Callable[[str], str]:
    """Return what advises on a value: a percentage if all look like that, and the way out."""
    mean = values.mean()
    # One slip among probabilities leaves their mean below 1.
    like_percentages = (
        isinstance(mean, float) and mean > 1 and bool(values.is_between(0, _PERCENT).all())
    )

    def advise(value: str) -> str:
        if like_percentages and float(value) > 1:
            return f"a percentage? write {float(value) / _PERCENT:g}; {otherwise}"
        return otherwise

    return advise


def _not_one(table: Table, frame: pl.DataFrame) -> list[Fault]:
    # Of a row with a value that is no probability its sum says nothing more.
    sound = frame.filter(
        pl.all_horizontal(pl.exclude("row").is_between(0, 1).fill_null(value=False))
    )
    sums = sound.select("row", value=pl.sum_horizontal(pl.exclude("row")).round(6))
    return table.faults_at(
        NOT_A_PROBABILITY,
        sums.filter((pl.col("value") - 1).abs() > _TOLERANCE),
        lambda value: f"the probabilities of the row add up to {value}, not to 1",
        lambda _: _WHOLE,
    )
