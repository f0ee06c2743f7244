"""The spec that is written for prediction files says what they hold, or why it cannot."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reportgen.aggregates.aggregation import aggregate
from reportgen.errors import DataError
from reportgen.pipeline import load_and_evaluate
from reportgen.predictions.load import load_predictions
from reportgen.predictions.roles import ColumnOptions, UndecidedError
from reportgen.predictions.scaffold import scaffold_spec
from reportgen.spec import load_spec

if TYPE_CHECKING:
    from reportgen.spec import Spec


def first_spec(folder: Path, *names: str) -> tuple[str, Spec]:
    """Write a spec for files of a folder, and return its text and what is read from it."""
    scaffolded = scaffold_spec([folder / name for name in names], folder)
    if scaffolded.question is not None:
        raise UndecidedError(scaffolded.question)
    text = scaffolded.text
    path = folder / "reportgen.toml"
    path.write_text(text, encoding="utf-8")
    spec_file = load_spec(path)
    if "cannot be built" not in text:
        aggregate(spec_file, load_predictions(spec_file))
    return text, spec_file.spec


def write_files(folder: Path, **rows: str) -> None:
    """Write CSV files; blanks separate their rows."""
    for name, content in rows.items():
        lines = "\n".join(content.split()) + "\n"
        (folder / f"{name}.csv").write_text(lines, encoding="utf-8")


def test_an_id_is_known_by_its_name(tmp_path: Path) -> None:
    """The title names both classifiers; one row that is there twice does no harm."""
    rows = " ".join(f"P{number},{'ill' if number % 3 else 'well'},ill" for number in range(30))
    write_files(tmp_path, logreg=f"patient,truth,prediction {rows}")
    write_files(tmp_path, knn=f"patient,truth,prediction {rows} P0,well,ill")

    text, spec = first_spec(tmp_path, "logreg.csv", "knn.csv")

    assert spec.data.id == "patient"
    assert spec.title == "Evaluation of logreg and knn"
    assert "cannot be built" not in text


def test_an_id_is_known_by_agreement(tmp_path: Path) -> None:
    """A column is an id if the files agree about it, whatever its name, but not otherwise."""
    write_files(tmp_path, a="Fall,row,truth,prediction x,1,1,1 y,2,0,0 z,3,1,0")
    write_files(tmp_path, b="Fall,row,truth,prediction z,1,1,1 x,2,1,0 y,3,0,0")

    assert first_spec(tmp_path, "a.csv", "b.csv")[1].data.id == "Fall"


def test_a_file_per_fold_is_one_classifier(tmp_path: Path) -> None:
    """Whether the shell or reportgen expands the pattern."""
    for name in ("nb", "svm"):
        (tmp_path / name).mkdir()
        for fold in range(3):
            rows = f"case,truth,prediction {fold}a,yes,yes {fold}b,no,no"
            write_files(tmp_path / name, **{f"fold_{fold}": rows})

    expanded = first_spec(tmp_path, *(f"nb/fold_{fold}.csv" for fold in range(3)), "svm/fold_*.csv")
    quoted = first_spec(tmp_path, "nb/*.csv", "svm/*.csv")

    assert expanded == quoted
    assert [(classifier.name, classifier.predictions) for classifier in quoted[1].classifiers] == [
        ("nb", ("nb/fold_*.csv",)),
        ("svm", ("svm/fold_*.csv",)),
    ]


def test_folds_that_are_not_all_are_listed(tmp_path: Path) -> None:
    """A pattern would match the file that was not given."""
    for fold in range(3):
        write_files(
            tmp_path, **{f"nb_fold{fold}": f"case,truth,prediction {fold}a,yes,yes {fold}b,no,no"}
        )

    (classifier,) = first_spec(tmp_path, "nb_fold0.csv", "nb_fold2.csv")[1].classifiers

    assert (classifier.name, classifier.predictions) == ("nb", ("nb_fold0.csv", "nb_fold2.csv"))


def test_numbered_files_of_the_same_cases_are_classifiers(tmp_path: Path) -> None:
    """A number in a name does not make a fold; other cases do."""
    rows = "id,truth,prediction 1,yes,yes 2,no,no"
    write_files(tmp_path, m1=rows, m2=rows, part=rows)
    write_files(tmp_path, x1=rows, x2="id,truth,prediction 3,yes,no 4,no,no")

    same = first_spec(tmp_path, "m1.csv", "m2.csv")[1].classifiers
    other = first_spec(tmp_path, "x1.csv", "x2.csv")[1].classifiers

    assert [item.name for item in same] == ["m1", "m2"]
    assert [item.name for item in other] == ["x"]


def test_whole_numbers_are_labels_and_that_is_a_guess(tmp_path: Path) -> None:
    """0.0 and 1.0 are how data frames with gaps store classes."""
    frame = pl.DataFrame({"truth": [0.0, 1.0, 1.0], "prediction": [0.0, 1.0, 0.0]})
    frame.write_parquet(tmp_path / "float.parquet")

    text, spec = first_spec(tmp_path, "float.parquet")

    assert (spec.task.kind, spec.task.positive) == ("binary", "1")
    assert 'kind = "binary"    # a guess' in text


def test_a_score_belongs_to_the_classifier_in_its_name(tmp_path: Path) -> None:
    """`rf_proba` says nothing about xgb."""
    write_files(
        tmp_path,
        p="age,label,rf_pred,xgb_pred,rf_proba 70,True,True,True,0.9 31,False,False,True,0.1",
    )

    spec = first_spec(tmp_path, "p.csv")[1]

    assert [(classifier.name, classifier.score) for classifier in spec.classifiers] == [
        ("rf", "rf_proba"),
        ("xgb", None),
    ]
    assert spec.data.score is None


def test_scores_of_several_classifiers_are_distinguished(tmp_path: Path) -> None:
    """Each gets a threshold, which is a guess."""
    write_files(tmp_path, p="truth,rf_proba,xgb_proba 1,0.9,0.7 0,0.2,0.6")

    text, spec = first_spec(tmp_path, "p.csv")

    assert [(classifier.name, classifier.score) for classifier in spec.classifiers] == [
        ("rf", "rf_proba"),
        ("xgb", "xgb_proba"),
    ]
    assert "threshold = 0.5    # a guess" in text


def test_many_classes_are_no_obstacle(tmp_path: Path) -> None:
    """Sixty labels of text are classes, since they are not numbers."""
    rows = " ".join(
        f"{number},c{number % 60},c{number % 60},c{number % 7}" for number in range(120)
    )
    write_files(tmp_path, wide=f"id,truth,model1,model2 {rows}")

    spec = first_spec(tmp_path, "wide.csv")[1]

    assert [classifier.name for classifier in spec.classifiers] == ["model1", "model2"]


def test_a_file_with_the_truth_alone_has_the_labels(tmp_path: Path) -> None:
    """The others are joined to it by id."""
    write_files(tmp_path, svm="id,score 2,0.2 1,0.9", labels="id,label 1,ill 2,well")

    spec = first_spec(tmp_path, "svm.csv", "labels.csv")[1]

    assert (spec.data.labels, spec.data.truth, spec.data.id) == ("labels.csv", "label", "id")
    assert [classifier.name for classifier in spec.classifiers] == ["svm"]


def test_decimal_commas_are_recognised(tmp_path: Path) -> None:
    """In a spreadsheet's CSV, quoted or with semicolons."""
    (tmp_path / "p.csv").write_text('y_true,forest\n"0,5","0,7"\n"0,1","0,2"\n', encoding="utf-8")

    spec = first_spec(tmp_path, "p.csv")[1]

    assert (spec.task.kind, spec.data.decimal, spec.data.prediction) == (
        "regression",
        ",",
        "forest",
    )


def test_numbers_without_predictions_need_a_threshold(tmp_path: Path) -> None:
    """Which one is for the user to choose."""
    write_files(tmp_path, markers="case,truth,wfns,ndka 1,0,1,3.01 2,1,4,8.54 3,0,5,9.5")

    with pytest.raises(UndecidedError) as error_info:
        first_spec(tmp_path, "markers.csv")
    answered = scaffold_spec([tmp_path / "markers.csv"], tmp_path, ColumnOptions(score=("ndka",)))

    assert error_info.value.question.option == "score"
    assert error_info.value.question.choices == ("wfns", "ndka")
    assert 'score = "ndka"' in answered.text
    assert "threshold = 8.54    # a guess" in answered.text


def test_what_hinders_a_build_stands_in_the_spec(tmp_path: Path) -> None:
    """A spec that does not work yet says why."""
    rows = "case,fold,truth,prediction 1,a,yes,yes 2,a,no,no 1,b,yes,no 2,b,no,no"
    write_files(tmp_path, first=rows, second=rows.replace("1,b", "1,c"))

    text, _ = first_spec(tmp_path, "first.csv", "second.csv")

    assert "# It cannot be built unchanged, because of:\n# - E225: the folds differ" in text


def test_files_of_one_name_are_two_classifiers(tmp_path: Path) -> None:
    """Their folders tell them apart."""
    rows = "id,truth,prediction 1,yes,yes 2,no,no"
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_files(tmp_path / name, preds=rows)

    spec = first_spec(tmp_path, "a/preds.csv", "b/preds.csv")[1]

    assert [classifier.name for classifier in spec.classifiers] == ["a preds", "b preds"]


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
# Letters of which no name of a role, such as `id` or `score`, is made.
PLAIN_LETTERS = frozenset("bcgjkqvwxz")
PLAIN_NAMES = st.text(st.sampled_from(sorted(PLAIN_LETTERS)), min_size=2, max_size=8)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(names=st.tuples(NAMES, NAMES, NAMES) | st.tuples(PLAIN_NAMES, PLAIN_NAMES, PLAIN_NAMES))
@example(names=("bb", "cc", "xx"))
@example(names=('a"b', "c\\d", "e\u202ef"))
@example(names=("\x7f", "\x00", "\n"))
@example(names=("p_yes", "id", "{class}"))
@example(names=("#", "=", "'''"))
def test_any_names_give_a_spec_that_can_be_read_or_a_reason(names: tuple[str, str, str]) -> None:
    """Quotes, backslashes, letters of any script and control characters do no harm.

    Names of plain letters give a spec with both predictions, never a reason against one.
    """
    first, second, label = names
    columns = {"truth": ["yes", label], first: [label, "yes"], second: ["yes", "yes"]}
    is_plain = all(PLAIN_LETTERS.issuperset(name) for name in names)
    with TemporaryDirectory() as name:
        folder = Path(name)
        rows = (
            json.dumps({key: values[number] for key, values in columns.items()})
            for number in range(2)
        )
        (folder / "p.jsonl").write_text("\n".join(rows), encoding="utf-8")
        try:
            _, spec = first_spec(folder, "p.jsonl")
        except (DataError, UndecidedError):
            # This is the reason; whatever else is raised fails the test.
            assert not is_plain
        else:
            predictions = {
                classifier.prediction or spec.data.prediction for classifier in spec.classifiers
            }
            assert not is_plain or predictions == {first, second}


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(stem=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), max_size=8))
@example(stem="predictions")
@example(stem="a\nb")
@example(stem="[x]")
@example(stem="*")
@example(stem="https:x")
def test_any_file_name_gives_a_spec_that_can_be_read_or_a_reason(stem: str) -> None:
    """A name that a spec may not hold is refused, one of letters and digits never."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / f"{stem}.csv").write_text("truth,prediction\na,b\nb,a\n", encoding="utf-8")
        try:
            _, spec = first_spec(folder, f"{stem}.csv")
        except (DataError, UndecidedError):
            # As above.
            assert not stem.isalnum()
        else:
            assert len(spec.classifiers) == 1


def write_columns(path: Path, **columns: list[object]) -> None:
    """Write columns as CSV."""
    pl.DataFrame(columns).write_csv(path)


def test_codes_and_names_of_classes_are_a_map_that_is_proposed(tmp_path: Path) -> None:
    """Which name is which code follows from the rows, not from the order of the names.

    8 of 9 rows agree; b is 0, c is 1 and a is 2. Uncommented, the spec builds.
    """
    truth: list[object] = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    write_columns(tmp_path / "p.csv", truth=truth, prediction=list("bbbcccaab"))

    scaffolded = scaffold_spec([tmp_path / "p.csv"], tmp_path)

    assert len(scaffolded.problems) == 1
    assert "no label in common" in scaffolded.problems[0]
    line = '# map = { 0 = "b", 1 = "c", 2 = "a" }'
    assert line in scaffolded.text.splitlines()
    assert "agree in 88.9% of the rows" in scaffolded.text
    path = tmp_path / "reportgen.toml"
    path.write_text(scaffolded.text.replace(line, line.removeprefix("# ")), encoding="utf-8")
    spec_file = load_spec(path)
    counts = aggregate(spec_file, load_predictions(spec_file)).confusion
    assert counts is not None
    right = counts.frame.filter(pl.col("truth") == pl.col("prediction"))
    assert right["count"].sum() == 8


@pytest.mark.parametrize("prediction", ["bbbbbbaaa", "bcabbbbcb"])
def test_labels_without_one_class_each_are_no_map(tmp_path: Path, prediction: str) -> None:
    """Two labels for three classes, or a label that is two classes equally often."""
    truth: list[object] = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    write_columns(tmp_path / "p.csv", truth=truth, prediction=list(prediction))

    assert "# map =" not in scaffold_spec([tmp_path / "p.csv"], tmp_path).text


LABEL_NAMES = {
    "words before": ("true_{}", "pred_{}", None),
    "words after": ("{}", "{}_pred", "{}_prob"),
    "scores only": ("{}_actual", None, "prob_{}"),
    "scikit-learn": ("y_true_{}", "y_pred_{}", "y_score_{}"),
}


@pytest.mark.parametrize("names", LABEL_NAMES.values(), ids=LABEL_NAMES)
def test_columns_of_zeros_and_ones_are_labels_of_a_multilabel_task(
    tmp_path: Path, names: tuple[str, str | None, str | None]
) -> None:
    """Never one binary task whose classifiers predict different labels.

    Of 12 cases with 3 labels, one prediction in each of two labels is wrong: the sets of 10 are
    right.
    """
    truths = {"sport": [1, 0] * 6, "news": [1, 1, 0] * 4, "arts": [0, 1, 1, 0] * 3}
    columns: dict[str, list[object]] = {"doc": [f"d{n}" for n in range(12)]}
    truth, prediction, score = names
    for label, values in truths.items():
        message = [
            1 - v if n == len(label) and label != "arts" else v for n, v in enumerate(values)
        ]
        columns[truth.format(label)] = list(values)
        if prediction:
            columns[prediction.format(label)] = list(message)
        if score:
            columns[score.format(label)] = [0.1 + 0.8 * v for v in message]
    write_columns(tmp_path / "p.csv", **columns)

    scaffolded = scaffold_spec([tmp_path / "p.csv"], tmp_path)

    assert scaffolded.problems == ()
    assert any("one multilabel task" in line for line in scaffolded.summary)
    path = tmp_path / "reportgen.toml"
    path.write_text(scaffolded.text, encoding="utf-8")
    evaluation = load_and_evaluate(path)
    assert evaluation.spec.task.kind == "multilabel"
    assert evaluation.spec.task.classes == ("sport", "news", "arts")
    (row,) = evaluation.values.frame.filter(measure="exact_match").iter_rows(named=True)
    assert row["value"] == pytest.approx(10 / 12)


def test_a_truth_of_one_class_promises_no_curves(tmp_path: Path) -> None:
    """What further cases would add is said instead."""
    write_columns(tmp_path / "p.csv", truth=["yes"] * 4, prediction=["no", "yes", "yes", "yes"])

    summary = scaffold_spec([tmp_path / "p.csv"], tmp_path).summary

    assert not [line for line in summary if "probabilities would add" in line]
    assert any("the truth is always `yes`" in line for line in summary)


@pytest.mark.parametrize("encoding", ["latin-1", "windows-1252", "utf-16"])
def test_another_encoding_is_recognised(tmp_path: Path, encoding: str) -> None:
    """And written into the spec, which can be built."""
    no = "l’autre" if encoding == "windows-1252" else "no"
    rows = "".join(f"{label},sí\n" for label in ("sí", no, "sí", no))
    content = f"truth,prediction\n{rows}".encode(encoding)
    (tmp_path / "p.csv").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr("p.csv", content)

    for name in ("p.csv", "p.zip"):
        scaffolded = scaffold_spec([tmp_path / name], tmp_path)
        assert f'encoding = "{encoding}"' in scaffolded.text
        assert scaffolded.problems == ()


def test_scores_that_are_no_probabilities_promise_no_calibration(tmp_path: Path) -> None:
    """A decision function ranks cases only."""
    rows = "".join(f"{number % 2},{number - 3.5}\n" for number in range(8))
    (tmp_path / "p.csv").write_text(f"y_true,decision_function\n{rows}", encoding="utf-8")

    summary = scaffold_spec([tmp_path / "p.csv"], tmp_path).summary

    assert any("ROC curves" in line for line in summary)
    assert not any("ROC and calibration" in line for line in summary)


def test_booleans_need_no_map(tmp_path: Path) -> None:
    """True and true are one label."""
    rows = "".join(f"{number % 2 == 0},{number % 3 == 0}\n" for number in range(12))
    (tmp_path / "p.csv").write_text(f"fault,fault_predicted\n{rows}", encoding="utf-8")

    assert "map" not in scaffold_spec([tmp_path / "p.csv"], tmp_path).text


def test_a_file_without_header_is_named(tmp_path: Path) -> None:
    """Its first row would be names otherwise."""
    (tmp_path / "p.csv").write_text("0,1,1\n1,0,1\n2,1,1\n", encoding="utf-8")

    with pytest.raises(DataError, match="there is no header"):
        scaffold_spec([tmp_path / "p.csv"], tmp_path)


def test_spellings_of_one_label_raise_no_doubt_about_a_score(tmp_path: Path) -> None:
    """Truths of pandas are 1.0 where predictions are 1."""
    rows = "".join(f"{number % 2}.0,{number % 2},0.{2 + 5 * (number % 2)}\n" for number in range(8))
    (tmp_path / "p.csv").write_text(f"y_test,y_pred,y_proba\n{rows}", encoding="utf-8")

    summary = scaffold_spec([tmp_path / "p.csv"], tmp_path).summary

    assert not any("check what it is the score of" in line for line in summary)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("c1,yes,no\nc2,yes,no\nc3,no,yes\n", "first row has values of its columns"),
        ("c1,yes,yes\nc2,no,no\n", "first row has `yes` twice"),
        ("truth,pred\nyes,no\nno,no\ntruth,pred\nyes,yes\n", "header occurs again"),
    ],
)
def test_a_header_of_texts_that_is_none_is_named(
    tmp_path: Path, content: str, message: str
) -> None:
    """Labels above labels, and headers between the rows of joined files."""
    (tmp_path / "p.csv").write_text(content, encoding="utf-8")

    with pytest.raises(DataError, match=message):
        scaffold_spec([tmp_path / "p.csv"], tmp_path)


def test_a_table_of_measures_is_not_evaluated(tmp_path: Path) -> None:
    """A classification report of scikit-learn as CSV has a row per class."""
    content = "class,precision,recall,f1-score,support\n0,0.8,0.9,0.85,90\n1,0.7,0.6,0.65,60\n"
    (tmp_path / "p.csv").write_text(content, encoding="utf-8")

    with pytest.raises(DataError, match="values of measures"):
        scaffold_spec([tmp_path / "p.csv"], tmp_path)


@pytest.mark.parametrize("corner", ["", "truth"])
def test_a_confusion_matrix_is_a_line_of_the_spec(tmp_path: Path, corner: str) -> None:
    """The error has the line, by the order of the rows."""
    (tmp_path / "p.csv").write_text(f"{corner},no,yes\nno,70,20\nyes,10,50\n", encoding="utf-8")

    with pytest.raises(DataError) as error:
        scaffold_spec([tmp_path / "p.csv"], tmp_path)

    (fault,) = error.value.diagnostics
    assert "confusion = [[70, 20], [10, 50]]" in (fault.help or "")
    assert 'classes = ["no", "yes"]' in (fault.help or "")


def scored_rows(higher: str, *, predicted: bool) -> str:
    """Return truths yes and no with scores that are higher for one of them."""
    rows = (
        f"{truth},{f'{truth},' if predicted else ''}{0.5 + (0.4 if truth == higher else -0.4)}\n"
        for truth in ("yes", "no") * 12
    )
    return f"truth,{'pred,' if predicted else ''}prob\n" + "".join(rows)


def test_a_score_that_is_lower_for_the_positive_class_does_not_turn_it(tmp_path: Path) -> None:
    """A bad classifier would become a good one of the other class; it is a question."""
    (tmp_path / "p.csv").write_text(scored_rows("no", predicted=False), encoding="utf-8")

    scaffolded = scaffold_spec([tmp_path / "p.csv"], tmp_path)

    assert 'positive = "yes"' in scaffolded.text
    assert scaffolded.positive is not None
    assert any("area under the ROC curve below 0.5" in line for line in scaffolded.summary)


def test_a_score_of_the_predicted_no_is_said_to_be_one(tmp_path: Path) -> None:
    """The predictions prove it, but `no` is hardly the class that is looked for."""
    (tmp_path / "p.csv").write_text(scored_rows("no", predicted=True), encoding="utf-8")

    scaffolded = scaffold_spec([tmp_path / "p.csv"], tmp_path)

    assert 'positive = "no"' in scaffolded.text
    assert scaffolded.positive is not None
    assert any("so no is the positive class" in line for line in scaffolded.summary)


def test_percent_signs_are_explained(tmp_path: Path) -> None:
    """A column of 12.5% is no number, so it is not used."""
    rows = "".join(f"{number % 2},{number % 2},{number + 2.5}%\n" for number in range(30))
    (tmp_path / "p.csv").write_text(f"truth,pred,prob\n{rows}", encoding="utf-8")

    summary = scaffold_spec([tmp_path / "p.csv"], tmp_path).summary

    assert any("write fractions, such as 0.025 for 2.5%" in line for line in summary)


@pytest.mark.parametrize("spelling", ["0{}", "{}.0"])
def test_ids_of_other_spelling_are_named(tmp_path: Path, spelling: str) -> None:
    """A spreadsheet removes leading zeros, and pandas makes floats of integers with gaps."""
    rows = [(number, number % 3 % 2) for number in range(10, 40)]
    for name, order in (("a", rows), ("b", rows[::-1])):
        lines = "".join(
            f"{spelling.format(case) if name == 'b' else case},{truth},{truth}\n"
            for case, truth in order
        )
        (tmp_path / f"{name}.csv").write_text(f"id,truth,pred\n{lines}", encoding="utf-8")

    (problem, *_) = scaffold_spec([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path).problems

    assert "column `id` has '10' in one file and" in problem
    assert "write the ids of the same cases alike" in problem


def test_the_summary_counts_the_cases_of_the_first_repetition(tmp_path: Path) -> None:
    """Without ids the other repetitions are left out."""
    columns = {
        "repeat": [1] * 40 + [2] * 40,
        "truth": list("yn" * 40),
        "prediction": list("y" * 80),
    }
    pl.DataFrame(columns).write_csv(tmp_path / "p.csv")

    scaffolded = scaffold_spec([tmp_path / "p.csv"], tmp_path)

    assert "where = { repeat" in scaffolded.text
    assert any(line.startswith("40 cases") for line in scaffolded.summary)


def test_the_summary_names_the_weights(tmp_path: Path) -> None:
    """They are a comment in the spec, because their meaning is not certain."""
    columns: dict[str, list[object]] = {
        "y": [1.5, 2.5, 3.25],
        "y_pred": [1.0, 2.75, 3.5],
        "sample_weight": [2.5, 1.5, 3.5],
    }
    write_columns(tmp_path / "p.csv", **columns)

    scaffolded = scaffold_spec([tmp_path / "p.csv"], tmp_path)

    assert '# weight = "sample_weight"' in scaffolded.text
    assert any('weight = "sample_weight" under [data]' in line for line in scaffolded.summary)
