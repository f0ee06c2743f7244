"""Gates as tests in JUnit's XML, which servers that build and test show."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never
from xml.etree import ElementTree as ET

from reportgen.comparisons.gates.outcome import GateVerdict
from reportgen.jobs.history.gate_words import (
    found_text,
    judged_text,
    wanted_text,
)
from reportgen.rendering.texts import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.jobs.history.record import GateRecord
    from reportgen.jobs.running.job import Outcome

BUILDING = "the report is built"


def junit_xml(outcomes: Sequence[Outcome]) -> bytes:
    """Return one suite per spec and one test per gate; a run that failed is an error."""
    suites = [_suite(outcome) for outcome in outcomes]
    root = ET.Element("testsuites", {"name": "reportgen", **_totals(suites)})
    root.extend(suites)
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _suite(outcome: Outcome) -> ET.Element:
    tests = list(_tests(outcome))
    suite = ET.Element(
        "testsuite",
        {
            "name": visible(outcome.title or str(outcome.spec)),
            "tests": str(len(tests)),
            "failures": _number_with(tests, "failure"),
            "errors": _number_with(tests, "error"),
            "skipped": _number_with(tests, "skipped"),
            "time": f"{outcome.seconds:.3f}",
        },
    )
    suite.extend(tests)
    return suite


def _totals(suites: Sequence[ET.Element]) -> dict[str, str]:
    # Without the skipped ones, for which the outermost element has no place.
    return {
        key: str(sum(int(suite.attrib[key]) for suite in suites))
        for key in ("tests", "failures", "errors")
    }


def _number_with(tests: Sequence[ET.Element], kind: str) -> str:
    return str(sum(test.find(kind) is not None for test in tests))


def _tests(outcome: Outcome) -> Iterator[ET.Element]:
    group = visible(f"reportgen.{outcome.spec.stem}")
    if outcome.faults or not outcome.gates:
        test = ET.Element("testcase", {"classname": group, "name": BUILDING})
        if outcome.faults:
            first = outcome.faults[0]
            about = {"message": visible(first.message), "type": first.kind.code}
            error = ET.SubElement(test, "error", about)
            error.text = "\n".join(
                f"{fault.kind.code}: {visible(fault.message)}" for fault in outcome.faults
            )
        yield test
    for gate in outcome.gates:
        yield _test(gate, group)


def _test(gate: GateRecord, group: str) -> ET.Element:
    name = f"{judged_text(gate)}, {wanted_text(gate)}"
    test = ET.Element("testcase", {"classname": group, "name": name})
    why = visible(gate.why)
    match gate.verdict:
        case GateVerdict.FAILED:
            failure = ET.SubElement(test, "failure", {"message": why, "type": "gate"})
            failure.text = f"wanted: {wanted_text(gate)}\nfound: {found_text(gate)}"
        case GateVerdict.WARNING:
            ET.SubElement(test, "skipped", {"message": f"only a warning: {why}"})
        case GateVerdict.UNTESTED:
            ET.SubElement(test, "skipped", {"message": f"untested: {why}"})
        case GateVerdict.PASSED:
            pass
        case _:
            assert_never(gate.verdict)
    return test
