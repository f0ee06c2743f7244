"""How templates are read: the shipped ones, and a user's own in a sandbox."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypedDict

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from reportgen.rendering.shipped import template_folder
from reportgen.rendering.texts import visible

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _shown(value: object) -> object:
    """Let no invisible character through, whichever template it is."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


class Options(TypedDict):
    """How all templates are read."""

    undefined: type[StrictUndefined]
    trim_blocks: bool
    lstrip_blocks: bool
    keep_trailing_newline: bool
    finalize: Callable[[object], object]


OPTIONS = Options(
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    finalize=_shown,
)


@cache
def shipped_environment() -> Environment:
    """Return the Jinja2 environment in which whatever comes from data is escaped."""
    return Environment(loader=FileSystemLoader(template_folder()), autoescape=True, **OPTIONS)


def sandbox(own: Path) -> Environment:
    """Return an environment in which templates of a user's own come first, and in a sandbox.

    They find the shipped ones under "shipped/". It is made anew each time, because a template may
    have come or gone.
    """
    shipped = FileSystemLoader(template_folder())
    loaders = [FileSystemLoader(own), PrefixLoader({"shipped": shipped}), shipped]
    return ImmutableSandboxedEnvironment(loader=ChoiceLoader(loaders), autoescape=True, **OPTIONS)
