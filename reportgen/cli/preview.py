"""`reportgen preview`: the page in a browser, made anew with every change."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.messages import fault_text, say, show, show_faults

if TYPE_CHECKING:
    from reportgen.errors import Fault
    from reportgen.preview.page import NewestPage

FIRST_PORT = 8710


def preview(
    spec: Annotated[Path, typer.Argument(metavar="SPEC", help="The spec file.")],
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0 takes any free one.")
    ] = FIRST_PORT,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Show the report of SPEC in the browser, and again when spec, data or templates change."""
    from reportgen.preview import serve

    try:
        served = serve(spec, port, _plain_text)
    except OSError as error:
        found = f"port {port} cannot be used ({error.strerror}); choose another, or 0 for any"
        raise typer.BadParameter(found, param_hint="--port") from error
    show(served.address)
    say("end it with Ctrl-C")
    if open_browser and sys.stderr.isatty():
        import webbrowser

        webbrowser.open(served.address)
    try:
        served.watch(_tell)
    except KeyboardInterrupt:
        say("ended")


def _tell(page: NewestPage) -> None:
    show_faults(page.faults)
    if not page.faults:
        say(f"made version {page.version} ({len(page.content) / 1000:.0f} kB)")


def _plain_text(fault: Fault) -> str:
    return fault_text(fault, plain=True)
