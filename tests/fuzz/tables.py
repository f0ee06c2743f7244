"""Tables of predictions in every format, and readers of them that share no code with reportgen."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
import zipfile
import zlib
from contextlib import closing
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import duckdb
import polars as pl

from tests.fuzz.mutations import mutate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Rows = list[dict[str, object]]

N_CASES = 40
COLUMNS = ("id", "truth", "prediction", "score")
SHEET = "xl/worksheets/sheet1.xml"
SPREADSHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@dataclass(frozen=True, slots=True)
class TableFormat:
    """A file format: its suffix, its bytes, mutations of them, and an independent reader.

    `read` returns None if the file is none of this format.
    """

    suffix: str
    write: Callable[[Rows, Path], bytes]
    mutate: Callable[[Random, bytes], bytes]
    read: Callable[[Path], Rows | None]


def sample_rows() -> Rows:
    """Return the cases that are mutated."""
    rng = Random(20260301)  # noqa: S311  # cases, not secrets
    rows: Rows = []
    for number in range(N_CASES):
        score = round(rng.random(), 3)
        truth = "yes" if rng.random() < (0.3 + 0.5 * score) else "no"
        prediction = "yes" if score >= 0.5 else "no"
        rows.append({"id": number, "truth": truth, "prediction": prediction, "score": score})
    return rows


def _write_delimited(separator: str) -> Callable[[Rows, Path], bytes]:
    def write(rows: Rows, _folder: Path) -> bytes:
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, delimiter=separator, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue().encode()

    return write


def _read_delimited(separator: str) -> Callable[[Path], Rows | None]:
    def read(path: Path) -> Rows | None:
        return _parse_delimited(path.read_bytes(), separator)

    return read


def _parse_delimited(content: bytes, separator: str) -> Rows | None:
    try:
        stream = io.StringIO(content.decode("utf-8-sig"), newline="")
        reader = csv.DictReader(stream, delimiter=separator, strict=True)
        names = reader.fieldnames or ()
        rows: Rows = [dict(row) for row in reader]
    except (UnicodeDecodeError, csv.Error):
        return None
    return rows if len(set(names)) == len(names) else None


def _write_json_lines(rows: Rows, _folder: Path) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _write_json(rows: Rows, _folder: Path) -> bytes:
    return json.dumps(rows).encode()


def _read_json_lines(path: Path) -> Rows | None:
    try:
        return [_parse_json(line) for line in path.read_bytes().split(b"\n") if line.strip()]
    except (ValueError, RecursionError):
        return None


def _parse_json(line: bytes) -> dict[str, object]:
    row = json.loads(line.decode("utf-8-sig"), object_pairs_hook=_unique_keys)
    if not isinstance(row, dict):
        raise TypeError(row)
    return row


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key is repeated")
    return dict(pairs)


def _read_json(path: Path) -> Rows | None:
    try:
        rows = json.loads(path.read_bytes().decode("utf-8-sig"), object_pairs_hook=_unique_keys)
    except (ValueError, RecursionError):
        return None
    is_table = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    return rows if is_table else None


def _write_parquet(rows: Rows, folder: Path) -> bytes:
    path = folder / "seed.parquet"
    pl.DataFrame(rows).write_parquet(path)
    return path.read_bytes()


def _read_parquet(path: Path) -> Rows | None:
    try:
        with duckdb.connect() as connection:
            cursor = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
            names = [item[0] for item in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except (duckdb.Error, UnicodeDecodeError, MemoryError):
        return None


def _write_workbook(rows: Rows, folder: Path) -> bytes:
    path = folder / "seed.xlsx"
    pl.DataFrame(rows).write_excel(path)
    return path.read_bytes()


def _mutate_archive(rng: Random, content: bytes) -> bytes:
    """Mutate a member of a ZIP archive, or the archive itself."""
    if rng.random() < 0.3:
        return mutate(rng, content)
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(packed, "w") as target:
        names = source.namelist()
        likely = [name for name in names if "sheet1" in name or "sharedStrings" in name]
        chosen = rng.choice(likely if rng.random() < 0.8 else names)
        for name in names:
            member = source.read(name)
            target.writestr(name, mutate(rng, member) if name == chosen else member)
    return packed.getvalue()


def _read_workbook(path: Path) -> Rows | None:
    """Read the first sheet as the standard describes it, if it has nothing unusual."""
    try:
        with zipfile.ZipFile(path) as archive:
            strings = ET.fromstring(archive.read("xl/sharedStrings.xml"))  # noqa: S314  # ours
            sheet = ET.fromstring(archive.read(SHEET))  # noqa: S314  # made by the fuzzer
        if strings.tag != f"{SPREADSHEET}sst":
            # Another namespace, which readers of workbooks ignore.
            return None
        texts = [
            "".join(node.text or "" for node in item.iter(f"{SPREADSHEET}t")) for item in strings
        ]
        lines = [_read_line(row, texts) for row in sheet.iter(f"{SPREADSHEET}row")]
    except (zipfile.BadZipFile, KeyError, ET.ParseError, ValueError, IndexError, zlib.error):
        return None
    except (NotImplementedError, OSError, EOFError, RuntimeError):
        # Compression methods and encryption that nobody uses.
        return None
    if not lines or any(set(line) != set("ABCD") for line in lines):
        return None
    names = {column: str(name) for column, name in lines[0].items()}
    return [{names[column]: value for column, value in line.items()} for line in lines[1:]]


def _read_line(row: ET.Element, texts: list[str]) -> dict[str, object]:
    cells: dict[str, object] = {}
    for cell in row:
        place = cell.attrib["r"]
        kind = cell.attrib.get("t", "n")
        if place[1:] != row.attrib["r"] or place[0] in cells or kind not in {"s", "n"}:
            raise ValueError(place)
        text = cell.findtext(f"{SPREADSHEET}v") or ""
        cells[place[0]] = texts[int(text)] if kind == "s" else float(text)
    return cells


def _write_sqlite(rows: Rows, folder: Path) -> bytes:
    path = folder / "seed.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE cases (id INTEGER, truth TEXT, prediction, score REAL)")
        connection.executemany(
            "INSERT INTO cases VALUES (:id, :truth, :prediction, :score)",
            rows,
        )
    return path.read_bytes()


def _read_sqlite(path: Path) -> Rows | None:
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute("SELECT * FROM cases")]
    except (sqlite3.Error, UnicodeDecodeError):
        return None


def _write_gzip(rows: Rows, folder: Path) -> bytes:
    return gzip.compress(_write_delimited(",")(rows, folder), mtime=0)


def _mutate_gzip(rng: Random, content: bytes) -> bytes:
    if rng.random() < 0.5:
        return mutate(rng, content)
    return gzip.compress(mutate(rng, gzip.decompress(content)), mtime=0)


def _read_gzip(path: Path) -> Rows | None:
    try:
        return _parse_delimited(gzip.decompress(path.read_bytes()), ",")
    except (OSError, EOFError, zlib.error):
        return None


def _write_zstd(rows: Rows, folder: Path) -> bytes:
    path = folder / "seed.csv.zst"
    pl.DataFrame(rows).write_csv(path, compression="zstd")
    return path.read_bytes()


def _read_zstd(_path: Path) -> None:
    """Return None: Python 3.11 reads no zstd."""
    return


TABLE_FORMATS: Mapping[str, TableFormat] = {
    "csv": TableFormat(".csv", _write_delimited(","), mutate, _read_delimited(",")),
    "tsv": TableFormat(".tsv", _write_delimited("\t"), mutate, _read_delimited("\t")),
    "json": TableFormat(".json", _write_json, mutate, _read_json),
    "json_lines": TableFormat(".jsonl", _write_json_lines, mutate, _read_json_lines),
    "parquet": TableFormat(".parquet", _write_parquet, mutate, _read_parquet),
    "workbook": TableFormat(".xlsx", _write_workbook, _mutate_archive, _read_workbook),
    "sqlite": TableFormat(".sqlite", _write_sqlite, mutate, _read_sqlite),
    "gzip": TableFormat(".csv.gz", _write_gzip, _mutate_gzip, _read_gzip),
    "zstd": TableFormat(".csv.zst", _write_zstd, mutate, _read_zstd),
}
