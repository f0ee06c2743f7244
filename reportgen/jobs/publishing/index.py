"""index.json: what a site has, for programs and for the next time it is published."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from reportgen.errors import Diagnostic, SpecError
from reportgen.errors.jobs import INVALID_TARGET
from reportgen.evaluation.gate_outcome import GateVerdict
from reportgen.jobs.history.record import format_verdict_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.jobs.history.record import GateRecord


# Addresses on the site: made from names, and safe wherever they are put.

# Letters that no file system, store or address reads differently.
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
_UNSAFE_CHARACTERS = re.compile(r"[^A-Za-z0-9]+")
_MAX_SLUG_PREFIX = 40
# What stands in the same folder as reports or as runs.
_RESERVED_NAMES = re.compile(r".*\.(html|json|xml|pdf|txt)|assets", re.IGNORECASE)


def slugify(name: str) -> str:
    """Return the folder of a report or a run: its name, or something like it that is safe.

    It depends on nothing but the name, so that it never changes.
    """
    if (
        _SAFE_NAME.fullmatch(name)
        and not name.endswith(".")
        and not _RESERVED_NAMES.fullmatch(name)
    ):
        return name
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    beginning = _UNSAFE_CHARACTERS.sub("-", plain).strip("-")[:_MAX_SLUG_PREFIX].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{beginning}-{digest}" if beginning else digest


def is_safe_path(path: str) -> bool:
    """Return whether a path is relative, without `..`, and needs no quoting."""
    return bool(path) and all(
        _SAFE_NAME.fullmatch(part) and not part.endswith(".") for part in path.split("/")
    )


def validate_base_url(url: str) -> str:
    """Return the address of a site with a slash at its end, or raise why it is none."""
    parts = urlsplit(url)
    if (
        parts.scheme not in {"http", "https"}
        or not parts.hostname
        or parts.query
        or parts.fragment
        or "@" in parts.netloc
        or not re.fullmatch(r"[!-;=?-~]+", url)
    ):
        fault = Diagnostic(
            INVALID_TARGET,
            "--base-url must be the whole address of the site, without ?, # and @",
            help="for example https://example.org/reports/",
        )
        raise SpecError(fault)
    return url if url.endswith("/") else f"{url}/"


INDEX_FILE = "index.json"
SITE_SCHEMA: Literal["reportgen/site/1"] = "reportgen/site/1"

ReportState: TypeAlias = Literal["ok", "gate failed", "failed", "never built", "removed"]


def _check_site_path(path: str) -> str:
    if not is_safe_path(path):
        raise ValueError("must be a path within the site")
    return path


# An index that somebody changed leads nowhere else.
SitePath = Annotated[str, AfterValidator(_check_site_path)]


class SiteModel(BaseModel):
    """A part of index.json; what a later version adds is left alone."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="ignore", strict=False)


class GateCounts(SiteModel):
    """How many gates there are, and which of them were not passed."""

    passed: int = 0
    """How many were tested and passed."""
    untested: int = 0
    """How many had no earlier run to be worse than."""
    all: int = 0
    """How many there are."""
    failed: tuple[str, ...] = ()
    """Why each that failed did, in words."""
    warned: tuple[str, ...] = ()
    """The same of those whose failure is only a warning."""

    @classmethod
    def from_gates(cls, gates: Sequence[GateRecord]) -> GateCounts:
        """Count gates."""
        of = {
            verdict: tuple(gate.description for gate in gates if gate.verdict is verdict)
            for verdict in GateVerdict
        }
        return cls(
            passed=len(of[GateVerdict.PASSED]),
            untested=len(of[GateVerdict.UNTESTED]),
            all=len(gates),
            failed=of[GateVerdict.FAILED],
            warned=of[GateVerdict.WARNING],
        )

    @property
    def summary(self) -> str:
        """How many there are of each kind; nothing where there are no gates."""
        return format_verdict_counts(
            {
                GateVerdict.PASSED: self.passed,
                GateVerdict.FAILED: len(self.failed),
                GateVerdict.WARNING: len(self.warned),
                GateVerdict.UNTESTED: self.untested,
            }
        )


class MainMeasureValue(SiteModel):
    """The value of one classifier in the main measure."""

    classifier: str
    """Whose it is."""
    value: float | None
    """The value; null when infinite or undefined."""
    state: Literal["defined", "infinite", "undefined"]
    """Whether there is a value."""
    reason: str | None = None
    """Why there is none, or the sign of an infinity."""
    low: float | None = None
    """The lower end of the interval."""
    high: float | None = None
    """The upper end of the interval."""
    method: str | None = None
    """The method of the interval."""


class MainMeasure(SiteModel):
    """The main measure of a report, and what each classifier reached."""

    measure: str
    """The name in the catalogue."""
    values: tuple[MainMeasureValue, ...]
    """In the order of the spec."""


class PublishedRun(SiteModel):
    """A run whose report was published, for good."""

    id: str
    """The id in the history, else the beginning of the manifest's SHA-256."""
    address: SitePath
    """The folder of its files, relative to the site."""
    title: str
    """The title of the report."""
    ended: datetime | None = None
    """When the run ended; null: nobody knows."""
    state: Literal["ok", "gate failed"] = "ok"
    """Whether a gate failed."""
    gates: GateCounts = GateCounts()
    """Its gates."""
    main: MainMeasure | None = None
    """What was found in the main measure."""
    findings: tuple[str, ...] = ()
    """The first sentences of the summary."""
    manifest: str
    """The SHA-256 of its manifest."""
    files: tuple[SitePath, ...]
    """The names of its files, in the folder."""


class PublishedReport(SiteModel):
    """A report: how it stands, and all its published runs."""

    name: str
    """The name of its output folder."""
    address: SitePath
    """Its folder, relative to the site."""
    title: str
    """The title of the latest run."""
    state: ReportState
    """How the last run ended; removed: it is not built any more."""
    ended: datetime | None = None
    """When the last run ended, also one that failed; null: nobody knows."""
    run: str | None = None
    """The id of the run that `latest` shows."""
    latest: tuple[SitePath, ...] = ()
    """The files that always show the latest run, relative to the site."""
    archive: SitePath | None = None
    """The page of all runs, relative to the site."""
    classifiers: tuple[str, ...] = ()
    """Who was measured."""
    measures: tuple[str, ...] = ()
    """The names of the measures that were shown."""
    errors: tuple[str, ...] = ()
    """Why the last run failed."""
    runs: tuple[PublishedRun, ...] = ()
    """All published runs, the latest first."""

    @property
    def latest_run(self) -> PublishedRun | None:
        """The run that `latest` shows."""
        return next((run for run in self.runs if run.id == self.run), None)


class SiteIndex(SiteModel):
    """A site: its reports, and every file that was published."""

    schema_: Literal["reportgen/site/1"] = Field(default=SITE_SCHEMA, alias="schema")
    """The version of this shape."""
    title: str
    """The title of the site."""
    base_url: str | None = None
    """Where the site is, if that was told."""
    updated: datetime | None = None
    """When the latest run ended."""
    reports: tuple[PublishedReport, ...] = ()
    """All reports."""
    files: dict[SitePath, str] = Field(default_factory=dict)
    """The SHA-256 of every published file but this, by path."""
    removed: dict[SitePath, str] = Field(default_factory=dict)
    """Files that are to be taken away and may still be there, and what they were."""

    def report(self, name: str) -> PublishedReport | None:
        """Return a report by its name."""
        return next((each for each in self.reports if each.name == name), None)


def render_index_json(index: SiteIndex) -> bytes:
    """Return an index as it is published."""
    written = index.model_dump(mode="json", by_alias=True)
    return (json.dumps(written, indent=1, ensure_ascii=False, sort_keys=False) + "\n").encode()
