"""Faults in the words of a call: of arguments, where a spec would have tables and keys."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.errors import ReportgenError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.errors import Fault

# In this order: what is more particular first.
_WORDS: tuple[tuple[str, str], ...] = (
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
def in_arguments() -> Iterator[None]:
    """Raise the faults of a call, each once, without places in files that do not exist."""
    try:
        yield
    except ReportgenError as error:
        told = {(fault.message, fault.help): fault for fault in map(_reworded, error.faults)}
        raise type(error)(*told.values()) from None


def _reworded(fault: Fault) -> Fault:
    message = _in_words(fault.message)
    if fault.place is not None and fault.place.line is not None and "(index " not in message:
        message = f"{message} (index {fault.place.line})"
    classifier = "" if fault.place is None else fault.place.path.name.partition(": ")[2]
    if classifier and "`" not in message.partition(":")[0]:
        # What names no argument is said of the classifier it was found in.
        message = f"{classifier}: {message}"
    help_text = None if fault.help is None else _in_words(fault.help)
    return replace(fault, message=message, help=help_text, place=None)


def _in_words(text: str) -> str:
    for pattern, words in _WORDS:
        text = re.sub(pattern, words, text)
    return text
