"""`reportgen preview`: the report in a browser, rebuilt after every change."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.console import format_diagnostic, print_data, print_diagnostics, print_message

if TYPE_CHECKING:
    from reportgen.errors import Diagnostic
    from reportgen.preview import PreviewPage

DEFAULT_PORT = 8710


def preview(
    spec: Annotated[Path, typer.Argument(metavar="SPEC", help="The spec file.")],
    port: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=65535, help="The port of the local server; 0: any free port."
        ),
    ] = DEFAULT_PORT,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the report in the browser.")
    ] = True,
) -> None:
    """Show the report of SPEC in the browser; rebuild it when spec, data or templates change."""
    from reportgen.preview import serve_preview

    try:
        server = serve_preview(spec, port, _format_plain)
    except OSError as error:
        message = f"port {port} is not available ({error.strerror}); use another, or 0 for any"
        raise typer.BadParameter(message, param_hint="--port") from error
    print_data(server.address)
    print_message("press Ctrl-C to stop")
    if open_browser and sys.stderr.isatty():
        import webbrowser

        webbrowser.open(server.address)
    try:
        server.watch(_print_status)
    except KeyboardInterrupt:
        print_message("stopped")


def _print_status(page: PreviewPage) -> None:
    print_diagnostics(page.diagnostics)
    if not page.diagnostics:
        print_message(f"built version {page.version} ({len(page.content) / 1000:.0f} kB)")


def _format_plain(diagnostic: Diagnostic) -> str:
    return format_diagnostic(diagnostic, plain=True)
