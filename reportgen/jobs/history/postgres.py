"""A history in a PostgreSQL database, for those who share one.

Its tables are in a schema of their own, `reportgen`. Who has no right to make it asks for
`CREATE SCHEMA reportgen AUTHORIZATION …`.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

from reportgen.errors import Fault, HistoryError
from reportgen.errors.job_faults import (
    HISTORY_BUSY,
    HISTORY_DAMAGED,
    HISTORY_DRIVER_MISSING,
    HISTORY_MISSING,
    HISTORY_NEWER,
    HISTORY_UNREACHABLE,
    HISTORY_UNWRITABLE,
)
from reportgen.frozen import frozen
from reportgen.jobs.history import tables
from reportgen.jobs.history.relational import RelationalHistory
from reportgen.jobs.history.rows import DamagedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import psycopg

    from reportgen.errors import FaultKind
    from reportgen.jobs.history.rows import Row, Value

SECONDS_TO_CONNECT = 10
SECONDS_TO_WAIT = 30
# Any number will do that nobody else takes: "rptg" in ASCII.
MIGRATION_LOCK = 0x72707467
SCHEMA = "reportgen"
# By SQLSTATE, of which the first two characters are the class.
BUSY_STATES = frozenset({"55P03", "40P01", "40001", "57014"})
DAMAGED_STATES = frozenset({"42P01", "42703", "XX001", "XX002"})
WAYS_OUT = {
    HISTORY_BUSY.code: "end what holds it open, and try again",
    HISTORY_DAMAGED.code: "bring a copy back, or rename the schema `reportgen` and the next run"
    " begins a new history",
    HISTORY_MISSING.code: "`reportgen build --history` begins one",
    HISTORY_NEWER.code: "update reportgen, or name another place with --history",
    HISTORY_UNREACHABLE.code: "see to the address, the server and your rights; a password is best"
    " kept in ~/.pgpass or PGPASSWORD, and in an address its special characters are written as %40",
    HISTORY_UNWRITABLE.code: "see to your rights and to the space of the server",
}


@frozen
class Server:
    """How a database is named to people, and what must not be."""

    shown: str
    secrets: tuple[str, ...]

    def without_secrets(self, text: str) -> str:
        """Return the first line of what the server or its library says, without the password."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text.strip().partition("\n")[0]


@frozen
class PostgresDatabase:
    """A connection to a server."""

    connection: psycopg.Connection[Row]
    server: Server
    dialect = tables.POSTGRES

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Do all that is inside or nothing; others wait, and see nothing of it until it is done."""
        with told(self.server), self.connection.transaction():
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See everything as it is at one moment."""
        with told(self.server), self.connection.transaction():
            self.connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield

    def query(self, statement: str, values: Sequence[Value] = ()) -> list[Row]:
        """Return rows."""
        return self.connection.execute(_spelled(statement), values).fetchall()

    def change(self, statement: str, values: Iterable[Sequence[Value]]) -> None:
        """Do a statement once for each of the values."""
        with self.connection.cursor() as cursor:
            cursor.executemany(_spelled(statement), list(values))


@contextmanager
def open_postgres(address: str, *, must_exist: bool) -> Iterator[RelationalHistory]:
    """Open the history in a database, brought to the tables of today."""
    try:
        import psycopg
    except ImportError as error:
        message = "a history in PostgreSQL needs the package psycopg"
        way_out = "pip install 'reportgen[postgres]'"
        raise HistoryError(Fault(HISTORY_DRIVER_MISSING, message, help=way_out)) from error
    server = _server(address)
    try:
        connection = psycopg.connect(
            address,
            autocommit=True,
            # A pool between here and the server may not keep prepared statements.
            prepare_threshold=None,
            application_name="reportgen",
            connect_timeout=_patience(address),
        )
    except psycopg.Error as error:
        # Not chained: the original may quote the address.
        found = f"cannot be opened: {server.without_secrets(str(error))}"
        raise _refused(HISTORY_UNREACHABLE, server, found) from None
    with closing(connection):
        with told(server):
            _prepare(connection, server, must_exist=must_exist)
        yield RelationalHistory(PostgresDatabase(connection, server))


@contextmanager
def told(server: Server) -> Iterator[None]:
    """Turn whatever the server says into a fault with the way out, without the password."""
    import psycopg

    try:
        yield
    except DamagedError as error:
        raise _refused(HISTORY_DAMAGED, server, f"is damaged: {error}") from error
    except psycopg.Error as error:
        kind, what = _kind(error.sqlstate)
        found = f"{what}: {server.without_secrets(str(error))}"
        raise _refused(kind, server, found) from None


def _server(address: str) -> Server:
    """Find out how to name the database without telling the password."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    # An unescaped @ or / in a password makes a part of it a host, which messages would tell.
    authority = address.partition("://")[2].partition("?")[0]
    user_and_password, at, _ = authority.rpartition("@")
    unescaped = at and any(sign in user_and_password for sign in "@/")
    try:
        known = {} if unescaped else conninfo_to_dict(address)
    except psycopg.Error:
        known = {}
    if not known:
        server = Server("at the given address", ())
        raise _refused(HISTORY_UNREACHABLE, server, "cannot be opened: it is no valid address")
    password = str(known.get("password") or "")
    host = f"{known.get('host') or 'localhost'}"
    port = f":{known['port']}" if known.get("port") else ""
    shown = f"in database {known.get('dbname') or known.get('user') or ''} at {host}{port}"
    secrets = {password, quote(password), quote(password, safe="")} - {""}
    return Server(shown, tuple(sorted(secrets, key=len, reverse=True)))


def _patience(address: str) -> int:
    from psycopg.conninfo import conninfo_to_dict

    return int(conninfo_to_dict(address).get("connect_timeout") or SECONDS_TO_CONNECT)


def _prepare(connection: psycopg.Connection[Row], server: Server, *, must_exist: bool) -> None:
    connection.execute("SELECT set_config('lock_timeout', %s, false)", [f"{SECONDS_TO_WAIT}s"])
    connection.execute("SELECT set_config('search_path', %s, false)", [SCHEMA])
    version = _version(connection, server)
    if version == tables.VERSION:
        return
    if must_exist and not version:
        raise _refused(HISTORY_MISSING, server, "is not there")
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION_LOCK])
        # Another process may have been faster.
        version = _version(connection, server)
        if not connection.execute(
            "SELECT 1 FROM pg_namespace WHERE nspname = %s", [SCHEMA]
        ).fetchall():
            connection.execute(f"CREATE SCHEMA {SCHEMA}")
        if not version:
            connection.execute("CREATE TABLE version (number BIGINT NOT NULL)")
            connection.execute("INSERT INTO version VALUES (0)")
        for statements in tables.MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(_spelled(tables.POSTGRES.written(statement)))
        connection.execute("UPDATE version SET number = %s", [tables.VERSION])


def _version(connection: psycopg.Connection[Row], server: Server) -> int:
    """Return the version of the tables, 0 if there are none."""
    # Asked of the catalogue itself: `to_regclass` remembers that there was none before the lock.
    table = "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'version'"
    if not connection.execute(table, [SCHEMA]).fetchall():
        return 0
    ((version,),) = connection.execute("SELECT max(number) FROM version").fetchall()
    number = int(version or 0)
    if number > tables.VERSION:
        newer = f"has tables of version {number}; this reportgen knows {tables.VERSION}"
        raise _refused(HISTORY_NEWER, server, newer)
    return number


def _spelled(statement: str) -> str:
    """Return a statement as psycopg takes it; none of ours has a percent sign or a literal `?`."""
    return statement.replace("?", "%s")


def _kind(state: str | None) -> tuple[FaultKind, str]:
    """Return the kind of a fault by its SQLSTATE; a lost connection has none."""
    if state in BUSY_STATES:
        return HISTORY_BUSY, f"was busy for {SECONDS_TO_WAIT} seconds"
    if state is None or state[:2] in {"08", "28", "57"}:
        return HISTORY_UNREACHABLE, "cannot be reached"
    if state in DAMAGED_STATES:
        return HISTORY_DAMAGED, "is damaged"
    return HISTORY_UNWRITABLE, "refused what it was to do"


def _refused(kind: FaultKind, server: Server, what: str) -> HistoryError:
    message = f"the history {server.shown} {what}"
    return HistoryError(Fault(kind, message, help=WAYS_OUT[kind.code]))
