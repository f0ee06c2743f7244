"""Weka's prediction output, as CSV, with tabs, or as padded text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import OTHER_TOOL
from reportgen.frozen import frozen
from reportgen.predictions.csv_text import encoding_fault
from reportgen.predictions.derived import Derived, written
from reportgen.predictions.formats import Format, damaged_gzip, format_of
from reportgen.predictions.presets.preset import Preset
from reportgen.predictions.presets.weka_lines import (
    Layout,
    read_layout,
    read_lines,
    split_lines,
)
from reportgen.predictions.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

DISTRIBUTION = "distribution {class}"
FOLD = "fold"
_TOLERANCE = 1e-3
_ROUNDING = 5e-4


@frozen
class _Told:
    """What a file says as a whole: how many folds, shares of a case, and classes by number."""

    folds: int
    shares: int
    classes: Mapping[int, str]


def open_weka(path: Path, _wanted: tuple[str, ...] = ()) -> Table:
    """Open a prediction output: labels without their numbers, folds by the restarts of inst#."""
    format_of(path)
    try:
        return _open(path)
    except OSError as error:
        raise DataError(damaged_gzip(path)) from error
    except pl.exceptions.PolarsError as error:
        # Any text can be read as lines, so it is not text.
        raise DataError(encoding_fault(path)) from error


def _open(path: Path) -> Table:
    lines = read_lines(path)
    layout = read_layout(path, lines)
    rows = split_lines(path, lines, layout)
    told = _told(rows)
    shares = _shares(layout, told)
    label = _label if layout.shares else _number
    columns: dict[str, pl.Expr] = {
        "inst#": pl.col("inst#"),
        "actual": label("actual", quoted=True),
        "predicted": label("predicted", quoted=False),
        "error": pl.col("error"),
        **shares,
    }
    for number, name in enumerate(layout.attributes):
        value = pl.col("attributes").list.get(number, null_on_oob=True)
        columns.setdefault(name.strip("'"), value.str.strip_chars("'"))
    if told.folds > 1:
        columns.setdefault(FOLD, _fold().cast(pl.String))
    named = (expression.alias(name) for name, expression in columns.items())
    return Table(path, Format.CSV, tuple(columns), scanned=rows.select("row", *named))


def _fold() -> pl.Expr:
    """Number the folds: in each of them Weka counts the cases from 1 again."""
    number = pl.col("inst#").cast(pl.Int64, strict=False)
    return (number <= number.shift(1)).fill_null(value=False).cum_sum() + 1


def _label(column: str, *, quoted: bool) -> pl.Expr:
    """Return the label of `1:yes`; only the truth is quoted where a name needs it."""
    label = pl.col(column).str.extract(r"^\d+:(.*)$")
    if quoted:
        inner = label.str.extract(r"^'(.*)'$").str.replace_all(r"\\(.)", "${1}")
        label = pl.coalesce(inner, label)
    return pl.when(label != "?").then(label)


def _number(column: str, *, quoted: bool) -> pl.Expr:  # noqa: ARG001  # the same call as a label's
    return pl.when(pl.col(column) != "?").then(pl.col(column))


def _told(rows: pl.LazyFrame) -> _Told:
    """Return what has to be known of a whole file, found in one go through it."""
    classes = {
        column: pl.struct(
            number=pl.col(column).str.extract(r"^(\d+):").cast(pl.Int64),
            label=_label(column, quoted=column == "actual"),
        )
        .unique()
        .implode()
        for column in ("actual", "predicted")
    }
    shares = pl.col("shares").list.len().max()
    found = rows.select(folds=_fold().max(), shares=shares, **classes).collect().row(0, named=True)
    pairs = {tuple(pair.values()) for column in classes for pair in found[column]}
    known = sorted((number, label) for number, label in pairs if None not in {number, label})
    return _Told(found["folds"] or 0, found["shares"] or 0, dict(known))


def _shares(layout: Layout, told: _Told) -> dict[str, pl.Expr]:
    """Return the columns of probabilities: of the predicted class, or of each class."""
    if not layout.shares:
        return {}
    if not layout.is_distribution:
        share = pl.col("shares").list.get(0, null_on_oob=True)
        return {"prediction": pl.when(share != "?").then(share)}
    bare = pl.col("shares").list.eval(pl.element().str.strip_prefix("*"))
    total = bare.list.eval(pl.element().cast(pl.Float64, strict=False)).list.sum()
    off = (total - 1).abs()
    # So far off may be what was rounded to three decimals and adds up to 1 otherwise.
    is_rounded = (off > _TOLERANCE) & (off <= _ROUNDING * pl.col("shares").list.len())
    columns: dict[str, pl.Expr] = {}
    for number in range(1, told.shares + 1):
        share = bare.list.get(number - 1, null_on_oob=True)
        scaled = (share.cast(pl.Float64, strict=False) / total).cast(pl.String)
        name = DISTRIBUTION.replace("{class}", told.classes.get(number, f"#{number}"))
        columns[name] = pl.when(is_rounded).then(scaled).when(share != "?").then(share)
    return columns


def name_classes(tables: Sequence[Table], labels: Sequence[str]) -> tuple[Table, ...]:
    """Name the distribution of a class that a file does not mention by what the others say."""
    prefix = DISTRIBUTION.replace("{class}", "")
    own = [[name for name in each.names if name.startswith(prefix)] for each in tables]
    wanted = [DISTRIBUTION.replace("{class}", label) for label in labels]
    named = {number: name for names in own for number, name in enumerate(names) if name in wanted}
    most = max(map(len, own))
    unnamed = [number for number in range(most) if number not in named]
    unused = [name for name in wanted if name not in named.values()]
    if most and unused:
        if not len(unnamed) == len(unused) == 1:
            raise DataError(_unnamed_fault(tables[0], unused[0].removeprefix(prefix)))
        named |= dict(zip(unnamed, unused, strict=True))
    return tuple(
        each.with_derived(
            {
                named[number]: Derived((name,), written(name))
                for number, name in enumerate(names)
                if name not in wanted and number in named
            }
        )
        for each, names in zip(tables, own, strict=True)
    )


def _unnamed_fault(table: Table, label: str) -> Fault:
    message = f"which column of the distribution is that of {label!r} cannot be told"
    help_text = (
        "Weka names no columns, and the class is neither a truth nor a prediction: take it out of"
        " `classes`, or name a `score` instead"
    )
    return Fault(OTHER_TOOL, message, Place(table.path), help_text)


WEKA = Preset(
    name="weka",
    title="Weka's predictions",
    meaning="truth `actual`, prediction `predicted`; a fold ends where inst# starts again",
    columns={
        "truth": ("actual",),
        "prediction": ("predicted",),
        "fold": (FOLD,),
        "certainty": ("prediction",),
    },
    probabilities=(DISTRIBUTION,),
    # The cases of each fold are numbered anew.
    no_ids=("inst#",),
    is_recognised=lambda table: table.scanned is not None and "inst#" in table.names,
    opened=open_weka,
    completed=name_classes,
)
