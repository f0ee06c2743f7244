"""Nothing is drawn of a number that is none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.errors import Fault, RenderingError
from reportgen.errors.run_faults import RENDERING_FAILED

if TYPE_CHECKING:
    from collections.abc import Iterable


def refuse_not_finite(what: str, numbers: Iterable[float]) -> None:
    """Stop before a figure is drawn with a number that is infinite or none."""
    found = next((number for number in numbers if not math.isfinite(number)), None)
    if found is not None:
        message = f"a figure cannot be drawn: {what} would stand at {found}"
        raise RenderingError(Fault(RENDERING_FAILED, message))
