"""The sandbox of the user's templates: an allow-list of what templates may read and call.

Jinja2's sandbox forbids what is known to be dangerous. A report, however, leads to objects with
methods that write files (arrays, paths, frames), so that only data of known types are readable
here: text, numbers, tuples, mappings, and the fields and properties of the report's own classes.
"""

from __future__ import annotations

import enum
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING

from jinja2 import FileSystemLoader, TemplateNotFound
from jinja2.runtime import LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Cycler, Joiner, Namespace
from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import Environment

PLAIN_TYPES = (str, Markup, int, float, bool, tuple, list, dict, frozenset)
JINJA_TYPES = (LoopContext, Macro, Cycler, Joiner, Namespace)


class DataOnlyEnvironment(ImmutableSandboxedEnvironment):
    """An environment in which templates read data and call a given set of functions only.

    `allowed_calls` are these functions; `helper_types` the classes whose public methods may be
    called.
    """

    allowed_calls: tuple[Callable[..., object], ...] = ()
    helper_types: tuple[type, ...] = ()

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
        """Return whether a template may read an attribute."""
        if attr.startswith("_") or not super().is_safe_attribute(obj, attr, value):
            return False
        if any(type(obj) is type_ for type_ in PLAIN_TYPES) or isinstance(
            obj, (*JINJA_TYPES, *self.helper_types)
        ):
            return True
        return attr in _readable_names(type(obj))  # type: ignore[arg-type]  # classes have a hash

    def is_safe_callable(self, obj: object) -> bool:
        """Return whether a template may call an object."""
        owner = getattr(obj, "__self__", None)
        if owner is not None and not isinstance(owner, type):
            return type(owner) in PLAIN_TYPES or (
                isinstance(obj, MethodType)
                and isinstance(owner, (*JINJA_TYPES, *self.helper_types))
            )
        functions = (*self.allowed_calls, *self.globals.values())
        return isinstance(obj, JINJA_TYPES) or any(function is obj for function in functions)


class ContainedLoader(FileSystemLoader):
    """Loads templates of one folder; a link that leads out of it is not followed."""

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        """Return the text of a template, its path, and whether it is unchanged."""
        text, path, is_unchanged = super().get_source(environment, template)
        folders = [Path(folder).resolve() for folder in self.searchpath]
        if not any(Path(path).resolve().is_relative_to(folder) for folder in folders):
            raise TemplateNotFound(template)
        return text, path, is_unchanged


@cache
def _readable_names(type_: type) -> frozenset[str]:
    """Return the fields and properties of a class of this program; of others none."""
    if type_.__module__.partition(".")[0] != __name__.partition(".")[0]:
        return frozenset()
    names = {
        name
        for base in type_.__mro__
        for name, member in vars(base).items()
        if isinstance(member, property) or type(member).__name__ == "cached_property"
    }
    if is_dataclass(type_):
        names |= {field.name for field in fields(type_)}
    if issubclass(type_, enum.Enum):
        names |= {"name", "value"}
    return frozenset(names)
