"""Cases that occur in several folds, as in repeated cross-validation."""

from __future__ import annotations

import polars as pl

from reportgen.errors import DataError, Fault
from reportgen.errors.data_faults import FOLDS_DIFFER
from reportgen.predictions.files import natural_key
from reportgen.predictions.wording import counted

_MOST_FOLDS = 5
_WAYS_OUT = (
    "use the same folds for all classifiers, or let `fold` name a column that is the same for all,"
    " such as the repetition; take `fold` out if ids are unique without it"
)


def number_cases(every: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Number ids and cases: a case is an id or, if ids repeat over folds, an id in a fold."""
    # Numbers, because grouping by them is several times faster than by text.
    ids = every.select("id").unique(maintain_order=True).with_row_index("number")
    every = every.join(ids, on="id", how="left", maintain_order="left")
    places = every.select("classifier", "number", "fold").unique()
    repeated = places.height > places.select("classifier", "number").unique().height
    if not repeated:
        case, repeat = pl.col("number"), pl.lit(None, pl.String)
        return every.with_columns(case=case, repeat=repeat), []
    pairs = every.select("number", "fold").unique(maintain_order=True).with_row_index("case")
    every = every.join(
        pairs, on=("number", "fold"), how="left", nulls_equal=True, maintain_order="left"
    )
    _refuse_other_folds(every)
    return every.with_columns(repeat=pl.col("fold")), _repeat_warnings(places, ids.height)


def _repeat_warnings(places: pl.DataFrame, ids: int) -> list[str]:
    """Tell if only some ids occur in several folds, which no repeated cross-validation does."""
    folds = places.group_by("classifier", "number").agg(times=pl.len())
    if folds["times"].n_unique() == 1:
        return []
    several = folds.filter(pl.col("times") > 1)["number"].n_unique()
    warning = (
        f"{several} of {ids} ids occur in more than one fold, or in more folds than others;"
        " each pair of id and fold is counted as a case"
    )
    return [warning]


def _refuse_other_folds(every: pl.DataFrame) -> None:
    """Raise if an id has folds in one classifier that it lacks in another, and the reverse."""
    held = every.select("classifier", "number", "id", "fold", "case").unique()
    sizes = held.group_by("classifier", "number").agg(size=pl.len())
    larger = pl.col("size").rank("max", descending=True).over("number")
    held = held.join(sizes.with_columns(larger=larger), on=("classifier", "number"))
    # If classifiers only lack folds, those with as many or more folds have all the folds of one.
    split = held.filter(pl.len().over("case") < pl.col("larger"))
    if split.is_empty():
        return
    example = min(split["id"].unique(), key=natural_key)
    rows = held.filter(pl.col("id") == example).group_by("classifier").agg("fold")
    told = "; ".join(
        f"{_some_folds(folds)} for `{name}`" for name, folds in rows.sort("classifier").rows()
    )
    number = counted(split["number"].n_unique(), "id")
    message = (
        f"the folds differ between classifiers for {number} of {held['number'].n_unique()}:"
        f" `{example}` is in {told}"
    )
    raise DataError(Fault(FOLDS_DIFFER, message, help=_WAYS_OUT))


def _some_folds(folds: list[str | None]) -> str:
    ordered = sorted((fold or "no fold" for fold in folds), key=natural_key)
    return ", ".join(ordered[:_MOST_FOLDS]) + (", …" if len(ordered) > _MOST_FOLDS else "")
