"""Who wants to be told, also where the rest of a spec is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from reportgen.spec.notify import Notify
from reportgen.spec.unchecked import unchecked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def notices_in(spec: Path) -> tuple[Notify, ...]:
    """Return the notices that can be read, so that a spec that broke can still say so."""
    written = unchecked(spec, "notify")
    return tuple(_valid(written)) if isinstance(written, list) else ()


def _valid(written: list[object]) -> Iterator[Notify]:
    for table in written:
        try:
            yield Notify.model_validate(table)
        except ValidationError:
            # What is wrong with it is told with all the other faults of the spec.
            continue
