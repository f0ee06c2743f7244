"""`reportgen history`: list, show, export and prune earlier runs."""

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

from reportgen.cli.console import (
    escape_text,
    format_table,
    print_data,
    print_document,
    print_formatted,
    print_json,
    print_message,
)
from reportgen.cli.options import JsonOption
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
    help="List, show, export and prune earlier runs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

ExistingHistoryOption = Annotated[
    str,
    typer.Option(
        "--history",
        metavar="PATH|URL",
        envvar=HISTORY_ENV_VAR,
        help="The history of the runs: a file, or postgresql://user@host/database.",
    ),
]


@history_app.command("list")
def list_runs(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only the runs of this report.")
    ] = None,
    last: Annotated[
        int | None, typer.Option("--last", metavar="N", min=1, help="Only the latest N runs.")
    ] = None,
    location: ExistingHistoryOption = DEFAULT_HISTORY,
    as_json: JsonOption = False,
) -> None:
    """List the runs with their state and gates, the latest first."""
    with _open_existing(location) as history:
        runs = history.runs(name, last)
        names = () if runs or name is None else history.names()
    if name is not None and not runs:
        raise typer.BadParameter(_unknown_message("report", name, names), param_hint="NAME")
    if as_json:
        print_json([run_summary_row(run) for run in runs])
    elif runs:
        print_formatted(format_run_list(runs))
    else:
        print_message("the history has no runs")


@history_app.command("show")
def show_run(
    run_id: Annotated[
        str, typer.Argument(metavar="RUN", help="The id of the run, or a unique beginning of it.")
    ],
    location: ExistingHistoryOption = DEFAULT_HISTORY,
    as_json: JsonOption = False,
) -> None:
    """Show one run: inputs, gates, findings and values."""
    with _open_existing(location) as history:
        run = _find_run(history, run_id)
    if as_json:
        print_json(run_detail_row(run))
    else:
        print_formatted(format_run(run))


@history_app.command()
def trend(  # noqa: PLR0913, PLR0917  # typer reads one option per parameter
    name: Annotated[str, typer.Argument(metavar="NAME", help="The report.")],
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
    """Show one measure over the runs of a report, with confidence intervals."""
    measure_name = _resolve_measure(measure)
    with _open_existing(location) as history:
        # All measures are read only for the error message, which lists them.
        points = history.trend(name, measure_name) or history.trend(name)
        names = () if points else history.names()
    if not points and name not in names:
        raise typer.BadParameter(_unknown_message("report", name, names), param_hint="NAME")
    if not points:
        raise typer.BadParameter(f"`{escape_text(name)}` has no completed run")
    selected = _select_points(points, measure_name, classifier, class_, average)
    if as_json:
        print_json([trend_point_row(point) for point in selected])
    else:
        print_formatted(format_trend(selected))


@history_app.command()
def prune(  # noqa: PLR0913, PLR0917  # typer reads one option per parameter
    keep: Annotated[
        int | None,
        typer.Option("--keep", metavar="N", min=1, help="Keep the latest N runs of each report."),
    ] = None,
    older_than: Annotated[
        str | None,
        typer.Option(
            "--older-than", metavar="AGE", help="Keep runs that are more recent: 90d, 12w, 36h."
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Only the runs of this report.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Delete the runs instead of listing them.")
    ] = False,
    location: ExistingHistoryOption = DEFAULT_HISTORY,
    as_json: JsonOption = False,
) -> None:
    """Delete old runs from the history; without --yes only list them.

    A run is deleted only if both --keep and --older-than allow it. The baselines of gates are
    always kept: of each report the last completed run, the last one on other data, and the last
    published one.
    """
    before = _parse_age(older_than)
    if keep is None and before is None:
        raise typer.BadParameter("expected --keep 100, --older-than 90d, or both")
    with _open_existing(location) as history:
        prunable = history.prunable_runs(keep=keep, before=before, name=name)
        removed = history.prune(keep=keep, before=before, name=name) if yes and prunable else 0
    if as_json:
        print_json({"removed": removed, "runs": [run_summary_row(run) for run in prunable]})
    elif prunable:
        print_formatted(format_run_list(prunable))
    runs = f"{len(prunable)} run{'' if len(prunable) == 1 else 's'}"
    print_message(
        f"deleted {removed} of {runs}" if yes else f"{runs} would be deleted; --yes deletes them"
    )


@history_app.command()
def export(
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="json, csv or parquet; default: the extension of FILE, else json.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write, instead of stdout.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Only the runs of this report.")
    ] = None,
    location: ExistingHistoryOption = DEFAULT_HISTORY,
) -> None:
    """Export the values of all runs, one row per value; a run without values has one row."""
    file_format = format_ or (output.suffix.lstrip(".") if output else "") or "json"
    if file_format not in EXPORT_FORMATS:
        hint = (
            did_you_mean(file_format, EXPORT_FORMATS)
            or f"expected one of {', '.join(EXPORT_FORMATS)}"
        )
        raise typer.BadParameter(f"unknown format `{file_format}`; {hint}", param_hint="--format")
    if file_format == "parquet" and output is None:
        raise typer.BadParameter("parquet cannot be written to stdout", param_hint="--output")
    from reportgen.output.write import write_file_atomic

    with _open_existing(location) as history:
        content = export_history(history, name, file_format)
    if output is None:
        print_document(content.decode("utf-8").removesuffix("\n"))
        return
    write_file_atomic(output, content)
    print_data(str(output))


@contextmanager
def _open_existing(location: str) -> Iterator[HistoryStore]:
    from reportgen.jobs.history.store import open_history

    with open_history(location, must_exist=True) as history:
        yield history


def _find_run(history: HistoryStore, run_id: str) -> RunRecord:
    """Return the run with this id, or the only one whose id begins with it."""
    ids = history.find_run_ids(run_id)
    # An id that is also the beginning of another id means itself.
    run = (
        history.get_run(run_id if run_id in ids else ids[0])
        if len(ids) == 1 or run_id in ids
        else None
    )
    if run is not None:
        return run
    if not ids:
        message = f"unknown run `{escape_text(run_id)}`; `reportgen history list` lists all runs"
    else:
        message = f"{len(ids)} runs begin with `{escape_text(run_id)}`: {', '.join(ids[:5])}"
        message += " …" if len(ids) > len(ids[:5]) else ""
    raise typer.BadParameter(message, param_hint="RUN")


def _resolve_measure(name: str) -> str:
    """Return the canonical name of a measure; an unknown name is returned as it is."""
    from reportgen.measures import find_measure

    measure = find_measure(name)
    return measure.name if measure is not None else name


def _select_points(
    points: tuple[TrendPoint, ...],
    measure: str,
    classifier: str | None,
    class_: str | None,
    average: str | None,
) -> list[TrendPoint]:
    """Return the requested points; raise with the available choices if there are none."""
    remaining = list(points)
    for key, choice, option in (
        ("measure", measure, "MEASURE"),
        ("classifier", classifier, "--classifier"),
    ):
        choices = list(dict.fromkeys(str(getattr(point.record, key)) for point in remaining))
        if choice is not None and choice not in choices:
            raise typer.BadParameter(_unknown_message(key, choice, choices), param_hint=option)
        remaining = [point for point in remaining if choice in {None, getattr(point.record, key)}]
    selected = [p for p in remaining if (p.record.class_, p.record.average) == (class_, average)]
    if not selected:
        classes = dict.fromkeys(p.record.class_ for p in remaining if p.record.class_ is not None)
        averages = dict.fromkeys(
            p.record.average for p in remaining if p.record.average is not None
        )
        choices = [
            *(f"--class {name}" for name in classes),
            *(f"--average {name}" for name in averages),
        ]
        options_text = (
            ", ".join(map(escape_text, choices)) or "the overall value, without an option"
        )
        raise typer.BadParameter(f"{measure} has no such value; available: {options_text}")
    return selected


def _parse_age(age: str | None) -> datetime | None:
    """Return the time that is this long ago."""
    if age is None:
        return None
    from datetime import UTC, datetime, timedelta

    match = re.fullmatch(r"(\d{1,5})\s*([hdw])", age.strip())
    if match is None:
        message = f"invalid age `{escape_text(age)}`; expected 36h, 90d or 12w"
        raise typer.BadParameter(message, param_hint="--older-than")
    return datetime.now(UTC) - timedelta(**{AGE_UNITS[match[2]]: int(match[1])})


def _unknown_message(kind: str, value: str, choices: tuple[str, ...] | list[str]) -> str:
    """Return the message about an unknown name, with the known ones."""
    hint = (
        did_you_mean(value, choices) or f"available: {', '.join(choices[:20])}" if choices else ""
    )
    message = f"the history has no {kind} `{value}`"
    return escape_text(f"{message}; {hint}" if hint else message)


INTERVAL_PLOT_WIDTH = 40
RUN_TABLE_HEADERS = ("run", "started (UTC)", "report", "state", "gates", "seconds")


def format_run_list(runs: Sequence[RunRecord]) -> str:
    """Return runs as a table."""
    rows = [
        (
            run.id,
            _format_time(run.started),
            run.name,
            _format_state(run),
            _format_gate_counts(run),
            _format_duration(run),
        )
        for run in runs
    ]
    return format_table(rows, RUN_TABLE_HEADERS, right_aligned=frozenset({"seconds"}))


def format_run(run: RunRecord) -> str:
    """Return a run as text: head, findings, gates, inputs and values."""
    head = (
        ("run", run.id),
        ("report", run.name),
        ("title", run.title),
        ("started", f"{_format_time(run.started)} UTC, {_format_duration(run)} s"),
        ("state", f"{_format_state(run)}, exit code {run.exit_code}"),
        ("spec", run.spec),
        ("output", run.output),
        ("version", f"reportgen {run.version}"),
    )
    parts = [format_table([row for row in head if row[1]])]
    parts += [
        _format_list(title, lines)
        for title, lines in (
            ("Findings", run.findings),
            ("Gates", [_format_gate(gate) for gate in run.gates]),
            ("Warnings", run.warnings),
            ("Errors", run.errors),
            ("Inputs", [_format_input(run, index) for index in range(len(run.inputs))]),
        )
        if lines
    ]
    overall = [value for value in run.values if value.fold is None]
    if overall:
        parts.append("Values over all folds\n" + _format_values(overall))
    return "\n\n".join(parts)


def format_trend(points: Sequence[TrendPoint]) -> str:
    """Return the values by classifier and run, with intervals drawn on a common scale."""
    limits = [
        end
        for point in points
        for end in (point.record.value.number, point.record.value.low, point.record.value.high)
        if end is not None and math.isfinite(end)
    ]
    low, high = min(limits, default=0.0), max(limits, default=0.0)
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
        parts.append(f"{escape_text(classifier)}\n{format_table(rows, indent=2)}")
    return "\n\n".join([_format_trend_title(points[0], low, high), *parts])


def _format_list(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *(f"  {escape_text(line)}" for line in lines)])


def _format_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _format_duration(run: RunRecord) -> str:
    return f"{(run.ended - run.started).total_seconds():.1f}"


def _format_state(run: RunRecord) -> str:
    return f"{run.state.value}, published" if run.published else run.state.value


def _format_gate_counts(run: RunRecord) -> str:
    """Return the numbers of gates by verdict as text."""
    counts = Counter(gate.verdict for gate in run.gates)
    return (
        ", ".join(f"{counts[verdict]} {verdict}" for verdict in GateVerdict if counts[verdict])
        or "–"
    )


def _format_gate(gate: GateRecord) -> str:
    return f"{gate.verdict}: {gate.description}"


def _format_input(run: RunRecord, index: int) -> str:
    file = run.inputs[index]
    rows = f", {file.rows} rows" if file.rows is not None else ""
    prefix = f"{file.classifier}: " if file.classifier else ""
    return f"{prefix}{file.path}{rows}, sha256 {file.sha256[:12]}…"


def _format_values(records: Sequence[ValueRecord]) -> str:
    headers = ("classifier", "class or average", "measure", "value", "confidence interval")
    rows = [
        (
            record.classifier,
            record.class_ or record.average or "",
            record.measure,
            _format_value(record),
            _format_interval(record),
        )
        for record in records
    ]
    return format_table(rows, headers, indent=2)


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
    """Draw a value as a dot and its interval as a line; an arrow marks an unbounded end."""
    if value.number is None:
        return ""
    characters = [" "] * INTERVAL_PLOT_WIDTH
    if value.method is not None:
        start, end = (
            _plot_column(value.low, low, high, 0),
            _plot_column(value.high, low, high, INTERVAL_PLOT_WIDTH - 1),
        )
        characters[start : end + 1] = "─" * (end + 1 - start)
        characters[start] = "◂" if value.low is None else "├"
        characters[end] = "▸" if value.high is None else "┤"
    if math.isfinite(value.number):
        characters[_plot_column(value.number, low, high, 0)] = "●"
    return "".join(characters)


def _plot_column(number: float | None, low: float, high: float, default: int) -> int:
    if number is None or not math.isfinite(number):
        return default
    share = (number - low) / (high - low) if high > low else 0.5
    return round(share * (INTERVAL_PLOT_WIDTH - 1))


def _format_trend_title(point: TrendPoint, low: float, high: float) -> str:
    from reportgen.evaluation.values import MeasureValue, ValueState
    from reportgen.measures import find_measure
    from reportgen.render.number_format import format_measure_value, format_number

    measure = find_measure(point.record.measure)
    title = measure.title if measure else point.record.measure
    average = f", {escape_text(point.record.average)} average," if point.record.average else ""
    class_text = f" of {escape_text(point.record.class_)}" if point.record.class_ else ""
    better = f", better: {measure.orientation.value}" if measure else ""
    start, stop = (
        format_number(end, 3)
        if measure is None
        else format_measure_value(MeasureValue(end, ValueState.DEFINED), measure)
        for end in (low, high)
    )
    scale = f"; scale from {start} to {stop}" if low < high else ""
    return f"{title}{class_text}{average} in {escape_text(point.run.name)}{better}{scale}"


def run_summary_row(run: RunRecord) -> dict[str, object]:
    """Return the summary of a run as a JSON object."""
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
    """Return a run with all its parts as a JSON object."""
    return {
        **run_summary_row(run),
        "manifest": run.manifest_sha256,
        "classes": list(run.classes),
        "findings": list(run.findings),
        "warnings": list(run.warnings),
        "inputs": [
            {
                "classifier": file.classifier,
                "path": file.path,
                "sha256": file.sha256,
                "rows": file.rows,
            }
            for file in run.inputs
        ],
        "confusion": {name: [list(row) for row in rows] for name, rows in run.confusion.items()},
        "values": [value_record_row(value) for value in run.values],
    }


def trend_point_row(point: TrendPoint) -> dict[str, object]:
    """Return one point of a trend as a JSON object."""
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
    """Return a value with the keys of results.json."""
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


VALUE_COLUMNS = (
    *("classifier", "class", "average", "fold", "measure"),
    *("value", "state", "reason", "low", "high", "method"),
)


def export_history(history: HistoryStore, name: str | None, file_format: str) -> bytes:
    """Return the values of all runs in a file format, the oldest run first."""
    rows = list(_export_rows(history, name))
    if file_format == "json":
        return (json.dumps(rows, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
    from reportgen.export.tables import csv_files, parquet_files

    files = csv_files if file_format == "csv" else parquet_files
    (content,) = files({"history": _export_frame(rows)}).values()
    return content


def _export_rows(history: HistoryStore, name: str | None) -> Iterator[dict[str, object]]:
    for run_head in reversed(history.runs(name)):
        run = history.get_run(run_head.id)
        # The run may have been pruned meanwhile.
        if run is None:
            continue
        run_columns = _export_run_columns(run)
        if not run.values:
            yield {**run_columns, **dict.fromkeys(VALUE_COLUMNS)}
        for value in run.values:
            yield {**run_columns, **value_record_row(value)}


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
