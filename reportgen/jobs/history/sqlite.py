"""Run history in an SQLite file.

With the write-ahead log, readers and one writer work concurrently; commits are durable
(synchronous = FULL). The log needs memory shared by all processes: on a network file system the
rollback journal is used instead, which is slower and equally safe.
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from reportgen.errors import Diagnostic, HistoryError, Location
from reportgen.errors.jobs import (
    HISTORY_BUSY,
    HISTORY_CORRUPT,
    HISTORY_MISSING,
    HISTORY_UNREACHABLE,
    HISTORY_UNWRITABLE,
    HISTORY_VERSION_MISMATCH,
    NOT_A_HISTORY,
)
from reportgen.jobs.history import schema
from reportgen.jobs.history.schema import CorruptHistoryError
from reportgen.jobs.history.store import SqlHistoryStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reportgen.errors import ErrorCode
    from reportgen.jobs.history.schema import SqlRow, SqlValue


MOUNTINFO = Path("/proc/self/mountinfo")
# File systems on which processes of different hosts, or of host and guest, share no memory.
NETWORK_FILE_SYSTEMS = frozenset(
    {
        *("9p", "afs", "beegfs", "ceph", "cifs", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs"),
        *("nfs", "nfs4", "ocfs2", "orangefs", "smb2", "smb3", "smbfs", "virtiofs", "vboxsf"),
    }
)


def is_on_network(path: Path, mountinfo: Path = MOUNTINFO) -> bool:
    """Return whether a path is on a network file system; False if the mounts are unknown."""
    try:
        lines = mountinfo.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    target = path.absolute().parent.resolve() / path.name
    longest, kind = -1, ""
    for line in lines:
        point, file_system = _parse_mount(line)
        # Of two mounts on the same mount point, the later one is effective.
        if len(point.parts) >= longest and target.is_relative_to(point):
            longest, kind = len(point.parts), file_system
    return kind in NETWORK_FILE_SYSTEMS or kind.startswith("fuse.")


def _parse_mount(line: str) -> tuple[Path, str]:
    """Return the mount point and the file system type of a line; see proc_pid_mountinfo(5)."""
    mount_fields, _, file_system_fields = line.partition(" - ")
    point = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), mount_fields.split(" ")[4])
    return Path(point), file_system_fields.split(" ")[0]


BUSY_TIMEOUT_SECONDS = 30.0
BUSY_RETRY_SECONDS = 0.02
# "rptg" in ASCII: the application id in the header, by which `file` identifies the format.
SQLITE_APPLICATION_ID = 0x72707467
MIN_SQLITE_VERSION = (3, 37)
SQLITE_MAGIC = b"SQLite format 3\0"
SQLITE_HEADER_SIZE = 100
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
USER_VERSION_BYTES, APPLICATION_ID_BYTES = slice(60, 64), slice(68, 72)
_TABLE_DEFINITIONS = "SELECT name, sql FROM sqlite_master WHERE type <> 'trigger'"
MOVE_AWAY_HELP = "move it away (`mv {0} {0}.corrupt`) and the next run creates a new one"
CODES_BY_SQLITE_ERROR: dict[int, ErrorCode] = {
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
SQLITE_HELP = {
    HISTORY_BUSY.code: "end the process that holds the lock; only one process can write at a time",
    HISTORY_UNREACHABLE.code: "grant access, or choose another history with --history",
    HISTORY_UNWRITABLE.code: "free disk space or grant access, or choose another history with"
    " --history",
    HISTORY_CORRUPT.code: MOVE_AWAY_HELP,
    NOT_A_HISTORY.code: "choose another file with --history, or " + MOVE_AWAY_HELP,
    HISTORY_VERSION_MISMATCH.code: "use the version of reportgen that wrote it, or choose another"
    " history with --history",
    HISTORY_MISSING.code: "`reportgen build` creates one; --history names another",
}


@dataclass(frozen=True, slots=True)
class SqliteDatabase:
    """A connection to an SQLite file."""

    connection: sqlite3.Connection
    path: Path
    dialect = schema.SQLITE_DIALECT

    @contextmanager
    def write_transaction(self) -> Iterator[None]:
        """Open a write transaction: atomic, and serialized with other writers."""
        with translate_sqlite_errors(self.path), self._transaction("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def read_transaction(self) -> Iterator[None]:
        """Open a read transaction on one consistent snapshot."""
        with translate_sqlite_errors(self.path), self._transaction("BEGIN"):
            yield

    def query(self, statement: str, values: Sequence[SqlValue] = ()) -> list[SqlRow]:
        """Return the rows of a query."""
        return self.connection.execute(statement, values).fetchall()

    def execute_many(self, statement: str, rows: Iterable[Sequence[SqlValue]]) -> None:
        """Execute a statement once for each row of values."""
        self.connection.executemany(statement, rows)

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
def open_sqlite(path: Path, *, must_exist: bool) -> Iterator[SqlHistoryStore]:
    """Open the history in a file; create its tables if there are none."""
    if sqlite3.sqlite_version_info < MIN_SQLITE_VERSION:
        message = (
            f"this Python has SQLite {sqlite3.sqlite_version}, but a history needs 3.37 or later"
        )
        raise HistoryError(
            Diagnostic(
                HISTORY_UNREACHABLE, message, help="use a newer Python, or a history in PostgreSQL"
            )
        )
    _check_header(path, must_exist=must_exist)
    with translate_sqlite_errors(path):
        connection = _connect(path, must_exist=must_exist)
    with closing(connection):
        with translate_sqlite_errors(path):
            _prepare_database(connection, path)
        yield SqlHistoryStore(SqliteDatabase(connection, path))


@contextmanager
def translate_sqlite_errors(path: Path) -> Iterator[None]:
    """Translate errors of SQLite into HistoryError with a remedy."""
    try:
        yield
    except (CorruptHistoryError, UnicodeDecodeError) as error:
        # Python raises the second for an SQLite message that contains invalid UTF-8.
        raise _history_error(HISTORY_CORRUPT, path, f"is corrupt: {error}") from error
    except sqlite3.Error as error:
        # The low byte is the primary result code; a missing table or invalid UTF-8 has none.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        kind = CODES_BY_SQLITE_ERROR.get(code, HISTORY_CORRUPT)
        raise _history_error(kind, path, f"{_describe_error(kind)}: {error}") from error


def _check_header(path: Path, *, must_exist: bool) -> None:
    """Raise if the file is not a history of reportgen, before SQLite opens it."""
    if path.is_symlink():
        # Planted in an output folder, it would create or change a file anywhere.
        problem = "is a symbolic link; name the file it leads to"
        raise _history_error(HISTORY_UNREACHABLE, path, problem)
    try:
        is_regular = stat.S_ISREG(path.stat().st_mode)
        # A pipe would never end, and a device is no place for runs.
        header = b""
        if is_regular:
            with path.open("rb") as file:
                header = file.read(SQLITE_HEADER_SIZE)
    except FileNotFoundError:
        if must_exist:
            raise _history_error(HISTORY_MISSING, path, "does not exist") from None
        _create_folder(path)
        return
    except OSError as error:
        problem = f"cannot be opened: {error.strerror}"
        raise _history_error(HISTORY_UNREACHABLE, path, problem) from error
    if not is_regular:
        raise _history_error(HISTORY_UNREACHABLE, path, "is not a regular file")
    _check_journal(path)
    if not header:
        return
    if len(header) < SQLITE_HEADER_SIZE or not header.startswith(SQLITE_MAGIC):
        raise _history_error(NOT_A_HISTORY, path, "is not an SQLite file, or its header is corrupt")
    version = int.from_bytes(header[USER_VERSION_BYTES], signed=True)
    _check_version(path, version, int.from_bytes(header[APPLICATION_ID_BYTES]))


def _check_journal(path: Path) -> None:
    """Raise if the journal names a file that SQLite would delete when it rolls the journal back.

    The name of such a super-journal is the end of a journal of a transaction on several databases,
    which a history never has.
    """
    try:
        descriptor = os.open(f"{path}-journal", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    with os.fdopen(descriptor, "rb") as journal:
        size = os.fstat(descriptor).st_size
        if stat.S_ISREG(os.fstat(descriptor).st_mode) and size >= len(JOURNAL_MAGIC):
            journal.seek(size - len(JOURNAL_MAGIC))
            if journal.read() == JOURNAL_MAGIC:
                problem = f"is corrupt: {path.name}-journal names another file; move it away too"
                raise _history_error(HISTORY_CORRUPT, path, problem)


def _create_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _history_error(
            HISTORY_UNREACHABLE, path, f"cannot be created: {error.strerror}"
        ) from error


def _check_version(path: Path, version: int, application_id: int) -> None:
    if application_id not in {0, SQLITE_APPLICATION_ID}:
        raise _history_error(NOT_A_HISTORY, path, "is a database of another program")
    if version not in {0, schema.SCHEMA_VERSION}:
        raise _history_error(HISTORY_VERSION_MISMATCH, path, schema.describe_version(version))


def _connect(path: Path, *, must_exist: bool) -> sqlite3.Connection:
    mode = "rw" if must_exist else "rwc"
    if must_exist and not _is_writable(path):
        # In a read-only folder there is no write-ahead log unless another process is writing.
        mode = "ro" if Path(f"{path}-wal").exists() else "ro&immutable=1"
    address = f"file:{quote(str(path.absolute()))}?mode={mode}"
    return sqlite3.connect(address, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, uri=True)


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def _prepare_database(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    has_tables = _has_tables(connection, path)
    journal = "delete" if is_on_network(path) else "wal"
    ((current,),) = connection.execute("PRAGMA journal_mode").fetchall()
    # A file moved to or from a network file system changes its journal mode, if writable.
    if current != journal and (not has_tables or _is_writable(path)):
        _set_journal_mode(connection, journal)
    if has_tables:
        _check_tables(connection)
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have created the tables before the lock was acquired.
        if not _has_tables(connection, path):
            for statement in schema.create_statements(schema.SQLITE_DIALECT):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {SQLITE_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _has_tables(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether the file has history tables; raise if it has other tables."""
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    ((application,),) = connection.execute("PRAGMA application_id").fetchall()
    _check_version(path, version, application)
    if not version and connection.execute("SELECT 1 FROM sqlite_master").fetchall():
        raise _history_error(NOT_A_HISTORY, path, "has tables of another program")
    return bool(version)


def _check_tables(connection: sqlite3.Connection) -> None:
    """Raise if the tables are not those that reportgen creates, or have triggers.

    A view of the name of a table may compute for ever, and a trigger changes what is recorded.
    """
    with closing(sqlite3.connect(":memory:")) as new:
        for statement in schema.create_statements(schema.SQLITE_DIALECT):
            new.execute(statement)
        expected = {name: sql for name, sql in new.execute(_TABLE_DEFINITIONS) if sql}
    definitions = dict(connection.execute(_TABLE_DEFINITIONS))
    changed = sorted(name for name, sql in expected.items() if definitions.get(name) != sql)
    if changed:
        raise CorruptHistoryError(f"the definition of {', '.join(changed)} is missing or changed")
    if connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'trigger'").fetchall():
        raise CorruptHistoryError("its tables have triggers")


def _set_journal_mode(connection: sqlite3.Connection, mode: str) -> None:
    """Set the journal mode; SQLite keeps the other where the file system has no shared memory."""
    deadline = time.monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode = {mode}")
        except sqlite3.OperationalError as error:
            # The busy time-out does not apply here when several processes create a history at once.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(BUSY_RETRY_SECONDS)
        else:
            return


def _describe_error(error_code: ErrorCode) -> str:
    match error_code.code:
        case HISTORY_BUSY.code:
            return f"was busy for {BUSY_TIMEOUT_SECONDS:.0f} seconds"
        case HISTORY_UNREACHABLE.code:
            return "cannot be opened"
        case HISTORY_UNWRITABLE.code:
            return "cannot be written"
        case _:
            return "is corrupt"


def _history_error(error_code: ErrorCode, path: Path, problem: str) -> HistoryError:
    help_line = SQLITE_HELP[error_code.code].format(path)
    return HistoryError(
        Diagnostic(error_code, f"the history {path} {problem}", Location(path), help_line)
    )
