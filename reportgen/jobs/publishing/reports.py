"""How reports stand: what was built now, what was published earlier, what is gone."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from reportgen.errors import ExitCode
from reportgen.frozen import frozen
from reportgen.jobs.history.record import RunState
from reportgen.jobs.publishing.addresses import address_of
from reportgen.jobs.publishing.index import GateCount, PublishedReport, PublishedRun
from reportgen.jobs.publishing.public_words import public_faults
from reportgen.jobs.publishing.remembered import NOTHING
from reportgen.rendering.dates import source_date
from reportgen.rendering.formats import PAGE, RESULTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from reportgen.jobs.history.record import RunRecord
    from reportgen.jobs.publishing.built import Built
    from reportgen.jobs.publishing.index import Index
    from reportgen.jobs.publishing.remembered import Remembered

ARCHIVE, FRONT_OF_REPORT = "archive.html", "index.html"
# What always shows the latest run, under which name.
LATEST = {PAGE: FRONT_OF_REPORT, "report.pdf": "report.pdf", RESULTS: RESULTS}
SHORT_HASH = 12


@frozen
class Found:
    """All that is known before a site is made."""

    built: Sequence[Built]
    known: Mapping[str, Remembered] = field(default_factory=dict)
    failures: Mapping[str, RunRecord] = field(default_factory=dict)
    """Specs whose runs never came to a report, by name."""
    broken: Mapping[str, str] = field(default_factory=dict)
    """Reports that are not whole, by name, and why."""
    scheduled: Sequence[str] = ()
    """The names of specs that are scheduled."""


def reports_of(found: Found, earlier: Index | None) -> tuple[PublishedReport, ...]:
    """Return all reports of the site, those first that need a look, then by title."""
    before = {report.name: report for report in earlier.reports} if earlier else {}
    reports = {
        each.name: _built(each, found.known.get(each.name, NOTHING), before.get(each.name))
        for each in found.built
    }
    for name in (*found.broken, *found.failures, *found.scheduled):
        if name not in reports:
            reports[name] = _not_built(name, found, before.get(name))
    for name, report in before.items():
        if name not in reports and report.runs:
            gone = {"state": "removed", "run": None, "latest": (), "faults": ()}
            reports[name] = report.model_copy(update=gone)
    order = ("failed", "gate failed", "never built", "ok", "removed")
    return tuple(
        sorted(
            reports.values(),
            key=lambda report: (order.index(report.state), report.title.casefold(), report.name),
        )
    )


def _built(built: Built, known: Remembered, before: PublishedReport | None) -> PublishedReport:
    runs = before.runs if before else ()
    run = next((run for run in runs if run.manifest == built.manifest), None)
    if run is None:
        run = _run(built, known)
        runs = (run, *runs)
    last = known.last
    # Also a run that wrote what it could, but not all.
    failed = last is not None and (
        last.state is not RunState.WRITTEN or last.exit_code > ExitCode.GATE_FAILED
    )
    address = address_of(built.name)
    return PublishedReport(
        name=built.name,
        address=address,
        title=built.title,
        state="failed" if failed else run.state,
        ended=_whole_second(last.ended) if last else run.ended,
        run=run.id,
        latest=tuple(
            f"{address}/{latest}"
            for name, latest in LATEST.items()
            # A report without a page has one that leads to its files.
            if name in built.files or latest == FRONT_OF_REPORT
        ),
        archive=f"{address}/{ARCHIVE}",
        classifiers=built.classifiers,
        measures=built.measures,
        faults=public_faults(last) if last and failed else (),
        runs=runs,
    )


def _run(built: Built, known: Remembered) -> PublishedRun:
    record = known.made_by
    run = record.id if record else built.manifest[:SHORT_HASH]
    gates, passes = built.gates, built.passes
    if record and RESULTS not in built.files:
        gates = GateCount.of(record.gates)
        passes = not any(gate.has_failed for gate in record.gates)
    return PublishedRun(
        id=run,
        address=f"{address_of(built.name)}/{address_of(run)}",
        title=built.title,
        ended=_whole_second(record.ended) if record else source_date(),
        state="ok" if passes else "gate failed",
        gates=gates,
        main=built.main,
        findings=record.findings if record else (),
        manifest=built.manifest,
        files=tuple(sorted(built.files)),
    )


def _not_built(name: str, found: Found, before: PublishedReport | None) -> PublishedReport:
    """Return a report of which there is nothing new: as it was published, or none at all."""
    record = found.failures.get(name)
    why: tuple[str, ...] = ()
    if name in found.broken:
        why = (found.broken[name],)
    elif record:
        why = public_faults(record)
    failed = record is not None or name in found.broken
    if before is not None and before.run is not None:
        return before.model_copy(update={"state": "failed", "faults": why}) if failed else before
    address = address_of(name)
    return PublishedReport(
        name=name,
        address=address,
        title=(record.title if record else "") or (before.title if before else name),
        state="failed" if failed else "never built",
        ended=_whole_second(record.ended) if record else None,
        archive=before.archive if before else None,
        faults=why,
        runs=before.runs if before else (),
    )


def _whole_second(when: datetime) -> datetime:
    return when.replace(microsecond=0)
