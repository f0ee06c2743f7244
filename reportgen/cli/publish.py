"""`reportgen publish`: publish reports as a static site."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.console import (
    diagnostic_row,
    print_data,
    print_diagnostics,
    print_json,
    print_message,
    print_warning,
    progress,
)
from reportgen.cli.options import JsonOption
from reportgen.errors import ExitCode, ReportgenError
from reportgen.paths import HISTORY_ENV_VAR, HISTORY_FILE

if TYPE_CHECKING:
    from reportgen.jobs.publishing.publisher import PublishOptions, PublishResult


def publish(  # noqa: PLR0913, PLR0917  # typer reads one option per parameter
    runs: Annotated[
        Path, typer.Argument(metavar="RUNS", help="The output folder of `reportgen build`.")
    ],
    target: Annotated[
        str,
        typer.Argument(metavar="TARGET", help="A folder, or a URL: s3://, gs:// or az://."),
    ],
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url",
            metavar="URL",
            help="The public URL of the site, for its sitemap and for absolute links in the feed.",
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option("--title", metavar="TEXT", help="The title of the site."),
    ] = None,
    history: Annotated[
        str | None,
        typer.Option(
            "--history",
            metavar="PATH|URL",
            help=f"The history of the runs; default: {HISTORY_ENV_VAR}, else RUNS/{HISTORY_FILE}.",
        ),
    ] = None,
    stale_after: Annotated[
        float | None,
        typer.Option(
            "--stale-after",
            metavar="DAYS",
            min=0.0,
            help="Mark a report as stale if its last run is so many days older than the latest run"
            " of the site or the scheduler's heartbeat.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Print the files that would be written and deleted, without doing it."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Publish the reports in RUNS as a static site to TARGET."""
    from reportgen.jobs.publishing.publisher import PublishOptions

    options = PublishOptions(
        base_url=base_url,
        title=title,
        history=history,
        stale_after=None if stale_after is None else timedelta(days=stale_after),
        dry_run=dry_run,
    )
    result = _publish(runs, target, options)
    if as_json:
        print_json(_result_row(result, dry_run=dry_run))
    else:
        _print_result(result, dry_run=dry_run)
    raise typer.Exit(result.exit_code)


def check_target(target: str | None) -> None:
    """Raise SpecError if the address of a target is invalid; None is valid."""
    from reportgen.jobs.publishing.targets import find_target_type

    if target is not None:
        find_target_type(target)


def publish_output(
    output: Path, target: str, base_url: str | None, history: str | None
) -> ExitCode:
    """Publish an output folder after a run; errors are printed, and decide the exit code."""
    from reportgen.jobs.publishing.publisher import PublishOptions

    try:
        result = _publish(output, target, PublishOptions(base_url=base_url, history=history))
    except ReportgenError as error:
        print_diagnostics(error.diagnostics)
        return error.exit_code
    print_message(f"published: {front_page(result)}")
    return result.exit_code


def front_page(result: PublishResult) -> str:
    """Return the address of the front page of a published site."""
    return f"{result.target.rstrip('/')}/index.html"


def _publish(runs: Path, target: str, options: PublishOptions) -> PublishResult:
    from reportgen.jobs.publishing.publisher import publish_site

    with progress(str(runs)) as on_progress:
        result = publish_site(runs, target, options, on_progress)
    for warning in result.warnings:
        print_warning(warning)
    print_diagnostics(result.diagnostics)
    return result


def _print_result(result: PublishResult, *, dry_run: bool) -> None:
    """Print a summary and the front page, or on a dry run every file."""
    prefix = "would be " if dry_run else ""
    reports = _format_count(len(result.reports), "report")
    files = _format_count(len(result.written_files), "file")
    print_message(
        f"{reports}: {files} {prefix}written, {result.unchanged_count} unchanged,"
        f" {len(result.removed_files)} removed"
    )
    if not dry_run:
        print_data(front_page(result))
        return
    for path in result.written_files:
        print_data(f"write {path}")
    for path in result.removed_files:
        print_data(f"remove {path}")


def _format_count(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


def _result_row(result: PublishResult, *, dry_run: bool) -> dict[str, object]:
    return {
        "target": result.target,
        "dry_run": dry_run,
        "reports": [
            {
                "name": report.name,
                "title": report.title,
                "status": report.status,
                "run": report.run,
                "latest": list(report.latest),
            }
            for report in result.reports
        ],
        "written": list(result.written_files),
        "unchanged": result.unchanged_count,
        "removed": list(result.removed_files),
        "warnings": list(result.warnings),
        "errors": [diagnostic_row(diagnostic) for diagnostic in result.diagnostics],
    }
