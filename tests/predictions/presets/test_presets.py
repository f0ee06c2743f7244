"""Files that other tools wrote give the numbers of the same predictions in a plain table.

These files are small and have rare cases; `test_tool_output.py` reads files that the tools wrote.
"""

from __future__ import annotations

import re
from pkgutil import iter_modules
from shutil import copy
from typing import TYPE_CHECKING, get_args

import polars as pl
import pytest

from reportgen.predictions import presets
from reportgen.predictions.presets.preset import PresetRole
from reportgen.predictions.presets.registry import PRESETS, detect_preset
from reportgen.predictions.presets.weka import open_weka
from reportgen.spec.data import FormatName
from tests.predictions.presets.tool_samples import TOOLS, YES, assert_same, of_tool, plain
from tests.predictions.spec_folder import faults, matrix, read, write

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = {
    "weka_bayes.csv": "weka",
    "weka_tree.csv": "weka",
    "weka_tree.txt": "weka",
    "caret_forest.csv": "caret",
    "caret_tuned.csv": "caret",
    "sklearn_logistic.csv": "sklearn",
    "eval_results_table.json": "mlflow",
    "huggingface_all.jsonl": "huggingface",
    "huggingface_top.jsonl": "huggingface",
    "inspect_options_small.eval": "inspect",
    "inspect_options_large.json": "inspect",
    "inspect_sums_small.eval": "inspect",
    "inspect_sums_large.json": "inspect",
    "samples_letters_2026-11-18T06-01-57.163757.jsonl": "lm_eval",
    "samples_numbers_2026-11-18T06-01-57.163757.jsonl": "lm_eval",
    "promptfoo_results.json": "promptfoo",
    "deepeval_small.json": "deepeval",
    "deepeval_large.json": "deepeval",
}


def weka_lines(name: str) -> list[list[str]]:
    """Return the fields of a Weka CSV, found without the code that is tested."""
    text = (TOOLS / name).read_text(encoding="utf-8")
    return [line.split(",") for line in text.splitlines() if re.match(r"\d+,", line)]


def weka_folds(rows: list[list[str]]) -> list[int]:
    """Return the fold of each row, one more at each `1`."""
    folds: list[int] = []
    for row in rows:
        folds.append((folds[-1] if folds else 0) + (row[0] == "1"))
    return folds


HELPERS = {"column_mapping", "evaluation_logs", "preset", "registry"}


def test_every_preset_module_is_registered() -> None:
    """A module of the package is a helper, or its name is a format of the spec."""
    modules = {module.name for module in iter_modules(presets.__path__)}

    assert modules - HELPERS == set(get_args(FormatName)) == set(PRESETS)


@pytest.mark.parametrize("name", get_args(FormatName))
def test_a_preset_is_complete(name: str) -> None:
    """It has its module's name, texts for users, the columns every file needs, and a sample."""
    preset = PRESETS[name]

    assert preset.name == name
    assert preset.title
    assert preset.description
    assert preset.columns["truth"]
    assert preset.columns["prediction"]
    assert set(preset.columns) <= set(get_args(PresetRole))
    assert all("{class}" in pattern for pattern in preset.probability_patterns)
    assert all("{number}" in pattern for pattern in preset.indexed_probability_patterns)
    assert name in SAMPLES.values()


def test_every_sample_is_recognised() -> None:
    """Each is recognised as a file of its tool, and of no other."""
    for name, tool in SAMPLES.items():
        preset = detect_preset(TOOLS / name)
        assert preset is not None, name
        assert preset.name == tool


def test_weka_turns_the_probability_of_the_predicted_class_to_the_positive_one(
    tmp_path: Path,
) -> None:
    """`2:no` with 0.658 means 1 - 0.658 for yes; three folds start with inst# 1."""
    rows = weka_lines("weka_bayes.csv")
    assert set(weka_folds(rows)) == {1, 2, 3}
    expected = plain(
        tmp_path,
        YES,
        'score = "score"\nscore_kind = "probability"\nfold = "fold"',
        (
            {
                "truth": actual[2:],
                "prediction": predicted[2:],
                "score": float(share) if predicted == "1:yes" else 1 - float(share),
                "fold": fold,
            }
            for (_, actual, predicted, _, share), fold in zip(rows, weka_folds(rows), strict=True)
        ),
    )

    aggregates = of_tool(tmp_path, "weka_bayes.csv", YES, 'format = "weka"')

    assert_same(aggregates, expected)
    assert matrix(aggregates, "it") == ((8, 4), (4, 8))


@pytest.mark.parametrize("name", ["weka_tree.csv", "weka_tree.txt"])
def test_weka_distributions_are_read_from_csv_and_from_padded_text(
    tmp_path: Path, name: str
) -> None:
    """The star marks the predicted class and is no part of the number."""
    rows = weka_lines("weka_tree.csv")
    expected = plain(
        tmp_path,
        YES,
        'probabilities = "p_{class}"\nfold = "fold"',
        (
            {
                "truth": actual[2:],
                "prediction": predicted[2:],
                "p_yes": yes.strip("*"),
                "p_no": no.strip("*"),
                "fold": fold,
            }
            for (_, actual, predicted, _, yes, no), fold in zip(rows, weka_folds(rows), strict=True)
        ),
    )

    assert_same(of_tool(tmp_path, name, YES, 'format = "weka"'), expected)


def test_opening_a_weka_file_goes_through_it_three_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """For its header, for lines of another shape, and for all else that must be known of it."""
    collect, times = pl.LazyFrame.collect, list[str]()

    def counted(frame: pl.LazyFrame) -> pl.DataFrame:
        times.append("again")
        return collect(frame)

    monkeypatch.setattr(pl.LazyFrame, "collect", counted)
    table = open_weka(TOOLS / "weka_tree.csv")

    assert len(times) == 3
    assert {"fold", "distribution yes", "distribution no"} <= set(table.names)


def test_weka_classifiers_of_one_seed_are_paired_by_row_and_checked(tmp_path: Path) -> None:
    """inst# names no case; a truth that differs in a row is an error with its line."""
    for name in ("weka_bayes.csv", "weka_tree.csv"):
        copy(TOOLS / name, tmp_path)
    both = {"A": 'predictions = "weka_bayes.csv"', "B": 'predictions = "weka_tree.csv"'}
    assert read(tmp_path, both, YES, 'format = "weka"').joined_by == "row order"
    other = (TOOLS / "weka_tree.csv").read_text(encoding="utf-8")
    (tmp_path / "weka_tree.csv").write_text(
        other.replace("1,2:no,2:no,,0.399,*0.601", "1,1:yes,2:no,+,0.399,*0.601", 1)
    )

    (fault,) = faults(tmp_path, both, YES, 'format = "weka"')

    assert fault.error_code.code == "E222"
    # Line 5 of the first file, after a blank, a title, a blank and the header.
    assert "weka_bayes.csv:5" in fault.message


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("inst#,actual,predicted,error,prediction", "{n},2:'a:b \\' c',2:a:b ' c,,0.8"),
        ("inst#\tactual\tpredicted\terror\tprediction", "{n}\t2:'a:b \\' c'\t2:a:b ' c\t\t0.8"),
        (
            "    inst#     actual  predicted error prediction",
            "{n:>9} 2:'a:b \\' c'  2:a:b ' c       0.8 ",
        ),
    ],
)
def test_weka_labels_may_hold_colons_blanks_and_quotes(
    tmp_path: Path, header: str, row: str
) -> None:
    """Weka quotes such a truth, but not the prediction; only the first colon ends the number."""
    separator = next((sign for sign in (",", "\t") if sign in header), "  ")
    other = separator.join(["2", "1:x", "1:x", "", "0.9"])
    (tmp_path / "w.csv").write_text(f"{header}\n{row.format(n=1)}\n{other}\n", encoding="utf-8")

    result = read(
        tmp_path,
        {"it": 'predictions = "w.csv"'},
        'kind = "binary"\npositive = "a:b \' c"',
        'format = "weka"',
    )

    assert result.classes == ("a:b ' c", "x")
    assert matrix(result, "it") == ((1, 0), (0, 1))


def test_a_missing_weka_class_is_a_missing_value_with_its_line(tmp_path: Path) -> None:
    """`1:?` is a truth, and one `?` a whole distribution, that Weka does not know."""
    content = (
        "\n=== Predictions on user test set ===\n\ninst#,actual,predicted,error,distribution,\n"
        "1,1:?,1:yes,,*0.8,0.2\n2,2:no,?,,?\n3,2:no,1:yes,+,*0.7,0.3\n"
    )

    diagnostics = faults(tmp_path, write(tmp_path, w=content), YES, 'format = "weka"')

    assert [
        (
            fault.error_code.code,
            fault.location.line if fault.location else None,
            fault.message.split("`")[1],
        )
        for fault in diagnostics
    ] == [("E208", 5, "actual"), ("E208", 6, "predicted"), ("E208", 6, "distribution yes")]


def test_weka_shares_that_were_rounded_add_up_again(tmp_path: Path) -> None:
    """Six roundings to three decimals explain at most 6 * 0.0005 = 0.003.

    6 * 0.167 is off by 0.002 and is mended; 6 * 0.166 is off by 0.004 and is an error.
    """
    labels = "abcdef"
    rows = "".join(
        f"{n},{n}:{label},{n}:{label},,{'0.167,' * (n - 1)}*0.167{',0.167' * (6 - n)}\n"
        for n, label in enumerate(labels, 1)
    )
    header = "inst#,actual,predicted,error,distribution,,,,,\n"
    data = 'format = "weka"'
    task = 'kind = "multiclass"'

    result = read(tmp_path, write(tmp_path, w=header + rows), task, data)

    assert result.probability_losses is not None
    (fault, *_) = faults(
        tmp_path, write(tmp_path, w=header + rows.replace("0.167", "0.166")), task, data
    )
    assert fault.error_code.code == "E211"


def test_weka_numbers_are_a_regression(tmp_path: Path) -> None:
    """Without classes there is an error in numbers: 1 and -2 here, whose squares are 1 and 4."""
    content = "inst#,actual,predicted,error,size\n1,3,4,1,9\n2,5,3,-2,8\n"

    result = read(tmp_path, write(tmp_path, w=content), 'kind = "regression"', 'format = "weka"')

    assert result.regression is not None
    assert result.regression.frame["squared_errors"].to_list() == [1 + 4]


def test_two_lists_in_one_weka_file_are_rejected(tmp_path: Path) -> None:
    """Which of them is meant cannot be known; the lines of both are named."""
    part = "=== Predictions on {} ===\n\ninst#,actual,predicted,error,prediction\n1,1:a,1:a,,1\n\n"

    (fault,) = faults(
        tmp_path,
        write(tmp_path, w=part.format("training data") + part.format("test data")),
        YES,
        'format = "weka"',
    )

    assert fault.error_code.code == "E227"
    assert "line 1: === Predictions on training data ===" in fault.message
    assert "line 6: === Predictions on test data ===" in fault.message


def test_a_line_of_another_shape_in_a_weka_file_is_named(tmp_path: Path) -> None:
    """A comma in a label gives a field too many, and nobody can tell which one."""
    content = "inst#,actual,predicted,error,prediction\n1,1:a,1:a,,1\n2,1:'b,c',1:b,c,,1\n"

    (fault,) = faults(tmp_path, write(tmp_path, w=content), YES, 'format = "weka"')

    assert (fault.error_code.code, fault.location.line if fault.location else None) == ("E205", 3)


def test_files_of_weka_folds_complete_each_other(tmp_path: Path) -> None:
    """Class c is not in the first file; the third column of its distribution is still known."""
    header = "inst#,actual,predicted,error,distribution,,\n"
    write(
        tmp_path,
        fold1=f"{header}1,1:a,1:a,,*0.6,0.3,0.1\n2,2:b,2:b,,0.1,*0.8,0.1\n",
        fold2=f"{header}1,3:c,3:c,,0.2,0.2,*0.6\n2,1:a,1:a,,*0.9,0.1,0\n",
    )

    result = read(
        tmp_path, {"it": 'predictions = "fold*.csv"'}, 'kind = "multiclass"', 'format = "weka"'
    )

    assert result.classes == ("a", "b", "c")
    assert result.probability_losses is not None
    assert matrix(result, "it", "1") == ((1, 0, 0), (0, 1, 0), (0, 0, 0))
