"""Preset of promptfoo: the JSON output of `promptfoo eval -o results.json`."""

from __future__ import annotations

import json
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

_TITLE = "results of promptfoo"
_DOCUMENT_START = re.compile(r'^\s*\{\s*"evalId"\s*:.*?"results"\s*:\s*\{', re.DOTALL)
_ERROR_REASON = 2


def open_promptfoo(path: Path, _expected_columns: tuple[str, ...] = ()) -> PredictionTable:
    """Open results: a model is a provider, with its prompt where there are several."""
    document = read_log_document(path, _DOCUMENT_START, _TITLE)
    return collect_entries(path, _TITLE, lambda: _parse_results(document))


def _parse_results(document: Any) -> list[LogEntry]:  # noqa: ANN401  # JSON
    results = document["results"]["results"]
    task = optional_text(document.get("config", {}).get("description")) or "promptfoo"
    several_prompts = len({result["prompt"]["label"] for result in results}) > 1
    entries = []
    for result in results:
        provider = result["provider"]
        model = str(provider.get("label") or provider["id"])
        # A provider that failed gave no answer.
        has_failed = result.get("failureReason") == _ERROR_REASON
        entries.append(
            LogEntry(
                model=f"{model}, {result['prompt']['label']}" if several_prompts else model,
                task=task,
                case=str(result["testIdx"]),
                question=json.dumps(result["vars"], ensure_ascii=False, sort_keys=True),
                target=_read_target(result),
                answer=optional_text((result.get("response") or {}).get("output")),
                outcome=None if has_failed else parse_outcome(result["success"]),
            )
        )
    return entries


def _read_target(result: Any) -> str | None:  # noqa: ANN401  # JSON
    """Return the value that an assertion `equals` requires, None without such an assertion."""
    for component in (result.get("gradingResult") or {}).get("componentResults") or []:
        assertion = component.get("assertion") or {}
        if assertion.get("type") == "equals":
            rendered_value = (component.get("metadata") or {}).get("renderedAssertionValue")
            return optional_text(
                assertion.get("value") if rendered_value is None else rendered_value
            )
    return None


PRESET = build_log_preset("promptfoo", _TITLE, open_promptfoo)
