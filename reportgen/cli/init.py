"""`reportgen init`: write a spec to start from."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.console import print_data, print_message, print_warning
from reportgen.errors import ExitCode

if TYPE_CHECKING:
    from reportgen.errors import RemoteUri
    from reportgen.predictions.roles import ColumnOptions, Question
    from reportgen.predictions.scaffold import ScaffoldedSpec

SPEC_SCHEMA_FILE = "reportgen.schema.json"


def init(  # noqa: PLR0913, PLR0917  # typer reads one option per parameter
    predictions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE",
            help="Prediction files, or the URI of a database (postgresql, sqlite, duckdb) or of a"
            " remote file; the spec describes their columns.",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="SPEC", help="The path of the new spec.")
    ] = Path("reportgen.toml"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing spec.")] = False,
    truth: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column with the truth, or the file that has it."),
    ] = None,
    prediction: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column of predictions; once for each classifier."),
    ] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column of scores; once for each classifier."),
    ] = None,
    positive: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The positive class of a binary task.")
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="The column of case ids.")
    ] = None,
    fold: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of folds.")] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column of models, in a file in long format."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column of clusters, such as patients."),
    ] = None,
    sheet: Annotated[
        str | None, typer.Option(metavar="NAME", help="The sheet of a workbook.")
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="The table of a database.")
    ] = None,
) -> None:
    """Write a spec for prediction FILEs, or an example spec without them.

    If a column role cannot be inferred, a draft with all columns is written and the exit code is 3;
    the options name the columns. On a terminal the command asks.
    """
    from reportgen.predictions.roles import ColumnOptions
    from reportgen.predictions.scaffold import ScaffoldedSpec, example_spec

    if output.is_dir():
        raise typer.BadParameter(f"{output} is a folder; expected a file", param_hint="--output")
    if output.exists() and not force:
        raise typer.BadParameter(f"{output} exists; --force overwrites it", param_hint="--output")
    options = ColumnOptions(
        truth,
        tuple(prediction or ()),
        tuple(score or ()),
        positive,
        id_,
        fold,
        model,
        cluster,
        sheet,
        table,
    )
    if not predictions:
        if options != ColumnOptions():
            raise typer.BadParameter("expected the prediction files with these columns")
        spec_draft = ScaffoldedSpec(example_spec())
    else:
        # What the command itself wrote, as `init --force *` matches it.
        own = {output.name, SPEC_SCHEMA_FILE}
        sources = [_parse_source(source) for source in predictions if Path(source).name not in own]
        if not sources:
            raise typer.BadParameter("expected prediction files", param_hint="FILE")
        spec_draft = _scaffold(sources, output.parent, options)
    _write_spec(output, spec_draft.text)
    print_data(str(output))
    for line in spec_draft.summary:
        print_message(f"  {line}")
    for problem in spec_draft.problems:
        print_warning(f"{output} must be completed before it can be built: {problem}")
    if spec_draft.question is not None:
        _print_open_question(spec_draft.question, predictions or [], output)
        raise typer.Exit(ExitCode.DATA)
    if spec_draft.positive is not None:
        labels = ", ".join(spec_draft.positive.choices)
        print_message(f"  the positive class is a guess (--positive): {labels}")
    print_message(
        f"Next: {f'edit {output}, then ' if spec_draft.problems else ''}reportgen build {output}"
    )


_FILE_DATABASES = ("sqlite", "duckdb")


def _parse_source(source: str) -> Path | RemoteUri:
    """Return a path, or the URI of a server; that of a database in a file is its path."""
    from reportgen.errors import RemoteUri
    from reportgen.spec.fields import REMOTE_SCHEMES, is_remote_uri

    if is_remote_uri(source):
        return RemoteUri(source)
    scheme, separator, rest = source.partition("://")
    if not separator or Path(source).exists():
        return Path(source)
    if scheme in _FILE_DATABASES:
        # As for SQLAlchemy: three slashes before a relative path, four before an absolute one.
        return Path(rest.removeprefix("/"))
    schemes = ", ".join((*_FILE_DATABASES, *REMOTE_SCHEMES))
    message = f"URIs of {scheme} are not supported; expected a file or one of {schemes}"
    raise typer.BadParameter(message, param_hint="FILE")


def _scaffold(
    files: list[Path | RemoteUri], folder: Path, options: ColumnOptions
) -> ScaffoldedSpec:
    """Return the spec of files; on a terminal ask for what cannot be inferred."""
    from reportgen.predictions.scaffold import scaffold_spec

    while True:
        spec_draft = scaffold_spec(files, folder, options)
        question = spec_draft.question or spec_draft.positive
        if question is None or not _is_interactive():
            return spec_draft
        options = options.with_answer(question, _ask(question))


def _is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _ask(question: Question) -> str:
    """Ask on the terminal for one of the choices."""
    print_message(question.text)
    for number, choice in enumerate(question.choices, start=1):
        print_message(f"  {number}  {choice}")
    if question.others:
        print_message(f"  or by name: {', '.join(question.others)}")
    names = {str(number): choice for number, choice in enumerate(question.choices, start=1)}
    while True:
        answer = str(typer.prompt("number or name", err=True)).strip()
        choice = names.get(answer, answer)
        if choice in {*question.choices, *question.others}:
            return choice
        print_message("expected one of the choices")


def _print_open_question(question: Question, files: list[str], output: Path) -> None:
    """Print what could not be inferred, and the command that names it."""
    file_names = shlex.join(files)
    choices = ", ".join(question.choices)
    print_warning(f"{output} is a draft: {question.text} {choices}")
    print_message(
        f"Next: reportgen init {file_names} --force --{question.option} NAME, or edit {output}"
    )


def _write_spec(output: Path, text: str) -> None:
    import json

    from reportgen.output.write import convert_os_errors
    from reportgen.spec import spec_schema

    with convert_os_errors(output):
        output.parent.mkdir(parents=True, exist_ok=True)
        schema = json.dumps(spec_schema(), indent=2, ensure_ascii=False) + "\n"
        output.with_name(SPEC_SCHEMA_FILE).write_text(schema, encoding="utf-8")
        output.write_text(f"#:schema ./{SPEC_SCHEMA_FILE}\n{text}", encoding="utf-8")
