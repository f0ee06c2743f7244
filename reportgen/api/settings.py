"""The spec of a call, built from its arguments, and its errors in terms of these arguments."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, ReportgenError, SpecError
from reportgen.errors.spec import INVALID_ARGUMENT, WRONG_TYPE
from reportgen.spec import PYTHON_SOURCE_NAME, spec_from_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.spec import SpecFile
    from reportgen.spec.issues import KeyPath, SetKey


SPEC_KEYS: dict[str, tuple[str, ...]] = {
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
    "cost": ("decision", "cost"),
    "require": ("decision", "require"),
    "prevalence": ("prevalence", "targets"),
}
"""The key of the spec that each argument sets."""

_DATA_ARGUMENTS: dict[KeyPath, str] = {
    ("data", "score"): "scores",
    ("data", "probabilities"): "probabilities",
}
_TABLES_FROM_ARGUMENTS = {
    "classifiers": "classifiers are named in `predictions` and `scores`",
    "data": "columns are passed as `truth`, `predictions`, `scores`, `folds`, `ids`, `clusters`,"
    " `weights` and `segments`, and `missing` is an argument",
    "datasets": "evaluate each data set separately, or write a spec and call `evaluate_spec`",
}
_TYPES_HELP = "pass text, a number, a boolean, a list or a mapping"


@dataclass(frozen=True, slots=True)
class CallSettings:
    """The settings of a call: arguments by name, and `spec` with the keys of a spec file."""

    arguments: Mapping[str, object]
    spec: Mapping[str, object]

    def to_spec_file(
        self, columns: Mapping[str, object], classifiers: Sequence[Mapping[str, object]]
    ) -> SpecFile:
        """Return the spec of the call, or raise all its issues."""
        tables = {**self._tables(), "data": columns, "classifiers": classifiers}
        values = {key: self._to_plain((key,), value) for key, value in tables.items()}
        return spec_from_values(values, self._name_argument, self._suggest_argument)

    def _tables(self) -> dict[str, object]:
        """Return the tables of the spec with the arguments at their keys."""
        tables: dict[str, object] = {}
        for key, value in self.spec.items():
            if key in _TABLES_FROM_ARGUMENTS:
                raise _argument_error(
                    f'`spec["{key}"]` is not allowed', _TABLES_FROM_ARGUMENTS[key]
                )
            tables[key] = dict(value) if isinstance(value, Mapping) else value
        for argument, path in SPEC_KEYS.items():
            if self.arguments.get(argument) is None:
                continue
            table = tables if len(path) == 1 else tables.setdefault(path[0], {})
            if not isinstance(table, dict) or path[-1] in table:
                message = f"`{argument}` is passed as an argument and in `spec`"
                raise _argument_error(message, "keep one of the two")
            table[path[-1]] = self.arguments[argument]
        return tables

    def _to_plain(self, path: KeyPath, value: object) -> object:
        """Return a value as TOML would have it: NumPy values as plain ones, None left out."""
        native = value.tolist() if hasattr(value, "tolist") else value
        match native:
            case str() | bool() | int() | float() | date():
                return native
            case list() | tuple():
                return [self._to_plain((*path, index), item) for index, item in enumerate(native)]
            case Mapping():
                return {
                    str(key): self._to_plain((*path, str(key)), item)
                    for key, item in native.items()
                    if item is not None
                }
        message = f"{self._name_argument(path)} has the unsupported type {type(value).__name__}"
        raise SpecError(Diagnostic(WRONG_TYPE, message, help=_TYPES_HELP))

    def _name_argument(self, path: KeyPath) -> str:
        """Return the argument that a key of the spec comes from, or would be passed as."""
        for argument, key in SPEC_KEYS.items():
            shared = min(len(path), len(key))
            if path[:shared] != key[:shared]:
                continue
            is_passed = self.arguments.get(argument) is not None
            if is_passed or (len(path) >= len(key) and not self._is_in_spec(key)):
                return f"`{argument}`"
        if path[0] == "classifiers":
            return f"`{path[2]}`" if path[2:] == ("threshold",) else "`predictions`"
        keys = "".join(f'["{key}"]' if isinstance(key, str) else f"[{key}]" for key in path)
        return f"`spec{keys}`"

    def _is_in_spec(self, key: tuple[str, ...]) -> bool:
        table = self.spec if len(key) == 1 else self.spec.get(key[0])
        return isinstance(table, Mapping) and key[-1] in table

    def _suggest_argument(self, suggestion: SetKey) -> str:
        if suggestion.path in _DATA_ARGUMENTS:
            return f"pass `{_DATA_ARGUMENTS[suggestion.path]}`"
        return f"set {self._name_argument(suggestion.path)}"


def _argument_error(message: str, help_text: str) -> SpecError:
    return SpecError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))


@contextmanager
def argument_errors() -> Iterator[None]:
    """Raise the diagnostics of a call, each once, with an index instead of a place in a file."""
    try:
        yield
    except ReportgenError as error:
        raise type(error)(*dict.fromkeys(map(_without_location, error.diagnostics))) from None


def _without_location(diagnostic: Diagnostic) -> Diagnostic:
    location, message = diagnostic.location, diagnostic.message
    if location is None:
        return diagnostic
    if location.line is not None:
        message = f"{message} (index {location.line})"
    source, _, classifier = str(location.path).partition(": ")
    # A message that starts with a quoted name names the argument or the classifier itself.
    if source == PYTHON_SOURCE_NAME and not message.startswith("`"):
        message = f"{classifier}: {message}"
    return replace(diagnostic, message=message, location=None)
