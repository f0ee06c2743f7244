"""Test suites hold classifiers to a minimum, or to another classifier."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import reportgen as rg
from reportgen.testing import assert_at_least, assert_not_worse

PAGE = Path(__file__).parents[2] / "docs/how-to/pytest.md"
pytest_plugins = ["pytester"]

TRUTH = ["yes"] * 60 + ["no"] * 90
SVM = ["yes"] * 54 + ["no"] * 6 + ["no"] * 81 + ["yes"] * 9
BAYES = ["yes"] * 45 + ["no"] * 15 + ["no"] * 72 + ["yes"] * 18

SUITE = f"""
import pytest
import reportgen as rg

@pytest.fixture(scope="session")
def report():
    predictions = {{"SVM": {SVM!r}, "Naive Bayes": {BAYES!r}}}
    return rg.evaluate({TRUTH!r}, predictions, positive="yes", margin={{"accuracy": 0.05}})

def test_the_svm_is_accurate(report, assert_at_least):
    assert_at_least(report, "accuracy", 0.85, classifier="SVM")

def test_the_svm_is_not_worse(report, assert_not_worse):
    assert_not_worse(report, "accuracy", "SVM", than="Naive Bayes")

def test_bayes_is_not_worse(report, assert_not_worse):
    assert_not_worse(report, "accuracy", "Naive Bayes", than="SVM")
"""


@pytest.fixture(scope="module")
def report() -> rg.Report:
    """Return the report of two classifiers: 135 of 150 right, and 117 of 150."""
    return rg.evaluate(TRUTH, {"SVM": SVM, "Naive Bayes": BAYES}, positive="yes")


def test_a_value_is_compared_with_the_minimum(report: rg.Report) -> None:
    """135 of 150 are 0.9, which passes; Wilson's lower limit, 0.842, does not reach 0.85."""
    outcome = assert_at_least(report, "accuracy", 0.9, classifier="SVM")
    with pytest.raises(
        AssertionError,
        match=r"^SVM: accuracy: lower .+ 85%, observed lower confidence limit 84\.2%: ",
    ):
        assert_at_least(report, "accuracy", 0.85, classifier="SVM", bound="low")

    assert outcome.observed == pytest.approx(135 / 150)


def test_an_undefined_value_does_not_pass() -> None:
    """Nothing is predicted as yes: precision is 0/0, and neither 0 nor good enough."""
    report = rg.evaluate(["yes", "no", "no"], {"Never": ["no"] * 3}, positive="yes")
    with pytest.raises(AssertionError, match=r"observed nothing: the value is undefined"):
        assert_at_least(report, "precision", 0.0)


def test_too_few_cases_do_not_show_that_a_classifier_is_not_worse() -> None:
    """The same predictions have a difference of 0; two classifiers that differ in few cases not."""
    truth = ["yes", "no"] * 10
    other = [*truth[:18], "no", "yes"]
    report = rg.evaluate(truth[::-1], {"First": truth, "Second": other}, positive="yes")
    with pytest.raises(AssertionError, match="non-inferior to Second"):
        assert_not_worse(report, "accuracy", "First", "Second", margin=0.01)


def test_a_measure_that_the_report_does_not_show_can_be_asserted() -> None:
    """F1 = 2·54 / (2·54 + 9 + 6)."""
    report = rg.evaluate(TRUTH, {"SVM": SVM}, positive="yes", measures=["accuracy"])

    assert "f1" not in report.values["measure"].to_list()
    assert assert_at_least(report, "f1", 0.87).observed == pytest.approx(108 / 123)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "acuracy", "classifier": "SVM", "at_least": 0.5}, "did you mean `accuracy`"),
        ({"measure": "f1", "classifier": "SVN", "at_least": 0.5}, "did you mean `SVM`"),
        ({"measure": "f1", "at_least": 0.5}, "`classifier` is missing"),
        ({"measure": "f1", "classifier": "SVM"}, "a gate needs `at_least`"),
        ({"measure": "f1", "classifier": "SVM", "at_least": 80}, "`at_least` is outside 0 to 1"),
        (
            {"measure": "f1", "classifier": "SVM", "not_worse_than": "Naive Bayes"},
            "`not_worse_than` needs a non-inferiority `margin`",
        ),
        (
            {"measure": "f1", "classifier": "SVM", "at_least": 0.5, "bound": "lo"},
            "`bound` has the invalid value",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_invalid_criterion_is_an_error_not_a_failure(
    report: rg.Report, arguments: dict[str, object], message: str
) -> None:
    """A mistyped criterion must not look like a bad classifier."""
    with pytest.raises(rg.SpecError, match=message):
        report.check(**arguments)  # type: ignore[arg-type]  # invalid on purpose


@pytest.mark.slow
def test_the_fixtures_pass_fail_record_and_write(pytester: pytest.Pytester) -> None:
    """Installed as a plugin: two tests pass, one fails with its reason and its report."""
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess("--reportgen-dir=failed", "--junit-xml=out.xml")
    cases = {
        case.get("name"): case
        for case in ET.parse(pytester.path / "out.xml").iter("testcase")  # noqa: S314  # of this run
    }
    (output,) = (pytester.path / "failed").iterdir()

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: Naive Bayes: accuracy: non-inferior to SVM*"])
    accuracy = cases["test_the_svm_is_accurate"].find("properties/property")
    assert accuracy is not None
    assert accuracy.attrib == {"name": "reportgen: accuracy of SVM", "value": "0.9"}
    limit = cases["test_the_svm_is_not_worse"].find("properties/property")
    assert limit is not None
    name = "reportgen: worse limit of the difference in accuracy of SVM and Naive Bayes"
    assert limit.get("name") == name
    assert (
        output.name
        == "test_the_fixtures_pass_fail_record_and_write.py_test_bayes_is_not_worse.html"
    )
    assert "Naive Bayes" in output.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_run_without_the_fixtures_loads_nothing_of_the_pipeline(tmp_path: Path) -> None:
    """Every run of pytest pays for the plugin, so it imports no polars and no pydantic."""
    (tmp_path / "test_other.py").write_text(
        "import sys\n"
        "def test_loaded():\n"
        "    assert 'reportgen.integrations.pytest_plugin' in sys.modules\n"
        "    heavy = {'polars', 'numpy', 'pydantic', 'jinja2', 'reportgen.api'}\n"
        "    assert heavy.isdisjoint(sys.modules)\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:hypothesispytest", "-p", "no:xdist"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stdout


@pytest.mark.slow
def test_the_example_of_the_page_passes(pytester: pytest.Pytester) -> None:
    """As it stands in docs/how-to/pytest.md."""
    (suite,) = re.findall(
        r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    pytester.makepyfile(suite)

    pytester.runpytest_subprocess().assert_outcomes(passed=2)
