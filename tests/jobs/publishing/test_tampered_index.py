"""An index.json that somebody changed leads to no file elsewhere."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import OutputError
from reportgen.jobs.publishing.publisher import publish_site
from tests.jobs.publishing.output_folder import write_report

if TYPE_CHECKING:
    from pathlib import Path

PRECIOUS = b"precious"


@pytest.mark.parametrize("key", ["files", "removed"])
@pytest.mark.parametrize("absolute", [True, False], ids=["absolute", "upwards"])
def test_nothing_outside_of_the_site_is_removed(
    tmp_path: Path, key: str, *, absolute: bool
) -> None:
    """It is no index of ours then, and nothing is changed."""
    victim = tmp_path / "victim.txt"
    victim.write_bytes(PRECIOUS)
    write_report(tmp_path / "runs", "churn")
    publish_site(tmp_path / "runs", str(tmp_path / "site"))
    index = tmp_path / "site/index.json"
    known = json.loads(index.read_bytes())
    known[key][str(victim) if absolute else "../victim.txt"] = sha256(PRECIOUS).hexdigest()
    index.write_text(json.dumps(known), encoding="utf-8")

    with pytest.raises(OutputError) as error:
        publish_site(tmp_path / "runs", str(tmp_path / "site"))

    assert error.value.diagnostics[0].error_code.code == "E522"
    assert victim.read_bytes() == PRECIOUS
