"""Gates as JUnit's XML: what servers that build and test read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from reportgen.errors.data import UNKNOWN_LABEL
from reportgen.jobs.ci_reports import render_junit_xml
from tests.jobs.outcomes import broken_run, gate, run_of

if TYPE_CHECKING:
    from reportgen.jobs.job import JobOutcome

# What the schema of the xUnit plugin of Jenkins (junit-10.xsd) allows: needed and other attributes,
# and the elements inside.
SHAPE: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {
            *("group", "time", "skipped", "timestamp", "hostname", "id"),
            *("package", "file", "log", "url"),
        },
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": (
        {"name"},
        {"time", "classname", "group"},
        {
            *("skipped", "error", "failure", "system-out", "system-err"),
            *("rerunFailure", "rerunError", "flakyFailure", "flakyError"),
        },
    ),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
}
TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")
OUTCOMES = (
    run_of(
        gate(),
        gate(passed=False, observed=0.87, reason="the value falls short", bound="low"),
        gate(passed=False, level="warning", reason="the value falls short"),
    ),
    run_of(title="No gates", spec="specs/plain.toml"),
    broken_run("the label is unknown", "and another one"),
)


def read(*outcomes: JobOutcome) -> ET.Element:
    """Read what is written of outcomes."""
    return ET.fromstring(render_junit_xml(outcomes or OUTCOMES))  # noqa: S314  # written by us


def test_the_shape_is_that_of_the_schema() -> None:
    """Every element and every attribute is one that the schema knows, in its place."""
    root = read()
    assert root.tag == "testsuites"
    for element in root.iter():
        needed, others, inside = SHAPE[element.tag]
        assert needed <= set(element.attrib) <= needed | others
        assert {child.tag for child in element} <= inside
        assert TIME.fullmatch(element.attrib.get("time", ""))


def test_what_passed_untested_does_not_look_passed() -> None:
    """It is skipped, with the reason."""
    suite = read(run_of(gate(tested=False, observed=None, reason="there is no earlier run yet")))[0]
    (skipped,) = suite.iter("skipped")

    assert suite.attrib["skipped"] == "1"
    assert skipped.attrib["message"] == "untested: there is no earlier run yet"


def test_a_suite_counts_its_own_tests() -> None:
    """One per spec; a failed gate is a failure, a warning is skipped, a broken run an error."""
    counts = [
        [suite.attrib[key] for key in ("tests", "failures", "errors", "skipped")]
        for suite in read()
    ]

    assert counts == [["3", "1", "0", "1"], ["1", "0", "0", "0"], ["1", "0", "1", "0"]]
    assert read()[0].attrib["name"] == "Churn"


def test_the_outermost_element_has_the_sums() -> None:
    """3 + 1 + 1 tests."""
    root = read()

    assert [root.attrib[key] for key in ("tests", "failures", "errors")] == ["5", "1", "1"]


def test_a_test_says_what_is_judged_and_what_is_wanted() -> None:
    """So that a list of tests can be read without the report."""
    names = [test.attrib["name"] for test in read().iter("testcase")]

    assert names[0] == "NB: accuracy, ≥ 90%"
    assert names[1] == "NB: accuracy, lower confidence limit ≥ 90%"


def test_a_failure_has_the_reason_and_the_numbers() -> None:
    """The message is what lists show, the text what a click opens."""
    (failure,) = read().iter("failure")

    assert failure.attrib["message"] == "the value falls short"
    assert failure.text == (
        "criterion: lower confidence limit ≥ 90%\nobserved: lower confidence limit 87.0%"
    )


def test_numbers_that_would_look_alike_have_more_digits() -> None:
    """89.996% misses 90%, and does not look as if it were 90%."""
    (failure,) = read(run_of(gate(passed=False, observed=0.89996))).iter("failure")

    assert (failure.text or "").endswith("observed: 89.996%")


def test_all_faults_of_a_broken_run_are_there() -> None:
    """With their codes; the spec stands for the title that nobody could read."""
    (error,) = read().iter("error")
    suite = read()[2]

    code = UNKNOWN_LABEL.code
    assert error.text == f"{code}: the label is unknown\n{code}: and another one"
    assert suite.attrib["name"] == "specs/broken.toml"


def test_names_that_are_no_xml_are_written_so_that_it_can_be_read() -> None:
    """Brackets are escaped; what XML cannot hold is shown by its code point."""
    odd = gate(classifier="<a & b>\x00\x1b", passed=False, reason='"]]>')
    root = read(run_of(odd, title="\ud800 & <b>"))

    assert root[0].attrib["name"] == "[U+D800] & <b>"
    assert root[0][0].attrib["name"].startswith("<a & b>[U+0000][U+001B]: accuracy")


def test_the_same_outcomes_give_the_same_bytes() -> None:
    """No clock and no machine in it."""
    assert render_junit_xml(OUTCOMES) == render_junit_xml(OUTCOMES)
    assert b"timestamp" not in render_junit_xml(OUTCOMES)
