"""What specs and commands choose by name: the formats of a report, and how much it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from reportgen.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

Format = Literal["html", "pdf", "json", "csv", "parquet", "latex", "markdown"]
Detail = Literal["summary", "standard", "full"]
FORMATS: tuple[Format, ...] = get_args(Format)
DETAILS: tuple[Detail, ...] = get_args(Detail)


class UnknownNameError(ValueError):
    """A name that there is not; the hint says which was meant, or which there are."""

    def __init__(self, kind: str, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"there is no {kind} `{name}`")
        self.hint = did_you_mean(name, known) or f"there are {', '.join(known)}"


def known_formats(names: Iterable[str]) -> tuple[Format, ...]:
    """Return the formats that are named, in their usual order, or raise because of the others."""
    named = tuple(names)
    unknown = next((name for name in named if name not in FORMATS), None)
    if unknown is not None:
        raise UnknownNameError("format", unknown, FORMATS)
    return tuple(format_ for format_ in FORMATS if format_ in named)


def known_detail(name: str) -> Detail:
    """Return the detail that is named, or raise because there is none of that name."""
    for detail in DETAILS:
        if detail == name:
            return detail
    raise UnknownNameError("detail", name, DETAILS)
