"""Decimal commas, other encodings, JSON tables and zstd are read as what they say."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.errors import DataError, SpecError
from reportgen.predictions.table import open_table
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


@pytest.mark.parametrize("repeated", ["truth", "prediction", "other"])
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz", "rows.json"])
def test_a_key_that_is_repeated_in_an_object_is_an_error(
    tmp_path: Path, name: str, repeated: str
) -> None:
    """Of JSON Lines the first value would be read, of a JSON array the last."""
    row = '{"truth": "yes", "prediction": "no", "other": "truth"}'
    lines = [row, row, row.replace("}", f', "{repeated}": "no"}}'), row]
    text = f"[{', '.join(lines)}]" if name == "rows.json" else "\n".join(lines)
    pack = gzip.compress if name.endswith(".gz") else bytes
    (tmp_path / name).write_bytes(pack(text.encode()))

    with pytest.raises(
        DataError, match=f"an object has the key `{repeated}` more than once"
    ) as error:
        open_table(tmp_path / name)
    (fault,) = error.value.diagnostics
    assert fault.error_code.code == "E205"
    assert fault.location
    assert fault.location.line == (None if name == "rows.json" else 3)


def test_keys_that_are_values_or_of_inner_objects_are_not_repeated(tmp_path: Path) -> None:
    """They are searched for as text first."""
    rows = ['{"truth": "truth", "prediction": "truth", "inner": {"truth": "no"}}'] * 3
    (tmp_path / "rows.jsonl").write_text("\n".join(rows), encoding="utf-8")

    assert open_table(tmp_path / "rows.jsonl").names[:2] == ("truth", "prediction")


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


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"$FL2@(#) SPSS DATA FILE" + bytes(100), "an SPSS file"),
        (b"<stata_dta><header>" + bytes(100), "a Stata file"),
        (bytes(12) + b"\xc2\xea\x81\x60" + bytes(100), "a SAS data set"),
        (b"Obj\x01\x04" + bytes(100), "an Avro file"),
        (gzip.compress(b"X\n\x00\x00\x00\x03" + bytes(100), mtime=0), "an object of R"),
        (bytes(range(64)) * 3 + bytes(60), "binary data of an unknown format"),
        (b"% made by Weka\n@RELATION x\n@data\n", "the data format of Weka"),
    ],
    ids=["SPSS", "Stata", "SAS", "Avro", "R", "binary", "Weka"],
)
def test_files_of_other_programs_are_named(tmp_path: Path, content: bytes, name: str) -> None:
    """None of them is taken for text in UTF-16."""
    (tmp_path / "a.csv").write_bytes(content)

    (fault,) = faults(tmp_path, SINGLE, YES)

    assert fault.error_code.code == "E201"
    assert name in fault.message
    assert fault.help


@pytest.mark.parametrize("separator", ["|", " "])
def test_rare_separators_are_found_by_the_columns(tmp_path: Path, separator: str) -> None:
    """A vertical bar, or the blanks of R."""
    (tmp_path / "a.csv").write_text(ROWS.replace(",", separator), encoding="utf-8")

    assert matrix(read(tmp_path, SINGLE), "A") == COUNTS


@pytest.mark.parametrize("separator", ["\t", " "])
def test_row_names_of_r_may_lack_a_header(tmp_path: Path, separator: str) -> None:
    """`write.table` writes a header that is a field shorter than the rows."""
    header, *rows = ROWS.replace(",", separator).splitlines()
    lines = [header, *(f'"{number}"{separator}{row}' for number, row in enumerate(rows, start=1))]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

    assert matrix(read(tmp_path, SINGLE), "A") == COUNTS


def test_rows_that_are_longer_without_row_names_stay_an_error(tmp_path: Path) -> None:
    """A comma in a text is no row name; the help says what R would have to write."""
    header, *rows = ROWS.splitlines()
    lines = [header, *(f"{number},{row}" for number, row in enumerate(rows, start=1))]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

    fault, *_ = faults(tmp_path, SINGLE)

    assert fault.error_code.code == "E205"
    assert "row.names = FALSE" in (fault.help or "")


def test_lines_of_comments_above_the_header_are_skipped(tmp_path: Path) -> None:
    """Errors name the line in the file; a header that begins with # stays one."""
    comments = "# model A\n# of today\n"
    (tmp_path / "a.csv").write_text(comments + ROWS, encoding="utf-8")
    assert matrix(read(tmp_path, SINGLE), "A") == COUNTS

    (tmp_path / "a.csv").write_text(comments + ROWS.replace("0.7", "high"), encoding="utf-8")
    (fault,) = faults(tmp_path, SINGLE)
    assert fault.location is not None
    assert fault.location.line == 6

    (tmp_path / "a.csv").write_text(f"#{ROWS}", encoding="utf-8")
    assert matrix(read(tmp_path, SINGLE, data='id = "#case"\nscore = "score"'), "A") == COUNTS


def test_blanks_after_all_commas_belong_to_no_value(tmp_path: Path) -> None:
    """`truth, prediction` and `yes, no`."""
    (tmp_path / "a.csv").write_text(ROWS.replace(",", ", "), encoding="utf-8")

    aggregates = read(tmp_path, SINGLE)

    assert matrix(aggregates, "A") == COUNTS
    assert aggregates.classes == ("yes", "no")


def test_quotes_after_a_blank_belong_to_no_value(tmp_path: Path) -> None:
    """`"truth", "prediction"` and `"yes", "no"`, in some rows without quotes."""
    first, *lines = ROWS.splitlines()
    quoted = [", ".join(f'"{field}"' for field in line.split(",")) for line in (first, *lines[1:])]
    plain = lines[0].replace(",", ", ")
    (tmp_path / "a.csv").write_text(
        "\n".join([quoted[0], plain, *quoted[1:]]) + "\n", encoding="utf-8"
    )

    aggregates = read(tmp_path, SINGLE)

    assert matrix(aggregates, "A") == COUNTS
    assert aggregates.classes == ("yes", "no")


@pytest.mark.parametrize("orient", ["index", "columns"])
def test_the_texts_of_an_index_are_ids(tmp_path: Path, orient: str) -> None:
    """`to_json` of a pandas frame whose index has the ids; one line, and no JSON Lines."""
    header, *lines = (line.split(",") for line in ROWS.splitlines())
    rows = {f"c{line[0]}": dict(zip(header[1:], line[1:], strict=True)) for line in lines}
    columns = {name: {key: row[name] for key, row in rows.items()} for name in header[1:]}
    content = rows if orient == "index" else columns
    (tmp_path / "a.csv").write_text(json.dumps(content), encoding="utf-8")

    aggregates = read(tmp_path, SINGLE, data='id = "index"\nscore = "score"')

    assert matrix(aggregates, "A") == COUNTS


def test_objects_of_two_lines_stay_json_lines(tmp_path: Path) -> None:
    """A nested object for each role, and a row per line."""
    rows = (line.split(",") for line in ROWS.splitlines()[1:])
    lines = (
        json.dumps({"human": {"label": truth}, "model": {"label": prediction}})
        for _, truth, prediction, _ in rows
    )
    (tmp_path / "a.csv").write_text("\n".join(lines), encoding="utf-8")
    data = 'truth = "human.label"\nprediction = "model.label"'

    assert matrix(read(tmp_path, SINGLE, data=data), "A") == COUNTS
