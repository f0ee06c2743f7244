"""Settings of the whole suite: markers, the option that renews goldens, Hypothesis."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

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
    """Mark the tests of slow fixtures; others that take a second or more have a decorator."""
    for item in items:
        if not SLOW_FIXTURES.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def update_goldens(request: pytest.FixtureRequest) -> bool:
    """Return whether goldens are to be written instead of compared."""
    return bool(request.config.getoption("update_goldens"))
