"""`reportgen preview`: the page in a browser, made anew with every change."""

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
        int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0 takes any free one.")
    ] = DEFAULT_PORT,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Show the report of SPEC in the browser, and again when spec, data or templates change."""
    from reportgen.preview import serve_preview

    try:
        served = serve_preview(spec, port, _format_plain)
    except OSError as error:
        found = f"port {port} cannot be used ({error.strerror}); choose another, or 0 for any"
        raise typer.BadParameter(found, param_hint="--port") from error
    print_data(served.address)
    print_message("end it with Ctrl-C")
    if open_browser and sys.stderr.isatty():
        import webbrowser

        webbrowser.open(served.address)
    try:
        served.watch(_print_status)
    except KeyboardInterrupt:
        print_message("ended")


def _print_status(page: PreviewPage) -> None:
    print_diagnostics(page.diagnostics)
    if not page.diagnostics:
        print_message(f"made version {page.version} ({len(page.content) / 1000:.0f} kB)")


def _format_plain(diagnostic: Diagnostic) -> str:
    return format_diagnostic(diagnostic, plain=True)
