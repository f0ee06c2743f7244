"""The site index, index.json: the published reports and files, for programs and later uploads."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from reportgen.errors import Diagnostic, SpecError
from reportgen.errors.jobs import INVALID_TARGET
from reportgen.evaluation.gate_outcome import GateVerdict, format_verdict_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.evaluation.values import ValueKey
    from reportgen.jobs.history.record import GateRecord


# Characters that are safe in file systems, object stores and URLs.
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")
_UNSAFE_CHARACTERS = re.compile(r"[^A-Za-z0-9]+")
_MAX_SLUG_PREFIX = 40
# 64 bits, so that names with the same address cannot be found by search.
_HASH_LENGTH = 16
# Names of files in the same folder as reports or runs.
_RESERVED_NAMES = re.compile(r".*\.(html|json|xml|pdf|svg|txt|md|tex|bib)|assets", re.IGNORECASE)


def slugify(name: str) -> str:
    """Return the folder name of a report or a run: its name if safe, else a slug with a hash.

    The result depends on the name only, so that addresses are stable.
    """
    if (
        _SAFE_NAME.fullmatch(name)
        and not name.endswith(".")
        and not _RESERVED_NAMES.fullmatch(name)
    ):
        return name
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    prefix = _UNSAFE_CHARACTERS.sub("-", ascii_name).strip("-")[:_MAX_SLUG_PREFIX].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:_HASH_LENGTH]
    return f"{prefix}-{digest}" if prefix else digest


def is_safe_path(path: str) -> bool:
    """Return whether a path is relative, without `..`, and needs no quoting."""
    return bool(path) and all(
        _SAFE_NAME.fullmatch(part) and not part.endswith(".") for part in path.split("/")
    )


def _is_base_url(url: str) -> bool:
    """Return whether a URL is absolute, with http or https, and without ?, # and @."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return bool(
        parts.scheme in {"http", "https"}
        and host
        and not parts.query
        and not parts.fragment
        and "@" not in parts.netloc
        and re.fullmatch(r"[!-;=?-~]+", url)
    )


def validate_base_url(url: str) -> str:
    """Return the base URL of a site with a trailing slash; raise if it is invalid."""
    if not _is_base_url(url):
        diagnostic = Diagnostic(
            INVALID_TARGET,
            "--base-url must be the absolute URL of the site, without ?, # and @",
            help="for example https://example.org/reports/",
        )
        raise SpecError(diagnostic)
    return url if url.endswith("/") else f"{url}/"


INDEX_FILE = "index.json"
SITE_SCHEMA: Literal["reportgen/site/1"] = "reportgen/site/1"

RunStatus: TypeAlias = Literal["FAIL", "PASS with warning", "PASS", "no gates"]
# By severity, the order of reports on the site.
ReportStatus: TypeAlias = Literal[
    "ERROR", "FAIL", "stale", "never built", "PASS with warning", "no gates", "PASS", "archived"
]
REPORT_STATUSES: tuple[ReportStatus, ...] = get_args(ReportStatus)


def _check_site_path(path: str) -> str:
    if not is_safe_path(path):
        raise ValueError("must be a path within the site")
    return path


def _check_base_url(url: str) -> str:
    if not _is_base_url(url):
        raise ValueError("must be an absolute URL with http or https")
    return url


# Validated, so that a modified index cannot refer to paths outside the site or to scripts.
SitePath = Annotated[str, AfterValidator(_check_site_path)]
BaseUrl = Annotated[str, AfterValidator(_check_base_url)]


class SiteModel(BaseModel):
    """A part of index.json; fields of later versions are ignored."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, extra="ignore", strict=False, allow_inf_nan=False, populate_by_name=True
    )


class GateCounts(SiteModel):
    """The numbers of gates, and the reasons of those that failed."""

    passed: int = 0
    """The number of gates that passed."""
    untested: int = 0
    """The number of gates without a baseline run."""
    all: int = 0
    """The number of gates."""
    failed: tuple[str, ...] = ()
    """The reasons of the failed gates."""
    warned: tuple[str, ...] = ()
    """The reasons of the gates whose failure is only a warning."""

    @classmethod
    def from_gates(cls, gates: Sequence[GateRecord]) -> GateCounts:
        """Return the counts of gates."""
        descriptions = {
            verdict: tuple(gate.description for gate in gates if gate.verdict is verdict)
            for verdict in GateVerdict
        }
        return cls(
            passed=len(descriptions[GateVerdict.PASSED]),
            untested=len(descriptions[GateVerdict.UNTESTED]),
            all=len(gates),
            failed=descriptions[GateVerdict.FAILED],
            warned=descriptions[GateVerdict.WARNING],
        )

    @property
    def status(self) -> RunStatus:
        """The overall status of a run by its gates; untested gates alone are a warning."""
        if not self.all:
            return "no gates"
        if self.failed:
            return "FAIL"
        return "PASS with warning" if self.warned or not self.passed else "PASS"

    @property
    def summary(self) -> str:
        """The number of gates per verdict as text; empty without gates."""
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
    """The classifier."""
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


class GatedValue(MainMeasureValue):
    """The value that a gate is about, and the limit that it has to meet."""

    measure: str
    """The name of the measure."""
    class_: str | None = Field(default=None, alias="class")
    """The class of the measure, if any."""
    average: str | None = None
    """The average over classes, if any."""
    verdict: GateVerdict
    """The verdict on the gate."""
    kind: str
    """The kind of criterion, such as at_least."""
    bound: str | None = None
    """What is compared with the limit: the value, or a confidence limit (low, high)."""
    limit: float | None = None
    """The limit; null: the gate compares with a classifier or an earlier run."""
    against: str | None = None
    """The other classifier, or the earlier run."""

    @property
    def value_key(self) -> ValueKey:
        """The key of the value in the history."""
        return self.classifier, self.class_, self.average, self.measure


class SiteAbout(SiteModel):
    """What a report is about, as its spec declares it."""

    description: str | None = None
    """A sentence about the classifiers or the occasion."""
    owners: tuple[str, ...] = ()
    """The people or the department responsible."""
    date: str | None = None
    """The date of the evaluation."""
    version: str | None = None
    """The version of the classifiers or of the evaluation."""
    data: str | None = None
    """Where the cases come from."""
    tags: tuple[str, ...] = ()
    """The tags of the report."""


class MainMeasure(SiteModel):
    """The main measure of a report, and its value for each classifier."""

    measure: str
    """The name in the catalogue."""
    average: str | None = None
    """The average over classes, if any."""
    values: tuple[MainMeasureValue, ...]
    """In the order of the spec."""


class PublishedRun(SiteModel):
    """A published run, at a permanent address."""

    id: str
    """The id in the history, else the beginning of the manifest's SHA-256."""
    address: SitePath
    """The folder of its files, relative to the site."""
    title: str
    """The title of the report."""
    ended: datetime | None = None
    """The end time of the run; null if unknown."""
    status: RunStatus = "no gates"
    """The overall status by its gates."""
    gates: GateCounts = GateCounts()
    """The counts of its gates."""
    gated: tuple[GatedValue, ...] = ()
    """The values that its gates are about, those of gates that are not met first."""
    alarms: tuple[str, ...] = ()
    """The alarms of the monitoring over all runs."""
    main: MainMeasure | None = None
    """The values of the main measure."""
    findings: tuple[str, ...] = ()
    """The first sentences of the summary."""
    manifest: str
    """The SHA-256 of its manifest."""
    files: tuple[SitePath, ...]
    """The names of its files, in the folder."""


class PublishedReport(SiteModel):
    """A report: its state, and all its published runs."""

    name: str
    """The name of its output folder."""
    address: SitePath
    """Its folder, relative to the site."""
    title: str
    """The title of the latest run."""
    status: ReportStatus
    """The overall status; ERROR: the last run failed; archived: the report is no longer built."""
    ended: datetime | None = None
    """The end time of the last run, failed or not; null if unknown."""
    run: str | None = None
    """The id of the run in `latest`."""
    latest: tuple[SitePath, ...] = ()
    """The files of the latest run, relative to the site."""
    archive: SitePath | None = None
    """The page of all runs, relative to the site."""
    classifiers: tuple[str, ...] = ()
    """The classifiers."""
    measures: tuple[str, ...] = ()
    """The names of the measures in the report."""
    about: SiteAbout = SiteAbout()
    """What the report is about."""
    badge: SitePath
    """The badge of its status, relative to the site."""
    errors: tuple[str, ...] = ()
    """The errors of the last run."""
    runs: tuple[PublishedRun, ...] = ()
    """All published runs, the latest first."""

    @property
    def latest_run(self) -> PublishedRun | None:
        """The run in `latest`."""
        return next((run for run in self.runs if run.id == self.run), None)


class SiteIndex(SiteModel):
    """A site: its reports, and all published files."""

    schema_: Literal["reportgen/site/1"] = Field(default=SITE_SCHEMA, alias="schema")
    """The schema version."""
    title: str
    """The title of the site."""
    base_url: BaseUrl | None = None
    """The base URL of the site, if configured."""
    stale_after: float | None = None
    """After how many days without a new run a report is stale, if configured."""
    updated: datetime | None = None
    """The end time of the latest run."""
    badge: SitePath = "badge.svg"
    """The badge of all reports."""
    reports: tuple[PublishedReport, ...] = ()
    """All reports."""
    files: dict[SitePath, str] = Field(default_factory=dict)
    """The SHA-256 of every published file but this, by path."""
    removed: dict[SitePath, str] = Field(default_factory=dict)
    """The SHA-256 of stale files that remain to be deleted, by path."""

    def report(self, name: str) -> PublishedReport | None:
        """Return a report by name; None if there is none."""
        return next((report for report in self.reports if report.name == name), None)


def render_index_json(index: SiteIndex) -> bytes:
    """Return the content of index.json."""
    document = index.model_dump(mode="json", by_alias=True)
    return (json.dumps(document, indent=1, ensure_ascii=False, sort_keys=False) + "\n").encode()
