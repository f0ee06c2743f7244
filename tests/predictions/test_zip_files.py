"""Tables in ZIP archives: one is read, several are named, and what cannot be read is said."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import DataError
from reportgen.predictions import packed_files
from reportgen.predictions.formats import FileFormat, detect_format
from reportgen.predictions.scaffold import scaffold_spec
from reportgen.predictions.table import open_table
from tests.predictions.spec_folder import COLUMNS, COUNTS, ROWS, faults, matrix, read

if TYPE_CHECKING:
    from pathlib import Path


def write_zip(path: Path, **members: str | bytes) -> Path:
    """Write an archive; underscores stand for dots in the names of its files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return path


def test_the_only_table_of_an_archive_is_read(tmp_path: Path) -> None:
    """As the file itself would be; other files are ignored."""
    write_zip(tmp_path / "p.zip", README_md="about", a_csv=ROWS)

    counted = read(tmp_path, {"A": 'predictions = "p.zip"'})

    assert matrix(counted, "A") == COUNTS


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_table_of_any_format_is_read(tmp_path: Path, suffix: str) -> None:
    """By its content, as outside of an archive."""
    import polars as pl

    frame = pl.read_csv(ROWS.encode())
    file = tmp_path / f"a.{suffix}"
    if suffix == "jsonl":
        frame.write_ndjson(file)
    else:
        frame.write_parquet(file)
    write_zip(tmp_path / "p.zip", **{f"a_{suffix}": file.read_bytes()})

    assert matrix(read(tmp_path, {"A": 'predictions = "p.zip"'}), "A") == COUNTS


def test_a_table_in_another_encoding_is_read(tmp_path: Path) -> None:
    """`encoding` is that of the file in the archive."""
    text = ROWS.replace("yes", "sí")
    write_zip(tmp_path / "p.zip", a_csv=text.encode("latin-1"))

    counted = read(
        tmp_path,
        {"A": 'predictions = "p.zip"'},
        'kind = "binary"\npositive = "sí"',
        f'{COLUMNS}\nencoding = "latin-1"',
    )

    assert matrix(counted, "A") == COUNTS


def test_one_of_several_tables_is_named(tmp_path: Path) -> None:
    """With `table`; without it the error lists them."""
    write_zip(tmp_path / "p.zip", a_csv=ROWS, b_csv=ROWS.replace("1,yes,yes", "1,yes,no"))

    (fault,) = faults(tmp_path, {"A": 'predictions = "p.zip"'})
    counted = read(tmp_path, {"B": 'predictions = "p.zip"\ntable = "b.csv"'})

    assert "a.csv" in f"{fault.message} {fault.help}"
    assert "b.csv" in f"{fault.message} {fault.help}"
    assert matrix(counted, "B") == ((1, 2), (1, 1))


def test_init_makes_tables_with_the_same_columns_classifiers(tmp_path: Path) -> None:
    """As sheets of a workbook are."""
    write_zip(tmp_path / "p.zip", a_csv=ROWS, b_csv=ROWS)

    text = scaffold_spec([tmp_path / "p.zip"], tmp_path).text

    assert 'table = "a.csv"' in text
    assert 'table = "b.csv"' in text


def test_init_says_to_unpack_truth_and_submissions(tmp_path: Path) -> None:
    """A file of the truth cannot be named inside an archive, whatever its columns are called."""
    rows = "case,survived\n1,yes\n2,no\n"
    write_zip(tmp_path / "k.zip", truth_csv=rows, b_csv=rows)

    with pytest.raises(DataError) as error_info:
        scaffold_spec([tmp_path / "k.zip"], tmp_path)

    (fault,) = error_info.value.diagnostics
    assert "not all predictions with the truth: truth.csv, b.csv" in fault.message
    assert fault.help is not None
    assert "unpack it" in fault.help


def test_errors_in_an_archive_name_the_archive(tmp_path: Path) -> None:
    """And not the copy, which is gone."""
    write_zip(tmp_path / "p.zip", a_csv="truth,prediction\nyes\n")

    (fault,) = faults(tmp_path, {"A": 'predictions = "p.zip"'}, data="")

    assert fault.location is not None
    assert fault.location.path == tmp_path / "p.zip"


def test_an_archive_without_tables_is_no_input(tmp_path: Path) -> None:
    """Such as a document, or arrays of NumPy."""
    write_zip(tmp_path / "p.zip", a_npy=b"\x93NUMPY")

    with pytest.raises(DataError, match="the file is a ZIP archive") as error_info:
        detect_format(tmp_path / "p.zip")

    assert "unpack it" in (error_info.value.diagnostics[0].help or "")


def test_an_archive_in_an_archive_is_not_unpacked(tmp_path: Path) -> None:
    """Its name would have to end like a table, which is read by its content."""
    inner = write_zip(tmp_path / "inner.zip", a_csv=ROWS).read_bytes()
    write_zip(tmp_path / "p.zip", a_csv=inner)

    with pytest.raises(DataError, match="ZIP archive"):
        open_table(tmp_path / "p.zip")


def test_a_damaged_member_is_an_error(tmp_path: Path) -> None:
    """Its checksum is verified."""
    path = write_zip(tmp_path / "p.zip", a_csv=ROWS * 20)
    content = bytearray(path.read_bytes())
    content[60] ^= 0xFF
    path.write_bytes(content)

    with pytest.raises(DataError, match="damaged"):
        open_table(path)


def test_a_member_larger_than_the_limit_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is measured before, whatever size the archive says it has."""
    monkeypatch.setattr(packed_files, "MAX_UNPACKED_BYTES", 1 << 20)
    path = write_zip(tmp_path / "p.zip", a_csv=b"truth\n" + b"yes\n" * 500_000)

    assert path.stat().st_size < 10_000
    with pytest.raises(DataError, match="unpacks to more than"):
        detect_format(path)


def test_the_name_of_a_member_is_no_path(tmp_path: Path) -> None:
    """Nothing is written outside of the folder of the copy."""
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../escaped.csv", ROWS)

    assert detect_format(path) is FileFormat.ZIP
    assert open_table(path).names == ("case", "truth", "prediction", "score")
    assert not list(tmp_path.parent.rglob("escaped.csv"))
