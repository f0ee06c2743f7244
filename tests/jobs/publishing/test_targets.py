"""The registry of publish targets: a module each, with schemes that do not overlap."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.jobs import publishing
from reportgen.jobs.publishing.targets import (
    TARGET_TYPE_NAMES,
    PublishTarget,
    credential_variables,
    load_target_type,
    open_target,
)
from tests.cli.command import ROOT

ADDRESSES = {"folder": "site", "bucket": "s3://bucket/site"}
MEMBERS = [name for name in vars(PublishTarget) if not name.startswith("_")]


def test_every_type_of_target_is_registered() -> None:
    """A module that is not in the list can never be chosen."""
    folder = Path(publishing.__file__).parent
    modules = {
        path.stem for path in folder.glob("*.py") if "\nTARGET_TYPE = " in path.read_text("utf-8")
    }

    assert modules == set(TARGET_TYPE_NAMES)


def test_every_address_has_one_type() -> None:
    """Each scheme belongs to one type, and one type takes paths."""
    credentials = [load_target_type(name).credentials for name in TARGET_TYPE_NAMES]
    schemes = [scheme for variables in credentials for scheme in variables]

    assert len(schemes) == len(set(schemes))
    assert sum(not variables for variables in credentials) == 1


@pytest.mark.parametrize("name", TARGET_TYPE_NAMES)
def test_every_target_has_all_operations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry is loaded by name, so that no type checker compares it with the protocol."""
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    target = open_target(ADDRESSES[name])

    assert MEMBERS
    assert [member for member in MEMBERS if not hasattr(target, member)] == []


def test_every_scheme_is_documented() -> None:
    """With the variables of its credentials, in docs/publishing.md."""
    page = (ROOT / "docs/publishing.md").read_text(encoding="utf-8")
    for name in TARGET_TYPE_NAMES:
        for scheme in load_target_type(name).credentials:
            assert f"{scheme}://" in page
            for variable in credential_variables(f"{scheme}://bucket"):
                assert variable in page
