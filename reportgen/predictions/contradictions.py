"""Cases about which files say two things."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import CASES_CONTRADICT
from reportgen.predictions.probabilities import probability_names
from reportgen.predictions.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions.cases import Cases

_FIRST = 5
_MOST_VALUES = 4
_ALWAYS_TOLD = ("truth", "prediction", "score")
_REPETITION = (
    "is the id used for two cases? in repeated cross-validation name the column that tells the"
    ' predictions of a case apart: `fold = "…"` under `[data]`'
)


def refuse_contradictions(cases: Sequence[Cases], every: pl.DataFrame, once: pl.DataFrame) -> None:
    """Raise if a classifier has two answers for one case, or a case has two truths."""
    faults: list[Fault] = []
    told = pl.Series("number", [], pl.UInt32)
    if once.height < every.height:
        columns = ("truth", "prediction", "score", *probability_names(every.columns))
        answers = pl.struct(columns).n_unique()
        own = every.filter(answers.over("classifier", "case") > 1)
        faults += _faults(cases, own, columns, "rows")
        if all(each.data.fold is None for each in cases):
            faults = [replace(fault, help=_REPETITION) for fault in faults]
        told = own["number"].unique()
    truths = once.select("number", "truth").drop_nulls().unique()
    two = truths.filter(pl.col("number").is_duplicated()).select("number").unique()
    # Truths that differ inside one classifier are already told by its rows.
    two = two.filter(~pl.col("number").is_in(told.implode()))
    others = once.join(two, on="number", how="semi", maintain_order="left")
    faults += _faults(cases, others.with_columns(case="number"), ("truth",), "truths")
    if faults:
        raise DataError(*faults)


def _faults(
    cases: Sequence[Cases], found: pl.DataFrame, columns: tuple[str, ...], what: str
) -> list[Fault]:
    names = found.select("case", "id").unique("case", keep="first", maintain_order=True)
    more = names.height - _FIRST
    faults: list[Fault] = []
    for number, (case, name) in enumerate(names.head(_FIRST).rows(), start=1):
        told, place = values_told(cases, found.filter(pl.col("case") == case), columns)
        end = f"; and {counted(more, 'more case')}" if more > 0 and number == _FIRST else ""
        message = f"case `{name}` has contradicting {what}: {told}{end}"
        faults.append(Fault(CASES_CONTRADICT, message, place, "is the id used for two cases?"))
    return faults


def values_told(
    cases: Sequence[Cases], rows: pl.DataFrame, columns: tuple[str, ...]
) -> tuple[str, Place | None]:
    """Return who says what where about one case, and the place of the last one."""
    by_name = {each.classifier: each for each in cases}
    told: list[str] = []
    place: Place | None = None
    different = rows.unique(list(columns), keep="first", maintain_order=True).head(_MOST_VALUES)
    for row in different.iter_rows(named=True):
        own = by_name[row["classifier"]]
        (place,) = own.tables[row["file"]].places([row["row"]])
        at = own.told_place(row["file"], row["row"])
        values = ", ".join(
            f"{_told_name(column)} {row[column]}"
            for column in columns
            if row[column] is not None and (column in _ALWAYS_TOLD or rows[column].n_unique() > 1)
        )
        told.append(f"{values} for `{row['classifier']}` ({at})")
    return "; ".join(told), place


def _told_name(column: str) -> str:
    """Call a column of probabilities by the place of its class."""
    return column if column in _ALWAYS_TOLD else f"probability {int(column[1:]) + 1}"
