"""MLflow, with a tracking server: the evaluator, runs as sources, reports as artifacts."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

import polars as pl
import pytest

from tests.external_programs import INTEGRATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.integrations,
    pytest.mark.xdist_group("mlflow"),
    # MLflow and its dependencies warn of each other; that is theirs to change.
    pytest.mark.filterwarnings("ignore"),
]
if find_spec("mlflow") is None and os.environ.get(INTEGRATIONS) != "required":
    pytest.skip("no mlflow (`make integrations` installs it)", allow_module_level=True)
os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"

PAGE = Path(__file__).parents[2] / "docs/how-to/mlflow.md"
TRUTH = ["yes"] * 60 + ["no"] * 90
SVM = ["yes"] * 54 + ["no"] * 6 + ["no"] * 81 + ["yes"] * 9
BAYES = ["yes"] * 45 + ["no"] * 15 + ["no"] * 72 + ["yes"] * 18
START_SECONDS = 300


def _wait_until_up(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert server.poll() is None, "the tracking server ended"
        try:
            with urlopen(f"{address}/health", timeout=5):  # noqa: S310  # of this machine
                return
        except OSError:
            time.sleep(0.5)
    pytest.fail(f"the tracking server did not answer within {START_SECONDS} s")


@pytest.fixture(scope="module")
def tracking_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a tracking server, which also stores the artifacts; return its address."""
    import mlflow

    folder = tmp_path_factory.mktemp("mlflow")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    stored = ["--backend-store-uri", f"sqlite:///{folder}/runs.db"]
    stored += ["--artifacts-destination", str(folder / "artifacts")]
    command = [sys.executable, "-m", "mlflow", "server", "--port", str(port), "--workers", "1"]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--host", "127.0.0.1", *stored],
            stdout=log,
            stderr=log,
            cwd=folder,
            # Jobs are of language models, and take half of the time to start.
            env=os.environ | {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"},
        )
    try:
        _wait_until_up(address, server)
        mlflow.set_tracking_uri(address)
        mlflow.set_experiment("reportgen")
        yield address
    finally:
        mlflow.set_tracking_uri(None)
        server.terminate()
        server.wait(timeout=30)


@pytest.fixture(scope="module")
def runs(tracking_server: str) -> dict[str, str]:
    """Return the ids of two runs that logged their predictions as tables."""
    import mlflow

    del tracking_server
    ids = {}
    for name, predicted in (("SVM", SVM), ("Naive Bayes", BAYES)):
        scores = [0.9 if label == "yes" else 0.2 for label in predicted]
        with mlflow.start_run(run_name=name) as run:
            table = {"target": TRUTH, "prediction": predicted, "score": scores}
            mlflow.log_table(table, "predictions.json")
        ids[name] = run.info.run_id
    return ids


def test_runs_are_compared_by_the_predictions_they_logged(runs: dict[str, str]) -> None:
    """135 and 117 of 150 are right."""
    from reportgen.integrations.mlflow import evaluate_runs

    report = evaluate_runs(
        runs,
        "predictions.json",
        truth="target",
        prediction="prediction",
        score="score",
        positive="yes",
    )

    overall = pl.col("class", "average", "fold", "segment").is_null()
    values = report.values.filter(overall, measure="accuracy")
    assert dict(values.select("classifier", "value").rows()) == {"SVM": 0.9, "Naive Bayes": 0.78}
    assert "roc_auc" in report.values["measure"].to_list()


def test_a_report_is_logged_as_artifacts(runs: dict[str, str]) -> None:
    """The server has the page and the results of the run."""
    import mlflow

    import reportgen as rg
    from reportgen.integrations.mlflow import log_report

    report = rg.evaluate(TRUTH, {"SVM": SVM}, positive="yes", title="Logged")
    uri = log_report(report, runs["SVM"])
    files = {file.path for file in mlflow.artifacts.list_artifacts(artifact_uri=uri)}

    assert {"report.html", "results.json", "manifest.json"} <= {
        name.split("/")[-1] for name in files
    }
    assert "Logged" in mlflow.artifacts.load_text(f"{uri}/report.html")


def test_mlflow_evaluates_predictions_with_reportgen(tracking_server: str) -> None:
    """A table of predictions, without a model: metrics with limits, and the report."""
    import mlflow
    import pandas as pd

    del tracking_server
    data = pd.DataFrame({"target": TRUTH, "predicted": SVM})
    with mlflow.start_run() as run:
        result = mlflow.models.evaluate(
            data=data,
            targets="target",
            predictions="predicted",
            model_type="classifier",
            evaluators="reportgen",
            evaluator_config={"positive": "yes", "classifier": "SVM", "title": "From MLflow"},
        )
    logged = mlflow.get_run(run.info.run_id).data.metrics

    assert result.metrics["reportgen/accuracy"] == 0.9
    assert logged["reportgen/accuracy"] == 0.9
    assert logged["reportgen/accuracy_low"] == pytest.approx(0.8416, abs=1e-4)
    assert "<title>From MLflow" in result.artifacts["reportgen/report.html"].content
    assert result.artifacts["reportgen/results.json"].content["title"] == "From MLflow"


def test_mlflow_evaluates_a_model_with_its_probabilities(tracking_server: str) -> None:
    """A logged scikit-learn model: three classes, whose probabilities give the log loss."""
    import mlflow
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    del tracking_server
    features, classes = load_iris(return_X_y=True, as_frame=True)
    model = GaussianNB().fit(features[::2], classes[::2])
    data = features[1::2].assign(species=classes[1::2])
    with mlflow.start_run():
        logged = mlflow.sklearn.log_model(model, name="model", serialization_format="pickle")
        result = mlflow.models.evaluate(
            logged.model_uri,
            data,
            targets="species",
            model_type="classifier",
            evaluators=["reportgen"],
            evaluator_config={"reportgen": {"formats": ["json"]}},
        )
    predicted = model.predict(features[1::2])

    assert result.metrics["reportgen/accuracy"] == pytest.approx(
        (predicted == classes[1::2]).mean()
    )
    assert 0 < result.metrics["reportgen/log_loss"] < 1
    assert list(result.artifacts) == ["reportgen/results.json"]
    values = result.artifacts["reportgen/results.json"].content["values"]
    assert {row["classifier"] for row in values} == {"GaussianNB"}


def test_mlflow_evaluates_two_classes_like_its_own_evaluator(tracking_server: str) -> None:
    """Without a positive class it is the last one, as in MLflow's f1_score of the same call."""
    import mlflow
    import pandas as pd

    del tracking_server
    data = pd.DataFrame({"target": TRUTH, "predicted": BAYES})
    with mlflow.start_run():
        result = mlflow.models.evaluate(
            data=data.replace({"yes": 1, "no": 0}).astype(int),
            targets="target",
            predictions="predicted",
            model_type="classifier",
            evaluators=["default", "reportgen"],
            evaluator_config={"default": {}, "reportgen": {"formats": ["json"]}},
        )

    assert result.metrics["reportgen/f1"] == pytest.approx(result.metrics["f1_score"])
    assert result.metrics["reportgen/mcc"] == pytest.approx(
        (45 * 72 - 18 * 15) / (60 * 90 * 63 * 87) ** 0.5
    )


def test_runs_on_other_cases_are_not_compared(runs: dict[str, str]) -> None:
    """Another order of cases, a missing column and no run at all are errors."""
    import mlflow

    import reportgen as rg
    from reportgen.integrations.mlflow import evaluate_runs

    with mlflow.start_run() as run:
        mlflow.log_table({"target": TRUTH[::-1], "prediction": SVM}, "predictions.json")
    mixed = {"SVM": runs["SVM"], "Other": run.info.run_id}
    columns = {"truth": "target", "prediction": "prediction", "positive": "yes"}
    with pytest.raises(rg.DataError, match="differs between the runs of 'SVM' and 'Other'"):
        evaluate_runs(mixed, "predictions.json", **columns)
    with pytest.raises(rg.DataError, match=r"no column 'predictions'.+did you mean"):
        evaluate_runs(runs, "predictions.json", truth="target", prediction="predictions")
    with pytest.raises(rg.DataError, match="`runs` is empty"):
        evaluate_runs({}, "predictions.json", **columns)


def test_an_evaluation_table_of_mlflow_is_read_by_the_preset(
    tracking_server: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """`eval_results_table.json`, which MLflow wrote itself, is a source of a spec."""
    import mlflow
    import pandas as pd
    from mlflow.metrics import MetricValue

    import reportgen as rg

    def is_right(predictions: pd.Series, targets: pd.Series) -> MetricValue:
        return MetricValue(scores=(predictions == targets).astype(int).tolist())

    del tracking_server
    data = pd.DataFrame({"target": TRUTH, "predicted": SVM})
    with mlflow.start_run() as run:
        mlflow.models.evaluate(
            data=data,
            targets="target",
            predictions="predicted",
            model_type="classifier",
            evaluators="default",
            evaluator_config={"pos_label": "yes"},
            # Only with a metric for each case does MLflow write the table.
            extra_metrics=[mlflow.models.make_metric(eval_fn=is_right, greater_is_better=True)],
        )
    folder = tmp_path_factory.mktemp("spec")
    mlflow.artifacts.download_artifacts(
        run_id=run.info.run_id, artifact_path="eval_results_table.json", dst_path=str(folder)
    )
    (folder / "spec.toml").write_text(
        '[task]\nkind = "binary"\npositive = "yes"\n'
        '[data]\nformat = "mlflow"\nprediction = "predicted"\n'
        '[[classifiers]]\nname = "SVM"\npredictions = "eval_results_table.json"\n',
        encoding="utf-8",
    )
    report = rg.evaluate_spec(folder / "spec.toml")

    assert report.confusion.filter(truth="yes")["count"].to_list() == [54, 6]


def test_the_examples_of_the_page_run(
    tracking_server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As they stand in docs/how-to/mlflow.md, one after the other."""
    del tracking_server
    code = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    names: dict[str, object] = {}
    for block in code:
        exec(compile(block, str(PAGE), "exec"), names)  # noqa: S102  # the page is ours

    assert len(code) == 2
    assert "\n0.9 0.84" in capsys.readouterr().out
    assert str(names["uri"]).endswith("/reportgen")
