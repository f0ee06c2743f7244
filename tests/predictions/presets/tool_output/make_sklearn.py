"""Cross-validate with scikit-learn; run in this folder: python make_sklearn.py."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, cohen_kappa_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).parent
rows = [("file", "measure", "value")]
for name, data, columns in (
    ("sklearn_two.csv", load_breast_cancer(), [1, 4, 8, 9]),
    ("sklearn_three.csv", load_wine(), [1, 2]),
):
    chosen = np.random.default_rng(0).permutation(len(data.target))[:100]
    X, y = data.data[chosen][:, columns], data.target[chosen]
    model = make_pipeline(StandardScaler(), LogisticRegression())
    # The code of docs/formats.md.
    cv = StratifiedKFold(10, shuffle=True, random_state=0)
    proba = cross_val_predict(model, X, y, cv=cv, method="predict_proba")
    classes = np.unique(y)
    frame = pd.DataFrame(proba, columns=[f"proba_{number}" for number in range(len(classes))])
    frame["y_true"], frame["y_pred"] = y, classes[proba.argmax(axis=1)]
    for fold, (_, test) in enumerate(cv.split(X, y)):
        frame.loc[test, "fold"] = fold
    frame.to_csv(HERE / name, index_label="index")
    values = {
        "accuracy": accuracy_score(y, frame["y_pred"]),
        "kappa": cohen_kappa_score(y, frame["y_pred"]),
        "log_loss": log_loss(y, proba),
    }
    if len(classes) == 2:
        values["roc_auc"] = roc_auc_score(y, proba[:, 1])
    rows += [(name, measure, repr(float(value))) for measure, value in values.items()]
with (HERE / "sklearn_values.csv").open("w", newline="") as stream:
    csv.writer(stream).writerows(rows)
