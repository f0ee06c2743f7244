"""MLflow: reports of runs, the evaluator "reportgen" of `mlflow.models.evaluate`.

Importing this module imports MLflow, which is no dependency of reportgen.
"""

from __future__ import annotations

import inspect
import json
import logging
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import mlflow
import numpy as np
import polars as pl
from mlflow.entities import Metric
from mlflow.models.evaluation import EvaluationArtifact, EvaluationResult, ModelEvaluator
from mlflow.utils.time import get_current_time_millis

from reportgen.api import Report, evaluate
from reportgen.errors import DataError, Diagnostic, did_you_mean
from reportgen.errors.spec import INVALID_ARGUMENT
from reportgen.predictions.presets.mlflow import open_mlflow

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mlflow.data.evaluation_dataset import EvaluationDataset
    from mlflow.pyfunc import PyFuncModel

__all__ = ["ReportEvaluator", "evaluate_runs", "log_report", "read_run_table"]

ARTIFACT_PATH = "reportgen"
DEFAULT_FORMATS = ("html", "json")
METRIC_PREFIX = "reportgen/"
# The evaluator's own settings; all others are arguments of `reportgen.evaluate`.
EVALUATOR_SETTINGS = frozenset({"artifact_path", "classifier", "formats", "metric_prefix"})
# What MLflow's own evaluators call it.
MLFLOW_SETTINGS = {"pos_label": "positive", "sample_weights": "weights"}
_TWO_CLASSES = 2
_DATA_ARGUMENTS = frozenset({"truth", "predictions", "X", "scores", "probabilities"})
_logger = logging.getLogger(__name__)


def read_run_table(run_id: str, artifact_file: str) -> pl.DataFrame:
    """Return a table that is an artifact of a run, each cell as text.

    Args:
        run_id: The id of the run.
        artifact_file: The path of the artifact: a table of `mlflow.log_table` or
            `mlflow.models.evaluate` (`eval_results_table.json`), CSV, JSON Lines or Parquet.

    Raises:
        DataError: If the file is damaged or no table.
        mlflow.exceptions.MlflowException: If there is no such run or artifact.
    """
    with TemporaryDirectory() as folder:
        path = mlflow.artifacts.download_artifacts(
            run_id=run_id, artifact_path=artifact_file, dst_path=folder
        )
        table = open_mlflow(Path(path))
        return table.read({name: name for name in table.names}).drop("row")


def evaluate_runs(
    runs: Mapping[str, str],
    artifact_file: str,
    *,
    truth: str,
    prediction: str,
    score: str | None = None,
    **settings: Any,  # noqa: ANN401  # those of `evaluate`
) -> Report:
    """Evaluate and compare the predictions that several runs logged for the same cases.

    Args:
        runs: The ids of the runs by the name of the classifier.
        artifact_file: The path of the table within each run, as for `read_run_table`.
        truth: The column with the true class; the same in all runs.
        prediction: The column with the predicted class.
        score: The column with the score of the positive class.
        **settings: Further arguments of `reportgen.evaluate`, such as `positive`.

    Raises:
        DataError: If the runs differ in their cases, or lack a column.
        SpecError: If the settings are invalid.
    """
    tables = {name: read_run_table(run_id, artifact_file) for name, run_id in runs.items()}
    columns = [truth, prediction, *([score] if score is not None else [])]
    _check_tables(tables, columns, artifact_file)
    (reference, first), *others = tables.items()
    diagnostics = [
        Diagnostic(
            INVALID_ARGUMENT,
            f"column {truth!r} differs between the runs of {reference!r} and {name!r}",
            help="compare runs that were evaluated on the same cases in the same order",
        )
        for name, table in others
        if not table[truth].equals(first[truth])
    ]
    if diagnostics:
        raise DataError(*diagnostics)
    scores = {} if score is None else {name: table[score] for name, table in tables.items()}
    return evaluate(
        first[truth],
        {name: table[prediction] for name, table in tables.items()},
        scores={name: column.cast(pl.Float64) for name, column in scores.items()} or None,
        **settings,
    )


def log_report(
    report: Report,
    run_id: str | None = None,
    *,
    artifact_path: str = ARTIFACT_PATH,
    formats: Collection[str] = DEFAULT_FORMATS,
) -> str:
    """Log a report as artifacts of a run and return their URI.

    Args:
        report: The report.
        run_id: The id of the run; by default the active run.
        artifact_path: The folder within the artifacts of the run.
        formats: The output formats.
    """
    with TemporaryDirectory() as folder:
        path = report.write(Path(folder) / "report", formats=formats)
        mlflow.log_artifacts(str(path), artifact_path=artifact_path, run_id=run_id)
    return _uri(run_id or mlflow.active_run().info.run_id, artifact_path)


class ReportArtifact(EvaluationArtifact):  # type: ignore[misc]  # MLflow has no types
    """The page of a report, or its results; `content` is text or the values of JSON."""

    def _load_content_from_file(self, local_artifact_path: str) -> object:
        text = Path(local_artifact_path).read_text(encoding="utf-8")
        return json.loads(text) if local_artifact_path.endswith(".json") else text

    def _save(self, output_artifact_path: str) -> None:
        content = self.content
        text = content if isinstance(content, str) else json.dumps(content)
        Path(output_artifact_path).write_text(text, encoding="utf-8")


class ReportEvaluator(ModelEvaluator):  # type: ignore[misc]  # MLflow has no types
    """The evaluator "reportgen" of `mlflow.models.evaluate`.

    It logs the report as artifacts of the run, and every overall value with its confidence limits
    as metrics. `evaluator_config` takes the arguments of `reportgen.evaluate`, and `classifier`
    (the name in the report), `formats`, `artifact_path` and `metric_prefix`.
    """

    @classmethod
    def can_evaluate(
        cls, *, model_type: str, evaluator_config: Mapping[str, object], **kwargs: object
    ) -> bool:
        """Return whether it is a classifier or a regression."""
        del evaluator_config, kwargs
        return model_type in {"classifier", "regressor"}

    def evaluate(  # noqa: PLR0913  # the interface of MLflow
        self,
        *,
        model_type: str,
        dataset: EvaluationDataset,
        run_id: str,
        evaluator_config: Mapping[str, object],
        model: PyFuncModel | None = None,
        extra_metrics: object = None,
        custom_artifacts: object = None,
        predictions: object = None,
        **kwargs: object,
    ) -> EvaluationResult:
        """Evaluate the model on the data set, and log report and metrics to the run."""
        del predictions, kwargs
        if extra_metrics or custom_artifacts:
            _logger.warning("the evaluator reportgen ignores `extra_metrics`, `custom_artifacts`")
        settings = _evaluate_arguments(evaluator_config)
        classifier = str(evaluator_config.get("classifier") or _model_name(model))
        truth = np.asarray(dataset.labels_data)
        predicted = np.asarray(
            dataset.predictions_data if model is None else model.predict(dataset.features_data)
        )
        arguments = settings | _task_arguments(model_type, truth, predicted, settings)
        arguments |= _score_arguments(model, dataset, classifier, arguments.get("positive"))
        report = evaluate(truth, {classifier: predicted}, **arguments)
        path = str(evaluator_config.get("artifact_path") or ARTIFACT_PATH)
        formats = evaluator_config.get("formats") or DEFAULT_FORMATS
        log_report(report, run_id, artifact_path=path, formats=formats)  # type: ignore[arg-type]
        prefix = evaluator_config.get("metric_prefix")
        metrics = _metrics(report, METRIC_PREFIX if prefix is None else str(prefix))
        _log_metrics(run_id, metrics)
        artifacts = {
            f"{path}/{name}": ReportArtifact(uri=f"{_uri(run_id, path)}/{name}")
            for format_, name in (("html", "report.html"), ("json", "results.json"))
            if format_ in formats  # type: ignore[operator]  # checked by log_report
        }
        return EvaluationResult(metrics=metrics, artifacts=artifacts, run_id=run_id)


def _check_tables(
    tables: Mapping[str, pl.DataFrame], columns: Collection[str], artifact_file: str
) -> None:
    if not tables:
        message = "no runs: `runs` is empty"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help='pass `{"SVM": run_id}`'))
    diagnostics = [
        Diagnostic(
            INVALID_ARGUMENT,
            f"{artifact_file} of {name!r} has no column {column!r}",
            help=did_you_mean(column, table.columns) or f"it has {', '.join(table.columns)}",
        )
        for name, table in tables.items()
        for column in columns
        if column not in table.columns
    ]
    if diagnostics:
        raise DataError(*diagnostics)


def _evaluate_arguments(config: Mapping[str, object]) -> dict[str, Any]:
    """Return the arguments of `evaluate` in a configuration; MLflow's own settings are skipped."""
    parameters = set(inspect.signature(evaluate).parameters) - _DATA_ARGUMENTS
    arguments: dict[str, Any] = {}
    for key, value in config.items():
        name = MLFLOW_SETTINGS.get(key, key)
        if name in parameters:
            arguments.setdefault(name, value)
        elif key not in EVALUATOR_SETTINGS:
            hint = did_you_mean(key, sorted(parameters | EVALUATOR_SETTINGS))
            # MLflow passes one configuration to all evaluators, so it is not an error.
            _logger.warning("`%s` is no setting of reportgen%s", key, f" ({hint})" if hint else "")
    return arguments


def _task_arguments(
    model_type: str,
    truth: np.ndarray[Any, Any],
    predicted: np.ndarray[Any, Any],
    settings: Mapping[str, object],
) -> dict[str, Any]:
    """Return the kind of task, and of two classes the positive one.

    Like MLflow's own evaluator, which has no way to ask for it, the last one in sorted order.
    """
    if "task" in settings:
        return {}
    if model_type == "regressor":
        return {"task": "regression"}
    classes = np.unique(np.concatenate([truth, predicted]))
    if "positive" in settings or len(classes) > _TWO_CLASSES:
        return {}
    return {"positive": classes[-1]}


def _score_arguments(
    model: PyFuncModel | None, dataset: EvaluationDataset, classifier: str, positive: object
) -> dict[str, Any]:
    """Return the scores or probabilities of a model that has `predict_proba`."""
    raw = None if model is None else _raw_model(model)
    predict_proba, classes = getattr(raw, "predict_proba", None), getattr(raw, "classes_", None)
    if predict_proba is None or classes is None:
        return {}
    table = np.asarray(predict_proba(dataset.features_data))
    if positive is None:
        return {
            "classes": list(classes),
            "probabilities": {
                classifier: {str(label): table[:, number] for number, label in enumerate(classes)}
            },
        }
    column = list(classes).index(positive)
    return {"scores": {classifier: table[:, column]}}


def _raw_model(model: PyFuncModel) -> object:
    """Return the model behind MLflow's interface, None if its flavor does not have one."""
    try:
        return (
            model.unwrap_python_model()
            if model.loader_module == "mlflow.pyfunc.model"
            else model.get_raw_model()
        )
    except (AttributeError, NotImplementedError):
        return None


def _model_name(model: PyFuncModel | None) -> str:
    raw = None if model is None else _raw_model(model)
    return "model" if raw is None else type(raw).__name__


def _metrics(report: Report, prefix: str) -> dict[str, float]:
    """Return the overall values and their confidence limits; what is undefined has no metric."""
    rows = report.values.filter(
        pl.col("class").is_null(), pl.col("fold").is_null(), pl.col("segment").is_null()
    )
    metrics: dict[str, float] = {}
    for row in rows.iter_rows(named=True):
        average = "" if row["average"] is None else f"{row['average']}_"
        for column, suffix in (("value", ""), ("low", "_low"), ("high", "_high")):
            if row[column] is not None:
                metrics[f"{prefix}{average}{row['measure']}{suffix}"] = row[column]
    return metrics


def _log_metrics(run_id: str, metrics: Mapping[str, float]) -> None:
    now = get_current_time_millis()
    mlflow.MlflowClient().log_batch(
        run_id,
        metrics=[Metric(_metric_key(name), value, now, 0) for name, value in metrics.items()],
    )


def _metric_key(name: str) -> str:
    """Return a name that MLflow accepts: `sensitivity@specificity=0.95` has other characters."""
    return "".join(char if char.isalnum() or char in "_-. :/" else "_" for char in name)


def _uri(run_id: str, path: str) -> str:
    return f"{mlflow.get_run(run_id).info.artifact_uri}/{path}"
