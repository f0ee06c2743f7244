"""Preset of lm-evaluation-harness: `samples_*.jsonl`, one line per document and filter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import TOOL_FORMAT_MISMATCH
from reportgen.predictions.presets.evaluation_logs import (
    LogEntry,
    build_log_preset,
    collect_entries,
    optional_text,
    parse_log,
    parse_outcome,
    starts_like,
)
from reportgen.predictions.text_files import read_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reportgen.predictions.table import PredictionTable

_TITLE = "samples of lm-evaluation-harness"
_LINE_START = re.compile(r'^\s*\{\s*"doc_id"\s*:')
_FILE_NAME = re.compile(r"^samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl")
_METRICS = ("acc", "exact_match")


def open_lm_eval(path: Path, _expected_columns: tuple[str, ...] = ()) -> PredictionTable:
    """Open samples; the file names the task, and its folder the model."""
    if not starts_like(path, _LINE_START):
        message = f"the file does not begin like {_TITLE}"
        raise DataError(Diagnostic(TOOL_FORMAT_MISMATCH, message, Location(path)))
    lines = [parse_log(path, line, _TITLE) for line in read_text(path).split("\n") if line.strip()]
    match = _FILE_NAME.match(path.name)
    task = match["task"] if match else path.name.split(".")[0]
    model = path.resolve().parent.name
    return collect_entries(path, _TITLE, lambda: [_parse_line(line, model, task) for line in lines])


def _parse_line(line: Any, model: str, task: str) -> LogEntry:  # noqa: ANN401  # JSON
    metrics = [name for name in _METRICS if name in line] or line.get("metrics") or []
    target = optional_text(line["target"])
    return LogEntry(
        model=model,
        task=task,
        case=f"{task}/{line['doc_id']}",
        scorer=optional_text(line.get("filter")),
        target=target,
        answer=_read_answer(line, target),
        outcome=parse_outcome(line.get(metrics[0])) if metrics else None,
    )


def _read_answer(line: Any, target: str | None) -> str | None:  # noqa: ANN401  # JSON
    """Return the generated text, or the most likely choice: its number, or its text."""
    responses = line["filtered_resps"]
    if not responses or not isinstance(responses[0], list):
        return optional_text(responses[0]) if responses else None
    likelihoods = [float(response[0]) for response in responses]
    if len(likelihoods) == 1:
        return None
    best = likelihoods.index(max(likelihoods))
    if target is not None and target.isdecimal():
        return str(best)
    return optional_text(_choice_texts(line["arguments"])[best])


def _choice_texts(arguments: Any) -> Sequence[str]:  # noqa: ANN401  # JSON
    """Return the texts of the choices: objects, or lists in older versions."""
    if isinstance(arguments, dict):
        return [argument["arg_1"] for argument in arguments.values()]
    return [argument[1] for argument in arguments]


PRESET = build_log_preset("lm_eval", _TITLE, open_lm_eval)
