"""Readers of the site and of the history learn nothing about persons from failed runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.jobs.job import Job
from reportgen.jobs.publishing.publisher import publish_site
from reportgen.jobs.runner import finalize_run, run_job
from tests.small_specs import YES_OR_NO

if TYPE_CHECKING:
    from pathlib import Path

SPEC = f"""{YES_OR_NO}
[data]
id = "id"
truth = "truth"
prediction = "prediction"
[[classifiers]]
name = "A"
predictions = "rows.csv"
"""


@pytest.mark.slow
def test_ids_in_error_messages_are_neither_published_nor_kept(tmp_path: Path) -> None:
    """A run succeeds, and the next one fails with an id in its message."""
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    job = Job(
        tmp_path / "spec.toml",
        tmp_path / "out",
        ("html", "json"),
        history=str(tmp_path / "out/history.sqlite"),
    )
    rows = "id,truth,prediction\nP1,yes,yes\nP2,no,no\nP3,yes,no\nP4,no,no\n"
    (tmp_path / "rows.csv").write_text(rows, encoding="utf-8")
    assert finalize_run(job, run_job(job)).exit_code == 0
    twice = "Jane Doe 1970,yes,yes\nJane Doe 1970,no,no\n"
    (tmp_path / "rows.csv").write_text(rows + twice, encoding="utf-8")
    failed = finalize_run(job, run_job(job))
    publish_site(tmp_path / "out", str(tmp_path / "site"))

    assert failed.exit_code == 3
    assert any("Jane Doe" in fault.message for fault in failed.diagnostics)
    subset = [*(tmp_path / "site").rglob("*"), *(tmp_path / "out").rglob("*")]
    contents = {path: path.read_bytes() for path in subset if path.is_file()}
    assert [path for path, content in contents.items() if b"Jane Doe" in content] == []
    page = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert "fail" in page.lower()
