"""What is wrong with a remote file is said in plain words, with the way out and without secrets."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import DataError, RemoteUri
from reportgen.predictions import remote
from reportgen.predictions.formats import FileFormat
from reportgen.predictions.remote import remote_diagnostic
from tests.object_store import KEY_ID, SECRET
from tests.predictions.bucket import REMOTE, TABLE, at, parquet, serve_objects
from tests.predictions.spec_folder import ROWS, faults, read

if TYPE_CHECKING:
    from pathlib import Path

ONE = {"a.parquet": parquet(TABLE)}
GUESSED = {"AWS_SECRET_ACCESS_KEY": "guessed"}


def test_a_missing_file_is_named_by_its_address(tmp_path: Path) -> None:
    """All faults of a classifier's files are said, each with its address as written."""
    with serve_objects(ONE) as store:
        classifiers = at(store, "a.parquet", "b.parquet", "c.parquet")
        diagnostics = faults(tmp_path, classifiers, data=REMOTE)

    message = [
        (fault.error_code.code, str(fault.location and fault.location.path))
        for fault in diagnostics
    ]
    assert message == [("E229", f"{store.bucket}/{name}.parquet") for name in "bc"]
    assert diagnostics[0].message == "there is no such file"


def test_a_missing_bucket_is_distinguished_from_a_missing_file(tmp_path: Path) -> None:
    """The name of the bucket is what is wrong."""
    with serve_objects(ONE) as store:
        own = {"A": f'predictions = "s3://nobody-{store.port}/a.parquet"'}
        (fault,) = faults(tmp_path, own, data=REMOTE)

    assert fault.message == f"there is no bucket `nobody-{store.port}`"


@pytest.mark.parametrize("name", ["a.parquet", "*.parquet"])
def test_a_wrong_secret_is_not_shown(tmp_path: Path, name: str) -> None:
    """The store answers with the key's id, and neither that nor the secret is passed on."""
    with serve_objects(ONE, **GUESSED) as store:
        (fault,) = faults(tmp_path, at(store, name), data=REMOTE)

    assert (fault.error_code.code, fault.message) == ("E229", "access was denied")
    assert "AWS_SECRET_ACCESS_KEY" in (fault.help or "")
    text = f"{fault}"
    assert not any(secret in text for secret in (KEY_ID, SECRET, "guessed"))


def test_an_error_has_no_cause_that_a_traceback_would_show(tmp_path: Path) -> None:
    """What the server answered stays out of what Python prints of an uncaught error."""
    with (
        serve_objects(ONE, **GUESSED) as store,
        pytest.raises(DataError) as error_info,
    ):
        read(tmp_path, at(store, "a.parquet"), data=REMOTE)

    base_exception: BaseException | None = error_info.value
    while base_exception is not None:
        assert KEY_ID not in str(base_exception)
        base_exception = base_exception.__cause__ or (
            None if base_exception.__suppress_context__ else base_exception.__context__
        )


@pytest.mark.slow
def test_a_server_that_is_gone_is_reported_soon(tmp_path: Path) -> None:
    """Nobody listens on the port any more."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with serve_objects(ONE, AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}") as store:
        (fault,) = faults(tmp_path, at(store, "a.parquet"), data=REMOTE)

    assert (fault.error_code.code, fault.message) == ("E229", "the server cannot be reached")


def test_a_server_that_does_not_answer_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for an answer waits no longer than the client is told to."""
    monkeypatch.setitem(remote._TIMEOUT_OPTIONS, "read_timeout", "200ms")  # noqa: SLF001
    monkeypatch.setitem(remote._RETRY_OPTIONS, "max_retries", 0)  # noqa: SLF001
    with serve_objects(ONE) as store:
        store.held = True
        (fault,) = faults(tmp_path, at(store, "a.parquet"), data=REMOTE)

    assert (fault.error_code.code, fault.message) == ("E229", "the server did not answer in time")


def test_a_damaged_file_is_stated_to_be_damaged(tmp_path: Path) -> None:
    """A Parquet file without its end cannot be read, and that is not the network's fault."""
    with serve_objects({"a.parquet": ONE["a.parquet"][:300]}) as store:
        (fault,) = faults(tmp_path, at(store, "a.parquet"), data=REMOTE)

    assert fault.error_code.code == "E202"
    assert fault.message.startswith("the Parquet data cannot be read: ")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.csv.gz", "a"])
def test_text_is_not_read_from_elsewhere(tmp_path: Path, name: str) -> None:
    """The checks of a text file need all its bytes; nothing is asked of the server."""
    with serve_objects({name: ROWS.encode()}) as store:
        (fault,) = faults(tmp_path, at(store, name), data=REMOTE)

    assert fault.error_code.code == "E201"
    assert fault.location is not None
    assert (fault.location.path.name, "Parquet" in (fault.help or "")) == ("spec.toml", True)
    assert store.requests == []


def test_a_pattern_without_files_is_stated(tmp_path: Path) -> None:
    """Parquet and Arrow files are looked for, and none is there."""
    with serve_objects(ONE) as store:
        diagnostics = faults(tmp_path, at(store, "run/*.parquet", "run/*.arrow"), data=REMOTE)

    assert [fault.error_code.code for fault in diagnostics] == ["E218", "E218"]


def test_a_file_named_twice_is_rejected(tmp_path: Path) -> None:
    """Once by its address and once by a pattern: its cases would count twice."""
    with serve_objects(ONE) as store:
        (fault,) = faults(tmp_path, at(store, "a.parquet", "*.parquet"), data=REMOTE)

    assert fault.error_code.code == "E226"


def test_patterns_of_hugging_face_are_rejected(tmp_path: Path) -> None:
    """How they are listed there is not known to be right; nothing is asked of the hub."""
    own = {"A": 'predictions = "hf://datasets/somebody/runs/*.parquet"'}
    (fault,) = faults(tmp_path, own, data=REMOTE)

    assert (fault.error_code.code, fault.help) == ("E218", "list the files one by one")


ANSWERS = {
    "Generic MicrosoftAzure error: Account must be specified": "no credentials were found",
    "Error performing PUT http://169.254.169.254/latest/api/token": "no credentials were found",
    "Server returned non-2xx status code: 401 Unauthorized: <x>": "access was denied",
    "HTTP status client error (401 Unauthorized) for url (https://h.co/?t=x)": "access was denied",
    "HTTP status client error (404 Not Found) for url (https://h.co/x)": "there is no such file",
    "error sending request for url (https://huggingface.co/x?t=x)": "the server cannot be reached",
    "odd http://h/?token=x <Key>x</Key>": "the file cannot be read: odd … ",
    "after 2 retries in 403.1ms, retry_timeout: 10s": (
        "the file cannot be read: after 2 retries in 403.1ms, retry_timeout: 10s"
    ),
}


@pytest.mark.parametrize(("answer", "message"), ANSWERS.items())
def test_answers_are_put_in_plain_words(answer: str, message: str) -> None:
    """Texts as polars passes them on, of stores that are not at hand in tests."""
    address = RemoteUri("abfss://runs@account.dfs.core.windows.net/a.parquet")

    fault = remote_diagnostic(address, FileFormat.PARQUET, OSError(answer))

    assert fault.message == message


@pytest.mark.parametrize(
    ("address", "variable"),
    [
        ("s3://b/a.parquet", "AWS_ACCESS_KEY_ID"),
        ("gs://b/a.parquet", "GOOGLE_APPLICATION_CREDENTIALS"),
        ("az://b/a.parquet", "AZURE_STORAGE_ACCOUNT_NAME"),
        ("hf://datasets/b/c/a.parquet", "HF_TOKEN"),
    ],
)
def test_the_way_out_names_the_variables_of_the_store(address: str, variable: str) -> None:
    """Who was denied has to set those of the store that was asked."""
    denied = PermissionError("status code: 403 Forbidden")

    assert variable in (
        remote_diagnostic(RemoteUri(address), FileFormat.PARQUET, denied).help or ""
    )
