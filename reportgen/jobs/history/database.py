"""What a history needs of a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager

    from reportgen.jobs.history.rows import Row, Value
    from reportgen.jobs.history.tables import Dialect


class Database(Protocol):
    """A connection to a database; whatever it says against something becomes a HistoryError."""

    dialect: Dialect

    def writing(self) -> AbstractContextManager[None]:
        """Do all that is inside or nothing; others wait, and see nothing of it until it is done."""

    def reading(self) -> AbstractContextManager[None]:
        """See everything as it is at one moment."""

    def query(self, statement: str, values: Sequence[Value] = ()) -> list[Row]:
        """Return rows."""

    def change(self, statement: str, values: Iterable[Sequence[Value]]) -> None:
        """Do a statement once for each of the values."""
