"""`reportgen schedule`: scheduled reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.console import (
    format_table,
    print_data,
    print_diagnostics,
    print_document,
    print_formatted,
    print_json,
    print_message,
    print_warning,
)
from reportgen.cli.options import (
    BaseUrlOption,
    HistoryOption,
    JsonOption,
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
    help="Build reports as scheduled in the [schedule] table of their specs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


ScheduledSpecsArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="SPEC",
        help="Spec files, folders of spec files, or glob patterns; specs without a [schedule] are"
        " skipped.",
    ),
]


@schedule_app.command("run")
def run_schedule(  # noqa: PLR0913, PLR0917  # typer reads one option per parameter
    specs: ScheduledSpecsArgument,
    output: OutputOption = Path("reports"),
    once: Annotated[
        bool,
        typer.Option("--once", help="Build the specs that are due or never ran, then exit."),
    ] = False,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "-j", metavar="N", min=1, help="The number of reports to build in parallel."
        ),
    ] = 1,
    timeout: TimeoutOption = None,
    max_memory: MaxMemoryOption = None,
    publish: PublishOption = None,
    base_url: BaseUrlOption = None,
    history: HistoryOption = None,
    no_history: NoHistoryOption = False,
) -> None:
    """Build each SPEC that has a [schedule] whenever it is due, until stopped.

    DIR/schedule.json has the state of each spec. Changed specs are reloaded automatically, or at
    once on SIGHUP.
    """
    from reportgen.jobs.resources import ResourceLimits
    from reportgen.jobs.schedule.scheduler import SchedulerLog
    from reportgen.jobs.schedule.service import ProcessExecutor, SchedulerService

    check_target(publish)
    history_location = resolve_history(output, history, disabled=no_history)
    limits = ResourceLimits(parse_duration(timeout), parse_size(max_memory))
    service = SchedulerService(
        specs,
        output,
        ProcessExecutor(output, history_location, limits, log_warning=print_warning),
        SchedulerLog(
            print_message,
            print_diagnostics,
            _after_run_callback(output, publish, base_url, history),
        ),
        concurrency=jobs,
        lookup_last_run=_last_run_lookup(history_location),
    )
    raise typer.Exit(service.run_once() if once else service.run())


@schedule_app.command("list")
def list_schedule(
    specs: ScheduledSpecsArgument,
    count: Annotated[
        int, typer.Option(metavar="N", min=1, max=1000, help="The number of runs of each spec.")
    ] = 3,
    as_json: JsonOption = False,
) -> None:
    """List the next runs of each SPEC, in its time zone and in local time."""
    from datetime import UTC, datetime

    from reportgen.jobs.schedule.registry import (
        format_zoned_time,
        list_upcoming_runs,
        load_scheduled_specs,
    )

    upcoming = list_upcoming_runs(load_scheduled_specs(specs), count, datetime.now(UTC))
    if as_json:
        print_json([spec_runs.row() for spec_runs in upcoming])
        return
    rows = [
        (
            spec_runs.scheduled_spec.name,
            format_zoned_time(run.due),
            spec_runs.scheduled_spec.schedule.timezone,
            format_zoned_time(run.local),
            spec_runs.scheduled_spec.schedule.cron,
        )
        for spec_runs in upcoming
        for run in spec_runs.runs
    ]
    print_formatted(format_table(rows, ("spec", "due", "time zone", "local time", "cron")))


@schedule_app.command("export")
def export_schedule(  # noqa: PLR0913, PLR0917  # typer reads one option per parameter
    scheduler: Annotated[
        str, typer.Argument(metavar="SCHEDULER", help=f"{', '.join(EXPORTER_NAMES)}.")
    ],
    specs: ScheduledSpecsArgument,
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
    """Print the schedule of each SPEC as configuration of another scheduler."""
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
        print_document(f"# {file.filename}\n{file.text}")


def _check_exporter_name(name: str) -> None:
    from reportgen.errors import did_you_mean

    if name not in EXPORTER_NAMES:
        hint = did_you_mean(name, EXPORTER_NAMES) or f"expected one of {', '.join(EXPORTER_NAMES)}"
        raise typer.BadParameter(f"unknown scheduler `{name}`; {hint}", param_hint="SCHEDULER")


def _last_run_lookup(history_location: str | None) -> Callable[[ScheduledSpec], LastRun | None]:
    """Return the function that looks up the last run of a spec in the history."""

    def lookup(scheduled_spec: ScheduledSpec) -> LastRun | None:
        from reportgen.errors import ReportgenError
        from reportgen.jobs.history.store import history_is_missing, open_history
        from reportgen.jobs.schedule.scheduler import find_last_run

        if history_location is None or history_is_missing(history_location):
            return None
        try:
            with open_history(history_location) as history:
                return find_last_run(scheduled_spec, history)
        except ReportgenError as error:
            print_diagnostics(error.diagnostics)
            return None

    return lookup


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
