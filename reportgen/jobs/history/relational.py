"""A history in tables, whichever database has them."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.comparisons.over_time.past import Past, PastRun
from reportgen.errors import ExitCode, Fault, HistoryError
from reportgen.errors.job_faults import RUN_GONE
from reportgen.frozen import frozen
from reportgen.jobs.history import rows
from reportgen.jobs.history.baselines import baselines
from reportgen.jobs.history.choosing import LATEST_FIRST, condition_of, prune_condition
from reportgen.jobs.history.record import RunState, TrendPoint
from reportgen.jobs.history.tables import CONFUSIONS, GATES, INPUTS, RUNS, SCORES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from reportgen.comparisons.over_time.past import ScoreKey
    from reportgen.jobs.history.database import Database
    from reportgen.jobs.history.record import GateRecord, RunRecord
    from reportgen.jobs.history.rows import Row, Value
    from reportgen.jobs.history.tables import Table

ALL = 2**62
OF_RUN = "WHERE run = ? ORDER BY place"
WRITTEN = "WHERE name = ? AND state = ?"
# The last run on other data than now is among so many.
WHOLE = 2


@frozen
class RelationalHistory:
    """The runs of all specs that are kept in one database."""

    database: Database

    def begin(self, record: RunRecord) -> None:
        """Keep a run with everything in it, or nothing of it."""
        with self.database.writing():
            self._insert(record)

    def finish(self, run: str, state: RunState, *, exit_code: int, ended: datetime) -> None:
        """Say how a run that began has ended."""
        with self.database.writing():
            heads = self._heads(f"WHERE id = ?{self.database.dialect.lock}", run)
            if not heads:
                message = f"run {run} is not in the history any more"
                raise HistoryError(Fault(RUN_GONE, message, help="was it pruned meanwhile?"))
            changes: dict[str, Value] = {
                "state": state.value,
                "exit_code": int(exit_code),
                "ended": rows.moment(ended),
            }
            self._replace(rows.altered(head, **changes) for head in heads)

    def fail(self, record: RunRecord) -> None:
        """Keep that a run came to no good end: in its own row if it began, else in a new one.

        One whose report was written stays so, with the exit code and the faults of its end.
        """
        with self.database.writing():
            heads = self._heads(f"WHERE id = ?{self.database.dialect.lock}", record.id)
            if not heads:
                self._insert(record)
            self._replace(_failed(head, record) for head in heads)

    def settle(self, name: str, output: str, manifest: str) -> None:
        """End the runs of this output that began and never ended.

        They count as written if the manifest there is theirs, else as interrupted.
        """
        with self.database.writing():
            heads = self._heads(
                f"WHERE name = ? AND output = ? AND state = ?{self.database.dialect.lock}",
                *(name, output, RunState.BEGUN.value),
            )
            self._replace(_settled(head, manifest) for head in heads)

    def mark_published(self, runs: Iterable[str]) -> None:
        """Remember that the reports of these runs were published."""
        with self.database.writing():
            # In one order, so that two who mark the same runs do not wait for each other.
            for run in sorted(set(runs)):
                heads = self._heads(f"WHERE id = ?{self.database.dialect.lock}", run)
                self._replace(rows.altered(head, published=1) for head in heads)

    def mark_final(self, run: str, *, is_final: bool) -> None:
        """Remember whether a run was the last try, so that people were told of it."""
        with self.database.writing():
            heads = self._heads(f"WHERE id = ?{self.database.dialect.lock}", run)
            self._replace(rows.altered(head, final=int(is_final)) for head in heads)

    def last_told(self, name: str, before: str) -> RunRecord | None:
        """Return the last run but this of which people were told, or would have been."""
        told = "name = ? AND id <> ? AND state <> ? AND (final = 1 OR final IS NULL AND state <> ?)"
        values = (name, before, RunState.BEGUN.value, RunState.INTERRUPTED.value)
        found = self._with_gates(f"WHERE {told} {LATEST_FIRST} LIMIT 1", *values)
        return next(iter(found), None)

    def past(self, name: str, most: int) -> Past:
        """Return the last runs whose report was written, the latest last.

        Of several in a row on the same data the latest is there. Those that gates may compare with
        are among them, however few are asked for. Older runs come without values of single classes
        and without matrices, which only those need.
        """
        with self.database.reading():
            known = self._heads(f"{WRITTEN} {LATEST_FIRST}", name, RunState.WRITTEN.value)
            runs = [rows.head_of(head) for head in known]
            failed = self._failed(name)
            changed = [
                place
                for place, run in enumerate(runs)
                if place == 0 or not run.data or run.data != runs[place - 1].data
            ]
            whole = {*changed[:WHOLE], *baselines(runs, failed)}
            chosen = sorted({*changed[: max(most, 1)], *whole}, reverse=True)
            return Past(
                tuple(
                    replace(
                        self._past_run(known[place], whole=place in whole),
                        failed=failed.get(runs[place].id, frozenset()),
                    )
                    for place in chosen
                )
            )

    def runs(self, name: str | None = None, most: int | None = None) -> tuple[RunRecord, ...]:
        """Return runs with their gates but without inputs and scores, the latest first."""
        condition, values = condition_of(name)
        limit = ALL if most is None else most
        return self._with_gates(f"{condition} {LATEST_FIRST} LIMIT ?", *values, limit)

    def latest(self, name: str, output: str) -> RunRecord | None:
        """Return the latest run of an output, without inputs, scores and gates."""
        condition = f"WHERE name = ? AND output = ? {LATEST_FIRST} LIMIT 1"
        with self.database.reading():
            heads = self._heads(condition, name, output)
        return rows.head_of(heads[0]) if heads else None

    def run(self, run: str) -> RunRecord | None:
        """Return a run with everything in it."""
        with self.database.reading():
            heads = self._heads("WHERE id = ?", run)
            return self._whole(heads[0]) if heads else None

    def ids(self, prefix: str) -> tuple[str, ...]:
        """Return the ids that begin so."""
        with self.database.reading():
            heads = self._heads("WHERE substr(id, 1, ?) = ? ORDER BY id", len(prefix), prefix)
        return tuple(str(head[0]) for head in heads)

    def trend(self, name: str, measure: str | None = None) -> tuple[TrendPoint, ...]:
        """Return the scores over all folds of the runs that were written, the latest last."""
        runs = f"WHERE run IN (SELECT id FROM runs {WRITTEN}) AND fold IS NULL"  # noqa: S608
        of_measure = " AND measure = ?" if measure is not None else ""
        values = (name, RunState.WRITTEN.value)
        measures = () if measure is None else (measure,)
        with self.database.reading():
            heads = self._heads(f"{WRITTEN} {LATEST_FIRST}", *values)
            condition = f"{runs}{of_measure} ORDER BY run, place"
            found = self._rows(SCORES, condition, *values, *measures)
            scores = {
                run: [rows.score_of(row) for row in group]
                for run, group in groupby(found, key=lambda row: row[0])
            }
            known = [rows.head_of(head) for head in reversed(heads)]
        return tuple(TrendPoint(run, score) for run in known for score in scores.get(run.id, ()))

    def names(self) -> tuple[str, ...]:
        """Return the names under which runs are kept."""
        with self.database.reading():
            found = self.database.query("SELECT DISTINCT name FROM runs ORDER BY name")
        return tuple(str(name) for (name,) in found)

    def prunable(
        self, *, keep: int | None, before: datetime | None, name: str | None
    ) -> tuple[RunRecord, ...]:
        """Return the runs that `prune` would forget, the latest first."""
        condition, values = prune_condition(keep, before, name)
        found = self._with_gates(condition, *values)
        with self.database.reading():
            kept = self._baselines({run.name for run in found})
        return tuple(run for run in found if run.id not in kept)

    def prune(self, *, keep: int | None, before: datetime | None, name: str | None) -> int:
        """Forget runs that are neither among the last of their name nor recent; return how many.

        The last run of a name that was written, that was published, or that began stays, and so do
        those that gates may compare with.
        """
        condition, values = prune_condition(keep, before, name)
        with self.database.writing():
            heads = [rows.head_of(head) for head in self._heads(condition, *values)]
            kept = self._baselines({run.name for run in heads})
            gone = [(run.id,) for run in heads if run.id not in kept]
            self.database.change("DELETE FROM runs WHERE id = ?", gone)
        return len(gone)

    def _failed(self, name: str) -> dict[str, frozenset[ScoreKey]]:
        """Return the values that runs were found to be worse in than an earlier one, by run."""
        # All gates are read, as a damaged row might not look like one that failed.
        condition = f"WHERE run IN (SELECT id FROM runs {WRITTEN}) ORDER BY run, place"  # noqa: S608
        found = self._rows(GATES, condition, name, RunState.WRITTEN.value)
        return {
            str(run): frozenset(gate.key for gate in map(rows.gate_of, group) if gate.is_refused)
            for run, group in groupby(found, key=lambda row: row[0])
        }

    def _baselines(self, names: Iterable[str]) -> set[str]:
        """Return the runs that gates may compare with."""
        found: set[str] = set()
        for name in names:
            heads = self._heads(f"{WRITTEN} {LATEST_FIRST}", name, RunState.WRITTEN.value)
            runs = [rows.head_of(head) for head in heads]
            found |= {runs[place].id for place in baselines(runs, self._failed(name))}
        return found

    def _insert(self, record: RunRecord) -> None:
        found = (
            (RUNS, [rows.head_row(record)]),
            (INPUTS, rows.input_rows(record)),
            (GATES, rows.gate_rows(record)),
            (CONFUSIONS, rows.confusion_rows(record)),
            (SCORES, rows.score_rows(record)),
        )
        for table, added in found:
            if added:
                self.database.change(table.insert, added)

    def _whole(self, head: Row) -> RunRecord:
        run = head[0]
        inputs = self._rows(INPUTS, OF_RUN, run)
        gates = self._rows(GATES, OF_RUN, run)
        confusions = self._rows(CONFUSIONS, OF_RUN, run)
        scores = self._rows(SCORES, OF_RUN, run)
        _expect(head, [*map(len, (inputs, gates, confusions, scores)), rows.parts_of(head)[-1]])
        return replace(
            rows.head_of(head),
            inputs=tuple(map(rows.input_of, inputs)),
            gates=tuple(map(rows.gate_of, gates)),
            confusion=dict(map(rows.confusion_of, confusions)),
            weights=rows.weights_of(confusions),
            scores=tuple(map(rows.score_of, scores)),
        )

    def _past_run(self, head: Row, *, whole: bool) -> PastRun:
        known = rows.head_of(head)
        of_classes = "" if whole else "AND class IS NULL "
        condition = f"WHERE run = ? AND fold IS NULL {of_classes}ORDER BY place"
        found = self._rows(SCORES, condition, known.id)
        confusions = self._rows(CONFUSIONS, OF_RUN, known.id) if whole else []
        if whole:
            inputs, gates, _, scores, _ = rows.parts_of(head)
            _expect(head, [inputs, gates, len(confusions), scores, len(found)])
        return PastRun(
            id=known.id,
            ended=known.ended,
            version=known.version,
            data=known.data,
            published=known.published,
            level=known.level,
            classes=known.classes,
            positive=known.positive,
            scores={
                (each.classifier, each.class_, each.average, each.measure): each.score
                for each in map(rows.score_of, found)
            },
            confusion=dict(map(rows.confusion_of, confusions)),
            weights=rows.weights_of(confusions),
        )

    def _with_gates(self, condition: str, *values: Value) -> tuple[RunRecord, ...]:
        chosen = f"WHERE run IN (SELECT id FROM runs {condition}) ORDER BY run, place"  # noqa: S608
        with self.database.reading():
            heads = self._heads(condition, *values)
            found = self._rows(GATES, chosen, *values)
            gates: dict[Value, tuple[GateRecord, ...]] = {
                run: tuple(map(rows.gate_of, group))
                for run, group in groupby(found, key=lambda row: row[0])
            }
            for head in heads:
                inputs, _, *others = rows.parts_of(head)
                _expect(head, [inputs, len(gates.get(head[0], ())), *others])
            return tuple(
                replace(rows.head_of(head), gates=gates.get(head[0], ())) for head in heads
            )

    def _heads(self, condition: str, *values: Value) -> list[Row]:
        return self._rows(RUNS, condition, *values)

    def _rows(self, table: Table, condition: str, *values: Value) -> list[Row]:
        found = self.database.query(table.select(condition), [*map(rows.cleaned, values)])
        return rows.unsealed(table, found)

    def _replace(self, heads: Iterable[Row]) -> None:
        changed = [dict(zip((*RUNS.columns, "crc"), head, strict=True)) for head in heads]
        columns = ("state", "exit_code", "ended", "published", "final", "faults", "crc")
        values = [tuple(head[column] for column in (*columns, "id")) for head in changed]
        marks = ", ".join(f"{column} = ?" for column in columns)
        self.database.change(f"UPDATE runs SET {marks} WHERE id = ?", values)  # noqa: S608


def _settled(head: Row, manifest: str) -> Row:
    theirs = dict(zip(RUNS.columns, head, strict=True))["manifest"]
    if manifest and theirs == manifest:
        return rows.altered(head, state=RunState.WRITTEN.value)
    exit_code = int(ExitCode.ENVIRONMENT)
    return rows.altered(head, state=RunState.INTERRUPTED.value, exit_code=exit_code)


def _failed(head: Row, record: RunRecord) -> Row:
    is_written = rows.head_of(head).state is RunState.WRITTEN
    return rows.altered(
        head,
        state=RunState.WRITTEN.value if is_written else record.state.value,
        exit_code=int(record.exit_code),
        ended=rows.moment(record.ended),
        faults=rows.listed(record.faults),
    )


def _expect(head: Row, found: list[int]) -> None:
    if rows.parts_of(head) != found:
        raise rows.DamagedError(f"run {head[0]} is not complete")
