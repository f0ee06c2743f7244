"""Small or malformed files use bounded memory and time, and end with a clear error."""

from __future__ import annotations

import gzip
import json
import signal
import struct
import time
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import brotli
import polars as pl
import pytest

from reportgen.errors import DataError, ExitCode, SpecError
from reportgen.jobs import resources
from reportgen.jobs.job import Job
from reportgen.jobs.resources import default_worker_count
from reportgen.jobs.runner import run_job
from reportgen.predictions.files import natural_sort_key
from reportgen.predictions.formats import FileFormat, detect_format
from reportgen.predictions.memory import _estimate_rows
from reportgen.predictions.packed_files import zstd_size_bound
from reportgen.predictions.table import open_table
from reportgen.render.svg_size import drawn_elements
from reportgen.render.theme import load_theme
from reportgen.spec import load_spec
from reportgen.spec.load import parse_partial
from reportgen.spec.toml import has_long_key
from tests.small_specs import YES_OR_NO, counted_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from reportgen.jobs.job import JobOutcome

MEGABYTE = b"a" * (1 << 20)


def write_gzip(path: Path, chunks: Iterable[bytes]) -> Path:
    """Write chunks that compress well."""
    with gzip.open(path, "wb", compresslevel=9) as stream:
        for chunk in chunks:
            stream.write(chunk)
    return path


@pytest.mark.parametrize("start", [b"", b"id,truth,prediction\n1,yes,"], ids=["header", "value"])
def test_a_line_that_unpacks_to_a_gigabyte_is_not_read(tmp_path: Path, start: bytes) -> None:
    """It is found while unpacking, before a row is read."""
    path = write_gzip(tmp_path / "bomb.csv.gz", [start, *[MEGABYTE] * 40])

    with pytest.raises(DataError, match="a line is longer than 16 MiB"):
        detect_format(path)


def test_a_table_that_compresses_well_is_read(tmp_path: Path) -> None:
    """Constant predictions shrink to a thousandth, and are many short lines."""
    path = write_gzip(
        tmp_path / "constant.csv.gz", [b"truth,prediction\n", *[b"yes,yes\n" * 100_000] * 25]
    )

    assert path.stat().st_size * 100 < 20_000_000
    assert detect_format(path) == "CSV"


def build_from(folder: Path, name: str, content: bytes, keys: str = "") -> JobOutcome:
    """Build a report from one file."""
    (folder / name).write_bytes(content)
    (folder / "spec.toml").write_text(
        f"""{YES_OR_NO}
[data]
truth = "truth"
prediction = "prediction"
{keys}
[[classifiers]]
name = "A"
predictions = "{name}"
""",
        encoding="utf-8",
    )
    return run_job(Job(folder / "spec.toml", folder / "out", ("json",)))


ROWS = [
    {"id": str(number), "truth": "yes" if number % 2 else "no", "prediction": "yes"}
    for number in range(20)
]
LINES = b"".join(json.dumps(row).encode() + b"\n" for row in ROWS)


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": "x", "truth": "yes", "prediction": "\xff"}\n',
        b'{"id": "x", "truth": ' + b"[" * 100_000 + b"]" * 100_000 + b', "prediction": "yes"}\n',
        b'{"id": ' + b"9" * 5_000 + b', "truth": "yes", "prediction": "yes"}\n',
        b'{"id": "x"',
    ],
    ids=["not UTF-8", "deeply nested", "5000 digits", "not closed"],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_malformed_line_of_json_is_an_error_of_the_data(
    tmp_path: Path, line: bytes, *, is_first: bool
) -> None:
    """Not an internal error, wherever it is."""
    outcome = build_from(tmp_path, "rows.jsonl", line + LINES if is_first else LINES + line)

    assert outcome.exit_code is ExitCode.DATA
    assert outcome.diagnostics


@pytest.fixture
def alarm() -> Iterator[None]:
    """Raise an error in a match of a regular expression that does not end."""

    def stop(_number: int, _frame: object) -> None:
        pytest.fail("a match has not ended")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize(
    ("start", "label", "score"),
    [
        ("\n" * 500, "yes", "0.5"),
        (" " * 500, "yes", "0.5"),
        ("", "[" + "a" * 500, "0.5"),
        ("", "[" + '"a", ' * 500, "0.5"),
        ("", "1" * 100_000 + "x", "0.5"),
        ("", "yes", "1" * 100_000 + "x"),
    ],
    ids=["lines", "spaces", "word in a list", "texts in a list", "digits", "digits of a score"],
)
def test_patterns_take_no_more_time_for_text_that_almost_matches(
    tmp_path: Path, start: str, label: str, score: str
) -> None:
    """A regular expression that tries every division of a text would take years for some."""
    rows = "".join(
        f"{truth},{label if row == 4 else truth},{score}\n"
        for row, truth in enumerate(["yes", "no"] * 4)
    )
    content = f"{start}truth,prediction,score\n{rows}".encode()
    outcome = build_from(tmp_path, "rows.csv", content, 'score = "score"')

    assert outcome.exit_code in {ExitCode.SUCCESS, ExitCode.DATA}


def test_a_fold_of_thousands_of_digits_is_sorted_as_text(tmp_path: Path) -> None:
    """Python does not parse it as a number."""
    folds = ["2", "10", "9" * 5000]
    rows = "".join(f"{truth},yes,{fold}\n" for fold in folds for truth in ("yes", "no"))
    content = f"truth,prediction,fold\n{rows}".encode()
    outcome = build_from(tmp_path, "rows.csv", content, 'fold = "fold"')

    assert outcome.exit_code is ExitCode.SUCCESS
    assert sorted([folds[2], *folds[:2]], key=natural_sort_key) == folds


@pytest.mark.parametrize("digits", [4_300, 4_301, 100_000])
@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
def test_ids_of_thousands_of_digits_are_text(tmp_path: Path, name: str, digits: int) -> None:
    """Python refuses to parse integers of more than 4,300 digits."""
    ids = ["9" * digits, "8" * digits, "7", "07"]
    rows = [{"id": id_, "truth": "yes", "prediction": "yes"} for id_ in ids]
    rows += [{"id": f"n{id_}", "truth": "no", "prediction": "no"} for id_ in ids]
    lines = ["id,truth,prediction", *(",".join(row.values()) for row in rows)]
    text = "\n".join(lines if name == "rows.csv" else map(json.dumps, rows))
    outcome = build_from(tmp_path, name, text.encode(), 'id = "id"')

    assert outcome.exit_code is ExitCode.SUCCESS, outcome.diagnostics
    other = {**rows[0], "prediction": "no"}
    line = ",".join(other.values()) if name == "rows.csv" else json.dumps(other)
    outcome = build_from(tmp_path, name, f"{text}\n{line}\n".encode(), 'id = "id"')
    assert outcome.exit_code is ExitCode.DATA
    assert outcome.diagnostics


def test_labels_of_a_megabyte_are_an_error_of_the_data(tmp_path: Path) -> None:
    """Python's own reader of CSV has a limit of 131,072 characters, which is no internal error."""
    rows = "".join(f"{letter * 1_000_000},yes\n" for letter in "abab")
    outcome = build_from(tmp_path, "rows.csv", f"truth,prediction\n{rows}".encode())

    assert outcome.exit_code is ExitCode.DATA


@pytest.mark.parametrize("key", [".".join(["a"] * 50_000), '"a" . ' * 5_000 + "b"])
def test_a_key_of_thousands_of_parts_is_rejected_at_once(tmp_path: Path, key: str) -> None:
    """The parser would need minutes and gigabytes."""
    path = tmp_path / "spec.toml"
    path.write_text(f"{key} = 1\n", encoding="utf-8")

    with pytest.raises(SpecError, match="more than 64 parts"):
        load_spec(path)


@pytest.mark.parametrize(
    "text", ["k = 1\n" * 20_000, "".join(f"k{n} = 1\nk{n} = 2\n" for n in range(20_000))]
)
def test_many_duplicate_keys_are_reported_in_linear_time(tmp_path: Path, text: str) -> None:
    """Each of them with its place; the schema is not generated for each."""
    spec = tmp_path / "spec.toml"
    spec.write_text(text, encoding="utf-8")
    began = time.process_time()
    with pytest.raises(SpecError) as error_info:
        load_spec(spec)

    assert {fault.error_code.code for fault in error_info.value.diagnostics} == {"E106"}
    assert len(error_info.value.diagnostics) in {19_999, 20_000}
    assert time.process_time() - began < 20


def test_no_suggestion_is_searched_for_a_key_of_a_hundred_thousand_letters(tmp_path: Path) -> None:
    """No known key is near, by the length alone; comparing the letters takes a minute."""
    spec = tmp_path / "spec.toml"
    spec.write_text("k" * 300_000 + " = 1\n", encoding="utf-8")
    began = time.process_time()
    with pytest.raises(SpecError, match="unknown key"):
        load_spec(spec)

    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    "text",
    ["*" * 1000 + "a" + "*" * 1000, "**a *b" * 1000 + "* c**" * 1000, "> - " * 1000 + "a"],
    ids=["emphasis", "alternating", "quotes and lists"],
)
def test_markdown_nested_a_thousand_deep_is_no_internal_error(tmp_path: Path, text: str) -> None:
    """The reader nests emphasis without limit, and quotes and lists up to one."""
    spec = tmp_path / "spec.toml"
    section = '[[sections]]\nkind = "text"\ntitle = "T"\nfile = "text.md"\n'
    spec.write_text(counted_spec([[40, 10], [8, 60]]) + section, encoding="utf-8")
    (tmp_path / "text.md").write_text(text, encoding="utf-8")
    outcome = run_job(Job(spec, tmp_path / "out", ("html",)))

    if text.startswith("*"):
        assert [fault.message for fault in outcome.diagnostics] == [
            "the Markdown is nested too deeply"
        ]
    assert outcome.exit_code in {ExitCode.SPEC, ExitCode.SUCCESS}


@pytest.mark.parametrize(
    "text",
    [
        f'title = "{"x" * 900_000}"',
        f"{'x' * 900_000} = 1",
        f"title = [{'-' * 900_000}",
        f"a{' ' * 900_000} = 1",
        "a." * 63 + "b = 1 # " + "'" * 900_000,
    ],
    ids=["text", "key", "dashes", "spaces", "quotes"],
)
def test_long_words_are_searched_for_keys_in_linear_time(text: str) -> None:
    """The process that starts the worker searches too; from each letter it would take hours."""
    began = time.process_time()

    assert not has_long_key(text)
    assert time.process_time() - began < 5


def test_long_lists_of_numbers_are_no_long_keys(tmp_path: Path) -> None:
    """They have as many dots."""
    path = tmp_path / "spec.toml"
    values = ", ".join(["0.81"] * 500)
    path.write_text(
        f'[task]\nkind = "binary"\npositive = "yes"\n[[classifiers]]\nname = "A"\n'
        f"fold_scores = {{ accuracy = [{values}] }}\n",
        encoding="utf-8",
    )

    assert len(load_spec(path).spec.classifiers) == 1


# Frames and blocks of zstd (RFC 8878): a raw block, and blocks that repeat one byte.
ZSTD_START = b"\x28\xb5\x2f\xfd\x00\x58"


def zstd_bomb(start: bytes, blocks: int) -> bytes:
    """Return zstd data of a start and many blocks of 128 KiB of the letter a, four bytes each."""
    raw = (len(start) << 3).to_bytes(3, "little") + start
    repeated = [(131_072 << 3 | 2).to_bytes(3, "little") + b"a"] * (blocks - 1)
    last = (131_072 << 3 | 3).to_bytes(3, "little") + b"a"
    return ZSTD_START + raw + b"".join(repeated) + last


def test_zstd_that_unpacks_to_gigabytes_is_not_unpacked(tmp_path: Path) -> None:
    """32 kB of blocks are a value of 1 GB, which polars would unpack for the first line."""
    path = tmp_path / "bomb.csv.zst"
    path.write_bytes(zstd_bomb(b"id,truth,prediction\n1,yes,", 8000))

    with pytest.raises(DataError, match="unpacks from") as error:
        detect_format(path)

    assert path.stat().st_size < 40_000
    assert error.value.diagnostics[0].error_code.code == "E247"


@pytest.mark.parametrize("rows", [1, 1000, 400_000])
def test_the_bound_of_zstd_is_not_below_its_size(tmp_path: Path, rows: int) -> None:
    """And less than a block above it."""
    path = tmp_path / "table.csv.zst"
    frame = pl.DataFrame({"id": range(rows), "truth": ["yes"] * rows})
    frame.lazy().sink_csv(path, compression="zstd")
    size = len(frame.write_csv())
    with path.open("rb") as stream:
        bound = zstd_size_bound(stream)

    assert size <= bound < size + 131_072 + size // 10
    assert detect_format(path) == "CSV"


def write_workbook(path: Path, sheet: bytes) -> Path:
    """Write a workbook of one sheet."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    members = {
        "xl/workbook.xml": f"""<workbook xmlns="{main}" xmlns:r="{relations}"><sheets>
<sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>""".encode(),
        "xl/_rels/workbook.xml.rels": f"""<Relationships xmlns="{package}">
<Relationship Id="rId1" Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/>
</Relationships>""".encode(),
        "xl/worksheets/sheet1.xml": sheet,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def sheet_of(*cells: str) -> bytes:
    """Return a sheet with these cells."""
    values = "".join(f'<row><c r="{cell}"><v>1</v></c></row>' for cell in cells)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{main}"><sheetData>{values}</sheetData></worksheet>'.encode()


def test_a_workbook_whose_last_cell_is_far_away_is_not_read(tmp_path: Path) -> None:
    """Two cells at the corners of a sheet are a grid of 17 billion."""
    path = write_workbook(tmp_path / "far.xlsx", sheet_of("A1", "XFD1048576"))

    with pytest.raises(DataError, match="1,048,576 rows and 16,384 columns"):
        detect_format(path)
    near = write_workbook(tmp_path / "near.xlsx", sheet_of("A1", "D1048576"))
    assert detect_format(near) is FileFormat.WORKBOOK


@pytest.mark.parametrize(
    "cells",
    [
        '<row><c r="xfd1"><v>1</v></c></row><row r="1048576"><c><v>1</v></c></row>',
        "<x:row><x:c t=\"n\" r = 'XFD1048576'><x:v>1</x:v></x:c></x:row>",
    ],
    ids=["position of the row", "prefix"],
)
def test_positions_of_cells_are_read_as_by_the_reader(tmp_path: Path, cells: str) -> None:
    """Small letters, the row of a cell without position, prefixes and spaces."""
    path = write_workbook(tmp_path / "far.xlsx", f"<worksheet>{cells}</worksheet>".encode())

    with pytest.raises(DataError, match="1,048,576 rows and 16,384 columns"):
        detect_format(path)


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_sheet_is_found_wherever_it_is(tmp_path: Path, compression: int) -> None:
    """In any folder, packed or not, with attributes of any length before the position."""
    cell = f'<c cm="{">" * 3_000_000}" r="XFD1048576"><v>1</v></c>'.encode()
    path = tmp_path / "far.xlsx"
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("xl/workbook.xml", b"<workbook/>")
        archive.writestr("sheets/one.XML", sheet_of("A1") + cell)

    with pytest.raises(DataError, match="1,048,576 rows and 16,384 columns"):
        detect_format(path)


def write_opendocument(path: Path, rows: str) -> Path:
    """Write an OpenDocument spreadsheet with two sheets, of which the second has these rows."""
    document = f"""<?xml version="1.0"?><office:document-content
xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3"><office:body>
<office:spreadsheet><table:table table:name="a"><table:table-row/></table:table>
<table:table table:name="b">{rows}</table:table>
</office:spreadsheet></office:body></office:document-content>"""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", document)
    return path


def cell(text: str, attributes: str = "") -> str:
    """Return a cell with a text."""
    value = f'<table:table-cell office:value-type="string" {attributes}>'
    return f"{value}<text:p>{text}</text:p></table:table-cell>"


def row(cells: str, attributes: str = "") -> str:
    """Return a row of cells."""
    return f"<table:table-row {attributes}>{cells}</table:table-row>"


ALL_COLUMNS, ALL_ROWS = (
    f'table:number-{name}-repeated="{number}"'
    for name, number in (("columns", 16_384), ("rows", 1_048_570))
)
# The start of the cell with which LibreOffice fills the rest of a sheet.
FILL = f'<table:table-cell table:style-name="a>b" {ALL_COLUMNS}'


@pytest.mark.parametrize(
    "rows",
    [
        row(cell("x", ALL_COLUMNS), ALL_ROWS),
        row(f"{FILL}/>", ALL_ROWS) + row(f"{FILL.replace('16384', '16383')}/>{cell('x')}"),
        row(f"{FILL}><text:p>x</text:p></table:table-cell>", ALL_ROWS),
        row(f'{FILL} office:value-type="float" office:value="1"/>', ALL_ROWS),
    ],
    ids=["repeated", "far away", "text", "number"],
)
def test_an_opendocument_sheet_of_repeated_cells_is_not_read(tmp_path: Path, rows: str) -> None:
    """A few hundred bytes are a grid of 17 billion cells, which readers would hold in memory."""
    path = write_opendocument(tmp_path / "far.ods", row(cell("truth")) + rows)

    assert path.stat().st_size < 1500
    with pytest.raises(DataError, match="rows and 16,384 columns") as error:
        detect_format(path)
    assert error.value.diagnostics[0].error_code.code == "E247"


@pytest.mark.parametrize("end", ["/>", "></table:table-cell>", ">\n</table:table-cell>"])
def test_the_empty_rest_of_an_opendocument_sheet_does_not_count(tmp_path: Path, end: str) -> None:
    """LibreOffice repeats empty cells up to the end of the sheet."""
    rows = "".join(row(cell(text)) for text in ("truth", "a", "b"))
    path = write_opendocument(tmp_path / "near.ods", rows + row(f"{FILL}{end}", ALL_ROWS))

    assert detect_format(path) is FileFormat.WORKBOOK
    assert open_table(path).read({"a": "truth"})["a"].to_list() == ["a", "b"]


@pytest.mark.slow
def test_a_workbook_that_unpacks_to_gigabytes_is_not_read(tmp_path: Path) -> None:
    """A megabyte of shared strings, whose size in the archive is a lie."""
    path = write_workbook(tmp_path / "bomb.xlsx", sheet_of("A1"))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("xl/sharedStrings.xml", "w") as member:
            for _ in range(1100):
                member.write(b"<t>" + MEGABYTE + b"</t>")
        size = archive.getinfo("xl/sharedStrings.xml").file_size
    path.write_bytes(path.read_bytes().replace(struct.pack("<I", size), b"a   "))

    assert path.stat().st_size < 2_000_000
    with pytest.raises(DataError, match="unpacks to more than 1024 MiB"):
        detect_format(path)


def test_the_type_of_an_archive_is_read_in_part(tmp_path: Path) -> None:
    """A member named mimetype, by which OpenDocument is known, may be a bomb too."""
    path = tmp_path / "bomb.ods"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", b"a" * (64 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(DataError):
            detect_format(path)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


def test_rows_of_small_files_are_counted_before_they_are_read(tmp_path: Path) -> None:
    """Files of less than a megabyte may have more rows than memory holds."""
    rows = 3_000_000
    parquet, packed = tmp_path / "rows.parquet", tmp_path / "rows.csv.gz"
    frame = pl.DataFrame({"truth": ["yes"]}).select(pl.col("truth").repeat_by(rows).explode())
    frame.write_parquet(parquet)
    write_gzip(packed, [b"truth\n", *[b"yes\n" * 100_000] * (rows // 100_000)])

    assert max(parquet.stat().st_size, packed.stat().st_size) < 1_000_000
    assert _estimate_rows(parquet) == rows
    assert _estimate_rows(packed) == pytest.approx(rows, rel=0.5)


def woff(unpacked: bytes) -> bytes:
    """Return a WOFF font of one table, whose header says that it is small."""
    table = zlib.compress(unpacked, 9)
    entry = struct.pack(">4sIIII", b"glyf", 64, len(table), 100, 0)
    return b"wOFF" + bytes(8) + struct.pack(">H", 1) + bytes(30) + entry + table


def woff2(unpacked: bytes) -> bytes:
    """Return a WOFF2 font of one table, whose header says that it is small."""
    stream: bytes = brotli.compress(unpacked)
    return b"wOF2" + bytes(8) + struct.pack(">H", 1) + bytes(34) + bytes([2, 100]) + stream


@pytest.mark.parametrize("pack", [woff, woff2])
def test_a_font_that_unpacks_to_much_is_an_error(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    """A page would contain it, and the PDF would unpack it."""
    spec = tmp_path / "spec.toml"
    theme = '[output.theme]\nfont = "font.woff"\n'
    spec.write_text(counted_spec([[40, 10], [8, 60]]) + theme, encoding="utf-8")
    (tmp_path / "font.woff").write_bytes(pack(b"a" * (31 << 20)))

    with pytest.raises(SpecError, match="unpacks to more than 30 MiB"):
        load_theme(load_spec(spec))
    (tmp_path / "font.woff").write_bytes(pack(b"a" * (29 << 20)))
    assert load_theme(load_spec(spec)).font_faces


def test_a_logo_of_a_billion_pixels_is_an_error(tmp_path: Path) -> None:
    """A PNG of one colour is small whatever its size."""
    header = struct.pack(">IIBBBBB", 40_000, 25_000, 8, 2, 0, 0, 0)
    chunks = b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b""))
    )
    spec = tmp_path / "spec.toml"
    theme = '[output.theme]\nlogo = "logo.png"\n'
    spec.write_text(counted_spec([[40, 10], [8, 60]]) + theme, encoding="utf-8")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)

    with pytest.raises(SpecError, match="pixels"):
        load_theme(load_spec(spec))


NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"'
SVG = f'<svg {NAMESPACES} width="9">{{}}</svg>'
LINE = '<path d="M0 0H9"/>'
USES = "".join(
    f'<g id="a{depth}">' + f'<use x:href="#a{depth - 1}"/>' * 4 + "</g>" for depth in range(1, 18)
)
PATTERNS = "".join(
    f'<pattern id="p{depth}">' + f'<path style="fill: url(#p{depth - 1})"/>' * 4 + "</pattern>"
    for depth in range(1, 14)
)


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        (f'<g id="a0">{LINE}</g>{USES}', "has more than 20,000 elements that are drawn"),
        (f'{PATTERNS}<path fill="url(#p13)"/>', "has more than 20,000 elements that are drawn"),
        ('<g id="a"><use href="#a"/></g>', "refers to itself"),
        ('<image href="data:image/svg+xml;base64,PHN2Zy8+"/>', "another SVG picture"),
    ],
    ids=["uses", "patterns", "itself", "nested"],
)
def test_a_logo_that_is_drawn_without_end_is_an_error(
    tmp_path: Path, drawing: str, message: str
) -> None:
    """A few lines of SVG are billions of elements, for the PDF and for browsers."""
    spec = tmp_path / "spec.toml"
    theme = '[output.theme]\nlogo = "logo.svg"\n'
    spec.write_text(counted_spec([[40, 10], [8, 60]]) + theme, encoding="utf-8")
    (tmp_path / "logo.svg").write_text(SVG.format(drawing), encoding="utf-8")

    with pytest.raises(SpecError, match=message):
        load_theme(load_spec(spec))


def test_elements_of_usual_drawings_are_counted() -> None:
    """With gradients that continue each other, links, animations and elements used twice."""
    gradients = '<linearGradient id="g"><stop/></linearGradient><linearGradient id="h" href="#g"/>'
    shape = f'<g id="s">{LINE}<animate href="#s"/></g>'
    drawing = f'{gradients}{shape}<use href="#s"/><a href="#s"><path fill="url(#h)"/></a>'

    # svg, g with stop, h with g, s with 2, use with s, link, path with h.
    assert drawn_elements(SVG.format(drawing).encode(), 100) == 1 + 2 + 3 + 3 + 4 + 1 + 4
    assert drawn_elements(b"<svg", 100) == 0


def test_the_number_of_workers_is_chosen_without_reading_whole_specs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the process that has no limits: a device has no end, and lists may not end."""
    monkeypatch.setattr(resources, "available_cores", lambda: 2)
    spec = tmp_path / "spec.toml"
    spec.write_text("formats = [\n" * 80_000, encoding="utf-8")
    began = time.process_time()

    assert default_worker_count([Job(spec, tmp_path), Job(Path("/dev/zero"), tmp_path)]) == 2
    assert time.process_time() - began < 5


def test_a_spec_of_many_megabytes_is_an_error(tmp_path: Path) -> None:
    """A device has no end, and the process that starts the worker has no limits."""
    path = tmp_path / "spec.toml"
    path.write_bytes(b"# " + b"a" * (20 << 20))
    with pytest.raises(SpecError, match="larger than 20 MiB"):
        load_spec(path)
    path.write_bytes(b'title = "a"\n#' + b"a" * (2 << 20))
    assert parse_partial(path, "title") is None
    path.write_bytes(b'title = "a"\n')
    assert parse_partial(path, "title") == "a"
