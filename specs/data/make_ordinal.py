"""Grade the progression of diabetes with three models: writes severity.csv.

The target of scikit-learn's diabetes data (Efron et al. 2004) is cut into four grades. Every model
predicts patients that it was not trained on, in stratified ten-fold cross-validation.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

GRADES = ("low", "moderate", "high", "very high")
LIMITS = (90, 150, 220)
SEED = 7


def main() -> None:
    """Write the grades of 442 patients, true and predicted, with probabilities of two models."""
    features, progression = load_diabetes(return_X_y=True)
    grade = np.digitize(progression, LIMITS)
    classifiers = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "forest": RandomForestClassifier(200, min_samples_leaf=3, random_state=SEED),
    }
    fold = np.zeros(len(grade), int)
    predicted = {name: np.zeros(len(grade), int) for name in (*classifiers, "rounded")}
    probability = {name: np.zeros((len(grade), len(GRADES))) for name in classifiers}
    folds = StratifiedKFold(10, shuffle=True, random_state=SEED).split(features, grade)
    for number, (train, test) in enumerate(folds, start=1):
        fold[test] = number
        for name, model in classifiers.items():
            probability[name][test] = model.fit(features[train], grade[train]).predict_proba(
                features[test]
            )
            predicted[name][test] = probability[name][test].argmax(axis=1)
        numbers = Ridge(0.1).fit(features[train], grade[train]).predict(features[test])
        predicted["rounded"][test] = np.clip(np.rint(numbers), 0, len(GRADES) - 1)
    columns = {"id": np.arange(1, len(grade) + 1), "fold": fold, "truth": np.array(GRADES)[grade]}
    for name, codes in predicted.items():
        columns[name] = np.array(GRADES)[codes]
    for name, shares in probability.items():
        # What rounding adds or takes away, the highest probability gives or gets.
        rounded, highest = shares.round(4), shares.argmax(axis=1)
        rounded[np.arange(len(grade)), highest] += 1 - rounded.sum(axis=1)
        rounded = rounded.round(4)
        for at, label in enumerate(GRADES):
            columns[f"{name} {label}"] = rounded[:, at]
    pl.DataFrame(columns).write_csv(Path(__file__).with_name("severity.csv"))


if __name__ == "__main__":
    main()
