"""Stores that cannot be reached, and addresses that are none: told plainly, without secrets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode, OutputError, RenderingError, SpecError
from reportgen.jobs.publishing.publisher import publish_site
from reportgen.jobs.publishing.targets import open_target
from tests.jobs.publishing.output_folder import write_report
from tests.object_store import KEY_ID, SECRET

if TYPE_CHECKING:
    from pathlib import Path

    from tests.object_store import ObjectStore


@pytest.mark.parametrize(
    ("environment", "bucket", "expected"),
    [
        ({"AWS_SECRET_ACCESS_KEY": "wrong"}, None, "access was denied"),
        ({}, "s3://no-such-bucket", "there is no such bucket"),
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, None, "the server cannot be reached"),
    ],
)
def test_faults_of_a_store_are_reported_in_plain_words_without_secrets(
    store: ObjectStore,
    tmp_path: Path,
    environment: dict[str, str],
    bucket: str | None,
    expected: str,
) -> None:
    """The answer of the store has the key id in it; the message has not."""
    write_report(tmp_path / "runs", "churn")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        with pytest.raises(OutputError) as error:
            publish_site(tmp_path / "runs", f"{bucket or store.bucket}/site")

    message = str(error.value)
    assert expected in message
    assert error.value.diagnostics[0].error_code.code == "E524"
    assert KEY_ID not in message
    assert SECRET not in message


@pytest.mark.parametrize(
    "target",
    [
        "http://example.org/site",
        "ftp://example.org",
        "s3://",
        "s3://user:secret@bucket/site",
        "s3://bucket/site?token=secret",
        "gs://bucket/../other",
        "az://container//site",
    ],
)
def test_addresses_that_are_no_target(tmp_path: Path, target: str) -> None:
    """Refused before anything is read, and without repeating what may be secret."""
    write_report(tmp_path / "runs", "churn")
    with pytest.raises(SpecError) as error:
        publish_site(tmp_path / "runs", target)

    assert error.value.diagnostics[0].error_code.code == "E521"
    assert "secret@" not in str(error.value)
    assert "token" not in str(error.value)


@pytest.mark.parametrize("target", ["gs://bucket/site", "az://container/site", "s3://bucket"])
def test_google_and_azure_are_targets_as_well(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only opened here: no server of theirs is at hand."""
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", "a2V5")

    assert open_target(target).is_local is False


def test_without_obstore_the_message_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exit code 4: the machine lacks something."""
    monkeypatch.setitem(sys.modules, "obstore.store", None)

    with pytest.raises(RenderingError, match=r"pip install 'reportgen-eval\[cloud\]'") as error:
        open_target("s3://bucket/site")
    assert error.value.exit_code is ExitCode.ENVIRONMENT
