"""The tables of a history: one definition for SQLite and PostgreSQL."""

from __future__ import annotations

from reportgen.frozen import frozen


@frozen
class Dialect:
    """What the two databases spell differently."""

    integer: str
    real: str
    # Text that is sorted and looked up, by its bytes in both.
    key: str
    options: str
    compact: str
    lock: str

    def written(self, template: str) -> str:
        """Return a statement of a migration as this database spells it."""
        return template.format(
            integer=self.integer,
            real=self.real,
            key=self.key,
            options=self.options,
            compact=self.compact,
        )


SQLITE = Dialect(
    integer="INTEGER",
    real="REAL",
    key="TEXT",
    options=" STRICT",
    compact=" STRICT, WITHOUT ROWID",
    lock="",
)
POSTGRES = Dialect(
    integer="BIGINT",
    real="DOUBLE PRECISION",
    key='TEXT COLLATE "C"',
    options="",
    compact="",
    lock=" FOR UPDATE",
)


@frozen
class Table:
    """A table with its columns, without the checksum that ends every row.

    The last of them, as many as `later`, came with later versions: where rows of before have
    nothing in any of these, their checksum is that of the columns before them.
    """

    name: str
    columns: tuple[str, ...]
    later: int = 0

    @property
    def insert(self) -> str:
        """The statement that adds a row."""
        marks = ", ".join("?" * (len(self.columns) + 1))
        return f"INSERT INTO {self.name} ({self._listed}) VALUES ({marks})"  # noqa: S608  # names of ours

    def select(self, condition: str) -> str:
        """Return the query for whole rows."""
        return f"SELECT {self._listed} FROM {self.name} {condition}"  # noqa: S608  # names of ours

    @property
    def _listed(self) -> str:
        return ", ".join((*self.columns, "crc"))


RUNS = Table(
    "runs",
    (
        *("id", "name", "spec", "output", "title", "version", "started", "ended"),
        *("state", "exit_code", "data", "manifest", "published", "level"),
        *("classes", "findings", "warnings", "faults", "contents"),
        *("positive", "final"),
    ),
    later=2,
)
INPUTS = Table("inputs", ("run", "place", "classifier", "path", "sha256", "rows"))
GATES = Table(
    "gates",
    (
        *("run", "place", "classifier", "measure", "class", "average"),
        *("level", "passed", "found", "wanted", "why", "kind", "bound", "against"),
        "tested",
    ),
    later=1,
)
CONFUSIONS = Table("confusions", ("run", "place", "classifier", "counts", "weight"), later=1)
SCORES = Table(
    "scores",
    (
        *("run", "place", "classifier", "class", "average", "fold", "measure"),
        *("value", "state", "reason", "low", "high", "interval"),
    ),
)

# What a published version has made is never changed here, only added to: each entry brings a
# history from one version to the next.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
CREATE TABLE runs (
    id {key} NOT NULL PRIMARY KEY,
    name {key} NOT NULL,
    spec TEXT NOT NULL,
    output TEXT NOT NULL,
    title TEXT NOT NULL,
    version TEXT NOT NULL,
    started {key} NOT NULL,
    ended TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('begun', 'written', 'failed', 'interrupted')),
    exit_code {integer} NOT NULL,
    data TEXT NOT NULL,
    manifest TEXT NOT NULL,
    published {integer} NOT NULL CHECK (published IN (0, 1)),
    level {real},
    classes TEXT NOT NULL,
    findings TEXT NOT NULL,
    warnings TEXT NOT NULL,
    faults TEXT NOT NULL,
    contents TEXT NOT NULL,
    crc {integer} NOT NULL
){options}
""",
        "CREATE INDEX runs_by_name ON runs (name, started, id)",
        "CREATE INDEX runs_by_time ON runs (started, id)",
        """
CREATE TABLE inputs (
    run {key} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place {integer} NOT NULL,
    classifier TEXT,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    rows {integer},
    crc {integer} NOT NULL,
    PRIMARY KEY (run, place)
){compact}
""",
        """
CREATE TABLE gates (
    run {key} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place {integer} NOT NULL,
    classifier TEXT NOT NULL,
    measure TEXT NOT NULL,
    class TEXT,
    average TEXT,
    level TEXT NOT NULL,
    passed {integer} NOT NULL CHECK (passed IN (0, 1)),
    found {real},
    wanted {real},
    why TEXT NOT NULL,
    kind TEXT NOT NULL,
    bound TEXT,
    against TEXT,
    crc {integer} NOT NULL,
    PRIMARY KEY (run, place)
){compact}
""",
        """
CREATE TABLE confusions (
    run {key} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place {integer} NOT NULL,
    classifier TEXT NOT NULL,
    counts TEXT NOT NULL,
    crc {integer} NOT NULL,
    PRIMARY KEY (run, place)
){options}
""",
        """
CREATE TABLE scores (
    run {key} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place {integer} NOT NULL,
    classifier TEXT NOT NULL,
    class TEXT,
    average TEXT,
    fold TEXT,
    measure TEXT NOT NULL,
    value {real},
    state TEXT NOT NULL CHECK (state IN ('defined', 'infinite', 'undefined')),
    reason TEXT,
    low {real},
    high {real},
    interval TEXT,
    crc {integer} NOT NULL,
    PRIMARY KEY (run, place)
){compact}
""",
    ),
    (
        "ALTER TABLE runs ADD COLUMN positive TEXT",
        "ALTER TABLE runs ADD COLUMN final {integer} CHECK (final IN (0, 1))",
        "ALTER TABLE gates ADD COLUMN tested {integer} CHECK (tested IN (0, 1))",
        "ALTER TABLE confusions ADD COLUMN weight {real}",
    ),
)
VERSION = len(MIGRATIONS)
