"""`reportgen build`: from a spec to a report."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.messages import fault_row, print_json, say, show, show_faults, warn, working
from reportgen.errors import ExitCode

if TYPE_CHECKING:
    from reportgen.spec import Detail, Format
    from reportgen.workers.job import Job, Outcome


def build(  # noqa: PLR0913, PLR0917  # typer takes an option from each
    specs: Annotated[list[Path], typer.Argument(metavar="SPEC", help="The spec files.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the reports go.")
    ] = Path("reports"),
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
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was written as JSON, for programs.")
    ] = False,
) -> None:
    """Build the report of every SPEC into DIR/<spec name>/ and print where it is."""
    from reportgen.workers.job import Job
    from reportgen.workers.number import worthwhile

    wanted, level = _formats(formats), _detail(detail)
    _refuse_same_names(specs)
    todo = [Job(spec, output, wanted, level) for spec in specs]
    worst = ExitCode.DONE
    rows = []
    with closing(_outcomes(todo, min(jobs or worthwhile(todo), len(todo)))) as outcomes:
        for outcome in outcomes:
            _show(outcome, quiet=as_json)
            rows.append(_row(outcome))
            worst = max(worst, outcome.exit_code)
    if as_json:
        print_json(rows)
    raise typer.Exit(worst)


def _outcomes(todo: Sequence[Job], at_once: int) -> Generator[Outcome]:
    """Build all, one after another or several at once, and yield the outcomes in their order."""
    if at_once == 1:
        from reportgen.workers.job import build_job

        for job in todo:
            with working(str(job.spec)) as tell:
                outcome = build_job(job, tell)
            yield outcome
        return
    from reportgen.workers.crew import Crew

    with Crew(at_once) as crew:
        yield from _in_order(crew.build(todo), len(todo))


def _in_order(finished: Iterator[tuple[int, Outcome]], count: int) -> Iterator[Outcome]:
    """Yield each outcome as soon as all before it are there, and tell how many are there."""
    kept: dict[int, Outcome] = {}
    for place in range(count):
        while place not in kept:
            with working(f"{place + len(kept)} of {count} built"):
                done, outcome = next(finished)
            kept[done] = outcome
        yield kept.pop(place)


def _row(outcome: Outcome) -> dict[str, object]:
    return {
        "spec": str(outcome.spec),
        "files": list(outcome.files),
        "warnings": list(outcome.warnings),
        "errors": [fault_row(fault) for fault in outcome.faults],
    }


def _show(outcome: Outcome, *, quiet: bool) -> None:
    """Say what there is to say about one spec, and print its files unless quiet."""
    for warning in outcome.warnings:
        warn(warning)
    show_faults(outcome.faults)
    if quiet or not outcome.files:
        return
    say(f"{outcome.title} ({outcome.seconds:.1f} s)")
    if outcome.removed:
        say(f"removed, being of the earlier report: {', '.join(outcome.removed)}")
    for name in outcome.files:
        show(name)


def _formats(written: str | None) -> tuple[Format, ...] | None:
    if written is None:
        return None
    from reportgen.spec.output import known_formats

    names = [name.strip() for name in written.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("name at least one format", param_hint="--format")
    with _of_option("--format"):
        return known_formats(names)


def _detail(written: str | None) -> Detail | None:
    if written is None:
        return None
    from reportgen.spec.output import known_detail

    with _of_option("--detail"):
        return known_detail(written.strip())


@contextmanager
def _of_option(option: str) -> Iterator[None]:
    """Tell an unknown name as the fault of an option."""
    from reportgen.spec.output import UnknownNameError

    try:
        yield
    except UnknownNameError as error:
        raise typer.BadParameter(f"{error}; {error.hint}", param_hint=option) from None


def _refuse_same_names(specs: list[Path]) -> None:
    """Two specs of one name would overwrite each other's report."""
    names: dict[str, Path] = {}
    for spec in specs:
        other = names.setdefault(spec.stem, spec)
        if other is not spec:
            raise typer.BadParameter(f"{other} and {spec} would both be written to {spec.stem}/")
