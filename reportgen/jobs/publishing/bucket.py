"""Publish target in an object store: S3, Google Cloud Storage or Azure Blob Storage.

Credentials come from the environment.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, cast

from reportgen.errors import Diagnostic, Location, OutputError, RemoteUri, RenderingError
from reportgen.errors.jobs import CLOUD_DRIVER_MISSING, TARGET_UNWRITABLE
from reportgen.formats import FORMATS
from reportgen.jobs.publishing.targets import (
    ConflictError,
    Snapshot,
    TargetType,
    invalid_target_error,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from obstore import Attributes, ObjectMeta, UpdateVersion
    from obstore.store import ObjectStore, RetryConfig

CONCURRENT_UPLOADS = 8
# Permanent pages are immutable; browsers must revalidate all others.
IMMUTABLE_CACHE_CONTROL = "public, max-age=31536000, immutable"
REVALIDATE_CACHE_CONTROL = "no-cache"
CONTENT_TYPES = {
    **{format_.suffix.removeprefix("."): format_.content_type for format_ in FORMATS.values()},
    "xml": "application/xml",
    "svg": "image/svg+xml",
    "png": "image/png",
}
FEED_PATH = "feed.xml"
CREDENTIALS = {
    "s3": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"),
    "gs": ("GOOGLE_APPLICATION_CREDENTIALS",),
    "az": ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY"),
}
_CREDENTIALS_HELP = {
    "s3": "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION (and AWS_ENDPOINT_URL for a"
    " store other than Amazon's)",
    "gs": "set GOOGLE_APPLICATION_CREDENTIALS to the key file of a service account",
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
    r"NotImplemented|NotSupported|status code: 501\b": (
        "the store does not support conditional writes"
    ),
    "timed out|Timeout": "the server did not answer in time",
    r"error sending request|client error \(Connect\)|[Cc]onnection|dns error": (
        "the server cannot be reached"
    ),
}
_UNKNOWN_REASON = "the store rejected the request"


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
                result = obstore.get(self.store, path)
                return Snapshot(bytes(result.bytes()), _object_version(result.meta))
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
                    mode=cast("Literal['create'] | UpdateVersion", snapshot.version or "create"),
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
        text = f"{type(error).__name__} {error}".replace(path, "…")
        reason = next(
            (reason for pattern, reason in _ERROR_REASONS.items() if re.search(pattern, text)),
            _UNKNOWN_REASON,
        )
        scheme = self.url.partition("://")[0]
        return Diagnostic(
            TARGET_UNWRITABLE,
            f"cannot access {path}: {reason}",
            Location(RemoteUri(f"{self.url}/{path}")),
            _CREDENTIALS_HELP[scheme],
        )


def open_bucket(url: str) -> BucketTarget:
    """Return the bucket at a URL, configured by the environment."""
    scheme, bucket, prefix = _parse_url(url)
    address = "/".join(filter(None, (f"{scheme}://{bucket}", prefix)))
    try:
        from obstore.store import AzureStore, GCSStore, S3Store
    except ImportError:
        diagnostic = Diagnostic(
            CLOUD_DRIVER_MISSING,
            f"a site at {scheme}:// needs the package obstore",
            help="pip install 'reportgen-eval[cloud]'",
        )
        raise RenderingError(diagnostic) from None
    # Bounded, because by default the client retries for minutes if a server is unreachable. No
    # client options: they would override those of the environment.
    retry_config: RetryConfig = {"max_retries": 3, "retry_timeout": timedelta(seconds=20)}
    store_class = {"s3": S3Store, "gs": GCSStore, "az": AzureStore}[scheme]
    try:
        store = store_class(bucket, prefix=prefix or None, retry_config=retry_config)
    except Exception:  # noqa: BLE001  # exceptions differ by kind of store
        message = "the environment variables do not describe an object store"
        location, help_line = Location(RemoteUri(address)), _CREDENTIALS_HELP[scheme]
        raise OutputError(Diagnostic(TARGET_UNWRITABLE, message, location, help_line)) from None
    return BucketTarget(address, store)


def _parse_url(url: str) -> tuple[str, str, str]:
    """Return the scheme, bucket and prefix; raise SpecError for a URL with other parts."""
    scheme, _, rest = url.partition("://")
    bucket, _, prefix = rest.partition("/")
    parts = prefix.rstrip("/").split("/") if prefix.rstrip("/") else []
    if not {"@", "?", "#"}.isdisjoint(rest):
        raise invalid_target_error("it must not have @, ? or #, which are used for secrets")
    if not bucket or not {"", ".", ".."}.isdisjoint(parts):
        raise invalid_target_error("it must name a bucket, and no empty part, . or .. after it")
    return scheme, bucket, "/".join(parts)


TARGET_TYPE = TargetType(open=open_bucket, credentials=CREDENTIALS)


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
