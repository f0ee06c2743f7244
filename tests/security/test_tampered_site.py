"""An index, manifest or report folder that somebody changed leads to no file elsewhere."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from reportgen.errors import OutputError
from reportgen.jobs.publishing.index import slugify
from reportgen.jobs.publishing.publisher import PublishOptions, publish_site
from tests.jobs.publishing.output_folder import SampleReport, write_report, write_run
from tests.jobs.publishing.site_reading import files_of

if TYPE_CHECKING:
    from pathlib import Path

PRECIOUS = b"precious"


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.delenv("REPORTGEN_HISTORY", raising=False)


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


def test_an_address_that_is_a_script_is_not_published(tmp_path: Path) -> None:
    """The feed and the pages link to the base URL."""
    write_report(tmp_path / "runs", "churn")
    publish_site(tmp_path / "runs", str(tmp_path / "site"))
    index = tmp_path / "site/index.json"
    known = json.loads(index.read_bytes())
    known["base_url"] = "javascript:alert(1)//"
    index.write_text(json.dumps(known), encoding="utf-8")

    with pytest.raises(OutputError) as error:
        publish_site(tmp_path / "runs", str(tmp_path / "site"))

    assert error.value.diagnostics[0].error_code.code == "E522"


@pytest.mark.parametrize("address", ["javascript:alert(1)", "//example.org/a", "data:text/html,a"])
@pytest.mark.parametrize(
    "keys",
    [
        ("badge",),
        ("reports", 0, "address"),
        ("reports", 0, "badge"),
        ("reports", 0, "archive"),
        ("reports", 0, "latest", 0),
        ("reports", 0, "runs", 0, "address"),
        ("reports", 0, "runs", 0, "files", 0),
    ],
)
def test_no_other_address_of_the_index_can_be_a_script(
    tmp_path: Path, keys: tuple[str | int, ...], address: str
) -> None:
    """Pages link to reports, runs, badges and files; they are paths within the site."""
    write_report(tmp_path / "runs", "churn")
    publish_site(tmp_path / "runs", str(tmp_path / "site"))
    index = tmp_path / "site/index.json"
    part = known = json.loads(index.read_bytes())
    for key in keys[:-1]:
        part = part[key]
    assert part[keys[-1]] is None or isinstance(part[keys[-1]], str)
    part[keys[-1]] = address
    index.write_text(json.dumps(known), encoding="utf-8")

    with pytest.raises(OutputError) as error:
        publish_site(tmp_path / "runs", str(tmp_path / "site"))

    assert error.value.diagnostics[0].error_code.code == "E522"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"null",
        b'{"title": 1}',
        b"[" * 100_000,
        b'{"title": "x", "spec": {"text": ""}, "inputs": [], "outputs": [{"path": 1}]}',
        b'{"title": "\\ud800", "spec": {"text": ""}, "inputs": [], "outputs": []}',
        b"\xff\xfe",
    ],
)
def test_one_strange_report_folder_does_not_stop_publishing(tmp_path: Path, content: bytes) -> None:
    """The other reports are published, and the strange one is named."""
    runs = tmp_path / "runs"
    write_report(runs, "churn")
    (runs / "strange").mkdir()
    (runs / "strange/manifest.json").write_bytes(content)
    outcome = publish_site(runs, str(tmp_path / "site"))

    assert (tmp_path / "site/churn/index.html").is_file()
    assert [fault.location and fault.location.path for fault in outcome.diagnostics] == [
        runs / "strange"
    ]


def test_control_characters_in_a_title_break_no_feed(tmp_path: Path) -> None:
    """XML cannot contain them, even escaped."""
    runs = tmp_path / "runs"
    write_run(runs, "churn", SampleReport(title="Churn\x1b[31m\x00 of May"), day=0)
    options = PublishOptions(base_url="https://example.org/")
    publish_site(runs, str(tmp_path / "site"), options)

    feed = ET.fromstring((tmp_path / "site/feed.xml").read_text("utf-8"))  # noqa: S314  # our own
    assert any("Churn [31m of May" in text for text in feed.itertext())


def test_two_reports_with_one_address_are_an_error(tmp_path: Path) -> None:
    """A report could be named like the address of another one, and replace it."""
    runs = tmp_path / "runs"
    write_report(runs, "Fälle")
    write_report(runs, slugify("Fälle"))

    with pytest.raises(OutputError, match="have the same address"):
        publish_site(runs, str(tmp_path / "site"))


@pytest.mark.parametrize(
    "outputs",
    [
        [{"path": "../secret.txt", "sha256": "0" * 64}],
        [{"path": "/etc/hostname", "sha256": "0" * 64}],
        [{"path": "missing.html", "sha256": "0" * 64}],
    ],
)
def test_a_manifest_cannot_name_files_elsewhere(
    tmp_path: Path, outputs: list[dict[str, str]]
) -> None:
    """Nothing outside of the report's folder is ever published."""
    runs = tmp_path / "runs"
    write_report(runs, "churn")
    (runs / "secret.txt").write_text("secret")
    path = runs / "churn" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"outputs": outputs}))
    publish_result = publish_site(runs, str(tmp_path / "site"))

    assert [fault.error_code.code for fault in publish_result.diagnostics] == ["E523"]
    assert not any(b"secret" in content for content in files_of(tmp_path / "site").values())
