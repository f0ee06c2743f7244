"""A spec file, read and checked as a whole."""

from __future__ import annotations

import codecs
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from reportgen.errors import Fault, Place, SpecError, did_you_mean_file
from reportgen.errors.spec_faults import SPEC_NAME, SPEC_UNREADABLE
from reportgen.frozen import frozen
from reportgen.places import HISTORY_FILE, SCHEDULE_FILE
from reportgen.spec.classifiers import OVERRIDES
from reportgen.spec.draft import Draft
from reportgen.spec.findings import Aim, Finding, quoted
from reportgen.spec.model_faults import model_findings
from reportgen.spec.root import Spec
from reportgen.spec.rules import rule_findings
from reportgen.spec.toml import place_at, read_toml
from reportgen.spec.toml_text import toml_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from reportgen.spec.findings import KeyPath
    from reportgen.spec.positions import Positions

GIVEN = "given in Python"
# Files that stand beside the reports.
TAKEN = {HISTORY_FILE, SCHEDULE_FILE}


@frozen
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
        return f"data {GIVEN}" if self.path is None else self.path.name

    @property
    def public_text(self) -> str:
        """The text as reports and manifests show it."""
        if not self.spec.notify:
            return self.text
        from reportgen.spec.public_text import public_text

        return public_text(self.text)

    @property
    def folder(self) -> Path:
        """The folder the spec's paths are relative to."""
        return Path() if self.path is None else self.path.parent

    def place(self, *keys: str | int) -> Place | None:
        """Return where the value of a key, given with the tables around it, is written."""
        from reportgen.spec.positions import Positions

        if self.path is None:
            return None

        span = Positions(self.text).spot(keys).value
        return place_at(self.path, self.text.split("\n"), span.line, span.column, span.width)


def read_spec(path: Path) -> SpecFile:
    """Read a spec, or raise all its faults at once, in the order of the file."""
    content = _content(path)
    _refuse_name(path)
    return parse_spec(path, content)


def parse_spec(path: Path, content: bytes) -> SpecFile:
    """Make a spec from the content of its file, or raise all its faults at once."""
    text = _text(path, content)
    spec, findings = _checked(read_toml(path, text))
    if spec is None or findings:
        raise SpecError(*_faults(path, text, findings))
    return SpecFile(path, sha256(content).hexdigest(), text, spec, tuple(_warnings(spec)))


def given_spec(document: Mapping[str, object], told: Callable[[KeyPath], str]) -> SpecFile:
    """Make a spec from what a program gave; `told` names the argument behind a key."""
    text = toml_text(document)
    spec, findings = _checked(read_toml(Path(GIVEN), text))
    if spec is None or findings:
        raise SpecError(*(_told_fault(finding, told) for finding in _without_echoes(findings)))
    hashed = sha256(text.encode()).hexdigest()
    return SpecFile(None, hashed, text, spec, tuple(_warnings(spec)))


def _told_fault(finding: Finding, told: Callable[[KeyPath], str]) -> Fault:
    name = told(finding.path)
    own = f"{quoted(finding.path[-1])} "
    said = finding.message.removeprefix(own)
    message = f"{name} {said}" if said != finding.message else f"{name}: {said}"
    return Fault(finding.kind, message, help=finding.help)


def _checked(document: dict[str, object]) -> tuple[Spec | None, list[Finding]]:
    """Return the spec that a document makes, and all that is wrong with it."""
    findings = list(rule_findings(Draft(document)))
    try:
        return Spec.model_validate(document), findings
    except ValidationError as error:
        return None, [*model_findings(error), *findings]


def _refuse_name(path: Path) -> None:
    if not path.stem.strip(".") or path.stem in TAKEN:
        where = "outside of its folder" if path.stem not in TAKEN else f"where {path.stem} belongs"
        message = f"the report of `{path.name}` would be written {where}"
        raise SpecError(Fault(SPEC_NAME, message, Place(path), "rename it, as to `report.toml`"))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        beside = (other.name for other in path.parent.glob("*.toml"))
        fault = Fault(
            SPEC_UNREADABLE,
            "the spec file does not exist",
            Place(path),
            did_you_mean_file(path.name, beside),
        )
    except IsADirectoryError:
        fault = Fault(SPEC_UNREADABLE, "the spec is a folder, not a file", Place(path))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        fault = Fault(SPEC_UNREADABLE, f"the spec file cannot be read: {reason}", Place(path))
    raise SpecError(fault)


def _text(path: Path, content: bytes) -> str:
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        place = Place(path, before.count(b"\n") + 1)
        fault = Fault(SPEC_UNREADABLE, "the spec is not UTF-8 text", place, "save it as UTF-8")
    raise SpecError(fault)


def _faults(path: Path, text: str, findings: list[Finding]) -> list[Fault]:
    from reportgen.spec.positions import Positions

    positions, lines = Positions(text), text.split("\n")
    faults = [_fault(path, lines, positions, finding) for finding in _without_echoes(findings)]
    return sorted(faults, key=_position)


def _without_echoes(findings: list[Finding]) -> Iterator[Finding]:
    # One mistake, one fault: a misspelt key is not also a missing one,
    # and only the first rule that refuses a value speaks about it.
    suggested = {finding.suggested for finding in findings}
    seen: set[KeyPath] = set()
    for finding in findings:
        if finding.path not in seen and suggested.isdisjoint(finding.absent):
            seen.add(finding.path)
            yield finding


def _fault(path: Path, lines: list[str], positions: Positions, finding: Finding) -> Fault:
    if finding.aim is Aim.TABLE:
        span = positions.spot(finding.path[:-1]).value
    elif finding.aim is Aim.KEY:
        span = positions.spot(finding.path).key
    else:
        span = positions.spot(finding.path).value
    place = place_at(path, lines, span.line, span.column, span.width)
    return Fault(finding.kind, finding.message, place, finding.help)


def _position(fault: Fault) -> tuple[int, int]:
    place = fault.place
    return (place.line or 0, place.column or 0) if place else (0, 0)


def _warnings(spec: Spec) -> Iterator[str]:
    for classifier in spec.classifiers:
        unused = [key for key in OVERRIDES if getattr(classifier, key) is not None]
        if classifier.predictions is None and unused:
            yield (
                f"{', '.join(map(quoted, unused))} of classifier {quoted(classifier.name)}"
                " has no effect: there are no prediction files"
            )
    yield from _fold_warnings(spec)


def _fold_warnings(spec: Spec) -> Iterator[str]:
    """Yield that fold scores of different numbers have no partners."""
    named: dict[int, list[str]] = {}
    for classifier in spec.classifiers:
        for scores in [*(classifier.fold_scores or {}).values()][:1]:
            named.setdefault(len(scores), []).append(quoted(classifier.name))
    if len(named) > 1:
        told = "; ".join(
            f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} {number}"
            for number, names in named.items()
        )
        yield (
            "classifiers with different numbers of fold scores cannot be compared over folds:"
            f" {told}"
        )
