"""The pytest plugin: the fixtures `assert_at_least` and `assert_not_worse`.

It is loaded with every pytest run where reportgen is installed, so it imports nothing of reportgen
before a test uses a fixture.
"""

from __future__ import annotations

import re
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.api import Report
    from reportgen.evaluation.gate_outcome import GateOutcome

REPORT_DIR_OPTION = "--reportgen-dir"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the folder of reports."""
    parser.getgroup("reportgen").addoption(
        REPORT_DIR_OPTION,
        metavar="DIR",
        help="write the HTML report of a failed assert_at_least or assert_not_worse to this folder",
    )


@pytest.fixture(name="assert_at_least")
def at_least_fixture(request: pytest.FixtureRequest) -> Callable[..., GateOutcome]:
    """Return `reportgen.testing.assert_at_least`, which also records what was observed."""
    from reportgen import testing

    return _recorded(testing.assert_at_least, request)


@pytest.fixture(name="assert_not_worse")
def not_worse_fixture(request: pytest.FixtureRequest) -> Callable[..., GateOutcome]:
    """Return `reportgen.testing.assert_not_worse`, which also records what was observed."""
    from reportgen import testing

    return _recorded(testing.assert_not_worse, request)


def _recorded(
    assertion: Callable[..., GateOutcome], request: pytest.FixtureRequest
) -> Callable[..., GateOutcome]:
    """Return an assertion that adds the observed value to the test's properties.

    They are part of JUnit XML. If the assertion fails, the report is written to the folder of
    `--reportgen-dir`, named after the test.
    """

    @wraps(assertion)
    def assert_and_record(report: Report, *args: object, **kwargs: object) -> GateOutcome:
        __tracebackhide__ = True
        try:
            outcome = assertion(report, *args, **kwargs)
        except AssertionError as error:
            folder = request.config.getoption(REPORT_DIR_OPTION)
            if folder is not None:
                name = re.sub(r"[^\w.-]+", "_", request.node.nodeid).strip("_")
                path = report.write(Path(folder) / f"{name}.html")
                error.add_note(f"report: {path}")
            raise
        request.node.user_properties.append((_property_name(outcome), str(outcome.observed)))
        return outcome

    return assert_and_record


_LIMITS = {"low": "lower confidence limit of ", "high": "upper confidence limit of "}


def _property_name(outcome: GateOutcome) -> str:
    """Return what the observed number is: a value, a limit of it, or of a difference."""
    if outcome.is_difference:
        pair = f"{outcome.classifier} and {outcome.against}"
        return f"reportgen: worse limit of the difference in {outcome.measure} of {pair}"
    limit = _LIMITS.get(outcome.bound or "", "")
    return f"reportgen: {limit}{outcome.measure} of {outcome.classifier}"
