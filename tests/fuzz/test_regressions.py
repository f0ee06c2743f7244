"""Faults that the fuzzer discovered, each as the smallest file that caused it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode
from tests.fuzz import subjects

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.jobs.job import JobOutcome


def build(folder: Path, spec: str, *, history: bool = False) -> JobOutcome:
    """Build a spec."""
    (folder / "spec.toml").write_text(spec, encoding="utf-8")
    return subjects._build(folder, history=history)  # noqa: SLF001  # as the fuzzer builds


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ('[[measures.own]]\nname = "Burden"\nformula = "fn"\n', "lower-case letters"),
        ('[sha256]\n"a.csv" = "0123"\n', "64 hexadecimal digits"),
    ],
)
def test_text_of_another_pattern_is_an_error_of_the_spec(
    tmp_path: Path, key: str, message: str
) -> None:
    """The message has words for every pattern; a missing one was a KeyError."""
    outcome = build(tmp_path, subjects.COUNTS + key)

    assert outcome.exit_code is ExitCode.SPEC
    assert message in outcome.diagnostics[0].message


TOOLS = subjects.TOOL_FILES
LOGS = [
    TOOLS / "tools/inspect_options_large.json",
    TOOLS / "tools/promptfoo_results.json",
    TOOLS / "tools/deepeval_small.json",
    TOOLS / "tools/samples_letters_2026-11-18T06-01-57.163757.jsonl",
    TOOLS / "tool_output/mlflow_log_table.json",
]


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name.partition("_")[0])
@pytest.mark.parametrize(
    "end", [b"\xff", b"[" * 200_000, b'{"a":' * 200_000], ids=["byte", "lists", "objects"]
)
def test_logs_that_are_damaged_are_errors_of_the_data(
    tmp_path: Path, log: Path, end: bytes
) -> None:
    """A byte that is not UTF-8 and lists in lists were internal errors."""
    content = log.read_bytes()
    (tmp_path / log.name).write_bytes(content[: len(content) - 40] + end)
    preset = dict(subjects.tool_files())[log]
    outcome = build(
        tmp_path,
        f'[task]\nkind = "multiclass"\n[data]\nformat = "{preset}"\n'
        f'[[classifiers]]\nname = "A"\npredictions = "{log.name}"\n',
    )

    assert outcome.exit_code is ExitCode.DATA
    assert {fault.error_code.code for fault in outcome.diagnostics} <= {"E202", "E203"}


@pytest.mark.parametrize("weight", [-1.0, 0.0, float("inf")])
def test_impossible_weights_in_the_history_do_not_cost_the_report(
    tmp_path: Path, weight: float
) -> None:
    """Negative weights gave negative counts, for which Fisher's test has no tables."""
    assert build(tmp_path, subjects.COUNTS, history=True).exit_code is ExitCode.SUCCESS
    with closing(sqlite3.connect(tmp_path / "out/history.sqlite")) as connection, connection:
        connection.execute("UPDATE confusions SET weight = ? WHERE classifier = 'A'", (weight,))
    changed = subjects.COUNTS.replace("[40, 10]", "[41, 9]")
    outcome = build(tmp_path, changed, history=True)

    assert outcome.exit_code is ExitCode.OUTPUT
    assert outcome.files
    assert [fault.error_code.code for fault in outcome.diagnostics] == ["E511"]
