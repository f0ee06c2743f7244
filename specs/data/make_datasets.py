"""Make the predictions of specs/many_datasets.toml: five models on twelve data sets.

Run it with scikit-learn installed: `python specs/data/make_datasets.py`.
"""

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_circles,
    make_classification,
    make_moons,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

Features = NDArray[np.float64]
Labels = NDArray[np.str_]
DataSet = tuple[Features, Labels]

HERE = Path(__file__).parent
SEED = 7
FOLD_COUNT = 10
GENERATED = 400


def models() -> dict[str, BaseEstimator]:
    """Return the models by the column their predictions are written into."""
    return {
        "logistic_regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "naive_bayes": GaussianNB(),
        "decision_tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=SEED),
        "nearest_neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
        "random_forest": RandomForestClassifier(n_estimators=100, random_state=SEED),
    }


def data_sets() -> dict[str, DataSet]:
    """Return all data sets by name: real ones first, then those that a formula generated."""
    return {
        **flowers_wines_tumours(),
        **handwriting(),
        "diabetes_high": diabetes(),
        **generated(),
    }


def flowers_wines_tumours() -> dict[str, DataSet]:
    """Return three small data sets that come with scikit-learn."""
    loaded = {"iris": load_iris(), "wine": load_wine(), "breast_cancer": load_breast_cancer()}
    return {
        name: (bunch.data, np.asarray(bunch.target_names, dtype=str)[bunch.target])
        for name, bunch in loaded.items()
    }


def handwriting() -> dict[str, DataSet]:
    """Return the digits, all ten and two of a kind: easy to mix up, and even against odd."""
    features, digit = load_digits(return_X_y=True)
    pairs = {
        f"digits_{first}_{second}": np.isin(digit, (first, second))
        for first, second in ((1, 8), (3, 8), (4, 9))
    }
    return {
        "digits": (features, digit.astype(str)),
        **{name: (features[chosen], digit[chosen].astype(str)) for name, chosen in pairs.items()},
    }


def diabetes() -> DataSet:
    """Return the diabetes data with the question whether the disease progressed beyond 150."""
    features, progression = load_diabetes(return_X_y=True)
    return features, np.where(progression > 150, "high", "low")  # noqa: PLR2004  a round middle


def generated() -> dict[str, DataSet]:
    """Return data that formulas made, so that nobody takes them for measurements."""
    made = {
        "generated_moons": make_moons(GENERATED, noise=0.3, random_state=SEED),
        "generated_circles": make_circles(GENERATED, noise=0.15, factor=0.6, random_state=SEED),
        "generated_linear": make_classification(
            GENERATED, n_features=10, n_informative=4, class_sep=0.7, random_state=SEED
        ),
        "generated_three": make_classification(
            GENERATED,
            n_features=12,
            n_informative=5,
            n_classes=3,
            class_sep=0.8,
            random_state=SEED,
        ),
    }
    names = np.array(["a", "b", "c"])
    return {name: (features, names[truth]) for name, (features, truth) in made.items()}


def predicted(data_set: DataSet) -> pl.DataFrame:
    """Return what every model says about cases that it was not trained on."""
    features, truth = data_set
    splitter = StratifiedKFold(FOLD_COUNT, shuffle=True, random_state=SEED)
    folds = list(splitter.split(features, truth))
    number = np.zeros(len(truth), dtype=np.int8)
    for fold, (_, test) in enumerate(folds, start=1):
        number[test] = fold
    answers = {
        name: cross_val_predict(model, features, truth, cv=folds)
        for name, model in models().items()
    }
    ids = np.arange(1, len(truth) + 1, dtype=np.int16)
    return pl.DataFrame({"case": ids, "fold": number, "truth": truth, **answers})


def main() -> None:
    """Write a file per data set into the folder many beside this script."""
    folder = HERE / "many"
    folder.mkdir(exist_ok=True)
    for name, data_set in data_sets().items():
        predicted(data_set).write_parquet(
            folder / f"{name}.parquet", compression="zstd", statistics=False
        )


if __name__ == "__main__":
    main()
