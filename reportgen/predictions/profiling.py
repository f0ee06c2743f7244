"""Column profiles of prediction files, and inference of the id column, for `init`."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.predictions.formats import FileFormat
from reportgen.spec.fields import is_invisible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from polars.datatypes import DataType, DataTypeClass

    from reportgen.predictions.table import PredictionTable


InferredType = Literal["text", "integer", "number", "boolean"]
_MAX_EXAMPLES = 1000
_MAX_COLUMNS = 200


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """The profile of a column: type, distinct values and range."""

    name: str
    kind: InferredType
    distinct_count: int
    minimum: float | None
    maximum: float | None
    examples: tuple[str, ...]
    is_unique: bool
    is_integral: bool


@dataclass(frozen=True, slots=True)
class FileProfile:
    """The profiles of the columns of a file, and its number of rows."""

    columns: tuple[ColumnProfile, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class TextColumns:
    """Columns of one file, or of the files of several folds, as text, and the fold of each row."""

    frame: pl.DataFrame
    folds: pl.Series
    has_decimal_commas: bool = False
    """Whether numbers had decimal commas, which are points in the frame."""
    repeated_names: tuple[str, ...] = ()
    """Names that several columns have, which are left out."""

    def distinct(self, column: str) -> list[str]:
        """Return the distinct values of a column in order of appearance."""
        return self.frame.get_column(column).drop_nulls().unique(maintain_order=True).to_list()

    def with_folds(self, column: str | None) -> TextColumns:
        """Return the columns with folds by a column, within those by file."""
        if column is None or column not in self.frame.columns:
            return self
        folds = self.folds + " " + self.frame.get_column(column).fill_null("")
        return replace(self, folds=folds)


def read_text_columns(tables: Sequence[PredictionTable]) -> TextColumns:
    """Read the columns that all files have as text.

    Columns with a blank or ambiguous name are left out.
    """
    frames = [_read_as_text(table) for table in tables]
    shared = [name for name in frames[0].columns if all(name in item.columns for item in frames)]
    frame = pl.concat([item.select(shared) for item in frames])
    files = [str(number) for number, item in enumerate(frames) for _ in range(item.height)]
    folds = pl.Series("fold", files, pl.String)
    # Cells of a sheet may be numbers, or texts with a comma.
    marks = "[.,]" if any(table.format is FileFormat.WORKBOOK for table in tables) else ","
    commas = [name for name in frame.columns if _has_decimal_commas(frame[name], marks)]
    points = frame.with_columns(pl.col(commas).str.replace(",", ".", literal=True))
    return TextColumns(
        points,
        folds,
        has_decimal_commas=bool(commas),
        repeated_names=tuple(
            name for name, count in Counter(tables[0].names).items() if name and count > 1
        ),
    )


def _has_decimal_commas(texts: pl.Series, marks: str) -> bool:
    """Return whether all values of a column are numbers, and some of them have a decimal comma."""
    values = texts.drop_nulls()
    values = values.filter(values != "")
    is_number = values.str.contains(rf"^[+-]?\d+({marks}\d+)?([eE][+-]?\d+)?$")
    return bool(is_number.all() and values.str.contains(",", literal=True).any())


def profile_columns(texts: TextColumns) -> FileProfile:
    """Return the profiles of columns."""
    columns = (_profile_column(name, texts.frame[name]) for name in texts.frame.columns)
    return FileProfile(tuple(columns), texts.frame.height)


def _read_as_text(table: PredictionTable) -> pl.DataFrame:
    counts = Counter(table.names)
    # An object is read by its fields, which have its name before a dot.
    objects = {outer for name in table.names for outer in _outer_names(name)}
    names = [
        name
        for name in table.names
        # A spec cannot name other columns.
        if name.strip() and counts[name] == 1 and not any(map(is_invisible, name))
        if name not in objects
    ][:_MAX_COLUMNS]
    if not names:
        return pl.DataFrame()
    frame = table.read({f"c{number}": name for number, name in enumerate(names)}).drop("row")
    flat = [column for column in frame.columns if not _is_nested(frame[column].dtype)]
    lists = [column for column in frame.columns if _is_flat_list(frame[column].dtype)]
    texts = frame.select(
        pl.col(column).cast(pl.String) if column in flat else _list_as_text(column)
        for column in frame.columns
        if column in {*flat, *lists}
    )
    return texts.rename({column: names[int(column[1:])] for column in texts.columns})


def _outer_names(name: str) -> list[str]:
    """Return the objects of a nested field: `a` and `a.b` of `a.b.c`."""
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _is_flat_list(dtype: pl.DataType) -> bool:
    return isinstance(dtype, pl.List | pl.Array) and not _is_nested(dtype.inner)


def _list_as_text(column: str) -> pl.Expr:
    """Return a list as JSON has it, `[news, sport]`."""
    items = pl.col(column).cast(pl.List(pl.String)).list.join(", ")
    return pl.format("[{}]", items).alias(column)


def _is_nested(dtype: DataType | DataTypeClass) -> bool:
    return dtype.is_nested() or dtype in {pl.Binary, pl.Object}


def _profile_column(name: str, values: pl.Series) -> ColumnProfile:
    texts = values.drop_nulls()
    texts = texts.filter(texts != "")
    distinct = texts.unique(maintain_order=True)
    kind = _infer_type(distinct)
    numbers = texts.cast(pl.Float64, strict=False) if kind in {"integer", "number"} else None
    return ColumnProfile(
        name=name,
        kind=kind,
        distinct_count=len(distinct),
        minimum=None if numbers is None else _as_float(numbers.min()),
        maximum=None if numbers is None else _as_float(numbers.max()),
        examples=tuple(distinct.head(_MAX_EXAMPLES)),
        is_unique=len(distinct) == len(values) > 0,
        is_integral=numbers is not None and bool((numbers == numbers.floor()).all()),
    )


def _infer_type(distinct: pl.Series) -> InferredType:
    if distinct.is_empty():
        return "text"
    if set(distinct.head(3).str.to_lowercase()) <= {"true", "false"}:
        return "boolean"
    if bool(distinct.str.contains(r"^[+-]?\d+$").all()):
        return "integer"
    numeric = distinct.cast(pl.Float64, strict=False).null_count() == 0
    return "number" if numeric else "text"


def _as_float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


ID_NAMES = (
    *("id", "case", "caseid", "sampleid", "rowid", "patient", "sample", "subject", "instance"),
    *("inst", "record", "document", "doc", "image", "file", "filename", "uuid", "guid", "uid"),
    *("key", "index", "idx", "name", "fall", "fallnr", "fallnummer", "nr"),
)
_FRACTION = r"^[+-]?\d*[.,]\d*[1-9]\d*([eE][+-]?\d+)?$"
_MAX_REPEATED_SHARE = 0.05
_MAX_CONFLICTING_SHARE = 0.05
_MIN_SHARED_SHARE = 0.5


def normalize_name(name: str) -> str:
    """Return a column's name in lower case without punctuation, for comparison."""
    return re.sub(r"[\W_]", "", name.casefold())


def infer_id_column(
    texts: Sequence[TextColumns], truth: str, excluded: Collection[str]
) -> str | None:
    """Return the column that is probably the id of the cases of all files, or None."""
    first, *others = texts
    names = [
        name
        for name in first.frame.columns
        if name not in {truth, *excluded} and all(name in text.frame.columns for text in others)
    ]
    by_name = _rank_id_names(names)
    # A column with another name is taken for an id only if several files agree in it.
    remaining = [name for name in names if name not in by_name and others]
    for name in (*by_name, *remaining):
        max_repeated = _MAX_REPEATED_SHARE if name in by_name else 0
        if all(_can_be_id(text, name, max_repeated) for text in texts) and all(
            _cases_agree(first, other, name, truth) for other in others
        ):
            return name
    return None


def describe_different_ids(texts: Sequence[TextColumns]) -> str | None:
    """Return how the values of a column called an id differ between files, None if they do not."""
    first, *others = (text.frame for text in texts)
    for name in _rank_id_names(first.columns):
        own = set(first[name].drop_nulls())
        for frame in others:
            theirs = set(frame[name].drop_nulls()) if name in frame.columns else own
            if own and 2 * len(own & theirs) < min(len(own), len(theirs)):
                return (
                    f"column `{name}` has {min(own - theirs)!r} in one file and"
                    f" {min(theirs - own)!r} in another, and {len(own & theirs)} values that both"
                    " have: write the ids of the same cases alike"
                )
    return None


def _rank_id_names(names: Iterable[str]) -> list[str]:
    """Return the names that look like ids, the likeliest first."""
    ranks = {name: rank for name in names if (rank := id_name_rank(name)) is not None}
    return sorted(ranks, key=ranks.__getitem__)


def id_name_rank(name: str) -> int | None:
    """Return the rank of a name among those of ids (0 is the likeliest), or None."""
    normalized = normalize_name(name)
    if normalized in ID_NAMES:
        return ID_NAMES.index(normalized)
    compound = re.search(r"[\W_][iI][dD]$|[a-z]I[dD]$|^[iI][dD][\W_]", name)
    return len(ID_NAMES) if compound or normalized.removesuffix("id") in ID_NAMES else None


def _can_be_id(texts: TextColumns, name: str, max_repeated_share: float) -> bool:
    """Return whether a column has no missing values, fractions or (many) duplicates in a fold."""
    values = texts.frame.get_column(name)
    if values.null_count() or bool(values.str.contains(_FRACTION).any()):
        return False
    distinct = pl.DataFrame([values.alias("id"), texts.folds.alias("fold")]).n_unique()
    return len(values) - distinct <= max_repeated_share * len(values)


def _normalized_truth(truth: str) -> pl.Expr:
    """Return a truth in canonical spelling, so that 1, 1.0 and True are equal."""
    text = pl.col(truth).str.to_lowercase()
    numbers = text.replace({"true": "1", "false": "0"}).cast(pl.Float64, strict=False)
    return pl.coalesce(numbers.cast(pl.String), text)


def _cases_agree(first: TextColumns, other: TextColumns, name: str, truth: str) -> bool:
    """Return whether most cases of the smaller file are in the other, with the same truth."""
    first_values, other_values = (
        columns.frame.select(
            pl.col(name).alias("id"),
            (_normalized_truth(truth) if truth in columns.frame.columns else pl.lit(None)).alias(
                "truth"
            ),
        ).unique("id", keep="first")
        for columns in (first, other)
    )
    joined = first_values.join(other_values, on="id", suffix=" there")
    if joined.height < _MIN_SHARED_SHARE * min(first_values.height, other_values.height):
        return False
    different = joined.filter(pl.col("truth") != pl.col("truth there")).height
    return different <= _MAX_CONFLICTING_SHARE * joined.height


def have_common_cases(texts: Sequence[TextColumns]) -> bool | None:
    """Return whether files have ids in common; None if they have no id column."""
    first, *others = texts
    for name in _rank_id_names(first.frame.columns):
        if all(name in text.frame.columns and _can_be_id(text, name, 0) for text in texts):
            ids = first.frame.get_column(name)
            return any(text.frame.get_column(name).is_in(ids.implode()).any() for text in others)
    return None
