"""Which column names the cases, told from names and from agreement between files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from reportgen.predictions.inspection import Texts

ID_NAMES = (
    *("id", "case", "caseid", "sampleid", "rowid", "patient", "sample", "subject", "instance"),
    *("inst", "record", "document", "doc", "image", "file", "filename", "uuid", "guid", "uid"),
    *("key", "index", "name"),
)
_FRACTION = r"^[+-]?\d*[.,]\d*[1-9]\d*([eE][+-]?\d+)?$"
_MOST_REPEATED = 0.05
_MOST_DIFFERENT = 0.05
_LEAST_SHARED = 0.5


def plain(name: str) -> str:
    """Return a column's name without case and punctuation, to compare it with others."""
    return re.sub(r"[\W_]", "", name.casefold())


def shared_id(texts: Sequence[Texts], truth: str, taken: Collection[str] = ()) -> str | None:
    """Return the column that names the cases of all files, or None if there is none."""
    first, *others = texts
    names = [
        name
        for name in first.frame.columns
        if name not in {truth, *taken} and all(name in each.frame.columns for each in others)
    ]
    likely = _likely(names)
    # Without a name that says so, only files that agree can show that a column is an id.
    unlikely = [name for name in names if name not in likely and others]
    for name in (*likely, *unlikely):
        repeated = _MOST_REPEATED if name in likely else 0
        if all(_may_be_id(each, name, repeated) for each in texts) and all(
            _agree(first, other, name, truth) for other in others
        ):
            return name
    return None


def _likely(names: Iterable[str]) -> list[str]:
    """Return the names that look like those of ids, the likeliest first."""
    ranks = {name: rank for name in names if (rank := _rank(name)) is not None}
    return sorted(ranks, key=ranks.__getitem__)


def _rank(name: str) -> int | None:
    """Return how much a name looks like that of an id, the lowest being the likeliest."""
    short = plain(name)
    if short in ID_NAMES:
        return ID_NAMES.index(short)
    compound = re.search(r"[\W_][iI][dD]$|[a-z]I[dD]$|^[iI][dD][\W_]", name)
    return len(ID_NAMES) if compound or short.removesuffix("id") in ID_NAMES else None


def _may_be_id(texts: Texts, name: str, repeated: float) -> bool:
    """Tell whether a column has no gaps, no fractions, and (almost) no value twice in a fold."""
    values = texts.frame.get_column(name)
    if values.null_count() or bool(values.str.contains(_FRACTION).any()):
        return False
    different = pl.DataFrame([values.alias("id"), texts.folds.alias("fold")]).n_unique()
    return len(values) - different <= repeated * len(values)


def _spelled(truth: str) -> pl.Expr:
    """Return a truth in one spelling, so that 1, 1.0 and True agree."""
    text = pl.col(truth).str.to_lowercase()
    numbers = text.replace({"true": "1", "false": "0"}).cast(pl.Float64, strict=False)
    return pl.coalesce(numbers.cast(pl.String), text)


def _agree(first: Texts, other: Texts, name: str, truth: str) -> bool:
    """Tell whether most cases of the smaller file are in the other, with the same truth."""
    ours, theirs = (
        each.frame.select(
            pl.col(name).alias("id"),
            (_spelled(truth) if truth in each.frame.columns else pl.lit(None)).alias("truth"),
        ).unique("id", keep="first")
        for each in (first, other)
    )
    joined = ours.join(theirs, on="id", suffix=" there")
    if joined.height < _LEAST_SHARED * min(ours.height, theirs.height):
        return False
    different = joined.filter(pl.col("truth") != pl.col("truth there")).height
    return different <= _MOST_DIFFERENT * joined.height


def same_cases(texts: Sequence[Texts]) -> bool | None:
    """Tell whether files have ids in common; None if there are no ids to tell by."""
    first, *others = texts
    for name in _likely(first.frame.columns):
        if all(name in each.frame.columns and _may_be_id(each, name, 0) for each in texts):
            known = first.frame.get_column(name)
            return any(each.frame.get_column(name).is_in(known.implode()).any() for each in others)
    return None
