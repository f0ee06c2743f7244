"""Files that are faulty or only look so: each gives its message or the right counts."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from reportgen.predictions.profiling import profile_columns, read_text_columns
from reportgen.predictions.table import open_table
from tests.predictions.spec_folder import COLUMNS, COUNTS, ROWS, faults, matrix, read

FILES = Path(__file__).parent / "files"


class BadFile(NamedTuple):
    """A file, and the code, the line, and what message and help must say."""

    name: str
    code: str
    line: int | None
    message: str
    advice: str


REJECTED = [
    BadFile("utf16.csv", "E203", None, "the file is UTF-16 text", 'encoding = "utf-16"'),
    BadFile(
        "utf16_without_bom.csv", "E203", None, "the file is UTF-16 text", 'encoding = "utf-16"'
    ),
    BadFile("latin1.csv", "E203", 4, "byte 0xe3 at position 4 is not UTF-8", '"latin-1"'),
    BadFile("invalid_utf8.csv", "E203", 5, "byte 0xff at position 7 is not UTF-8", "encoding"),
    BadFile("nul_byte.csv", "E203", 3, "'no\\x00' holds a NUL byte", ""),
    BadFile(
        "carriage_returns.csv", "E205", None, "the lines end in carriage returns alone", "tr '\\r'"
    ),
    BadFile(
        "nbsp_in_number.csv", "E209", 4, "column `score`: '0.7\\xa0' is not a number", "write 0.7"
    ),
    BadFile("empty.csv", "E204", None, "the file is empty", ""),
    BadFile("only_newlines.csv", "E204", None, "the file holds only blank lines", ""),
    BadFile("header_only.csv", "E204", None, "the file has a header but no rows", ""),
    BadFile("one_row.csv", "E216", 3, "only the label 'yes' occurs", '`classes`: ["yes", "…"]'),
    BadFile("blank_lines_then_fault.csv", "E209", 5, "'x' is not a number", ""),
    BadFile("short_row.csv", "E205", 4, "the row has 3 fields, the header 4", "missing"),
    BadFile("long_row.csv", "E205", 4, "the row has 5 fields, the header 4", "double quotes"),
    BadFile(
        "unclosed_quote.csv", "E205", 4, "a quote that is opened in this row is never closed", ""
    ),
    BadFile("quote_inside.csv", "E205", 4, "a quote ends before the field does", "two quotes"),
    BadFile("stray_quote.csv", "E205", 3, "a quote stands inside a field", "double the quotes"),
    BadFile("web_page.csv", "E201", None, "the file is a web page", "login"),
    BadFile("quoted_newline_then_fault.csv", "E209", 4, "'high' is not a number", ""),
    BadFile("duplicate_column.csv", "E207", 1, "the file has 2 columns `truth`", "rename"),
    BadFile("spaces_around_header.csv", "E206", 1, "no column `truth`", "remove the spaces"),
    BadFile("decimal_comma.csv", "E209", 2, "column `score`: '0,9' is not a number", "write 0.9"),
    BadFile("csv_named_parquet.parquet", "E201", None, "the file is text, not Parquet", "`.csv`"),
    BadFile(
        "csv_named_jsonl.jsonl", "E201", None, "the file is no JSON Lines", "one object per line"
    ),
    BadFile("json_array.jsonl", "E205", None, "neither a list of objects", ""),
    BadFile("broken_line.jsonl", "E205", 3, "the line is not a JSON object", "one object per line"),
    BadFile("nan.jsonl", "E205", 1, "the line is not a JSON object", "without NaN"),
    BadFile("late_text_in_numbers.csv", "E209", 302, "'unsure' is not a number", ""),
    BadFile("nan.csv", "E210", 3, "column `score`: 'NaN' is not a finite number", "fix the value"),
    BadFile(
        "inf.csv", "E210", 3, "column `score`: '-inf' is not a finite number", "remove the case"
    ),
    BadFile("na.csv", "E209", 3, "column `score`: 'NA' is not a number", "a missing value?"),
    BadFile("na_label.csv", "E208", 3, "'NA' is a missing-value marker", '`classes`: ["NA", …]'),
    BadFile(
        "empty_score.csv", "E208", 3, "column `score`: the value is missing", "fill in the value"
    ),
    BadFile(
        "empty_label.csv", "E208", 3, "column `truth`: the value is missing", "fill in the value"
    ),
    BadFile("empty_id.csv", "E208", 3, "column `case`: the value is missing", "fill in the value"),
    BadFile("percent_sign.csv", "E209", 3, "column `score`: '20%' is not a number", "write 0.2"),
    BadFile("one_class.csv", "E216", 3, "only the label 'yes' occurs", '`classes`: ["yes", "…"]'),
    BadFile("three_labels.csv", "E214", 3, "two labels, but 3 occur", "multiclass"),
    BadFile("misspelled_label.csv", "E242", 3, "'Yes' (1)", 'map = { "Yes" = "yes" }'),
    BadFile("positive_absent.csv", "E215", 3, "'yes' does not occur", "'failure', 'success'"),
    BadFile("contradicting_id.csv", "E219", 7, "case `2` has conflicting rows", "two cases?"),
]
ACCEPTED = [
    "good.csv",
    "utf8_bom.csv",
    "crlf.csv",
    "no_final_newline.csv",
    "blank_lines_at_end.csv",
    "blank_lines_inside.csv",
    "quoted_newline.csv",
    "duplicate_other_column.csv",
    "blank_column_name.csv",
    "semicolon.csv",
    "quoted_semicolon.csv",
    "quote_as_letter.csv",
    "tab.csv",
    "separator_declared.csv",
    "long_ids.csv",
    "leading_zeros.csv",
    "duplicate_id.csv",
    "equal_scores.csv",
    "contradicting_scores.csv",
    "other_order.csv",
]


def copy_files(folder: Path, *names: str) -> dict[str, str]:
    """Copy files of the corpus into a folder, and return a classifier for each."""
    for name in names:
        shutil.copy(FILES / name, folder / name)
    return {name: f'predictions = "{name}"' for name in names}


@pytest.mark.parametrize("bad_file", REJECTED, ids=lambda bad_file: bad_file.name)
def test_a_bad_file_is_rejected_with_its_place(tmp_path: Path, bad_file: BadFile) -> None:
    """The first fault has the code, the line of file or spec, what was found and the way out."""
    first = faults(tmp_path, copy_files(tmp_path, bad_file.name))[0]

    assert first.error_code.code == bad_file.code
    assert bad_file.message in first.message
    assert bad_file.advice in (first.help or "")
    assert (None if first.location is None else first.location.line) == bad_file.line


@pytest.mark.parametrize("name", ACCEPTED)
def test_an_odd_file_whose_meaning_is_certain_is_counted(tmp_path: Path, name: str) -> None:
    """What only looks odd gives the same counts as the plain file."""
    assert matrix(read(tmp_path, copy_files(tmp_path, name)), name) == COUNTS


def test_every_file_of_the_corpus_is_used() -> None:
    """A file that no test reads would be a promise that nobody keeps."""
    tests = "".join(path.read_text(encoding="utf-8") for path in FILES.parent.glob("test_*.py"))
    listed = {path.name for path in FILES.iterdir() if not path.name.startswith(".")}

    assert {name for name in listed if f'"{name}"' not in tests} == set()


def test_the_first_five_of_many_faults_are_reported(tmp_path: Path) -> None:
    """Five lines show what is wrong; the last says how many more there are."""
    diagnostics = faults(tmp_path, copy_files(tmp_path, "many_bad_scores.csv"))

    assert [fault.location.line for fault in diagnostics if fault.location] == [2, 3, 4, 5, 6]
    assert diagnostics[-1].message == "column `score`: 'bad5' is not a number; and 12 more"


def test_a_fault_points_at_the_value_in_its_line(tmp_path: Path) -> None:
    """Column, width and the line itself allow a caret under the value."""
    (fault,) = faults(tmp_path, copy_files(tmp_path, "percent_sign.csv"))

    assert fault.location is not None
    assert (fault.location.column, fault.location.width) == (9, 3)
    assert fault.location.source_line == "2,no,no,20%"


def test_faults_of_all_files_are_reported_at_once(tmp_path: Path) -> None:
    """One run shows what is wrong with every classifier's file."""
    diagnostics = faults(tmp_path, copy_files(tmp_path, "nan.csv", "short_row.csv"))

    assert [fault.error_code.code for fault in diagnostics] == ["E210", "E205"]


def test_a_name_with_brackets_is_a_name(tmp_path: Path) -> None:
    """Only what is no file is a pattern."""
    (tmp_path / "a[1].csv").write_text(ROWS, encoding="utf-8")

    assert matrix(read(tmp_path, {"A": 'predictions = "a[1].csv"'}), "A") == COUNTS


def test_twenty_thousand_columns_are_no_obstacle(tmp_path: Path) -> None:
    """Only the columns that are needed are read."""
    many = 20_000
    head, *rows = ROWS.splitlines()
    names = ",".join(f"feature_{number}" for number in range(many))
    wide = [f"{head},{names}", *(row + ",0" * many for row in rows)]
    (tmp_path / "wide.csv").write_text("\n".join(wide), encoding="utf-8")

    assert matrix(read(tmp_path, {"A": 'predictions = "wide.csv"'}), "A") == COUNTS
    diagnostics = faults(tmp_path, {"A": 'predictions = "wide.csv"'}, data='truth = "outcome"')
    assert "and 19992 more" in diagnostics[0].message
    assert profile_columns(read_text_columns([open_table(tmp_path / "wide.csv")])).rows == 5


@pytest.mark.parametrize(
    ("name", "positive"),
    [
        ("script_label.csv", "<script>alert(1)</script>"),
        ("formula_label.csv", "=cmd()"),
    ],
)
def test_hostile_labels_are_labels(tmp_path: Path, name: str, positive: str) -> None:
    """A label is text and nothing else, whatever it looks like."""
    task = f'kind = "binary"\npositive = "{positive}"'

    counted = read(tmp_path, copy_files(tmp_path, name), task)

    assert counted.classes == (positive, "no")
    assert matrix(counted, name) == COUNTS


def test_a_label_with_a_hidden_mark_is_another_label(tmp_path: Path) -> None:
    """A right-to-left mark is told by its code, so that it can be seen."""
    (fault,) = faults(tmp_path, copy_files(tmp_path, "right_to_left.csv"))

    assert fault.error_code.code == "E215"
    assert "'yes\\u202etxt'" in (fault.help or "")


def test_a_probability_outside_0_to_1_is_rejected(tmp_path: Path) -> None:
    """A score may be any number; a probability may not."""
    rows = "truth,prediction,p_a,p_b\na,a,1.5,-0.5\nb,b,0.2,0.8\n"
    (tmp_path / "p.csv").write_text(rows, encoding="utf-8")

    diagnostics = faults(
        tmp_path,
        {"A": 'predictions = "p.csv"'},
        'kind = "multiclass"',
        'probabilities = "p_{class}"',
    )

    assert [fault.message for fault in diagnostics] == [
        "column `p_a`: 1.5 is not between 0 and 1",
        "column `p_b`: -0.5 is not between 0 and 1",
    ]
    assert {fault.error_code.code for fault in diagnostics} == {"E211"}
    # A negative number is no percentage, so the other is none either.
    assert all("percentage" not in (fault.help or "") for fault in diagnostics)
    assert all("omit `probabilities`" in (fault.help or "") for fault in diagnostics)


def test_percentages_for_probabilities_are_recognised(tmp_path: Path) -> None:
    """All lie between 0 and 100, and their mean of 50 is none of probabilities."""
    rows = "truth,prediction,p_a,p_b\na,a,70,30\nb,b,99.5,0.5\n"
    (tmp_path / "p.csv").write_text(rows, encoding="utf-8")

    first, *_ = faults(
        tmp_path,
        {"A": 'predictions = "p.csv"'},
        'kind = "multiclass"',
        'probabilities = "p_{class}"',
    )

    assert (first.help or "").startswith("a percentage? write 0.7;")


def test_probabilities_that_do_not_add_up_are_rejected(tmp_path: Path) -> None:
    """0.5 + 0.6 = 1.1, while 0.3333 + 0.6666 is as near to 1 as four digits get."""
    rows = "truth,prediction,p_a,p_b\na,a,0.3333,0.6666\nb,b,0.5,0.6\n"
    (tmp_path / "p.csv").write_text(rows, encoding="utf-8")

    (fault,) = faults(
        tmp_path,
        {"A": 'predictions = "p.csv"'},
        'kind = "multiclass"',
        'probabilities = "p_{class}"',
    )

    assert fault.message == "the probabilities of a case add up to 1.1, not to 1"
    assert "divide weights by their sum" in (fault.help or "")
    assert fault.location is not None
    assert fault.location.line == 3


def test_all_that_is_wrong_with_probabilities_is_reported_at_once(tmp_path: Path) -> None:
    """A row of percentages does not hide that another row adds up to 1.3."""
    rows = "truth,prediction,p_a,p_b\na,a,0.7,0.6\nb,b,50,0.5\nb,b,x,0.5\n"
    (tmp_path / "p.csv").write_text(rows, encoding="utf-8")

    diagnostics = faults(
        tmp_path,
        {"A": 'predictions = "p.csv"'},
        'kind = "multiclass"',
        'probabilities = "p_{class}"',
    )

    assert [
        (fault.error_code.code, fault.location and fault.location.line) for fault in diagnostics
    ] == [
        ("E209", 4),
        ("E211", 3),
        ("E211", 2),
    ]


def test_scores_need_not_be_probabilities(tmp_path: Path) -> None:
    """A margin of a support vector machine is a fine score."""
    (tmp_path / "margin.csv").write_text(ROWS.replace("0.9", "-17.5"), encoding="utf-8")

    assert matrix(read(tmp_path, {"A": 'predictions = "margin.csv"'}, data=COLUMNS), "A") == COUNTS
