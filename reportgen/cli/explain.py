"""`reportgen explain`: what a fault's code or a measure means."""

from __future__ import annotations

from typing import Annotated

import typer

from reportgen.cli.console import print_data
from reportgen.errors import ERROR_CODES, did_you_mean


def explain(
    topic: Annotated[str, typer.Argument(metavar="CODE|MEASURE", help="E104, or youden.")],
) -> None:
    """Explain the CODE of an error, or a MEASURE."""
    kind = ERROR_CODES.get(topic.upper())
    if kind is not None:
        print_data(f"{kind.code}: {kind.title}\n\n{kind.explanation}")
        return
    from reportgen.cli.measures import format_measure
    from reportgen.measures import find_measure, measure_names

    measure = find_measure(topic)
    if measure is None:
        hint = did_you_mean(topic, (*ERROR_CODES, *measure_names()))
        hint = hint or "`reportgen measures` lists measures"
        raise typer.BadParameter(f"there is no code or measure `{topic}`; {hint}")
    print_data(format_measure(measure))
