"""Tables of caret, scikit-learn and MLflow are read as the tools mean them."""

from __future__ import annotations

import csv
import json
from shutil import copy
from typing import TYPE_CHECKING

import pytest

from tests.predictions.presets.tool_samples import ILL, ONE, TOOLS, assert_same, of_tool, plain
from tests.predictions.spec_folder import faults, matrix, read, write

if TYPE_CHECKING:
    from pathlib import Path


def rows_of(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV sample."""
    with (TOOLS / name).open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_caret_folds_of_repeated_cross_validation_repeat_the_cases(tmp_path: Path) -> None:
    """12 cases in 2 repetitions of 3 folds are 24 predictions, joined by rowIndex and Resample."""
    expected = plain(
        tmp_path,
        ILL,
        'id = "rowIndex"\nfold = "Resample"\nprobabilities = "p_{class}"',
        (
            {
                "truth": row["obs"],
                "prediction": row["pred"],
                "rowIndex": row["rowIndex"],
                "Resample": row["Resample"],
                "p_ill": row["ill"],
                "p_well": row["well"],
            }
            for row in rows_of("caret_forest.csv")
        ),
    )

    aggregates = of_tool(tmp_path, "caret_forest.csv", ILL, 'format = "caret"')

    assert_same(aggregates, expected)
    assert (aggregates.case_count, aggregates.distinct_cases) == (24, 12)


def test_caret_tuning_values_are_rejected_until_one_is_kept(tmp_path: Path) -> None:
    """With mtry 2 and 4 each case is there twice; `where` keeps the rows of one of them."""
    copy(TOOLS / "caret_tuned.csv", tmp_path)
    it = {"it": 'predictions = "caret_tuned.csv"'}

    (fault,) = faults(tmp_path, it, ILL, 'format = "caret"')
    subset = read(tmp_path, it, ILL, 'format = "caret"\nwhere = {mtry = 2}')

    assert fault.error_code.code == "E228"
    assert "`mtry`: 2, 4" in fault.message
    assert 'savePredictions = "final"' in (fault.help or "")
    assert "where = {mtry = 2}" in (fault.help or "")
    assert_same(subset, of_tool(tmp_path, "caret_forest.csv", ILL, 'format = "caret"'))


@pytest.mark.parametrize(
    ("column", "values", "advice"),
    [
        ("größe", ("2", "4"), '"größe" = 2'),
        ("min.node", ("0.10", "0.20"), '"min.node" = 0.1'),
        ("rate", (".5", ".7"), "rate = 0.5"),
        ("level", ("007", "12"), "level = 7"),
        ("share", ("inf", "nan"), 'share = "inf"'),
        ('split"rule', ('a"b\\', "c"), r'"split\"rule" = "a\"b\\"'),
    ],
)
def test_the_advice_to_keep_one_tuning_value_can_be_followed(
    tmp_path: Path, column: str, values: tuple[str, str], advice: str
) -> None:
    """Whatever a column and its values are called, `where` is TOML and keeps half of the rows."""
    with (tmp_path / "tuned.csv").open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["pred", "obs", "rowIndex", column, "Resample"])
        for value in values:
            rows.writerows(
                [("ill", "ill", 1, value, "Fold1"), ("well", "well", 2, value, "Fold1")],
            )
    it = {"it": 'predictions = "tuned.csv"'}

    (fault,) = faults(tmp_path, it, ILL, 'format = "caret"')
    assert f"`where = {{{advice}}}`" in (fault.help or "")
    subset = read(tmp_path, it, ILL, f'format = "caret"\nwhere = {{{advice}}}')

    assert subset.case_count == 2


def test_where_says_which_values_there_are_if_none_is_left(tmp_path: Path) -> None:
    """A column that is not there is missing as any other."""
    copy(TOOLS / "caret_tuned.csv", tmp_path)
    it = {"it": 'predictions = "caret_tuned.csv"\nwhere = {mtry = 3}'}

    (none,) = faults(tmp_path, it, ILL, 'format = "caret"')
    (absent,) = faults(
        tmp_path, {"it": 'predictions = "caret_tuned.csv"'}, ILL, "where = {mtri = 2}"
    )

    assert (none.error_code.code, none.help) == ("E204", "in the file `mtry` is 2, 4")
    assert (absent.error_code.code, absent.help) == ("E206", "did you mean `mtry`?")


@pytest.mark.parametrize("condition", ["{part = 0.1}", '{part = "0.10"}', "{flag = true}"])
def test_where_compares_numbers_as_numbers_and_texts_as_texts(
    tmp_path: Path, condition: str
) -> None:
    """0.1 is 0.10, but the text "0.10" is not "0.1"; True is true."""
    content = "truth,prediction,part,flag\nyes,yes,0.10,True\nno,no,0.10,True\nno,yes,0.2,False\n"

    result = read(tmp_path, write(tmp_path, p=content), data=f"where = {condition}")

    assert matrix(result, "p") == ((1, 0), (0, 1))


def test_caret_bootstrap_gives_cases_as_often_as_they_were_left_out(tmp_path: Path) -> None:
    """Case 1 is held out twice, case 3 once; the report is told so."""
    content = (
        '"","pred","obs","rowIndex","parameter","Resample"\n'
        '"1","ill","ill",1,"none","Resample01"\n"2","well","well",2,"none","Resample01"\n'
        '"3","well","ill",1,"none","Resample02"\n"4","ill","well",3,"none","Resample02"\n'
    )

    result = read(tmp_path, write(tmp_path, p=content), ILL, 'format = "caret"')

    assert (result.case_count, result.distinct_cases) == (4, 3)
    assert "1 of 3 ids occur in more than one fold" in result.warnings[0]


def test_caret_regression_needs_no_classes(tmp_path: Path) -> None:
    """Both pred and obs are numbers; lambda is a tuning value that was kept once."""
    content = "pred,obs,rowIndex,lambda,Resample\n1.5,1.0,1,0.1,Fold1\n2.0,2.5,2,0.1,Fold2\n"

    result = read(tmp_path, write(tmp_path, p=content), 'kind = "regression"', 'format = "caret"')

    assert (result.case_count, result.joined_by) == (2, "id")


def test_scikit_learn_numbers_probabilities_in_the_order_of_the_sorted_classes(
    tmp_path: Path,
) -> None:
    """proba_0 is that of setosa, the first of `np.unique(y)`."""
    expected = plain(
        tmp_path,
        'kind = "multiclass"',
        'id = "id"\nfold = "fold"\nprobabilities = "p_{class}"',
        (
            {
                "id": row["index"],
                "fold": row["fold"],
                "truth": row["y_true"],
                "prediction": row["y_pred"],
                "p_setosa": row["proba_0"],
                "p_versicolor": row["proba_1"],
                "p_virginica": row["proba_2"],
            }
            for row in rows_of("sklearn_logistic.csv")
        ),
    )

    aggregates = of_tool(
        tmp_path, "sklearn_logistic.csv", 'kind = "multiclass"', 'format = "sklearn"'
    )

    assert_same(aggregates, expected)


def test_columns_numbered_from_0_are_not_taken_for_classes_numbered_from_1(tmp_path: Path) -> None:
    """With classes 1 and 2, proba_1 is the column of class 2."""
    content = "y_true,y_pred,proba_0,proba_1\n1,1,0.8,0.2\n2,2,0.3,0.7\n2,1,0.6,0.4\n"
    named = content.replace("proba_0,proba_1", "p_1,p_2")

    result = read(tmp_path, write(tmp_path, it=content), ONE, 'format = "sklearn"')
    expected = read(
        tmp_path,
        write(tmp_path, it=named),
        ONE,
        'truth = "y_true"\nprediction = "y_pred"\nprobabilities = "p_{class}"',
    )

    assert_same(result, expected)


def test_keys_of_the_spec_count_more_than_those_of_the_format(tmp_path: Path) -> None:
    """A key beside `format` wins; a classifier's format wins over the names in [data]."""
    content = "y_true,y_pred,other,target\nyes,no,yes,yes\nno,no,yes,no\n"
    files = write(tmp_path, A=content, B="truth,guess\nyes,yes\nno,yes\n")

    overridden = read(tmp_path, {"A": files["A"]}, data='format = "sklearn"\nprediction = "other"')
    nearer = read(
        tmp_path,
        {"A": files["A"] + '\nformat = "sklearn"', "B": files["B"]},
        data='prediction = "guess"',
    )

    assert matrix(overridden, "A") == ((1, 0), (1, 0))
    assert matrix(nearer, "A") == ((0, 1), (0, 1))
    assert matrix(nearer, "B") == ((1, 0), (1, 0))


def test_a_threshold_takes_the_score_of_the_format(tmp_path: Path) -> None:
    """With 0.7, the score 0.6 of a prediction of yes no longer suffices."""
    content = "y_true,y_pred,y_score\nyes,yes,0.9\nno,yes,0.6\nno,no,0.1\n"

    result = read(tmp_path, write(tmp_path, p=content), data='format = "sklearn"\nthreshold = 0.7')

    assert matrix(result, "p") == ((1, 0), (0, 2))


def test_mlflow_tables_are_read_from_split_json(tmp_path: Path) -> None:
    """`columns` names what stands in each row of `data`; `exact/score` is MLflow's own."""
    table = json.loads((TOOLS / "eval_results_table.json").read_text(encoding="utf-8"))
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    expected = plain(
        tmp_path,
        ONE,
        'score = "p"',
        (
            {"truth": r["target"], "prediction": r["outputs"], "p": r["prediction_proba"]}
            for r in rows
        ),
    )

    assert_same(of_tool(tmp_path, "eval_results_table.json", ONE, 'format = "mlflow"'), expected)


def test_faults_in_an_mlflow_table_name_the_row(tmp_path: Path) -> None:
    """One line holds the whole table, so its number would say nothing."""
    content = '{"columns": ["target", "outputs"], "data": [["yes", "no"], [null, "yes"]]}'
    (tmp_path / "t.json").write_text(content, encoding="utf-8")

    (fault,) = faults(tmp_path, {"it": 'predictions = "t.json"'}, data='format = "mlflow"')

    assert fault.error_code.code == "E208"
    assert fault.message == "column `target`: the value is missing (row 2)"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("null", "row 2 is null, but `columns` of length 2"),
        ('["no", "no", "yes"]', "row 2 is of length 3, but `columns` of length 2"),
        ('["no"]', "row 2 is of length 1, but `columns` of length 2"),
        ("[]", "row 2 is of length 0, but `columns` of length 2"),
    ],
)
def test_a_row_of_an_mlflow_table_has_a_cell_for_each_column(
    tmp_path: Path, row: str, message: str
) -> None:
    """A case that is dropped, or read from the wrong column, would change the numbers."""
    rows = f'[["yes", "no"], {row}, ["no", "no"]]'
    content = f'{{"columns": ["target", "outputs"], "data": {rows}}}'
    (tmp_path / "t.json").write_text(content, encoding="utf-8")

    (fault,) = faults(tmp_path, {"it": 'predictions = "t.json"'}, data='format = "mlflow"')

    assert (fault.error_code.code, fault.message) == ("E205", message)


def test_an_mlflow_table_without_rows_has_none(tmp_path: Path) -> None:
    """An empty list is no case without values."""
    (tmp_path / "t.json").write_text('{"columns": ["target", "outputs"], "data": []}', "utf-8")

    (fault,) = faults(tmp_path, {"it": 'predictions = "t.json"'}, data='format = "mlflow"')

    assert (fault.error_code.code, fault.message) == ("E204", "the file has no rows")


def test_a_file_of_another_tool_is_distinguished_from_the_one_that_the_spec_names(
    tmp_path: Path,
) -> None:
    """The way out is the right name, or the names of the columns."""
    copy(TOOLS / "weka_tree.txt", tmp_path)
    it = {"it": 'predictions = "weka_tree.txt"'}
    other = write(tmp_path, p="a,b\nyes,yes\nno,no\n")

    wrong = faults(tmp_path, it, data='format = "caret"')
    unknown = faults(tmp_path, other, data='format = "mlflow"')

    assert {fault.error_code.code for fault in (*wrong, *unknown)} == {"E227"}
    assert {fault.help for fault in wrong} == {
        'this looks like Weka\'s predictions: write `format = "weka"`'
    }
    assert "found `a`, `b`" in unknown[0].message
    assert 'name its column: `truth = "…"`' in (unknown[0].help or "")


def test_an_mlflow_cell_may_hold_a_list_or_an_object(tmp_path: Path) -> None:
    """Only the columns that are asked for must be simple; 1e-1 is a number as well."""
    content = (
        '{"columns": ["inputs", "target", "outputs", "prediction_proba"], "data": '
        '[[{"q": [1, 2]}, "yes", "yes", 0.75], [["a"], "no", "yes", 0.5], [0, "no", "no", 1e-1]]}'
    )
    (tmp_path / "t.json").write_text(content, encoding="utf-8")

    result = read(tmp_path, {"it": 'predictions = "t.json"'}, data='format = "mlflow"')

    assert matrix(result, "it") == ((1, 0), (1, 1))
    assert result.probability_losses is not None


def test_columns_numbered_otherwise_than_the_classes_are_an_error(tmp_path: Path) -> None:
    """Three columns for two classes: which one belongs to none of them cannot be known."""
    content = "y_true,y_pred,proba_0,proba_1,proba_2\na,a,.8,.1,.1\nb,b,.2,.7,.1\n"
    files = write(tmp_path, p=content)

    (fault,) = faults(tmp_path, files, 'kind = "multiclass"', 'format = "sklearn"')
    listed = read(
        tmp_path, files, 'kind = "multiclass"\nclasses = ["c", "b", "a"]', 'format = "sklearn"'
    )

    assert fault.error_code.code == "E227"
    assert "`proba_0`" in fault.message
    assert "`classes = […]`" in (fault.help or "")
    assert listed.probability_losses is not None
