"""`reportgen build`: from specs to reports."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.messages import print_json, say, working
from reportgen.cli.options import Kept, MaxMemory, NoHistory, Output, Timeout, history_of
from reportgen.cli.outcomes import counted, outcome_row, show_outcome, write_for_programs
from reportgen.cli.sizes import bytes_of, seconds_of
from reportgen.errors import ExitCode

if TYPE_CHECKING:
    from reportgen.jobs.running.job import Job, Outcome
    from reportgen.jobs.workers.crew import Crew
    from reportgen.jobs.workers.limits import Limits
    from reportgen.spec import Detail, Format


def build(  # noqa: PLR0913, PLR0917  # typer takes an option from each
    specs: Annotated[
        list[Path],
        typer.Argument(metavar="SPEC", help="Spec files, folders of them, or patterns."),
    ],
    output: Output = Path("reports"),
    formats: Annotated[
        str | None,
        typer.Option("--format", metavar="LIST", help="Formats instead of the spec's: html,pdf."),
    ] = None,
    detail: Annotated[
        str | None,
        typer.Option(
            "--detail",
            metavar="LEVEL",
            help="How much the report tells, instead of the spec's: summary, standard or full.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            help="How many reports to build at the same time; by default as many as there are"
            " cores, or one where more would not be quicker.",
        ),
    ] = None,
    keep_going: Annotated[
        bool,
        typer.Option(
            "--keep-going/--stop-early", help="Whether a spec that fails leaves the others alone."
        ),
    ] = True,
    if_changed: Annotated[
        bool,
        typer.Option(
            "--if-changed", help="Build only if spec, inputs, templates or version changed."
        ),
    ] = False,
    unchanged_exit: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=255,
            help="The exit code if nothing changed, with --if-changed.",
        ),
    ] = 0,
    timeout: Timeout = None,
    max_memory: MaxMemory = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for another run that writes to the same place.")
    ] = False,
    history: Kept = None,
    no_history: NoHistory = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the gates as JUnit XML.")
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Append a summary in Markdown, as GitHub's steps have."),
    ] = None,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="End with 0 although a gate failed.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was written as JSON, for programs.")
    ] = False,
) -> None:
    """Build the report of every SPEC into DIR/<spec name>/ and print where it is."""
    from reportgen.jobs.running.finding import find_specs
    from reportgen.jobs.running.job import Job
    from reportgen.jobs.workers.limits import Limits
    from reportgen.jobs.workers.number import worthwhile

    if unchanged_exit and not if_changed:
        raise typer.BadParameter("goes with --if-changed", param_hint="--unchanged-exit")
    wanted, level = _formats(formats), _detail(detail)
    limits = Limits(seconds_of(timeout), bytes_of(max_memory))
    kept = history_of(output, history, nowhere=no_history)
    found = find_specs(specs)
    _refuse_same_names(found)
    todo = [Job(spec, output, wanted, level, kept, if_changed, wait) for spec in found]
    at_once = min(jobs or worthwhile(todo), len(todo))
    outcomes = []
    with closing(_outcomes(todo, at_once, limits, keep_going=keep_going)) as running:
        for outcome in running:
            show_outcome(outcome, quiet=as_json, alone=len(todo) == 1)
            outcomes.append(outcome)
    write_for_programs(outcomes, junit, summary)
    if as_json:
        print_json([outcome_row(outcome) for outcome in outcomes])
    elif len(todo) > 1:
        say(counted(outcomes, len(todo)))
    raise typer.Exit(_exit_code(outcomes, unchanged_exit, exit_zero=exit_zero))


def _exit_code(outcomes: Sequence[Outcome], unchanged_exit: int, *, exit_zero: bool) -> int:
    """Return the worst of all; what is the same for all of them has a code of its own."""
    worst = max(outcome.exit_code for outcome in outcomes)
    if exit_zero and worst is ExitCode.GATE_FAILED:
        return ExitCode.DONE
    unchanged = all(outcome.unchanged for outcome in outcomes)
    return unchanged_exit if unchanged and worst is ExitCode.DONE else worst


def _outcomes(
    todo: Sequence[Job], at_once: int, limits: Limits, *, keep_going: bool
) -> Generator[Outcome]:
    """Build all in processes of their own, and yield the outcomes in the order of the jobs."""
    from reportgen.jobs.running.concluding import conclude
    from reportgen.jobs.workers.limits import NO_LIMITS
    from reportgen.jobs.workers.process import can_fork

    if at_once == 1 and limits == NO_LIMITS and not can_fork():
        # Within another program, which takes the harm of a crash anyway, and a start takes long.
        from reportgen.jobs.running.run import run_job

        for job in todo:
            with working(str(job.spec)) as tell:
                outcome = run_job(job, tell)
            yield conclude(job, outcome)
            if not keep_going and _has_failed(outcome):
                return
        return
    from reportgen.jobs.workers.crew import Crew

    with Crew(at_once, limits) as crew:
        for place, outcome in _in_order(crew, todo, at_once, keep_going=keep_going):
            yield conclude(todo[place], outcome)


def _in_order(
    crew: Crew, todo: Sequence[Job], at_once: int, *, keep_going: bool
) -> Iterator[tuple[int, Outcome]]:
    """Yield each outcome as soon as all before it are there, and tell what is going on.

    After a failure that ends it all, those come that are there already.
    """
    kept: dict[int, Outcome] = {}
    told: list[Callable[[str], None]] = []
    finished = crew.build(
        todo,
        lambda _job, step: told[-1](step) if at_once == 1 else None,
        lambda outcome: not keep_going and _has_failed(outcome),
    )
    for place, job in enumerate(todo):
        while place not in kept:
            alone = f"{job.spec}" if at_once == 1 else ""
            with working(alone or f"{place + len(kept)} of {len(todo)} built") as tell:
                told.append(tell)
                done, outcome = next(finished)
            kept[done] = outcome
            if not keep_going and _has_failed(outcome):
                yield from sorted(kept.items())
                return
        yield place, kept.pop(place)


def _has_failed(outcome: Outcome) -> bool:
    return outcome.exit_code > ExitCode.GATE_FAILED


def _formats(written: str | None) -> tuple[Format, ...] | None:
    if written is None:
        return None
    from reportgen.choices import known_formats

    names = [name.strip() for name in written.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("name at least one format", param_hint="--format")
    with _of_option("--format"):
        return known_formats(names)


def _detail(written: str | None) -> Detail | None:
    if written is None:
        return None
    from reportgen.choices import known_detail

    with _of_option("--detail"):
        return known_detail(written.strip())


@contextmanager
def _of_option(option: str) -> Iterator[None]:
    """Tell an unknown name as the fault of an option."""
    from reportgen.choices import UnknownNameError

    try:
        yield
    except UnknownNameError as error:
        raise typer.BadParameter(f"{error}; {error.hint}", param_hint=option) from None


def _refuse_same_names(specs: Sequence[Path]) -> None:
    """Two specs of one name would overwrite each other's report."""
    names: dict[str, Path] = {}
    for spec in specs:
        other = names.setdefault(spec.stem, spec)
        if other is not spec:
            raise typer.BadParameter(f"{other} and {spec} would both be written to {spec.stem}/")
