"""Run history in a PostgreSQL database, which several users can share.

Its tables are in a separate schema, `reportgen`. A user without the privilege to create it needs
`CREATE SCHEMA reportgen AUTHORIZATION …` from an administrator.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from reportgen.errors import Diagnostic, HistoryError
from reportgen.errors.jobs import (
    HISTORY_BUSY,
    HISTORY_CORRUPT,
    HISTORY_DRIVER_MISSING,
    HISTORY_MISSING,
    HISTORY_UNREACHABLE,
    HISTORY_UNWRITABLE,
    HISTORY_VERSION_MISMATCH,
)
from reportgen.jobs.history import schema
from reportgen.jobs.history.schema import CorruptHistoryError
from reportgen.jobs.history.store import SqlHistoryStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import psycopg

    from reportgen.errors import ErrorCode
    from reportgen.jobs.history.schema import SqlRow, SqlValue

CONNECT_TIMEOUT_SECONDS = 10
LOCK_TIMEOUT_SECONDS = 30
# Key of the advisory lock, arbitrary but unlikely to be used by others: "rptg" in ASCII.
SCHEMA_LOCK_ID = 0x72707467
POSTGRES_SCHEMA = "reportgen"
# SQLSTATE codes; the first two characters are the class.
BUSY_SQLSTATES = frozenset({"55P03", "40P01", "40001", "57014"})
CORRUPT_SQLSTATES = frozenset({"42P01", "42703", "XX001", "XX002"})
POSTGRES_HELP = {
    HISTORY_BUSY.code: "end the process that holds the lock, and try again",
    HISTORY_CORRUPT.code: "restore a backup, or rename the schema `reportgen`, and the next run"
    " creates a new history",
    HISTORY_MISSING.code: "`reportgen build --history` creates one",
    HISTORY_VERSION_MISMATCH.code: "use the version of reportgen that wrote it, or choose another"
    " history with --history",
    HISTORY_UNREACHABLE.code: "check the URL, the server and your permissions; keep the password in"
    " ~/.pgpass or PGPASSWORD, or encode its special characters in the URL, such as @ as %40",
    HISTORY_UNWRITABLE.code: "check your permissions and the free space of the server",
}


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """The display name of a database, and the secrets that messages must not contain."""

    display_name: str
    secrets: tuple[str, ...]

    def redact(self, text: str) -> str:
        """Return the first line of a message of the server or the driver, without the password."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text.strip().partition("\n")[0]


@dataclass(frozen=True, slots=True)
class PostgresDatabase:
    """A connection to a PostgreSQL server."""

    connection: psycopg.Connection[SqlRow]
    server: PostgresServer
    dialect = schema.POSTGRES_DIALECT

    @contextmanager
    def write_transaction(self) -> Iterator[None]:
        """Open a write transaction: atomic, and serialized with other writers."""
        with translate_postgres_errors(self.server), self.connection.transaction():
            yield

    @contextmanager
    def read_transaction(self) -> Iterator[None]:
        """Open a read transaction on one consistent snapshot."""
        with translate_postgres_errors(self.server), self.connection.transaction():
            self.connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield

    def query(self, statement: str, values: Sequence[SqlValue] = ()) -> list[SqlRow]:
        """Return the rows of a query."""
        return self.connection.execute(_with_psycopg_placeholders(statement), values).fetchall()

    def execute_many(self, statement: str, rows: Iterable[Sequence[SqlValue]]) -> None:
        """Execute a statement once for each row of values."""
        with self.connection.cursor() as cursor:
            cursor.executemany(_with_psycopg_placeholders(statement), list(rows))


@contextmanager
def open_postgres(address: str, *, must_exist: bool) -> Iterator[SqlHistoryStore]:
    """Open the history in a database; create its tables if there are none."""
    try:
        import psycopg
    except ImportError as error:
        message = "a history in PostgreSQL needs the package psycopg"
        help_line = "pip install 'reportgen-eval[postgres]'"
        raise HistoryError(Diagnostic(HISTORY_DRIVER_MISSING, message, help=help_line)) from error
    server = _parse_server(address)
    try:
        connection = psycopg.connect(
            address,
            autocommit=True,
            # A connection pooler between client and server may not support prepared statements.
            prepare_threshold=None,
            application_name="reportgen",
            connect_timeout=_connect_timeout(address),
        )
    except psycopg.Error as error:
        # Not chained: the original message may contain the connection URL.
        problem = f"cannot be opened: {server.redact(str(error))}"
        raise _history_error(HISTORY_UNREACHABLE, server, problem) from None
    with closing(connection):
        with translate_postgres_errors(server):
            _prepare_schema(connection, server, must_exist=must_exist)
        yield SqlHistoryStore(PostgresDatabase(connection, server))


@contextmanager
def translate_postgres_errors(server: PostgresServer) -> Iterator[None]:
    """Translate errors of the driver into HistoryError with a remedy, without the password."""
    import psycopg

    try:
        yield
    except CorruptHistoryError as error:
        raise _history_error(HISTORY_CORRUPT, server, f"is corrupt: {error}") from error
    except psycopg.Error as error:
        kind, description = _classify_sqlstate(error.sqlstate)
        problem = f"{description}: {server.redact(str(error))}"
        raise _history_error(kind, server, problem) from None


def _parse_server(address: str) -> PostgresServer:
    """Return the display name of the database at an address, without its password."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    # An unescaped @ or / in a password is parsed as part of the host, which messages contain.
    authority = address.partition("://")[2].partition("?")[0]
    user_and_password, at, _ = authority.rpartition("@")
    unescaped = at and any(character in user_and_password for character in "@/")
    try:
        parameters = {} if unescaped else conninfo_to_dict(address)
    except psycopg.Error:
        parameters = {}
    if not parameters:
        server = PostgresServer("at this URL", ())
        raise _history_error(HISTORY_UNREACHABLE, server, "cannot be opened: the URL is invalid")
    password = str(parameters.get("password") or "")
    host = f"{parameters.get('host') or 'localhost'}"
    port = f":{parameters['port']}" if parameters.get("port") else ""
    display_name = (
        f"in database {parameters.get('dbname') or parameters.get('user') or ''} at {host}{port}"
    )
    secrets = {password, quote(password), quote(password, safe="")} - {""}
    return PostgresServer(display_name, tuple(sorted(secrets, key=len, reverse=True)))


def _connect_timeout(address: str) -> int:
    from psycopg.conninfo import conninfo_to_dict

    return int(conninfo_to_dict(address).get("connect_timeout") or CONNECT_TIMEOUT_SECONDS)


def _prepare_schema(
    connection: psycopg.Connection[SqlRow], server: PostgresServer, *, must_exist: bool
) -> None:
    connection.execute("SELECT set_config('lock_timeout', %s, false)", [f"{LOCK_TIMEOUT_SECONDS}s"])
    connection.execute("SELECT set_config('search_path', %s, false)", [POSTGRES_SCHEMA])
    if _has_tables(connection, server):
        return
    if must_exist:
        raise _history_error(HISTORY_MISSING, server, "does not exist")
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [SCHEMA_LOCK_ID])
        # Another process may have created the tables before the lock was acquired.
        if _has_tables(connection, server):
            return
        if not connection.execute(
            "SELECT 1 FROM pg_namespace WHERE nspname = %s", [POSTGRES_SCHEMA]
        ).fetchall():
            connection.execute(f"CREATE SCHEMA {POSTGRES_SCHEMA}")
        for statement in schema.create_statements(schema.POSTGRES_DIALECT):
            connection.execute(_with_psycopg_placeholders(statement))
        connection.execute("CREATE TABLE version (number BIGINT NOT NULL)")
        connection.execute("INSERT INTO version VALUES (%s)", [schema.SCHEMA_VERSION])


def _has_tables(connection: psycopg.Connection[SqlRow], server: PostgresServer) -> bool:
    """Return whether the database has history tables; raise if they have another version."""
    # Queries the catalogue: `to_regclass` may return a result cached before the lock.
    table = "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'version'"
    if not connection.execute(table, [POSTGRES_SCHEMA]).fetchall():
        return False
    ((version,),) = connection.execute("SELECT max(number) FROM version").fetchall()
    number = int(version or 0)
    if number != schema.SCHEMA_VERSION:
        raise _history_error(HISTORY_VERSION_MISMATCH, server, schema.describe_version(number))
    return True


def _with_psycopg_placeholders(statement: str) -> str:
    """Return a statement with psycopg placeholders; no statement has `%` or a literal `?`."""
    return statement.replace("?", "%s")


def _classify_sqlstate(sqlstate: str | None) -> tuple[ErrorCode, str]:
    """Return the error code and the help for an SQLSTATE; a lost connection has none."""
    if sqlstate in BUSY_SQLSTATES:
        return HISTORY_BUSY, f"was busy for {LOCK_TIMEOUT_SECONDS} seconds"
    if sqlstate is None or sqlstate[:2] in {"08", "28", "57"}:
        return HISTORY_UNREACHABLE, "cannot be reached"
    if sqlstate in CORRUPT_SQLSTATES:
        return HISTORY_CORRUPT, "is corrupt"
    return HISTORY_UNWRITABLE, "rejected the statement"


def _history_error(error_code: ErrorCode, server: PostgresServer, problem: str) -> HistoryError:
    message = f"the history {server.display_name} {problem}"
    return HistoryError(Diagnostic(error_code, message, help=POSTGRES_HELP[error_code.code]))
