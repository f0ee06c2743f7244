"""A real PostgreSQL server on this machine, started once for all tests that ask for it."""

from __future__ import annotations

import glob
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

# The same as in scripts/servers.
INSTALLED = (
    "/usr/lib/postgresql/*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
)
# With every sign that means something in an address.
PASSWORD = "s3cr:t@/p#w?%41&"  # noqa: S105  # of a server that lives as long as the tests
SETTINGS = {"listen_addresses": "", "fsync": "off", "shared_buffers": "16MB"}
SECONDS_TO_START = 60


@dataclass(frozen=True)
class Postgres:
    """A server that listens in a folder, and on no network."""

    folder: Path
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def address(self, database: str, *, user: str = "postgres", password: str = PASSWORD) -> str:
        """Return the address of a database."""
        login = f"{user}:{quote(password, safe='')}"
        return f"postgresql://{login}@/{database}?host={quote(str(self.folder), safe='')}"

    def new_database(self) -> str:
        """Make an empty database and return its address."""
        name = f"history_{next(self.numbers)}"
        self.command("postgres", f"CREATE DATABASE {name}")
        return self.address(name)

    def command(self, database: str, statement: str) -> None:
        """Do something that a history does not do."""
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[call-overload,unused-ignore]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Start a server once; without one tests are skipped, unless it is required."""
    programs = _programs()
    if programs is None or find_spec("psycopg") is None:
        lacking = "psycopg" if programs else "PostgreSQL"
        reason = f"{lacking} is not installed (make servers): nothing was kept in PostgreSQL"
        if os.environ.get("REPORTGEN_SERVERS") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    with _folder() as folder, _started(programs, folder):
        yield Postgres(folder)


def _programs() -> Path | None:
    program = shutil.which("initdb")
    if program is not None:
        return Path(program).resolve().parent
    folders = [Path(name) for pattern in INSTALLED for name in sorted(glob.glob(pattern))]  # noqa: PTH207
    return next((folder for folder in reversed(folders) if (folder / "initdb").exists()), None)


def _user() -> str | None:
    """Return as whom the server runs: it refuses root."""
    return "postgres" if os.geteuid() == 0 else None


@contextmanager
def _folder() -> Iterator[Path]:
    # A folder of pytest is closed to other users, and the path of a socket must be short.
    folder = Path(tempfile.mkdtemp(prefix="reportgen-postgres-", dir="/tmp"))
    if (user := _user()) is not None:
        shutil.chown(folder, user)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def _started(programs: Path, folder: Path) -> Iterator[None]:
    password = folder / "password"
    password.write_text(PASSWORD + "\n", encoding="utf-8")
    password.chmod(0o644)
    data = folder / "data"
    options = ["--username=postgres", "--auth=scram-sha-256", f"--pwfile={password}"]
    subprocess.run(
        [programs / "initdb", "-D", data, "--encoding=UTF8", "--no-sync", *options],
        cwd=folder,
        user=_user(),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    settings = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, "-k", folder, *settings],
            cwd=folder,
            user=_user(),
            stdout=log,
            stderr=log,
        )
    try:
        _wait(server, folder)
        yield
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=SECONDS_TO_START)


def _wait(server: subprocess.Popen[bytes], folder: Path) -> None:
    import psycopg

    until = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            psycopg.connect(Postgres(folder).address("postgres")).close()
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return
