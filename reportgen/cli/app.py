"""The application: its commands and exit codes."""

from __future__ import annotations

import signal
import sys
import traceback
from io import StringIO
from typing import TYPE_CHECKING, Annotated, NoReturn, cast

import typer

from reportgen import __version__
from reportgen.cli import INTERRUPTED_EXIT_CODE
from reportgen.cli.build import build_command
from reportgen.cli.check import check
from reportgen.cli.console import (
    escape_text,
    print_data,
    print_diagnostics,
    print_lines,
    print_message,
    raise_stdout_error,
)
from reportgen.cli.doctor import doctor
from reportgen.cli.explain import explain
from reportgen.cli.history import history_app as history
from reportgen.cli.init import init
from reportgen.cli.measures import measures
from reportgen.cli.preview import preview
from reportgen.cli.publish import publish
from reportgen.cli.schedule import schedule_app as schedule
from reportgen.cli.schema import schema
from reportgen.cli.sql import sql
from reportgen.errors import ExitCode, OutputError, ReportgenError
from reportgen.errors.run import write_crash_report

if TYPE_CHECKING:
    from types import FrameType

SIGTERM_EXIT_CODE = 143

app = typer.Typer(
    name="reportgen",
    help="Evaluate and compare classifiers: build reports from their predictions.",
    epilog="To start: `reportgen init predictions.csv`, then `reportgen build reportgen.toml`.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("build")(build_command)
for command in (preview, check, init, measures, explain, schema, sql, doctor, publish):
    app.command()(command)
for commands in (history, schedule):
    app.add_typer(commands)


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
