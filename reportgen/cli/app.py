"""The application: its commands and exit codes."""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Mapping
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperGroup

from reportgen import __version__
from reportgen.cli import INTERRUPTED_EXIT_CODE
from reportgen.cli.console import (
    escape_text,
    print_data,
    print_diagnostics,
    print_lines,
    print_message,
    raise_stdout_error,
)
from reportgen.errors import ExitCode, OutputError, ReportgenError
from reportgen.errors.run import write_crash_report

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping
    from types import FrameType

    # Typer's copy of Click, whose types it does not export.
    from typer._click import Command, Context, HelpFormatter

SIGTERM_EXIT_CODE = 143

# By name: the module and the attribute of a command or a group of commands, and its summary.
COMMANDS = {
    "build": ("build:build_command", "Build the reports of specs."),
    "preview": ("preview:preview", "Show a report in the browser; follow changes of its files."),
    "check": ("check:check", "Validate specs and their data without building a report."),
    "init": ("init:init", "Write a spec for prediction files, or an example spec."),
    "measures": ("measures:measures", "List all measures, or show the definition of one."),
    "explain": ("explain:explain", "Explain an error code, a measure, a spec key or a term."),
    "schema": ("schema:schema", "Print the JSON Schema of the spec or of results.json."),
    "sql": ("sql:sql", "Print the query that counts predictions in a database."),
    "doctor": ("doctor:doctor", "Check Python, libraries, fonts and a one-page PDF."),
    "publish": ("publish:publish", "Publish reports as a static site."),
    "history": ("history:history_app", "List, show, export and prune earlier runs."),
    "schedule": ("schedule:schedule_app", "Build reports as scheduled in their specs."),
}


class CommandsByName(Mapping[str, "Command"]):
    """The commands; one is imported when it is looked up, because a call needs only one."""

    def __getitem__(self, name: str) -> Command:
        location, _ = COMMANDS[name]
        module, _, attribute = location.partition(":")
        command = getattr(import_module(f"reportgen.cli.{module}"), attribute)
        if isinstance(command, typer.Typer):
            return typer.main.get_group(command)
        single = typer.Typer(
            add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
        )
        single.command(name)(command)
        return typer.main.get_command(single)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class CommandGroup(TyperGroup):
    """The commands of reportgen, imported when they are called."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401  # those of Typer
        super().__init__(**settings)
        self.commands = cast("MutableMapping[str, Command]", CommandsByName())

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the summaries, without importing the commands."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


app = typer.Typer(
    name="reportgen",
    cls=CommandGroup,
    help="Evaluate and compare classifiers: build reports from their predictions.",
    epilog="To start: `reportgen init predictions.csv`, then `reportgen build reportgen.toml`.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def run_app() -> NoReturn:
    """Run the command line and exit with the exit code of the command."""
    signal.signal(signal.SIGTERM, _on_sigterm)
    try:
        # Not as a standalone program: messages of typer contain arguments as they are.
        exit_code = app(standalone_mode=False)
    except typer.TyperException as error:
        _print_usage_error(error)
        sys.exit(ExitCode.SPEC)
    except typer.Abort:
        print_message("stopped")
        sys.exit(INTERRUPTED_EXIT_CODE)
    except ReportgenError as error:
        print_diagnostics(error.diagnostics)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print_message("stopped")
        sys.exit(INTERRUPTED_EXIT_CODE)
    except SystemExit as error:
        # Typer exits with 1, the code of a failed gate, if the reader of its help closes the pipe.
        sys.exit(ExitCode.SUCCESS if isinstance(error.__context__, BrokenPipeError) else error.code)
    except Exception as error:  # noqa: BLE001  # the exit code 1 means a failed gate
        if isinstance(error, OSError) and _is_raised_by_echo(error):
            # Typer itself prints the help.
            _exit_if_stdout_failed(error)
        print_message(f"internal error; please report it with {write_crash_report()}")
        sys.exit(ExitCode.INTERNAL)
    sys.exit(exit_code or ExitCode.SUCCESS)


def _is_raised_by_echo(error: OSError) -> bool:
    frames = [frame for frame, _line in traceback.walk_tb(error.__traceback__)]
    return frames[-1].f_code.co_name == typer.echo.__name__


def _exit_if_stdout_failed(error: OSError) -> None:
    """Exit if standard output cannot be written."""
    try:
        raise_stdout_error(error)
    except OutputError as output_error:
        print_diagnostics(output_error.diagnostics)
        sys.exit(output_error.exit_code)


def _print_usage_error(error: typer.TyperException) -> None:
    """Print the usage of a command and what is wrong with its arguments."""
    if isinstance(error, typer.BadParameter):
        error.message = escape_text(error.message)
    text = StringIO()
    # All errors of arguments have this method; their base class does not declare it.
    cast("typer.BadParameter", error).show(file=text)
    print_lines(text.getvalue().rstrip("\n"))


def _print_version(value: bool) -> None:  # typer's form of an option's callback
    if value:
        print_data(__version__)
        raise typer.Exit


@app.callback()
def global_options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version and exit.",
            is_eager=True,
            callback=_print_version,
        ),
    ] = False,
) -> None:
    """Evaluate and compare classifiers: build reports from their predictions."""


def _on_sigterm(_signal: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(SIGTERM_EXIT_CODE)
