"""Estimators, frames, attributes of cases and indexes of pandas in `reportgen.evaluate`."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import reportgen as rg

TRUTH = ["yes", "no", "yes", "no", "yes", "no"] * 10
ANSWERS = ["yes", "no", "no", "no", "yes", "yes"] * 10


def value(report: rg.Report, classifier: str, measure: str) -> float:
    """Return the value of a measure over all cases."""
    rows = report.values.filter(
        pl.col("class", "average", "fold", "segment").is_null(),
        classifier=classifier,
        measure=measure,
    )
    return float(rows["value"].item())


def test_fitted_estimators_predict_and_score() -> None:
    """Probabilities and margins of the positive class, whichever class comes first."""
    x, y = load_breast_cancer(return_X_y=True)
    x, test = x[:, [1, 4]], slice(400, None)
    models = {"NB": GaussianNB().fit(x[:400], y[:400]), "SVC": LinearSVC().fit(x[:400], y[:400])}

    report = rg.evaluate(y[test], models, X=x[test], positive=0)

    for name, model in models.items():
        accuracy = accuracy_score(y[test], model.predict(x[test]))
        assert value(report, name, "accuracy") == pytest.approx(accuracy)
    scores = models["NB"].predict_proba(x[test])[:, 0], -models["SVC"].decision_function(x[test])
    for name, score in zip(models, scores, strict=True):
        auc = roc_auc_score(y[test] == 0, score)
        assert value(report, name, "roc_auc") == pytest.approx(auc)


def test_an_estimator_alone_is_named_after_its_class() -> None:
    """Of several classes it gives all probabilities; of numbers it gives the prediction."""
    x, y = load_iris(return_X_y=True)
    report = rg.evaluate(y, LogisticRegression(max_iter=500).fit(x, y), X=x)
    assert "log_loss" in set(report.values["measure"])
    assert set(report.values["classifier"]) == {"LogisticRegression"}

    numbers = rg.evaluate(y + 0.5, {"ridge": Ridge().fit(x, y)}, X=x)
    assert set(numbers.values["classifier"]) == {"ridge"}


def test_estimators_need_features_and_features_estimators() -> None:
    """Each error has the way out."""
    with pytest.raises(rg.DataError, match="need the features"):
        rg.evaluate([0, 1], GaussianNB().fit([[0], [1]], [0, 1]), positive=1)
    with pytest.raises(rg.DataError, match="no classifier is an estimator"):
        rg.evaluate(TRUTH, {"A": ANSWERS}, X=[[0]], positive="yes")


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy"])
def test_a_frame_of_predictions_has_a_column_per_classifier(kind: str) -> None:
    """The same as a mapping."""
    columns = {"A": ANSWERS, "B": TRUTH}
    frames = {
        "pandas": pd.DataFrame(columns),
        "polars": pl.DataFrame(columns),
        "lazy": pl.LazyFrame(columns),
    }
    truth = pl.LazyFrame({"truth": TRUTH}) if kind == "lazy" else TRUTH

    report = rg.evaluate(truth, frames[kind], positive="yes")

    expected = rg.evaluate(TRUTH, columns, positive="yes")
    assert report.confusion.equals(expected.confusion)


def test_clusters_weights_and_segments_are_attributes_of_cases() -> None:
    """They are those of a spec with the same columns."""
    report = rg.evaluate(
        TRUTH,
        {"A": ANSWERS, "B": TRUTH},
        positive="yes",
        clusters=[number // 3 for number in range(60)],
        segments={"site": ["north", "south"] * 30},
    )

    assert set(report.values["segment"].drop_nulls()) == {"north", "south"}
    weighted = rg.evaluate(TRUTH, {"A": ANSWERS}, positive="yes", weights=np.arange(60.0))
    right = np.array([truth == message for truth, message in zip(TRUTH, ANSWERS, strict=True)])
    assert value(weighted, "A", "accuracy") == pytest.approx(
        float((right * np.arange(60)).sum() / np.arange(60).sum())
    )


def test_empty_predictions_may_count_as_wrong() -> None:
    """An error by default."""
    message = [None, *TRUTH[1:]]
    with pytest.raises(rg.DataError, match='missing="wrong"'):
        rg.evaluate(TRUTH, {"A": message}, positive="yes")

    report = rg.evaluate(TRUTH, {"A": message}, positive="yes", missing="wrong")
    assert value(report, "A", "accuracy") == pytest.approx(59 / 60)


@pytest.mark.parametrize(
    "index", [list(range(59, -1, -1)), list(range(1, 61))], ids=["order", "other"]
)
@pytest.mark.parametrize("argument", ["predictions", "folds", "scores"])
def test_a_foreign_index_is_never_taken_by_position(argument: str, index: list[int]) -> None:
    """The error says how to align, or how to say that the order is right."""
    values = {
        "predictions": {"A": pd.Series(ANSWERS, index=index)},
        "folds": pd.Series([number % 5 for number in range(60)], index=index),
        "scores": {"A": pd.Series(np.linspace(0, 1, 60), index=index)},
    }
    arguments = {"predictions": {"A": ANSWERS}} | {argument: values[argument]}

    with pytest.raises(rg.DataError, match="index") as error_info:
        rg.evaluate(pd.Series(TRUTH), positive="yes", **arguments)
    assert "to_numpy" in str(error_info.value)


def test_two_series_are_compared_where_the_truth_is_a_list() -> None:
    """The first index counts for all."""
    first = pd.Series(ANSWERS, index=range(1, 61))
    with pytest.raises(rg.DataError, match="another index"):
        rg.evaluate(TRUTH, {"A": first, "B": pd.Series(ANSWERS)}, positive="yes")
    rg.evaluate(TRUTH, {"A": first, "B": first}, positive="yes")
