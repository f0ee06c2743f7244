"""Publish targets: their interface, and the registry of their types."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from reportgen.errors import Diagnostic, SpecError
from reportgen.errors.jobs import INVALID_TARGET

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

# The types of targets; `<name>.py` in this folder defines `TARGET_TYPE`.
TARGET_TYPE_NAMES = ("folder", "bucket")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://.*")


class ConflictError(Exception):
    """Another publication has changed a file since its snapshot was taken."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The content of a file at one time (None: it did not exist), and its version."""

    content: bytes | None
    version: object = None


class PublishTarget(Protocol):
    """A storage location for the files of a site; each file is written atomically."""

    @property
    def concurrency(self) -> int:
        """The recommended number of concurrent uploads."""

    @property
    def is_local(self) -> bool:
        """Whether existence checks are cheap."""

    def lock(self) -> AbstractContextManager[None]:
        """Lock the target against concurrent publications, if it supports locks."""

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None if it does not exist."""

    def exists(self, path: str) -> bool:
        """Return whether a path exists."""

    def take_snapshot(self, path: str) -> Snapshot:
        """Return the content of a file and its version."""

    def write(self, path: str, content: bytes, *, immutable: bool) -> None:
        """Write a file; an immutable file is never written again with other content."""

    def write_if_unchanged(self, snapshot: Snapshot, path: str, content: bytes) -> None:
        """Write a file if it is unchanged since its snapshot.

        Raises:
            ConflictError: The file has changed.
        """

    def remove(self, path: str) -> None:
        """Delete a file if it exists."""

    def commit(self) -> None:
        """Make the writes durable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetType:
    """A type of publish target.

    Args:
        open: Returns the target at an address; raises `invalid_target_error` for a wrong one.
        credentials: The environment variables with the credentials, by URL scheme. The type
            without any scheme takes addresses that are not URLs.
    """

    open: Callable[[str], PublishTarget]
    credentials: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def load_target_type(name: str) -> TargetType:
    """Return a registered type of target."""
    target_type: TargetType = import_module(f"{__package__}.{name}").TARGET_TYPE
    return target_type


def find_target_type(address: str) -> TargetType:
    """Return the type of the target at an address; raise SpecError if there is none."""
    types = [load_target_type(name) for name in TARGET_TYPE_NAMES]
    scheme = url_scheme(address)
    for target_type in types:
        if scheme in target_type.credentials or (scheme is None and not target_type.credentials):
            return target_type
    *others, last = [f"{name}://" for target_type in types for name in target_type.credentials]
    raise invalid_target_error(f"it must be a folder, or begin with {', '.join(others)} or {last}")


def open_target(address: str) -> PublishTarget:
    """Return the publish target at a path or URL."""
    return find_target_type(address).open(address)


def url_scheme(address: str) -> str | None:
    """Return the scheme of a URL; None if the address is a path."""
    match = _URL.fullmatch(address)
    return match[1] if match else None


def credential_variables(address: str) -> tuple[str, ...]:
    """Return the environment variables with the credentials of a target."""
    return find_target_type(address).credentials.get(url_scheme(address) or "", ())


def invalid_target_error(reason: str) -> SpecError:
    """Return the error for an invalid address, which is not repeated: it may have a secret."""
    help_line = "for example s3://bucket/reports; credentials come from the environment"
    return SpecError(Diagnostic(INVALID_TARGET, f"invalid target: {reason}", None, help_line))
