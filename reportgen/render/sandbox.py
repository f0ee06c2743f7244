"""The sandbox of the user's templates.

Templates see plain data only: see `reportgen.render.page_data`. Of these, mappings have their keys
as attributes and text has its methods; nothing else has attributes, except what Jinja2 itself
provides: loops, macros and namespaces.
"""

from __future__ import annotations

from pathlib import Path
from types import BuiltinMethodType, MethodType
from typing import TYPE_CHECKING

from jinja2 import FileSystemLoader, TemplateNotFound
from jinja2.environment import TemplateModule
from jinja2.runtime import BlockReference, LoopContext, Macro, TemplateReference
from jinja2.sandbox import SandboxedEnvironment
from jinja2.utils import Cycler, Joiner, Namespace
from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import Environment
    from jinja2.runtime import Undefined

TEXT_TYPES = (str, Markup)
JINJA_TYPES = (
    *(LoopContext, Macro, Cycler, Joiner, Namespace),
    *(TemplateReference, BlockReference, TemplateModule),
)
GLOBAL_FUNCTIONS = ("range", "namespace", "cycler", "joiner")


class PlainDataEnvironment(SandboxedEnvironment):
    """An environment whose templates read plain data and call methods of text only."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self.globals = {name: self.globals[name] for name in GLOBAL_FUNCTIONS}

    def getattr(self, obj: object, attribute: str) -> object | Undefined:
        """Return an attribute; those of a mapping are its keys, not its methods."""
        return (
            self.getitem(obj, attribute) if type(obj) is dict else super().getattr(obj, attribute)
        )

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:  # noqa: ARG002  # of Jinja2
        """Return whether a template may read an attribute."""
        return not attr.startswith("_") and (
            type(obj) in TEXT_TYPES or isinstance(obj, JINJA_TYPES)
        )

    def is_safe_callable(self, obj: object) -> bool:
        """Return whether a template may call an object."""
        if isinstance(obj, BuiltinMethodType | MethodType):
            owner = obj.__self__
            return type(owner) in TEXT_TYPES or isinstance(owner, JINJA_TYPES)
        return isinstance(obj, JINJA_TYPES) or any(obj is item for item in self.globals.values())


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
