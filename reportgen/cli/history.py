"""`reportgen history`: what earlier runs found."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.console import print_data, print_json, print_message, sanitize_text
from reportgen.errors import did_you_mean
from reportgen.evaluation.gate_outcome import GateVerdict, gate_record
from reportgen.paths import HISTORY_ENV_VAR, HISTORY_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    import polars as pl

    from reportgen.evaluation.values import MeasureValue
    from reportgen.jobs.history.record import GateRecord, RunRecord, TrendPoint, ValueRecord
    from reportgen.jobs.history.store import HistoryStore


DEFAULT_HISTORY = f"reports/{HISTORY_FILE}"
AGE_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
EXPORT_FORMATS = ("json", "csv", "parquet")

history_app = typer.Typer(
    name="history",
    help="Show, follow, export and prune what earlier runs found.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

ExistingHistoryOption = Annotated[
    str,
    typer.Option(
        "--history",
        metavar="PATH|URL",
        envvar=HISTORY_ENV_VAR,
        help="Where the runs are kept: a file, or postgresql://user@host/database.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


@history_app.command("list")
def list_runs(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only runs of this name.")
    ] = None,
    last: Annotated[
        int | None, typer.Option("--last", metavar="N", min=1, help="Only the latest N runs.")
    ] = None,
    location: ExistingHistoryOption = DEFAULT_HISTORY,
    as_json: JsonOption = False,
) -> None:
    """List the runs, the latest first: how they ended, and how many gates were passed."""
    with _open_existing(location) as history:
        runs = history.runs(name, last)
        names = () if runs or name is None else history.names()
    if name is not None and not runs:
        raise typer.BadParameter(_unknown_message("name", name, names), param_hint="NAME")
    if as_json:
        print_json([run_summary_row(run) for run in runs])
    elif runs:
        print_data(format_run_list(runs))
    else:
        print_message("there are no runs yet")


@history_app.command("show")
def show_run(
    run_id: Annotated[
        str, typer.Argument(metavar="RUN", help="Its id, or how only this one begins.")
    ],
    location: ExistingHistoryOption = DEFAULT_HISTORY,
    as_json: JsonOption = False,
) -> None:
    """Show everything that was kept of one run."""
    with _open_existing(location) as history:
        found = _find_run(history, run_id)
    if as_json:
        print_json(run_detail_row(found))
    else:
        print_data(format_run(found))


@history_app.command()
def trend(  # noqa: PLR0913, PLR0917  # typer takes an option from each
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the runs.")],
    measure: Annotated[str, typer.Argument(metavar="MEASURE", help="The measure.")],
    classifier: Annotated[
        str | None, typer.Option("--classifier", metavar="NAME", help="Only this classifier.")
    ] = None,
    class_: Annotated[
        str | None,
        typer.Option("--class", metavar="CLASS", help="The value for this class."),
    ] = None,
    average: Annotated[
        str | None,
        typer.Option("--average", metavar="KIND", help="An average: macro, micro or weighted."),
    ] = None,
    location: ExistingHistoryOption = DEFAULT_HISTORY,
    as_json: JsonOption = False,
) -> None:
    """Follow one measure over the runs of NAME, with its intervals."""
    wanted = _resolve_measure(measure)
    with _open_existing(location) as history:
        # All measures are read only to say which ones there are.
        points = history.trend(name, wanted) or history.trend(name)
        names = () if points else history.names()
    if not points and name not in names:
        raise typer.BadParameter(_unknown_message("name", name, names), param_hint="NAME")
    if not points:
        raise typer.BadParameter(f"no report of `{sanitize_text(name)}` was written yet")
    found = _select_points(points, wanted, classifier, class_, average)
    if as_json:
        print_json([trend_point_row(point) for point in found])
    else:
        print_data(format_trend(found))


@history_app.command()
def prune(  # noqa: PLR0913, PLR0917  # typer takes an option from each
    keep: Annotated[
        int | None,
        typer.Option("--keep", metavar="N", min=1, help="Keep the latest N runs of each name."),
    ] = None,
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", metavar="AGE", help="Keep what is younger: 90d, 12w, 36h."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Only runs of this name.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Remove them, instead of saying which.")
    ] = False,
    location: ExistingHistoryOption = DEFAULT_HISTORY,
    as_json: JsonOption = False,
) -> None:
    """Remove older runs from the history; without --yes only say which.

    What either rule keeps is kept. Runs that later ones are compared with always stay: of each
    name the last one that was written, that on other data, and that which was published.
    """
    before = _parse_age(older_than)
    if keep is None and before is None:
        raise typer.BadParameter("say what to keep: --keep 100, --older-than 90d, or both")
    with _open_existing(location) as history:
        found = history.prunable_runs(keep=keep, before=before, name=name)
        removed = history.prune(keep=keep, before=before, name=name) if yes and found else 0
    if as_json:
        print_json({"removed": removed, "runs": [run_summary_row(run) for run in found]})
    elif found:
        print_data(format_run_list(found))
    runs = f"{len(found)} run{'' if len(found) == 1 else 's'}"
    print_message(
        f"removed {removed} of {runs}" if yes else f"{runs} would be removed; --yes removes them"
    )


@history_app.command()
def export(
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="json, csv or parquet; by default what FILE ends with, or json.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write, instead of stdout.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Only runs of this name.")
    ] = None,
    location: ExistingHistoryOption = DEFAULT_HISTORY,
) -> None:
    """Write all scores of all runs, one row for each; a run without scores has one row."""
    wanted = format_ or (output.suffix.lstrip(".") if output else "") or "json"
    if wanted not in EXPORT_FORMATS:
        hint = did_you_mean(wanted, EXPORT_FORMATS) or f"there are {', '.join(EXPORT_FORMATS)}"
        raise typer.BadParameter(f"there is no format `{wanted}`; {hint}", param_hint="--format")
    if wanted == "parquet" and output is None:
        raise typer.BadParameter("parquet needs a FILE", param_hint="--output")
    from reportgen.output.write import write_file_atomic

    with _open_existing(location) as history:
        content = export_history(history, name, wanted)
    if output is None:
        print_data(content.decode("utf-8").removesuffix("\n"))
        return
    write_file_atomic(output, content)
    print_data(str(output))


@contextmanager
def _open_existing(location: str) -> Iterator[HistoryStore]:
    from reportgen.jobs.history.store import open_history

    with open_history(location, must_exist=True) as history:
        yield history


def _find_run(history: HistoryStore, run_id: str) -> RunRecord:
    """Return the run with this id, or the only one that begins so."""
    ids = history.find_run_ids(run_id)
    # An id may begin with another one only by mistake, but then it is meant itself.
    found = (
        history.get_run(run_id if run_id in ids else ids[0])
        if len(ids) == 1 or run_id in ids
        else None
    )
    if found is not None:
        return found
    if not ids:
        message = f"there is no run `{sanitize_text(run_id)}`; `reportgen history list` lists them"
    else:
        message = f"{len(ids)} runs begin with `{sanitize_text(run_id)}`: {', '.join(ids[:5])}"
        message += " …" if len(ids) > len(ids[:5]) else ""
    raise typer.BadParameter(message, param_hint="RUN")


def _resolve_measure(name: str) -> str:
    """Return the name of a measure that may be given by another of its names."""
    from reportgen.measures import find_measure

    found = find_measure(name)
    return found.name if found is not None else name


def _select_points(
    points: tuple[TrendPoint, ...],
    measure: str,
    classifier: str | None,
    class_: str | None,
    average: str | None,
) -> list[TrendPoint]:
    """Return the points that are asked for; if there are none, say what there is instead."""
    left = list(points)
    for key, wanted, option in (
        ("measure", measure, "MEASURE"),
        ("classifier", classifier, "--classifier"),
    ):
        known = list(dict.fromkeys(str(getattr(point.record, key)) for point in left))
        if wanted is not None and wanted not in known:
            raise typer.BadParameter(_unknown_message(key, wanted, known), param_hint=option)
        left = [point for point in left if wanted in {None, getattr(point.record, key)}]
    found = [p for p in left if (p.record.class_, p.record.average) == (class_, average)]
    if not found:
        classes = dict.fromkeys(p.record.class_ for p in left if p.record.class_ is not None)
        averages = dict.fromkeys(p.record.average for p in left if p.record.average is not None)
        known = [*(f"--class {one}" for one in classes), *(f"--average {one}" for one in averages)]
        told = ", ".join(map(sanitize_text, known)) or "the value of the whole, without an option"
        raise typer.BadParameter(f"there is no such value of {measure}; there is {told}")
    return found


def _parse_age(age: str | None) -> datetime | None:
    """Return the moment that is so long ago."""
    if age is None:
        return None
    from datetime import UTC, datetime, timedelta

    found = re.fullmatch(r"(\d{1,5})\s*([hdw])", age.strip())
    if found is None:
        message = f"`{sanitize_text(age)}` is no age; write 36h, 90d or 12w"
        raise typer.BadParameter(message, param_hint="--older-than")
    return datetime.now(UTC) - timedelta(**{AGE_UNITS[found[2]]: int(found[1])})


def _unknown_message(kind: str, value: str, choices: tuple[str, ...] | list[str]) -> str:
    """Return the message about an unknown name, with the known ones."""
    hint = did_you_mean(value, choices) or f"there is {', '.join(choices[:20])}" if choices else ""
    said = f"the history has no {kind} `{value}`"
    return sanitize_text(f"{said}; {hint}" if hint else said)


# Runs as people read them in a terminal.

INTERVAL_PLOT_WIDTH = 40
RUN_TABLE_HEADERS = ("run", "started (UTC)", "name", "state", "gates", "seconds")


def format_run_list(runs: Sequence[RunRecord]) -> str:
    """Return runs as a table."""
    return _format_table(
        [
            RUN_TABLE_HEADERS,
            *(
                (
                    run.id,
                    _format_time(run.started),
                    run.name,
                    _format_state(run),
                    _format_gate_counts(run),
                    _format_duration(run),
                )
                for run in runs
            ),
        ],
        right_aligned={5},
    )


def format_run(run: RunRecord) -> str:
    """Return all about a run."""
    head = (
        ("run", run.id),
        ("name", run.name),
        ("title", run.title),
        ("started", f"{_format_time(run.started)} UTC, {_format_duration(run)} s"),
        ("state", f"{_format_state(run)}, exit code {run.exit_code}"),
        ("spec", run.spec),
        ("output", run.output),
        ("version", f"reportgen {run.version}"),
    )
    parts = [_format_table([row for row in head if row[1]])]
    parts += [
        _format_list(title, lines)
        for title, lines in (
            ("Findings", run.findings),
            ("Gates", [_format_gate(gate) for gate in run.gates]),
            ("Warnings", run.warnings),
            ("Errors", run.errors),
            ("Inputs", [_format_input(run, place) for place in range(len(run.inputs))]),
        )
        if lines
    ]
    overall = [score for score in run.values if score.fold is None]
    if overall:
        parts.append("Values over all folds\n" + _indent(_format_values(overall)))
    return "\n\n".join(parts)


def format_trend(points: Sequence[TrendPoint]) -> str:
    """Return values over runs, each with its interval on one scale for all."""
    known = [
        end
        for point in points
        for end in (point.record.value.number, point.record.value.low, point.record.value.high)
        if end is not None and math.isfinite(end)
    ]
    low, high = min(known, default=0.0), max(known, default=0.0)
    ordered = sorted(points, key=lambda point: point.record.classifier)
    parts = []
    for classifier, group in groupby(ordered, key=lambda point: point.record.classifier):
        rows = [
            (
                _format_time(point.run.ended),
                _format_value(point.record),
                _format_interval(point.record),
                _plot_interval(point.record.value, low, high),
                point.run.id + (" published" if point.run.published else ""),
            )
            for point in group
        ]
        parts.append(f"{sanitize_text(classifier)}\n{_indent(_format_table(rows))}")
    return "\n\n".join([_format_trend_title(points[0], low, high), *parts])


def _format_table(
    rows: Sequence[Sequence[str]], right_aligned: frozenset[int] | set[int] = frozenset()
) -> str:
    """Return rows with their columns one below the other, whatever the width of their signs."""
    from rich.cells import cell_len

    cells = [[sanitize_text(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        padded = [
            " " * (width - cell_len(cell)) + cell
            if place in right_aligned
            else cell + " " * (width - cell_len(cell))
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _format_list(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *(f"  {sanitize_text(line)}" for line in lines)])


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def _format_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _format_duration(run: RunRecord) -> str:
    return f"{(run.ended - run.started).total_seconds():.1f}"


def _format_state(run: RunRecord) -> str:
    return f"{run.state.value}, published" if run.published else run.state.value


def _format_gate_counts(run: RunRecord) -> str:
    """Return the numbers of gates by verdict as text."""
    words = Counter(gate.verdict for gate in run.gates)
    return ", ".join(f"{words[word]} {word}" for word in GateVerdict if words[word]) or "–"


def _format_gate(gate: GateRecord) -> str:
    return f"{gate.verdict}: {gate.description}"


def _format_input(run: RunRecord, index: int) -> str:
    each = run.inputs[index]
    rows = f", {each.rows} rows" if each.rows is not None else ""
    of = f"{each.classifier}: " if each.classifier else ""
    return f"{of}{each.path}{rows}, sha256 {each.sha256[:12]}…"


def _format_values(records: Sequence[ValueRecord]) -> str:
    rows = [("classifier", "class or average", "measure", "value", "interval")]
    rows += [
        (
            score.classifier,
            score.class_ or score.average or "",
            score.measure,
            _format_value(score),
            _format_interval(score),
        )
        for score in records
    ]
    return _format_table(rows)


def _format_value(record: ValueRecord) -> str:
    from reportgen.measures import find_measure
    from reportgen.render.number_format import UNDEFINED_TEXT, format_measure_value, format_number

    measure = find_measure(record.measure)
    if measure is not None:
        return format_measure_value(record.value, measure)
    number = record.value.number
    return UNDEFINED_TEXT if number is None else format_number(number)


def _format_interval(record: ValueRecord) -> str:
    from reportgen.measures import find_measure
    from reportgen.render.number_format import format_value_interval

    measure = find_measure(record.measure)
    if record.value.method is None or measure is None:
        return record.value.reason or ""
    low, high = format_value_interval(record.value, measure)
    return f"{low} to {high}"


def _plot_interval(value: MeasureValue, low: float, high: float) -> str:
    """Draw a value as a dot and its interval as a line; an arrow goes beyond the scale."""
    if value.number is None:
        return ""
    signs = [" "] * INTERVAL_PLOT_WIDTH
    if value.method is not None:
        start, end = (
            _plot_column(value.low, low, high, 0),
            _plot_column(value.high, low, high, INTERVAL_PLOT_WIDTH - 1),
        )
        signs[start : end + 1] = "─" * (end + 1 - start)
        signs[start] = "◂" if value.low is None else "├"
        signs[end] = "▸" if value.high is None else "┤"
    if math.isfinite(value.number):
        signs[_plot_column(value.number, low, high, 0)] = "●"
    return "".join(signs)


def _plot_column(number: float | None, low: float, high: float, default: int) -> int:
    if number is None or not math.isfinite(number):
        return default
    share = (number - low) / (high - low) if high > low else 0.5
    return round(share * (INTERVAL_PLOT_WIDTH - 1))


def _format_trend_title(point: TrendPoint, low: float, high: float) -> str:
    from reportgen.measures import find_measure
    from reportgen.render.number_format import format_number

    measure = find_measure(point.record.measure)
    title = measure.title if measure else point.record.measure
    average = f", {sanitize_text(point.record.average)} average," if point.record.average else ""
    of = f" of {sanitize_text(point.record.class_)}" if point.record.class_ else ""
    better = f", better: {measure.orientation.value}" if measure else ""
    scale = (
        f"; drawn from {format_number(low, 3)} to {format_number(high, 3)}" if low < high else ""
    )
    return f"{title}{of}{average} in {sanitize_text(point.run.name)}{better}{scale}"


# Runs as programs read them.


def run_summary_row(run: RunRecord) -> dict[str, object]:
    """Return what a list of runs tells of one, for programs."""
    return {
        "run": run.id,
        "name": run.name,
        "title": run.title,
        "state": run.state.value,
        "exit_code": run.exit_code,
        "started": _format_iso(run.started),
        "ended": _format_iso(run.ended),
        "seconds": (run.ended - run.started).total_seconds(),
        "published": run.published,
        "version": run.version,
        "spec": run.spec,
        "output": run.output,
        "data": run.data_fingerprint,
        "gates": [gate_record(gate) for gate in run.gates],
        "errors": list(run.errors),
    }


def run_detail_row(run: RunRecord) -> dict[str, object]:
    """Return all about a run, for programs."""
    return {
        **run_summary_row(run),
        "manifest": run.manifest_sha256,
        "classes": list(run.classes),
        "findings": list(run.findings),
        "warnings": list(run.warnings),
        "inputs": [
            {
                "classifier": each.classifier,
                "path": each.path,
                "sha256": each.sha256,
                "rows": each.rows,
            }
            for each in run.inputs
        ],
        "confusion": {name: [list(row) for row in rows] for name, rows in run.confusion.items()},
        "values": [value_record_row(value) for value in run.values],
    }


def trend_point_row(point: TrendPoint) -> dict[str, object]:
    """Return one point of a trend, for programs."""
    run = point.run
    return {
        "run": run.id,
        "ended": _format_iso(run.ended),
        "version": run.version,
        "data": run.data_fingerprint,
        "published": run.published,
        **value_record_row(point.record),
    }


def value_record_row(record: ValueRecord) -> dict[str, object]:
    """Return a score with the names it has in results.json."""
    return {
        "classifier": record.classifier,
        "class": record.class_,
        "average": record.average,
        "fold": record.fold,
        "measure": record.measure,
        "value": _finite_or_none(record.value.value),
        "state": record.value.state.value,
        "reason": record.value.reason,
        "low": _finite_or_none(record.value.low),
        "high": _finite_or_none(record.value.high),
        "method": record.value.method,
    }


def _format_iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _finite_or_none(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


# All scores of all runs as one long table.

VALUE_COLUMNS = (
    *("classifier", "class", "average", "fold", "measure"),
    *("value", "state", "reason", "low", "high", "method"),
)


def export_history(history: HistoryStore, name: str | None, file_format: str) -> bytes:
    """Return the table in a format, the oldest run first."""
    rows = list(_export_rows(history, name))
    if file_format == "json":
        return (json.dumps(rows, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
    from reportgen.export.tables import csv_files, parquet_files

    files = csv_files if file_format == "csv" else parquet_files
    (content,) = files({"history": _export_frame(rows)}).values()
    return content


def _export_rows(history: HistoryStore, name: str | None) -> Iterator[dict[str, object]]:
    for head in reversed(history.runs(name)):
        run = history.get_run(head.id)
        # Somebody may prune meanwhile.
        if run is None:
            continue
        known = _export_run_columns(run)
        if not run.values:
            yield {**known, **dict.fromkeys(VALUE_COLUMNS)}
        for score in run.values:
            yield {**known, **value_record_row(score)}


def _export_run_columns(run: RunRecord) -> dict[str, object]:
    return {
        "run": run.id,
        "name": run.name,
        "started": run.started.isoformat(),
        "ended": run.ended.isoformat(),
        "run_state": run.state.value,
        "exit_code": run.exit_code,
        "published": run.published,
        "version": run.version,
        "data": run.data_fingerprint,
    }


def _export_frame(rows: list[dict[str, object]]) -> pl.DataFrame:
    import polars as pl

    numbers = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    others = {"exit_code": pl.Int64, "published": pl.Boolean}
    texts = ("run", "name", "started", "ended", "run_state")
    columns = (*texts, *others, "version", "data", *VALUE_COLUMNS)
    schema = {column: {**numbers, **others}.get(column, pl.String) for column in columns}
    return pl.DataFrame(rows, schema=pl.Schema(schema))
