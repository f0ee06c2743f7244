"""All faults of several things at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from reportgen.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reportgen.errors import Fault

Item = TypeVar("Item")
Found = TypeVar("Found")


def read_each(items: Iterable[Item], read: Callable[[Item], Found]) -> tuple[Found, ...]:
    """Read every item, or raise the faults of all of them together."""
    found: list[Found] = []
    faults: dict[Fault, None] = {}
    for item in items:
        try:
            found.append(read(item))
        except DataError as error:
            # As keys, because two classifiers may read one faulty file.
            faults.update(dict.fromkeys(error.faults))
    if faults:
        raise DataError(*faults)
    return tuple(found)
