"""A history as version 1 wrote it: never to be changed, as such files are out in the world."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.jobs.history.record import GateRecord, RunRecord, RunState, ValueRecord

if TYPE_CHECKING:
    from pathlib import Path

FIRST_VERSION = (
    """
CREATE TABLE runs (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    spec TEXT NOT NULL,
    output TEXT NOT NULL,
    title TEXT NOT NULL,
    version TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('begun', 'written', 'failed', 'interrupted')),
    exit_code INTEGER NOT NULL,
    data TEXT NOT NULL,
    manifest TEXT NOT NULL,
    published INTEGER NOT NULL CHECK (published IN (0, 1)),
    level REAL,
    classes TEXT NOT NULL,
    findings TEXT NOT NULL,
    warnings TEXT NOT NULL,
    faults TEXT NOT NULL,
    contents TEXT NOT NULL,
    crc INTEGER NOT NULL
) STRICT
""",
    "CREATE INDEX runs_by_name ON runs (name, started, id)",
    "CREATE INDEX runs_by_time ON runs (started, id)",
    """
CREATE TABLE inputs (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    classifier TEXT,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    rows INTEGER,
    crc INTEGER NOT NULL,
    PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID
""",
    """
CREATE TABLE gates (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    classifier TEXT NOT NULL,
    measure TEXT NOT NULL,
    class TEXT,
    average TEXT,
    level TEXT NOT NULL,
    passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
    found REAL,
    wanted REAL,
    why TEXT NOT NULL,
    kind TEXT NOT NULL,
    bound TEXT,
    against TEXT,
    crc INTEGER NOT NULL,
    PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID
""",
    """
CREATE TABLE confusions (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    classifier TEXT NOT NULL,
    counts TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (run, place)
) STRICT
""",
    """
CREATE TABLE scores (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    classifier TEXT NOT NULL,
    class TEXT,
    average TEXT,
    fold TEXT,
    measure TEXT NOT NULL,
    value REAL,
    state TEXT NOT NULL CHECK (state IN ('defined', 'infinite', 'undefined')),
    reason TEXT,
    low REAL,
    high REAL,
    interval TEXT,
    crc INTEGER NOT NULL,
    PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID
""",
)
KEPT = RunRecord(
    id="20260301T023000-0a1b2c3d",
    name="churn",
    spec="churn.toml",
    output="/srv/churn",
    title="Who leaves",
    version="0.1.0",
    started=datetime(2026, 3, 1, 2, 30, tzinfo=UTC),
    ended=datetime(2026, 3, 1, 2, 30, 4, tzinfo=UTC),
    state=RunState.COMPLETED,
    exit_code=0,
    data_fingerprint="data-1",
    manifest_sha256="abc",
    level=0.95,
    classes=("stays", "leaves"),
    values=(
        ValueRecord(
            "NB",
            None,
            None,
            None,
            "accuracy",
            MeasureValue(0.9, ValueState.DEFINED, None, 0.8, 1.0, "Wilson"),
        ),
    ),
    confusion={"NB": ((45, 5), (5, 45))},
    gates=(
        GateRecord(
            classifier="NB",
            measure="accuracy",
            class_=None,
            average=None,
            level="error",
            passed=True,
            observed=0.9,
            criterion=0.8,
            reason="enough",
            kind="at_least",
            bound="value",
        ),
    ),
)
ROWS = {
    "runs": (
        "20260301T023000-0a1b2c3d",
        "churn",
        "churn.toml",
        "/srv/churn",
        "Who leaves",
        "0.1.0",
        "2026-03-01T02:30:00.000000+00:00",
        "2026-03-01T02:30:04.000000+00:00",
        "written",
        0,
        "data-1",
        "abc",
        0,
        0.95,
        '["stays", "leaves"]',
        "[]",
        "[]",
        "[]",
        "[0, 1, 1, 1, 1]",
        2351121967,
    ),
    "gates": (
        "20260301T023000-0a1b2c3d",
        0,
        "NB",
        "accuracy",
        None,
        None,
        "error",
        1,
        0.9,
        0.8,
        "enough",
        "at_least",
        "value",
        None,
        2406539266,
    ),
    "confusions": ("20260301T023000-0a1b2c3d", 0, "NB", "[[45, 5], [5, 45]]", 288227889),
    "scores": (
        "20260301T023000-0a1b2c3d",
        0,
        "NB",
        None,
        None,
        None,
        "accuracy",
        0.9,
        "defined",
        None,
        0.8,
        1.0,
        "Wilson",
        1384614358,
    ),
}


def write_first_version(path: Path) -> None:
    """Write the file with nothing but SQLite."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        for statement in FIRST_VERSION:
            connection.execute(statement)
        for table, row in ROWS.items():
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608
        connection.execute("PRAGMA application_id = 1919972455")
        connection.execute("PRAGMA user_version = 1")
