"""The newest page of a spec, or what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.errors import ReportgenError
from reportgen.pipeline import evaluate_file
from reportgen.preview.watching import data_files, look_files, stamp
from reportgen.rendering.formats import PAGE, render
from reportgen.spec import read_spec

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.errors import Fault
    from reportgen.preview.watching import Stamp
    from reportgen.report.evaluation import Evaluation
    from reportgen.spec import Format, SpecFile

FORMATS: tuple[Format, ...] = ("html",)


@dataclass(slots=True)
class NewestPage:
    """Makes the page of a spec; the numbers only when the spec or the data changed."""

    spec: Path
    content: bytes = b""
    faults: tuple[Fault, ...] = ()
    version: int = 0
    _spec_file: SpecFile | None = None
    _look: tuple[Path, ...] = ()
    _seen: Stamp = ()
    _evaluation: Evaluation | None = None
    _evaluated: Stamp = ()

    def refresh(self) -> bool:
        """Make the page again if anything changed, and tell whether it did."""
        seen = stamp(self._watched())
        if self.version and seen == self._seen:
            return False
        # Before the work, so that a change during it is not missed.
        self._seen = seen
        try:
            self.content = self._made()
            self.faults = ()
        except ReportgenError as error:
            self.faults = error.faults
        self.version += 1
        return True

    def _watched(self) -> list[Path]:
        """Return what the page is made of; what a pattern matches is looked up each time."""
        data = [self.spec] if self._spec_file is None else data_files(self._spec_file)
        return [*data, *self._look]

    def _made(self) -> bytes:
        self._spec_file = spec_file = read_spec(self.spec)
        self._look = tuple(look_files(spec_file))
        # What was looked at before the work counts as it was then.
        earlier = {state[0]: state for state in self._seen}
        self._seen = tuple(earlier.get(state[0], state) for state in stamp(self._watched()))
        counted = stamp(data_files(spec_file))
        if self._evaluation is None or counted != self._evaluated:
            self._evaluation = evaluate_file(spec_file)
            self._evaluated = counted
        return render(self._evaluation, FORMATS).files[PAGE]
