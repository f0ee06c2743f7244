"""A corpus of layouts of prediction files, with the predictions that each of them holds."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

Values: TypeAlias = "npt.NDArray[Any]"
SIZE = 60


@dataclass(frozen=True, slots=True)
class Predictions:
    """Truths, predictions and scores of one classifier; labels as text."""

    truth: Values
    prediction: Values
    score: Values | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """Files of a folder, and what a report of them has to say."""

    kind: str
    classifiers: Mapping[str, Predictions]
    files: tuple[str, ...]
    positive: str | None = None
    answers: Mapping[str, str] = field(default_factory=dict)
    """The right answers to the questions that may be asked, by option."""
    cases: int = SIZE


LAYOUTS: dict[str, Callable[[Path], Layout]] = {}


def layout(function: Callable[[Path], Layout]) -> Callable[[Path], Layout]:
    """Register a layout by the name of the function that writes it."""
    LAYOUTS[function.__name__] = function
    return function


# Predictions.


@cache
def binary() -> tuple[Values, dict[str, Values]]:
    """Return truths 0 and 1, and the probabilities of 1 by three classifiers, for test cases."""
    x, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    # Few noisy features, so that the classifiers make mistakes.
    x, y = x[order][:, [1, 4, 8, 9]], y[order]
    models = {
        "lr": LogisticRegression(),
        "nb": GaussianNB(),
        "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    }
    test = slice(0, SIZE)
    return y[test], {
        name: np.round(
            0.02 + 0.96 * model.fit(x[SIZE:300], y[SIZE:300]).predict_proba(x[test])[:, 1], 6
        )
        for name, model in models.items()
    }


@cache
def flowers() -> tuple[Values, Values, dict[str, Values]]:
    """Return class names, true codes, and the class probabilities of two classifiers."""
    data = load_iris()
    order = np.random.default_rng(1).permutation(len(data.target))
    x, y = data.data[order][:, :2], data.target[order]
    models = {"lr": LogisticRegression(), "nb": GaussianNB()}
    test = slice(0, SIZE)
    probabilities = {
        name: model.fit(x[SIZE:], y[SIZE:]).predict_proba(x[test]) for name, model in models.items()
    }
    return data.target_names.astype(str), y[test], probabilities


@cache
def progressions() -> tuple[Values, dict[str, Values], Values]:
    """Return true numbers, predicted numbers of two regressions, and a feature."""
    x, y = load_diabetes(return_X_y=True)
    models = {"ridge": Ridge(), "knn": KNeighborsRegressor()}
    test = slice(0, SIZE)
    predicted = {
        name: model.fit(x[SIZE:], y[SIZE:]).predict(x[test]) for name, model in models.items()
    }
    # A fraction makes the truth a number and no class.
    return y[test] + 0.5, predicted, x[test, 2]


def labels_of(probabilities: Values) -> Values:
    """Return 1 from a probability of ½ on."""
    return (probabilities >= 0.5).astype(int)


def as_text(values: Values, names: Mapping[int, str] | None = None) -> Values:
    """Return codes as text, by the names of classes if they have any."""
    return np.array([str(v) if names is None else names[int(v)] for v in values.tolist()])


def expected(
    *models: str, names: Mapping[int, str] | None = None, scored: bool = True
) -> dict[str, Predictions]:
    """Return the binary predictions of some models, as a report should have them."""
    truth, probabilities = binary()
    return {
        model: Predictions(
            as_text(truth, names),
            as_text(labels_of(probabilities[model]), names),
            probabilities[model] if scored else None,
        )
        for model in models or ("lr",)
    }


def single(name: str, model: str = "lr", **options: object) -> dict[str, Predictions]:
    """Return the predictions of one model under another name."""
    return {name: next(iter(expected(model, **options).values()))}  # type: ignore[arg-type]


def columns(model: str = "lr", names: Mapping[int, str] | None = None) -> dict[str, Values]:
    """Return truth, prediction and probability of a model."""
    own = expected(model, names=names)[model]
    assert own.score is not None
    return {"truth": own.truth, "prediction": own.prediction, "score": own.score}


def write_csv(folder: Path, name: str, separator: str = ",", /, **values: object) -> None:
    """Write columns as CSV."""
    pl.DataFrame(values).write_csv(folder / name, separator=separator)


IDS = np.array([f"c{number:03}" for number in range(SIZE)])
YES = {0: "no", 1: "yes"}
NOISE = np.random.default_rng(5)


# Binary: one file, one classifier.


@layout
def names_of_scikit_learn(folder: Path) -> Layout:
    """y_true, y_pred, y_score."""
    own = columns()
    write_csv(folder, "p.csv", y_true=own["truth"], y_pred=own["prediction"], y_score=own["score"])
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def truth_and_prediction(folder: Path) -> Layout:
    """Two columns of labels."""
    own = columns(names=YES)
    write_csv(folder, "p.csv", truth=own["truth"], prediction=own["prediction"])
    return Layout("binary", single("p", names=YES, scored=False), ("p.csv",), "yes")


@layout
def label_pred_prob(folder: Path) -> Layout:
    """The short names of notebooks, with an id."""
    own = columns()
    write_csv(
        folder, "p.csv", id=IDS, label=own["truth"], pred=own["prediction"], prob=own["score"]
    )
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def predicted_x_with_features(folder: Path) -> Layout:
    """is_fraud and predicted_is_fraud, among features."""
    own = columns()
    write_csv(
        folder,
        "p.csv",
        amount=np.round(NOISE.lognormal(3, 1, SIZE), 2),
        online=NOISE.integers(0, 2, SIZE),
        is_fraud=own["truth"],
        predicted_is_fraud=own["prediction"],
    )
    return Layout("binary", single("p", scored=False), ("p.csv",), "1")


@layout
def churn_probability_only(folder: Path) -> Layout:
    """A score without a prediction."""
    own = columns()
    write_csv(folder, "p.csv", customer_id=IDS, churned=own["truth"], churn_prob=own["score"])
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def diagnosis_with_probability_per_class(folder: Path) -> Layout:
    """M and B, with prob_M and prob_B."""
    names = {0: "B", 1: "M"}
    own = columns(names=names)
    write_csv(
        folder,
        "p.csv",
        diagnosis=own["truth"],
        predicted_diagnosis=own["prediction"],
        prob_B=1 - own["score"],
        prob_M=own["score"],
    )
    return Layout("binary", single("p", names=names), ("p.csv",), "M", {"positive": "M"})


@layout
def target_and_target_hat(folder: Path) -> Layout:
    """X and X_hat."""
    own = columns()
    write_csv(folder, "p.csv", target=own["truth"], target_hat=own["prediction"])
    return Layout("binary", single("p", scored=False), ("p.csv",), "1")


@layout
def x_and_x_pred(folder: Path) -> Layout:
    """An outcome of which no list knows the name."""
    own = columns()
    write_csv(folder, "p.csv", relapsed=own["truth"], relapsed_pred=own["prediction"])
    return Layout("binary", single("p", scored=False), ("p.csv",), "1")


@layout
def human_and_llm(folder: Path) -> Layout:
    """Two labels of the same texts, with a reason that is different in each row."""
    own = columns(names=YES)
    reasons = [f"because of {number}" for number in range(SIZE)]
    write_csv(
        folder, "p.csv", human_label=own["truth"], llm_label=own["prediction"], reason=reasons
    )
    return Layout("binary", single("p", names=YES, scored=False), ("p.csv",), "yes")


@layout
def minus_one_and_one(folder: Path) -> Layout:
    """Labels of support vector machines, with their margins."""
    names = {0: "-1", 1: "1"}
    own = columns(names=names)
    margin = np.log(own["score"] / (1 - own["score"]))
    write_csv(folder, "p.csv", y=own["truth"], decision_function=margin, y_hat=own["prediction"])
    return Layout("binary", single("p", names=names), ("p.csv",), "1")


@layout
def minus_one_and_one_labels(folder: Path) -> Layout:
    """Without scores: 1 is proposed, not -1."""
    names = {0: "-1", 1: "1"}
    own = columns(names=names)
    write_csv(folder, "p.csv", y=own["truth"], y_hat=own["prediction"])
    return Layout("binary", single("p", names=names, scored=False), ("p.csv",), "1")


@layout
def booleans(folder: Path) -> Layout:
    """True and False, as pandas writes them."""
    own = columns(names={0: "False", 1: "True"})
    write_csv(folder, "p.csv", actual=own["truth"], predicted=own["prediction"])
    return Layout(
        "binary", single("p", names={0: "false", 1: "true"}, scored=False), ("p.csv",), "true"
    )


@layout
def floats_for_labels(folder: Path) -> Layout:
    """0.0 and 1.0, from a data frame that had gaps."""
    truth, probabilities = binary()
    frame = {
        "actual": truth.astype(float),
        "predicted": labels_of(probabilities["lr"]).astype(float),
    }
    pl.DataFrame(frame).write_parquet(folder / "p.parquet")
    return Layout("binary", single("p", scored=False), ("p.parquet",), "1")


@layout
def score_called_prediction(folder: Path) -> Layout:
    """A prediction that is a probability."""
    own = columns()
    write_csv(folder, "p.csv", id=IDS, label=own["truth"], prediction=own["score"])
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def confidence_in_the_prediction(folder: Path) -> Layout:
    """Never below ½: no score of one class."""
    own = columns(names=YES)
    confidence = np.maximum(own["score"], 1 - own["score"])
    write_csv(
        folder, "p.csv", truth=own["truth"], prediction=own["prediction"], confidence=confidence
    )
    return Layout("binary", single("p", names=YES, scored=False), ("p.csv",), "yes")


@layout
def index_of_pandas(folder: Path) -> Layout:
    """A first column without a name."""
    own = columns()
    frame = pl.DataFrame({"": range(SIZE), "y_test": own["truth"], "preds": own["prediction"]})
    frame.write_csv(folder / "p.csv")
    return Layout("binary", single("p", scored=False), ("p.csv",), "1")


@layout
def camel_case(folder: Path) -> Layout:
    """Names of other languages' conventions."""
    own = columns(names=YES)
    write_csv(
        folder,
        "p.csv",
        trueLabel=own["truth"],
        predictedLabel=own["prediction"],
        probabilityYes=own["score"],
    )
    return Layout("binary", single("p", names=YES), ("p.csv",), "yes")


@layout
def words_with_spaces(folder: Path) -> Layout:
    """Names of a spreadsheet."""
    own = columns(names=YES)
    write_csv(folder, "p.csv", **{"True Class": own["truth"], "Predicted Class": own["prediction"]})
    return Layout("binary", single("p", names=YES, scored=False), ("p.csv",), "yes")


@layout
def capital_letters(folder: Path) -> Layout:
    """Names of a database."""
    own = columns()
    write_csv(
        folder, "p.csv", CASE_ID=IDS, LABEL=own["truth"], PRED=own["prediction"], PROB=own["score"]
    )
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def semicolons(folder: Path) -> Layout:
    """CSV of a continental spreadsheet, with decimal points."""
    own = columns()
    write_csv(folder, "p.csv", ";", label=own["truth"], pred=own["prediction"], prob=own["score"])
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def decimal_commas(folder: Path) -> Layout:
    """CSV of a continental spreadsheet, with decimal commas."""
    own = columns()
    commas = [str(score).replace(".", ",") for score in own["score"]]
    write_csv(folder, "p.csv", ";", label=own["truth"], pred=own["prediction"], prob=commas)
    return Layout("binary", single("p"), ("p.csv",), "1")


@layout
def json_of_pandas(folder: Path) -> Layout:
    """Columns of values by index, the default of `DataFrame.to_json`."""
    own = columns()
    table = {
        name: {str(number): value for number, value in enumerate(values.tolist())}
        for name, values in (("label", own["truth"]), ("pred", own["prediction"]))
    }
    (folder / "p.json").write_text(json.dumps(table), encoding="utf-8")
    return Layout("binary", single("p", scored=False), ("p.json",), "1")


@layout
def json_array(folder: Path) -> Layout:
    """A list of objects, with a score in a nested one."""
    own = columns()
    rows = zip(
        own["truth"].tolist(), own["prediction"].tolist(), own["score"].tolist(), strict=True
    )
    records = [{"label": t, "pred": message, "output": {"prob": p}} for t, message, p in rows]
    (folder / "p.json").write_text(json.dumps(records, indent=1), encoding="utf-8")
    return Layout("binary", single("p"), ("p.json",), "1")


@layout
def tabs(folder: Path) -> Layout:
    """Tab-separated values."""
    own = columns()
    write_csv(folder, "p.tsv", "\t", label=own["truth"], pred=own["prediction"], prob=own["score"])
    return Layout("binary", single("p"), ("p.tsv",), "1")


@layout
def json_lines(folder: Path) -> Layout:
    """One object per line."""
    own = columns(names=YES)
    rows = zip(own["truth"].tolist(), own["prediction"].tolist(), strict=True)
    text = "".join(json.dumps({"gold": truth, "output": message}) + "\n" for truth, message in rows)
    (folder / "p.jsonl").write_text(text, encoding="utf-8")
    return Layout("binary", single("p", names=YES, scored=False), ("p.jsonl",), "yes")


@layout
def nested_json_lines(folder: Path) -> Layout:
    """The verdict of a judge is a field of an object."""
    own = columns(names=YES)
    rows = zip(own["truth"].tolist(), own["prediction"].tolist(), strict=True)
    text = "".join(
        json.dumps({"expected": truth, "judge": {"verdict": message, "tokens": 7}}) + "\n"
        for truth, message in rows
    )
    (folder / "p.jsonl").write_text(text, encoding="utf-8")
    return Layout("binary", single("p", names=YES, scored=False), ("p.jsonl",), "yes")


@layout
def training_and_test_rows(folder: Path) -> Layout:
    """Training rows are no evidence."""
    own = columns()
    padding = np.array(["0", "1"] * 20)
    write_csv(
        folder,
        "p.csv",
        split=["test"] * SIZE + ["train"] * 40,
        truth=np.concatenate([own["truth"], padding]),
        prediction=np.concatenate([own["prediction"], padding]),
    )
    return Layout("binary", single("p", scored=False), ("p.csv",), "1")


@layout
def images_of_patients(folder: Path) -> Layout:
    """Two ids, of which one repeats."""
    own = columns(names=YES)
    write_csv(
        folder,
        "p.csv",
        patient_id=np.arange(SIZE) // 3,
        image_id=IDS,
        truth=own["truth"],
        prediction=own["prediction"],
    )
    return Layout("binary", single("p", names=YES, scored=False), ("p.csv",), "yes")


# Binary: questions.


@layout
def names_of_another_language(folder: Path) -> Layout:
    """Nothing says which of two columns is the truth."""
    own = columns(names=YES)
    write_csv(folder, "p.csv", Wahrheit=own["truth"], Vorhersage=own["prediction"])
    return Layout(
        "binary",
        single("p", names=YES, scored=False),
        ("p.csv",),
        "yes",
        {"truth": "Wahrheit", "prediction": "Vorhersage"},
    )


@layout
def features_of_zeros_and_ones(folder: Path) -> Layout:
    """A prediction among features with the same values."""
    own = columns()
    write_csv(
        folder,
        "p.csv",
        smoker=NOISE.integers(0, 2, SIZE),
        female=NOISE.integers(0, 2, SIZE),
        outcome=own["truth"],
        flagged=own["prediction"],
    )
    return Layout("binary", single("p", scored=False), ("p.csv",), "1", {"prediction": "flagged"})


@layout
def predictions_and_several_outcomes(folder: Path) -> Layout:
    """Two columns may be the truth."""
    own = columns()
    write_csv(
        folder,
        "p.csv",
        hypertensive=NOISE.integers(0, 2, SIZE),
        diabetic=own["truth"],
        pred=own["prediction"],
    )
    return Layout("binary", single("p", scored=False), ("p.csv",), "1", {"truth": "diabetic"})


@layout
def two_experts(folder: Path) -> Layout:
    """Which of two references counts is for people to say."""
    own = columns(names=YES)
    other = np.where(NOISE.random(SIZE) < 0.9, own["truth"], "no")
    write_csv(folder, "p.csv", human_a=own["truth"], human_b=other, model_answer=own["prediction"])
    return Layout(
        "binary",
        single("p", names=YES, scored=False),
        ("p.csv",),
        "yes",
        {"truth": "human_a", "prediction": "model_answer"},
    )


@layout
def biomarkers(folder: Path) -> Layout:
    """Numbers without a unit: which one is the score?"""
    own = columns()
    odds = own["score"] / (1 - own["score"])
    write_csv(
        folder,
        "p.csv",
        truth=own["truth"],
        age=NOISE.integers(20, 80, SIZE),
        marker=np.round(10 * odds, 9),
    )
    # The threshold is a guess, the median, so that only the ranking is compared.
    truth = own["truth"]
    median = np.median(10 * odds)
    prediction = as_text((np.round(10 * odds, 9) >= round(float(median), 6)).astype(int))
    return Layout(
        "binary",
        {"p": Predictions(truth, prediction, odds)},
        ("p.csv",),
        "1",
        {"score": "marker"},
    )


# Several classifiers.


@layout
def wide_labels(folder: Path) -> Layout:
    """A column of labels for each classifier."""
    own = expected("lr", "nb", "tree", scored=False)
    write_csv(
        folder,
        "p.csv",
        truth=own["lr"].truth,
        **{name: item.prediction for name, item in own.items()},
    )
    return Layout("binary", own, ("p.csv",), "1")


@layout
def wide_probabilities(folder: Path) -> Layout:
    """A column of probabilities for each classifier, and no predictions."""
    own = expected("lr", "nb", "tree")
    write_csv(
        folder, "p.csv", y=own["lr"].truth, **{name: item.score for name, item in own.items()}
    )
    return Layout("binary", own, ("p.csv",), "1")


@layout
def wide_named_probabilities(folder: Path) -> Layout:
    """prob_lr, prob_nb."""
    own = expected("lr", "nb")
    write_csv(
        folder,
        "p.csv",
        outcome=own["lr"].truth,
        **{f"prob_{name}": item.score for name, item in own.items()},
    )
    return Layout("binary", own, ("p.csv",), "1")


@layout
def wide_pairs(folder: Path) -> Layout:
    """A label and a probability for each classifier."""
    own = expected("lr", "nb")
    pairs = {
        key: value
        for name, item in own.items()
        for key, value in ((f"{name}_label", item.prediction), (f"{name}_prob", item.score))
    }
    write_csv(folder, "p.csv", id=IDS, outcome=own["lr"].truth, **pairs)
    return Layout("binary", own, ("p.csv",), "1")


@layout
def wide_predictions_and_scores(folder: Path) -> Layout:
    """pred_lr, score_lr."""
    own = expected("lr", "tree", names=YES)
    pairs = {
        key: value
        for name, item in own.items()
        for key, value in ((f"pred_{name}", item.prediction), (f"score_{name}", item.score))
    }
    write_csv(folder, "p.csv", label=own["lr"].truth, **pairs)
    return Layout("binary", own, ("p.csv",), "yes")


def long_frame(own: Mapping[str, Predictions], column: str = "model") -> pl.DataFrame:
    """Return the predictions of all models in long format."""
    return pl.concat(
        pl.DataFrame(
            {
                column: [name] * SIZE,
                "id": IDS,
                "label": item.truth,
                "pred": item.prediction,
                "prob": item.score,
            }
        )
        for name, item in own.items()
    )


@layout
def long_format(folder: Path) -> Layout:
    """model, id, label, pred, prob."""
    own = expected("lr", "nb", "tree")
    long_frame(own).write_csv(folder / "p.csv")
    return Layout("binary", own, ("p.csv",), "1")


@layout
def long_format_shuffled(folder: Path) -> Layout:
    """In any order of rows, with another name of the column."""
    own = expected("lr", "nb", "tree")
    frame = long_frame(own, "algorithm").sample(fraction=1, shuffle=True, seed=3)
    frame.write_parquet(folder / "p.parquet")
    return Layout("binary", own, ("p.parquet",), "1")


@layout
def long_format_without_ids(folder: Path) -> Layout:
    """The rows of each model are in the same order."""
    own = expected("lr", "nb")
    long_frame(own).drop("id").write_csv(folder / "p.csv")
    return Layout("binary", own, ("p.csv",), "1")


@layout
def long_format_of_another_name(folder: Path) -> Layout:
    """The column is known by its contents: each id occurs once for each of its values."""
    own = expected("lr", "nb", "tree")
    long_frame(own, "variant").write_csv(folder / "p.csv")
    return Layout("binary", own, ("p.csv",), "1")


@layout
def file_per_model(folder: Path) -> Layout:
    """Joined by id, in different orders."""
    own = expected("lr", "nb")
    for seed, (name, item) in enumerate(own.items()):
        frame = pl.DataFrame(
            {"id": IDS, "y_true": item.truth, "y_pred": item.prediction, "y_score": item.score}
        )
        frame.sample(fraction=1, shuffle=True, seed=seed).write_csv(folder / f"{name}.csv")
    return Layout("binary", own, ("lr.csv", "nb.csv"), "1")


@layout
def file_per_model_without_ids(folder: Path) -> Layout:
    """Joined by the order of rows."""
    own = expected("lr", "nb", names=YES, scored=False)
    for name, item in own.items():
        write_csv(folder, f"{name}.csv", truth=item.truth, prediction=item.prediction)
    return Layout("binary", own, ("lr.csv", "nb.csv"), "yes")


@layout
def file_per_fold(folder: Path) -> Layout:
    """Cases of a fold are in no other file."""
    own = columns(names=YES)
    for fold in range(3):
        rows = slice(fold * 20, (fold + 1) * 20)
        write_csv(
            folder,
            f"lr_fold{fold}.csv",
            id=IDS[rows],
            truth=own["truth"][rows],
            prediction=own["prediction"][rows],
        )
    files = tuple(f"lr_fold{fold}.csv" for fold in range(3))
    return Layout("binary", single("lr", names=YES, scored=False), files, "yes")


@layout
def fold_column(folder: Path) -> Layout:
    """Cross-validation in one file."""
    own = columns()
    write_csv(
        folder,
        "p.csv",
        id=IDS,
        fold=np.arange(SIZE) % 5,
        label=own["truth"],
        pred=own["prediction"],
        prob=own["score"],
    )
    return Layout("binary", single("p"), ("p.csv",), "1")


def repeated(*, with_ids: bool) -> tuple[pl.DataFrame, Predictions]:
    """Return three repetitions of five folds, by three classifiers, as if they were one."""
    own = list(expected("lr", "nb", "tree", scored=False).values())
    rng = np.random.default_rng(7)
    frames = []
    for repeat, item in enumerate(own):
        order = rng.permutation(SIZE)
        frame = pl.DataFrame(
            {
                "repeat": [repeat] * SIZE,
                "fold": np.sort(np.arange(SIZE) % 5),
                "id": IDS[order],
                "truth": item.truth[order],
                "prediction": item.prediction[order],
            }
        )
        frames.append(frame if with_ids else frame.drop("id"))
    pooled = Predictions(
        np.concatenate([entry.truth for entry in own]),
        np.concatenate([entry.prediction for entry in own]),
    )
    return pl.concat(frames), pooled


@layout
def repeat_and_fold(folder: Path) -> Layout:
    """Repeated cross-validation: the same cases in each repetition."""
    frame, pooled = repeated(with_ids=True)
    frame.write_csv(folder / "p.csv")
    return Layout("binary", {"p": pooled}, ("p.csv",), "1", cases=3 * SIZE)


@layout
def repeat_and_fold_without_ids(folder: Path) -> Layout:
    """Without ids nothing tells which cases repeat: the first repetition is evaluated."""
    frame, _ = repeated(with_ids=False)
    frame.write_csv(folder / "p.csv")
    return Layout("binary", single("p", scored=False), ("p.csv",), "1")


@layout
def long_format_of_repeated_folds(folder: Path) -> Layout:
    """Models, repetitions and folds in one file; the ids are the numbers of rows."""
    own = expected("lr", "nb")
    rng = np.random.default_rng(8)
    orders = [rng.permutation(SIZE) for _ in range(2)]
    frames = [
        pl.DataFrame(
            {
                "estimator": [name] * SIZE,
                "repeat": [repeat] * SIZE,
                "fold": np.arange(SIZE) % 4,
                "row": order,
                "y": item.truth[order],
                "proba": None if item.score is None else item.score[order],
            }
        )
        for name, item in own.items()
        for repeat, order in enumerate(orders)
    ]
    pl.concat(frames).write_parquet(folder / "p.parquet")
    twice = {
        name: Predictions(
            np.concatenate([item.truth] * 2),
            np.concatenate([item.prediction] * 2),
            None if item.score is None else np.concatenate([item.score] * 2),
        )
        for name, item in own.items()
    }
    return Layout("binary", twice, ("p.parquet",), "1", cases=2 * SIZE)


@layout
def long_format_of_repeated_folds_without_ids(folder: Path) -> Layout:
    """As a loop over repetitions, folds and models writes it: the first repetition is evaluated."""
    own = expected("lr", "nb", scored=False)
    rng = np.random.default_rng(9)
    frames = [
        pl.DataFrame(
            {
                "repeat": [repeat] * SIZE,
                "fold": np.sort(np.arange(SIZE) % 4),
                "model": [name] * SIZE,
                "y_true": item.truth[order],
                "y_pred": item.prediction[order],
            }
        )
        for repeat in range(3)
        for order in [rng.permutation(SIZE)]
        for name, item in own.items()
    ]
    pl.concat(frames).write_csv(folder / "p.csv")
    return Layout("binary", own, ("p.csv",), "1")


@layout
def labels_in_a_file_of_their_own(folder: Path) -> Layout:
    """Predictions without the truth."""
    own = expected("lr", "nb")
    write_csv(folder, "labels.csv", id=IDS[::-1], label=own["lr"].truth[::-1])
    for name, item in own.items():
        write_csv(folder, f"{name}.csv", id=IDS, pred=item.prediction, prob=item.score)
    return Layout("binary", own, ("labels.csv", "lr.csv", "nb.csv"), "1")


@layout
def kaggle_probabilities(folder: Path) -> Layout:
    """A solution and submissions with the same two columns."""
    own = expected("lr", "nb")
    write_csv(folder, "solution.csv", id=IDS, target=own["lr"].truth)
    for name, item in own.items():
        write_csv(folder, f"{name}.csv", id=IDS, target=item.score)
    return Layout("binary", own, ("solution.csv", "lr.csv", "nb.csv"), "1")


@layout
def kaggle_labels(folder: Path) -> Layout:
    """Submissions of labels."""
    own = expected("lr", "nb", scored=False)
    write_csv(folder, "solution.csv", PassengerId=IDS, Survived=own["lr"].truth)
    for name, item in own.items():
        write_csv(folder, f"{name}.csv", PassengerId=IDS, Survived=item.prediction)
    return Layout("binary", own, ("solution.csv", "lr.csv", "nb.csv"), "1")


@layout
def kaggle_without_a_name(folder: Path) -> Layout:
    """No name says which file is the truth."""
    own = expected("lr", scored=False)
    write_csv(folder, "first.csv", id=IDS, target=own["lr"].truth)
    write_csv(folder, "lr.csv", id=IDS, target=own["lr"].prediction)
    return Layout("binary", own, ("first.csv", "lr.csv"), "1", {"truth": "first.csv"})


@layout
def counts_table(folder: Path) -> Layout:
    """Truth and answers with the number of cases."""
    own = expected("lr", "nb", names=YES, scored=False)
    frame = pl.DataFrame(
        {"truth": own["lr"].truth, **{name: item.prediction for name, item in own.items()}}
    )
    frame.group_by(frame.columns, maintain_order=True).len("n").write_csv(folder / "p.csv")
    return Layout("binary", own, ("p.csv",), "yes")


@layout
def long_format_with_names_of_scikit_learn(folder: Path) -> Layout:
    """A column of models, which scikit-learn has no name for."""
    own = expected("lr", "nb")
    names = {"label": "y_true", "pred": "y_pred", "prob": "y_score"}
    long_frame(own).rename(names).write_csv(folder / "p.csv")
    return Layout("binary", own, ("p.csv",), "1")


# Workbooks, databases, JSON tables.


def write_workbook(path: Path, **sheets: list[list[object]]) -> None:
    """Write rows of cells, as a spreadsheet program does."""
    import xlsxwriter

    with xlsxwriter.Workbook(path) as workbook:
        for name, rows in sheets.items():
            sheet = workbook.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)


def rows_of(**values: Values) -> list[list[object]]:
    """Return columns as rows of cells with a header."""
    return [
        list(values),
        *(list(row) for row in zip(*(v.tolist() for v in values.values()), strict=True)),
    ]


@layout
def workbook(folder: Path) -> Layout:
    """Numbers as cells, ids with leading zeros as text, a second sheet that is empty."""
    truth, probabilities = binary()
    ids = np.array([f"{number:04}" for number in range(SIZE)])
    rows = rows_of(
        id=ids, label=truth, pred=labels_of(probabilities["lr"]), prob=probabilities["lr"]
    )
    write_workbook(folder / "p.xlsx", Results=rows, Notes=[])
    return Layout("binary", single("p"), ("p.xlsx",), "1")


@layout
def workbook_of_a_hospital(folder: Path) -> Layout:
    """A title above the header, and decimal commas as text."""
    own = columns(names={0: "nein", 1: "ja"})
    commas = np.array([str(score).replace(".", ",") for score in own["score"]])
    table = rows_of(Befund=own["truth"], Befund_pred=own["prediction"], score=commas)
    rows: list[list[object]] = [["Auswertung 2026"], [], *table]
    write_workbook(folder / "p.xlsx", Tabelle1=rows)
    names = {0: "nein", 1: "ja"}
    return Layout("binary", single("p", names=names), ("p.xlsx",), "ja", {"positive": "ja"})


@layout
def workbook_with_a_sheet_per_model(folder: Path) -> Layout:
    """Sheets with the same columns are classifiers."""
    own = expected("lr", "nb")
    sheets = {
        name: rows_of(id=IDS, truth=item.truth, prediction=item.prediction)
        for name, item in own.items()
    }
    write_workbook(folder / "p.xlsx", **sheets)
    return Layout("binary", expected("lr", "nb", scored=False), ("p.xlsx",), "1")


@layout
def workbook_with_other_sheets(folder: Path) -> Layout:
    """Which sheet has the predictions is asked."""
    own = columns(names=YES)
    rows = rows_of(truth=own["truth"], prediction=own["prediction"])
    write_workbook(folder / "p.xlsx", About=[["who", "when"], ["me", "now"]], Results=rows)
    return Layout(
        "binary", single("p", names=YES, scored=False), ("p.xlsx",), "yes", {"sheet": "Results"}
    )


def write_sqlite(path: Path, **tables: pl.DataFrame) -> None:
    """Write tables of a database."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(path)) as connection:
        for name, frame in tables.items():
            names = ", ".join(f'"{column}"' for column in frame.columns)
            connection.execute(f"CREATE TABLE {name} ({names})")
            places = ", ".join("?" * frame.width)
            connection.executemany(f"INSERT INTO {name} VALUES ({places})", frame.rows())  # noqa: S608
        connection.commit()


@layout
def sqlite_table(folder: Path) -> Layout:
    """The only table of a database."""
    own = columns()
    frame = pl.DataFrame(
        {"id": IDS, "label": own["truth"], "pred": own["prediction"], "prob": own["score"]}
    )
    write_sqlite(folder / "p.db", predictions=frame)
    return Layout("binary", single("p"), ("p.db",), "1")


@layout
def sqlite_with_other_tables(folder: Path) -> Layout:
    """Long format in one of several tables."""
    own = expected("lr", "nb")
    write_sqlite(
        folder / "p.sqlite", users=pl.DataFrame({"name": ["a"]}), predictions=long_frame(own)
    )
    return Layout("binary", own, ("p.sqlite",), "1", {"table": "predictions"})


@layout
def duckdb_table(folder: Path) -> Layout:
    """Typed columns: a boolean truth, decimals."""
    import duckdb

    truth, probabilities = binary()
    with duckdb.connect(str(folder / "p.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE p (id INTEGER, churned BOOLEAN, predicted_churned BOOLEAN,"
            " score DECIMAL(9, 6))"
        )
        connection.executemany(
            "INSERT INTO p VALUES (?, ?, ?, ?)",
            [
                (number, bool(true), bool(score >= 0.5), float(score))
                for number, (true, score) in enumerate(zip(truth, probabilities["lr"], strict=True))
            ],
        )
    return Layout("binary", single("p", names={0: "false", 1: "true"}), ("p.duckdb",), "true")


@layout
def json_records_by_index(folder: Path) -> Layout:
    """`DataFrame.to_json(orient="index")`."""
    own = columns()
    table = {
        str(number): {"label": truth, "pred": message}
        for number, (truth, message) in enumerate(
            zip(own["truth"].tolist(), own["prediction"].tolist(), strict=True)
        )
    }
    (folder / "p.json").write_text(json.dumps(table), encoding="utf-8")
    return Layout("binary", single("p", scored=False), ("p.json",), "1")


@layout
def json_table_schema(folder: Path) -> Layout:
    """`DataFrame.to_json(orient="table")`."""
    import pandas as pd

    own = columns()
    frame = pd.DataFrame({"label": own["truth"], "pred": own["prediction"], "prob": own["score"]})
    frame.to_json(folder / "p.json", orient="table")
    return Layout("binary", single("p"), ("p.json",), "1")


@layout
def json_split(folder: Path) -> Layout:
    """`DataFrame.to_json(orient="split")`."""
    import pandas as pd

    own = columns()
    frame = pd.DataFrame({"label": own["truth"], "prediction": own["prediction"]})
    frame.to_json(folder / "p.json", orient="split")
    return Layout("binary", single("p", scored=False), ("p.json",), "1")


# Values that are missing, or spelled otherwise.


def without_answers(own: Predictions, rows: slice, names: Mapping[int, str]) -> Predictions:
    """Return predictions whose rows are counted as errors."""
    prediction = own.prediction.copy()
    other = {names[0]: names[1], names[1]: names[0]}
    prediction[rows] = [other[label] for label in own.truth[rows]]
    return Predictions(own.truth, prediction)


@layout
def judge_with_empty_verdicts(folder: Path) -> Layout:
    """An LLM judge that fails on some rows, which count as wrong."""
    own = expected("lr", names=YES, scored=False)["lr"]
    texts: list[str | None] = own.prediction.tolist()
    texts[3:5] = [None, ""]
    text = "".join(
        json.dumps({"human_label": truth, "judge": {"verdict": verdict, "model": "m"}}) + "\n"
        for truth, verdict in zip(own.truth.tolist(), texts, strict=True)
    )
    (folder / "p.jsonl").write_text(text, encoding="utf-8")
    return Layout("binary", {"p": without_answers(own, slice(3, 5), YES)}, ("p.jsonl",), "yes")


@layout
def capital_letters_in_predictions(folder: Path) -> Layout:
    """YES and No are yes and no."""
    own = columns(names=YES)
    message = [label.upper() if label == "yes" else label.title() for label in own["prediction"]]
    write_csv(folder, "p.csv", truth=own["truth"], prediction=message)
    return Layout("binary", single("p", names=YES, scored=False), ("p.csv",), "yes")


@layout
def numbers_and_words(folder: Path) -> Layout:
    """The truth is 0 and 1, the predictions are no and yes."""
    own, words = columns(), columns(names=YES)
    write_csv(folder, "p.csv", truth=own["truth"], prediction=words["prediction"])
    return Layout("binary", single("p", scored=False), ("p.csv",), "1")


@layout
def patients_and_sites(folder: Path) -> Layout:
    """Cases of patients, at sites: a cluster and a segment."""
    own = columns(names=YES)
    write_csv(
        folder,
        "p.csv",
        patient_id=[f"p{number // 3}" for number in range(SIZE)],
        site=["north" if number % 2 else "south" for number in range(SIZE)],
        truth=own["truth"],
        prediction=own["prediction"],
    )
    return Layout("binary", single("p", names=YES, scored=False), ("p.csv",), "yes")


# Multiclass.


def species(model: str) -> tuple[Values, Values, Values]:
    """Return true and predicted names of flowers, and the class probabilities."""
    names, truth, probabilities = flowers()
    own = np.round(probabilities[model], 6)
    own[:, 2] = np.round(1 - own[:, 0] - own[:, 1], 6)
    return names[truth], names[own.argmax(axis=1)], own


@layout
def predicted_species(folder: Path) -> Layout:
    """Names of classes."""
    truth, prediction, _ = species("lr")
    write_csv(folder, "p.csv", species=truth, predicted_species=prediction)
    return Layout("multiclass", {"p": Predictions(truth, prediction)}, ("p.csv",))


@layout
def probability_per_class(folder: Path) -> Layout:
    """A prediction and p_setosa, p_versicolor, p_virginica."""
    truth, prediction, probabilities = species("lr")
    by_class = {f"p_{name}": probabilities[:, n] for n, name in enumerate(flowers()[0])}
    write_csv(folder, "p.csv", label=truth, pred=prediction, **by_class)
    return Layout("multiclass", {"p": Predictions(truth, prediction, probabilities)}, ("p.csv",))


@layout
def probabilities_of_classes_only(folder: Path) -> Layout:
    """The most probable class is the prediction."""
    truth, prediction, probabilities = species("nb")
    by_class = {f"{name}_prob": probabilities[:, n] for n, name in enumerate(flowers()[0])}
    write_csv(folder, "p.csv", species=truth, **by_class)
    return Layout("multiclass", {"p": Predictions(truth, prediction, probabilities)}, ("p.csv",))


@layout
def class_codes_with_probabilities(folder: Path) -> Layout:
    """0, 1 and 2 with proba_0 and so on."""
    _, truth, _ = flowers()
    _, _, probabilities = species("lr")
    prediction = probabilities.argmax(axis=1)
    by_class = {f"proba_{n}": probabilities[:, n] for n in range(3)}
    write_csv(folder, "p.csv", target=truth, prediction=prediction, **by_class)
    own = Predictions(as_text(truth), as_text(prediction), probabilities)
    return Layout("multiclass", {"p": own}, ("p.csv",))


@layout
def wide_names_of_classes(folder: Path) -> Layout:
    """A column of names for each classifier; their names say nothing."""
    own = {"first": species("lr"), "second": species("nb")}
    write_csv(
        folder,
        "p.csv",
        true_label=own["first"][0],
        **{name: prediction for name, (_, prediction, _) in own.items()},
    )
    classifiers = {name: Predictions(truth, message) for name, (truth, message, _) in own.items()}
    return Layout("multiclass", classifiers, ("p.csv",))


@layout
def long_format_of_classes(folder: Path) -> Layout:
    """Long format with names of classes and ids that are numbers."""
    own = {name: species(name) for name in ("lr", "nb")}
    pl.concat(
        pl.DataFrame(
            {
                "classifier": [name] * SIZE,
                "sample": range(SIZE),
                "actual": truth,
                "predicted": prediction,
            }
        )
        for name, (truth, prediction, _) in own.items()
    ).write_csv(folder / "p.csv")
    classifiers = {name: Predictions(truth, message) for name, (truth, message, _) in own.items()}
    return Layout("multiclass", classifiers, ("p.csv",))


@layout
def class_with_confidence(folder: Path) -> Layout:
    """The probability of the predicted class is no column per class."""
    truth, prediction, probabilities = species("lr")
    write_csv(
        folder,
        "p.csv",
        text=[f"flower {number}" for number in range(SIZE)],
        label=truth,
        prediction=prediction,
        confidence=probabilities.max(axis=1),
    )
    return Layout("multiclass", {"p": Predictions(truth, prediction)}, ("p.csv",))


# Regression.


@layout
def regression(folder: Path) -> Layout:
    """Numbers."""
    truth, predicted, _ = progressions()
    write_csv(folder, "p.csv", y_true=truth, y_pred=predicted["ridge"])
    return Layout("regression", {"p": Predictions(truth, predicted["ridge"])}, ("p.csv",))


@layout
def regression_with_features(folder: Path) -> Layout:
    """Price and predicted_price, among features."""
    truth, predicted, feature = progressions()
    write_csv(
        folder,
        "p.csv",
        rooms=NOISE.integers(1, 9, SIZE),
        bmi=feature,
        price=truth,
        predicted_price=predicted["knn"],
    )
    return Layout("regression", {"p": Predictions(truth, predicted["knn"])}, ("p.csv",))


@layout
def regression_wide(folder: Path) -> Layout:
    """A column for each model."""
    truth, predicted, _ = progressions()
    write_csv(folder, "p.csv", observed=truth, **predicted)
    own = {name: Predictions(truth, values) for name, values in predicted.items()}
    return Layout("regression", own, ("p.csv",))


@layout
def regression_unnamed(folder: Path) -> Layout:
    """A prediction is known by its scale and its correlation, or asked for."""
    truth, predicted, feature = progressions()
    write_csv(folder, "p.csv", bmi=feature, actual=truth, ours=predicted["ridge"])
    return Layout(
        "regression",
        {"p": Predictions(truth, predicted["ridge"])},
        ("p.csv",),
        None,
        {"prediction": "ours"},
    )


# Layouts that newcomers brought.

SEPSIS = {0: "keine Sepsis", 1: "Sepsis"}


@layout
def workbook_with_titles_over_columns(folder: Path) -> Layout:
    """Merged cells name the model of two columns each, so that their names repeat below."""
    own = expected("lr", "nb", names=SEPSIS)
    table = list(zip(*(cell for one in own.values() for cell in cells_of(one)), strict=True))
    rows: list[list[object]] = [
        ["Klinikum Musterstadt"],
        [None, None, None, "lr", None, "nb"],
        ["Fall-Nr.", "Station", "Befund", *["Vorhersage", "Wahrscheinlichkeit"] * 2],
        *(
            [20_260_000 + number, "Innere" if number % 3 else "Chirurgie", truth, *row]
            for number, (truth, row) in enumerate(zip(own["lr"].truth.tolist(), table, strict=True))
        ),
    ]
    write_workbook(folder / "p.xlsx", Auswertung=rows)
    return Layout("binary", own, ("p.xlsx",), "Sepsis", {"positive": "Sepsis"})


def cells_of(own: Predictions) -> tuple[list[str], list[str]]:
    """Return predictions, and scores with decimal commas."""
    assert own.score is not None
    return own.prediction.tolist(), [f"{score:.6f}".replace(".", ",") for score in own.score]


@layout
def zip_of_one_csv(folder: Path) -> Layout:
    """An archive as exports and competitions give it, with what an operating system adds."""
    own = columns()
    text = pl.DataFrame(
        {"id": IDS, "label": own["truth"], "pred": own["prediction"], "prob": own["score"]}
    ).write_csv()
    with zipfile.ZipFile(folder / "p.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("export/", "")
        archive.writestr("export/predictions.csv", text)
        archive.writestr("__MACOSX/export/._predictions.csv", b"\0\5\x16\7")
    return Layout("binary", single("p"), ("p.zip",), "1")


@layout
def latin_1(folder: Path) -> Layout:
    """Spanish words that are not UTF-8."""
    names = {0: "íntegro", 1: "dañado"}
    own = columns(names=names)
    frame = pl.DataFrame({"diagnóstico": own["truth"], "predicción": own["prediction"]})
    (folder / "p.csv").write_bytes(frame.write_csv(separator=";").encode("latin-1"))
    return Layout(
        "binary",
        single("p", names=names, scored=False),
        ("p.csv",),
        "dañado",
        {"positive": "dañado"},
    )


@layout
def judge_and_annotator(folder: Path) -> Layout:
    """Two fields are called human; one of them has the labels of the judge."""
    own = columns(names=YES)
    text = "".join(
        json.dumps(
            {
                "id": IDS[number],
                "human": {"label": truth, "annotator": f"a{number % 3}"},
                "judge": {"model": "gpt", "verdict": verdict},
            }
        )
        + "\n"
        for number, (truth, verdict) in enumerate(
            zip(own["truth"].tolist(), own["prediction"].tolist(), strict=True)
        )
    )
    (folder / "p.jsonl").write_text(text, encoding="utf-8")
    return Layout("binary", single("p", names=YES, scored=False), ("p.jsonl",), "yes")


@layout
def rater_and_model(folder: Path) -> Layout:
    """Both raters; the one who is no model is the truth."""
    own = columns(names=YES)
    write_csv(
        folder,
        "p.csv",
        essay=range(SIZE),
        rater_verdict=own["truth"],
        model_verdict=own["prediction"],
    )
    return Layout("binary", single("p", names=YES, scored=False), ("p.csv",), "yes")


@layout
def booleans_at_times(folder: Path) -> Layout:
    """True and False of pandas, by time stamps."""
    names = {0: "False", 1: "True"}
    own = columns(names=names)
    times = [f"2026-01-01 {number // 6:02}:{number % 6}0:00" for number in range(SIZE)]
    write_csv(
        folder,
        "p.csv",
        timestamp=times,
        fault=own["truth"],
        fault_predicted=own["prediction"],
        p_fault=own["score"],
    )
    canonical = {0: "false", 1: "true"}
    return Layout("binary", single("p", names=canonical), ("p.csv",), "true")


@layout
def fold_files_with_idx(folder: Path) -> Layout:
    """A file per fold, with the index of the case under the short name of notebooks."""
    own = columns()
    for fold in range(3):
        rows = np.arange(SIZE) % 3 == fold
        write_csv(
            folder,
            f"preds_fold{fold}.csv",
            idx=np.arange(SIZE)[rows],
            target=own["truth"][rows],
            pred=own["prediction"][rows],
            score=own["score"][rows],
        )
    files = tuple(f"preds_fold{fold}.csv" for fold in range(3))
    return Layout("binary", single("preds"), files, "1")


@layout
def long_format_with_missing_cases(folder: Path) -> Layout:
    """One model has no row for two of the cases, which are left out of all."""
    own = expected("lr", "nb", "tree")
    frame = long_frame(own)
    gone = pl.col("model").eq("nb") & pl.col("id").is_in(IDS[[4, 9]].tolist())
    frame.filter(~gone).write_csv(folder / "p.csv")
    subset = np.setdiff1d(np.arange(SIZE), [4, 9])
    common = {
        name: Predictions(
            item.truth[subset],
            item.prediction[subset],
            None if item.score is None else item.score[subset],
        )
        for name, item in own.items()
    }
    return Layout("binary", common, ("p.csv",), "1", cases=len(subset))


@layout
def label_indicators_with_probabilities(folder: Path) -> Layout:
    """Columns of 0 and 1, and a probability for each: labels of which a case may have several."""
    truth, probabilities = binary()
    labels = {
        "toxic": (truth, probabilities["lr"]),
        "insult": (truth[::-1], probabilities["nb"][::-1]),
        "threat": (np.roll(truth, 7), np.roll(probabilities["tree"], 7)),
    }
    write_csv(
        folder,
        "p.csv",
        comment_id=IDS,
        **{name: codes for name, (codes, _) in labels.items()},
        **{f"{name}_prob": scores for name, (_, scores) in labels.items()},
    )
    scores = np.stack([scores for _, scores in labels.values()], axis=1)
    codes = np.stack([codes for codes, _ in labels.values()], axis=1)
    own = Predictions(codes, labels_of(scores), scores)
    return Layout("multilabel", {"p": own}, ("p.csv",))
