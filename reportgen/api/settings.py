"""The settings of a call as the document a spec is made from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, ReportgenError, SpecError
from reportgen.errors.spec import INVALID_ARGUMENT
from reportgen.spec import spec_from_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.spec import SpecFile


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
    "prevalence": ("prevalence", "targets"),
}
"""What an argument is called in a spec."""

_TABLES_FROM_ARGUMENTS = {
    "classifiers": "classifiers are named in `predictions` and `scores`",
    "data": "columns are given as `truth`, `predictions`, `scores`, `folds` and `ids`",
    "datasets": "evaluate each data set by itself, or write a spec and call `evaluate_spec`",
}


@dataclass(frozen=True, slots=True)
class CallSettings:
    """What a call says besides its data: arguments by name, and more in the shape of a spec."""

    arguments: Mapping[str, object]
    spec: Mapping[str, object]

    def to_spec_file(
        self, columns: Mapping[str, object], classifiers: Sequence[Mapping[str, object]]
    ) -> SpecFile:
        """Make the spec of the call, or raise all that is wrong with it."""
        document = self._build_document()
        document["data"] = columns
        document["classifiers"] = classifiers
        return spec_from_mapping(document, self._argument_for_key)

    def _build_document(self) -> dict[str, object]:
        """Put the arguments where a spec has them; nothing may be said twice."""
        document: dict[str, object] = {}
        for key, value in self.spec.items():
            if key in _TABLES_FROM_ARGUMENTS:
                raise _argument_error(
                    f'`spec["{key}"]` cannot be given', _TABLES_FROM_ARGUMENTS[key]
                )
            document[key] = dict(value) if isinstance(value, Mapping) else value
        for argument, path in SPEC_KEYS.items():
            if self.arguments.get(argument) is None:
                continue
            table = document if len(path) == 1 else document.setdefault(path[0], {})
            if not isinstance(table, dict) or path[-1] in table:
                message = f"`{argument}` is given as an argument and in `spec` as well"
                raise _argument_error(message, "keep one of the two")
            table[path[-1]] = self.arguments[argument]
        return document

    def _argument_for_key(self, path: tuple[str | int, ...]) -> str:
        """Name the argument that a key of the spec comes from."""
        for argument, key in SPEC_KEYS.items():
            shared = min(len(path), len(key))
            if path[:shared] == key[:shared] and self.arguments.get(argument) is not None:
                return f"`{argument}`"
        if path[0] == "classifiers":
            return f"`{path[2]}`" if path[2:] == ("threshold",) else "`predictions`"
        keys = "".join(f'["{key}"]' if isinstance(key, str) else f"[{key}]" for key in path)
        return f"`spec{keys}`"


def _argument_error(message: str, help_text: str) -> SpecError:
    return SpecError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))


# Faults in the words of a call: of arguments, where a spec would have tables and keys.

# In this order: what is more particular first.
_ARGUMENT_WORDING: tuple[tuple[str, str], ...] = (
    (
        r"no column `probabilities of (.*)` for `data\.probabilities of .*`; found .*",
        r"class '\1' has no column of probabilities",
    ),
    (r"did you mean `probabilities of .*`\?", "give every class a column"),
    (r"^`prevalence`: \[prevalence\]", "`prevalence`"),
    (r"name their column: `score = \"…\"` under \[data\]", "pass `scores`"),
    (r"name their column: `probabilities = .*` under \[data\]", "pass `probabilities`"),
    (r"name it: `score = .*` in \[data\]", "pass `scores`"),
    (r",? ?write a spec of kind = \"binary\"", ", name it as `positive`"),
    (r"write `score_kind = \"ranking\"`", 'pass `score_kind="ranking"`'),
    (r"write `?kind = (\"\w+\")`?", r"pass `task=\1`"),
    (r"`kind = (\"\w+\")`", r"`task=\1`"),
    (
        r"(?:list it|name (?:the other class|both classes)): `classes = (\[.*\])` under `\[task\]`",
        r"pass `classes=\1`",
    ),
    (r"`(\w+) = ([^`]+)`", r"`\1=\2`"),
    (r"`(?:task|data)\.(\w+)`", r"`\1`"),
    (r" (?:in|under) `?\[(?:task|data)\]`?", ""),
    (r"occurs in no file", "occurs neither in the truth nor in a prediction"),
    (r"is it the right column, or is", "are these the right values, or is"),
    (r"fill the cell, or remove the row", "fill it, or leave the case out"),
    (r"mend whatever wrote it, or remove the row", "mend it, or leave the case out"),
    (r"probabilities of the row", "probabilities of a case"),
    (r"take `probabilities` out", "leave `probabilities` out"),
    (r"choose another place with -o", "choose another place"),
)


@contextmanager
def argument_errors() -> Iterator[None]:
    """Raise the faults of a call, each once, without places in files that do not exist."""
    try:
        yield
    except ReportgenError as error:
        told = {
            (fault.message, fault.help): fault
            for fault in map(_reword_diagnostic, error.diagnostics)
        }
        raise type(error)(*told.values()) from None


def _reword_diagnostic(diagnostic: Diagnostic) -> Diagnostic:
    message = _reword(diagnostic.message)
    if (
        diagnostic.location is not None
        and diagnostic.location.line is not None
        and "(index " not in message
    ):
        message = f"{message} (index {diagnostic.location.line})"
    classifier = (
        "" if diagnostic.location is None else diagnostic.location.path.name.partition(": ")[2]
    )
    if classifier and "`" not in message.partition(":")[0]:
        # What names no argument is said of the classifier it was found in.
        message = f"{classifier}: {message}"
    help_text = None if diagnostic.help is None else _reword(diagnostic.help)
    return replace(diagnostic, message=message, help=help_text, location=None)


def _reword(text: str) -> str:
    for pattern, words in _ARGUMENT_WORDING:
        text = re.sub(pattern, words, text)
    return text
