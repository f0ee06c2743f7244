"""Make the predictions of specs/classifier_zoo.toml: nine models say of a digit whether it is an 8.

Run it with scikit-learn installed: `python specs/data/make_zoo.py`.
"""

from pathlib import Path

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

HERE = Path(__file__).parent
SEED = 7
FOLD_COUNT = 10
WANTED = 8
EVEN_ODDS = 0.5
LABELS = np.array(["another digit", "an 8"])


def models() -> dict[str, BaseEstimator]:
    """Return the models by the name of their file, from one that does not look to good ones."""
    return {
        "dummy": DummyClassifier(strategy="prior"),
        "naive_bayes": GaussianNB(),
        "stump": DecisionTreeClassifier(max_depth=1, class_weight="balanced", random_state=SEED),
        "decision_tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=SEED),
        "logistic_regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "nearest_neighbours": KNeighborsClassifier(5),
        "random_forest": RandomForestClassifier(n_estimators=100, random_state=SEED),
        "boosting": HistGradientBoostingClassifier(max_iter=60, random_state=SEED),
        "svm": CalibratedClassifierCV(make_pipeline(StandardScaler(), SVC()), ensemble=False),
    }


def predicted(model: BaseEstimator) -> pl.DataFrame:
    """Return a model's predictions of digits that it was not trained on."""
    features, digit = load_digits(return_X_y=True)
    truth = (digit == WANTED).astype(int)
    folds = list(
        StratifiedKFold(FOLD_COUNT, shuffle=True, random_state=SEED).split(features, truth)
    )
    number = np.zeros(len(truth), dtype=np.int8)
    for fold, (_, test) in enumerate(folds, start=1):
        number[test] = fold
    rows = cross_val_predict(model, features, truth, cv=folds, method="predict_proba")
    score = np.asarray(rows, dtype=float)[:, 1]
    return pl.DataFrame(
        {
            "digit": np.arange(1, len(truth) + 1, dtype=np.int16),
            "fold": number,
            "truth": LABELS[truth],
            "prediction": LABELS[(score >= EVEN_ODDS).astype(int)],
            "p_8": score,
        }
    )


def main() -> None:
    """Write a file per model into the folder zoo beside this script."""
    folder = HERE / "zoo"
    folder.mkdir(exist_ok=True)
    for name, model in models().items():
        predicted(model).write_parquet(
            folder / f"{name}.parquet", compression="zstd", statistics=False
        )


if __name__ == "__main__":
    main()
