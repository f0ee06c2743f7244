"""CI reports of runs: GitHub job summary (Markdown) and JUnit XML."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, assert_never
from xml.etree import ElementTree as ET

from reportgen.errors import ExitCode
from reportgen.evaluation.gate_outcome import GateVerdict
from reportgen.render.markdown import escape_markdown
from reportgen.render.plain_text import escape_invisible, searchable_text
from reportgen.report.phrases import gate_criterion, gate_observed, gate_subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.jobs.history.record import GateRecord
    from reportgen.jobs.job import JobOutcome


def format_gate_subject(gate: GateRecord) -> str:
    """Return the subject of a gate as text: classifier, class or average, and measure."""
    return searchable_text(gate_subject(gate))


def format_gate_criterion(gate: GateRecord) -> str:
    """Return the criterion of a gate as text."""
    return searchable_text(gate_criterion(gate))


def format_observed_value(gate: GateRecord) -> str:
    """Return the value that is compared with the criterion, with a label if it is a limit."""
    return searchable_text(gate_observed(gate))


# GitHub rejects a job summary of more than 1024 KiB; other steps may append to the same one.
MAX_SUMMARY_BYTES = 900_000
MAX_CELL_CHARACTERS = 500
# In order of severity.
VERDICT_SYMBOLS = {
    GateVerdict.FAILED: "✗",
    GateVerdict.WARNING: "!",
    GateVerdict.UNTESTED: "–",
    GateVerdict.PASSED: "✓",
}
GATE_TABLE_HEADER = "| Gate | Verdict | Criterion | Observed | Reason |\n|---|---|---|---|---|"


def render_summary_markdown(outcomes: Sequence[JobOutcome]) -> str:
    """Return the job summary: the status of every run and its gates, the most severe first."""
    parts = [f"## {_format_totals(outcomes)}\n\n"]
    remaining = MAX_SUMMARY_BYTES - len(parts[0].encode())
    ordered = sorted(outcomes, key=_severity)
    for number, outcome in enumerate(ordered):
        full, brief = (
            "\n".join(lines) + "\n\n"
            for lines in (_outcome_lines(outcome), _brief_outcome_lines(outcome))
        )
        part = full if len(full.encode()) <= remaining else brief
        remaining -= len(part.encode())
        if remaining < 0:
            n_omitted = len(ordered) - number
            parts.append(f"Omitted because of the size limit: {n_omitted} of {len(ordered)}.\n")
            break
        parts.append(part)
    return "".join(parts)


def _format_totals(outcomes: Sequence[JobOutcome]) -> str:
    count = len(outcomes)
    ranks = [_severity(outcome) for outcome in outcomes]
    status_counts = (
        (ranks.count(0), "not built"),
        (ranks.count(1), "with failed gates"),
        (ranks.count(2), "with warnings"),
    )
    problems = ", ".join(f"{number} {label}" for number, label in status_counts if number)
    reports = "1 report" if count == 1 else f"{count} reports"
    return f"{reports}: {problems or 'no problems'}"


def _severity(outcome: JobOutcome) -> int:
    """Return the sort key: 0 not built, 1 failed gates, 2 warnings, 3 success."""
    if outcome.diagnostics or outcome.exit_code not in {ExitCode.SUCCESS, ExitCode.GATE_FAILED}:
        return 0
    if any(gate.has_failed for gate in outcome.gates) or outcome.exit_code is ExitCode.GATE_FAILED:
        return 1
    all_passed = all(gate.verdict is GateVerdict.PASSED for gate in outcome.gates)
    return 3 if all_passed and not outcome.warnings else 2


def _outcome_lines(outcome: JobOutcome) -> Iterator[str]:
    yield f"### {_truncate(outcome.title or str(outcome.spec))}\n"
    yield _format_status(outcome) + "\n"
    for diagnostic in outcome.diagnostics:
        yield f"- {diagnostic.error_code.code}: {_truncate(diagnostic.message)}"
    for warning in outcome.warnings:
        yield f"- Warning: {_truncate(warning)}"
    if outcome.gates:
        yield f"\n{GATE_TABLE_HEADER}"
        yield from map(_gate_table_row, sorted(outcome.gates, key=_gate_severity))


def _brief_outcome_lines(outcome: JobOutcome) -> Iterator[str]:
    """Yield the status of a run without its gates, for a summary that would be too long."""
    yield f"### {_truncate(outcome.title or str(outcome.spec))}\n"
    yield f"{_format_status(outcome)} Details are omitted here; see the report."


def _format_status(outcome: JobOutcome) -> str:
    counts, total = Counter(gate.verdict for gate in outcome.gates), len(outcome.gates)
    failed, passed = counts[GateVerdict.FAILED], counts[GateVerdict.PASSED]
    if outcome.diagnostics:
        status = "✗ The report is incomplete." if outcome.files else "✗ The report was not built."
    elif failed:
        status = f"✗ {failed} of {total} gates failed."
    elif untested := counts[GateVerdict.UNTESTED]:
        status = f"– {passed} of {total} gates passed, {untested} untested, none failed."
    elif total:
        status = (
            f"✓ {passed} of {total} gates passed, none failed."
            if passed < total
            else _format_all_passed(total)
        )
    else:
        status = "✓ The report was built; it has no gates."
    return f"{status} Unchanged since the last run." if outcome.unchanged else status


def _format_all_passed(count: int) -> str:
    return "✓ The gate passed." if count == 1 else f"✓ All {count} gates passed."


def _gate_severity(gate: GateRecord) -> int:
    return list(VERDICT_SYMBOLS).index(gate.verdict)


def _gate_table_row(gate: GateRecord) -> str:
    outcome = f"{VERDICT_SYMBOLS[gate.verdict]} {gate.verdict}"
    texts = (
        format_gate_subject(gate),
        outcome,
        format_gate_criterion(gate),
        format_observed_value(gate),
        gate.reason,
    )
    return f"| {' | '.join(map(_truncate, texts))} |"


def _truncate(text: str) -> str:
    truncated_text = (
        text if len(text) <= MAX_CELL_CHARACTERS else f"{text[: MAX_CELL_CHARACTERS - 1]}…"
    )
    return escape_markdown(truncated_text)


BUILD_TEST_NAME = "report is built"


def render_junit_xml(outcomes: Sequence[JobOutcome]) -> bytes:
    """Return JUnit XML: a test suite per spec, a test case per gate, an error per failed run."""
    suites = [_test_suite(outcome) for outcome in outcomes]
    root = ET.Element("testsuites", {"name": "reportgen", **_sum_totals(suites)})
    root.extend(suites)
    ET.indent(root)
    content: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _test_suite(outcome: JobOutcome) -> ET.Element:
    tests = list(_test_cases(outcome))
    suite = ET.Element(
        "testsuite",
        {
            "name": escape_invisible(outcome.title or str(outcome.spec)),
            "tests": str(len(tests)),
            "failures": _count_with(tests, "failure"),
            "errors": _count_with(tests, "error"),
            "skipped": _count_with(tests, "skipped"),
            "time": f"{outcome.seconds:.3f}",
        },
    )
    suite.extend(tests)
    return suite


def _sum_totals(suites: Sequence[ET.Element]) -> dict[str, str]:
    # Without `skipped`, which is not an attribute of the root element.
    return {
        key: str(sum(int(suite.attrib[key]) for suite in suites))
        for key in ("tests", "failures", "errors")
    }


def _count_with(tests: Sequence[ET.Element], tag: str) -> str:
    return str(sum(test.find(tag) is not None for test in tests))


def _test_cases(outcome: JobOutcome) -> Iterator[ET.Element]:
    group = escape_invisible(f"reportgen.{outcome.spec.stem}")
    if outcome.diagnostics or not outcome.gates:
        test = ET.Element("testcase", {"classname": group, "name": BUILD_TEST_NAME})
        if outcome.diagnostics:
            first = outcome.diagnostics[0]
            attributes = {"message": escape_invisible(first.message), "type": first.error_code.code}
            error = ET.SubElement(test, "error", attributes)
            error.text = "\n".join(
                f"{diagnostic.error_code.code}: {escape_invisible(diagnostic.message)}"
                for diagnostic in outcome.diagnostics
            )
        yield test
    for gate in outcome.gates:
        yield _gate_test_case(gate, group)


def _gate_test_case(gate: GateRecord, group: str) -> ET.Element:
    name = f"{format_gate_subject(gate)}, {format_gate_criterion(gate)}"
    test = ET.Element("testcase", {"classname": group, "name": name})
    reason = escape_invisible(gate.reason)
    match gate.verdict:
        case GateVerdict.FAILED:
            failure = ET.SubElement(test, "failure", {"message": reason, "type": "gate"})
            failure.text = (
                f"criterion: {format_gate_criterion(gate)}\nobserved: {format_observed_value(gate)}"
            )
        case GateVerdict.WARNING:
            ET.SubElement(test, "skipped", {"message": f"warning: {reason}"})
        case GateVerdict.UNTESTED:
            ET.SubElement(test, "skipped", {"message": f"untested: {reason}"})
        case GateVerdict.PASSED:
            pass
        case _:
            assert_never(gate.verdict)
    return test
