"""`reportgen explain`: what a fault's code or a measure means."""

from __future__ import annotations

from typing import Annotated

import typer

from reportgen.cli.messages import show
from reportgen.errors import KINDS, did_you_mean


def explain(
    word: Annotated[str, typer.Argument(metavar="CODE|MEASURE", help="E104, or youden.")],
) -> None:
    """Explain the CODE of an error, or a MEASURE."""
    kind = KINDS.get(word.upper())
    if kind is not None:
        show(f"{kind.code}: {kind.title}\n\n{kind.explanation}")
        return
    from reportgen.cli.measures import measure_text
    from reportgen.measures import find_measure, measure_names

    measure = find_measure(word)
    if measure is None:
        hint = did_you_mean(word, (*KINDS, *measure_names()))
        raise typer.BadParameter(
            f"there is no code or measure `{word}`; {hint or '`reportgen measures` lists measures'}"
        )
    show(measure_text(measure))
