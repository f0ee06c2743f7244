"""A history in a file of SQLite.

Readers and one writer work at the same time (write-ahead log), and what was written is on the disk
(synchronous = FULL). The log needs memory that all processes share: on a file system of a network
the older rollback journal is used, which is slower and as safe.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from reportgen.errors import Fault, HistoryError, Place
from reportgen.errors.job_faults import (
    HISTORY_BUSY,
    HISTORY_DAMAGED,
    HISTORY_FOREIGN,
    HISTORY_MISSING,
    HISTORY_NEWER,
    HISTORY_UNREACHABLE,
    HISTORY_UNWRITABLE,
)
from reportgen.frozen import frozen
from reportgen.jobs.history import tables
from reportgen.jobs.history.mounts import is_on_network
from reportgen.jobs.history.relational import RelationalHistory
from reportgen.jobs.history.rows import DamagedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reportgen.errors import FaultKind
    from reportgen.jobs.history.rows import Row, Value

SECONDS_TO_WAIT = 30.0
SECONDS_BETWEEN = 0.02
# "rptg" in ASCII: what programs such as `file` know the file by.
APPLICATION = 0x72707467
OLDEST_SQLITE = (3, 37)
MAGIC = b"SQLite format 3\0"
HEADER_SIZE = 100
USER_VERSION, APPLICATION_ID = slice(60, 64), slice(68, 72)
MOVE_AWAY = "move it away (`mv {0} {0}.damaged`) and the next run begins a new history"
KINDS: dict[int, FaultKind] = {
    sqlite3.SQLITE_BUSY: HISTORY_BUSY,
    sqlite3.SQLITE_LOCKED: HISTORY_BUSY,
    sqlite3.SQLITE_CANTOPEN: HISTORY_UNREACHABLE,
    sqlite3.SQLITE_AUTH: HISTORY_UNREACHABLE,
    sqlite3.SQLITE_PERM: HISTORY_UNREACHABLE,
    sqlite3.SQLITE_FULL: HISTORY_UNWRITABLE,
    sqlite3.SQLITE_IOERR: HISTORY_UNWRITABLE,
    sqlite3.SQLITE_READONLY: HISTORY_UNWRITABLE,
    sqlite3.SQLITE_CONSTRAINT: HISTORY_UNWRITABLE,
}
WAYS_OUT = {
    HISTORY_BUSY.code: "end what holds it open; only one process writes at a time",
    HISTORY_UNREACHABLE.code: "give permission, or name another place with --history",
    HISTORY_UNWRITABLE.code: "make room or give permission, or name another place with --history",
    HISTORY_DAMAGED.code: MOVE_AWAY,
    HISTORY_FOREIGN.code: "name another file with --history, or " + MOVE_AWAY,
    HISTORY_NEWER.code: "update reportgen, or name another place with --history",
    HISTORY_MISSING.code: "`reportgen build` begins one; --history names another place",
}


@frozen
class SqliteDatabase:
    """A connection to a file."""

    connection: sqlite3.Connection
    path: Path
    dialect = tables.SQLITE

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Do all that is inside or nothing; others wait, and see nothing of it until it is done."""
        with told(self.path), self._transaction("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See everything as it is at one moment."""
        with told(self.path), self._transaction("BEGIN"):
            yield

    def query(self, statement: str, values: Sequence[Value] = ()) -> list[Row]:
        """Return rows."""
        return self.connection.execute(statement, values).fetchall()

    def change(self, statement: str, values: Iterable[Sequence[Value]]) -> None:
        """Do a statement once for each of the values."""
        self.connection.executemany(statement, values)

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self.connection.execute(begin)
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise


@contextmanager
def open_sqlite(path: Path, *, must_exist: bool) -> Iterator[RelationalHistory]:
    """Open the history in a file, brought to the tables of today."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        found = f"this Python has SQLite {sqlite3.sqlite_version}, which is too old for a history"
        raise HistoryError(Fault(HISTORY_UNREACHABLE, found, help="3.37 or later is needed"))
    _look_at(path, must_exist=must_exist)
    with told(path):
        connection = _connected(path, must_exist=must_exist)
    with closing(connection):
        with told(path):
            _prepare(connection, path)
        yield RelationalHistory(SqliteDatabase(connection, path))


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn whatever SQLite says against a file into a fault with the way out."""
    try:
        yield
    except (DamagedError, UnicodeDecodeError) as error:
        # The second is what Python makes of a message of SQLite that quotes broken text.
        raise _refused(HISTORY_DAMAGED, path, f"is damaged: {error}") from error
    except sqlite3.Error as error:
        # The low byte of a code is its kind; a missing table or text that is no UTF-8 has none.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        kind = KINDS.get(code, HISTORY_DAMAGED)
        raise _refused(kind, path, f"{_what(kind)}: {error}") from error


def _look_at(path: Path, *, must_exist: bool) -> None:
    """Refuse what is no history of ours before SQLite touches it."""
    try:
        with path.open("rb") as file:
            header = file.read(HEADER_SIZE)
    except FileNotFoundError:
        if must_exist:
            raise _refused(HISTORY_MISSING, path, "is not there") from None
        _make_folder(path)
        return
    except OSError as error:
        raise _refused(HISTORY_UNREACHABLE, path, f"{error.strerror}") from error
    if not header:
        return
    if len(header) < HEADER_SIZE or not header.startswith(MAGIC):
        raise _refused(
            HISTORY_FOREIGN, path, "is no file of SQLite, or its first bytes are damaged"
        )
    version = int.from_bytes(header[USER_VERSION], signed=True)
    _check_version(path, version, int.from_bytes(header[APPLICATION_ID]))


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(HISTORY_UNREACHABLE, path, f"cannot be made: {error.strerror}") from error


def _check_version(path: Path, version: int, application: int) -> None:
    if application not in {0, APPLICATION}:
        raise _refused(HISTORY_FOREIGN, path, "is a database of another program")
    if version > tables.VERSION:
        newer = f"has tables of version {version}; this reportgen knows {tables.VERSION}"
        raise _refused(HISTORY_NEWER, path, newer)


def _connected(path: Path, *, must_exist: bool) -> sqlite3.Connection:
    mode = "rw" if must_exist else "rwc"
    if must_exist and not _is_writable(path):
        # Where nothing can be written there is no log beside the file, unless somebody writes now.
        mode = "ro" if Path(f"{path}-wal").exists() else "ro&immutable=1"
    address = f"file:{quote(str(path.absolute()))}?mode={mode}"
    return sqlite3.connect(address, timeout=SECONDS_TO_WAIT, isolation_level=None, uri=True)


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    is_today = _version(connection, path) == tables.VERSION
    journal = "delete" if is_on_network(path) else "wal"
    ((found,),) = connection.execute("PRAGMA journal_mode").fetchall()
    # A file that was moved to or from a network changes its journal, if it can be written at all.
    if found != journal and (not is_today or _is_writable(path)):
        _set_journal(connection, journal)
    if is_today:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster.
        version = _version(connection, path)
        for statements in tables.MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(tables.SQLITE.written(statement))
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {tables.VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection, path: Path) -> int:
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    ((application,),) = connection.execute("PRAGMA application_id").fetchall()
    _check_version(path, version, application)
    if version < 1 and connection.execute("SELECT 1 FROM sqlite_master").fetchall():
        raise _refused(HISTORY_FOREIGN, path, "has tables that are not those of a history")
    return max(0, int(version))


def _set_journal(connection: sqlite3.Connection, wanted: str) -> None:
    """Choose the journal; where a file system cannot have the log, SQLite keeps the other."""
    until = time.monotonic() + SECONDS_TO_WAIT
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode = {wanted}")
        except sqlite3.OperationalError as error:
            # SQLite does not wait by itself here, when several processes begin a history at once.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(SECONDS_BETWEEN)
        else:
            return


def _what(kind: FaultKind) -> str:
    match kind.code:
        case HISTORY_BUSY.code:
            return f"was busy for {SECONDS_TO_WAIT:.0f} seconds"
        case HISTORY_UNREACHABLE.code:
            return "cannot be opened"
        case HISTORY_UNWRITABLE.code:
            return "cannot be written"
        case _:
            return "is damaged"


def _refused(kind: FaultKind, path: Path, what: str) -> HistoryError:
    way_out = WAYS_OUT[kind.code].format(path)
    return HistoryError(Fault(kind, f"the history {path} {what}", Place(path), way_out))
