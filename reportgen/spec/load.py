"""Loading a spec from a TOML file, or building it from the values of a Python call."""

from __future__ import annotations

import codecs
import tomllib
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from reportgen.errors import Diagnostic, ErrorCode, Location, SpecError, did_you_mean_file
from reportgen.errors.spec import INVALID_SPEC_NAME, SPEC_UNREADABLE
from reportgen.paths import HISTORY_FILE, SCHEDULE_FILE
from reportgen.spec.classifiers import COLUMN_OVERRIDES
from reportgen.spec.fields import SpecModel
from reportgen.spec.gates import Gate, validate_gates
from reportgen.spec.issues import Highlight, SetKey, ValidationIssue, quote_value
from reportgen.spec.toml import format_toml, has_long_key, location_at, parse_toml
from reportgen.spec.validation import model_issues, validate_document, validate_models

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from reportgen.formats import DetailLevel, OutputFormat
    from reportgen.spec.issues import KeyPath
    from reportgen.spec.source_map import SourceMap
    from reportgen.spec.spec import Spec
    from reportgen.spec.validation import RawTable


PYTHON_SOURCE_NAME = "given in Python"
# Enough for the confusion matrix of a thousand classes.
MAX_SPEC_BYTES = 20 << 20
# Read outside of the limits of time and memory of a build.
MAX_PARTIAL_SPEC_BYTES = 1 << 20
# Files there are no data: they have the environment of processes, and their size is 0.
SYSTEM_FOLDERS = ("/proc", "/sys")
# Names of other files in the output folder.
RESERVED_NAMES = {HISTORY_FILE, SCHEDULE_FILE}


@dataclass(frozen=True, slots=True)
class SpecFile:
    """A spec with the file it was read from; the path is None for a spec from Python."""

    path: Path | None
    sha256: str
    text: str
    spec: Spec
    warnings: tuple[str, ...]
    options: tuple[str, ...] = ()
    """Overrides from the command line, as typed; `spec` includes them."""

    @property
    def name(self) -> str:
        """The name of the source in the report."""
        return f"data {PYTHON_SOURCE_NAME}" if self.path is None else display_text(self.path.name)

    @property
    def redacted_text(self) -> str:
        """The text for reports and manifests, without [[notify]]."""
        if not self.spec.notify:
            return self.text
        from reportgen.spec.source_map import redact_spec

        return redact_spec(self.text)

    @property
    def folder(self) -> Path:
        """The folder that paths of the spec are relative to."""
        return Path() if self.path is None else self.path.parent

    def locate(self, *keys: str | int) -> Location | None:
        """Return the location of the value at a key path; None for a spec from Python."""
        from reportgen.spec.source_map import SourceMap

        if self.path is None:
            return None

        span = SourceMap(self.text).locate(keys).value
        return location_at(self.path, self.text.split("\n"), span.line, span.column, span.width)

    def with_output(
        self, formats: Collection[OutputFormat] | None, detail: DetailLevel | None
    ) -> SpecFile:
        """Return the spec with the formats and the detail of the command line, where given."""
        changes: dict[str, object] = {}
        options: list[str] = []
        if detail is not None:
            changes["detail"], options = detail, ["--detail", detail]
        if formats:
            changes["formats"] = tuple(formats)
            options += ["--format", ",".join(formats)]
        output = self.spec.output.model_copy(update=changes)
        spec = self.spec.model_copy(update={"output": output})
        return replace(self, spec=spec, options=tuple(options))


def load_spec(path: Path) -> SpecFile:
    """Return the spec of a file, or raise all its issues at once, in the order of the file."""
    content = _read_content(path)
    _check_spec_name(path)
    return parse_spec(path, content)


def parse_spec(path: Path, content: bytes) -> SpecFile:
    """Return the spec of a file's content, or raise all its issues at once."""
    text = _decode_text(path, content)
    spec, issues = validate_document(parse_toml(path, text))
    if spec is None:
        raise SpecError(*_locate_issues(path, text, issues))
    return SpecFile(path, sha256(content).hexdigest(), text, spec, tuple(_spec_warnings(spec)))


def with_models(spec_file: SpecFile, spec: Spec) -> SpecFile:
    """Return the spec with the classifiers of a file in long format, or raise issues of names."""
    issues = validate_models(spec)
    if issues:
        path = spec_file.path or Path(spec_file.name)
        raise SpecError(*_locate_issues(path, spec_file.text, issues))
    return replace(spec_file, spec=spec)


def spec_from_values(
    values: RawTable,
    name_argument: Callable[[KeyPath], str],
    suggest_argument: Callable[[SetKey], str],
) -> SpecFile:
    """Return the spec of a Python call, or raise all its issues at once.

    Args:
        values: The tables of the spec as plain Python values.
        name_argument: Returns the name of the argument behind a key path.
        suggest_argument: Returns the help text that asks for an argument.
    """
    spec, issues = validate_document(values)
    if spec is None:
        raise SpecError(
            *(issue.to_python_diagnostic(name_argument, suggest_argument) for issue in issues)
        )
    # For display in the report and the manifest only.
    text = format_toml(spec.model_dump(by_alias=True, exclude_unset=True))
    spec_hash = sha256(text.encode()).hexdigest()
    return SpecFile(None, spec_hash, text, spec, tuple(_spec_warnings(spec)))


class _Gates(SpecModel):
    """The part of a spec with the gates."""

    gates: tuple[Gate, ...]


def gate_from_values(spec: Spec, values: RawTable) -> Gate:
    """Return a gate on the classifiers of a spec, or raise all issues of a Python call at once.

    Args:
        spec: The spec, which need not have the gate.
        values: The keys of a table of [[gates]]; the arguments of the call have the same names.
    """

    def name_argument(path: KeyPath) -> str:
        return f"`{path[-1]}{'_' if path[-1] == 'class' else ''}`"

    def raise_issues(issues: Iterable[ValidationIssue]) -> None:
        diagnostics = [
            issue.to_python_diagnostic(name_argument, SetKey.for_toml) for issue in issues
        ]
        if diagnostics:
            raise SpecError(*diagnostics)

    try:
        gates = _Gates.model_validate({"gates": (values,)}).gates
    except ValidationError as error:
        raise_issues(model_issues(error))
        raise
    spec_with_gates = spec.model_copy(update={"gates": gates})
    raise_issues((*validate_models(spec_with_gates), *validate_gates(spec_with_gates)))
    return gates[0]


def _check_spec_name(path: Path) -> None:
    if not path.stem.strip(".") or path.stem in RESERVED_NAMES:
        destination = (
            "outside of its folder"
            if path.stem not in RESERVED_NAMES
            else f"to the reserved name {path.stem}"
        )
        message = f"the report of `{path.name}` would be written {destination}"
        raise SpecError(
            Diagnostic(
                INVALID_SPEC_NAME,
                message,
                Location(path),
                "rename it, for example to `report.toml`",
            )
        )


def _read_content(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_SPEC_BYTES + 1)
        if len(content) <= MAX_SPEC_BYTES:
            return content
        message = f"the spec is larger than {MAX_SPEC_BYTES >> 20} MiB"
        diagnostic = Diagnostic(SPEC_UNREADABLE, message, Location(path))
    except FileNotFoundError:
        siblings = (other.name for other in path.parent.glob("*.toml"))
        diagnostic = Diagnostic(
            SPEC_UNREADABLE,
            "the spec file does not exist",
            Location(path),
            did_you_mean_file(path.name, siblings),
        )
    except IsADirectoryError:
        message = "the spec is a folder, not a file"
        diagnostic = Diagnostic(SPEC_UNREADABLE, message, Location(path))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"the spec file cannot be read: {reason}"
        diagnostic = Diagnostic(SPEC_UNREADABLE, message, Location(path))
    raise SpecError(diagnostic)


def _decode_text(path: Path, content: bytes) -> str:
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        location = Location(path, before.count(b"\n") + 1)
    message = "the spec is not UTF-8 text"
    raise SpecError(Diagnostic(SPEC_UNREADABLE, message, location, "save it as UTF-8"))


def _locate_issues(path: Path, text: str, issues: list[ValidationIssue]) -> list[Diagnostic]:
    """Return the issues of a TOML file at their places, in the order of the file."""
    from reportgen.spec.source_map import SourceMap

    source_map, lines = SourceMap(text), text.split("\n")
    diagnostics = [
        issue.to_toml_diagnostic(_locate_issue(path, lines, source_map, issue)) for issue in issues
    ]
    return sorted(diagnostics, key=_location_order)


def _locate_issue(
    path: Path, lines: list[str], source_map: SourceMap, issue: ValidationIssue
) -> Location:
    if issue.highlight is Highlight.TABLE:
        span = source_map.locate(issue.path[:-1]).value
    elif issue.highlight is Highlight.KEY:
        span = source_map.locate(issue.path).key
    else:
        span = source_map.locate(issue.path).value
    return location_at(path, lines, span.line, span.column, span.width)


def _location_order(diagnostic: Diagnostic) -> tuple[int, int]:
    location = diagnostic.location
    return (location.line or 0, location.column or 0) if location else (0, 0)


def _spec_warnings(spec: Spec) -> Iterator[str]:
    for classifier in spec.classifiers:
        unused = [key for key in COLUMN_OVERRIDES if getattr(classifier, key) is not None]
        if classifier.predictions is None and unused:
            keys, name = ", ".join(map(quote_value, unused)), quote_value(classifier.name)
            yield f"{keys} of classifier {name} has no effect: there are no prediction files"
    yield from _fold_count_warnings(spec)


def _fold_count_warnings(spec: Spec) -> Iterator[str]:
    """Yield a warning if classifiers have different numbers of fold scores."""
    by_count: dict[int, list[str]] = {}
    for classifier in spec.classifiers:
        for scores in [*(classifier.fold_scores or {}).values()][:1]:
            by_count.setdefault(len(scores), []).append(quote_value(classifier.name))
    if len(by_count) > 1:
        listing = "; ".join(
            f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} {number}"
            for number, names in by_count.items()
        )
        yield (
            "classifiers with different numbers of fold scores cannot be compared over folds:"
            f" {listing}"
        )


# Of a text, a logo or a font, which become part of every copy of the report.
MAX_REFERENCED_BYTES = 20 << 20


def display_text(name: str) -> str:
    """Return the name of a file as text; bytes that are not UTF-8 are escaped."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def is_system_file(path: Path) -> bool:
    """Return whether a path leads to files of the kernel, with the environment among them."""
    resolved = path.resolve()
    return any(resolved.is_relative_to(folder) for folder in SYSTEM_FOLDERS)


def read_referenced_file(
    spec_file: SpecFile, relative_path: str, error_code: ErrorCode, *keys: str | int
) -> bytes:
    """Return the content of a file that a spec names, such as a logo; `keys` locate errors."""
    path = spec_file.folder / relative_path
    help_text = None
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise ValueError("it is not a regular file")  # noqa: TRY301  # one message for all
        if is_system_file(path):
            raise ValueError("it is no file of a report")  # noqa: TRY301  # as above
        if path.stat().st_size > MAX_REFERENCED_BYTES:
            raise ValueError(f"it is larger than {MAX_REFERENCED_BYTES >> 20} MiB")  # noqa: TRY301
        return path.read_bytes()
    except FileNotFoundError:
        message = f"the file `{relative_path}` does not exist"
        help_text = did_you_mean_file(path.name, (other.name for other in path.parent.glob("*")))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"`{relative_path}` cannot be read: {reason}"
    raise SpecError(Diagnostic(error_code, message, spec_file.locate(*keys), help_text))


def parse_partial(path: Path, key: str) -> object:
    """Return the unvalidated value of a top-level key; None if it is missing or unreadable.

    Failed runs of an invalid spec still need its title, history and notifications.
    """
    try:
        # A pipe can be read only once.
        if not path.is_file() or path.stat().st_size > MAX_PARTIAL_SPEC_BYTES:
            return None
        text = path.read_text("utf-8")
        return None if has_long_key(text) else tomllib.loads(text).get(key)
    except (OSError, ValueError, RecursionError):
        return None
