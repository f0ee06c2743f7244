"""What a program gives instead of a file of predictions."""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import TYPE_CHECKING

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

# The text of a large frame is never held as a whole.
_ROWS_AT_ONCE = 100_000


@frozen
class GivenFrame:
    """A frame of one classifier, how the manifest names it, and how messages name its columns."""

    frame: pl.DataFrame
    written: str
    said: Mapping[str, str]

    @property
    def sha256(self) -> str:
        """The hash of the frame as CSV, so that it does not matter what held the values."""
        hashed = hashlib.sha256(self.frame.clear().write_csv().encode())
        for part in self.frame.iter_slices(_ROWS_AT_ONCE):
            hashed.update(part.write_csv(include_header=False).encode())
        return hashed.hexdigest()


NOTHING_GIVEN: Mapping[str, GivenFrame] = MappingProxyType({})
