"""Preset of DeepEval: a test run as JSON, with the results of its metrics."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from reportgen.predictions.presets.evaluation_logs import (
    LogEntry,
    build_log_preset,
    collect_entries,
    optional_text,
    parse_outcome,
    read_log_document,
)

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.predictions.table import PredictionTable

_TITLE = "a test run of DeepEval"
_DOCUMENT_START = re.compile(r'^\s*\{\s*(?:"testRunData"\s*:\s*\{\s*)?"testCases"\s*:\s*\[')


def open_deepeval(path: Path, _expected_columns: tuple[str, ...] = ()) -> PredictionTable:
    """Open a test run: the model is a hyperparameter, the identifier, or the name of the file."""
    document = read_log_document(path, _DOCUMENT_START, _TITLE)
    run = document.get("testRunData", document)
    return collect_entries(path, _TITLE, lambda: _parse_cases(run, path.name.split(".")[0]))


def _parse_cases(run: Any, file_name: str) -> list[LogEntry]:  # noqa: ANN401  # JSON
    parameters = run.get("hyperparameters") or {}
    model = parameters.get("model") or run.get("identifier") or file_name
    return [
        LogEntry(
            model=str(model),
            task=str(case.get("datasetAlias") or "deepeval"),
            case=str(case["name"]),
            question=optional_text(case["input"]),
            scorer=str(metric["name"]),
            target=optional_text(case.get("expectedOutput")),
            answer=optional_text(case.get("actualOutput")),
            # A metric that failed with an error has no score.
            outcome=parse_outcome(None if metric.get("error") else metric["success"]),
        )
        for case in run["testCases"]
        for metric in case.get("metricsData") or []
    ]


PRESET = build_log_preset("deepeval", _TITLE, open_deepeval)
