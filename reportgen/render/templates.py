"""Jinja2 environments for the shipped templates and, in a sandbox, for the user's templates."""

from __future__ import annotations

import traceback
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup

from reportgen.errors import Diagnostic, Location, SpecError, did_you_mean
from reportgen.errors.spec import TEMPLATE_ERROR
from reportgen.render.plain_text import escape_invisible
from reportgen.render.resources import TEMPLATE_SUFFIX, USER_STYLESHEET, template_folder
from reportgen.render.sandbox import ContainedLoader, PlainDataEnvironment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _finalize_value(value: object) -> object:
    """Return the value with invisible characters escaped, unless it is markup."""
    return (
        escape_invisible(value)
        if isinstance(value, str) and not isinstance(value, Markup)
        else value
    )


class TemplateOptions(TypedDict):
    """Options of all Jinja2 environments."""

    undefined: type[StrictUndefined]
    trim_blocks: bool
    lstrip_blocks: bool
    keep_trailing_newline: bool
    finalize: Callable[[object], object]


TEMPLATE_OPTIONS = TemplateOptions(
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    finalize=_finalize_value,
)


@cache
def default_environment() -> Environment:
    """Return the environment of the shipped templates, with data escaped."""
    return Environment(
        loader=FileSystemLoader(template_folder()), autoescape=True, **TEMPLATE_OPTIONS
    )


def sandboxed_environment(user_folder: Path) -> PlainDataEnvironment:
    """Return a sandboxed environment in which the templates of a folder take precedence.

    The shipped ones are available under "shipped/". Not cached, because templates may have changed.
    """
    shipped = FileSystemLoader(template_folder())
    loaders = [ContainedLoader(user_folder), PrefixLoader({"shipped": shipped}), shipped]
    return PlainDataEnvironment(loader=ChoiceLoader(loaders), autoescape=True, **TEMPLATE_OPTIONS)


# Templates of the user: validation of names and syntax.

SITE_FOLDER = "site"
PARTIAL_PREFIX = "_"
MAX_TEMPLATE_BYTES = 1 << 20


def list_user_templates(folder: Path) -> list[Path]:
    """Return the files of the folder; raise a SpecError for unknown names and syntax errors.

    Hidden files are ignored.
    """
    root = folder.resolve()
    files = sorted(
        path
        for path in folder.rglob("*")
        if not _is_hidden(folder, path) and (path.is_symlink() or not path.is_dir())
    )
    diagnostics = [
        diagnostic
        for path in files
        for diagnostic in (
            _check_template_file(folder, path, root)
            or _check_template_name(folder, path)
            or _check_template_text(folder, path)
        )
    ]
    if diagnostics:
        raise SpecError(*diagnostics)
    return files


def replaceable_templates() -> list[str]:
    """Return the templates a spec can replace: all but those of the site."""
    folder = template_folder()
    paths = (path.relative_to(folder) for path in folder.rglob(f"*{TEMPLATE_SUFFIX}"))
    return sorted(path.as_posix() for path in paths if path.parts[0] != SITE_FOLDER)


def template_error(error: Exception, folder: Path) -> SpecError:
    """Return the error of a template with file and line, as far as known."""
    line = getattr(error, "lineno", None)
    path = getattr(error, "filename", None)
    if path is None:
        inside = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if Path(frame.filename).is_relative_to(folder)
        ]
        path, line = (inside[-1].filename, inside[-1].lineno) if inside else (None, None)
    location = (
        Location(Path(path), line, source_line=_source_line(Path(path), line))
        if path
        else Location(folder)
    )
    reason = str(error) or type(error).__name__
    return SpecError(Diagnostic(TEMPLATE_ERROR, f"the template cannot be used: {reason}", location))


def _is_hidden(folder: Path, path: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _check_template_file(folder: Path, path: Path, root: Path) -> tuple[Diagnostic, ...]:
    """Return a diagnostic for what is no regular file of a few kilobytes in the folder itself."""
    name = path.relative_to(folder).as_posix()
    if not path.resolve().is_relative_to(root):
        problem = f"`{name}` is a link out of the template folder"
        return (Diagnostic(TEMPLATE_ERROR, problem, Location(path), "copy the file instead"),)
    if not path.is_file():
        return (Diagnostic(TEMPLATE_ERROR, f"`{name}` is not a regular file", Location(path)),)
    if path.stat().st_size > MAX_TEMPLATE_BYTES:
        problem = f"`{name}` is larger than {MAX_TEMPLATE_BYTES >> 20} MiB"
        return (Diagnostic(TEMPLATE_ERROR, problem, Location(path)),)
    return ()


def _check_template_name(folder: Path, path: Path) -> tuple[Diagnostic, ...]:
    name = path.relative_to(folder).as_posix()
    if (
        path.name.startswith(PARTIAL_PREFIX)
        or name == USER_STYLESHEET
        or name in replaceable_templates()
    ):
        return ()
    help_line = did_you_mean(name, replaceable_templates()) or (
        f"a part that other templates include has a name that begins with {PARTIAL_PREFIX}"
    )
    problem = f"there is no shipped template `{name}`"
    return (Diagnostic(TEMPLATE_ERROR, problem, Location(path), help_line),)


def _check_template_text(folder: Path, path: Path) -> tuple[Diagnostic, ...]:
    """Return a diagnostic if the file is not UTF-8 text or not a valid template."""
    name = path.relative_to(folder).as_posix()
    if not name.endswith((TEMPLATE_SUFFIX, USER_STYLESHEET)):
        return ()
    try:
        path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return (Diagnostic(TEMPLATE_ERROR, f"`{name}` is not UTF-8 text", Location(path)),)
    except OSError as error:
        problem = f"`{name}` cannot be read: {error.strerror or error}"
        return (Diagnostic(TEMPLATE_ERROR, problem, Location(path)),)
    return _check_template_syntax(folder, name) if name.endswith(TEMPLATE_SUFFIX) else ()


def _check_template_syntax(folder: Path, name: str) -> tuple[Diagnostic, ...]:
    from jinja2 import TemplateSyntaxError

    try:
        sandboxed_environment(folder).get_template(name)
    except TemplateSyntaxError as error:
        return template_error(error, folder).diagnostics
    except (RecursionError, SyntaxError):
        # Of Python, which compiles what Jinja2 makes of it.
        problem = f"`{name}` is nested too deeply"
        return (Diagnostic(TEMPLATE_ERROR, problem, Location(folder / name)),)
    except Exception as error:  # noqa: BLE001  # constant expressions are evaluated here
        problem = f"`{name}` cannot be used: {str(error) or type(error).__name__}"
        return (Diagnostic(TEMPLATE_ERROR, problem, Location(folder / name)),)
    return ()


def _source_line(path: Path, number: int | None) -> str | None:
    lines: Sequence[str] = path.read_text("utf-8", "replace").splitlines() if number else ()
    return lines[number - 1] if number and number <= len(lines) else None
