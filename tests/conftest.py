"""Settings of the whole suite: markers, the option that renews goldens, Hypothesis."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from tests.postgres import postgres
from tests.spark import spark

__all__ = ["postgres", "spark"]

# The same examples every time, so that a green run stays green; HYPOTHESIS_PROFILE=default looks
# for new ones.
settings.register_profile("steady", derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


# Fixtures that build whole reports, so that every test that asks for one takes seconds.
SLOW_FIXTURES = frozenset({"built", "pdf", "reported", "wide"})


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-goldens`."""
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write the expected results in tests/**/goldens anew instead of comparing with them",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of slow fixtures; others that take a second or more have a decorator.

    Tests of one server stay in one process, so that it starts once.
    """
    for item in items:
        names = getattr(item, "fixturenames", ())
        if not SLOW_FIXTURES.isdisjoint(names):
            item.add_marker(pytest.mark.slow)
        if "postgres" in names:
            item.add_marker(pytest.mark.servers)
            item.add_marker(pytest.mark.xdist_group("postgres"))
        if "spark" in names:
            item.add_marker(pytest.mark.spark)
            item.add_marker(pytest.mark.xdist_group("spark"))
            # Py4J leaves the closing of sockets to the end of the process, and Spark says of
            # pandas, which nothing here uses, that it is too new.
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning"))


@pytest.fixture
def update_goldens(request: pytest.FixtureRequest) -> bool:
    """Return whether goldens are to be written instead of compared."""
    return bool(request.config.getoption("update_goldens"))
