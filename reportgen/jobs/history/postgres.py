"""Run history in a PostgreSQL database, which several users can share.

Its tables are in a separate schema, `reportgen`; `?schema=NAME` in the URL names another, so that
teams with roles of their own cannot read each other's runs. A user without the privilege to create
it needs `CREATE SCHEMA reportgen AUTHORIZATION …` from an administrator.
"""

from __future__ import annotations

import os
import re
import socket
import threading
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from reportgen.errors import Diagnostic, HistoryError
from reportgen.errors.jobs import (
    HISTORY_BUSY,
    HISTORY_CORRUPT,
    HISTORY_DRIVER_MISSING,
    HISTORY_ENCODING,
    HISTORY_FORBIDDEN,
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
STATEMENT_TIMEOUT_SECONDS = 35
# Longer than the server's own limits: it applies to a server that no longer answers.
TRANSACTION_TIMEOUT_SECONDS = 40.0
# A server that starts up rejects connections for some seconds.
START_UP_SECONDS, START_UP_RETRY_SECONDS = 30.0, 0.5
START_UP_SQLSTATE = "57P03"
START_UP_MESSAGES = ("starting up", "shutting down", "not yet accepting connections")
DATABASE_ENCODING = "UTF8"
SCHEMA_PARAMETER = re.compile(r"(?<=[?&])schema=([^&]*)&?")
SCHEMA_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
# Key of the advisory lock, arbitrary but unlikely to be used by others: "rptg" in ASCII.
SCHEMA_LOCK_ID = 0x72707467
DEFAULT_SCHEMA = "reportgen"
# SQLSTATE codes; the first two characters are the class.
BUSY_SQLSTATES = frozenset({"55P03", "40P01", "40001", "57014"})
PRIVILEGE_SQLSTATE = "42501"
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
    HISTORY_FORBIDDEN.code: "ask the owner of the schema for USAGE on it and for SELECT, INSERT,"
    " UPDATE and DELETE on its tables, or use a schema of your own with ?schema=NAME in the URL",
    HISTORY_ENCODING.code: "use a database in UTF-8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE"
    " template0",
}


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """The display name of a database, and the secrets that messages must not contain."""

    display_name: str
    secrets: tuple[str, ...]
    schema: str = DEFAULT_SCHEMA

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
        with self._transaction():
            yield

    @contextmanager
    def read_transaction(self) -> Iterator[None]:
        """Open a read transaction on one consistent snapshot."""
        with self._transaction():
            self.connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with (
            translate_postgres_errors(self.server),
            disconnect_after(self.connection, TRANSACTION_TIMEOUT_SECONDS),
            self.connection.transaction(),
        ):
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
    server, address = _parse_server(address)
    try:
        connection = _connect(address)
    except psycopg.Error as error:
        # Not chained: the original message may contain the connection URL.
        problem = f"cannot be opened: {server.redact(str(error))}"
        raise _history_error(HISTORY_UNREACHABLE, server, problem) from None
    with closing(connection):
        with (
            translate_postgres_errors(server),
            disconnect_after(connection, TRANSACTION_TIMEOUT_SECONDS),
        ):
            _prepare_schema(connection, server, must_exist=must_exist)
        yield SqlHistoryStore(PostgresDatabase(connection, server))


def _connect(address: str) -> psycopg.Connection[SqlRow]:
    """Connect; while the server starts up, try again."""
    import psycopg

    deadline = time.monotonic() + START_UP_SECONDS
    while True:
        try:
            return psycopg.connect(
                address,
                autocommit=True,
                # A connection pooler between client and server may not support prepared statements.
                prepare_threshold=None,
                application_name="reportgen",
                client_encoding=DATABASE_ENCODING,
                connect_timeout=_connect_timeout(address),
                keepalives=1,
                keepalives_idle=10,
                keepalives_interval=5,
                keepalives_count=3,
                tcp_user_timeout=30_000,
            )
        except psycopg.OperationalError as error:
            # Before a connection exists, the driver has the message but not the SQLSTATE.
            message = str(error)
            starts_up = error.sqlstate == START_UP_SQLSTATE or any(
                text in message for text in START_UP_MESSAGES
            )
            if not starts_up or time.monotonic() > deadline:
                raise
            time.sleep(START_UP_RETRY_SECONDS)


@contextmanager
def disconnect_after(connection: psycopg.Connection[SqlRow], seconds: float) -> Iterator[None]:
    """Shut the connection down if the block takes longer, so that a silent server cannot hang it.

    The limits of the server do not apply if it does not answer, and keepalives are acknowledged by
    the operating system of a server whose processes are stopped.
    """
    # A duplicate, because the number of a closed connection may be in use for something else.
    with socket.socket(fileno=os.dup(connection.fileno())) as duplicate:

        def shut_down() -> None:
            with suppress(OSError):
                duplicate.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(seconds, shut_down)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()


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


def _parse_server(address: str) -> tuple[PostgresServer, str]:
    """Return the server with its display name, and the URL without the parameter `schema`."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    # An unescaped @ or / in a password is parsed as part of the host, which messages contain.
    parameter = SCHEMA_PARAMETER.search(address)
    address = SCHEMA_PARAMETER.sub("", address).rstrip("?&") if parameter else address
    schema_name = parameter[1] if parameter else DEFAULT_SCHEMA
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
    if not SCHEMA_NAME.fullmatch(schema_name):
        problem = f"cannot be opened: {schema_name!r} is no name of a schema (a-z, 0-9 and _)"
        raise _history_error(HISTORY_UNREACHABLE, PostgresServer("at this URL", ()), problem)
    password = str(parameters.get("password") or "")
    host = f"{parameters.get('host') or 'localhost'}"
    port = f":{parameters['port']}" if parameters.get("port") else ""
    display_name = (
        f"in database {parameters.get('dbname') or parameters.get('user') or ''} at {host}{port}"
    )
    secrets = {password, quote(password), quote(password, safe="")} - {""}
    ordered = tuple(sorted(secrets, key=len, reverse=True))
    return PostgresServer(display_name, ordered, schema_name), address


def _connect_timeout(address: str) -> int:
    from psycopg.conninfo import conninfo_to_dict

    return int(conninfo_to_dict(address).get("connect_timeout") or CONNECT_TIMEOUT_SECONDS)


def _prepare_schema(
    connection: psycopg.Connection[SqlRow], server: PostgresServer, *, must_exist: bool
) -> None:
    settings = {
        "lock_timeout": f"{LOCK_TIMEOUT_SECONDS}s",
        "statement_timeout": f"{STATEMENT_TIMEOUT_SECONDS}s",
        "search_path": server.schema,
    }
    for name, value in settings.items():
        connection.execute("SELECT set_config(%s, %s, false)", [name, value])
    _check_encoding(connection, server)
    _check_privileges(connection, server)
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
            "SELECT 1 FROM pg_namespace WHERE nspname = %s", [server.schema]
        ).fetchall():
            connection.execute(f"CREATE SCHEMA {server.schema}")
        for statement in schema.create_statements(schema.POSTGRES_DIALECT):
            connection.execute(_with_psycopg_placeholders(statement))
        connection.execute("CREATE TABLE version (number BIGINT NOT NULL)")
        connection.execute("INSERT INTO version VALUES (%s)", [schema.SCHEMA_VERSION])


def _check_encoding(connection: psycopg.Connection[SqlRow], server: PostgresServer) -> None:
    """Raise unless the database can store every character of names and labels."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != DATABASE_ENCODING:
        problem = f"has the encoding {encoding}, which cannot store every character"
        raise _history_error(HISTORY_ENCODING, server, problem)


def _check_privileges(connection: psycopg.Connection[SqlRow], server: PostgresServer) -> None:
    """Raise if the tables exist but belong to others and may not be read.

    Without USAGE on the schema, PostgreSQL reports that the tables do not exist.
    """
    rows = connection.execute(
        "SELECT has_schema_privilege(n.oid, 'USAGE')"
        " AND coalesce(bool_and(has_table_privilege(c.oid, 'SELECT')), true)"
        " FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind = 'r'"
        " WHERE n.nspname = %s GROUP BY n.oid",
        [server.schema],
    ).fetchall()
    if any(not may_read for (may_read,) in rows):
        problem = f"may not be read by this user: no privilege on the schema {server.schema}"
        raise _history_error(HISTORY_FORBIDDEN, server, problem)


def _has_tables(connection: psycopg.Connection[SqlRow], server: PostgresServer) -> bool:
    """Return whether the database has history tables; raise if they have another version."""
    # Queries the catalogue: `to_regclass` may return a result cached before the lock.
    table = "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'version'"
    if not connection.execute(table, [server.schema]).fetchall():
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
    if sqlstate == PRIVILEGE_SQLSTATE:
        return HISTORY_FORBIDDEN, "may not be changed by this user"
    if sqlstate is None or sqlstate[:2] in {"08", "28", "57"}:
        return HISTORY_UNREACHABLE, "cannot be reached"
    if sqlstate in CORRUPT_SQLSTATES:
        return HISTORY_CORRUPT, "is corrupt"
    return HISTORY_UNWRITABLE, "rejected the statement"


def _history_error(error_code: ErrorCode, server: PostgresServer, problem: str) -> HistoryError:
    message = f"the history {server.display_name} {problem}"
    return HistoryError(Diagnostic(error_code, message, help=POSTGRES_HELP[error_code.code]))
