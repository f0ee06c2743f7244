"""Publish target in an object store: S3, Google Cloud Storage or Azure Blob Storage.

Credentials come from the environment.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, Location, OutputError, RemoteUri, RenderingError
from reportgen.errors.jobs import CLOUD_DRIVER_MISSING, TARGET_UNWRITABLE
from reportgen.formats import FORMATS
from reportgen.jobs.publishing.upload import ConflictError, Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from obstore import Attributes, ObjectMeta, UpdateVersion
    from obstore.store import ObjectStore, RetryConfig

CONCURRENT_UPLOADS = 8
# Permanent pages are immutable; browsers must revalidate all others.
IMMUTABLE_CACHE_CONTROL = "public, max-age=31536000, immutable"
REVALIDATE_CACHE_CONTROL = "no-cache"
CONTENT_TYPES = {
    **{format_.suffix.removeprefix("."): format_.content_type for format_ in FORMATS.values()},
    "xml": "application/xml",
}
FEED_PATH = "feed.xml"
_CREDENTIALS_HELP = {
    "s3": "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION (and AWS_ENDPOINT_URL for a"
    " store of your own)",
    "gs": "set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account's key",
    "az": "set AZURE_STORAGE_ACCOUNT_NAME, and AZURE_STORAGE_ACCOUNT_KEY or"
    " AZURE_STORAGE_SAS_TOKEN",
}
# Server messages may contain keys: they are matched against these patterns and never displayed.
_ERROR_REASONS = {
    r"169\.254\.|metadata\.google|token request|Account must be specified|No valid credentials"
    r"|MissingAccount|missing account": "no credentials were found",
    "NoSuchBucket|ContainerNotFound|The specified bucket does not exist": "there is no such bucket",
    r"status code: 40[13]\b|privileges|AccessDenied|Unauthenticated"
    r"|PermissionDenied": "access was denied",
    r"NotImplemented|NotSupported|status code: 501\b": "the store knows no conditional writes",
    "timed out|Timeout": "the server did not answer in time",
    r"error sending request|client error \(Connect\)|[Cc]onnection|dns error": (
        "the server cannot be reached"
    ),
}
_UNKNOWN_REASON = "the store refused it"


@dataclass(frozen=True, slots=True)
class BucketTarget:
    """A bucket, or the part of it below a prefix.

    Object stores have no locks but support conditional writes: of two concurrent publications the
    second gets a conflict. Each object is written atomically.
    """

    url: str
    store: ObjectStore
    concurrency: int = CONCURRENT_UPLOADS
    is_local: bool = False

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Do nothing: an object store has no locks."""
        yield

    def read(self, path: str) -> bytes | None:
        """Return the content of an object; None if it does not exist."""
        return self.take_snapshot(path).content

    def take_snapshot(self, path: str) -> Snapshot:
        """Return the content of an object and its version (ETag or generation)."""
        import obstore

        with self._translate_errors(path):
            try:
                found = obstore.get(self.store, path)
                return Snapshot(bytes(found.bytes()), _object_version(found.meta))
            except FileNotFoundError as error:
                # A missing bucket is an error, not an empty site.
                if "NoSuchBucket" in str(error):
                    raise
                return Snapshot(None)

    def exists(self, path: str) -> bool:
        """Return whether an object exists."""
        import obstore

        with self._translate_errors(path):
            try:
                obstore.head(self.store, path)
            except FileNotFoundError:
                return False
            return True

    def write(self, path: str, content: bytes, *, immutable: bool) -> None:
        """Write an object with its content type and cache control."""
        import obstore

        with self._translate_errors(path):
            obstore.put(
                self.store, path, content, attributes=_object_attributes(path, immutable=immutable)
            )

    def write_if_unchanged(self, snapshot: Snapshot, path: str, content: bytes) -> None:
        """Write an object if its version is that of the snapshot; raise ConflictError if not."""
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        with self._translate_errors(path):
            try:
                obstore.put(
                    self.store,
                    path,
                    content,
                    attributes=_object_attributes(path, immutable=False),
                    mode="create" if snapshot.version is None else snapshot.version,
                    # Conditional writes do not support multipart uploads.
                    use_multipart=False,
                )
            except (AlreadyExistsError, PreconditionError) as error:
                raise ConflictError from error

    def remove(self, path: str) -> None:
        """Delete an object if it exists."""
        import obstore

        with self._translate_errors(path):
            try:
                obstore.delete(self.store, path)
            except FileNotFoundError:
                return

    def commit(self) -> None:
        """Do nothing: writes to an object store are durable."""

    @contextmanager
    def _translate_errors(self, path: str) -> Iterator[None]:
        """Translate errors of the store into OutputError without secrets."""
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, OSError, ValueError) as error:
            raise OutputError(self._diagnostic(path, error)) from None

    def _diagnostic(self, path: str, error: Exception) -> Diagnostic:
        # The path is removed before matching: a report may be named Timeout.
        told = f"{type(error).__name__} {error}".replace(path, "…")
        why = next(
            (why for sign, why in _ERROR_REASONS.items() if re.search(sign, told)), _UNKNOWN_REASON
        )
        scheme = self.url.partition("://")[0]
        place = Location(RemoteUri(f"{self.url}/{path}"))
        return Diagnostic(
            TARGET_UNWRITABLE,
            f"{path} could not be reached: {why}",
            place,
            _CREDENTIALS_HELP[scheme],
        )


def open_bucket(scheme: str, bucket: str, prefix: str) -> BucketTarget:
    """Return a bucket, configured by the environment."""
    try:
        from obstore.store import AzureStore, GCSStore, S3Store
    except ImportError:
        fault = Diagnostic(
            CLOUD_DRIVER_MISSING,
            f"a site at {scheme}:// needs the package obstore",
            help="pip install 'reportgen-eval[cloud]'",
        )
        raise RenderingError(fault) from None
    # Bounded, because by default the client retries for minutes if a server is unreachable. No
    # client options: they would override those of the environment.
    again: RetryConfig = {"max_retries": 3, "retry_timeout": timedelta(seconds=20)}
    kind = {"s3": S3Store, "gs": GCSStore, "az": AzureStore}[scheme]
    address = "/".join(filter(None, (f"{scheme}://{bucket}", prefix)))
    try:
        store = kind(bucket, prefix=prefix or None, retry_config=again)
    except Exception as error:  # noqa: BLE001  # exceptions differ by kind of store
        message = "the store cannot be reached as the environment describes it"
        fault = Diagnostic(
            TARGET_UNWRITABLE, message, Location(RemoteUri(address)), _CREDENTIALS_HELP[scheme]
        )
        del error
        raise OutputError(fault) from None
    return BucketTarget(address, store)


def _object_version(metadata: ObjectMeta) -> UpdateVersion:
    """Return the version of an object; each kind of store has its own attributes."""
    version: UpdateVersion = {}
    if metadata["e_tag"] is not None:
        version["e_tag"] = metadata["e_tag"]
    if metadata["version"] is not None:
        version["version"] = metadata["version"]
    return version


def _object_attributes(path: str, *, immutable: bool) -> Attributes:
    return {
        "Content-Type": content_type(path),
        "Cache-Control": IMMUTABLE_CACHE_CONTROL if immutable else REVALIDATE_CACHE_CONTROL,
    }


def content_type(path: str) -> str:
    """Return the media type of a file."""
    if path.rpartition("/")[2] == FEED_PATH:
        return "application/atom+xml; charset=utf-8"
    return CONTENT_TYPES.get(path.rpartition(".")[2], "application/octet-stream")
