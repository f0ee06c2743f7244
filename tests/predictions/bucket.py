"""Objects in a bucket, and classifiers that name them, as tests need them."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tests.object_store import serving
from tests.predictions.spec_folder import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.object_store import ObjectStore

REMOTE = 'id = "case"\nremote = true'
TABLE = pl.read_csv(ROWS.encode())


def parquet(frame: pl.DataFrame) -> bytes:
    """Return a frame as the bytes of a Parquet file."""
    bytes_io = io.BytesIO()
    frame.write_parquet(bytes_io)
    return bytes_io.getvalue()


def arrow(frame: pl.DataFrame) -> bytes:
    """Return a frame as the bytes of an Arrow file."""
    bytes_io = io.BytesIO()
    frame.write_ipc(bytes_io)
    return bytes_io.getvalue()


@contextmanager
def serve_objects(objects: Mapping[str, bytes], **environment: str) -> Iterator[ObjectStore]:
    """Serve objects to this process, which knows how to reach them."""
    with serving(objects) as store, pytest.MonkeyPatch.context() as patch:
        for name, value in {**store.environment(), **environment}.items():
            patch.setenv(name, value)
        yield store


def at(store: ObjectStore, *keys: str) -> dict[str, str]:
    """Return a classifier whose predictions are objects."""
    named = ", ".join(f'"{store.bucket}/{key}"' for key in keys)
    return {"A": f"predictions = [{named}]"}
