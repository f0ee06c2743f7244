"""Preset of Weka: prediction output as CSV, with tabs, or as padded text."""

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
    """The layout of predictions: the separator (None for padded text) and the columns."""

    separator: str | None
    probability_count: int
    is_distribution: bool
    attributes: tuple[str, ...]

    @property
    def width(self) -> int:
        """The number of fields of a row."""
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
    """Return the layout of the predictions, or raise if the file is not one list of them."""
    line = pl.col("line")
    header_lines = lines.filter(
        line.str.contains(WEKA_HEADER) | line.str.contains(_LIST_TITLE)
    ).collect()
    headers = header_lines.filter(line.str.contains(WEKA_HEADER))
    titles = header_lines.filter(line.str.contains(_LIST_TITLE))
    if headers.is_empty():
        message = "no line begins with `inst#`, as the header of Weka's predictions does"
        help_text = "let Weka write them: -classifications weka.classifiers.evaluation.output."
        raise DataError(
            Diagnostic(TOOL_FORMAT_MISMATCH, message, Location(path), f"{help_text}prediction.CSV")
        )
    for matches in (titles, headers):
        if matches["line"].n_unique() > 1:
            first = matches.unique("line", keep="first", maintain_order=True)
            listing = "; ".join(f"line {row + 1}: {text.strip()}" for row, text in first.rows())
            message = f"the file has several lists of predictions ({listing})"
            help_text = "keep the one that is meant, each in a file of its own"
            location = Location(
                path, first["row"][1] + 1, source_line=source_line(path, first["row"][1] + 1)
            )
            raise DataError(Diagnostic(TOOL_FORMAT_MISMATCH, message, location, help_text))
    return _parse_header(headers["line"][0])


def _parse_header(header: str) -> WekaLayout:
    """Return the layout of a header; Weka names only the first column of a distribution."""
    separator = next((sign for sign in (",", "\t") if header.startswith(f"inst#{sign}")), None)
    if separator is None:
        match = re.search(r"\((.*)\)\s*$", header)
        attributes = tuple(filter(None, match[1].split(","))) if match else ()
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
    """Return the fields of the predictions: row, inst#, actual, predicted, probabilities, …."""
    line = pl.col("line")
    is_header = line.str.contains(WEKA_HEADER)
    # A blank line ends the list, which the summary of the evaluation may follow.
    inside = (
        pl.when(is_header).then(True).when(line.str.strip_chars() == "").then(False)  # noqa: FBT003
    ).forward_fill()
    within = lines.filter(inside.fill_null(value=False) & ~is_header)
    fields = (
        _split_padded(within, layout)
        if layout.separator is None
        else _split_delimited(within, layout)
    )
    incomplete = fields.filter(~pl.col("is_complete")).select("row").collect()["row"]
    if len(incomplete):
        raise DataError(*_shape_diagnostics(path, incomplete))
    return fields


def _split_delimited(lines: pl.LazyFrame, layout: WekaLayout) -> pl.LazyFrame:
    fields = pl.col("line").str.split(layout.separator or ",")
    first = len(_LEADING_COLUMNS)
    count = pl.col("fields").list.len()
    has_trailing_separator = pl.col("line").str.ends_with(layout.separator or ",")
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
            .or_((count == layout.width + 1) & has_trailing_separator, unpredicted)
            .fill_null(value=False)
            .alias("is_complete"),
            probabilities=pl.col("fields").list.slice(first, layout.probability_count),
            attributes=pl.col("fields").list.slice(first + layout.probability_count),
        )
    )


def _split_padded(lines: pl.LazyFrame, layout: WekaLayout) -> pl.LazyFrame:
    pattern = _PADDED_NOMINAL if layout.probability_count else _PADDED_NUMERIC
    with_groups = lines.with_columns(pl.col("line").str.extract_groups(pattern).alias("groups"))
    fields = pl.col("groups").struct.field
    probabilities = (
        fields("probabilities").str.split(",")
        if layout.probability_count
        else pl.lit([], pl.List(pl.String))
    )
    return with_groups.with_columns(
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
    n_more = len(invalid_rows) - MAX_DIAGNOSTICS
    return [
        Diagnostic(
            MALFORMED_ROW,
            "the line does not have the fields of the header"
            + (f"; and {n_more} more" if n_more > 0 and number == MAX_DIAGNOSTICS else ""),
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
    """The numbers of folds and of probabilities per case of a file, and its classes by number."""

    folds: int
    probability_count: int
    classes: Mapping[int, str]


def open_weka(path: Path, _expected_columns: tuple[str, ...] = ()) -> PredictionTable:
    """Open a prediction output: labels without their numbers, folds by restarts of inst#."""
    detect_format(path)
    try:
        return _open_table(path)
    except OSError as error:
        raise DataError(damaged_gzip_diagnostic(path)) from error
    except pl.exceptions.PolarsError as error:
        # Any text can be read as lines, so the file is not a text.
        raise DataError(encoding_diagnostic(path)) from error


def _open_table(path: Path) -> PredictionTable:
    lines = scan_lines(path)
    layout = read_layout(path, lines)
    rows = parse_lines(path, lines, layout)
    summary = _summarize_file(rows)
    probabilities = _probability_columns(layout, summary)
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
    if summary.folds > 1:
        columns.setdefault(FOLD_COLUMN, _fold_number().cast(pl.String))
    expressions = (expression.alias(name) for name, expression in columns.items())
    return PredictionTable(
        path, FileFormat.CSV, tuple(columns), preset_scan=rows.select("row", *expressions)
    )


def _fold_number() -> pl.Expr:
    """Return the fold number: Weka numbers the cases of each fold from 1."""
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
    """Return the summary of a file, computed in one pass."""
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
    values = (
        rows.select(folds=_fold_number().max(), probabilities=probabilities, **classes)
        .collect()
        .row(0, named=True)
    )
    pairs = {tuple(pair.values()) for column in classes for pair in values[column]}
    number_labels = sorted(
        (number, label) for number, label in pairs if None not in {number, label}
    )
    return _FileSummary(values["folds"] or 0, values["probabilities"] or 0, dict(number_labels))


def _probability_columns(layout: WekaLayout, summary: _FileSummary) -> dict[str, pl.Expr]:
    """Return the columns of probabilities: of the predicted class, or of each class."""
    if not layout.probability_count:
        return {}
    if not layout.is_distribution:
        probability = pl.col("probabilities").list.get(0, null_on_oob=True)
        return {"prediction": pl.when(probability != "?").then(probability)}
    probabilities = pl.col("probabilities").list.eval(pl.element().str.strip_prefix("*"))
    total = probabilities.list.eval(pl.element().cast(pl.Float64, strict=False)).list.sum()
    deviation = (total - 1).abs()
    # Rounding to three decimals may change a sum of 1 by so much.
    is_rounded = (deviation > _SUM_TOLERANCE) & (
        deviation <= _ROUNDING_ERROR * pl.col("probabilities").list.len()
    )
    columns: dict[str, pl.Expr] = {}
    for number in range(1, summary.probability_count + 1):
        probability = probabilities.list.get(number - 1, null_on_oob=True)
        normalized = (probability.cast(pl.Float64, strict=False) / total).cast(pl.String)
        name = DISTRIBUTION_COLUMN.replace("{class}", summary.classes.get(number, f"#{number}"))
        columns[name] = (
            pl.when(is_rounded).then(normalized).when(probability != "?").then(probability)
        )
    return columns


def name_distribution_columns(
    tables: Sequence[PredictionTable], labels: Sequence[str]
) -> tuple[PredictionTable, ...]:
    """Name the distribution column of a class that a file lacks by the classes of other files."""
    prefix = DISTRIBUTION_COLUMN.replace("{class}", "")
    table_columns = [[name for name in table.names if name.startswith(prefix)] for table in tables]
    expected = [DISTRIBUTION_COLUMN.replace("{class}", label) for label in labels]
    by_number = {
        number: name
        for names in table_columns
        for number, name in enumerate(names)
        if name in expected
    }
    n_columns = max(map(len, table_columns))
    unnamed = [number for number in range(n_columns) if number not in by_number]
    unused = [name for name in expected if name not in by_number.values()]
    if n_columns and unused:
        if not len(unnamed) == len(unused) == 1:
            raise DataError(_unnamed_class_diagnostic(tables[0], unused[0].removeprefix(prefix)))
        by_number |= dict(zip(unnamed, unused, strict=True))
    return tuple(
        table.with_derived(
            {
                by_number[number]: DerivedColumn((name,), source_column(name))
                for number, name in enumerate(names)
                if name not in expected and number in by_number
            }
        )
        for table, names in zip(tables, table_columns, strict=True)
    )


def _unnamed_class_diagnostic(table: PredictionTable, label: str) -> Diagnostic:
    message = f"the column of the distribution of {label!r} is unknown"
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
