"""Logs of LLM evaluations as tables: a row per model, question and epoch, the same columns for all.

A log has the target and the answer of each question, and the outcome of its scorer. The scorer
decides: a correct answer is the target, however it is worded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import FILE_CORRUPT, NO_ROWS, TOOL_FORMAT_MISMATCH
from reportgen.predictions.formats import FileFormat, detect_format
from reportgen.predictions.presets.preset import Preset
from reportgen.predictions.table import PredictionTable, table_from_texts
from reportgen.predictions.text_files import read_text

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from reportgen.predictions.presets.preset import PresetRole
    from reportgen.spec import DataSettings
    from reportgen.spec.data import FormatName

LOG_COLUMNS: Mapping[PresetRole, tuple[str, ...]] = {
    "truth": ("target",),
    "prediction": ("answer",),
    "id": ("case",),
    "model": ("model",),
    "repeat": ("epoch",),
    "cluster": ("question",),
}
CORRECT, INCORRECT = "correct", "incorrect"
OUTCOMES = (CORRECT, INCORRECT)
OUTCOME_COLUMNS = ("expected", "outcome")
_CORRECT_VALUES = frozenset(("c", "correct", "true", "yes", "pass", "1", "1.0"))
_INCORRECT_VALUES = frozenset(("i", "n", "incorrect", "false", "no", "fail", "0", "0.0"))
_HEAD_CHARACTERS = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """The answer of a model to a question, with the outcome of a scorer."""

    model: str
    task: str
    case: str
    target: str | None
    answer: str | None
    outcome: str | None
    epoch: str | None = None
    question: str | None = None
    scorer: str | None = None

    def cells(self) -> dict[str, str | None]:
        """Return the values of the columns; a correct answer is the target."""
        is_correct = self.outcome == CORRECT and self.target is not None
        return {
            "model": self.model,
            "task": self.task,
            "case": self.case,
            "epoch": self.epoch,
            "question": self.question,
            "scorer": self.scorer,
            "target": self.target,
            "answer": self.target if is_correct else self.answer,
            "expected": CORRECT,
            "outcome": self.outcome,
        }


def parse_outcome(value: object) -> str | None:
    """Return the outcome of a score: correct, incorrect, partial, or None if there is no score."""
    text = "" if value is None else str(value).strip().lower()
    if text in _CORRECT_VALUES:
        return CORRECT
    if text in _INCORRECT_VALUES:
        return INCORRECT
    return "partial" if text else None


def optional_text(value: object) -> str | None:
    """Return a value as text without surrounding blanks; None for an empty one."""
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return (str(value).strip() or None) if value is not None else None


def build_log_table(path: Path, entries: Iterable[LogEntry]) -> PredictionTable:
    """Return the entries of a log as a table, without columns that have no values."""
    rows = [entry.cells() for entry in entries]
    if not rows:
        raise DataError(Diagnostic(NO_ROWS, "the log has no samples", Location(path)))
    frame = pl.DataFrame(rows, dict.fromkeys(rows[0], pl.String))
    optional = ("epoch", "question", "scorer")
    unused = [name for name in optional if frame[name].null_count() == frame.height]
    return table_from_texts(path, FileFormat.JSON_TABLE, frame.drop(unused))


def read_log_document(path: Path, pattern: re.Pattern[str], title: str) -> Any:  # noqa: ANN401  # JSON
    """Return the JSON document of a log whose first characters match the pattern."""
    if not starts_like(path, pattern):
        message = f"the file does not begin like {title}"
        raise DataError(Diagnostic(TOOL_FORMAT_MISMATCH, message, Location(path)))
    return parse_log(path, read_text(path), title)


def starts_like(path: Path, pattern: re.Pattern[str]) -> bool:
    """Return whether the first characters of a JSON file match a pattern."""
    if detect_format(path) is not FileFormat.JSON_LINES:
        return False
    return pattern.search(read_text(path, _HEAD_CHARACTERS)) is not None


def parse_log(path: Path, text: str | bytes, title: str) -> Any:  # noqa: ANN401  # JSON
    """Return a JSON document of a log, or raise if it is damaged."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(malformed_log_diagnostic(path, title)) from error


def malformed_log_diagnostic(path: Path, title: str) -> Diagnostic:
    """Return the diagnostic of a log that is damaged or lacks what every log has."""
    message = f"the file is not {title}: it is damaged, or of a version with another structure"
    help_text = "write the log again; `truth` and `prediction` of a plain table are read as well"
    return Diagnostic(FILE_CORRUPT, message, Location(path), help_text)


def collect_entries(
    path: Path, title: str, parse: Callable[[], Sequence[LogEntry]]
) -> PredictionTable:
    """Return the table of parsed entries; a key that is absent is a malformed log."""
    try:
        entries = parse()
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise DataError(malformed_log_diagnostic(path, title)) from error
    return build_log_table(path, entries)


def has_log_columns(table: PredictionTable) -> bool:
    """Return whether a table was read from a log."""
    return {"model", "case", *OUTCOME_COLUMNS} <= set(table.names)


def outcome_diagnostics(
    tables: Sequence[PredictionTable], data: DataSettings, _labels: Sequence[str]
) -> list[Diagnostic]:
    """Return a diagnostic for each log with answers that equal the target but are not correct."""
    if (data.truth, data.prediction) != ("target", "answer"):
        return []
    diagnostics = []
    for table in tables:
        frame = table.read({"target": "target", "answer": "answer", "outcome": "outcome"})
        equal = pl.col("target").cast(pl.String) == pl.col("answer").cast(pl.String)
        rows = frame.filter(equal & (pl.col("outcome").cast(pl.String) != CORRECT))
        if rows.height:
            target, _, outcome = rows.select("target", "answer", "outcome").row(0)
            message = (
                f"{rows.height} answers equal the target but are not scored correct, such as"
                f" `{target}`, scored {outcome}"
            )
            help_text = (
                'evaluate the outcomes of the scorer: `truth = "expected"` and `prediction ='
                ' "outcome"` under `[data]`, with `positive = "correct"`'
            )
            diagnostics.append(
                Diagnostic(TOOL_FORMAT_MISMATCH, message, Location(table.path), help_text)
            )
    return diagnostics


def build_log_preset(
    name: FormatName, title: str, open_log: Callable[[Path, tuple[str, ...]], PredictionTable]
) -> Preset:
    """Return the preset of a tool whose logs are opened as tables of entries."""
    return Preset(
        name=name,
        title=title,
        description="truth `target`, prediction `answer`; or `expected` and `outcome`; id `case`",
        columns=LOG_COLUMNS,
        outcome_columns=OUTCOME_COLUMNS,
        is_recognised=has_log_columns,
        open=open_log,
        diagnose=outcome_diagnostics,
    )
