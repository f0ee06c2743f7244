"""A unit: the text that another scheduler takes, and what goes into it."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.errors import Fault, Place, SpecError
from reportgen.errors.job_faults import NOT_EXPRESSIBLE, UNSAFE_PATH
from reportgen.frozen import frozen
from reportgen.spec.texts import is_invisible

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.jobs.schedules.planning import Planned

# Kubernetes adds eleven signs to the name of a CronJob, and takes 63.
LONGEST_NAME = 52
DIGEST = 8
PREFIX = "reportgen-"


@frozen
class Unit:
    """A file of another scheduler."""

    file: str
    text: str


@frozen
class Order:
    """What is to be run: a spec with a schedule, and where its report goes."""

    planned: Planned
    reports: Path
    here: Path
    """The folder the command is called in, which is absolute."""
    program: tuple[str, ...]
    """How reportgen is called on this machine."""
    user: str
    """Who runs it on this machine."""
    image: str
    """The container image that has reportgen."""

    @property
    def unit_name(self) -> str:
        """A name that every scheduler takes, and that no other spec has."""
        stem = self.planned.name
        plain = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")
        if plain == stem and len(PREFIX + plain) <= LONGEST_NAME:
            return PREFIX + plain
        digest = sha256(stem.encode()).hexdigest()[:DIGEST]
        most = LONGEST_NAME - len(PREFIX) - DIGEST - 1
        return f"{PREFIX}{plain[:most].strip('-')}-{digest}".replace("--", "-")

    def command(self) -> tuple[str, ...]:
        """Return the command on this machine, whatever folder it is called in."""
        reports, spec = self.absolute(self.reports), self.absolute(self.planned.path)
        return (*self.program, "build", "--output", reports, "--", spec)

    def absolute(self, path: Path) -> str:
        """Return a path on this machine; refuse one that cannot be written down safely."""
        return self._safe(str(self.here / path))

    def relative(self, path: Path) -> str:
        """Return a path as it is in a copy of this folder; refuse one that is not in it."""
        whole = self.here / path
        if not whole.is_relative_to(self.here) or ".." in whole.parts:
            raise self.unsafe(f"{path} is outside of {self.here}, which is all the unit will see")
        return self._safe(whole.relative_to(self.here).as_posix())

    def refusal(self, reason: str) -> SpecError:
        """Return that another scheduler cannot do what the schedule says."""
        message = f"{self.planned.schedule.cron!r}: {reason}"
        help_line = "write another line, or let `reportgen schedule run` do it, which knows all"
        return SpecError(Fault(NOT_EXPRESSIBLE, message, Place(self.planned.path), help_line))

    def unsafe(self, message: str) -> SpecError:
        """Return that a path cannot be written into a unit."""
        help_line = "rename it, or call the command in a folder that has specs, data and reports"
        return SpecError(Fault(UNSAFE_PATH, message, Place(self.planned.path), help_line))

    def _safe(self, path: str) -> str:
        found = next((sign for sign in path if is_invisible(sign)), None)
        if found is not None:
            raise self.unsafe(f"the path {path!r} has the invisible sign U+{ord(found):04X}")
        return path
