"""Addresses are read only where a spec says so, and a secret in one is never shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.cli.console import format_diagnostic
from reportgen.errors import SpecError
from reportgen.spec import load_spec

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.errors import Diagnostic

TASK = '[task]\nkind = "binary"\npositive = "yes"\n'


def faults(folder: Path, text: str) -> tuple[Diagnostic, ...]:
    """Return the faults of a spec."""
    spec = folder / "spec.toml"
    spec.write_text(TASK + text, encoding="utf-8")
    with pytest.raises(SpecError) as error_info:
        load_spec(spec)
    return error_info.value.diagnostics


def reading(address: str, data: str = "remote = true", own: str = "") -> str:
    """Return a spec with a classifier at an address."""
    classifier = f'[[classifiers]]\nname = "A"\npredictions = ["{address}"]\n{own}'
    return f"[data]\n{data}\n{classifier}"


@pytest.mark.parametrize(
    "address",
    [
        "s3://bucket/run/svm.parquet",
        "s3a://bucket/svm.arrow",
        "gs://bucket/run/*.parquet",
        "az://container/svm.parquet",
        "abfss://container@account.dfs.core.windows.net/svm.parquet",
        "hf://datasets/somebody/runs@main/svm.parquet",
    ],
)
def test_remote_allows_addresses(tmp_path: Path, address: str) -> None:
    """`remote = true` under [data] or of the classifier allows them, and only then are they."""
    spec = tmp_path / "spec.toml"
    for data, own in (("remote = true", ""), ("", "remote = true")):
        spec.write_text(TASK + reading(address, data, own), encoding="utf-8")
        read = load_spec(spec).spec
        assert read.classifiers[0].predictions == (address,)
        assert read.data_settings_for(read.classifiers[0]).remote

    for data, own in (("", ""), ("remote = false", ""), ("remote = true", "remote = false")):
        (fault,) = faults(tmp_path, reading(address, data, own))
        assert (fault.error_code.code, "`remote = true`" in (fault.help or "")) == ("E118", True)
        assert fault.location is not None
        assert fault.location.column == len('predictions = ["')


def test_labels_are_asked_about_too(tmp_path: Path) -> None:
    """Those of [data] need `remote` there; a classifier speaks for its own only."""
    labels = 'id = "i"\nlabels = "s3://bucket/labels.parquet"'

    (fault,) = faults(tmp_path, reading("a.csv", labels, "remote = true"))

    assert (fault.error_code.code, fault.message.split()[0]) == ("E118", "`labels`")


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/a.parquet",
        "https://example.org/a.parquet",
        "ftp://example.org/a.parquet",
        "file:///etc/a.parquet",
        "S3://bucket/a.parquet",
        "gcs://bucket/a.parquet",
        "s3://bucket//a.parquet",
        "s3://bucket/../a.parquet",
        "s3:///a.parquet",
        "s3://bucket",
    ],
)
def test_other_addresses_are_rejected_in_any_case(tmp_path: Path, address: str) -> None:
    """Polars would read web pages, local files by address, or something else than was written."""
    (fault,) = faults(tmp_path, reading(address))

    assert fault.error_code.code == "E118"


@pytest.mark.parametrize(
    "address",
    [
        "s3://AKID:hunter2@bucket/a.parquet",
        "s3://hunter2@bucket/a.parquet",
        "abfss://container:hunter2@account.dfs.core.windows.net/a.parquet",
        "s3://bucket/a.parquet?X-Amz-Signature=hunter2",
        "https://bucket.s3.amazonaws.com/a.parquet?X-Amz-Signature=hunter2",
        "https://me:hunter2@example.org/a.parquet",
    ],
)
def test_a_secret_in_an_address_is_rejected_and_not_shown(tmp_path: Path, address: str) -> None:
    """Neither a message nor the line of the spec shows it, nor does another fault of that line."""
    for text in (
        reading(address),
        reading(address, ""),
        reading(f'http://example.org", "{address}'),
        reading(f'{address}", 7, "b.csv'),
        f'[[classifiers]]\nname = "A"\npredictions = "{address}',
    ):
        diagnostics = faults(tmp_path, text)
        listing = "\n".join(format_diagnostic(fault, plain=True) for fault in diagnostics)
        assert "hunter2" not in listing
        assert "hunter2" not in str(SpecError(*diagnostics))
    codes = {fault.error_code.code for fault in faults(tmp_path, reading(address))}
    assert codes == ({"E118"} if address.startswith("https") else {"E132"})
