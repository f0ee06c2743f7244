"""WeasyPrint, loaded without what takes it longest and no report needs."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import json
import sys
import threading
import warnings
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

from reportgen.errors import Fault, RenderingError, run_faults
from reportgen.rendering.shipped import shipped_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# What WeasyPrint declares of Pango and other libraries, compiled by `make docs`.
DECLARATIONS = "declarations.json"
# What it imports for fonts of the user's own, of which the names are only ever called.
SELDOM_CALLED = ("fontTools.subset", "fontTools.varLib.instancer")
# What is changed while WeasyPrint is loaded belongs to the whole process.
ONCE = threading.Lock()

# Bytes as JSON has them, each a sign of Latin-1.
_Written: TypeAlias = "str | int | list[_Written]"
_Compiled: TypeAlias = "bytes | int | tuple[_Compiled, ...]"


def load_weasyprint() -> ModuleType:
    """Import WeasyPrint, whose own notice about missing libraries must not reach stdout."""
    spared = contextlib.nullcontext() if "weasyprint" in sys.modules else _spared()
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), ONCE, spared:
            # Said where no font is installed; the report brings its own.
            warnings.filterwarnings("ignore", "No fonts configured", UserWarning)
            import weasyprint
    except (OSError, ImportError) as error:
        fault = Fault(
            run_faults.PANGO_MISSING,
            f"the PDF was not written: {str(error).splitlines()[0]}",
            help=run_faults.PANGO_INSTALL,
        )
        raise RenderingError(fault) from error
    module: ModuleType = weasyprint
    return module


@contextlib.contextmanager
def _spared() -> Iterator[None]:
    # Only on Linux: elsewhere cffi knows places for libraries that the system's loader does not.
    declared = _declared() if sys.platform == "linux" else contextlib.nullcontext()
    with declared, _postponed():
        yield


def declaring_file() -> Path:
    """Return the file in which WeasyPrint declares what it calls, without importing it."""
    found = find_spec("weasyprint")
    if found is None or found.origin is None:
        raise ImportError("WeasyPrint is not installed")
    return Path(found.origin).parent / "text" / "ffi.py"


@contextlib.contextmanager
def _declared() -> Iterator[None]:
    """Hand WeasyPrint its declarations compiled, if they are those of this very version.

    It parses no C then, and no compiler is asked for the places of libraries, which on Linux only
    tells the names that WeasyPrint tries next.
    """
    compiled = json.loads(shipped_text(DECLARATIONS))
    if compiled.pop("sha256") != hashlib.sha256(declaring_file().read_bytes()).hexdigest():
        yield
        return
    import _cffi_backend
    import cffi

    class Declared(_cffi_backend.FFI):  # type: ignore[misc]  # of C, without types
        """What has been declared."""

        def cdef(self, _declarations: str) -> None:
            """Leave the declarations unread."""

    arguments = {name: _unpacked(value) for name, value in compiled.items()}
    parsing, cffi.FFI = cffi.FFI, partial(Declared, "weasyprint", **arguments)
    try:
        yield
    finally:
        cffi.FFI = parsing


def _unpacked(value: _Written) -> _Compiled:
    match value:
        case str():
            return value.encode("latin-1")
        case list():
            return tuple(map(_unpacked, value))
        case _:
            return value


@contextlib.contextmanager
def _postponed() -> Iterator[None]:
    """Let modules that are seldom called wait for their first call."""
    names = [name for name in SELDOM_CALLED if name not in sys.modules]
    sys.modules.update((name, _Postponed(name)) for name in names)
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]


class _Postponed(ModuleType):
    """A module of functions and classes, each of which loads it when it is called."""

    def __getattr__(self, name: str) -> Callable[..., object]:
        if name.startswith("__"):
            raise AttributeError(name)

        def called(*given: object, **named: object) -> object:
            return getattr(importlib.import_module(self.__name__), name)(*given, **named)

        return called
