"""What is particular to a history on a server."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reportgen.errors import ExitCode, HistoryError
from reportgen.jobs.history import postgres as module
from reportgen.jobs.history.store import SqlHistoryStore, open_history
from reportgen.jobs.job import Job
from reportgen.jobs.runner import finalize_run, run_job
from tests.jobs.history.samples import sample
from tests.postgres import PASSWORD
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgres import Postgres

ROOT = Path(__file__).parents[3]


def traceback_text(error: HistoryError) -> str:
    """Return what people could read of an error, with its traceback and what caused it."""
    text = "".join(traceback.format_exception(error))
    # Lines of source name the variable, not its value.
    return text + str(error) + repr(error.diagnostics)


def opening_error(address: str, *, must_exist: bool = False) -> HistoryError:
    """Open a history that cannot be opened, and return why."""
    with pytest.raises(HistoryError) as refused, open_history(address, must_exist=must_exist):
        pass
    return refused.value


def test_a_wrong_password_is_not_shown(postgres: Postgres) -> None:
    """What the server says is told, what it was given is not."""
    error = opening_error(postgres.address("postgres", password="wr:ng@p/ss w"))  # noqa: S106

    assert error.diagnostics[0].error_code.code == "E510"
    assert "password authentication failed" in str(error)
    assert "wr:ng" not in traceback_text(error)
    assert "ss w" not in traceback_text(error)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:hun@ter2@localhost:1/db",
        "postgresql://me:hun/ter2@localhost:1/db",
        "postgresql://me:hunter2@localhost:port/db",
        "postgresql://me:hunter2@127.0.0.1:1/db",
        "postgres://127.0.0.1:1/db?user=me&password=hunter2",
        "postgresql://me:hunter2@[::1/db",
        "postgresql://me:%zzhunter2@localhost:1/db",
        "postgresql://127.0.0.1:1/db?passwrd=hunter2",
    ],
)
def test_a_password_in_an_address_that_fails_is_not_shown(address: str) -> None:
    """Not even a piece of it that was taken for a host because a sign was not escaped."""
    pytest.importorskip("psycopg")
    error = opening_error(address)

    assert error.diagnostics[0].error_code.code == "E510"
    assert "ter2" not in traceback_text(error)


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With the database and the place, and the way out."""
    pytest.importorskip("psycopg")
    error = opening_error(f"postgresql://me@/runs?host={tmp_path}")

    assert f"in database runs at {tmp_path}" in str(error)
    assert "PGPASSWORD" in str(error)


def test_faults_after_the_connection_do_not_show_the_password(postgres: Postgres) -> None:
    """A table that is gone is damage, and is told without the address."""
    address = postgres.new_database()
    database = address.partition("@/")[2].partition("?")[0]
    with open_history(address) as history:
        postgres.command(database, "DROP TABLE reportgen.measure_values")
        with pytest.raises(HistoryError) as refused:
            history.begin(sample())

    assert refused.value.diagnostics[0].error_code.code == "E511"
    assert PASSWORD not in traceback_text(refused.value)
    # Nothing of the run was kept.
    with open_history(address) as history:
        assert history.names() == ()


def test_a_history_of_another_version_on_a_server_is_rejected(postgres: Postgres) -> None:
    """It is not changed: the version is still the other one."""
    address = postgres.new_database()
    database = address.partition("@/")[2].partition("?")[0]
    with open_history(address):
        pass
    postgres.command(database, "UPDATE reportgen.version SET number = number + 1")

    for _ in range(2):
        assert opening_error(address).diagnostics[0].error_code.code == "E512"


def test_who_only_reads_makes_no_tables(postgres: Postgres) -> None:
    """An empty database stays empty."""
    address = postgres.new_database()

    for _ in range(2):
        assert opening_error(address, must_exist=True).diagnostics[0].error_code.code == "E517"


def test_a_role_that_may_only_read_can_read(postgres: Postgres) -> None:
    """And is told that it may not write; what is there stays."""
    address = postgres.new_database()
    database = address.partition("@/")[2].partition("?")[0]
    record = sample()
    with open_history(address) as history:
        history.begin(record)
    for statement in (
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN PASSWORD 'reader'",
        "GRANT USAGE ON SCHEMA reportgen TO reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA reportgen TO reader",
    ):
        postgres.command(database, statement)

    reader = postgres.address(database, user="reader", password="reader")  # noqa: S106
    with open_history(reader, must_exist=True) as history:
        assert history.get_run(record.id) == record
        with pytest.raises(HistoryError) as refused:
            history.begin(sample(1))
    assert refused.value.diagnostics[0].error_code.code == "E519"
    postgres.command(database, "DROP OWNED BY reader; DROP ROLE reader")


@pytest.mark.slow
def test_waiting_in_vain_for_a_server_is_an_error(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program holds the table: E513."""
    import psycopg

    address = postgres.new_database()
    with open_history(address):
        pass
    monkeypatch.setattr(module, "LOCK_TIMEOUT_SECONDS", 1)
    with psycopg.connect(address) as other:
        other.execute("LOCK TABLE reportgen.runs")
        with open_history(address) as history, pytest.raises(HistoryError) as refused:
            history.begin(sample())
    assert refused.value.diagnostics[0].error_code.code == "E513"


@pytest.mark.slow
def test_a_statement_that_takes_too_long_is_an_error(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server itself ends it, and the connection of the driver has limits of its own: E513."""
    monkeypatch.setattr(module, "STATEMENT_TIMEOUT_SECONDS", 1)
    with open_history(postgres.new_database()) as history:
        assert isinstance(history, SqlHistoryStore)
        assert isinstance(history.database, module.PostgresDatabase)
        limits = history.database.connection.info.get_parameters()
        with pytest.raises(HistoryError) as refused, history.database.read_transaction():
            history.database.query("SELECT pg_sleep(20)")

    assert refused.value.diagnostics[0].error_code.code == "E513"
    assert int(limits["tcp_user_timeout"]) <= 30_000
    assert int(limits["keepalives_idle"]) <= 10
    assert module.STATEMENT_TIMEOUT_SECONDS < module.TRANSACTION_TIMEOUT_SECONDS <= 40


def test_a_lost_connection_is_reported(postgres: Postgres) -> None:
    """The server was stopped, or somebody ended the session."""
    address = postgres.new_database()
    with open_history(address) as history:
        postgres.command(
            "postgres",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'reportgen'",
        )
        with pytest.raises(HistoryError) as refused:
            history.begin(sample())
    assert refused.value.diagnostics[0].error_code.code == "E510"


def test_without_the_driver_the_way_to_it_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only those who keep a history on a server need it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    error = opening_error("postgresql://me:hunter2@localhost/db")

    assert error.diagnostics[0].error_code.code == "E516"
    assert "pip install 'reportgen-eval[postgres]'" in str(error)
    assert "hunter2" not in str(error)


def test_a_history_in_a_file_needs_no_driver(tmp_path: Path) -> None:
    """Neither the driver nor what computes scores is loaded to list runs."""
    path = tmp_path / "history.sqlite"
    with open_history(str(path)) as history:
        history.begin(sample())
    code = (
        "import sys\n"
        "from reportgen.jobs.history.store import open_history\n"
        f"with open_history({str(path)!r}) as history:\n"
        "    assert len(history.runs()) == 1\n"
        "print(*[name for name in ('psycopg', 'polars', 'numpy') if name in sys.modules])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == []


class SilentProxy:
    """Passes bytes on to a server until it is silenced; connections stay open."""

    def __init__(self, socket_path: str, folder: Path) -> None:
        self.target, self.is_silent = socket_path, False
        self.sockets: list[socket.socket] = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / ".s.PGSQL.5432"))
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Close all connections."""
        for connection in (self.listener, *self.sockets):
            connection.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self.target)
                self.sockets += [client, server]
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if not self.is_silent:
                    sink.sendall(data)


@pytest.fixture
def proxy(postgres: Postgres) -> Iterator[tuple[SilentProxy, Path]]:
    """Return a proxy of the server, and the folder of its socket."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        proxy = SilentProxy(str(postgres.folder / ".s.PGSQL.5432"), Path(name))
        yield proxy, Path(name)
        proxy.close()


@pytest.mark.parametrize("is_open", [True, False])
def test_a_server_that_falls_silent_does_not_hang_a_run(
    postgres: Postgres,
    proxy: tuple[SilentProxy, Path],
    monkeypatch: pytest.MonkeyPatch,
    is_open: bool,  # noqa: FBT001  # a parameter of the test
) -> None:
    """Neither while the history is opened nor later."""
    monkeypatch.setattr(module, "TRANSACTION_TIMEOUT_SECONDS", 0.5)
    monkeypatch.setattr(module, "CONNECT_TIMEOUT_SECONDS", 2)
    server, folder = proxy
    name = postgres.new_database().split("/")[3].split("?")[0]
    address = replace(postgres, folder=folder).address(name)
    started = time.monotonic()
    server.is_silent = not is_open
    with pytest.raises(HistoryError) as raised, open_history(address) as history:  # noqa: PT012  # either
        server.is_silent = True
        history.names()

    assert raised.value.diagnostics[0].error_code.code == "E510"
    assert time.monotonic() - started < 10


def unusable_address(postgres: Postgres, fault: str) -> str:
    """Return the address of a new database with a fault: an encoding, or no privileges."""
    name = f"unusable_{fault.lower().replace(' ', '_')}"
    encoding = fault if fault in {"LATIN1", "SQL_ASCII"} else "UTF8"
    postgres.command(
        "postgres", f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
    )
    if fault != "no privileges":
        return postgres.address(name)
    with open_history(postgres.address(name)) as history:
        history.begin(sample())
    postgres.command(name, "CREATE ROLE stranger LOGIN PASSWORD 'stranger'")
    return postgres.address(name, user="stranger", password="stranger")  # noqa: S106


@pytest.fixture
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the limits of time of a server that does not answer."""
    monkeypatch.setattr(module, "TRANSACTION_TIMEOUT_SECONDS", 0.5)
    monkeypatch.setattr(module, "CONNECT_TIMEOUT_SECONDS", 2)


@pytest.mark.usefixtures("short_limits")
@pytest.mark.parametrize(
    ("fault", "code"),
    [("silent", "E510"), ("LATIN1", "E509"), ("SQL_ASCII", "E509"), ("no privileges", "E519")],
)
def test_a_history_that_cannot_be_used_does_not_cost_the_report(
    postgres: Postgres, proxy: tuple[SilentProxy, Path], tmp_path: Path, fault: str, code: str
) -> None:
    """It is written, the cause is named once, and the time for the history is bounded."""
    server, folder = proxy
    server.is_silent = fault == "silent"
    address = (
        replace(postgres, folder=folder).address("postgres")
        if server.is_silent
        else unusable_address(postgres, fault)
    )
    spec = tmp_path / "spec.toml"
    notify = '[[notify]]\non = ["every_run"]\ncommand = ["true"]\n'
    spec.write_text(counted_spec([[40, 10], [8, 60]]) + notify, encoding="utf-8")
    job = Job(spec, tmp_path / "out", ("json",), history=address)
    started = time.monotonic()
    outcome = finalize_run(job, run_job(job))

    assert outcome.exit_code is ExitCode.OUTPUT
    assert [diagnostic.error_code.code for diagnostic in outcome.diagnostics] == [code]
    assert (tmp_path / "out/spec/results.json").is_file()
    assert time.monotonic() - started < 20


def test_a_server_that_starts_up_is_waited_for(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It rejects connections for some seconds after a reboot."""
    import psycopg

    connect, attempts = psycopg.connect, []

    def starting(address: str, **options: Any) -> object:  # noqa: ANN401  # as the driver
        attempts.append(1)
        if len(attempts) < 3:
            raise psycopg.OperationalError("FATAL:  the database system is starting up")
        return connect(address, **options)

    address = postgres.new_database()
    monkeypatch.setattr(psycopg, "connect", starting)
    monkeypatch.setattr(module, "START_UP_RETRY_SECONDS", 0.01)
    with open_history(address) as history:
        assert history.names() == ()
    assert len(attempts) == 3


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_in_another_encoding_is_named_for_what_it_is(
    postgres: Postgres, encoding: str
) -> None:
    """It could not store every name, and would be called corrupt later."""
    name = f"encoded_{encoding.lower()}"
    postgres.command(
        "postgres", f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
    )
    error = opening_error(postgres.address(name))

    assert error.diagnostics[0].error_code.code == "E509"
    assert encoding in str(error)


def test_a_role_without_privileges_is_not_told_to_rename_the_schema(postgres: Postgres) -> None:
    """The history belongs to another team."""
    database = postgres.new_database()
    name = database.split("/")[3].split("?")[0]
    with open_history(database) as history:
        history.begin(sample())
    postgres.command(name, f"CREATE ROLE {name}_guest LOGIN PASSWORD 'guest'")
    guest = postgres.address(name, user=f"{name}_guest", password="guest")  # noqa: S106
    without_usage = opening_error(guest)
    postgres.command(name, f"GRANT USAGE ON SCHEMA reportgen TO {name}_guest")
    without_select = opening_error(guest)
    postgres.command(name, f"GRANT SELECT ON ALL TABLES IN SCHEMA reportgen TO {name}_guest")
    with open_history(guest) as history:
        names = history.names()
        with pytest.raises(HistoryError) as unwritable:
            history.mark_published([sample().id])

    for error in (without_usage, without_select, unwritable.value):
        assert error.diagnostics[0].error_code.code == "E519"
        assert "rename" not in str(error)
    assert names == (sample().name,)


def test_a_schema_of_its_own_separates_a_team(postgres: Postgres) -> None:
    """The URL names it; other teams see nothing of its runs."""
    address = postgres.new_database()
    with open_history(f"{address}&schema=team_a") as history:
        history.begin(sample())
        own = history.names()
    with open_history(address) as history:
        others = history.names()

    assert (own, others) == ((sample().name,), ())
    assert "is no name of a schema" in str(opening_error(f"{address}&schema=a;drop"))


def test_keywords_of_libpq_are_no_file_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of that name would contain the password in its name."""
    monkeypatch.chdir(tmp_path)
    error = opening_error("host=localhost dbname=runs password=hunter2")

    assert "hunter2" not in traceback_text(error)
    assert list(tmp_path.iterdir()) == []
