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
    BaseUrlOption,
    HistoryOption,
    MaxMemoryOption,
    NoHistoryOption,
    OutputOption,
    PublishOption,
    TimeoutOption,
    parse_duration,
    parse_size,
    resolve_history,
)
from reportgen.cli.publish import check_target, publish_output
from reportgen.jobs.schedule.exporters import EXPORTER_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.jobs.job import JobOutcome
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
    publish: PublishOption = None,
    base_url: BaseUrlOption = None,
    history: HistoryOption = None,
    no_history: NoHistoryOption = False,
) -> None:
    """Build every SPEC into DIR whenever it is due, until it is stopped.

    DIR/schedule.json tells how things are. SIGHUP reads the specs anew; they are read anyway when
    they change.
    """
    from reportgen.jobs.resources import ResourceLimits
    from reportgen.jobs.schedule.scheduler import SchedulerLog
    from reportgen.jobs.schedule.service import ProcessExecutor, SchedulerService

    check_target(publish)
    kept = resolve_history(output, history, disabled=no_history)
    limits = ResourceLimits(parse_duration(timeout), parse_size(max_memory))
    service = SchedulerService(
        specs,
        output,
        ProcessExecutor(output, kept, limits),
        SchedulerLog(
            lambda message: print_message(sanitize_text(message)),
            print_diagnostics,
            _after_run_callback(output, publish, base_url, history),
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
    scheduler: Annotated[
        str, typer.Argument(metavar="SCHEDULER", help=f"{', '.join(EXPORTER_NAMES)}.")
    ],
    specs: SpecsArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Write the files to DIR instead of printing them."
        ),
    ] = None,
    reports: Annotated[
        Path, typer.Option(metavar="DIR", help="The output folder of the reports.")
    ] = Path("reports"),
    publish: PublishOption = None,
    image: Annotated[
        str, typer.Option(metavar="IMAGE", help="The container image of reportgen (kubernetes).")
    ] = "reportgen:latest",
    install: Annotated[
        str,
        typer.Option(
            metavar="REQUIREMENT",
            help="The pip requirement of reportgen (github, where it is required), pinned: a wheel,"
            " or a URL with a commit.",
        ),
    ] = "",
) -> None:
    """Print the schedule of every SPEC as configuration of another scheduler."""
    import getpass
    import sys

    from reportgen.jobs.schedule.exporters import export_schedules, load_exporter
    from reportgen.jobs.schedule.exporters.exporter import ExportContext
    from reportgen.jobs.schedule.registry import load_scheduled_specs
    from reportgen.output.write import write_file_atomic

    _check_exporter_name(scheduler)
    check_target(publish)
    exporter = load_exporter(scheduler)
    contexts = [
        ExportContext(
            scheduled_spec,
            reports,
            working_dir=Path.cwd(),
            program=(sys.executable, "-P", "-m", "reportgen"),
            user=getpass.getuser(),
            image=image,
            requirement=install,
            publish=publish,
        )
        for scheduled_spec in load_scheduled_specs(specs)
    ]
    for index, file in enumerate(export_schedules(exporter, contexts)):
        if output is not None:
            write_file_atomic(output / file.filename, file.text.encode())
            print_data(str(output / file.filename))
            continue
        if exporter.is_yaml and index:
            print_data("---")
        print_data(f"# {file.filename}\n{file.text}")


def _check_exporter_name(name: str) -> None:
    from reportgen.errors import did_you_mean

    if name not in EXPORTER_NAMES:
        hint = did_you_mean(name, EXPORTER_NAMES) or f"expected one of {', '.join(EXPORTER_NAMES)}"
        raise typer.BadParameter(f"unknown scheduler `{name}`; {hint}", param_hint="SCHEDULER")


def sanitize_lines(lines: list[str]) -> str:
    """Return lines so that none can steer a terminal."""
    return "\n".join(map(sanitize_text, lines))


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
    output: Path, target: str | None, base_url: str | None, history: str | None
) -> Callable[[JobOutcome], None]:
    """Return the callback after every run: it prints warnings and publishes the output folder."""

    def print_and_publish(outcome: JobOutcome) -> None:
        for warning in outcome.warnings:
            print_warning(warning)
        if target is not None:
            publish_output(output, target, base_url, history)

    return print_and_publish
