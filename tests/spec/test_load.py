"""A right spec becomes typed values, and what it leaves out gets its default."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from reportgen.spec import SpecFile, load_spec

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.toml"))
COUNTS = """
[task]
kind = "binary"
positive = true
classes = [true, false]
[[classifiers]]
name = "SVM"
confusion = [[9, 1], [2, 8]]
"""


def read(folder: Path, text: str) -> SpecFile:
    """Return the spec of this text."""
    path = folder / "spec.toml"
    path.write_text(text, encoding="utf-8")
    return load_spec(path)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_every_spec_of_the_repository_reads_without_fault(path: Path) -> None:
    """The examples people copy are right, and nothing in them is without effect."""
    assert load_spec(path).warnings == ()


def test_defaults_are_those_of_the_contract(tmp_path: Path) -> None:
    """What is left out is as documented."""
    spec = read(tmp_path, COUNTS).spec

    assert spec.title == "Evaluation report"
    assert (spec.data.truth, spec.data.prediction, spec.data.cases) == (
        "truth",
        "prediction",
        "common",
    )
    assert spec.output.formats == ("html", "pdf", "json")
    assert spec.measures.show is None
    assert (spec.intervals.level, spec.comparison.alpha) == (0.95, 0.05)
    assert spec.sections == ()


def test_labels_become_text(tmp_path: Path) -> None:
    """Truth values and whole numbers are compared as the text that data files hold."""
    task = read(tmp_path, COUNTS).spec.task

    assert (task.positive, task.classes) == ("true", ("true", "false"))


def test_a_classifier_s_own_columns_come_first(tmp_path: Path) -> None:
    """What a classifier overrides counts for it alone."""
    spec = read(
        tmp_path,
        """
        [task]
        kind = "multiclass"
        [data]
        truth = "y"
        id = "case"
        [[classifiers]]
        name = "A"
        predictions = "a.csv"
        [[classifiers]]
        name = "B"
        predictions = ["../b-1.csv", "/data/b-2.csv"]
        id = "patient"
        """,
    ).spec
    first, second = spec.classifiers

    assert first.predictions == ("a.csv",)
    assert second.predictions == ("../b-1.csv", "/data/b-2.csv")
    assert (spec.data_settings_for(first).truth, spec.data_settings_for(first).id) == ("y", "case")
    assert (spec.data_settings_for(second).truth, spec.data_settings_for(second).id) == (
        "y",
        "patient",
    )


@pytest.mark.parametrize(
    ("written", "value", "decimals"),
    [
        ("0.20", 0.2, 2),
        ("77.4", 77.4, 1),
        ("77", 77.0, 0),
        ("7.74e1", 77.4, 1),
        ("1e-3", 0.001, 3),
        ("1_000.5", 1000.5, 1),
        ("-0.30", -0.3, 2),
    ],
)
def test_a_published_number_keeps_its_decimals(
    tmp_path: Path, written: str, value: float, decimals: int
) -> None:
    """0.20 claims more than 0.2, so the zero is not lost."""
    table = f'[[published]]\nclassifier = "SVM"\nmeasure = "kappa"\nvalue = {written}\n'

    (published,) = read(tmp_path, COUNTS + table).spec.published

    assert published.value == value
    assert type(published.value) is float
    assert published.decimals == decimals


def test_a_published_word_belongs_to_a_capability(tmp_path: Path) -> None:
    """A capability is published as a word, optionally of a class."""
    table = (
        '[[published]]\nclassifier = "SVM"\nmeasure = "predictive_power"\n'
        'value = "superior"\nclass = true\nsource = "Table 4"\nnote = """two\nlines"""\n'
    )

    (published,) = read(tmp_path, COUNTS + table).spec.published

    assert (published.value, published.class_, published.decimals) == ("superior", "true", 0)


def test_columns_of_counts_are_stated_to_have_no_effect(tmp_path: Path) -> None:
    """Counts have no columns, so naming one is a mistake without harm."""
    (warning,) = read(tmp_path, COUNTS + 'truth = "y"\n').warnings

    assert "`truth` of classifier `SVM` has no effect" in warning


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path: Path) -> None:
    """What editors on Windows add changes nothing but the hash."""
    path = tmp_path / "spec.toml"
    content = b"\xef\xbb\xbf" + COUNTS.replace("\n", "\r\n").encode()
    path.write_bytes(content)

    spec_file = load_spec(path)

    assert spec_file.spec == read(tmp_path, COUNTS).spec
    assert spec_file.sha256 == sha256(content).hexdigest()
    assert spec_file.folder == tmp_path


def test_reading_a_right_spec_needs_no_positions() -> None:
    """The parser that finds places is loaded only when there is a fault to show."""
    program = (
        "import sys, reportgen.spec; print('tree_sitter' in sys.modules, 'polars' in sys.modules)"
    )

    answer = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )

    assert answer.stdout.split() == ["False", "False"]


def test_a_measure_may_be_shown_under_two_of_its_names(tmp_path: Path) -> None:
    """It is shown once; nothing is lost."""
    text = COUNTS + '[measures]\nshow = ["recall", "sensitivity"]\n'

    assert read(tmp_path, text).spec.measures.show == ("recall", "sensitivity")


def test_a_spec_knows_where_its_keys_are(tmp_path: Path) -> None:
    """Faults of data can point at the line of the spec that asks for them."""
    path = tmp_path / "spec.toml"
    path.write_text(
        '[task]\nkind = "multiclass"\n[[classifiers]]\nname = "A"\npredictions = ["a", "bc"]\n',
        encoding="utf-8",
    )

    place = load_spec(path).locate("classifiers", 0, "predictions", 1)
    assert place is not None

    assert (place.line, place.column, place.width) == (5, 21, 4)
