"""The run history store: its interface, and its implementation on an SQL database."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from reportgen.errors import Diagnostic, ExitCode, HistoryError
from reportgen.errors.jobs import HISTORY_UNREACHABLE, RUN_NOT_FOUND
from reportgen.evaluation.previous_runs import PreviousInput, PreviousRun, RunCounts, RunHistory
from reportgen.jobs.history import schema
from reportgen.jobs.history.record import RunState, TrendPoint
from reportgen.jobs.history.schema import (
    CONFUSIONS_TABLE,
    GATES_TABLE,
    INPUTS_TABLE,
    RUNS_TABLE,
    VALUES_TABLE,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from reportgen.evaluation.values import ValueKey
    from reportgen.jobs.history.record import ConfusionCounts, GateRecord, RunRecord
    from reportgen.jobs.history.schema import SqlDialect, SqlRow, SqlTable, SqlValue


class HistoryStore(Protocol):
    """A store of the runs of all specs."""

    def begin(self, record: RunRecord) -> None:
        """Insert a run with all its parts, atomically."""

    def finish(self, run_id: str, state: RunState, *, exit_code: int, ended: datetime) -> None:
        """Set the final state of a running run."""

    def record_failure(self, record: RunRecord) -> None:
        """Record a failed run: in its own row if it was begun, else in a new row.

        A run whose report was written stays completed, with the exit code and errors of the
        failure.
        """

    def recover_interrupted(self, name: str, output: str, manifest: str) -> None:
        """Set the final state of the runs of this output that never finished.

        A run is completed if the manifest in the output folder is its own, else interrupted.
        """

    def mark_final(self, run_id: str, *, is_final: bool) -> None:
        """Set whether a run was the last attempt, after which notifications are sent."""

    def last_notified_run(self, name: str, excluded_run_id: str) -> RunRecord | None:
        """Return the last other run for which notifications were due.

        Excludes runs in progress, runs that are retried, and interrupted runs whose end was not
        observed.
        """

    def load_previous_runs(self, name: str, limit: int) -> RunHistory:
        """Return the last completed runs, the latest last."""

    def load_run_counts(self, name: str) -> tuple[RunCounts, ...]:
        """Return the confusion matrices of all completed runs, the latest last."""

    def runs(self, name: str | None = None, limit: int | None = None) -> tuple[RunRecord, ...]:
        """Return runs with gates but without inputs and values, the latest first."""

    def latest_run(self, name: str, output: str) -> RunRecord | None:
        """Return the latest run of an output, without inputs, values and gates."""

    def get_run(self, run_id: str) -> RunRecord | None:
        """Return a run with all its parts."""

    def find_run_ids(self, prefix: str) -> tuple[str, ...]:
        """Return the run ids with a prefix."""

    def trend(self, name: str, measure: str | None = None) -> tuple[TrendPoint, ...]:
        """Return the values over all folds of the completed runs, the latest last."""

    def mark_published(self, run_ids: Iterable[str]) -> None:
        """Mark the reports of runs as published."""

    def prune(self, *, keep: int | None, before: datetime | None, name: str | None) -> int:
        """Delete runs that are neither among the last of their name nor recent; return the count.

        The last completed, the last published and the last running run of a name are retained.
        """

    def prunable_runs(
        self, *, keep: int | None, before: datetime | None, name: str | None
    ) -> tuple[RunRecord, ...]:
        """Return the runs that `prune` would delete, the latest first."""

    def names(self) -> tuple[str, ...]:
        """Return the names of all runs."""


URL_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
POSTGRES_SCHEMES = frozenset({"postgres", "postgresql"})
SQLITE_PREFIX = "sqlite:///"
# Keywords of libpq in the place of a URL.
CONNECTION_STRING = re.compile(
    r"(?:^|\s)(?:host|hostaddr|port|dbname|user|password|service|sslmode)\s*=", re.IGNORECASE
)


@contextmanager
def open_history(location: str, *, must_exist: bool = False) -> Iterator[HistoryStore]:
    """Open the history at a path or `postgresql://` URL; create it unless it must exist.

    `sqlite:///some/path` is a relative path; with a fourth slash it is absolute.
    """
    match = URL_SCHEME.match(location)
    scheme = match[1].lower() if match else ""
    if scheme in POSTGRES_SCHEMES:
        from reportgen.jobs.history.postgres import open_postgres

        with open_postgres(location, must_exist=must_exist) as history:
            yield history
        return
    if CONNECTION_STRING.search(location) and not scheme:
        # Not as a file name: it may contain a password.
        help_line = (
            "use a URL such as postgresql://user@host/database, with the password in PGPASSWORD"
        )
        message = "the history is given as keywords (host=… dbname=…), which are not supported"
        raise HistoryError(Diagnostic(HISTORY_UNREACHABLE, message, help=help_line))
    if not location.strip() or (scheme and not location.lower().startswith(SQLITE_PREFIX)):
        # The text after the scheme may contain a password.
        location_text = f"{scheme}://…" if scheme else "(empty)"
        help_line = "use a file or a URL such as postgresql://user@host/database"
        message = f"invalid history location {location_text}"
        raise HistoryError(Diagnostic(HISTORY_UNREACHABLE, message, help=help_line))
    from reportgen.jobs.history.sqlite import open_sqlite

    path = Path(location[len(SQLITE_PREFIX) :] if scheme else location)
    with open_sqlite(path, must_exist=must_exist) as history:
        yield history


def history_is_missing(location: str) -> bool:
    """Return whether a history is a file that does not exist yet."""
    is_file = not URL_SCHEME.match(location) and not CONNECTION_STRING.search(location)
    return is_file and not Path(location).exists()


LATEST_FIRST = "ORDER BY sequence DESC, id DESC"
# Gates use as baseline the last completed run, the last on other data, and the last published one:
# these are retained.
PRUNABLE_CONDITION = """
WHERE id IN (
    SELECT id FROM (
        SELECT id, state, published, started,
            ROW_NUMBER() OVER (PARTITION BY name {latest_first}) AS place,
            ROW_NUMBER() OVER (PARTITION BY name, state, is_other {latest_first}) AS place_in_state,
            ROW_NUMBER() OVER (PARTITION BY name, published {latest_first}) AS place_published
        FROM (
            SELECT *, CASE WHEN data_fingerprint = FIRST_VALUE(data_fingerprint)
                OVER (PARTITION BY name, state {latest_first}) THEN 0 ELSE 1 END AS is_other
            FROM runs {of_name}
        ) AS compared
    ) AS placed
    WHERE place > ? AND started < ?
        AND NOT (state = 'completed' AND place_in_state = 1)
        AND NOT (published = 1 AND place_published = 1)
        AND NOT (state = 'running' AND place_in_state = 1)
) {latest_first}
"""
END_OF_TIME = "9999"


def prune_condition(
    keep: int | None, before: datetime | None, name: str | None
) -> tuple[str, list[SqlValue]]:
    """Return the SQL condition and its parameters for the runs that may be deleted."""
    if keep is None and before is None:
        message = "either `keep` or `before` is required"
        raise ValueError(message)
    of_name, values = name_condition(name)
    since = END_OF_TIME if before is None else schema.format_timestamp(before)
    condition = PRUNABLE_CONDITION.format(latest_first=LATEST_FIRST, of_name=of_name)
    return condition, [*values, keep or 0, since]


def name_condition(name: str | None) -> tuple[str, list[SqlValue]]:
    """Return the SQL condition and its parameters for runs of a name; None selects all."""
    return ("", []) if name is None else ("WHERE name = ?", [name])


def baseline_indices(
    runs: Sequence[RunRecord], failed_values: Mapping[str, frozenset[ValueKey]]
) -> frozenset[int]:
    """Return the indices of the runs that can be baselines of gates; index 0 is the latest run.

    For every value that failed, and for one that never failed: the last run that did not fail, the
    last such run on other data, as it may share data with the current run, and both among the
    published runs.
    """
    values: set[ValueKey | None] = {None, *(key for keys in failed_values.values() for key in keys)}
    pools = [range(len(runs)), [index for index, run in enumerate(runs) if run.published]]
    return frozenset(
        index
        for key in values
        for pool in pools
        for index in _latest_on_two_datasets(
            runs, [index for index in pool if key not in failed_values.get(runs[index].id, ())]
        )
    )


def _latest_on_two_datasets(runs: Sequence[RunRecord], indices: Sequence[int]) -> Iterator[int]:
    if not indices:
        return
    last = indices[0]
    yield last
    data = runs[last].data_fingerprint
    on_other_data = (
        index for index in indices[1:] if not data or runs[index].data_fingerprint != data
    )
    yield from islice(on_other_data, 1)


NO_LIMIT = 2**62
OF_RUN_CONDITION = "WHERE run = ? ORDER BY position"
COMPLETED_CONDITION = "WHERE name = ? AND state = ?"
# Enough to include the last run on data other than the current ones.
FULLY_LOADED_RUNS = 2


@dataclass(frozen=True, slots=True)
class SqlHistoryStore:
    """A history store in an SQL database."""

    database: Database

    def begin(self, record: RunRecord) -> None:
        """Insert a run with all its parts, atomically."""
        with self.database.write_transaction():
            self._insert(record)

    def finish(self, run_id: str, state: RunState, *, exit_code: int, ended: datetime) -> None:
        """Set the final state of a running run."""
        with self.database.write_transaction():
            if self._locked_run(run_id) is None:
                message = f"run {run_id} is no longer in the history"
                raise HistoryError(
                    Diagnostic(
                        RUN_NOT_FOUND, message, help="it may have been pruned during the run"
                    )
                )
            self._update_run(
                run_id,
                state=state.value,
                exit_code=int(exit_code),
                ended=schema.format_timestamp(ended),
            )

    def record_failure(self, record: RunRecord) -> None:
        """Record a failed run: in its own row if it was begun, else in a new row.

        A run whose report was written stays completed, with the exit code and errors of the
        failure.
        """
        with self.database.write_transaction():
            existing = self._locked_run(record.id)
            if existing is None:
                self._insert(record)
                return
            is_completed = existing.state is RunState.COMPLETED
            self._update_run(
                record.id,
                state=RunState.COMPLETED.value if is_completed else record.state.value,
                exit_code=int(record.exit_code),
                ended=schema.format_timestamp(record.ended),
                errors=schema.encode_list(record.errors),
            )

    def recover_interrupted(self, name: str, output: str, manifest: str) -> None:
        """Set the final state of the runs of this output that never finished.

        A run is completed if the manifest in the output folder is its own, else interrupted.
        """
        condition = f"WHERE name = ? AND output = ? AND state = ?{self.database.dialect.row_lock}"
        with self.database.write_transaction():
            rows = self._run_rows(condition, name, output, RunState.RUNNING.value)
            for run in map(schema.row_to_run, rows):
                if manifest and run.manifest_sha256 == manifest:
                    self._update_run(run.id, state=RunState.COMPLETED.value)
                else:
                    self._update_run(
                        run.id,
                        state=RunState.INTERRUPTED.value,
                        exit_code=int(ExitCode.ENVIRONMENT),
                    )

    def mark_published(self, run_ids: Iterable[str]) -> None:
        """Mark the reports of runs as published."""
        with self.database.write_transaction():
            # In a fixed order, so that concurrent updates of the same runs do not deadlock.
            for run_id in sorted(set(run_ids)):
                self._update_run(run_id, published=1)

    def mark_final(self, run_id: str, *, is_final: bool) -> None:
        """Set whether a run was the last attempt, after which notifications are sent."""
        with self.database.write_transaction():
            self._update_run(run_id, is_final=int(is_final))

    def last_notified_run(self, name: str, excluded_run_id: str) -> RunRecord | None:
        """Return the last other run for which notifications were due."""
        condition = (
            "name = ? AND id <> ? AND state <> ?"
            " AND (is_final = 1 OR is_final IS NULL AND state <> ?)"
        )
        values = (name, excluded_run_id, RunState.RUNNING.value, RunState.INTERRUPTED.value)
        runs = self._load_runs_with_gates(f"WHERE {condition} {LATEST_FIRST} LIMIT 1", *values)
        return next(iter(runs), None)

    def load_previous_runs(self, name: str, limit: int) -> RunHistory:
        """Return the last completed runs, the latest last.

        Of consecutive runs on the same data only the latest is included. Baselines of gates are
        always included, independent of the limit. Older runs that are no baselines are loaded
        without values of single classes and without confusion matrices.
        """
        with self.database.read_transaction():
            run_rows = self._run_rows(
                f"{COMPLETED_CONDITION} {LATEST_FIRST}", name, RunState.COMPLETED.value
            )
            runs = [schema.row_to_run(head) for head in run_rows]
            failed = self._failed_values(name)
            on_new_data = [
                index
                for index, run in enumerate(runs)
                if index == 0
                or not run.data_fingerprint
                or run.data_fingerprint != runs[index - 1].data_fingerprint
            ]
            fully_loaded = {*on_new_data[:FULLY_LOADED_RUNS], *baseline_indices(runs, failed)}
            run_ids = sorted({*on_new_data[: max(limit, 1)], *fully_loaded}, reverse=True)
            return RunHistory(
                tuple(
                    replace(
                        self._load_previous_run(run_rows[index], full=index in fully_loaded),
                        failed_keys=failed.get(runs[index].id, frozenset()),
                    )
                    for index in run_ids
                )
            )

    def load_run_counts(self, name: str) -> tuple[RunCounts, ...]:
        """Return the confusion matrices of all completed runs, the latest last."""
        condition = (
            f"WHERE run IN (SELECT id FROM runs {COMPLETED_CONDITION})"  # noqa: S608
            " ORDER BY run, position"
        )
        values = name, RunState.COMPLETED.value
        with self.database.read_transaction():
            heads = self._run_rows(f"{COMPLETED_CONDITION} {LATEST_FIRST}", *values)
            confusion_rows = self._rows(CONFUSIONS_TABLE, condition, *values)
        rows = {run: list(group) for run, group in groupby(confusion_rows, key=lambda row: row[0])}
        counts = []
        for head in reversed(heads):
            run, matrices = schema.row_to_run(head), rows.get(head[0], [])
            counts.append(
                RunCounts(
                    run.id,
                    run.ended,
                    run.data_fingerprint,
                    run.classes,
                    run.positive,
                    _read_confusions(run, matrices),
                    schema.rows_to_weights(matrices),
                )
            )
        return tuple(counts)

    def runs(self, name: str | None = None, limit: int | None = None) -> tuple[RunRecord, ...]:
        """Return runs with gates but without inputs and values, the latest first."""
        condition, values = name_condition(name)
        row_limit = NO_LIMIT if limit is None else limit
        return self._load_runs_with_gates(f"{condition} {LATEST_FIRST} LIMIT ?", *values, row_limit)

    def latest_run(self, name: str, output: str) -> RunRecord | None:
        """Return the latest run of an output, without inputs, values and gates."""
        condition = f"WHERE name = ? AND output = ? {LATEST_FIRST} LIMIT 1"
        with self.database.read_transaction():
            rows = self._run_rows(condition, name, output)
            return schema.row_to_run(rows[0]) if rows else None

    def get_run(self, run_id: str) -> RunRecord | None:
        """Return a run with all its parts."""
        with self.database.read_transaction():
            heads = self._run_rows("WHERE id = ?", run_id)
            return self._load_run(heads[0]) if heads else None

    def find_run_ids(self, prefix: str) -> tuple[str, ...]:
        """Return the run ids with a prefix."""
        with self.database.read_transaction():
            rows = self._run_rows("WHERE substr(id, 1, ?) = ? ORDER BY id", len(prefix), prefix)
            return tuple(schema.row_to_run(row).id for row in rows)

    def trend(self, name: str, measure: str | None = None) -> tuple[TrendPoint, ...]:
        """Return the values over all folds of the completed runs, the latest last."""
        runs = f"WHERE run IN (SELECT id FROM runs {COMPLETED_CONDITION}) AND fold IS NULL"  # noqa: S608
        of_measure = " AND measure = ?" if measure is not None else ""
        values = (name, RunState.COMPLETED.value)
        measures = () if measure is None else (measure,)
        with self.database.read_transaction():
            heads = self._run_rows(f"{COMPLETED_CONDITION} {LATEST_FIRST}", *values)
            condition = f"{runs}{of_measure} ORDER BY run, position"
            rows = self._rows(VALUES_TABLE, condition, *values, *measures)
            scores = {
                run: [schema.row_to_value(row) for row in group]
                for run, group in groupby(rows, key=lambda row: row[0])
            }
            completed = [schema.row_to_run(head) for head in reversed(heads)]
        return tuple(
            TrendPoint(run, score) for run in completed for score in scores.get(run.id, ())
        )

    def names(self) -> tuple[str, ...]:
        """Return the names of all runs."""
        with self.database.read_transaction():
            rows = self.database.query("SELECT DISTINCT name FROM runs ORDER BY name")
        return tuple(str(name) for (name,) in rows)

    def prunable_runs(
        self, *, keep: int | None, before: datetime | None, name: str | None
    ) -> tuple[RunRecord, ...]:
        """Return the runs that `prune` would delete, the latest first."""
        condition, values = prune_condition(keep, before, name)
        candidates = self._load_runs_with_gates(condition, *values)
        with self.database.read_transaction():
            baselines = self._baseline_run_ids({run.name for run in candidates})
        return tuple(run for run in candidates if run.id not in baselines)

    def prune(self, *, keep: int | None, before: datetime | None, name: str | None) -> int:
        """Delete runs that are neither among the last of their name nor recent; return the count.

        The last completed, the last published and the last running run of a name are retained, and
        so are the baselines of gates.
        """
        condition, values = prune_condition(keep, before, name)
        with self.database.write_transaction():
            candidates = [schema.row_to_run(head) for head in self._run_rows(condition, *values)]
            baselines = self._baseline_run_ids({run.name for run in candidates})
            prunable = [(run.id,) for run in candidates if run.id not in baselines]
            self.database.execute_many("DELETE FROM runs WHERE id = ?", prunable)
        return len(prunable)

    def _failed_values(self, name: str) -> dict[str, frozenset[ValueKey]]:
        """Return the keys of the values that are worse than in an earlier run, by run id."""
        condition = (
            f"WHERE run IN (SELECT id FROM runs {COMPLETED_CONDITION}) ORDER BY run, position"  # noqa: S608
        )
        rows = self._rows(GATES_TABLE, condition, name, RunState.COMPLETED.value)
        return {
            str(run_id): frozenset(
                gate.value_key for gate in map(schema.row_to_gate, group) if gate.is_worse_than_last
            )
            for run_id, group in groupby(rows, key=lambda row: row[0])
        }

    def _baseline_run_ids(self, names: Iterable[str]) -> set[str]:
        """Return the ids of the runs that can be baselines of gates."""
        run_ids: set[str] = set()
        for name in names:
            heads = self._run_rows(
                f"{COMPLETED_CONDITION} {LATEST_FIRST}", name, RunState.COMPLETED.value
            )
            runs = [schema.row_to_run(head) for head in heads]
            run_ids |= {
                runs[index].id for index in baseline_indices(runs, self._failed_values(name))
            }
        return run_ids

    def _insert(self, record: RunRecord) -> None:
        ((last,),) = self.database.query("SELECT COALESCE(MAX(sequence), 0) FROM runs")
        for table, rows in schema.run_rows(record, int(str(last)) + 1):
            self.database.execute_many(table.insert, rows)

    def _locked_run(self, run_id: str) -> RunRecord | None:
        """Return a run with its row locked for an update."""
        rows = self._run_rows(f"WHERE id = ?{self.database.dialect.row_lock}", run_id)
        return schema.row_to_run(rows[0]) if rows else None

    def _update_run(self, run_id: str, **changes: SqlValue) -> None:
        assignments = ", ".join(f"{column} = ?" for column in changes)
        self.database.execute_many(
            f"UPDATE runs SET {assignments} WHERE id = ?",  # noqa: S608  # names of columns
            [[*map(schema.sanitize_value, (*changes.values(), run_id))]],
        )

    def _load_run(self, run_row: SqlRow) -> RunRecord:
        run = run_row[0]
        inputs = self._rows(INPUTS_TABLE, OF_RUN_CONDITION, run)
        gates = self._rows(GATES_TABLE, OF_RUN_CONDITION, run)
        confusions = self._rows(CONFUSIONS_TABLE, OF_RUN_CONDITION, run)
        scores = self._rows(VALUES_TABLE, OF_RUN_CONDITION, run)
        _check_part_counts(
            run_row,
            [*map(len, (inputs, gates, confusions, scores)), schema.part_counts(run_row)[-1]],
        )
        return replace(
            schema.row_to_run(run_row),
            inputs=tuple(map(schema.row_to_input, inputs)),
            gates=tuple(map(schema.row_to_gate, gates)),
            confusion=dict(map(schema.row_to_confusion, confusions)),
            weights=schema.rows_to_weights(confusions),
            values=tuple(map(schema.row_to_value, scores)),
        )

    def _load_previous_run(self, run_row: SqlRow, *, full: bool) -> PreviousRun:
        run = schema.row_to_run(run_row)
        of_classes = "" if full else "AND class IS NULL "
        condition = f"WHERE run = ? AND fold IS NULL {of_classes}ORDER BY position"
        rows = self._rows(VALUES_TABLE, condition, run.id)
        confusions = self._rows(CONFUSIONS_TABLE, OF_RUN_CONDITION, run.id) if full else []
        inputs = self._rows(INPUTS_TABLE, OF_RUN_CONDITION, run.id) if full else []
        if full:
            _, gates, _, scores, _ = schema.part_counts(run_row)
            _check_part_counts(run_row, [len(inputs), gates, len(confusions), scores, len(rows)])
        confusion = _read_confusions(run, confusions)
        return PreviousRun(
            id=run.id,
            ended=run.ended,
            version=run.version,
            data_fingerprint=run.data_fingerprint,
            published=run.published,
            level=run.level,
            classes=run.classes,
            positive=run.positive,
            values={
                (record.classifier, record.class_, record.average, record.measure): record.value
                for record in map(schema.row_to_value, rows)
            },
            confusion=confusion,
            weights=schema.rows_to_weights(confusions),
            inputs=tuple(
                PreviousInput(record.path, record.sha256, record.rows)
                for record in map(schema.row_to_input, inputs)
            ),
        )

    def _load_runs_with_gates(self, condition: str, *values: SqlValue) -> tuple[RunRecord, ...]:
        gate_condition = f"WHERE run IN (SELECT id FROM runs {condition}) ORDER BY run, position"  # noqa: S608
        with self.database.read_transaction():
            heads = self._run_rows(condition, *values)
            rows = self._rows(GATES_TABLE, gate_condition, *values)
            gates: dict[SqlValue, tuple[GateRecord, ...]] = {
                run: tuple(map(schema.row_to_gate, group))
                for run, group in groupby(rows, key=lambda row: row[0])
            }
            for head in heads:
                inputs, _, *others = schema.part_counts(head)
                _check_part_counts(head, [inputs, len(gates.get(head[0], ())), *others])
            return tuple(
                replace(schema.row_to_run(head), gates=gates.get(head[0], ())) for head in heads
            )

    def _run_rows(self, condition: str, *values: SqlValue) -> list[SqlRow]:
        return self._rows(RUNS_TABLE, condition, *values)

    def _rows(self, table: SqlTable, condition: str, *values: SqlValue) -> list[SqlRow]:
        return self.database.query(table.select(condition), [*map(schema.sanitize_value, values)])


def _read_confusions(run: RunRecord, rows: Sequence[SqlRow]) -> dict[str, ConfusionCounts]:
    """Return the confusion matrices of a run, which must have a row for each of its classes."""
    matrices = dict(map(schema.row_to_confusion, rows))
    if any(len(matrix) != len(run.classes) for matrix in matrices.values()):
        message = f"a confusion matrix of run {run.id} does not fit its classes"
        raise schema.CorruptHistoryError(message)
    return matrices


def _check_part_counts(run_row: SqlRow, counts: Sequence[int]) -> None:
    if schema.part_counts(run_row) != tuple(counts):
        raise schema.CorruptHistoryError(f"run {run_row[0]} is incomplete")


class Database(Protocol):
    """A database connection; its errors are raised as HistoryError."""

    dialect: SqlDialect

    def write_transaction(self) -> AbstractContextManager[None]:
        """Open a write transaction: atomic, and serialized with other writers."""

    def read_transaction(self) -> AbstractContextManager[None]:
        """Open a read transaction on one consistent snapshot."""

    def query(self, statement: str, values: Sequence[SqlValue] = ()) -> list[SqlRow]:
        """Return the rows of a query."""

    def execute_many(self, statement: str, rows: Iterable[Sequence[SqlValue]]) -> None:
        """Execute a statement once for each row of values."""
