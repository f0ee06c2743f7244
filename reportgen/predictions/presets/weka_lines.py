"""The lines of a Weka prediction output: which are predictions, and what their fields are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import CSV_STRUCTURE, OTHER_TOOL
from reportgen.frozen import frozen
from reportgen.predictions.csv_text import FIRST_FAULTS, source_line

if TYPE_CHECKING:
    from pathlib import Path

HEADER = r"^\s*inst#[,\t ]\s*actual[,\t ]\s*predicted[,\t ]\s*error"
_TITLE = r"^=== Predictions .*==="
_START = ("inst#", "actual", "predicted", "error")
_ATTRIBUTES = r"\s*(?:\((?<attributes>.*)\))?\s*$"
_PLAIN_NOMINAL = (
    r"^\s*(?<inst>\d+)\s+(?<actual>\d+:.*?|\?)\s+(?<predicted>\d+:.*?|\?)\s+"
    r"(?:(?<error>\+)\s+)?(?<shares>\*?[\d.]\S*|\?)" + _ATTRIBUTES
)
_PLAIN_NUMERIC = (
    r"^\s*(?<inst>\d+)\s+(?<actual>\S+)\s+(?<predicted>\S+)\s+(?<error>\S+)" + _ATTRIBUTES
)


@frozen
class Layout:
    """How the predictions are written: the separator (None for padded text) and the columns."""

    separator: str | None
    shares: int
    is_distribution: bool
    attributes: tuple[str, ...]

    @property
    def width(self) -> int:
        """How many fields a row has."""
        return len(_START) + self.shares + len(self.attributes)


def read_lines(path: Path) -> pl.LazyFrame:
    """Scan a file line by line (row, line), blank lines included."""
    return pl.scan_csv(
        path,
        has_header=False,
        # A character that no text holds: each line becomes one field.
        separator="\x1e",
        quote_char=None,
        glob=False,
        infer_schema=False,
        new_columns=["line"],
        row_index_name="row",
    ).with_columns(pl.col("line").fill_null("").str.strip_chars_end("\r"))


def read_layout(path: Path, lines: pl.LazyFrame) -> Layout:
    """Return how the predictions are written, or raise if it is not one list of predictions."""
    line = pl.col("line")
    told = lines.filter(line.str.contains(HEADER) | line.str.contains(_TITLE)).collect()
    headers = told.filter(line.str.contains(HEADER))
    titles = told.filter(line.str.contains(_TITLE))
    if headers.is_empty():
        message = "no line begins with `inst#`, as the header of Weka's predictions does"
        help_text = "let Weka write them: -classifications weka.classifiers.evaluation.output."
        raise DataError(Fault(OTHER_TOOL, message, Place(path), f"{help_text}prediction.CSV"))
    for found in (titles, headers):
        if found["line"].n_unique() > 1:
            first = found.unique("line", keep="first", maintain_order=True)
            listed = "; ".join(f"line {row + 1}: {text.strip()}" for row, text in first.rows())
            message = f"the file has several lists of predictions ({listed})"
            help_text = "keep the one that is meant, each in a file of its own"
            place = Place(path, first["row"][1] + 1, source=source_line(path, first["row"][1] + 1))
            raise DataError(Fault(OTHER_TOOL, message, place, help_text))
    return _layout(headers["line"][0])


def _layout(header: str) -> Layout:
    """Read the header: Weka names the first of several columns of a distribution only."""
    separator = next((sign for sign in (",", "\t") if header.startswith(f"inst#{sign}")), None)
    if separator is None:
        named = re.search(r"\((.*)\)\s*$", header)
        attributes = tuple(filter(None, named[1].split(","))) if named else ()
        words = re.sub(r"\(.*", "", header).split()
        kind = words[len(_START)] if len(words) > len(_START) else None
        return Layout(None, int(kind is not None), kind == "distribution", attributes)
    names = header.split(separator)[len(_START) :]
    if not names or names[0] not in {"prediction", "distribution"}:
        return Layout(separator, 0, is_distribution=False, attributes=tuple(names))
    unnamed = next((n for n, name in enumerate(names[1:]) if name), len(names) - 1)
    shares = 1 + (unnamed if names[0] == "distribution" else 0)
    return Layout(separator, shares, names[0] == "distribution", tuple(names[shares:]))


def split_lines(path: Path, lines: pl.LazyFrame, layout: Layout) -> pl.LazyFrame:
    """Return the fields of the predictions (row, inst#, actual, predicted, error, shares, …)."""
    line = pl.col("line")
    is_header = line.str.contains(HEADER)
    # A blank line ends the list, which the summary of the evaluation may follow.
    inside = (
        pl.when(is_header).then(True).when(line.str.strip_chars() == "").then(False)  # noqa: FBT003
    ).forward_fill()
    within = lines.filter(inside.fill_null(value=False) & ~is_header)
    split = _split_plain(within, layout) if layout.separator is None else _split(within, layout)
    odd = split.filter(~pl.col("is whole")).select("row").collect()["row"]
    if len(odd):
        raise DataError(*_shape_faults(path, odd))
    return split


def _split(lines: pl.LazyFrame, layout: Layout) -> pl.LazyFrame:
    fields = pl.col("line").str.split(layout.separator or ",")
    first = len(_START)
    count = pl.col("fields").list.len()
    ends_open = pl.col("line").str.ends_with(layout.separator or ",")
    # Without a prediction Weka writes one `?` for the whole distribution.
    unpredicted = pl.col("predicted") == "?"
    columns = {
        name: pl.col("fields").list.get(n, null_on_oob=True) for n, name in enumerate(_START)
    }
    return (
        lines.with_columns(fields=fields)
        .with_columns(**columns)
        .with_columns(
            (count == layout.width)
            .or_((count == layout.width + 1) & ends_open, unpredicted)
            .fill_null(value=False)
            .alias("is whole"),
            shares=pl.col("fields").list.slice(first, layout.shares),
            attributes=pl.col("fields").list.slice(first + layout.shares),
        )
    )


def _split_plain(lines: pl.LazyFrame, layout: Layout) -> pl.LazyFrame:
    pattern = _PLAIN_NOMINAL if layout.shares else _PLAIN_NUMERIC
    found = lines.with_columns(pl.col("line").str.extract_groups(pattern).alias("found"))
    fields = pl.col("found").struct.field
    shares = fields("shares").str.split(",") if layout.shares else pl.lit([], pl.List(pl.String))
    return found.with_columns(
        fields("inst").is_not_null().alias("is whole"),
        fields("inst").alias("inst#"),
        fields("actual"),
        fields("predicted"),
        fields("error"),
        shares.alias("shares"),
        fields("attributes").str.split(",").alias("attributes"),
    )


def _shape_faults(path: Path, odd: pl.Series) -> list[Fault]:
    help_text = "a label that holds a comma has this effect: write the predictions with -use-tab"
    more = len(odd) - FIRST_FAULTS
    return [
        Fault(
            CSV_STRUCTURE,
            "the line is no prediction of the shape that its header says"
            + (f"; and {more} more" if more > 0 and number == FIRST_FAULTS else ""),
            Place(path, row + 1, source=source_line(path, row + 1)),
            help_text,
        )
        for number, row in enumerate(odd.head(FIRST_FAULTS), start=1)
    ]
