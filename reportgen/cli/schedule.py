"""`reportgen schedule`: reports that are built by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.messages import print_json, readable, say, show, show_faults, warn
from reportgen.cli.options import Kept, MaxMemory, NoHistory, Output, Timeout, history_of
from reportgen.cli.sizes import bytes_of, seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.jobs.publishing.publishing import Wishes
    from reportgen.jobs.running.job import Outcome
    from reportgen.jobs.schedules.catching_up import LastRun
    from reportgen.jobs.schedules.planning import Planned
    from reportgen.jobs.schedules.units.export import Kind

app = typer.Typer(
    name="schedule",
    help="Build reports when their [schedule] says so.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Specs = Annotated[
    list[Path],
    typer.Argument(
        metavar="SPEC",
        help="Spec files, folders of them, or patterns; those with a [schedule] count.",
    ),
]


@app.command("run")
def run_schedule(  # noqa: PLR0913, PLR0917  # typer takes an option from each
    specs: Specs,
    output: Output = Path("reports"),
    once: Annotated[
        bool,
        typer.Option("--once", help="Build what is due since its last run, or never ran, and end."),
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", min=1, help="How many to build at once.")
    ] = 1,
    timeout: Timeout = None,
    max_memory: MaxMemory = None,
    publish: Annotated[
        str | None,
        typer.Option(metavar="TARGET", help="Publish DIR there after every run."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where the published site will be.")
    ] = None,
    history: Kept = None,
    no_history: NoHistory = False,
) -> None:
    """Build every SPEC into DIR whenever it is due, until it is stopped.

    DIR/schedule.json tells how things are. SIGHUP reads the specs anew; they are read anyway when
    they change.
    """
    from reportgen.jobs.publishing.publishing import Wishes
    from reportgen.jobs.schedules.scheduler import Voice
    from reportgen.jobs.schedules.serving import Service
    from reportgen.jobs.schedules.workshop import Workshop
    from reportgen.jobs.workers.limits import Limits

    kept = history_of(output, history, nowhere=no_history)
    limits = Limits(seconds_of(timeout), bytes_of(max_memory))
    service = Service(
        specs,
        output,
        Workshop(output, kept, limits),
        Voice(
            lambda message: say(readable(message)),
            show_faults,
            _after(output, publish, Wishes(base_url=base_url, history=kept)),
        ),
        at_once=jobs,
        last_runs=_last_runs(kept),
    )
    raise typer.Exit(service.run_once() if once else service.run())


@app.command("list")
def list_schedule(
    specs: Specs,
    count: Annotated[
        int, typer.Option(metavar="N", min=1, max=1000, help="How many runs of each.")
    ] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> None:
    """List the next runs of every SPEC, in its time zone and in that of this machine."""
    from datetime import UTC, datetime

    from reportgen.jobs.schedules.listing import next_runs
    from reportgen.jobs.schedules.planning import planned_specs

    listed = next_runs(planned_specs(specs), count, datetime.now(UTC))
    if as_json:
        print_json([each.row() for each in listed])
        return
    for each in listed:
        show(readable_lines(each.lines()))


@app.command("export")
def export_schedule(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="systemd, cron, github, airflow or kubernetes.")
    ],
    specs: Specs,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Write files there, and print none."),
    ] = None,
    reports: Annotated[Path, typer.Option(metavar="DIR", help="Where the reports will go.")] = Path(
        "reports"
    ),
    image: Annotated[
        str, typer.Option(metavar="IMAGE", help="The container image that has reportgen.")
    ] = "reportgen:latest",
) -> None:
    """Print the schedule of every SPEC as another scheduler takes it."""
    import getpass
    import sys

    from reportgen.jobs.schedules.planning import planned_specs
    from reportgen.jobs.schedules.units.export import export
    from reportgen.jobs.schedules.units.unit import Order
    from reportgen.rendering.writing import write_file

    wanted = _kind(kind)
    here, program = Path.cwd(), (sys.executable, "-P", "-m", "reportgen")
    orders = [
        Order(planned, reports, here, program, getpass.getuser(), image)
        for planned in planned_specs(specs)
    ]
    for place, unit in enumerate(export(wanted, orders)):
        if output is not None:
            write_file(output / unit.file, unit.text.encode())
            show(str(output / unit.file))
            continue
        if wanted.is_yaml and place:
            show("---")
        show(f"# {unit.file}\n{unit.text}")


def readable_lines(lines: list[str]) -> str:
    """Return lines so that none can steer a terminal."""
    return "\n".join(map(readable, lines))


def _kind(written: str) -> Kind:
    from reportgen.errors import did_you_mean
    from reportgen.jobs.schedules.units.export import Kind

    try:
        return Kind(written)
    except ValueError:
        hint = did_you_mean(written, Kind) or f"there are {', '.join(Kind)}"
        raise typer.BadParameter(f"there is no `{written}`; {hint}", param_hint="KIND") from None


def _last_runs(kept: str | None) -> Callable[[Planned], LastRun | None]:
    """Return how to find out when a spec last ran; a history that cannot be read knows nothing."""

    def look(planned: Planned) -> LastRun | None:
        from reportgen.errors import ReportgenError
        from reportgen.jobs.history.opening import is_to_be_made, open_history
        from reportgen.jobs.schedules.catching_up import last_run

        if kept is None or is_to_be_made(kept):
            return None
        try:
            with open_history(kept) as history:
                return last_run(planned, history)
        except ReportgenError as error:
            show_faults(error.faults)
            return None

    return look


def _after(output: Path, target: str | None, wishes: Wishes) -> Callable[[Outcome], None]:
    """Return what is done after every run: its warnings are told, and the site is brought up."""

    def conclude(outcome: Outcome) -> None:
        from reportgen.errors import ReportgenError

        for warning in outcome.warnings:
            warn(warning)
        if target is None:
            return
        from reportgen.jobs.publishing.publishing import publish

        try:
            done = publish(output, target, wishes)
        except ReportgenError as error:
            show_faults(error.faults)
            return
        show_faults(done.faults)
        for warning in done.warnings:
            warn(warning)

    return conclude
