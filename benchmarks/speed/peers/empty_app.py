"""The least a command line with Typer takes: one command that does nothing."""

from __future__ import annotations

import typer

# As reportgen's: without rich, whose import would make this app slower.
app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def nothing() -> None:
    """Do nothing."""


if __name__ == "__main__":
    app()
