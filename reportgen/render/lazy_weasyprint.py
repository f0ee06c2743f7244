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
from typing import TYPE_CHECKING, Protocol, TypeAlias

from reportgen.errors import Diagnostic, RenderingError, run
from reportgen.render.resources import read_resources

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator


# What WeasyPrint declares of Pango and other libraries, compiled by `make docs`.
FFI_DECLARATIONS = "declarations.json"
# What it imports for fonts of the user's own, of which the names are only ever called.
LAZY_MODULES = ("fontTools.subset", "fontTools.varLib.instancer")
# What is changed while WeasyPrint is loaded belongs to the whole process.
WEASYPRINT_IMPORT_LOCK = threading.Lock()

# Bytes as JSON has them, each a sign of Latin-1.
_EncodedFfi: TypeAlias = "str | int | list[_EncodedFfi]"
_CompiledFfi: TypeAlias = "bytes | int | tuple[_CompiledFfi, ...]"


def load_weasyprint() -> ModuleType:
    """Import WeasyPrint, whose own notice about missing libraries must not reach stdout."""
    spared = contextlib.nullcontext() if "weasyprint" in sys.modules else _fast_import()
    try:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            warnings.catch_warnings(),
            WEASYPRINT_IMPORT_LOCK,
            spared,
        ):
            # Said where no font is installed; the report brings its own.
            warnings.filterwarnings("ignore", "No fonts configured", UserWarning)
            import weasyprint
    except (OSError, ImportError) as error:
        fault = Diagnostic(
            run.PANGO_MISSING,
            f"the PDF was not written: {str(error).splitlines()[0]}",
            help=run.PANGO_INSTALL,
        )
        raise RenderingError(fault) from error
    module: ModuleType = weasyprint
    return module


@contextlib.contextmanager
def _fast_import() -> Iterator[None]:
    # Only on Linux: elsewhere cffi knows places for libraries that the system's loader does not.
    declared = _precompiled_ffi() if sys.platform == "linux" else contextlib.nullcontext()
    with declared, _lazy_modules():
        yield


def weasyprint_ffi_file() -> Path:
    """Return the file in which WeasyPrint declares what it calls, without importing it."""
    found = find_spec("weasyprint")
    if found is None or found.origin is None:
        raise ImportError("WeasyPrint is not installed")
    return Path(found.origin).parent / "text" / "ffi.py"


@contextlib.contextmanager
def _precompiled_ffi() -> Iterator[None]:
    """Hand WeasyPrint its declarations compiled, if they are those of this very version.

    It parses no C then, and no compiler is asked for the places of libraries, which on Linux only
    tells the names that WeasyPrint tries next.
    """
    compiled = json.loads(read_resources(FFI_DECLARATIONS))
    if compiled.pop("sha256") != hashlib.sha256(weasyprint_ffi_file().read_bytes()).hexdigest():
        yield
        return
    import _cffi_backend
    import cffi

    class Declared(_cffi_backend.FFI):  # type: ignore[misc]  # of C, without types
        """What has been declared."""

        def cdef(self, _declarations: str) -> None:
            """Leave the declarations unread."""

    arguments = {name: _decode_ffi(value) for name, value in compiled.items()}
    parsing, cffi.FFI = cffi.FFI, partial(Declared, "weasyprint", **arguments)
    try:
        yield
    finally:
        cffi.FFI = parsing


def _decode_ffi(value: _EncodedFfi) -> _CompiledFfi:
    match value:
        case str():
            return value.encode("latin-1")
        case list():
            return tuple(map(_decode_ffi, value))
        case _:
            return value


@contextlib.contextmanager
def _lazy_modules() -> Iterator[None]:
    """Let modules that are seldom called wait for their first call."""
    names = [name for name in LAZY_MODULES if name not in sys.modules]
    sys.modules.update((name, _LazyModule(name)) for name in names)
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]


class _LazyModule(ModuleType):
    """A module of functions and classes, each of which loads it when it is called."""

    def __getattr__(self, name: str) -> Callable[..., object]:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*args: object, **kwargs: object) -> object:
            return getattr(importlib.import_module(self.__name__), name)(*args, **kwargs)

        return call


# Letters of drawings, which WeasyPrint lays out one by one and twice each, laid out once.

# What of the style of its letters a drawing can set, beside the fonts.
SVG_FONT_PROPERTIES = ("font_style", "font_weight", "font_size", "direction")


class _TextStyle(Protocol):
    """The style of a letter, with the fonts of its document."""

    font_config: Hashable

    def __getitem__(self, name: str, /) -> Hashable: ...


class _TextLayout(Protocol):
    """A letter as Pango lays it out; WeasyPrint does it again whenever it draws the letter."""

    def reactivate(self, style: _TextStyle, /) -> None: ...


@contextlib.contextmanager
def glyph_cache() -> Iterator[None]:
    """Keep every letter of a drawing while a PDF is made; no byte of the PDF is another."""
    from weasyprint.text import line_break

    laid_out = line_break.split_first_line
    kept: dict[tuple[Hashable, ...], tuple[_TextLayout, *tuple[object, ...]]] = {}

    def kept_or_laid_out(
        text: str, style: _TextStyle, *rest: object
    ) -> tuple[_TextLayout, *tuple[object, ...]]:
        families: Iterable[object] = style["font_family"]  # type: ignore[assignment]
        key = (text, style.font_config, *families, *(style[each] for each in SVG_FONT_PROPERTIES))
        if key not in kept:
            kept[key] = found = laid_out(text, style, *rest)
            found[0].reactivate(style)
            found[0].reactivate = _skip_reactivation
        return kept[key]

    # Drawings look the function up each time they draw words; all else has it since its import.
    line_break.split_first_line = kept_or_laid_out
    try:
        yield
    finally:
        line_break.split_first_line = laid_out


def _skip_reactivation(_style: _TextStyle) -> None:
    """Leave a letter as it was laid out."""
