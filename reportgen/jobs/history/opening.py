"""Opening a history by its address."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Fault, HistoryError
from reportgen.errors.job_faults import HISTORY_UNREACHABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.jobs.history.store import History

SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
POSTGRES_SCHEMES = frozenset({"postgres", "postgresql"})
SQLITE_PREFIX = "sqlite:///"


@contextmanager
def open_history(where: str, *, must_exist: bool = False) -> Iterator[History]:
    """Open the history at a path or a `postgresql://` address; make it unless it must be there.

    `sqlite:///some/path` is a path as well, one that begins with a fourth slash from the root.
    """
    found = SCHEME.match(where)
    scheme = found[1].lower() if found else ""
    if scheme in POSTGRES_SCHEMES:
        from reportgen.jobs.history.postgres import open_postgres

        with open_postgres(where, must_exist=must_exist) as history:
            yield history
        return
    if not where.strip() or (scheme and not where.lower().startswith(SQLITE_PREFIX)):
        # What stands after the scheme may be a password.
        named = f"at {scheme}://…" if scheme else "without a name"
        way_out = "name a file or an address such as postgresql://user@host/database"
        message = f"a history cannot be {named}"
        raise HistoryError(Fault(HISTORY_UNREACHABLE, message, help=way_out))
    from reportgen.jobs.history.sqlite import open_sqlite

    path = Path(where[len(SQLITE_PREFIX) :] if scheme else where)
    with open_sqlite(path, must_exist=must_exist) as history:
        yield history


def is_to_be_made(where: str) -> bool:
    """Tell whether a history is a file that is not there yet."""
    return not SCHEME.match(where) and not Path(where).exists()
