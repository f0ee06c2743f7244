"""The settings of a call as the document a spec is made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from reportgen.errors import Fault, SpecError
from reportgen.errors.argument_faults import ARGUMENT_UNUSABLE
from reportgen.frozen import frozen
from reportgen.spec import given_spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.spec import SpecFile

KEYS: dict[str, tuple[str, ...]] = {
    "title": ("title",),
    "task": ("task", "kind"),
    "positive": ("task", "positive"),
    "classes": ("task", "classes"),
    "measures": ("measures", "show"),
    "level": ("intervals", "level"),
    "seed": ("intervals", "seed"),
    "primary": ("comparison", "primary"),
    "baseline": ("comparison", "baseline"),
    "margin": ("comparison", "margin"),
    "alpha": ("comparison", "alpha"),
    "prevalence": ("prevalence", "targets"),
}
"""What an argument is called in a spec."""

_OF_ARGUMENTS = {
    "classifiers": "classifiers are named in `predictions` and `scores`",
    "data": "columns are given as `truth`, `predictions`, `scores`, `folds` and `ids`",
    "datasets": "evaluate each data set by itself, or write a spec and call `evaluate_spec`",
}


@frozen
class Settings:
    """What a call says besides its data: arguments by name, and more in the shape of a spec."""

    arguments: Mapping[str, object]
    spec: Mapping[str, object]

    def spec_file(
        self, columns: Mapping[str, object], classifiers: Sequence[Mapping[str, object]]
    ) -> SpecFile:
        """Make the spec of the call, or raise all that is wrong with it."""
        document = self._document()
        document["data"] = columns
        document["classifiers"] = classifiers
        return given_spec(document, self._told)

    def _document(self) -> dict[str, object]:
        """Put the arguments where a spec has them; nothing may be said twice."""
        document: dict[str, object] = {}
        for key, value in self.spec.items():
            if key in _OF_ARGUMENTS:
                raise _unusable(f'`spec["{key}"]` cannot be given', _OF_ARGUMENTS[key])
            document[key] = dict(value) if isinstance(value, Mapping) else value
        for argument, path in KEYS.items():
            if self.arguments.get(argument) is None:
                continue
            table = document if len(path) == 1 else document.setdefault(path[0], {})
            if not isinstance(table, dict) or path[-1] in table:
                message = f"`{argument}` is given as an argument and in `spec` as well"
                raise _unusable(message, "keep one of the two")
            table[path[-1]] = self.arguments[argument]
        return document

    def _told(self, path: tuple[str | int, ...]) -> str:
        """Name the argument that a key of the spec comes from."""
        for argument, key in KEYS.items():
            shared = min(len(path), len(key))
            if path[:shared] == key[:shared] and self.arguments.get(argument) is not None:
                return f"`{argument}`"
        if path[0] == "classifiers":
            return f"`{path[2]}`" if path[2:] == ("threshold",) else "`predictions`"
        keys = "".join(f'["{key}"]' if isinstance(key, str) else f"[{key}]" for key in path)
        return f"`spec{keys}`"


def _unusable(message: str, help_text: str) -> SpecError:
    return SpecError(Fault(ARGUMENT_UNUSABLE, message, help=help_text))
