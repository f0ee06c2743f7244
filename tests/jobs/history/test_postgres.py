"""What is particular to a history on a server."""

from __future__ import annotations

import subprocess
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import HistoryError
from reportgen.jobs.history import postgres as module
from reportgen.jobs.history.store import open_history
from tests.jobs.history.conftest import PASSWORD
from tests.jobs.history.samples import sample

if TYPE_CHECKING:
    from tests.jobs.history.conftest import Postgres

ROOT = Path(__file__).parents[3]


def traceback_text(error: HistoryError) -> str:
    """Return what people could read of an error, with its traceback and what caused it."""
    told = "".join(traceback.format_exception(error))
    # Lines of source name the variable, not its value.
    return told + str(error) + repr(error.diagnostics)


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
    kept = sample()
    with open_history(address) as history:
        history.begin(kept)
    for statement in (
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN PASSWORD 'reader'",
        "GRANT USAGE ON SCHEMA reportgen TO reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA reportgen TO reader",
    ):
        postgres.command(database, statement)

    reader = postgres.address(database, user="reader", password="reader")  # noqa: S106
    with open_history(reader, must_exist=True) as history:
        assert history.get_run(kept.id) == kept
        with pytest.raises(HistoryError) as refused:
            history.begin(sample(1))
    assert refused.value.diagnostics[0].error_code.code == "E514"
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
