"""Weka's prediction output, as CSV, with tabs, or as padded text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import MALFORMED_ROW, TOOL_FORMAT_MISMATCH
from reportgen.predictions.formats import FileFormat, damaged_gzip_diagnostic, detect_format
from reportgen.predictions.presets.preset import Preset
from reportgen.predictions.table import DerivedColumn, PredictionTable, source_column
from reportgen.predictions.text_files import MAX_DIAGNOSTICS, encoding_diagnostic, source_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


# The lines of a Weka prediction output: which are predictions, and what their fields are.

WEKA_HEADER = r"^\s*inst#[,\t ]\s*actual[,\t ]\s*predicted[,\t ]\s*error"
_LIST_TITLE = r"^=== Predictions .*==="
_LEADING_COLUMNS = ("inst#", "actual", "predicted", "error")
_ATTRIBUTES = r"\s*(?:\((?<attributes>.*)\))?\s*$"
_PADDED_NOMINAL = (
    r"^\s*(?<inst>\d+)\s+(?<actual>\d+:.*?|\?)\s+(?<predicted>\d+:.*?|\?)\s+"
    r"(?:(?<error>\+)\s+)?(?<probabilities>\*?[\d.]\S*|\?)" + _ATTRIBUTES
)
_PADDED_NUMERIC = (
    r"^\s*(?<inst>\d+)\s+(?<actual>\S+)\s+(?<predicted>\S+)\s+(?<error>\S+)" + _ATTRIBUTES
)


@dataclass(frozen=True, slots=True)
class WekaLayout:
    """How the predictions are written: the separator (None for padded text) and the columns."""

    separator: str | None
    probability_count: int
    is_distribution: bool
    attributes: tuple[str, ...]

    @property
    def width(self) -> int:
        """How many fields a row has."""
        return len(_LEADING_COLUMNS) + self.probability_count + len(self.attributes)


def scan_lines(path: Path) -> pl.LazyFrame:
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


def read_layout(path: Path, lines: pl.LazyFrame) -> WekaLayout:
    """Return how the predictions are written, or raise if it is not one list of predictions."""
    line = pl.col("line")
    told = lines.filter(line.str.contains(WEKA_HEADER) | line.str.contains(_LIST_TITLE)).collect()
    headers = told.filter(line.str.contains(WEKA_HEADER))
    titles = told.filter(line.str.contains(_LIST_TITLE))
    if headers.is_empty():
        message = "no line begins with `inst#`, as the header of Weka's predictions does"
        help_text = "let Weka write them: -classifications weka.classifiers.evaluation.output."
        raise DataError(
            Diagnostic(TOOL_FORMAT_MISMATCH, message, Location(path), f"{help_text}prediction.CSV")
        )
    for found in (titles, headers):
        if found["line"].n_unique() > 1:
            first = found.unique("line", keep="first", maintain_order=True)
            listed = "; ".join(f"line {row + 1}: {text.strip()}" for row, text in first.rows())
            message = f"the file has several lists of predictions ({listed})"
            help_text = "keep the one that is meant, each in a file of its own"
            place = Location(
                path, first["row"][1] + 1, source_line=source_line(path, first["row"][1] + 1)
            )
            raise DataError(Diagnostic(TOOL_FORMAT_MISMATCH, message, place, help_text))
    return _parse_header(headers["line"][0])


def _parse_header(header: str) -> WekaLayout:
    """Read the header: Weka names the first of several columns of a distribution only."""
    separator = next((sign for sign in (",", "\t") if header.startswith(f"inst#{sign}")), None)
    if separator is None:
        named = re.search(r"\((.*)\)\s*$", header)
        attributes = tuple(filter(None, named[1].split(","))) if named else ()
        words = re.sub(r"\(.*", "", header).split()
        kind = words[len(_LEADING_COLUMNS)] if len(words) > len(_LEADING_COLUMNS) else None
        return WekaLayout(None, int(kind is not None), kind == "distribution", attributes)
    names = header.split(separator)[len(_LEADING_COLUMNS) :]
    if not names or names[0] not in {"prediction", "distribution"}:
        return WekaLayout(separator, 0, is_distribution=False, attributes=tuple(names))
    unnamed = next((n for n, name in enumerate(names[1:]) if name), len(names) - 1)
    probabilities = 1 + (unnamed if names[0] == "distribution" else 0)
    return WekaLayout(
        separator, probabilities, names[0] == "distribution", tuple(names[probabilities:])
    )


def parse_lines(path: Path, lines: pl.LazyFrame, layout: WekaLayout) -> pl.LazyFrame:
    """Return the fields of the predictions (row, inst#, actual, predicted, error, probabilities, …)."""
    line = pl.col("line")
    is_header = line.str.contains(WEKA_HEADER)
    # A blank line ends the list, which the summary of the evaluation may follow.
    inside = (
        pl.when(is_header).then(True).when(line.str.strip_chars() == "").then(False)  # noqa: FBT003
    ).forward_fill()
    within = lines.filter(inside.fill_null(value=False) & ~is_header)
    split = (
        _split_padded(within, layout)
        if layout.separator is None
        else _split_delimited(within, layout)
    )
    odd = split.filter(~pl.col("is_complete")).select("row").collect()["row"]
    if len(odd):
        raise DataError(*_shape_diagnostics(path, odd))
    return split


def _split_delimited(lines: pl.LazyFrame, layout: WekaLayout) -> pl.LazyFrame:
    fields = pl.col("line").str.split(layout.separator or ",")
    first = len(_LEADING_COLUMNS)
    count = pl.col("fields").list.len()
    ends_open = pl.col("line").str.ends_with(layout.separator or ",")
    # Without a prediction Weka writes one `?` for the whole distribution.
    unpredicted = pl.col("predicted") == "?"
    columns = {
        name: pl.col("fields").list.get(n, null_on_oob=True)
        for n, name in enumerate(_LEADING_COLUMNS)
    }
    return (
        lines.with_columns(fields=fields)
        .with_columns(**columns)
        .with_columns(
            (count == layout.width)
            .or_((count == layout.width + 1) & ends_open, unpredicted)
            .fill_null(value=False)
            .alias("is_complete"),
            probabilities=pl.col("fields").list.slice(first, layout.probability_count),
            attributes=pl.col("fields").list.slice(first + layout.probability_count),
        )
    )


def _split_padded(lines: pl.LazyFrame, layout: WekaLayout) -> pl.LazyFrame:
    pattern = _PADDED_NOMINAL if layout.probability_count else _PADDED_NUMERIC
    found = lines.with_columns(pl.col("line").str.extract_groups(pattern).alias("found"))
    fields = pl.col("found").struct.field
    probabilities = (
        fields("probabilities").str.split(",")
        if layout.probability_count
        else pl.lit([], pl.List(pl.String))
    )
    return found.with_columns(
        fields("inst").is_not_null().alias("is_complete"),
        fields("inst").alias("inst#"),
        fields("actual"),
        fields("predicted"),
        fields("error"),
        probabilities.alias("probabilities"),
        fields("attributes").str.split(",").alias("attributes"),
    )


def _shape_diagnostics(path: Path, invalid_rows: pl.Series) -> list[Diagnostic]:
    help_text = "a label that holds a comma has this effect: write the predictions with -use-tab"
    more = len(invalid_rows) - MAX_DIAGNOSTICS
    return [
        Diagnostic(
            MALFORMED_ROW,
            "the line is no prediction of the shape that its header says"
            + (f"; and {more} more" if more > 0 and number == MAX_DIAGNOSTICS else ""),
            Location(path, row + 1, source_line=source_line(path, row + 1)),
            help_text,
        )
        for number, row in enumerate(invalid_rows.head(MAX_DIAGNOSTICS), start=1)
    ]


DISTRIBUTION_COLUMN = "distribution {class}"
FOLD_COLUMN = "fold"
_SUM_TOLERANCE = 1e-3
_ROUNDING_ERROR = 5e-4


@dataclass(frozen=True, slots=True)
class _FileSummary:
    """What a file says as a whole: how many folds, probabilities of a case, and classes by number."""

    folds: int
    probability_count: int
    classes: Mapping[int, str]


def open_weka(path: Path, _expected_columns: tuple[str, ...] = ()) -> PredictionTable:
    """Open a prediction output: labels without their numbers, folds by the restarts of inst#."""
    detect_format(path)
    try:
        return _open_table(path)
    except OSError as error:
        raise DataError(damaged_gzip_diagnostic(path)) from error
    except pl.exceptions.PolarsError as error:
        # Any text can be read as lines, so it is not text.
        raise DataError(encoding_diagnostic(path)) from error


def _open_table(path: Path) -> PredictionTable:
    lines = scan_lines(path)
    layout = read_layout(path, lines)
    rows = parse_lines(path, lines, layout)
    told = _summarize_file(rows)
    probabilities = _probability_columns(layout, told)
    label = _parse_label if layout.probability_count else _parse_number
    columns: dict[str, pl.Expr] = {
        "inst#": pl.col("inst#"),
        "actual": label("actual", quoted=True),
        "predicted": label("predicted", quoted=False),
        "error": pl.col("error"),
        **probabilities,
    }
    for number, name in enumerate(layout.attributes):
        value = pl.col("attributes").list.get(number, null_on_oob=True)
        columns.setdefault(name.strip("'"), value.str.strip_chars("'"))
    if told.folds > 1:
        columns.setdefault(FOLD_COLUMN, _fold_number().cast(pl.String))
    named = (expression.alias(name) for name, expression in columns.items())
    return PredictionTable(
        path, FileFormat.CSV, tuple(columns), preset_scan=rows.select("row", *named)
    )


def _fold_number() -> pl.Expr:
    """Number the folds: in each of them Weka counts the cases from 1 again."""
    number = pl.col("inst#").cast(pl.Int64, strict=False)
    return (number <= number.shift(1)).fill_null(value=False).cum_sum() + 1


def _parse_label(column: str, *, quoted: bool) -> pl.Expr:
    """Return the label of `1:yes`; only the truth is quoted where a name needs it."""
    label = pl.col(column).str.extract(r"^\d+:(.*)$")
    if quoted:
        inner = label.str.extract(r"^'(.*)'$").str.replace_all(r"\\(.)", "${1}")
        label = pl.coalesce(inner, label)
    return pl.when(label != "?").then(label)


def _parse_number(column: str, *, quoted: bool) -> pl.Expr:  # noqa: ARG001  # the same call as a label's
    return pl.when(pl.col(column) != "?").then(pl.col(column))


def _summarize_file(rows: pl.LazyFrame) -> _FileSummary:
    """Return what has to be known of a whole file, found in one go through it."""
    classes = {
        column: pl.struct(
            number=pl.col(column).str.extract(r"^(\d+):").cast(pl.Int64),
            label=_parse_label(column, quoted=column == "actual"),
        )
        .unique()
        .implode()
        for column in ("actual", "predicted")
    }
    probabilities = pl.col("probabilities").list.len().max()
    found = (
        rows.select(folds=_fold_number().max(), probabilities=probabilities, **classes)
        .collect()
        .row(0, named=True)
    )
    pairs = {tuple(pair.values()) for column in classes for pair in found[column]}
    known = sorted((number, label) for number, label in pairs if None not in {number, label})
    return _FileSummary(found["folds"] or 0, found["probabilities"] or 0, dict(known))


def _probability_columns(layout: WekaLayout, summary: _FileSummary) -> dict[str, pl.Expr]:
    """Return the columns of probabilities: of the predicted class, or of each class."""
    if not layout.probability_count:
        return {}
    if not layout.is_distribution:
        share = pl.col("probabilities").list.get(0, null_on_oob=True)
        return {"prediction": pl.when(share != "?").then(share)}
    bare = pl.col("probabilities").list.eval(pl.element().str.strip_prefix("*"))
    total = bare.list.eval(pl.element().cast(pl.Float64, strict=False)).list.sum()
    off = (total - 1).abs()
    # So far off may be what was rounded to three decimals and adds up to 1 otherwise.
    is_rounded = (off > _SUM_TOLERANCE) & (
        off <= _ROUNDING_ERROR * pl.col("probabilities").list.len()
    )
    columns: dict[str, pl.Expr] = {}
    for number in range(1, summary.probability_count + 1):
        share = bare.list.get(number - 1, null_on_oob=True)
        scaled = (share.cast(pl.Float64, strict=False) / total).cast(pl.String)
        name = DISTRIBUTION_COLUMN.replace("{class}", summary.classes.get(number, f"#{number}"))
        columns[name] = pl.when(is_rounded).then(scaled).when(share != "?").then(share)
    return columns


def name_distribution_columns(
    tables: Sequence[PredictionTable], labels: Sequence[str]
) -> tuple[PredictionTable, ...]:
    """Name the distribution of a class that a file does not mention by what the others say."""
    prefix = DISTRIBUTION_COLUMN.replace("{class}", "")
    own = [[name for name in each.names if name.startswith(prefix)] for each in tables]
    wanted = [DISTRIBUTION_COLUMN.replace("{class}", label) for label in labels]
    named = {number: name for names in own for number, name in enumerate(names) if name in wanted}
    most = max(map(len, own))
    unnamed = [number for number in range(most) if number not in named]
    unused = [name for name in wanted if name not in named.values()]
    if most and unused:
        if not len(unnamed) == len(unused) == 1:
            raise DataError(_unnamed_class_diagnostic(tables[0], unused[0].removeprefix(prefix)))
        named |= dict(zip(unnamed, unused, strict=True))
    return tuple(
        each.with_derived(
            {
                named[number]: DerivedColumn((name,), source_column(name))
                for number, name in enumerate(names)
                if name not in wanted and number in named
            }
        )
        for each, names in zip(tables, own, strict=True)
    )


def _unnamed_class_diagnostic(table: PredictionTable, label: str) -> Diagnostic:
    message = f"which column of the distribution is that of {label!r} cannot be told"
    help_text = (
        "Weka names no columns, and the class is neither a truth nor a prediction: take it out of"
        " `classes`, or name a `score` instead"
    )
    return Diagnostic(TOOL_FORMAT_MISMATCH, message, Location(table.path), help_text)


PRESET = Preset(
    name="weka",
    title="Weka's predictions",
    description="truth `actual`, prediction `predicted`; a fold ends where inst# starts again",
    columns={
        "truth": ("actual",),
        "prediction": ("predicted",),
        "fold": (FOLD_COLUMN,),
        "confidence": ("prediction",),
    },
    probability_patterns=(DISTRIBUTION_COLUMN,),
    non_id_columns=("inst#",),
    header_pattern=WEKA_HEADER,
    is_recognised=lambda table: table.preset_scan is not None and "inst#" in table.names,
    open=open_weka,
    finalize=name_distribution_columns,
)
