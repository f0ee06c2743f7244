"""Files of the corpus as tables, and tables as files of the same format and layout."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING, Any

import polars as pl

from reportgen.predictions.formats import detect_format
from reportgen.predictions.stored_tables import list_parts
from reportgen.predictions.table import open_table
from tests.predictions.layouts.corpus import write_sqlite, write_workbook

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Record = dict[str, Any]
INDEX = "index"
SEPARATORS = {
    **dict.fromkeys(("semicolons", "decimal_commas", "latin_1"), ";"),
    **dict.fromkeys(("spss_group_and_probability", "rapidminer_example_set"), ";"),
    "pipe_separated": "|",
    "r_table_with_row_names": " ",
}
# Lines above the header, and what stands between the fields besides the separator.
COMMENTS = {"comments_above_the_header": "# model: logistic regression\n"}
BLANKS = frozenset(("blanks_after_commas",))
ROW_NAMES = frozenset(("r_table_with_row_names",))
ENCODINGS = {"latin_1": "latin-1"}
TABLE = "table"


def read_tables(path: Path, name: str) -> dict[str, pl.DataFrame]:
    """Return the tables or sheets of a file; text files have one, of texts."""
    match path.suffix:
        case ".csv" | ".tsv" | ".txt":
            text = path.read_bytes().decode(ENCODINGS.get(name, "utf-8"))
            lines = [line for line in text.splitlines(keepends=True) if line[0] != "#"]
            if name in BLANKS:
                lines = [line.replace(", ", ",") for line in lines]
            if name in ROW_NAMES:
                lines = [lines[0], *(line.partition(" ")[2] for line in lines[1:])]
            return {TABLE: read_csv("".join(lines), separator(path, name))}
        case ".zip":
            with zipfile.ZipFile(path) as archive:
                (part,) = list_parts(path, detect_format(path))
                return {part: read_csv(archive.read(part).decode(), ",")}
        case ".parquet":
            return {TABLE: pl.read_parquet(path)}
        case ".json" | ".jsonl":
            rows = [flatten(row) for row in read_records(path)]
            return {TABLE: pl.DataFrame(rows, infer_schema_length=None)}
        case ".duckdb":
            import duckdb

            with duckdb.connect(str(path), read_only=True) as connection:
                cursor = connection.execute("SELECT * FROM p")
                names = [item[0] for item in cursor.description or ()]
                rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            return {"p": pl.DataFrame(rows, infer_schema_length=None)}
        case ".db" | ".sqlite":
            return read_sqlite(path)
        case ".xlsx":
            return {part: read_sheet(path, part) for part in list_parts(path, detect_format(path))}
        case _:
            raise AssertionError(path)


def write_tables(path: Path, name: str, tables: Mapping[str, pl.DataFrame]) -> None:
    """Write the tables or sheets of a file anew."""
    (frame, *_) = tables.values()
    match path.suffix:
        case ".csv" | ".tsv" | ".txt":
            text = frame.write_csv(separator=separator(path, name))
            if name in BLANKS:
                text = text.replace(",", ", ")
            if name in ROW_NAMES:
                header, *lines = text.splitlines(keepends=True)
                numbered = (f'"{number}" {line}' for number, line in enumerate(lines, start=1))
                text = "".join((header, *numbered))
            text = COMMENTS.get(name, "") + text
            path.write_bytes(text.encode(ENCODINGS.get(name, "utf-8")))
        case ".zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(next(iter(tables)), frame.write_csv())
        case ".parquet":
            frame.write_parquet(path)
        case ".json" | ".jsonl":
            write_records(path, [nest(row) for row in frame.to_dicts()])
        case ".duckdb":
            write_duckdb(path, frame)
        case ".db" | ".sqlite":
            path.unlink()
            write_sqlite(path, **tables)
        case _:
            rows = {
                part: [[*frame.columns], *map(list, frame.rows())] for part, frame in tables.items()
            }
            write_workbook(path, **rows)


def read_csv(text: str, separator: str) -> pl.DataFrame:
    """Return a table of texts."""
    return pl.read_csv(io.StringIO(text), separator=separator, infer_schema=False)


def separator(path: Path, name: str) -> str:
    """Return what separates the fields of a text file."""
    return SEPARATORS.get(name, "\t" if path.suffix == ".tsv" else ",")


def read_sheet(path: Path, part: str) -> pl.DataFrame:
    """Return a sheet under its header."""
    table = open_table(path, (), part)
    names = {f"c{number}": name for number, name in enumerate(table.names)}
    return table.read(names).drop("row").rename(names)


def read_sqlite(path: Path) -> dict[str, pl.DataFrame]:
    """Return the tables of a database."""
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
        tables = {}
        for name in names:
            cursor = connection.execute(f'SELECT * FROM "{name}"')  # noqa: S608  # of the corpus
            columns = [item[0] for item in cursor.description]
            tables[name] = pl.DataFrame(
                cursor.fetchall(), columns, orient="row", infer_schema_length=None
            )
    return tables


def write_duckdb(path: Path, frame: pl.DataFrame) -> None:
    """Write the table `p`; texts are what a change made of labels."""
    import duckdb

    types = {pl.String: "VARCHAR", pl.Int64: "BIGINT", pl.Int32: "INTEGER"}
    columns = ", ".join(
        f'"{name}" {types.get(type(dtype), "DECIMAL(9, 6)")}'
        for name, dtype in frame.schema.items()
    )
    path.unlink()
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE p ({columns})")
        places = ", ".join("?" * frame.width)
        connection.executemany(f"INSERT INTO p VALUES ({places})", frame.rows())  # noqa: S608


# JSON: each orientation of pandas, arrays and lines.


def read_records(path: Path) -> list[Record]:
    """Return the rows of a JSON document of any orientation."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    content: Any = json.loads(text)
    match orientation(content):
        case "records":
            return list(content)
        case "table":
            return list(content["data"])
        case "split":
            return [dict(zip(content["columns"], row, strict=True)) for row in content["data"]]
        case "index":
            return list(content.values())
        case "ids":
            return [{INDEX: key, **row} for key, row in content.items()]
        case _:
            count = len(next(iter(content.values())))
            return [
                {name: values[str(row)] for name, values in content.items()} for row in range(count)
            ]


def write_records(path: Path, rows: list[Record]) -> None:
    """Write rows in the orientation that the file has."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return
    content: Any = json.loads(path.read_text(encoding="utf-8"))
    match orientation(content):
        case "records":
            new: Any = rows
        case "table":
            new = {**content, "data": rows}
        case "split":
            names = list(rows[0])
            new = {
                "columns": names,
                "index": list(range(len(rows))),
                "data": [[row[name] for name in names] for row in rows],
            }
        case "index":
            new = {str(number): row for number, row in enumerate(rows)}
        case "ids":
            new = {row[INDEX]: {key: row[key] for key in row if key != INDEX} for row in rows}
        case _:
            new = {
                name: {str(number): row[name] for number, row in enumerate(rows)}
                for name in rows[0]
            }
    path.write_text(json.dumps(new), encoding="utf-8")


def orientation(content: object) -> str:
    """Return the orientation of a JSON document, as pandas calls it."""
    if isinstance(content, list):
        return "records"
    assert isinstance(content, dict)
    if "schema" in content:
        return "table"
    if "columns" in content:
        return "split"
    if next(iter(content)).isdecimal():
        return "index"
    values = next(iter(content.values()))
    return "columns" if next(iter(values)).isdecimal() else "ids"


def flatten(row: Record) -> Record:
    """Return a row with dotted names of nested fields."""
    flat: Record = {}
    for name, value in row.items():
        flat |= (
            {f"{name}.{key}": inner for key, inner in value.items()}
            if isinstance(value, dict)
            else {name: value}
        )
    return flat


def nest(row: Record) -> Record:
    """Return a row with objects for dotted names."""
    nested: Record = {}
    for name, value in row.items():
        outer, _, inner = name.partition(".")
        if inner:
            nested.setdefault(outer, {})[inner] = value
        else:
            nested[name] = value
    return nested
