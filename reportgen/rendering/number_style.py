"""The marks of numbers, which differ between countries: points, commas, spaces."""

from __future__ import annotations

import functools
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, ParamSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reportgen.spec.theme import NumberStyle

NARROW_SPACE = "\u202f"
# The mark between thousands, and the one before decimals.
MARKS: dict[NumberStyle, tuple[str, str]] = {
    "si": (NARROW_SPACE, "."),
    "en": (",", "."),
    "de": (".", ","),
    "fr": (NARROW_SPACE, ","),
    "ch": ("\u2019", "."),
}

Parameters = ParamSpec("Parameters")
# Kept beside the flow: every number of a document has the same style, and nothing else does.
_style: ContextVar[NumberStyle] = ContextVar("number_style", default="si")


@contextmanager
def number_style(style: NumberStyle) -> Iterator[None]:
    """Write all numbers in this style meanwhile."""
    before = _style.set(style)
    try:
        yield
    finally:
        _style.reset(before)


def marks() -> tuple[str, str]:
    """Return the present marks: between thousands, and before decimals."""
    return MARKS[_style.get()]


def in_style(write: Callable[Parameters, str]) -> Callable[Parameters, str]:
    """Give what a function writes as 1,234.5 the marks of the present style."""

    @functools.wraps(write)
    def written(*args: Parameters.args, **kwargs: Parameters.kwargs) -> str:
        return styled(write(*args, **kwargs))

    return written


def styled(written: str) -> str:
    """Give what was written as 1,234.5 the marks of the present style."""
    thousands, decimal = marks()
    return written.translate({ord(","): thousands, ord("."): decimal})
