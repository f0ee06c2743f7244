"""Log predictions with MLflow; run in this folder: python make_mlflow.py."""

import csv
import shutil
import tempfile
from pathlib import Path

import mlflow
import numpy as np
import pandas as pd
from mlflow.metrics import make_metric
from mlflow.metrics.base import MetricValue
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, cohen_kappa_score, log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

HERE = Path(__file__).parent
folder = Path(tempfile.mkdtemp())
mlflow.set_tracking_uri(f"sqlite:///{folder / 'mlflow.db'}")
experiment = mlflow.create_experiment("samples", artifact_location=(folder / "artifacts").as_uri())
mlflow.set_experiment(experiment_id=experiment)
rows = []


def keep(run_id: str, artifact: str, name: str, **values: float) -> None:
    path = mlflow.artifacts.download_artifacts(run_id=run_id, artifact_path=artifact)
    shutil.copy(path, HERE / name)
    rows.extend((name, measure, repr(float(value))) for measure, value in values.items())


# Two classes: a table written with `log_table`.
x, y = load_breast_cancer(return_X_y=True, as_frame=True)
x = x.iloc[:, [1, 4, 8, 9]]
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=80, random_state=0)
model = LogisticRegression().fit(x_train, y_train)
probability = model.predict_proba(x_test)[:, 1]
frame = pd.DataFrame(
    {"target": y_test, "prediction": model.predict(x_test), "prediction_proba": probability}
)
with mlflow.start_run() as run:
    mlflow.log_table(frame, artifact_file="predictions.json")
keep(
    run.info.run_id,
    "predictions.json",
    "mlflow_log_table.json",
    accuracy=accuracy_score(y_test, model.predict(x_test)),
    kappa=cohen_kappa_score(y_test, model.predict(x_test)),
    roc_auc=roc_auc_score(y_test, probability),
    log_loss=log_loss(y_test, probability),
)


# A table of `mlflow.models.evaluate` with a metric per row, without which it logs none.
def is_exact(predictions, targets, metrics=None):
    scores = [int(a == b) for a, b in zip(predictions, targets, strict=True)]
    return MetricValue(scores=scores, aggregate_results={"mean": float(np.mean(scores))})


exact = make_metric(eval_fn=is_exact, greater_is_better=True, name="exact")
flowers = load_iris(as_frame=True)
names = flowers.target_names
features = flowers.data.iloc[:, :2]
a_train, a_test, b_train, b_test = train_test_split(
    features, names[flowers.target], test_size=60, random_state=1
)
classifier = LogisticRegression().fit(a_train, b_train)
inputs = a_test.assign(species=b_test)
for name, options in {
    # A column of predictions keeps its name; those of a model are `outputs`.
    "mlflow_evaluate.json": {
        "data": inputs.assign(answer=classifier.predict(a_test)),
        "predictions": "answer",
    },
    "mlflow_evaluate_model.json": {"model": classifier.predict, "data": inputs},
}.items():
    with mlflow.start_run() as run:
        result = mlflow.models.evaluate(
            targets="species", extra_metrics=[exact], evaluators="default", **options
        )
    keep(
        run.info.run_id,
        "eval_results_table.json",
        name,
        accuracy=result.metrics["exact/mean"],
        kappa=cohen_kappa_score(b_test, classifier.predict(a_test)),
    )

with (HERE / "mlflow_values.csv").open("w", newline="") as stream:
    csv.writer(stream).writerows([("file", "measure", "value"), *rows])
