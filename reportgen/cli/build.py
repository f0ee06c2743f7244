"""`reportgen build`: build the reports of specs."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.console import (
    diagnostic_row,
    print_diagnostics,
    print_json,
    print_message,
    print_path,
    print_warning,
    progress,
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
from reportgen.cli.specs import SpecsArgument, find_spec_files
from reportgen.errors import ExitCode
from reportgen.evaluation.gate_outcome import format_gate_counts, gate_record
from reportgen.formats import HTML_FILE, PDF_FILE

if TYPE_CHECKING:
    from reportgen.formats import DetailLevel, OutputFormat
    from reportgen.jobs.history.record import GateRecord
    from reportgen.jobs.job import Job, JobOutcome, RetryPolicy
    from reportgen.jobs.resources import ResourceLimits
    from reportgen.jobs.runner import PendingNotifications, SendNotification
    from reportgen.jobs.worker_pool import WorkerPool


def print_outcome(outcome: JobOutcome, *, quiet: bool, single: bool) -> None:
    """Print the outcome of one spec and, unless quiet, its files."""
    for warning in outcome.warnings:
        print_warning(warning)
    print_diagnostics(outcome.diagnostics)
    if quiet or (single and not outcome.files and outcome.diagnostics):
        return
    print_message(format_outcome(outcome))
    if outcome.removed:
        print_message(f"removed files that are empty now: {', '.join(outcome.removed)}")
    for gate in outcome.gates:
        if not gate.passed:
            print_message(format_failed_gate(gate))
    for name in sorted(outcome.files, key=_file_order):
        print_path(name)


def _file_order(name: str) -> int:
    """Return the position of a file in the output: the report comes first."""
    report_files = (HTML_FILE, PDF_FILE)
    return next(
        (index for index, file in enumerate(report_files) if name.endswith(file)), len(report_files)
    )


def format_failed_gate(gate: GateRecord) -> str:
    """Return a failed gate with its criterion and the value that was observed."""
    condition = gate.kind.replace("_", " ") or "criterion"
    of_class = f", class {gate.class_}" if gate.class_ else ""
    average = f"{gate.average} " if gate.average else ""
    criterion = "" if gate.criterion is None else f" {gate.criterion:.4g}"
    against = f" `{gate.against}`" if gate.against else ""
    observed = "no value" if gate.observed is None else f"{gate.observed:.4g}"
    bound = {"low": " (lower confidence limit)", "high": " (upper confidence limit)"}
    return (
        f"gate {gate.verdict}: {average}{gate.measure} of `{gate.classifier}`{of_class}:"
        f" {condition}{against}{criterion}, observed {observed}"
        f"{bound.get(gate.bound or '', '')}{f'; {gate.reason}' if gate.reason else ''}"
    )


def format_outcome(outcome: JobOutcome) -> str:
    """Return the outcome of a run in one line."""
    gates = format_gate_counts(outcome.gates)
    if outcome.unchanged:
        return f"{outcome.title}: unchanged{f', {gates}' if gates else ''}"
    if not outcome.files:
        return f"{outcome.spec}: failed ({outcome.seconds:.1f} s)"
    return f"{outcome.title}{f': {gates}' if gates else ''} ({outcome.seconds:.1f} s)"


def format_outcome_counts(outcomes: Sequence[JobOutcome], job_count: int) -> str:
    """Return the number of runs by outcome."""
    n_unchanged = sum(outcome.unchanged for outcome in outcomes)
    n_built = sum(bool(outcome.files) for outcome in outcomes)
    gates = sum(outcome.exit_code is ExitCode.GATE_FAILED for outcome in outcomes)
    parts = (
        (n_built, "built"),
        (n_unchanged, "unchanged"),
        (len(outcomes) - n_built - n_unchanged, "failed"),
        (job_count - len(outcomes), "not started or stopped"),
    )
    counts = ", ".join(f"{number} {label}" for number, label in parts if number)
    return f"{counts}; gates failed in {gates}" if gates else counts


def outcome_row(outcome: JobOutcome) -> dict[str, object]:
    """Return the outcome of a run as a JSON object."""
    return {
        "spec": str(outcome.spec),
        "exit_code": int(outcome.exit_code),
        "unchanged": outcome.unchanged,
        "run": outcome.run_id,
        "files": list(outcome.files),
        "gates": [gate_record(gate) for gate in outcome.gates],
        "warnings": list(outcome.warnings),
        "errors": [diagnostic_row(diagnostic) for diagnostic in outcome.diagnostics],
    }


def write_ci_reports(
    outcomes: Sequence[JobOutcome], junit: Path | None, summary: Path | None
) -> None:
    """Write the JUnit XML and append the Markdown summary, if requested."""
    if junit is not None:
        from reportgen.jobs.ci_reports import render_junit_xml
        from reportgen.output.write import write_file_atomic

        write_file_atomic(junit, render_junit_xml(outcomes))
    if summary is not None:
        from reportgen.jobs.ci_reports import render_summary_markdown
        from reportgen.output.write import convert_os_errors

        # Appended, because the steps of a workflow share one file.
        with convert_os_errors(summary), summary.open("a", encoding="utf-8") as file:
            file.write(render_summary_markdown(outcomes))


def build_command(  # noqa: PLR0913, PLR0917  # typer reads one option per parameter
    specs: SpecsArgument = None,
    output: OutputOption = Path("reports"),
    formats: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="LIST",
            help="Output formats instead of those of the spec: html,pdf.",
        ),
    ] = None,
    detail: Annotated[
        str | None,
        typer.Option(
            "--detail",
            metavar="LEVEL",
            help="Level of detail instead of that of the spec: summary, standard or full.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            help="The number of reports to build in parallel; default: the number of cores, or 1 if"
            " more would not be faster.",
        ),
    ] = None,
    keep_going: Annotated[
        bool,
        typer.Option(
            "--keep-going/--stop-early", help="Whether to build the other specs after a failure."
        ),
    ] = True,
    if_changed: Annotated[
        bool,
        typer.Option(
            "--if-changed", help="Build only if spec, inputs, templates or version have changed."
        ),
    ] = False,
    unchanged_exit: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=255,
            help="The exit code with --if-changed if nothing has changed.",
        ),
    ] = 0,
    timeout: TimeoutOption = None,
    max_memory: MaxMemoryOption = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait if another run is writing the same report.")
    ] = False,
    retries: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=10,
            help="Retries of a failed run; a failed gate or an invalid spec is not retried.",
        ),
    ] = 0,
    retry_after: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="The delay before the first retry, doubled with each retry."
        ),
    ] = "60s",
    untrusted: Annotated[
        bool,
        typer.Option(
            "--untrusted",
            help="Confine specs of others: files of their own folder only, no notifications, no"
            " network, and limits of time and memory.",
        ),
    ] = False,
    publish: PublishOption = None,
    base_url: BaseUrlOption = None,
    history: HistoryOption = None,
    no_history: NoHistoryOption = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the gates as JUnit XML to FILE.")
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Append a Markdown summary to FILE, such as $GITHUB_STEP_SUMMARY."
        ),
    ] = None,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with 0 even if a gate failed.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Build the report of each SPEC in DIR/<spec name>/ and print its files."""
    from reportgen.jobs.job import Job, RetryPolicy
    from reportgen.jobs.resources import ResourceLimits, default_worker_count
    from reportgen.jobs.runner import PendingNotifications

    for is_missing, option, other in (
        (bool(unchanged_exit) and not if_changed, "--unchanged-exit", "--if-changed"),
        (base_url is not None and publish is None, "--base-url", "--publish"),
    ):
        if is_missing:
            raise typer.BadParameter(f"needs {other}", param_hint=option)
    if retries and not keep_going:
        raise typer.BadParameter("cannot be combined with --stop-early", param_hint="--retries")
    check_target(publish)
    output_formats, detail_level = parse_formats(formats), parse_detail(detail)
    limits = ResourceLimits(
        parse_duration(timeout or (UNTRUSTED_TIMEOUT if untrusted else None)),
        parse_size(max_memory or (UNTRUSTED_MEMORY if untrusted else None)),
    )
    history_location = resolve_history(output, history, disabled=no_history)
    spec_paths = find_spec_files(specs)
    _check_unique_names(spec_paths)
    job_list = [
        Job(
            *(spec, output, output_formats, detail_level, history_location),
            *(if_changed, wait, untrusted),
        )
        for spec in spec_paths
    ]
    worker_count = min(jobs or default_worker_count(job_list), len(job_list))
    policy, notifications = (
        RetryPolicy(retries, parse_duration(retry_after) or 0),
        PendingNotifications(),
    )
    finalize = partial(_finalize_with_retries, limits, policy, notifications.send)
    with closing(
        _run_jobs(job_list, worker_count, limits, finalize, keep_going=keep_going)
    ) as running:
        built_outcomes = list(_print_outcomes(running, quiet=as_json, single=len(job_list) == 1))
    outcomes = _with_delivery_warnings(built_outcomes, notifications)
    write_ci_reports(outcomes, junit, summary)
    if as_json:
        print_json([outcome_row(outcome) for outcome in outcomes])
    elif len(job_list) > 1:
        print_message(format_outcome_counts(outcomes, len(job_list)))
    exit_code = _overall_exit_code(outcomes, unchanged_exit, exit_zero=exit_zero)
    if publish is not None:
        exit_code = max(exit_code, publish_output(output, publish, base_url, history))
    raise typer.Exit(exit_code)


# The limits of a spec in confined mode, if none are set.
UNTRUSTED_TIMEOUT, UNTRUSTED_MEMORY = "10m", "4GB"


def _print_outcomes(
    outcomes: Iterable[JobOutcome], *, quiet: bool, single: bool
) -> Iterator[JobOutcome]:
    """Print each outcome when it is known, and yield it."""
    for outcome in outcomes:
        print_outcome(outcome, quiet=quiet, single=single)
        yield outcome


def _with_delivery_warnings(
    outcomes: Sequence[JobOutcome], notifications: PendingNotifications
) -> list[JobOutcome]:
    """Wait for the notifications; print and add the warnings about those not delivered."""
    warnings = notifications.collect_warnings()
    for warning in chain.from_iterable(warnings.values()):
        print_warning(warning)
    return [
        replace(outcome, warnings=(*outcome.warnings, *warnings.get(outcome.spec, ())))
        for outcome in outcomes
    ]


def _overall_exit_code(
    outcomes: Sequence[JobOutcome], unchanged_exit: int, *, exit_zero: bool
) -> int:
    """Return the highest exit code; `unchanged_exit` if all reports are unchanged."""
    highest = max(outcome.exit_code for outcome in outcomes)
    if exit_zero and highest is ExitCode.GATE_FAILED:
        return ExitCode.SUCCESS
    unchanged = all(outcome.unchanged for outcome in outcomes)
    return unchanged_exit if unchanged and highest is ExitCode.SUCCESS else highest


def _run_jobs(
    jobs: Sequence[Job],
    worker_count: int,
    limits: ResourceLimits,
    finalize: Callable[[Job, JobOutcome], JobOutcome],
    *,
    keep_going: bool,
) -> Generator[JobOutcome]:
    """Run all jobs in worker processes, and yield the outcomes in the order of the jobs."""
    from reportgen.jobs.worker_pool import WorkerPool

    with WorkerPool(worker_count, limits) as pool:
        for index, outcome in _ordered_outcomes(pool, jobs, worker_count, keep_going=keep_going):
            yield finalize(jobs[index], outcome)


def _finalize_with_retries(
    limits: ResourceLimits,
    policy: RetryPolicy,
    send: SendNotification,
    job: Job,
    outcome: JobOutcome,
) -> JobOutcome:
    """Finalize a run; a failed one is repeated as often as the policy allows."""
    from reportgen.jobs.history.record import new_run_id
    from reportgen.jobs.runner import finalize_run
    from reportgen.jobs.worker_pool import WorkerPool

    attempt = 0
    while (delay := policy.delay(outcome.exit_code, attempt)) is not None:
        print_diagnostics(finalize_run(job, outcome, is_final=False).diagnostics)
        exit_code = int(outcome.exit_code)
        print_message(f"{job.spec}: failed, exit code {exit_code}; retry in {delay:g} s")
        time.sleep(delay)
        attempt += 1
        job = replace(job, run_id=new_run_id())
        with WorkerPool(1, limits) as pool:
            ((_, outcome),) = pool.build([job])
    return finalize_run(job, outcome, send=send)


def _ordered_outcomes(
    pool: WorkerPool, jobs: Sequence[Job], worker_count: int, *, keep_going: bool
) -> Iterator[tuple[int, JobOutcome]]:
    """Yield the outcomes in the order of the jobs, and show the progress.

    After a failure without `keep_going`, the outcomes that are already known follow.
    """
    outcomes: dict[int, JobOutcome] = {}
    callbacks: list[Callable[[str], None]] = []
    numbered_outcomes = pool.build(
        jobs,
        lambda _job, step: callbacks[-1](step) if worker_count == 1 else None,
        lambda outcome: not keep_going and _is_failure(outcome),
    )
    for index, job in enumerate(jobs):
        while index not in outcomes:
            task = f"{job.spec}" if worker_count == 1 else ""
            with progress(task or f"{index + len(outcomes)} of {len(jobs)} built") as on_progress:
                callbacks.append(on_progress)
                finished_index, outcome = next(numbered_outcomes)
            outcomes[finished_index] = outcome
            if not keep_going and _is_failure(outcome):
                yield from sorted(outcomes.items())
                return
        yield index, outcomes.pop(index)


def _is_failure(outcome: JobOutcome) -> bool:
    return outcome.exit_code > ExitCode.GATE_FAILED


def parse_formats(text: str | None) -> tuple[OutputFormat, ...] | None:
    """Return the formats of a comma-separated list, in canonical order."""
    if text is None:
        return None
    from reportgen.formats import parse_output_formats

    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("expected at least one format", param_hint="--format")
    with _option_errors("--format"):
        return parse_output_formats(names)


def parse_detail(text: str | None) -> DetailLevel | None:
    """Return the level of detail."""
    if text is None:
        return None
    from reportgen.formats import parse_detail_level

    with _option_errors("--detail"):
        return parse_detail_level(text.strip())


@contextmanager
def _option_errors(option: str) -> Iterator[None]:
    """Translate the error of an unknown name into a usage error."""
    from reportgen.formats import UnknownChoiceError

    try:
        yield
    except UnknownChoiceError as error:
        raise typer.BadParameter(f"{error}; {error.hint}", param_hint=option) from None


def _check_unique_names(specs: Sequence[Path]) -> None:
    """Raise if two specs have the same name: they would overwrite each other's report."""
    names: dict[str, Path] = {}
    for spec in specs:
        other = names.setdefault(spec.stem, spec)
        if other is not spec:
            raise typer.BadParameter(f"{other} and {spec} have the same output folder {spec.stem}/")
