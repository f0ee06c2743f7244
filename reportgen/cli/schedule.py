"""`reportgen schedule`: reports that are built by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.console import (
    print_data,
    print_diagnostics,
    print_json,
    print_message,
    print_warning,
    sanitize_text,
)
from reportgen.cli.options import (
    HistoryOption,
    MaxMemoryOption,
    NoHistoryOption,
    OutputOption,
    TimeoutOption,
    parse_duration,
    parse_size,
    resolve_history,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.jobs.job import JobOutcome
    from reportgen.jobs.publishing.publisher import PublishOptions
    from reportgen.jobs.schedule.exporters.export import ExportTarget
    from reportgen.jobs.schedule.registry import ScheduledSpec
    from reportgen.jobs.schedule.scheduler import LastRun

schedule_app = typer.Typer(
    name="schedule",
    help="Build reports when their [schedule] says so.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

SpecsArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="SPEC",
        help="Spec files, folders of them, or patterns; those with a [schedule] count.",
    ),
]


@schedule_app.command("run")
def run_schedule(  # noqa: PLR0913, PLR0917  # typer takes an option from each
    specs: SpecsArgument,
    output: OutputOption = Path("reports"),
    once: Annotated[
        bool,
        typer.Option("--once", help="Build what is due since its last run, or never ran, and end."),
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="N", min=1, help="How many to build at once.")
    ] = 1,
    timeout: TimeoutOption = None,
    max_memory: MaxMemoryOption = None,
    publish: Annotated[
        str | None,
        typer.Option(metavar="TARGET", help="Publish DIR there after every run."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where the published site will be.")
    ] = None,
    history: HistoryOption = None,
    no_history: NoHistoryOption = False,
) -> None:
    """Build every SPEC into DIR whenever it is due, until it is stopped.

    DIR/schedule.json tells how things are. SIGHUP reads the specs anew; they are read anyway when
    they change.
    """
    from reportgen.jobs.publishing.publisher import PublishOptions
    from reportgen.jobs.resources import ResourceLimits
    from reportgen.jobs.schedule.scheduler import SchedulerLog
    from reportgen.jobs.schedule.service import ProcessExecutor, SchedulerService

    kept = resolve_history(output, history, disabled=no_history)
    limits = ResourceLimits(parse_duration(timeout), parse_size(max_memory))
    service = SchedulerService(
        specs,
        output,
        ProcessExecutor(output, kept, limits),
        SchedulerLog(
            lambda message: print_message(sanitize_text(message)),
            print_diagnostics,
            _after_run_callback(output, publish, PublishOptions(base_url=base_url, history=kept)),
        ),
        concurrency=jobs,
        lookup_last_run=_last_run_lookup(kept),
    )
    raise typer.Exit(service.run_once() if once else service.run())


@schedule_app.command("list")
def list_schedule(
    specs: SpecsArgument,
    count: Annotated[
        int, typer.Option(metavar="N", min=1, max=1000, help="How many runs of each.")
    ] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> None:
    """List the next runs of every SPEC, in its time zone and in that of this machine."""
    from datetime import UTC, datetime

    from reportgen.jobs.schedule.registry import list_upcoming_runs, load_scheduled_specs

    listed = list_upcoming_runs(load_scheduled_specs(specs), count, datetime.now(UTC))
    if as_json:
        print_json([each.row() for each in listed])
        return
    for each in listed:
        print_data(sanitize_lines(each.lines()))


@schedule_app.command("export")
def export_schedule(  # noqa: PLR0913, PLR0917  # typer reads one option per parameter
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="systemd, cron, github, airflow or kubernetes.")
    ],
    specs: SpecsArgument,
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
    install: Annotated[
        str,
        typer.Option(
            metavar="REQUIREMENT",
            help="What pip installs reportgen from, pinned: a wheel, or a URL with a commit."
            " Required for github.",
        ),
    ] = "",
) -> None:
    """Print the schedule of every SPEC as another scheduler takes it."""
    import getpass
    import sys

    from reportgen.jobs.schedule.exporters.context import ExportContext
    from reportgen.jobs.schedule.exporters.export import export_schedules
    from reportgen.jobs.schedule.registry import load_scheduled_specs
    from reportgen.output.write import write_file_atomic

    wanted = _parse_target(kind)
    here, program = Path.cwd(), (sys.executable, "-P", "-m", "reportgen")
    orders = [
        ExportContext(planned, reports, here, program, getpass.getuser(), image, install)
        for planned in load_scheduled_specs(specs)
    ]
    for place, unit in enumerate(export_schedules(wanted, orders)):
        if output is not None:
            write_file_atomic(output / unit.filename, unit.text.encode())
            print_data(str(output / unit.filename))
            continue
        if wanted.is_yaml and place:
            print_data("---")
        print_data(f"# {unit.filename}\n{unit.text}")


def sanitize_lines(lines: list[str]) -> str:
    """Return lines so that none can steer a terminal."""
    return "\n".join(map(sanitize_text, lines))


def _parse_target(name: str) -> ExportTarget:
    from reportgen.errors import did_you_mean
    from reportgen.jobs.schedule.exporters.export import ExportTarget

    try:
        return ExportTarget(name)
    except ValueError:
        hint = did_you_mean(name, ExportTarget) or f"there are {', '.join(ExportTarget)}"
        raise typer.BadParameter(f"there is no `{name}`; {hint}", param_hint="KIND") from None


def _last_run_lookup(history_location: str | None) -> Callable[[ScheduledSpec], LastRun | None]:
    """Return how to find out when a spec last ran; a history that cannot be read knows nothing."""

    def look(planned: ScheduledSpec) -> LastRun | None:
        from reportgen.errors import ReportgenError
        from reportgen.jobs.history.store import history_is_missing, open_history
        from reportgen.jobs.schedule.scheduler import find_last_run

        if history_location is None or history_is_missing(history_location):
            return None
        try:
            with open_history(history_location) as history:
                return find_last_run(planned, history)
        except ReportgenError as error:
            print_diagnostics(error.diagnostics)
            return None

    return look


def _after_run_callback(
    output: Path, target: str | None, options: PublishOptions
) -> Callable[[JobOutcome], None]:
    """Return what is done after every run: its warnings are told, and the site is brought up."""

    def conclude(outcome: JobOutcome) -> None:
        from reportgen.errors import ReportgenError

        for warning in outcome.warnings:
            print_warning(warning)
        if target is None:
            return
        from reportgen.jobs.publishing.publisher import publish_site

        try:
            done = publish_site(output, target, options)
        except ReportgenError as error:
            print_diagnostics(error.diagnostics)
            return
        print_diagnostics(done.diagnostics)
        for warning in done.warnings:
            print_warning(warning)

    return conclude
