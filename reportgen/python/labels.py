"""Labels that are given as arguments: the positive class, all classes, names of columns."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from reportgen.errors import Fault, SpecError
from reportgen.errors.argument_faults import ARGUMENT_UNUSABLE
from reportgen.spec.texts import label_text

Label: TypeAlias = str | float | np.generic
"""What names a class: a text, a number, true or false."""


def label_of(value: object, argument: str) -> str:
    """Return a label as files would have it: True is true, and 1.0 is 1."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    text = label_text(plain)
    if text is None:
        message = f"{argument} names the class {value!r}, which is of type {type(value).__name__}"
        help_text = "classes are named by texts, whole numbers, or true and false"
        raise SpecError(Fault(ARGUMENT_UNUSABLE, message, help=help_text))
    return text
