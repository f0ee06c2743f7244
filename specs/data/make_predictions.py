"""Make the example predictions of specs/: real models on real data, ten-fold cross-validated.

Run it with scikit-learn installed: `python specs/data/make_predictions.py`.
"""

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

Numbers = NDArray[np.float64]
Folds = list[tuple[NDArray[np.int64], NDArray[np.int64]]]
Write = Callable[[pl.DataFrame, Path], None]

HERE = Path(__file__).parent
SEED = 7
FOLD_COUNT = 10
DIGITS = range(10)


def support_vector_machine() -> BaseEstimator:
    """Return a support vector machine whose margins are calibrated to probabilities (Platt)."""
    return CalibratedClassifierCV(make_pipeline(StandardScaler(), SVC()), ensemble=False)


def logistic_regression() -> BaseEstimator:
    """Return a logistic regression on standardised features."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def decision_tree() -> BaseEstimator:
    """Return a decision tree whose leaves hold at least five cases."""
    # Leaves of one case would make every probability 0 or 1.
    return DecisionTreeClassifier(min_samples_leaf=5, random_state=SEED)


def stratified_folds(truth: NDArray[np.int64]) -> Folds:
    """Return ten folds which all have the classes in the shares of the whole."""
    splitter = StratifiedKFold(FOLD_COUNT, shuffle=True, random_state=SEED)
    return list(splitter.split(np.zeros(len(truth)), truth))


def plain_folds(case_count: int) -> Folds:
    """Return ten folds drawn at random."""
    return list(KFold(FOLD_COUNT, shuffle=True, random_state=SEED).split(np.zeros(case_count)))


def fold_numbers(folds: Folds) -> NDArray[np.int64]:
    """Return for each case the number, from 1, of the fold that tested it."""
    numbers = np.zeros(sum(len(test) for _, test in folds), dtype=np.int64)
    for number, (_, test) in enumerate(folds, start=1):
        numbers[test] = number
    return numbers


def probabilities(
    model: BaseEstimator, features: Numbers, truth: NDArray[np.int64], folds: Folds
) -> Numbers:
    """Return each case's class probabilities by the model that did not see the case."""
    return np.asarray(
        cross_val_predict(model, features, truth, cv=folds, method="predict_proba"), dtype=float
    )


def write_parquet(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame as Parquet."""
    frame.write_parquet(path, compression="zstd", statistics=False)


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame as CSV."""
    frame.write_csv(path)


def write_gzip_csv(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame, in the order its folds were tested, as gzip-compressed CSV."""
    text = frame.sort("fold", maintain_order=True).write_csv()
    # Without a time stamp, so that the same predictions give the same bytes.
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def write_fold_parquets(frame: pl.DataFrame, folder: Path) -> None:
    """Write a frame as one Parquet file per fold."""
    folder.mkdir(exist_ok=True)
    for number in range(1, FOLD_COUNT + 1):
        part = frame.filter(pl.col("fold") == number)
        write_parquet(part, folder / f"fold-{number:02}.parquet")


def breast_cancer_frame(model: BaseEstimator) -> pl.DataFrame:
    """Return one model's predictions of the diagnosis."""
    features, benign = load_breast_cancer(return_X_y=True)
    malignant = 1 - benign
    folds = stratified_folds(malignant)
    # Not rounded: a probability of 0 would make the log-loss infinite.
    score = probabilities(model, features, malignant, folds)[:, 1]
    labels = np.array(["benign", "malignant"])
    return pl.DataFrame(
        {
            "case": [f"case-{number:03}" for number in range(1, len(malignant) + 1)],
            "fold": fold_numbers(folds),
            "diagnosis": labels[malignant],
            "predicted": labels[(score >= 0.5).astype(int)],  # noqa: PLR2004  even odds
            "p_malignant": score,
        }
    )


def digits_frame(model: BaseEstimator) -> pl.DataFrame:
    """Return one model's predictions of the written digit."""
    features, truth = load_digits(return_X_y=True)
    folds = stratified_folds(truth)
    rows = probabilities(model, features, truth, folds)
    return pl.DataFrame(
        {
            "id": np.arange(1, len(truth) + 1, dtype=np.int32),
            "fold": fold_numbers(folds).astype(np.int8),
            "truth": truth.astype(np.int8),
            "prediction": rows.argmax(axis=1).astype(np.int8),
        }
        | {f"p_{digit}": rows[:, digit] for digit in DIGITS}
    )


def diabetes_frame(model: BaseEstimator) -> pl.DataFrame:
    """Return one model's predictions of the disease's progression."""
    features, truth = load_diabetes(return_X_y=True)
    folds = plain_folds(len(truth))
    predicted = np.asarray(cross_val_predict(model, features, truth, cv=folds), dtype=float)
    return pl.DataFrame(
        {
            "patient": np.arange(1, len(truth) + 1),
            "fold": fold_numbers(folds),
            "progression": truth.astype(int),
            "predicted": predicted.round(4),
        }
    )


def write_breast_cancer(folder: Path) -> None:
    """Write the three models of specs/breast_cancer.toml."""
    files: list[tuple[str, BaseEstimator, Write]] = [
        ("svm.parquet", support_vector_machine(), write_parquet),
        ("naive_bayes.parquet", GaussianNB(), write_parquet),
        ("decision_tree.csv.gz", decision_tree(), write_gzip_csv),
    ]
    for name, model, write in files:
        write(breast_cancer_frame(model), folder / name)


def write_digits(folder: Path) -> None:
    """Write the three models of specs/digits.toml."""
    files: list[tuple[str, BaseEstimator, Write]] = [
        ("logistic_regression.parquet", logistic_regression(), write_parquet),
        ("naive_bayes", GaussianNB(), write_fold_parquets),
        ("decision_tree.parquet", decision_tree(), write_parquet),
    ]
    for name, model, write in files:
        write(digits_frame(model), folder / name)


def write_diabetes(folder: Path) -> None:
    """Write the three models of specs/diabetes.toml."""
    models: dict[str, BaseEstimator] = {
        "linear_regression": LinearRegression(),
        "nearest_neighbours": make_pipeline(StandardScaler(), KNeighborsRegressor(15)),
        "random_forest": RandomForestRegressor(random_state=SEED),
    }
    for name, model in models.items():
        write_csv(diabetes_frame(model), folder / f"{name}.csv")


def main() -> None:
    """Write the prediction files beside this script."""
    writers = {
        "breast_cancer": write_breast_cancer,
        "digits": write_digits,
        "diabetes": write_diabetes,
    }
    for name, write in writers.items():
        folder = HERE / name
        folder.mkdir(exist_ok=True)
        write(folder)


if __name__ == "__main__":
    main()
