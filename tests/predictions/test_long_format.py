"""One file with a row per classifier and case is read as so many classifiers, never as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.errors import DataError, SpecError
from reportgen.pipeline import load_and_evaluate
from reportgen.spec import load_spec

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation

TRUTHS = "yyynnynnyn"
MODELS = {"svm": "yynnnynnyn", "rf": "yyynnynnyy", "nb": "nnnnnynnyn"}
LONG = "predictions = 'long.csv'\nmodel = 'model'"


def write_long(folder: Path, *, with_ids: bool = True) -> None:
    """Write the predictions of all models into one file, case by case."""
    names = "model,case," if with_ids else "model,"
    lines = [f"{names}truth,prediction"]
    for case, truth in enumerate(TRUTHS):
        for model, predictions in MODELS.items():
            identity = f"{model},{case}" if with_ids else model
            lines.append(f"{identity},{truth},{predictions[case]}")
    (folder / "long.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def evaluated(folder: Path, data: str, rest: str = "") -> Evaluation:
    """Evaluate a spec of the long file."""
    path = folder / "spec.toml"
    path.write_text(
        f"[task]\nkind = 'binary'\npositive = 'y'\n[data]\n{data}\n{rest}", encoding="utf-8"
    )
    return load_and_evaluate(path)


def accuracies(evaluation: Evaluation) -> dict[str, float]:
    """Return the accuracy of each classifier."""
    matrices = {
        classifier.name: evaluation.aggregates.confusion.matrix(classifier.name)
        for classifier in evaluation.spec.classifiers
        if evaluation.aggregates.confusion is not None
    }
    return {name: (m[0][0] + m[1][1]) / sum(map(sum, m)) for name, m in matrices.items()}


def agreement(model: str) -> float:
    """Return the share of truths that a model predicts."""
    pairs = zip(TRUTHS, MODELS[model], strict=True)
    return sum(truth == prediction for truth, prediction in pairs) / len(TRUTHS)


@pytest.mark.parametrize("with_ids", [True, False])
def test_each_value_of_the_model_column_is_a_classifier(tmp_path: Path, *, with_ids: bool) -> None:
    """In order of appearance; without ids the rows of each model are in the same order."""
    write_long(tmp_path, with_ids=with_ids)

    evaluation = evaluated(tmp_path, LONG + ("\nid = 'case'" if with_ids else ""))

    assert list(accuracies(evaluation)) == ["svm", "rf", "nb"]
    assert accuracies(evaluation) == {name: agreement(name) for name in MODELS}
    assert evaluation.aggregates.case_count == len(TRUTHS)


@pytest.mark.parametrize(
    ("table", "rf"),
    [
        ("", agreement("rf")),
        ("[[classifiers]]\nname = 'rf'\n", agreement("rf")),
        # The filter of a classifier replaces that of [data].
        ("[[classifiers]]\nname = 'rf'\nwhere = { part = 'train' }\n", 1),
    ],
)
def test_the_row_filter_holds_for_each_model(tmp_path: Path, table: str, rf: float) -> None:
    """Rows that it leaves out are neither cases nor models."""
    write_long(tmp_path)
    path = tmp_path / "long.csv"
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    # Predictions of the training rows are all right.
    train = [f"{row[:-1]}{row[-3]},train" for row in [*rows, "knn,0,y,n"]]
    content = "\n".join([f"{header},part", *(f"{row},test" for row in rows), *train]) + "\n"
    path.write_text(content, encoding="utf-8")

    evaluation = evaluated(tmp_path, f"{LONG}\nid = 'case'\nwhere = {{ part = 'test' }}", table)

    assert accuracies(evaluation) == {name: agreement(name) for name in MODELS} | {"rf": rf}
    assert evaluation.aggregates.case_count == len(TRUTHS)


def test_listed_classifiers_come_first_and_have_their_names(tmp_path: Path) -> None:
    """Models that are not listed are not left out."""
    write_long(tmp_path)
    tables = "[[classifiers]]\nname = 'Naive Bayes'\nmodel = 'nb'\n[[classifiers]]\nname = 'rf'\n"

    evaluation = evaluated(tmp_path, f"{LONG}\nid = 'case'", tables)

    assert accuracies(evaluation) == {
        "Naive Bayes": agreement("nb"),
        "rf": agreement("rf"),
        "svm": agreement("svm"),
    }


def test_a_listed_classifier_that_is_not_in_the_file_is_an_error(tmp_path: Path) -> None:
    """The help text has the nearest model."""
    write_long(tmp_path)

    with pytest.raises(DataError) as error_info:
        evaluated(tmp_path, LONG, "[[classifiers]]\nname = 'svn'\n")

    (diagnostic,) = error_info.value.diagnostics
    assert diagnostic.error_code.code == "E240"
    assert "`svm`, `rf`, `nb`" in diagnostic.message
    assert diagnostic.help == "did you mean `svm`?"


def test_names_of_other_tables_are_checked_against_the_models(tmp_path: Path) -> None:
    """They are known only when the file is read."""
    write_long(tmp_path)
    gate = "[[gates]]\nclassifier = '{}'\nmeasure = 'accuracy'\nat_least = 0.5\n"

    assert evaluated(tmp_path, LONG, gate.format("rf")).gates
    with pytest.raises(SpecError, match="unknown classifier `rff`"):
        evaluated(tmp_path, LONG, gate.format("rff"))


def test_the_model_column_needs_the_file(tmp_path: Path) -> None:
    """And a `model` of a classifier needs the column."""
    write_long(tmp_path)
    table = "[[classifiers]]\nname = 'a'\npredictions = 'long.csv'\n"

    with pytest.raises(SpecError, match="needs `predictions` in \\[data\\]"):
        evaluated(tmp_path, "model = 'model'", table)
    with pytest.raises(SpecError, match="needs `model` and `predictions`"):
        evaluated(tmp_path, "", f"{table}model = 'rf'\n")


def test_a_shared_file_with_a_column_per_classifier_is_named_once(tmp_path: Path) -> None:
    """Classifiers without files of their own read those of [data]."""
    rows = zip(TRUTHS, MODELS["svm"], MODELS["rf"], strict=True)
    content = "truth,a,b\n" + "".join(",".join(row) + "\n" for row in rows)
    (tmp_path / "wide.csv").write_text(content, encoding="utf-8")
    tables = "".join(f"[[classifiers]]\nname = '{n}'\nprediction = '{n}'\n" for n in "ab")

    evaluation = evaluated(tmp_path, "predictions = 'wide.csv'", tables)

    assert accuracies(evaluation) == {"a": agreement("svm"), "b": agreement("rf")}


def test_a_file_that_is_not_there_is_reported_in_data(tmp_path: Path) -> None:
    """The place of the error is where the path stands."""
    path = tmp_path / "spec.toml"
    path.write_text("[task]\nkind = 'multiclass'\n[data]\n" + LONG, encoding="utf-8")

    assert load_spec(path).spec.classifiers[0].predictions == ("long.csv",)
    with pytest.raises(DataError) as error_info:
        load_and_evaluate(path)
    location = error_info.value.diagnostics[0].location
    assert location is not None
    assert location.line == 4


def test_an_empty_model_is_an_error(tmp_path: Path) -> None:
    """A row of no model belongs to nobody."""
    (tmp_path / "long.csv").write_text("model,truth,prediction\na,y,y\n,n,n\n", encoding="utf-8")

    with pytest.raises(DataError) as error_info:
        evaluated(tmp_path, LONG)

    assert error_info.value.diagnostics[0].error_code.code == "E208"
    assert error_info.value.diagnostics[0].location.line == 3  # type: ignore[union-attr]
