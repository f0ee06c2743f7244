"""The steps by which a report is written, so that something can happen at any of them."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn
from unittest import mock

from reportgen.output import atomic, staging

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STEPS = ("open", "mkdir", "write", "fsync", "link", "exchange", "unlink", "rmdir")


@contextmanager
def at_step(step: str, happens: Callable[[], None]) -> Iterator[None]:
    """Let something happen before each step of a kind; the exchange has one after it as well."""
    if step == "exchange":
        exchange = atomic.exchange_folders

        def exchange_between(first: object, second: object) -> bool:
            happens()
            result = exchange(first, second)  # type: ignore[arg-type]  # two paths
            happens()
            return result

        with mock.patch.object(staging, "exchange_folders", exchange_between):
            yield
        return
    name = "fdopen" if step == "write" else step
    real = getattr(os, name)

    def call(*arguments: object, **options: object) -> object:
        if step == "write":
            return _Writing(real(*arguments, **options), happens)
        happens()
        return real(*arguments, **options)

    with mock.patch.object(os, name, call):
        yield


@contextmanager
def without_exchange() -> Iterator[None]:
    """Write as on a file system that cannot exchange two folders."""
    with mock.patch.object(staging, "exchange_folders", return_value=False):
        yield


class Nth:
    """Does something the nth time it is called."""

    def __init__(self, nth: int, act: Callable[[], NoReturn]) -> None:
        self.left, self._act = nth, act

    def __call__(self) -> None:
        """Count down."""
        self.left -= 1
        if self.left == 0:
            self._act()

    @property
    def has_happened(self) -> bool:
        """Whether it was called often enough."""
        return self.left <= 0


class _Writing:
    """A file whose writing is a step."""

    def __init__(self, file: object, happens: Callable[[], None]) -> None:
        self._file, self._happens = file, happens

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)

    def __enter__(self) -> _Writing:  # noqa: PYI034  # there are no subclasses
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()  # type: ignore[attr-defined]  # whatever os.fdopen returns has it

    def write(self, content: bytes) -> object:
        """Write, unless something else happens."""
        self._happens()
        return self._file.write(content)  # type: ignore[attr-defined]  # as above
