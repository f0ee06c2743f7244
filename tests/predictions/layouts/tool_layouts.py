"""Layouts that tools and statistics programs write, added to the corpus."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tests.predictions.layouts.corpus import (
    IDS,
    LAYOUTS,
    NOISE,
    SIZE,
    YES,
    Layout,
    Predictions,
    as_text,
    binary,
    columns,
    expected,
    flowers,
    labels_of,
    layout,
    long_frame,
    single,
    write_csv,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.predictions.layouts.corpus import Values

__all__ = ["LAYOUTS", "TOOL_LAYOUTS"]


def rows_of(own: dict[str, Values]) -> list[tuple[str, str, float]]:
    """Return truth, prediction and score of each case."""
    return list(
        zip(own["truth"].tolist(), own["prediction"].tolist(), own["score"].tolist(), strict=True)
    )


@layout
def keras_probabilities(folder: Path) -> Layout:
    """`y_pred` is what `model.predict` returns: a probability."""
    own = columns()
    write_csv(folder, "p.csv", y_true=own["truth"], y_pred=own["score"])
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def decision_of_scikit_learn(folder: Path) -> Layout:
    """y_true and y_pred, with a score under a name of its own."""
    own = columns()
    margin = np.log(own["score"] / (1 - own["score"]))
    write_csv(folder, "p.csv", y_true=own["truth"], y_pred=own["prediction"], decision=margin)
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def tidymodels_folds(folder: Path) -> Layout:
    """`collect_predictions` of R: folds in a column called `id`, cases in `.row`."""
    own = columns(names=YES)
    write_csv(
        folder,
        "p.csv",
        **{
            ".pred_class": own["prediction"],
            ".pred_no": 1 - own["score"],
            ".pred_yes": own["score"],
            "id": [f"Fold{number % 5 + 1:02}" for number in range(SIZE)],
            ".row": range(1, SIZE + 1),
            "churn": own["truth"],
            ".config": ["Preprocessor1_Model1"] * SIZE,
        },
    )
    return Layout("binary", single("p", names=YES), ("p.csv",), "yes")


@layout
def tidymodels_repeats(folder: Path) -> Layout:
    """Repeated cross-validation of tidymodels: `id` is the repeat, `id2` the fold."""
    own = columns(names=YES)
    frame = pl.DataFrame(
        {
            "id2": [f"Fold{number % 5 + 1:02}" for number in range(SIZE)],
            ".pred_class": own["prediction"],
            ".pred_no": 1 - own["score"],
            ".pred_yes": own["score"],
            ".row": range(1, SIZE + 1),
            "churn": own["truth"],
        }
    )
    repeats = (frame.with_columns(id=pl.lit(f"Repeat{number}")) for number in (1, 2))
    pl.concat(repeats).write_csv(folder / "p.csv")
    return Layout("binary", single("p", names=YES), ("p.csv",), "yes")


@layout
def mlr3_prediction(folder: Path) -> Layout:
    """`as.data.table(prediction)` of mlr3."""
    names = {0: "neg", 1: "pos"}
    own = columns(names=names)
    write_csv(
        folder,
        "p.csv",
        row_ids=range(1, SIZE + 1),
        truth=own["truth"],
        response=own["prediction"],
        **{"prob.neg": 1 - own["score"], "prob.pos": own["score"]},
    )
    return Layout("binary", single("p", names=names), ("p.csv",), "pos")


@layout
def spss_group_and_probability(folder: Path) -> Layout:
    """PRE_1 and PGR_1, with decimal commas; 2 is the positive class."""
    names = {0: "1", 1: "2"}
    own = columns(names=names)
    scores = [str(score).replace(".", ",") for score in own["score"]]
    write_csv(folder, "p.csv", ";", ausfall=own["truth"], PRE_1=scores, PGR_1=own["prediction"])
    return Layout("binary", single("p", names=names), ("p.csv",), "2", {"truth": "ausfall"})


@layout
def sas_from_and_into(folder: Path) -> Layout:
    """`_FROM_`, `_INTO_` and a column per class, as PROC LOGISTIC writes them."""
    own = columns(names=YES)
    write_csv(
        folder,
        "p.csv",
        age=NOISE.integers(18, 90, SIZE),
        _FROM_=own["truth"],
        _INTO_=own["prediction"],
        IP_no=1 - own["score"],
        IP_yes=own["score"],
    )
    return Layout("binary", single("p", names=YES), ("p.csv",), "yes")


@layout
def sas_enterprise_miner(folder: Path) -> Layout:
    """F_ and I_ before the name of the target; nothing but the score says that I_ is predicted."""
    own = columns()
    write_csv(
        folder,
        "p.csv",
        F_BAD=own["truth"],
        I_BAD=own["prediction"],
        P_BAD1=own["score"],
        P_BAD0=1 - own["score"],
    )
    return Layout("binary", single("p"), ("p.csv",), "1", {"truth": "F_BAD"})


@layout
def azure_scored_labels(folder: Path) -> Layout:
    """Scored Labels and Scored Probabilities of Azure Machine Learning."""
    names = {0: "<=50K", 1: ">50K"}
    own = columns(names=names)
    write_csv(
        folder,
        "p.csv",
        income=own["truth"],
        **{"Scored Labels": own["prediction"], "Scored Probabilities": own["score"]},
    )
    return Layout("binary", single("p", names=names), ("p.csv",), ">50K")


@layout
def datarobot_predictions(folder: Path) -> Layout:
    """Probabilities called predictions, among constants."""
    own = columns()
    write_csv(
        folder,
        "p.csv",
        row_id=range(SIZE),
        is_bad=own["truth"],
        is_bad_1_PREDICTION=own["score"],
        is_bad_0_PREDICTION=1 - own["score"],
        is_bad_PREDICTION=own["prediction"],
        THRESHOLD=[0.5] * SIZE,
    )
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def knime_table(folder: Path) -> Layout:
    """Prediction (X) and P (X=class)."""
    own = columns(names=YES)
    write_csv(
        folder,
        "p.csv",
        Churn=own["truth"],
        **{
            "P (Churn=no)": 1 - own["score"],
            "P (Churn=yes)": own["score"],
            "Prediction (Churn)": own["prediction"],
        },
    )
    return Layout("binary", single("p", names=YES), ("p.csv",), "yes")


@layout
def rapidminer_example_set(folder: Path) -> Layout:
    """prediction(label) and confidence(class)."""
    own = columns(names=YES)
    write_csv(
        folder,
        "p.csv",
        ";",
        label=own["truth"],
        **{
            "prediction(label)": own["prediction"],
            "confidence(no)": 1 - own["score"],
            "confidence(yes)": own["score"],
        },
    )
    return Layout("binary", single("p", names=YES), ("p.csv",), "yes")


@layout
def orange_predictions(folder: Path) -> Layout:
    """The widget Predictions of Orange: models and the truth look alike."""
    names, codes, probabilities = flowers()
    truth = names[codes]
    models = {"Random Forest": probabilities["lr"], "Naive Bayes": probabilities["nb"]}
    labels = {model: names[values.argmax(axis=1)] for model, values in models.items()}
    write_csv(
        folder,
        "p.csv",
        iris=truth,
        **labels,
        **{
            f"{model} ({name})": values[:, number]
            for model, values in models.items()
            for number, name in enumerate(names)
        },
    )
    own = {model: Predictions(truth, labels[model], values) for model, values in models.items()}
    return Layout("multiclass", own, ("p.csv",), None, {"truth": "iris"})


@layout
def pycaret_label_and_score(folder: Path) -> Layout:
    """`Label` of PyCaret 2 is the prediction, and `Score` the confidence in it."""
    own = columns()
    write_csv(
        folder,
        "p.csv",
        Purchase=own["truth"],
        Label=own["prediction"],
        Score=np.maximum(own["score"], 1 - own["score"]),
    )
    return Layout("binary", single("p", scored=False), ("p.csv",), "1", {"truth": "Purchase"})


@layout
def h2o_frame(folder: Path) -> Layout:
    """predict, p0 and p1, with a threshold of its own: not every score of ½ is predicted."""
    truth, probabilities = binary()
    score = probabilities["lr"]
    predicted = (score >= 0.3).astype(int)
    write_csv(folder, "p.csv", predict=predicted, p0=1 - score, p1=score, y=truth)
    own = Predictions(as_text(truth), as_text(predicted), score)
    return Layout("binary", {"p": own}, ("p.csv",), "1")


@layout
def autogluon_classes(folder: Path) -> Layout:
    """The truth, the prediction and a column called like each class."""
    names = {0: "good", 1: "bad"}
    own = columns(names=names)
    write_csv(
        folder,
        "p.csv",
        **{"class": own["truth"], "pred": own["prediction"]},
        good=1 - own["score"],
        bad=own["score"],
    )
    return Layout("binary", single("p", names=names), ("p.csv",), "bad", {"positive": "bad"})


@layout
def catboost_raw_values(folder: Path) -> Layout:
    """SampleId, RawFormulaVal and Label: the raw value is a margin."""
    own = columns()
    margin = np.log(own["score"] / (1 - own["score"]))
    write_csv(folder, "p.tsv", "\t", SampleId=range(SIZE), RawFormulaVal=margin, Label=own["truth"])
    answers = {"score": "RawFormulaVal"}
    return Layout("binary", single("p"), ("p.tsv",), "1", answers)


@layout
def pipe_separated(folder: Path) -> Layout:
    """An export of a database."""
    own = columns()
    write_csv(folder, "p.txt", "|", label=own["truth"], pred=own["prediction"], prob=own["score"])
    return Layout("binary", single("p"), ("p.txt",), "1")


@layout
def r_table_with_row_names(folder: Path) -> Layout:
    """`write.table` of R: blanks, and a row name that the header lacks."""
    lines = ['"truth" "pred" "prob"']
    lines += [
        f'"{number}" "{truth}" "{prediction}" {score}'
        for number, (truth, prediction, score) in enumerate(rows_of(columns(names=YES)), start=1)
    ]
    (folder / "p.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Layout("binary", single("p", names=YES), ("p.txt",), "yes")


@layout
def comments_above_the_header(folder: Path) -> Layout:
    """Lines that begin with #."""
    own = columns()
    write_csv(folder, "p.csv", truth=own["truth"], pred=own["prediction"], prob=own["score"])
    text = (folder / "p.csv").read_text(encoding="utf-8")
    comments = "# model: logistic regression\n# written 2026-11-18\n"
    (folder / "p.csv").write_text(comments + text, encoding="utf-8")
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def blanks_after_commas(folder: Path) -> Layout:
    """As people write lists."""
    lines = ["truth, pred, prob"]
    lines += [f"{truth}, {prediction}, {score}" for truth, prediction, score in rows_of(columns())]
    (folder / "p.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def wandb_table(folder: Path) -> Layout:
    """A table of Weights & Biases: its type, names of columns and rows."""
    table = {
        "_type": "table",
        "columns": ["truth", "guess", "score_0", "score_1"],
        "data": [[t, p, 1 - s, s] for t, p, s in rows_of(columns())],
        "ncols": 4,
        "nrows": SIZE,
    }
    (folder / "p.table.json").write_text(json.dumps(table), encoding="utf-8")
    return Layout("binary", single("p"), ("p.table.json",), "1")


@layout
def json_by_id(folder: Path) -> Layout:
    """`to_json(orient="index")` of a frame whose index has the ids."""
    table = {
        id_: {"truth": t, "pred": p, "prob": s}
        for id_, (t, p, s) in zip(IDS.tolist(), rows_of(columns()), strict=True)
    }
    (folder / "p.json").write_text(json.dumps(table), encoding="utf-8")
    return Layout("binary", single("p"), ("p.json",), "1")


@layout
def kaggle_with_usage(folder: Path) -> Layout:
    """A solution file with a column that the submissions do not have."""
    own = expected("lr", "nb", scored=False)
    usage = ["Private" if number % 3 else "Public" for number in range(SIZE)]
    write_csv(folder, "solution.csv", Id=IDS, Survived=own["lr"].truth, Usage=usage)
    for name, item in own.items():
        write_csv(folder, f"submission_{name}.csv", Id=IDS[::-1], Survived=item.prediction[::-1])
    files = ("solution.csv", "submission_lr.csv", "submission_nb.csv")
    return Layout("binary", own, files, "1")


def label_sets() -> tuple[Values, Predictions]:
    """Return the names of three labels, and which of them cases have."""
    truth, probabilities = binary()
    codes = np.stack([truth, truth[::-1], np.roll(truth, 7)], axis=1)
    scores = [probabilities["lr"], probabilities["nb"][::-1], np.roll(probabilities["tree"], 7)]
    return np.array(["art", "news", "sport"]), Predictions(
        codes, labels_of(np.stack(scores, axis=1))
    )


@layout
def label_sets_with_semicolons(folder: Path) -> Layout:
    """An empty cell is a case without labels."""
    names, own = label_sets()
    write_csv(
        folder,
        "p.csv",
        labels=[";".join(names[row == 1]) for row in own.truth],
        predicted=[";".join(names[row == 1]) for row in own.prediction],
    )
    return Layout("multilabel", {"p": own}, ("p.csv",))


@layout
def label_sets_of_parquet(folder: Path) -> Layout:
    """Columns of lists."""
    names, own = label_sets()
    frame = pl.DataFrame(
        {
            "labels": [names[row == 1].tolist() for row in own.truth],
            "predicted": [names[row == 1].tolist() for row in own.prediction],
        }
    )
    frame.write_parquet(folder / "p.parquet")
    return Layout("multilabel", {"p": own}, ("p.parquet",))


@layout
def label_indicators_in_lists(folder: Path) -> Layout:
    """[0, 1, 1] is no set of the labels 0 and 1."""
    _, own = label_sets()
    rows = zip(own.truth.tolist(), own.prediction.tolist(), strict=True)
    lines = (json.dumps({"labels": t, "predicted": p}) for t, p in rows)
    (folder / "p.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Layout("multilabel", {"p": own}, ("p.jsonl",))


@layout
def percentages(folder: Path) -> Layout:
    """Scores between 0 and 100 rank the cases."""
    own = columns()
    prob = np.round(100 * own["score"], 4)
    write_csv(folder, "p.csv", truth=own["truth"], pred=own["prediction"], prob=prob)
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def judges_of_correctness(folder: Path) -> Layout:
    """Verdicts `correct` and `incorrect` of judges, against those of people: no log of a tool."""
    names = {0: "incorrect", 1: "correct"}
    own = expected("lr", "nb", names=names, scored=False)
    frame = long_frame(own, "judge").rename({"label": "human", "pred": "verdict"}).drop("prob")
    frame.write_csv(folder / "p.csv")
    return Layout("binary", own, ("p.csv",), "correct", {"positive": "correct"})


TOOL_LAYOUTS = tuple(name for name, write in LAYOUTS.items() if write.__module__ == __name__)
