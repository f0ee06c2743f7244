"""Decimal commas, other encodings, JSON tables and zstd are read as what they say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.errors import SpecError
from tests.predictions.spec_folder import COUNTS, ROWS, faults, matrix, read

if TYPE_CHECKING:
    from pathlib import Path

SINGLE = {"A": 'predictions = "a.csv"'}
UMLAUTS = ROWS.replace("yes", "höher").replace("no", "tiefer")
TASK = 'kind = "binary"\npositive = "höher"'
YES = 'kind = "binary"\npositive = "yes"'


def test_decimal_commas_are_numbers(tmp_path: Path) -> None:
    """By `decimal`; without it the error has the line to add."""
    content = ROWS.replace(",", ";").replace("0.", "0,")
    (tmp_path / "a.csv").write_text(content, encoding="utf-8")
    columns = 'id = "case"\nscore = "score"'

    aggregates = read(tmp_path, SINGLE, YES, f'{columns}\ndecimal = ","')
    (fault, *_) = faults(tmp_path, SINGLE, YES, columns)

    assert matrix(aggregates, "A") == COUNTS
    assert aggregates.ranking
    assert 'decimal = ","' in (fault.help or "")


def test_a_wrong_number_is_shown_as_it_stands_in_the_file(tmp_path: Path) -> None:
    """With its line, and not with the point that it would have been read with."""
    content = ROWS.replace(",", ";").replace("0.7", "0,7,1").replace("0.", "0,")
    (tmp_path / "a.csv").write_text(content, encoding="utf-8")

    (fault,) = faults(tmp_path, SINGLE, YES, 'score = "score"\ndecimal = ","')

    assert "'0,7,1' is not a number" in fault.message
    assert fault.location is not None
    assert fault.location.line == 4


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16"])
def test_other_encodings_are_read_if_they_are_named(tmp_path: Path, encoding: str) -> None:
    """Otherwise the error has the line to add."""
    (tmp_path / "a.csv").write_bytes(UMLAUTS.encode(encoding))

    aggregates = read(tmp_path, SINGLE, TASK, f'id = "case"\nencoding = "{encoding}"')
    (fault,) = faults(tmp_path, SINGLE, TASK, 'id = "case"')

    assert matrix(aggregates, "A") == COUNTS
    assert aggregates.classes == ("höher", "tiefer")
    assert "encoding = " in (fault.help or "")


def test_a_wrong_encoding_is_an_error(tmp_path: Path) -> None:
    """One that Python does not know, and one that the file does not have."""
    (tmp_path / "a.csv").write_bytes(UMLAUTS.encode("latin-1"))

    with pytest.raises(SpecError, match="is no encoding"):
        read(tmp_path, SINGLE, TASK, 'encoding = "latin-99"')
    assert "ascii" in faults(tmp_path, SINGLE, TASK, 'encoding = "ascii"')[0].message


def test_errors_in_an_encoded_file_name_the_file(tmp_path: Path) -> None:
    """Not the copy by which it is read."""
    (tmp_path / "a.csv").write_bytes((UMLAUTS + "6,höher\n").encode("latin-1"))

    (fault,) = faults(tmp_path, SINGLE, TASK, 'encoding = "latin-1"')

    assert fault.location is not None
    assert fault.location.path == tmp_path / "a.csv"
    assert fault.location.line == 7


RECORDS = [
    dict(zip(ROWS.split()[0].split(","), row.split(","), strict=True)) for row in ROWS.split()[1:]
]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(RECORDS),
        json.dumps(RECORDS, indent=2),
        json.dumps(
            {key: {str(n): row[key] for n, row in enumerate(RECORDS)} for key in RECORDS[0]}
        ),
    ],
    ids=["array", "indented array", "columns by index"],
)
def test_json_tables_are_read(tmp_path: Path, content: str) -> None:
    """As `DataFrame.to_json` of pandas writes them."""
    (tmp_path / "a.json").write_text(content, encoding="utf-8")

    aggregates = read(tmp_path, {"A": 'predictions = "a.json"'}, YES)

    assert matrix(aggregates, "A") == COUNTS


@pytest.mark.parametrize(
    ("content", "code"), [("[{]", "E202"), ('[{"a": 1}, 2]', "E205"), ("[{}]", "E204")]
)
def test_json_that_is_no_table_is_an_error(tmp_path: Path, content: str, code: str) -> None:
    """Damaged, of other things than objects, or without columns."""
    (tmp_path / "a.json").write_text(content, encoding="utf-8")

    assert faults(tmp_path, {"A": 'predictions = "a.json"'}, YES)[0].error_code.code == code


@pytest.mark.parametrize("name", ["a.csv.zst", "a.jsonl.zst"])
def test_files_packed_with_zstd_are_read(tmp_path: Path, name: str) -> None:
    """As gzip is; a damaged one is an error."""
    frame = pl.read_csv(ROWS.encode())
    if "csv" in name:
        frame.lazy().sink_csv(tmp_path / name, compression="zstd")
    else:
        frame.lazy().sink_ndjson(tmp_path / name, compression="zstd")
    single = {"A": f'predictions = "{name}"'}

    assert matrix(read(tmp_path, single, YES), "A") == COUNTS

    packed = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(packed[: len(packed) // 2])
    assert faults(tmp_path, single, YES)[0].error_code.code in {"E201", "E202"}
