"""`reportgen history`: what earlier runs found."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.messages import print_json, readable, say, show
from reportgen.errors import did_you_mean
from reportgen.places import HISTORY_FILE, HISTORY_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from reportgen.jobs.history.record import RunRecord, TrendPoint
    from reportgen.jobs.history.store import History

DEFAULT = f"reports/{HISTORY_FILE}"
UNITS = {"h": "hours", "d": "days", "w": "weeks"}
FORMATS = ("json", "csv", "parquet")

app = typer.Typer(
    name="history",
    help="Show, follow, export and prune what earlier runs found.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Where = Annotated[
    str,
    typer.Option(
        "--history",
        metavar="PATH|URL",
        envvar=HISTORY_VARIABLE,
        help="Where the runs are kept: a file, or postgresql://user@host/database.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


@app.command("list")
def list_runs(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only runs of this name.")
    ] = None,
    last: Annotated[
        int | None, typer.Option("--last", metavar="N", min=1, help="Only the latest N runs.")
    ] = None,
    where: Where = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """List the runs, the latest first: how they ended, and how many gates were passed."""
    from reportgen.cli.history_rows import head_row
    from reportgen.cli.history_texts import list_text

    with _opened(where) as history:
        runs = history.runs(name, last)
        names = () if runs or name is None else history.names()
    if name is not None and not runs:
        raise typer.BadParameter(_unknown("name", name, names), param_hint="NAME")
    if as_json:
        print_json([head_row(run) for run in runs])
    elif runs:
        show(list_text(runs))
    else:
        say("there are no runs yet")


@app.command("show")
def show_run(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Its id, or how only this one begins.")],
    where: Where = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Show everything that was kept of one run."""
    from reportgen.cli.history_rows import run_row
    from reportgen.cli.history_texts import run_text

    with _opened(where) as history:
        found = _only(history, run)
    if as_json:
        print_json(run_row(found))
    else:
        show(run_text(found))


@app.command()
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
    where: Where = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Follow one measure over the runs of NAME, with its intervals."""
    from reportgen.cli.history_rows import trend_row
    from reportgen.cli.history_texts import trend_text

    wanted = _measure_name(measure)
    with _opened(where) as history:
        # All measures are read only to say which ones there are.
        points = history.trend(name, wanted) or history.trend(name)
        names = () if points else history.names()
    if not points and name not in names:
        raise typer.BadParameter(_unknown("name", name, names), param_hint="NAME")
    if not points:
        raise typer.BadParameter(f"no report of `{readable(name)}` was written yet")
    found = _chosen(points, wanted, classifier, class_, average)
    if as_json:
        print_json([trend_row(point) for point in found])
    else:
        show(trend_text(found))


@app.command()
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
    where: Where = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Remove older runs from the history; without --yes only say which.

    What either rule keeps is kept. Runs that later ones are compared with always stay: of each
    name the last one that was written, that on other data, and that which was published.
    """
    from reportgen.cli.history_rows import head_row
    from reportgen.cli.history_texts import list_text

    before = _moment(older_than)
    if keep is None and before is None:
        raise typer.BadParameter("say what to keep: --keep 100, --older-than 90d, or both")
    with _opened(where) as history:
        found = history.prunable(keep=keep, before=before, name=name)
        removed = history.prune(keep=keep, before=before, name=name) if yes and found else 0
    if as_json:
        print_json({"removed": removed, "runs": [head_row(run) for run in found]})
    elif found:
        show(list_text(found))
    runs = f"{len(found)} run{'' if len(found) == 1 else 's'}"
    say(f"removed {removed} of {runs}" if yes else f"{runs} would be removed; --yes removes them")


@app.command()
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
        typer.Option("--output", "-o", metavar="FILE", help="Where to write, instead of stdout."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Only runs of this name.")
    ] = None,
    where: Where = DEFAULT,
) -> None:
    """Write all scores of all runs, one row for each; a run without scores has one row."""
    wanted = format_ or (output.suffix.lstrip(".") if output else "") or "json"
    if wanted not in FORMATS:
        hint = did_you_mean(wanted, FORMATS) or f"there are {', '.join(FORMATS)}"
        raise typer.BadParameter(f"there is no format `{wanted}`; {hint}", param_hint="--format")
    if wanted == "parquet" and output is None:
        raise typer.BadParameter("parquet needs a FILE", param_hint="--output")
    from reportgen.cli.history_export import exported
    from reportgen.rendering.writing import write_file

    with _opened(where) as history:
        content = exported(history, name, wanted)
    if output is None:
        show(content.decode("utf-8").removesuffix("\n"))
        return
    write_file(output, content)
    show(str(output))


@contextmanager
def _opened(where: str) -> Iterator[History]:
    from reportgen.jobs.history.opening import open_history

    with open_history(where, must_exist=True) as history:
        yield history


def _only(history: History, run: str) -> RunRecord:
    """Return the run with this id, or the only one that begins so."""
    ids = history.ids(run)
    # An id may begin with another one only by mistake, but then it is meant itself.
    found = history.run(run if run in ids else ids[0]) if len(ids) == 1 or run in ids else None
    if found is not None:
        return found
    if not ids:
        message = f"there is no run `{readable(run)}`; `reportgen history list` lists them"
    else:
        message = f"{len(ids)} runs begin with `{readable(run)}`: {', '.join(ids[:5])}"
        message += " …" if len(ids) > len(ids[:5]) else ""
    raise typer.BadParameter(message, param_hint="RUN")


def _measure_name(given: str) -> str:
    """Return the name of a measure that may be given by another of its names."""
    from reportgen.measures import find_measure

    found = find_measure(given)
    return found.name if found is not None else given


def _chosen(
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
        known = list(dict.fromkeys(str(getattr(point.score, key)) for point in left))
        if wanted is not None and wanted not in known:
            raise typer.BadParameter(_unknown(key, wanted, known), param_hint=option)
        left = [point for point in left if wanted in {None, getattr(point.score, key)}]
    found = [p for p in left if (p.score.class_, p.score.average) == (class_, average)]
    if not found:
        classes = dict.fromkeys(p.score.class_ for p in left if p.score.class_ is not None)
        averages = dict.fromkeys(p.score.average for p in left if p.score.average is not None)
        known = [*(f"--class {one}" for one in classes), *(f"--average {one}" for one in averages)]
        told = ", ".join(map(readable, known)) or "the value of the whole, without an option"
        raise typer.BadParameter(f"there is no such value of {measure}; there is {told}")
    return found


def _moment(age: str | None) -> datetime | None:
    """Return the moment that is so long ago."""
    if age is None:
        return None
    from datetime import UTC, datetime, timedelta

    found = re.fullmatch(r"(\d{1,5})\s*([hdw])", age.strip())
    if found is None:
        message = f"`{readable(age)}` is no age; write 36h, 90d or 12w"
        raise typer.BadParameter(message, param_hint="--older-than")
    return datetime.now(UTC) - timedelta(**{UNITS[found[2]]: int(found[1])})


def _unknown(kind: str, wanted: str, known: tuple[str, ...] | list[str]) -> str:
    """Say that there is no such thing, and what there is."""
    hint = did_you_mean(wanted, known) or f"there is {', '.join(known[:20])}" if known else ""
    said = f"the history has no {kind} `{wanted}`"
    return readable(f"{said}; {hint}" if hint else said)
