"""A spec file, read and checked as a whole."""

from __future__ import annotations

import codecs
import tomllib
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from reportgen.errors import Diagnostic, ErrorCode, Location, SpecError, did_you_mean_file
from reportgen.errors.spec import INVALID_SPEC_NAME, SPEC_UNREADABLE
from reportgen.paths import HISTORY_FILE, SCHEDULE_FILE
from reportgen.spec.classifiers import COLUMN_OVERRIDES
from reportgen.spec.issues import Highlight, RawSpec, ValidationIssue, quote_value
from reportgen.spec.spec import Spec
from reportgen.spec.toml import format_toml, location_at, parse_toml
from reportgen.spec.validation import model_issues, validate_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from reportgen.spec.issues import KeyPath
    from reportgen.spec.source_map import SourceMap


PYTHON_SOURCE_NAME = "given in Python"
# Files that stand beside the reports.
RESERVED_NAMES = {HISTORY_FILE, SCHEDULE_FILE}


@dataclass(frozen=True, slots=True)
class SpecFile:
    """A spec together with the file it was read from, or (None) as a program gave it."""

    path: Path | None
    sha256: str
    text: str
    spec: Spec
    warnings: tuple[str, ...]
    options: tuple[str, ...] = ()
    """What the command line asked for instead, as it is typed; `spec` has it already."""

    @property
    def name(self) -> str:
        """What the report is made from, as the report says it."""
        return f"data {PYTHON_SOURCE_NAME}" if self.path is None else self.path.name

    @property
    def redacted_text(self) -> str:
        """The text as reports and manifests show it."""
        if not self.spec.notify:
            return self.text
        from reportgen.spec.source_map import redact_spec

        return redact_spec(self.text)

    @property
    def folder(self) -> Path:
        """The folder the spec's paths are relative to."""
        return Path() if self.path is None else self.path.parent

    def locate(self, *keys: str | int) -> Location | None:
        """Return where the value of a key, given with the tables around it, is written."""
        from reportgen.spec.source_map import SourceMap

        if self.path is None:
            return None

        span = SourceMap(self.text).locate(keys).value
        return location_at(self.path, self.text.split("\n"), span.line, span.column, span.width)


def load_spec(path: Path) -> SpecFile:
    """Read a spec, or raise all its faults at once, in the order of the file."""
    content = _read_content(path)
    _check_spec_name(path)
    return parse_spec(path, content)


def parse_spec(path: Path, content: bytes) -> SpecFile:
    """Make a spec from the content of its file, or raise all its faults at once."""
    text = _decode_text(path, content)
    spec, findings = _validate_document(parse_toml(path, text))
    if spec is None or findings:
        raise SpecError(*_locate_issues(path, text, findings))
    return SpecFile(path, sha256(content).hexdigest(), text, spec, tuple(_spec_warnings(spec)))


def spec_from_mapping(
    document: Mapping[str, object], argument_for_key: Callable[[KeyPath], str]
) -> SpecFile:
    """Make a spec from what a program gave; `told` names the argument behind a key."""
    text = format_toml(document)
    spec, findings = _validate_document(parse_toml(Path(PYTHON_SOURCE_NAME), text))
    if spec is None or findings:
        raise SpecError(
            *(
                _diagnostic_for_argument(finding, argument_for_key)
                for finding in _deduplicate_issues(findings)
            )
        )
    hashed = sha256(text.encode()).hexdigest()
    return SpecFile(None, hashed, text, spec, tuple(_spec_warnings(spec)))


def _diagnostic_for_argument(
    issue: ValidationIssue, argument_for_key: Callable[[KeyPath], str]
) -> Diagnostic:
    name = argument_for_key(issue.path)
    own = f"{quote_value(issue.path[-1])} "
    said = issue.message.removeprefix(own)
    message = f"{name} {said}" if said != issue.message else f"{name}: {said}"
    return Diagnostic(issue.error_code, message, help=issue.help)


def _validate_document(document: dict[str, object]) -> tuple[Spec | None, list[ValidationIssue]]:
    """Return the spec that a document makes, and all that is wrong with it."""
    findings = list(validate_tables(RawSpec(document)))
    try:
        return Spec.model_validate(document), findings
    except ValidationError as error:
        return None, [*model_issues(error), *findings]


def _check_spec_name(path: Path) -> None:
    if not path.stem.strip(".") or path.stem in RESERVED_NAMES:
        where = (
            "outside of its folder"
            if path.stem not in RESERVED_NAMES
            else f"where {path.stem} belongs"
        )
        message = f"the report of `{path.name}` would be written {where}"
        raise SpecError(
            Diagnostic(INVALID_SPEC_NAME, message, Location(path), "rename it, as to `report.toml`")
        )


def _read_content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        beside = (other.name for other in path.parent.glob("*.toml"))
        fault = Diagnostic(
            SPEC_UNREADABLE,
            "the spec file does not exist",
            Location(path),
            did_you_mean_file(path.name, beside),
        )
    except IsADirectoryError:
        fault = Diagnostic(SPEC_UNREADABLE, "the spec is a folder, not a file", Location(path))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        fault = Diagnostic(
            SPEC_UNREADABLE, f"the spec file cannot be read: {reason}", Location(path)
        )
    raise SpecError(fault)


def _decode_text(path: Path, content: bytes) -> str:
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        place = Location(path, before.count(b"\n") + 1)
        fault = Diagnostic(SPEC_UNREADABLE, "the spec is not UTF-8 text", place, "save it as UTF-8")
    raise SpecError(fault)


def _locate_issues(path: Path, text: str, issues: list[ValidationIssue]) -> list[Diagnostic]:
    from reportgen.spec.source_map import SourceMap

    positions, lines = SourceMap(text), text.split("\n")
    faults = [
        _diagnostic_at(path, lines, positions, finding) for finding in _deduplicate_issues(issues)
    ]
    return sorted(faults, key=_location_order)


def _deduplicate_issues(issues: list[ValidationIssue]) -> Iterator[ValidationIssue]:
    # One mistake, one fault: a misspelt key is not also a missing one,
    # and only the first rule that refuses a value speaks about it.
    suggested = {finding.suggested_key for finding in issues}
    seen: set[KeyPath] = set()
    for finding in issues:
        if finding.path not in seen and suggested.isdisjoint(finding.missing_keys):
            seen.add(finding.path)
            yield finding


def _diagnostic_at(
    path: Path, lines: list[str], source_map: SourceMap, issue: ValidationIssue
) -> Diagnostic:
    if issue.highlight is Highlight.TABLE:
        span = source_map.locate(issue.path[:-1]).value
    elif issue.highlight is Highlight.KEY:
        span = source_map.locate(issue.path).key
    else:
        span = source_map.locate(issue.path).value
    place = location_at(path, lines, span.line, span.column, span.width)
    return Diagnostic(issue.error_code, issue.message, place, issue.help)


def _location_order(diagnostic: Diagnostic) -> tuple[int, int]:
    place = diagnostic.location
    return (place.line or 0, place.column or 0) if place else (0, 0)


def _spec_warnings(spec: Spec) -> Iterator[str]:
    for classifier in spec.classifiers:
        unused = [key for key in COLUMN_OVERRIDES if getattr(classifier, key) is not None]
        if classifier.predictions is None and unused:
            yield (
                f"{', '.join(map(quote_value, unused))} of classifier {quote_value(classifier.name)}"
                " has no effect: there are no prediction files"
            )
    yield from _fold_count_warnings(spec)


def _fold_count_warnings(spec: Spec) -> Iterator[str]:
    """Yield that fold scores of different numbers have no partners."""
    named: dict[int, list[str]] = {}
    for classifier in spec.classifiers:
        for scores in [*(classifier.fold_scores or {}).values()][:1]:
            named.setdefault(len(scores), []).append(quote_value(classifier.name))
    if len(named) > 1:
        told = "; ".join(
            f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} {number}"
            for number, names in named.items()
        )
        yield (
            "classifiers with different numbers of fold scores cannot be compared over folds:"
            f" {told}"
        )


# Files that a spec names beside its data, such as a logo or a text.


def read_referenced_file(
    spec_file: SpecFile, relative_path: str, error_code: ErrorCode, *keys: str | int
) -> bytes:
    """Return the content of the file that the keys of a spec name, or raise the fault there."""
    path = spec_file.folder / relative_path
    help_line = None
    try:
        return path.read_bytes()
    except FileNotFoundError:
        found = f"the file `{relative_path}` does not exist"
        help_line = did_you_mean_file(path.name, (other.name for other in path.parent.glob("*")))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        found = f"`{relative_path}` cannot be read: {reason}"
    raise SpecError(Diagnostic(error_code, found, spec_file.locate(*keys), help_line))


# A part of a spec that may be wrong elsewhere: what a failed run still has to know.


def parse_partial(path: Path, key: str) -> object:
    """Return what a spec has under a key, unchecked; None if there is nothing or no reading it."""
    if not path.is_file():
        # What a pipe held was read already.
        return None
    try:
        return tomllib.loads(path.read_text("utf-8")).get(key)
    except (OSError, ValueError, RecursionError):
        return None
